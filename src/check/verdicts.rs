//! Runs the checks of rules that may speak, and makes tallies and diagnostics of their verdicts.
//!
//! Checks and the [`Scope`] of a message go in. A finding waits until the message has been judged,
//! see [`Explained`], and until its agent's name is known, see [`Pending`].

use std::{mem, sync::Arc};

use crate::{
    check::{
        Settings, Severities,
        allowance::Allowance,
        conduct::RuleCounts,
        dispatch::{Listener, RuleIndex},
        explained::Explained,
        limits::holds_in_any_version,
        pending::{Pending, PendingDiagnostic},
        severities::RuleState,
        shares,
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

/// Most findings of one rule, side and severity that become diagnostics of their own in a
/// transcript; later ones are counted on the last. Bounds the memory. One message has at most
/// [`Verdict::MOST`].
const MOST_OF_A_KIND: u32 = 20_000;

/// Collects verdicts of rules: those on the current message, and the diagnostics so far.
#[derive(Debug)]
pub(super) struct Verdicts {
    pub(super) connection: Box<Connection>,
    /// Number of the connection in the file, from 0.
    pub(super) number: u32,
    states: Arc<[RuleState]>,
    severities: Severities,
    /// The side that acpcheck plays in the recording, which is not judged; `None` when it plays
    /// neither.
    played: Option<Side>,
    /// The side that the user did not ask for: its findings are counted and not reported. `None`
    /// when both sides are reported.
    hidden: Option<Side>,
    /// Number of findings about the hidden side, which are counted but not reported.
    pub(super) other_side: u64,
    /// Whether neither side is judged any more, because the played side has sent broken input.
    is_excused: bool,
    pub(super) counts: RuleCounts,
    current: Vec<(RuleIndex, Diagnostic)>,
    /// For each rule, side at fault and severity: the number of findings about the current message,
    /// and the index in `current` of the last one kept.
    of_message: Map<(RuleIndex, Option<Side>, Severity), (usize, usize)>,
    /// Whether a rule stopped early on the current message, so that more findings may exist.
    is_crowded: bool,
    /// Number of earlier messages in which a rule stopped looking, because it had found enough.
    crowded: u64,
    /// How many findings the file may still have.
    pub(super) allowance: Allowance,
    /// Number of earlier messages on which rules did not run, since the file has too many findings.
    cut_off: u64,
    /// Values of the current message that its findings explain; rules about the schema do not
    /// repeat them.
    explained: Explained,
    /// Values of the current message that no rule may report, sorted by place. `true`: the recorder
    /// has masked the value.
    exempted: Vec<(Span, bool)>,
    /// Whether a finding about the current message was withheld, because its value is masked.
    withholds: bool,
    /// Number of earlier messages of which findings were withheld because of masks.
    masked: u64,
    /// Number of findings about the current message that were withheld, since they are in doubt.
    doubts: u64,
    /// Number of earlier messages of which findings were withheld for that.
    doubted: u64,
    /// Number of findings about the current message that were withheld, since the agent's own word
    /// stands against them.
    disputes: u64,
    /// Number of earlier messages of which findings were withheld for that.
    disputed: u64,
    /// Findings about earlier messages that wait until the agent's name is known.
    pending: Pending,
    diagnostics: Vec<Diagnostic>,
    /// Findings since the last call of `news`; `None` unless the check is live.
    pub(super) news: Option<Vec<Diagnostic>>,
    /// For each key that findings have in common: severity and index of the diagnostic that stands
    /// for them. It never stands for a finding about the other side or a more severe one.
    keys: Map<Key, (Severity, usize)>,
    /// How many diagnostics each combination of rule, side at fault and severity has, for the limit
    /// `MOST_OF_A_KIND`.
    of_kind: Map<(RuleIndex, Option<Side>, Severity), Kind>,
}

/// How many diagnostics one combination of rule, side at fault and severity has, for the limit
/// `MOST_OF_A_KIND`.
#[derive(Debug, Default)]
struct Kind {
    count: u32,
    /// Index of the last diagnostic of this kind, on which later ones are counted.
    last: usize,
    /// Line that the last diagnostic is about. `of_line` is the number of diagnostics about that
    /// line.
    line: u32,
    of_line: usize,
}

/// Key of findings of which the first stands for the others: rule, connection, side at fault, and
/// the finding's own key.
type Key = (RuleIndex, u32, Option<Side>, u64);

/// The method of the message at the finding's first label, which may be an earlier message than the
/// current one. `None` where the place fits several methods.
fn method_of_place(finding: &Finding) -> Option<&'static str> {
    const METHODS: [(&str, &str); 2] =
        [("/params/update", "session/update"), ("/params/prompt", "session/prompt")];
    let pointer = finding.labels.first()?.pointer.as_deref()?;
    METHODS.iter().find(|(place, _)| pointer.starts_with(place)).map(|(_, method)| *method)
}

/// The requirements that findings are about, as [`Finding::about`] says; `None` for all of their rule.
fn subjects(findings: &[Finding]) -> Option<Vec<&'static str>> {
    let mut subjects: Vec<&str> = Vec::new();
    for finding in findings {
        for id in finding.about? {
            if !subjects.contains(id) {
                subjects.push(id);
            }
        }
    }
    Some(subjects)
}

