//! Runs the checks of rules that may speak, and makes tallies and diagnostics of their verdicts.
//!
//! Checks and the [`Scope`] of a message go in. A finding waits until the message has been judged,
//! see [`Explained`], and until its agent's name is known, see [`Pending`].

use std::{mem, sync::Arc};

use crate::{
    check::{
        Settings, Severities,
        conduct::RuleCounts,
        dispatch::{Listener, RuleIndex},
        explained::Explained,
        limits::holds_in_any_version,
        pending::{Pending, PendingDiagnostic},
        severities::RuleState,
    },
    diagnostic::Diagnostic,
    json::Node,
    map::Map,
    model::{self, Connection},
    protocol::{Edition, Side, Version},
    rule::{Bound, Finding, Gates, Severity, Verdict},
    rules::CATALOGUE,
    source::Span,
};

/// The most findings of one rule, side and severity that a transcript has as diagnostics of their own;
/// one line has [`Verdict::MOST`] of them. The last of them counts all that follow, so that the memory
/// for findings is bounded.
const MOST_OF_A_KIND: u32 = 20_000;

/// The connection being judged, the verdicts on its current message, and the diagnostics so far.
#[derive(Debug)]
pub(super) struct Verdicts {
    pub(super) connection: Box<Connection>,
    /// Number of the connection in the file.
    pub(super) number: u32,
    states: Arc<[RuleState]>,
    severities: Severities,
    /// The side that acpcheck plays, which is not judged.
    played: Option<Side>,
    /// The side whose findings are not reported, since the user asks for the other one's.
    hidden: Option<Side>,
    /// How many findings of the hidden side there were.
    pub(super) other_side: u64,
    /// Whether the other side is not judged any more, either.
    is_excused: bool,
    pub(super) counts: RuleCounts,
    /// Findings about the current message.
    current: Vec<(RuleIndex, Diagnostic)>,
    /// How many there are by rule, side at fault and severity, and the index of the last that is kept.
    of_message: Map<(RuleIndex, Option<Side>, Severity), (usize, usize)>,
    /// Whether more findings about it were not looked for.
    is_crowded: bool,
    /// The number of earlier messages of which that is true.
    crowded: u64,
    /// The values of the current message that they explain.
    explained: Explained,
    /// Values of the current message that no rule speaks about, in the order of their places, and
    /// whether each is masked.
    exempted: Vec<(Span, bool)>,
    /// Whether a finding about the current message was withheld, since its value is masked.
    withholds: bool,
    /// The number of earlier messages of which that is true.
    masked: u64,
    /// Findings about earlier messages that wait for the agent's name.
    pending: Pending,
    diagnostics: Vec<Diagnostic>,
    /// The findings since they were taken last; `None` unless the check is a live one.
    pub(super) news: Option<Vec<Diagnostic>>,
    /// Findings that stand for others like them: severity and index of the diagnostic. A finding
    /// stands for none of the other side and for none that is more severe.
    keys: Map<Key, (Severity, usize)>,
    /// How many diagnostics there are, by rule, side at fault and severity.
    of_kind: Map<(RuleIndex, Option<Side>, Severity), Kind>,
}

/// The diagnostics of one rule, side at fault and severity.
#[derive(Debug, Default)]
struct Kind {
    count: u32,
    /// Index of the last.
    last: usize,
    /// The line of the transcript that the last is about, and how many are about that line.
    line: u32,
    of_line: usize,
}

/// What findings have in common when one stands for the others: rule, connection, side at fault, and
/// the finding's own key.
type Key = (RuleIndex, u32, Option<Side>, u64);

/// The method of the message with the primary place of a finding, as far as the place tells: a rule may
/// wait, and speak when another message has come. `None` where several methods have such a place.
fn method_of_place(finding: &Finding) -> Option<&'static str> {
    const METHODS: [(&str, &str); 2] =
        [("/params/update", "session/update"), ("/params/prompt", "session/prompt")];
    let pointer = finding.labels.first()?.pointer.as_deref()?;
    METHODS.iter().find(|(place, _)| pointer.starts_with(place)).map(|(_, method)| *method)
}

