//! What becomes of verdicts: gates before, tallies and diagnostics after.

use std::{collections::BTreeMap, mem, sync::Arc};

use crate::{
    check::{
        Settings, Severities,
        claims::Claims,
        dispatch::{Listener, RuleIndex},
        docket::{Docket, Found},
        survey::{Ledger, seat},
    },
    diagnostic::Diagnostic,
    json::Node,
    map::Map,
    model::{self, Connection, MessagePart},
    protocol::{Edition, Side, Version},
    rule::{Bound, Finding, Gates, Severity, Verdict},
    rules::CATALOGUE,
    source::Span,
};

/// The most findings of one rule, side and severity that a transcript has as diagnostics of their own.
/// The last of them stands for all that follow, so that the memory for findings is bounded.
const MOST_OF_A_KIND: u32 = 20_000;

/// For how many findings about one message there is always room: it costs to make.
const KEPT: usize = 1000;

/// The connection being judged, the verdicts on its current message, and all that came of earlier
/// ones.
#[derive(Debug)]
pub(super) struct Court {
    /// In a box, since it is large, and what is made for each file is moved about.
    pub(super) connection: Box<Connection>,
    /// Number of the connection in the file.
    pub(super) number: u32,
    stances: Arc<[Stance]>,
    severities: Severities,
    pub(super) ledger: Ledger,
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
    /// Findings that stand for others: severity and number of the diagnostic. One side never stands
    /// for the other, and nothing for what is worse.
    keys: Map<Key, (Severity, u64)>,
    /// By rule, side at fault and severity: how many diagnostics there are, and the number of the last.
    of_kind: Map<(RuleIndex, Option<Side>, Severity), (u32, u64)>,
    /// Number of a diagnostic → how many it stands for besides itself.
    pub(super) repeats: BTreeMap<u64, u64>,
}

/// What findings have in common of which one stands for the others: rule, connection, side at fault,
/// and key.
type Key = (RuleIndex, u32, Option<Side>, u64);

/// How a rule is to be heard.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stance {
    /// For version 1 and 2: `Off` where the rule does not apply.
    severity: [Severity; 2],
    /// Whether there is nothing to be heard of it.
    is_deaf: [bool; 2],
    binds: Bound,
    /// Whether the user chose the severity, which then holds for all findings.
    is_chosen: bool,
    /// Whether it speaks of some agents or methods, whatever the severity is.
    is_excepted: bool,
}

impl Stance {
    pub(super) fn of(index: RuleIndex, severities: &Severities, edition: Edition) -> Self {
        let rule = CATALOGUE[index];
        let standing = severities.of(index);
        let is_excepted = severities.speaks_by_exception(index);
        let of = |version: Version| {
            let applies =
                rule.surfaces.applies_to(version) && rule.editions.of(version).contains(edition);
            if !applies {
                return (Severity::Off, true);
            }
            let severity = standing.severity.of(version);
            // A rule that the user switched off is still heard for what it explains.
            let explains = standing.is_chosen && rule.severity.of(version) != Severity::Off;
            (severity, severity == Severity::Off && !explains && !is_excepted)
        };
        let of_each = [of(Version::V1), of(Version::V2)];
        Self {
            severity: of_each.map(|(severity, _)| severity),
            is_deaf: of_each.map(|(_, is_deaf)| is_deaf),
            binds: rule.binds,
            is_chosen: standing.is_chosen,
            is_excepted,
        }
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
            self.gates = self.gates.with(Gates::DIRECTION);
        }
        self.sender = sender;
        self
    }
}

impl Court {
    pub(super) fn new(settings: &Settings, connection: Box<Connection>) -> Self {
        let edition = settings.edition.unwrap_or(Edition::CURRENT);
        Self {
            connection,
            number: 0,
            stances: settings.severities.stances(edition),
            severities: settings.severities.clone(),
            ledger: if settings.untallied { Ledger::default() } else { Ledger::new(false) },
            found: Vec::new(),
            claims: Claims::default(),
            excused: Vec::new(),
            docket: Docket::default(),
            diagnostics: Vec::new(),
            reported: 0,
            keys: Map::default(),
            of_kind: Map::default(),
            repeats: BTreeMap::new(),
        }
    }

    /// The rule is not heard any more.
    pub(super) fn silence(&mut self, rule: RuleIndex) {
        let stance = &mut Arc::make_mut(&mut self.stances)[rule];
        stance.severity = [Severity::Off; 2];
        stance.is_deaf = [true; 2];
    }