/// What is known about the message that is being judged (version, sender, method) and its
/// connection. Decides which rules may report.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'t> {
    pub(super) version: Version,
    pub(super) sender: Option<Side>,
    /// Method of the call, or of the request that is answered or left open; `None` where unknown.
    method: Option<&'t str>,
    /// Whether the message is a call that only the sender's peer can send. Rules about the peer do
    /// not speak of it.
    pub(super) is_misdirected: bool,
    /// What is known about the connection, such as its beginning. A rule runs only when everything
    /// that its own `gates` demand is known.
    gates: Gates,
}

impl<'t> Scope<'t> {
    /// A copy of the scope for messages of this method.
    pub(super) fn with_method(self, method: &'t str) -> Self {
        Self { method: Some(method), ..self }
    }

    /// Whether a message of this scope is not the work of a side, though its method seems to be.
    fn absolves(self, side: Option<Side>) -> bool {
        self.is_misdirected && side == self.sender.map(Side::peer)
    }

    /// A copy of the scope for messages of this sender; `None` where unknown.
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
            allowance: Allowance::default(),
            cut_off: 0,
            explained: Explained::default(),
            exempted: Vec::new(),
            withholds: false,
            masked: 0,
            doubts: 0,
            doubted: 0,
            disputes: 0,
            disputed: 0,
            pending: Pending::default(),
            diagnostics: Vec::new(),
            news: None,
            keys: Map::default(),
            of_kind: Map::default(),
        }
    }

    /// Switches a rule off for the rest of the transcript, because the recorder drops what the rule
    /// needs.
    pub(super) fn switch_off(&mut self, rule: RuleIndex) {
        let state = &mut Arc::make_mut(&mut self.states)[rule];
        state.severity = [Severity::Off; 2];
        state.is_off = [true; 2];
    }

    /// Withholds and counts the findings of a rule, since what it needs is in doubt.
    pub(super) fn doubt(&mut self, rule: RuleIndex) {
        Arc::make_mut(&mut self.states)[rule].is_doubted = true;
    }

    /// Number of messages so far about which findings were withheld, since they are in doubt.
    pub(super) fn doubted(&self) -> u64 {
        self.doubted
    }

    /// Number of messages so far about which findings were withheld, since the agent's own word
    /// stands against them.
    pub(super) fn disputed(&self) -> u64 {
        self.disputed
    }

    /// Sets the side that acpcheck plays in the recording, which is not judged; `None` judges both
    /// sides.
    pub(super) fn play(&mut self, side: Option<Side>) {
        (self.played, self.is_excused) = (side, false);
    }

    /// Stops judging both sides for the rest of the recording, because acpcheck has sent broken
    /// input.
    pub(super) fn excuse(&mut self) {
        self.is_excused = true;
    }

    /// Whether this side is not judged: acpcheck plays it, or neither side is judged any more.
    fn is_played(&self, side: Option<Side>) -> bool {
        self.is_excused || side.is_some() && side == self.played
    }

    /// Whether findings about this side are counted but not reported.
    fn is_hidden(&self, side: Option<Side>) -> bool {
        side.is_some() && side == self.hidden
    }

    /// Whether findings about this side are not reported: the side is not judged, or the user did
    /// not ask for it.
    fn is_silent(&self, side: Option<Side>) -> bool {
        self.is_played(side) || self.is_hidden(side)
    }

    /// The circumstances (`Scope`) for judging a message of this sender by this version; version 1
    /// for `None`.
    pub(super) fn scope(&self, version: Option<Version>, sender: Option<Side>) -> Scope<'static> {
        let mut gates = Gates::ORIGIN;
        if self.connection.head_is_complete() {
            gates = gates.with(Gates::HEAD);
        }
        if self.connection.is_initialized() {
            gates = gates.with(Gates::INITIALIZED);
        }
        let version = version.unwrap_or(Version::V1);
        Scope { version, sender: None, method: None, is_misdirected: false, gates }.of(sender)
    }

    /// The circumstances for judging a message of this sender by the version of its connection.
    pub(super) fn own_scope(&self, sender: Option<Side>) -> Scope<'static> {
        self.scope(self.connection.version(), sender)
    }

    /// The circumstances (`Scope`) for judging the end of the connection.
    pub(super) fn last_scope(&self) -> Scope<'static> {
        let mut scope = self.own_scope(None);
        if self.connection.tail_is_closed() {
            scope.gates = scope.gates.with(Gates::TAIL);
        }
        scope
    }

    /// Runs the checks of rules that subscribe to an event, if what they need is known, and takes
    /// their verdicts. `call` passes the event to a check.
    pub(super) fn run<F: Copy>(
        &mut self,
        listeners: &[Listener<F>],
        scope: Scope<'_>,
        call: impl Fn(F, &Connection) -> Option<Verdict>,
    ) {
        for Listener { rule, gates, check } in listeners {
            if self.allowance.is_over() {
                return;
            }
            let missing = gates.without(scope.gates);
            if missing == Gates::NONE {
                match call(*check, &self.connection) {
                    None => {}
                    Some(Verdict::Pass) => self.pass(*rule, scope, None),
                    Some(Verdict::PassOf(about)) => self.pass(*rule, scope, Some(about)),
                    Some(Verdict::Fail(findings)) => self.fail(*rule, scope, findings),
                    Some(Verdict::NotAssessable) => {
                        self.count_barred(*rule, scope, Gates::ORIGIN, None);
                    }
                }
            } else if let Some(verdict) = call(*check, &self.connection) {
                self.count_barred(*rule, scope, missing, verdict.subject());
            }
        }
    }

    /// Counts that the rule's condition was met and the rule was kept. `about`: the requirements that
    /// the event shows it of; `None` for all.
    fn pass(&mut self, rule: RuleIndex, scope: Scope<'_>, about: Option<&[&str]>) {
        let state = &self.states[rule];
        if state.is_off[scope.version as usize] || state.is_doubted || self.is_guess(rule) {
            return;
        }
        let bound = match state.binds {
            // Both have the duty: the sender upholds it.
            Bound::Either => self.blamed(None, scope.sender),
            _ => self.bound(rule, scope),
        };
        if !self.is_silent(bound) && !scope.absolves(bound) {
            self.counts.count(rule, Side::index(bound), 0);
            self.count_shares(rule, scope, Side::index(bound), 0, about);
        }
    }

    fn fail(&mut self, rule: RuleIndex, scope: Scope<'_>, findings: Vec<Finding>) {
        if self.states[rule].is_off[scope.version as usize] || self.is_guess(rule) {
            return;
        }
        // A rule that may have more stops there, see [`Verdict::MOST`].
        self.is_crowded |= findings.len() == Verdict::MOST;
        let about = subjects(&findings);
        if let Some(index) = self.add_findings(rule, scope, findings) {
            self.counts.count(rule, index, 1);
            self.count_shares(rule, scope, index, 1, about.as_deref());
        }
    }

    /// The agreed protocol version, if it is above the published ones and the user has not set the
    /// version to judge by; `None` otherwise.
    pub(super) fn newer_version(&self) -> Option<i64> {
        let pinned = self.connection.pinned_surface();
        self.connection.negotiation.newer_version().filter(|_| pinned.is_none())
    }

    /// Whether a verdict of the rule would be a guess: the sides speak an unpublished newer
    /// version, and the rule does not hold in all versions.
    fn is_guess(&self, rule: RuleIndex) -> bool {
        self.newer_version().is_some() && !holds_in_any_version(CATALOGUE[rule])
    }

    /// Counts a verdict of a rule for the requirements that it is about.
    fn count_shares(
        &mut self,
        rule: RuleIndex,
        scope: Scope<'_>,
        index: usize,
        failed: u64,
        about: Option<&[&str]>,
    ) {
        let own = CATALOGUE[rule].requirements;
        debug_assert!(about.is_none_or(|about| about.iter().all(|id| own.contains(id))));
        for place in shares::of(rule) {
            if shares::at(place).is_some_and(|share| share.is_in(about, scope.version)) {
                self.counts.count(place, index, failed);
            }
        }
    }

    /// Takes findings of a rule. Returns the index ([`Side::index`]) of the side at fault for the
    /// first finding that counts; `None` when none counts.
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

    /// Counts that a rule could not judge, because the knowledge named by `missing`, such as the
    /// beginning of the connection, is not on record.
    fn count_barred(
        &mut self,
        rule: RuleIndex,
        scope: Scope<'_>,
        missing: Gates,
        about: Option<&[&str]>,
    ) {
        let is_off = self.states[rule].is_off[scope.version as usize];
        let bound = self.bound(rule, scope);
        if self.is_silent(bound) {
            return;
        }
        if !is_off {
            let shares = shares::of(rule).filter(|place| {
                shares::at(*place).is_some_and(|share| share.is_in(about, scope.version))
            });
            for place in std::iter::once(rule).chain(shares) {
                self.counts.bar(place, bound, missing);
            }
        }
    }

    /// The side that the rule binds under these circumstances; `None` where unknown.
    fn bound(&self, rule: RuleIndex, scope: Scope<'_>) -> Option<Side> {
        let bound = match self.states[rule].binds {
            Bound::Client => Some(Side::Client),
            Bound::Agent => Some(Side::Agent),
            Bound::Either => None,
            Bound::Sender | Bound::Responder => scope.sender,
        };
        self.blamed(None, bound)
    }

    /// The side at fault: the one that the finding blames, or else the one that its rule binds.
    /// `None` behind proxies, where it is unknown.
    fn blamed(&self, blames: Option<Side>, bound: Option<Side>) -> Option<Side> {
        if self.connection.is_proxied() { None } else { blames.or(bound) }
    }

    /// Takes one finding about the current message. Returns `false` when the finding does not
    /// count: its side has not sent the message, is not judged or not reported, or no rule may report
    /// its value.
    fn add_finding(
        &mut self,
        rule: RuleIndex,
        scope: Scope<'_>,
        bound: Option<Side>,
        finding: Finding,
    ) -> bool {
        self.allowance.add();
        if scope.absolves(bound) {
            return false;
        }
        let state = self.states[rule];
        let configured = state.severity[scope.version as usize];
        let severity = match finding.severity {
            Some(severity) if !state.is_chosen && configured != Severity::Off => severity,
            _ => configured,
        };
        if state.is_doubted {
            self.doubts += u64::from(severity != Severity::Off);
            return false;
        }
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
        let is_masked = finding.may_be_masked && self.connection.recording().may_mask();
        let exempted = is_masked.then_some(true);
        let exempted = exempted.or_else(|| place.and_then(|place| self.exempted_by(place)));
        if let Some(is_mask) = exempted {
            self.withholds |= is_mask && severity != Severity::Off;
            return false;
        }
        if finding.is_disputed {
            self.disputes += u64::from(severity != Severity::Off);
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

    /// Lets no rule report a value of the current message, because the recorder has masked it
    /// (`is_mask`) or may have got it wrong.
    pub(super) fn exempt(&mut self, value: Span, is_mask: bool) {
        self.exempted.push((value, is_mask));
    }

    /// Whether the value at a place is exempt from all rules, and because of a mask (`true`) or
    /// not; `None` if it is not exempt.
    fn exempted_by(&self, place: Span) -> Option<bool> {
        let next = self.exempted.partition_point(|(value, _)| value.start <= place.start);
        let (value, is_mask) = *self.exempted.get(next.checked_sub(1)?)?;
        (place.end() <= value.end()).then_some(is_mask)
    }

    /// Counts the current message as judged in part, because a finding was about a masked value.
    pub(super) fn withhold(&mut self) {
        self.withholds = true;
    }

    /// Number of messages of which findings were withheld because of masks.
    pub(super) fn masked(&self) -> u64 {
        self.masked
    }

    /// Whether a finding about the current message already explains what is wrong with this value.
    pub(super) fn explains(&self, node: Node<'_>) -> bool {
        !self.explained.is_empty() && self.explained.contains(node.span())
    }

    /// Whether a finding about the current message already explains why the object lacks this
    /// member.
    pub(super) fn explains_missing(&self, object: Node<'_>, name: &'static str) -> bool {
        !self.explained.is_empty() && self.explained.contains_missing(object.span(), name)
    }

    /// Notes that a rule stopped early, so that the current message may have more findings.
    pub(super) fn truncate(&mut self) {
        self.is_crowded = true;
    }

    /// Number of messages on which rules did not run, or not all, because the file has too many
    /// findings.
    pub(super) fn cut_off(&self) -> u64 {
        self.cut_off
    }

    /// Number of messages that may have more findings than were looked for.
    pub(super) fn crowded(&self) -> u64 {
        self.crowded
    }

    /// Ends the current message: its findings, sorted by place, become diagnostics or wait for the
    /// agent's name.
    pub(super) fn finish_message(&mut self) {
        self.exempted.clear();
        self.crowded += u64::from(mem::take(&mut self.is_crowded));
        self.masked += u64::from(mem::take(&mut self.withholds));
        self.doubted += u64::from(mem::take(&mut self.doubts) > 0);
        self.disputed += u64::from(mem::take(&mut self.disputes) > 0);
        self.cut_off += u64::from(self.allowance.is_over());
        self.pending.advance();
        self.explained.clear();
        if !self.current.is_empty() || !self.pending.is_empty() {
            self.queue();
        }
    }

    /// Moves the findings of the current message to those that wait for the agent's name.
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

    /// Adds a finding to the news of a live check. Does nothing in other checks.
    fn tell(&mut self, rule: RuleIndex, diagnostic: &Diagnostic) {
        let Some(news) = &mut self.news else { return };
        let agent = self.connection.negotiation.agent_name().map(|name| &**name);
        let exception = self.severities.exception(rule, agent, diagnostic.method.as_deref());
        let severity = exception.unwrap_or(diagnostic.severity);
        if severity != Severity::Off {
            news.push(Diagnostic { severity, ..diagnostic.clone() });
        }
    }

    /// Reports what need not wait any longer: all findings of the connection once its agent's name
    /// is known, and those that waited too long.
    fn flush(&mut self) {
        let names = &self.connection.negotiation;
        if let Some(agent) = names.agent_name() {
            self.pending.flush(self.number, names.client_name(), Some(agent));
        }
        self.report();
    }

    /// Ends the checks of the connection. Findings that waited for the agent's name, which decides
    /// about exceptions, are released without it.
    pub(super) fn close(&mut self) {
        self.finish_message();
        self.pending.flush(self.number, self.connection.negotiation.client_name(), None);
        self.report();
    }

    /// Ends the transcript, and returns all diagnostics in the order of their places in the file.
    pub(super) fn finish(&mut self) -> Vec<Diagnostic> {
        self.pending.end();
        self.report();
        let mut diagnostics = mem::take(&mut self.diagnostics);
        diagnostics.sort_by_key(|it| it.finding.labels.first().map(|label| label.span.start));
        diagnostics
    }

    /// Turns findings that have waited into diagnostics, with the severity that exceptions set.
    /// Findings that others stand for are only counted.
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
            let key = diagnostic.finding.key;
            let key_of = |bound| key.map(|key| (rule, diagnostic.connection, bound, key));
            // What blames neither side may repeat what one of them has said.
            let sides = [bound, bound.or(Some(Side::Client)), bound.or(Some(Side::Agent))];
            let first = sides.into_iter().find_map(|bound| self.keys.get(&key_of(bound)?));
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
            if let Some(key) = key_of(bound) {
                self.keys.insert(key, (severity, self.diagnostics.len()));
            }
            self.diagnostics.push(diagnostic);
        }
    }
}
