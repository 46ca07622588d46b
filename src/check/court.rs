//! What becomes of verdicts: gates before, tallies and diagnostics after.

use std::collections::{BTreeMap, HashMap};

use crate::{
    check::{
        Settings, Severities, Tally,
        claims::Claims,
        dispatch::RuleIndex,
        docket::{Docket, Found},
    },
    diagnostic::Diagnostic,
    event::Part,
    json::Node,
    model::{self, Connection},
    protocol::{Side, Version},
    rule::{Bound, By, Finding, Gates, Severity, Verdict},
    rules::CATALOGUE,
    source::Span,
};

/// The connection being judged, the verdicts on its current message, and all that came of earlier
/// ones.
#[derive(Debug)]
pub(super) struct Court {
    pub(super) connection: Connection,
    /// Number of the connection in the file.
    pub(super) number: u32,
    stances: Vec<Stance>,
    /// By index in the catalogue, and by whose conduct was judged: the client's, the agent's, that
    /// of nobody knows whom.
    pub(super) tallies: Vec<[Tally; 3]>,
    severities: Severities,
    /// Findings about the current message.
    found: Vec<(RuleIndex, Diagnostic)>,
    /// What they explain.
    claims: Claims,
    /// Values of the current message that nothing is said about, in the order of their places.
    excused: Vec<Span>,
    /// Findings about it and about earlier messages that are not yet diagnostics.
    docket: Docket,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Diagnostics so far, those already taken too.
    reported: u64,
    /// Findings that stand for others: (rule, connection, key) → number of the diagnostic.
    keys: HashMap<(RuleIndex, u32, u64), u64>,
    /// Number of a diagnostic → how many it stands for besides itself.
    pub(super) repeats: BTreeMap<u64, u64>,
}

/// How a rule is to be heard.
#[derive(Clone, Copy, Debug)]
struct Stance {
    /// For version 1 and 2: `None` where the rule does not apply.
    severity: [Option<Severity>; 2],
    gates: [Gates; 2],
    /// Whether the user chose the severity, which then holds for all findings.
    is_chosen: bool,
    /// Whether it speaks of some agents or methods, whatever the severity is.
    is_excepted: bool,
}

impl Stance {
    /// Whether the rule is heard at all. One that the user switched off still is, for what it
    /// explains; one that is off by itself is not.
    fn is_heard(&self, version: Version, own: Severity) -> bool {
        let is_off = self.severity[version as usize].is_none_or(|chosen| chosen == Severity::Off);
        self.severity[version as usize].is_some()
            && (!is_off || self.is_excepted || (self.is_chosen && own != Severity::Off))
    }
}

/// The ground on which a message is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground<'t> {
    pub(super) version: Version,
    pub(super) sender: Option<Side>,
    /// The method called, or that of the request that is answered or left open.
    method: Option<&'t str>,
    gates: Gates,
}

impl<'t> Ground<'t> {
    /// The same ground for a call of this method, or what becomes of one.
    pub(super) fn calling(self, method: &'t str) -> Self {
        Self { method: Some(method), ..self }
    }

    /// The same ground for a message of this sender.
    pub(super) fn of(mut self, sender: Option<Side>) -> Self {
        if sender.is_some() {
            self.gates = self.gates.and(Gates::DIRECTION);
        }
        self.sender = sender;
        self
    }
}

impl Court {
    pub(super) fn new(settings: &Settings, connection: Connection) -> Self {
        let edition = settings.edition.unwrap_or(crate::protocol::Edition::CURRENT);
        let stances = CATALOGUE
            .iter()
            .enumerate()
            .map(|(index, rule)| {
                let standing = settings.severities.of(index);
                let of = |version: Version| {
                    let applies = rule.surfaces.concern(version)
                        && rule.editions.of(version).contain(edition);
                    applies.then(|| standing.severity.of(version))
                };
                Stance {
                    severity: [of(Version::V1), of(Version::V2)],
                    gates: [rule.gates.v1, rule.gates.v2],
                    is_chosen: standing.is_chosen,
                    is_excepted: settings.severities.speaks_by_exception(index),
                }
            })
            .collect();
        Self {
            connection,
            number: 0,
            stances,
            tallies: vec![[Tally::default(); 3]; CATALOGUE.len()],
            severities: settings.severities.clone(),
            found: Vec::new(),
            claims: Claims::default(),
            excused: Vec::new(),
            docket: Docket::default(),
            diagnostics: Vec::new(),
            reported: 0,
            keys: HashMap::new(),
            repeats: BTreeMap::new(),
        }
    }