/// What is known where a message is judged: it decides which rules may speak.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'t> {
    pub(super) version: Version,
    pub(super) sender: Option<Side>,
    /// The method of the call, or of the request that is answered or left open.
    method: Option<&'t str>,
    /// What is known.
    gates: Gates,
}

impl<'t> Scope<'t> {
    /// This scope for a call of a method, or for what becomes of one.
    pub(super) fn with_method(self, method: &'t str) -> Self {
        Self { method: Some(method), ..self }
    }

    /// This scope for a message of a sender.
    pub(super) fn of(mut self, sender: Option<Side>) -> Self {
        if sender.is_some() {
            self.gates = self.gates.with(Gates::DIRECTION);
        }
        self.sender = sender;
        self
    }
}

impl Verdicts {
    pub(super) fn new(settings: &Settings, connection: Box<Connection>) -> Self {
        let edition = settings.edition.unwrap_or(Edition::CURRENT);
        Self {
            connection,
            number: 0,
            states: settings.severities.states(edition),
            severities: settings.severities.clone(),
            played: None,
            hidden: settings.side.map(Side::peer),
            other_side: 0,
            is_excused: false,
            counts: RuleCounts::new(false),
            current: Vec::new(),
            of_message: Map::default(),
            is_crowded: false,
            crowded: 0,
            explained: Explained::default(),
            exempted: Vec::new(),
            withholds: false,
            masked: 0,
            pending: Pending::default(),
            diagnostics: Vec::new(),
            news: None,
            keys: Map::default(),
            of_kind: Map::default(),
        }
    }

    /// Runs a rule no more.
    pub(super) fn switch_off(&mut self, rule: RuleIndex) {
        let state = &mut Arc::make_mut(&mut self.states)[rule];
        state.severity = [Severity::Off; 2];
        state.is_off = [true; 2];
    }

    /// Judges this side no more, since acpcheck plays it; `None`: judges both.
    pub(super) fn play(&mut self, side: Option<Side>) {
        (self.played, self.is_excused) = (side, false);
    }

    /// Judges neither side from now on.
    pub(super) fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// Whether the conduct of this side is not judged.
    fn is_played(&self, side: Option<Side>) -> bool {
        self.is_excused || side.is_some() && side == self.played
    }

    /// Whether findings of this side are counted and not reported.
    fn is_hidden(&self, side: Option<Side>) -> bool {
        side.is_some() && side == self.hidden
    }

    /// Whether nothing is reported about the conduct of this side.
    fn is_silent(&self, side: Option<Side>) -> bool {
        self.is_played(side) || self.is_hidden(side)
    }

