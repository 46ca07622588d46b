//! What becomes of verdicts: gates before, tallies and diagnostics after.

use std::collections::{BTreeMap, HashMap};

use crate::{
    check::{Settings, Tally, claims::Claims, dispatch::RuleIndex},
    diagnostic::Diagnostic,
    event::Part,
    json::Node,
    model::Connection,
    protocol::{Side, Version},
    rule::{Bound, Finding, Gates, Severity, Verdict},
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
    pub(super) tallies: Vec<Tally>,
    /// Findings about the current message.
    found: Vec<Diagnostic>,
    /// What they explain.
    claims: Claims,
    /// Values of the current message that nothing is said about, in the order of their places.
    excused: Vec<Span>,
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
    /// For version 1 and 2: `Off` where the rule does not apply.
    severity: [Severity; 2],
    gates: [Gates; 2],
    /// Whether the user chose the severity, which then holds for all findings.
    pinned: bool,
}

/// The ground on which a message is judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ground {
    pub(super) version: Version,
    pub(super) sender: Option<Side>,
    gates: Gates,
}

impl Ground {
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
                let chosen = settings.severities.of(index);
                let of = |version: Version| {
                    let applies = rule.surfaces.concern(version)
                        && rule.editions.of(version).contain(edition);
                    if applies {
                        chosen.unwrap_or(rule.severity.of(version))
                    } else {
                        Severity::Off
                    }
                };
                Stance {
                    severity: [of(Version::V1), of(Version::V2)],
                    gates: [rule.gates.v1, rule.gates.v2],
                    pinned: chosen.is_some(),
                }
            })
            .collect();
        Self {
            connection,
            number: 0,
            stances,
            tallies: vec![Tally::default(); CATALOGUE.len()],
            found: Vec::new(),
            claims: Claims::default(),
            excused: Vec::new(),
            diagnostics: Vec::new(),
            reported: 0,
            keys: HashMap::new(),
            repeats: BTreeMap::new(),
        }
    }

    /// Whether a rule can speak at all under these settings. A rule that the user switched off is
    /// still heard for what it explains; one that is off by itself is not.
    pub(super) fn hears(settings: &Settings, rule: RuleIndex) -> bool {
        let severity = CATALOGUE[rule].severity;
        let by_default = severity.v1 != Severity::Off || severity.v2 != Severity::Off;
        by_default || settings.severities.of(rule).is_some_and(|chosen| chosen != Severity::Off)
    }

    /// The rule is not heard any more.
    pub(super) fn silence(&mut self, rule: RuleIndex) {
        let stance = &mut self.stances[rule];
        stance.severity = [Severity::Off; 2];
        stance.pinned = false;
    }

    /// What is known when a message of this sender is judged by this version.
    pub(super) fn ground(&self, version: Option<Version>, sender: Option<Side>) -> Ground {
        let mut gates = Gates::ORIGIN;
        if self.connection.head_is_complete() {
            gates = gates.and(Gates::HEAD);
        }
        if self.connection.is_initialized() {
            gates = gates.and(Gates::INITIALIZED);
        }
        Ground { version: version.unwrap_or(Version::V1), sender: None, gates }.of(sender)
    }

    /// The ground at the end of the transcript.
    pub(super) fn last_ground(&self) -> Ground {
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
        ground: Ground,
        check: impl FnOnce(&Connection) -> Option<Verdict>,
    ) {
        let stance = &self.stances[rule];
        let version = ground.version as usize;
        let own = CATALOGUE[rule].severity.of(ground.version);
        if (stance.severity[version] == Severity::Off && (own == Severity::Off || !stance.pinned))
            || !ground.gates.contain(stance.gates[version])
        {
            return;
        }
        let Some(verdict) = check(&self.connection) else { return };
        self.tallies[rule].exercised += 1;
        if let Verdict::Fail(findings) = verdict {
            self.tallies[rule].failed += 1;
            for finding in findings {
                self.take(rule, ground, finding);
            }
        }
    }

    fn take(&mut self, rule: RuleIndex, ground: Ground, finding: Finding) {
        let stance = self.stances[rule];
        let own = stance.severity[ground.version as usize];
        let severity = match finding.severity {
            Some(severity) if !stance.pinned => severity,
            _ => own,
        };
        let rule = CATALOGUE[rule];
        let bound = finding.blames.or(match rule.binds {
            Bound::Client => Some(Side::Client),
            Bound::Agent => Some(Side::Agent),
            Bound::Either => None,
            Bound::Sender | Bound::Responder => ground.sender,
        });
        let bound = if self.connection.is_proxied() { None } else { bound };
        let version = ground.version;
        let connection = self.number;
        for claim in &finding.claims {
            self.claims.add(*claim);
        }
        let place = finding.labels.first().map(|label| label.span);
        if place.is_some_and(|place| self.is_excused(place)) {
            return;
        }
        self.found.push(Diagnostic { rule, severity, bound, finding, version, connection });
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
        self.claims.clear();
        if self.found.is_empty() {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        found.sort_by_key(|diagnostic| diagnostic.finding.labels.first().map(|label| label.span));
        for diagnostic in found.drain(..) {
            if diagnostic.severity == Severity::Off {
                continue;
            }
            if let Some(key) = diagnostic.finding.key {
                let rule = std::ptr::from_ref(diagnostic.rule).addr();
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
        self.found = found;
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