    /// Whether a rule can speak at all under these settings. A rule that the user switched off is
    /// still heard for what it explains; one that is off by itself is not.
    pub(super) fn hears(settings: &Settings, rule: RuleIndex) -> bool {
        let speaks =
            |severity: By<Severity>| severity.v1 != Severity::Off || severity.v2 != Severity::Off;
        speaks(CATALOGUE[rule].severity)
            || speaks(settings.severities.of(rule).severity)
            || settings.severities.speaks_by_exception(rule)
    }

    /// What is known when a message of this sender is judged by this version.
    pub(super) fn ground(&self, version: Option<Version>, sender: Option<Side>) -> Ground<'static> {
        let mut gates = Gates::ORIGIN;
        if self.connection.head_is_complete() {
            gates = gates.and(Gates::HEAD);
        }
        if self.connection.is_initialized() {
            gates = gates.and(Gates::INITIALIZED);
        }
        let version = version.unwrap_or(Version::V1);
        Ground { version, sender: None, method: None, gates }.of(sender)
    }

    /// The ground at the end of the transcript.
    pub(super) fn last_ground(&self) -> Ground<'static> {
        let mut ground = self.ground(self.connection.version(), None);
        if self.connection.tail_is_closed() {
            ground.gates = ground.gates.and(Gates::TAIL);
        }
        ground
    }

    /// Hears one check, if its rule may speak.
    #[inline]
    pub(super) fn hear(
        &mut self,
        rule: RuleIndex,
        ground: Ground<'_>,
        check: impl FnOnce(&Connection) -> Option<Verdict>,
    ) {
        let stance = &self.stances[rule];
        let version = ground.version as usize;
        let own = CATALOGUE[rule].severity.of(ground.version);
        if !stance.is_heard(ground.version, own) || !ground.gates.contain(stance.gates[version]) {
            return;
        }
        let Some(verdict) = check(&self.connection) else { return };
        let blames = match &verdict {
            Verdict::Pass => None,
            Verdict::Fail(findings) => findings.first().and_then(|finding| finding.blames),
        };
        let bound = self.bound(rule, ground, blames);
        let tally = &mut self.tallies[rule][bound.map_or(2, |side| side as usize)];
        tally.exercised += 1;
        if let Verdict::Fail(findings) = verdict {
            tally.failed += 1;
            for finding in findings {
                self.take(rule, ground, finding);
            }
        }
    }

    /// Whose conduct a rule judges on this ground, if no finding says otherwise.
    fn bound(&self, rule: RuleIndex, ground: Ground<'_>, blames: Option<Side>) -> Option<Side> {
        if self.connection.is_proxied() {
            return None;
        }
        blames.or(match CATALOGUE[rule].binds {
            Bound::Client => Some(Side::Client),
            Bound::Agent => Some(Side::Agent),
            Bound::Either => None,
            Bound::Sender | Bound::Responder => ground.sender,
        })
    }

    fn take(&mut self, rule: RuleIndex, ground: Ground<'_>, finding: Finding) {
        let stance = self.stances[rule];
        let standing = stance.severity[ground.version as usize].unwrap_or(Severity::Off);
        let severity = match finding.severity {
            Some(severity) if !stance.is_chosen && standing != Severity::Off => severity,
            _ => standing,
        };
        let bound = self.bound(rule, ground, finding.blames);
        let version = ground.version;
        let connection = self.number;
        let method = ground.method.map(model::short_name);
        if severity != Severity::Off || self.explains_though_off(rule, ground, method.as_deref()) {
            for claim in &finding.claims {
                self.claims.add(*claim);
            }
        }
        let place = finding.labels.first().map(|label| label.span);
        if place.is_some_and(|place| self.is_excused(place)) {
            return;
        }
        let (rule_index, rule) = (rule, CATALOGUE[rule]);
        let diagnostic =
            Diagnostic { rule, severity, bound, finding, version, connection, method, agent: None };
        self.found.push((rule_index, diagnostic));
    }

    /// Whether the findings of a rule that is off explain what others would speak of: not if it is
    /// off by itself, and heard only for the sake of other agents or methods.
    fn explains_though_off(
        &self,
        rule: RuleIndex,
        ground: Ground<'_>,
        method: Option<&str>,
    ) -> bool {
        let agent = self.connection.negotiation.agent_name().map(|name| &**name);
        CATALOGUE[rule].severity.of(ground.version) != Severity::Off
            || self.severities.exception(rule, agent, method).is_some_and(|it| it != Severity::Off)
    }

    /// Nothing is said about this value of the current message.
    pub(super) fn excuse(&mut self, value: Span) {
        self.excused.push(value);
    }

    fn is_excused(&self, place: Span) -> bool {
        let next = self.excused.partition_point(|value| value.start <= place.start);
        let value = next.checked_sub(1).map(|last| self.excused[last]);
        value.is_some_and(|value| place.end() <= value.end())
    }

    /// Whether a finding about the current message already explains this value.
    pub(super) fn explains(&self, node: Node<'_>) -> bool {
        !self.found.is_empty() && self.claims.explain(node.span())
    }

    /// Whether a finding about the current message already explains that this member is missing.
    pub(super) fn explains_missing(&self, object: Node<'_>, name: &'static str) -> bool {
        !self.found.is_empty() && self.claims.explain_missing(object.span(), name)
    }

    /// The current message has been judged: its findings become diagnostics, in the order of their
    /// places.
    pub(super) fn rise(&mut self) {
        self.excused.clear();
        self.docket.advance();
        if !self.found.is_empty() {
            self.claims.clear();
            let place =
                |(_, found): &(_, Diagnostic)| found.finding.labels.first().map(|label| label.span);
            self.found.sort_by_key(place);
            for (rule, diagnostic) in self.found.drain(..) {
                if diagnostic.severity != Severity::Off || self.stances[rule].is_excepted {
                    self.docket.push(rule, diagnostic);
                }
            }
        }
        if !self.docket.is_empty() {
            let agent = self.connection.negotiation.agent_name();
            if agent.is_some() {
                self.docket.settle(self.number, agent);
            }
            self.report();
        }
    }

    /// The connection has ended: more will not be known.
    pub(super) fn close(&mut self) {
        self.rise();
        self.docket.settle(self.number, None);
        self.report();
    }

    /// The transcript has ended.
    pub(super) fn finish(&mut self) {
        self.docket.end();
        self.report();
    }

    fn report(&mut self) {
        while let Some(Found { rule, mut diagnostic, .. }) = self.docket.next() {
            let (agent, method) = (diagnostic.agent.as_deref(), diagnostic.method.as_deref());
            if let Some(severity) = self.severities.exception(rule, agent, method) {
                diagnostic.severity = severity;
            }
            if diagnostic.severity == Severity::Off {
                continue;
            }
            if let Some(key) = diagnostic.finding.key {
                let key = (rule, diagnostic.connection, key);
                if let Some(first) = self.keys.get(&key) {
                    *self.repeats.entry(*first).or_default() += 1;
                    continue;
                }
                self.keys.insert(key, self.reported);
            }
            self.reported += 1;
            self.diagnostics.push(diagnostic);
        }
    }
}

impl Part {
    /// The member of a message that holds the part.
    pub fn member(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}