    /// The scope of a message of this sender that is judged by this version.
    pub(super) fn scope(&self, version: Option<Version>, sender: Option<Side>) -> Scope<'static> {
        let mut gates = Gates::ORIGIN;
        if self.connection.head_is_complete() {
            gates = gates.with(Gates::HEAD);
        }
        if self.connection.is_initialized() {
            gates = gates.with(Gates::INITIALIZED);
        }
        let version = version.unwrap_or(Version::V1);
        Scope { version, sender: None, method: None, gates }.of(sender)
    }

    /// The scope of a message of this sender that is judged by the connection's version.
    pub(super) fn own_scope(&self, sender: Option<Side>) -> Scope<'static> {
        self.scope(self.connection.version(), sender)
    }

    /// The scope at the end of the connection.
    pub(super) fn last_scope(&self) -> Scope<'static> {
        let mut scope = self.own_scope(None);
        if self.connection.tail_is_closed() {
            scope.gates = scope.gates.with(Gates::TAIL);
        }
        scope
    }

    /// Runs the checks whose gates are open. `call` gives a check its event.
    pub(super) fn run<F: Copy>(
        &mut self,
        listeners: &[Listener<F>],
        scope: Scope<'_>,
        call: impl Fn(F, &Connection) -> Option<Verdict>,
    ) {
        for Listener { rule, gates, check } in listeners {
            let missing = gates.without(scope.gates);
            if missing == Gates::NONE {
                match call(*check, &self.connection) {
                    None => {}
                    Some(Verdict::Pass) => self.pass(*rule, scope),
                    Some(Verdict::Fail(findings)) => self.fail(*rule, scope, findings),
                    Some(Verdict::NotAssessable) => {
                        self.count_barred(*rule, scope, Gates::ORIGIN);
                    }
                }
            } else if self.counts.notes.is_some() && call(*check, &self.connection).is_some() {
                self.count_barred(*rule, scope, missing);
            }
        }
    }

    /// Counts that a rule is upheld.
    fn pass(&mut self, rule: RuleIndex, scope: Scope<'_>) {
        let state = &self.states[rule];
        if state.is_off[scope.version as usize] || self.is_guess(rule) {
            return;
        }
        let bound = match state.binds {
            // Both have the duty: the sender upholds it.
            Bound::Either => self.blamed(None, scope.sender),
            _ => self.bound(rule, scope),
        };
        if !self.is_silent(bound) {
            self.count(rule, Side::index(bound), 0);
        }
    }

    fn fail(&mut self, rule: RuleIndex, scope: Scope<'_>, findings: Vec<Finding>) {
        if self.states[rule].is_off[scope.version as usize] || self.is_guess(rule) {
            return;
        }
        // A rule that may have more stops there, see [`Verdict::MOST`].
        self.is_crowded |= findings.len() == Verdict::MOST;
        if let Some(index) = self.add_findings(rule, scope, findings) {
            self.count(rule, index, 1);
        }
    }

    /// The version that the sides speak, where it is above the published ones and the user has not
    /// said by which one to judge.
    pub(super) fn newer_version(&self) -> Option<i64> {
        let pinned = self.connection.pinned_surface();
        self.connection.negotiation.newer_version().filter(|_| pinned.is_none())
    }

    /// Whether the verdict of a rule would rest on a guess: the sides speak a newer version than the
    /// published ones, and the rule is not one of those that hold whatever is spoken.
    fn is_guess(&self, rule: RuleIndex) -> bool {
        self.newer_version().is_some() && !holds_in_any_version(CATALOGUE[rule])
    }

    /// Counts a verdict. `index`: see [`Side::index`].
    fn count(&mut self, rule: RuleIndex, index: usize, failed: u64) {
        if let Some(tallies) = self.counts.tallies.get_mut(rule) {
            tallies[index].exercised += 1;
            tallies[index].failed += failed;
        }
    }

    /// Takes findings. Returns the index of the side whose conduct the first of those that count is
    /// about; `None` when none counts.
    fn add_findings(
        &mut self,
        rule: RuleIndex,
        scope: Scope<'_>,
        findings: Vec<Finding>,
    ) -> Option<usize> {
        let bound = self.bound(rule, scope);
        let mut first = None;
        for finding in findings {
            let blamed = self.blamed(finding.blames, bound);
            if self.add_finding(rule, scope, blamed, finding) {
                first = first.or(Some(Side::index(blamed)));
            }
        }
        first
    }

    /// Counts that a rule would have a verdict if more were known.
    fn count_barred(&mut self, rule: RuleIndex, scope: Scope<'_>, missing: Gates) {
        let is_off = self.states[rule].is_off[scope.version as usize];
        let bound = self.bound(rule, scope);
        if self.is_silent(bound) {
            return;
        }
        if let (Some(notes), false) = (&mut self.counts.notes, is_off) {
            notes.bar(rule, bound, missing);
        }
    }

    /// Whose conduct the rule judges here; `None` where that is unknown.
    fn bound(&self, rule: RuleIndex, scope: Scope<'_>) -> Option<Side> {
        let bound = match self.states[rule].binds {
            Bound::Client => Some(Side::Client),
            Bound::Agent => Some(Side::Agent),
            Bound::Either => None,
            Bound::Sender | Bound::Responder => scope.sender,
        };
        self.blamed(None, bound)
    }

    /// Whose fault a finding is; `None` behind proxies, where that is unknown.
    fn blamed(&self, blames: Option<Side>, bound: Option<Side>) -> Option<Side> {
        if self.connection.is_proxied() { None } else { blames.or(bound) }
    }

    /// Takes a finding, unless it is about a value that no rule speaks about. Returns whether it counts.
    fn add_finding(
        &mut self,
        rule: RuleIndex,
        scope: Scope<'_>,
        bound: Option<Side>,
        finding: Finding,
    ) -> bool {
        let state = self.states[rule];
        let configured = state.severity[scope.version as usize];
        let severity = match finding.severity {
            Some(severity) if !state.is_chosen && configured != Severity::Off => severity,
            _ => configured,
        };
        let method = method_of_place(&finding).or(scope.method).map(model::short_name);
        let version = scope.version;
        let connection = self.number;
        // A rule that is off by default explains nothing: selecting it hides no finding of another
        // rule. One that the user has switched off still explains.
        if CATALOGUE[rule].severity.of(version) != Severity::Off {
            for claim in &finding.claims {
                self.explained.add(*claim);
            }
        }
        let place = finding.labels.first().map(|label| label.span);
        if self.is_played(bound) {
            return false;
        }
        if let Some(is_mask) = place.and_then(|place| self.exempted_by(place)) {
            self.withholds |= is_mask && severity != Severity::Off;
            return false;
        }
        if self.is_hidden(bound) {
            self.other_side += u64::from(severity != Severity::Off);
            return false;
        }
        // One that is counted and not kept: a message of a megabyte may have a hundred thousand.
        let of_message = self.of_message.entry((rule, bound, severity)).or_default();
        of_message.0 += 1;
        if of_message.0 > Verdict::MOST {
            self.current[of_message.1].1.repeats += 1;
            return true;
        }
        of_message.1 = self.current.len();
        let (index, rule) = (rule, CATALOGUE[rule]);
        let diagnostic = Diagnostic {
            rule,
            severity,
            bound,
            finding,
            version,
            connection,
            method,
            client: None,
            agent: None,
            repeats: 0,
        };
        self.current.push((index, diagnostic));
        true
    }

    /// Lets no rule speak about this value of the current message. `is_mask`: it is a mask, not one
    /// that the recorder is unsure of.
    pub(super) fn exempt(&mut self, value: Span, is_mask: bool) {
        self.exempted.push((value, is_mask));
    }

    /// Whether no rule speaks about a place, and whether that is because of a mask.
    fn exempted_by(&self, place: Span) -> Option<bool> {
        let next = self.exempted.partition_point(|(value, _)| value.start <= place.start);
        let (value, is_mask) = *self.exempted.get(next.checked_sub(1)?)?;
        (place.end() <= value.end()).then_some(is_mask)
    }

    /// Counts the current message as judged in part, since a mask stands in place of a value in it.
    pub(super) fn withhold(&mut self) {
        self.withholds = true;
    }

    /// The number of messages about which findings were withheld, since their values are masked.
    pub(super) fn masked(&self) -> u64 {
        self.masked
    }

    /// Whether a finding about the current message already explains this value.
    pub(super) fn explains(&self, node: Node<'_>) -> bool {
        !self.explained.is_empty() && self.explained.contains(node.span())
    }

    /// Whether a finding about the current message already explains that this member is missing.
    pub(super) fn explains_missing(&self, object: Node<'_>, name: &'static str) -> bool {
        !self.explained.is_empty() && self.explained.contains_missing(object.span(), name)
    }

    /// Notes that more findings about the current message were not looked for.
    pub(super) fn truncate(&mut self) {
        self.is_crowded = true;
    }

    /// The number of messages about which there may be more findings than were looked for.
    pub(super) fn crowded(&self) -> u64 {
        self.crowded
    }

    /// Ends the current message: its findings become diagnostics, in the order of their places.
    pub(super) fn finish_message(&mut self) {
        self.exempted.clear();
        self.crowded += u64::from(mem::take(&mut self.is_crowded));
        self.masked += u64::from(mem::take(&mut self.withholds));
        self.pending.advance();
        self.explained.clear();
        if !self.current.is_empty() || !self.pending.is_empty() {
            self.queue();
        }
    }

    /// Hands the findings on to wait for their agent's name.
    fn queue(&mut self) {
        let place =
            |(_, found): &(_, Diagnostic)| found.finding.labels.first().map(|label| label.span);
        let mut found = mem::take(&mut self.current);
        self.of_message.clear();
        found.sort_by_key(place);
        for (rule, diagnostic) in found {
            self.tell(rule, &diagnostic);
            if diagnostic.severity != Severity::Off || self.states[rule].is_excepted {
                self.pending.push(rule, diagnostic);
            }
            if self.pending.is_full() {
                self.flush();
            }
        }
        if !self.pending.is_empty() {
            self.flush();
        }
    }

    /// Keeps a finding for who asks for news.
    fn tell(&mut self, rule: RuleIndex, diagnostic: &Diagnostic) {
        let Some(news) = &mut self.news else { return };
        let agent = self.connection.negotiation.agent_name().map(|name| &**name);
        let exception = self.severities.exception(rule, agent, diagnostic.method.as_deref());
        let severity = exception.unwrap_or(diagnostic.severity);
        if severity != Severity::Off {
            news.push(Diagnostic { severity, ..diagnostic.clone() });
        }
    }

    /// Reports findings that wait no longer: all of a connection as soon as its agent's name is known.
    fn flush(&mut self) {
        let names = &self.connection.negotiation;
        if let Some(agent) = names.agent_name() {
            self.pending.flush(self.number, names.client_name(), Some(agent));
        }
        self.report();
    }

    /// Ends the connection: its findings wait for an agent's name no longer.
    pub(super) fn close(&mut self) {
        self.finish_message();
        self.pending.flush(self.number, self.connection.negotiation.client_name(), None);
        self.report();
    }

    /// Ends the transcript: no finding waits any longer. Returns the diagnostics in the order of their
    /// places in the file.
    pub(super) fn finish(&mut self) -> Vec<Diagnostic> {
        self.pending.end();
        self.report();
        let mut diagnostics = mem::take(&mut self.diagnostics);
        diagnostics.sort_by_key(|it| it.finding.labels.first().map(|label| label.span.start));
        diagnostics
    }

    /// Makes diagnostics of the findings that wait no longer, and counts those that others stand for.
    fn report(&mut self) {
        while let Some(PendingDiagnostic { rule, mut diagnostic, .. }) = self.pending.next() {
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
                self.diagnostics[*first].repeats += 1 + diagnostic.repeats;
                continue;
            }
            let kind = self.of_kind.entry((rule, bound, severity)).or_default();
            let line = diagnostic.finding.labels.first().map_or(0, |label| label.span.line);
            if line != kind.line {
                (kind.line, kind.of_line) = (line, 0);
            }
            if kind.count == MOST_OF_A_KIND || kind.of_line == Verdict::MOST {
                self.diagnostics[kind.last].repeats += 1 + diagnostic.repeats;
                continue;
            }
            (kind.count, kind.of_line) = (kind.count + 1, kind.of_line + 1);
            kind.last = self.diagnostics.len();
            if let Some(key) = key {
                self.keys.insert(key, (severity, self.diagnostics.len()));
            }
            self.diagnostics.push(diagnostic);
        }
    }
}