    /// What is known when a message of this sender is judged by this version.
    pub(super) fn ground(&self, version: Option<Version>, sender: Option<Side>) -> Ground<'static> {
        let mut gates = Gates::ORIGIN;
        if self.connection.head_is_complete() {
            gates = gates.with(Gates::HEAD);
        }
        if self.connection.is_initialized() {
            gates = gates.with(Gates::INITIALIZED);
        }
        let version = version.unwrap_or(Version::V1);
        Ground { version, sender: None, method: None, gates }.of(sender)
    }

    /// The ground at the end of the transcript.
    pub(super) fn last_ground(&self) -> Ground<'static> {
        let mut ground = self.ground(self.connection.version(), None);
        if self.connection.tail_is_closed() {
            ground.gates = ground.gates.with(Gates::TAIL);
        }
        ground
    }

    /// Hears the checks whose rules may speak, each as `ask` puts it.
    pub(super) fn hear<F: Copy>(
        &mut self,
        listeners: &[Listener<F>],
        ground: Ground<'_>,
        ask: impl Fn(F, &Connection) -> Option<Verdict>,
    ) {
        for Listener { rule, gates, check } in listeners {
            let missing = gates.without(ground.gates);
            if missing == Gates::NONE {
                match ask(*check, &self.connection) {
                    None => {}
                    Some(Verdict::Pass) => self.pass(*rule, ground),
                    Some(Verdict::Fail(findings)) => self.fail(*rule, ground, findings),
                }
            } else if self.ledger.notes.is_some() {
                let verdict = ask(*check, &self.connection);
                self.bar(*rule, ground, missing, verdict);
            }
        }
    }

    /// Counts that a rule is kept, where somebody asks.
    fn pass(&mut self, rule: RuleIndex, ground: Ground<'_>) {
        let stance = &self.stances[rule];
        if stance.is_deaf[ground.version as usize] || self.is_guess(rule) {
            return;
        }
        let bound = match stance.binds {
            // Who keeps what both have to keep is no question.
            Bound::Either => self.blamed(None, ground.sender),
            _ => self.bound(rule, ground),
        };
        self.count(rule, seat(bound), 0);
    }

    fn fail(&mut self, rule: RuleIndex, ground: Ground<'_>, findings: Vec<Finding>) {
        if self.stances[rule].is_deaf[ground.version as usize] || self.is_guess(rule) {
            return;
        }
        if let Some(seat) = self.take_all(rule, ground, findings) {
            self.count(rule, seat, 1);
        }
    }

    /// Whether the verdict of a rule would rest on a guess: the sides speak a version that is not
    /// published, and the rule is not one of those that hold whatever is spoken.
    fn is_guess(&self, rule: RuleIndex) -> bool {
        self.connection.negotiation.is_unpublished()
            && self.connection.pinned_surface().is_none()
            && !matches!(CATALOGUE[rule].family(), "transport" | "jsonrpc" | "lifecycle")
    }

    /// Counts a verdict, where somebody asks.
    fn count(&mut self, rule: RuleIndex, seat: usize, failed: u64) {
        if let Some(tallies) = self.ledger.tallies.get_mut(rule) {
            tallies[seat].exercised += 1;
            tallies[seat].failed += failed;
        }
    }

    /// Takes findings, and tells the seat of the side whose conduct the first one is about that is
    /// said; `None` when none is.
    fn take_all(
        &mut self,
        rule: RuleIndex,
        ground: Ground<'_>,
        findings: Vec<Finding>,
    ) -> Option<usize> {
        let bound = self.bound(rule, ground);
        let mut told = None;
        for finding in findings {
            let blamed = self.blamed(finding.blames, bound);
            if self.take(rule, ground, blamed, finding) {
                told = told.or(Some(seat(blamed)));
            }
        }
        told
    }

    /// Notes that a rule would have something to say.
    fn bar(
        &mut self,
        rule: RuleIndex,
        ground: Ground<'_>,
        missing: Gates,
        verdict: Option<Verdict>,
    ) {
        let is_deaf = self.stances[rule].is_deaf[ground.version as usize];
        let bound = self.bound(rule, ground);
        if let (Some(_), Some(notes), false) = (verdict, &mut self.ledger.notes, is_deaf) {
            notes.bar(rule, bound, missing);
        }
    }

    /// Whose conduct the rule judges here; `None` where nobody can tell.
    fn bound(&self, rule: RuleIndex, ground: Ground<'_>) -> Option<Side> {
        let bound = match self.stances[rule].binds {
            Bound::Client => Some(Side::Client),
            Bound::Agent => Some(Side::Agent),
            Bound::Either => None,
            Bound::Sender | Bound::Responder => ground.sender,
        };
        self.blamed(None, bound)
    }

    /// Whose fault a finding is; behind proxies, nobody's in particular.
    fn blamed(&self, blames: Option<Side>, bound: Option<Side>) -> Option<Side> {
        if self.connection.is_proxied() { None } else { blames.or(bound) }
    }

    /// Takes a finding, unless it is about what nothing is said about.
    fn take(
        &mut self,
        rule: RuleIndex,
        ground: Ground<'_>,
        bound: Option<Side>,
        finding: Finding,
    ) -> bool {
        let stance = self.stances[rule];
        let standing = stance.severity[ground.version as usize];
        let severity = match finding.severity {
            Some(severity) if !stance.is_chosen && standing != Severity::Off => severity,
            _ => standing,
        };
        let method = ground.method.map(model::short_name);
        let version = ground.version;
        let connection = self.number;
        // A rule that is off unless asked for explains nothing: with more rules selected, no finding
        // of another goes away. One that the user has switched off still explains.
        if CATALOGUE[rule].severity.of(version) != Severity::Off {
            for claim in &finding.claims {
                self.claims.add(*claim);
            }
        }
        let place = finding.labels.first().map(|label| label.span);
        if place.is_some_and(|place| self.is_excused(place)) {
            return false;
        }
        let (index, rule) = (rule, CATALOGUE[rule]);
        let diagnostic = Diagnostic {
            rule,
            severity,
            bound,
            finding,
            version,
            connection,
            method,
            agent: None,
            repeats: 0,
        };
        self.found.push((index, diagnostic));
        true
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
        !self.claims.is_empty() && self.claims.explain(node.span())
    }

    /// Whether a finding about the current message already explains that this member is missing.
    pub(super) fn explains_missing(&self, object: Node<'_>, name: &'static str) -> bool {
        !self.claims.is_empty() && self.claims.explain_missing(object.span(), name)
    }

    /// The current message has been judged: its findings become diagnostics, in the order of their
    /// places.
    pub(super) fn rise(&mut self) {
        self.excused.clear();
        self.docket.advance();
        self.claims.clear();
        if !self.found.is_empty() || !self.docket.is_empty() {
            self.tell();
        }
    }

    /// What was found becomes diagnostics.
    fn tell(&mut self) {
        let place =
            |(_, found): &(_, Diagnostic)| found.finding.labels.first().map(|label| label.span);
        let mut found = mem::take(&mut self.found);
        found.sort_by_key(place);
        for (rule, diagnostic) in found.drain(..) {
            if diagnostic.severity != Severity::Off || self.stances[rule].is_excepted {
                self.docket.push(rule, diagnostic);
            }
            if self.docket.is_full() {
                self.settle();
            }
        }
        found.shrink_to(KEPT);
        self.found = found;
        if !self.docket.is_empty() {
            self.settle();
        }
    }

    /// Reports what need not wait any longer, which is all as soon as the agent's name is known.
    fn settle(&mut self) {
        let agent = self.connection.negotiation.agent_name();
        if agent.is_some() {
            self.docket.settle(self.number, agent);
        }
        self.report();
    }

    /// The connection has ended: no more will be known of its agent.
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
            let (bound, severity) = (diagnostic.bound, diagnostic.severity);
            let key = diagnostic.finding.key.map(|key| (rule, diagnostic.connection, bound, key));
            let first = key.and_then(|key| self.keys.get(&key));
            if let Some((_, first)) = first.filter(|(known, _)| severity <= *known) {
                *self.repeats.entry(*first).or_default() += 1;
                continue;
            }
            let (count, last) = self.of_kind.entry((rule, bound, severity)).or_default();
            if *count == MOST_OF_A_KIND {
                *self.repeats.entry(*last).or_default() += 1;
                continue;
            }
            (*count, *last) = (*count + 1, self.reported);
            if let Some(key) = key {
                self.keys.insert(key, (severity, self.reported));
            }
            self.reported += 1;
            self.diagnostics.push(diagnostic);
        }
    }
}

impl MessagePart {
    /// The member of a message that holds the part.
    pub fn member(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}
