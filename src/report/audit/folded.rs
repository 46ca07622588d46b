//! Folds rows that say the same, and counts: for the text and for the compliance report.

use std::fmt::Write as _;

use crate::{
    audit::{ActionKind, ActionResult, Decision, Doubt, Join, Order, Outside, Proof},
    map::IndexMap,
    report::{
        Plural,
        audit::{AuditRow, counts::CountedKind},
    },
};

/// How many different rows are kept; further ones are only counted.
const ROWS: usize = 10_000;
/// Most further places that one row names for equal actions; the others are counted.
const OTHERS: usize = 3;

/// The section of the audit log in which a row is shown; the most remarkable comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::report) enum AuditSection {
    AfterRefusal,
    BeforeAnswer,
    Outside,
    NotAsked,
    Unclear,
    NotDone,
    Allowed,
    ReadUnasked,
}

impl AuditSection {
    pub(in crate::report) const ALL: [Self; 8] = [
        Self::AfterRefusal,
        Self::BeforeAnswer,
        Self::Outside,
        Self::NotAsked,
        Self::Unclear,
        Self::NotDone,
        Self::Allowed,
        Self::ReadUnasked,
    ];

    pub(in crate::report) fn name(self) -> &'static str {
        match self {
            Self::AfterRefusal => "after a refusal",
            Self::BeforeAnswer => "before the answer",
            Self::Outside => "outside the session's directories",
            Self::NotAsked => "not asked",
            Self::Unclear => "unclear",
            Self::NotDone => "no completion on record",
            Self::Allowed => "done after an answer",
            Self::ReadUnasked => "not asked: reading, searching, other tools",
        }
    }

    pub(in crate::report) fn of(row: &AuditRow) -> Self {
        match row.order {
            Order::AfterRefusal => Self::AfterRefusal,
            Order::BeforeAnswer | Order::BeforeAsked => Self::BeforeAnswer,
            Order::NotDone => Self::NotDone,
            _ if row.outside == Outside::Yes => Self::Outside,
            Order::Unclear => Self::Unclear,
            Order::Unasked if changes(row.action) => Self::NotAsked,
            Order::Unasked => Self::ReadUnasked,
            Order::AfterAnswer => Self::Allowed,
        }
    }
}

/// Whether an action may change something outside of the agent: write, delete, move, run, fetch or
/// open.
fn changes(action: ActionKind) -> bool {
    matches!(
        action,
        ActionKind::Write
            | ActionKind::Delete
            | ActionKind::Move
            | ActionKind::Run
            | ActionKind::Fetch
            | ActionKind::Open
    )
}

/// The columns of the audit log in which rows agree that become one [`FoldedRow`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FoldKey {
    section: AuditSection,
    agent: Option<String>,
    client: Option<String>,
    mode: Option<String>,
    action: ActionKind,
    target: String,
    decision: Decision,
    unclear: Option<Doubt>,
    option: Option<String>,
    order: Order,
    result: ActionResult,
    proof: Proof,
    outside: Outside,
    is_matched_by_time: bool,
}

/// Rows of the audit log that differ only in place and time, shown as one row with a count.
#[derive(Clone, Debug)]
pub(in crate::report) struct FoldedRow {
    pub(in crate::report) section: AuditSection,
    /// The path of the file that the first of these rows, `row`, is from.
    pub(in crate::report) file: String,
    pub(in crate::report) row: AuditRow,
    pub(in crate::report) count: u64,
    /// Places of the next rows, at most [`OTHERS`]: the path, and the line where the action is
    /// first mentioned.
    pub(in crate::report) others: Vec<(String, u32)>,
    /// The shortest time in seconds from a question for permission to its answer; `None` when no
    /// row has one.
    pub(in crate::report) quickest: Option<f64>,
}

/// Counts of sessions and actions between one client and one agent.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct PairingTotals {
    pub(in crate::report) recordings: u64,
    last_recording: Option<String>,
    pub(in crate::report) sessions: u64,
    /// The number of sessions that were ever in each mode.
    pub(in crate::report) modes: IndexMap<String, u64>,
    /// The number of actions done, by action and by how they were decided (a word of [`DECIDED`]).
    done: IndexMap<(ActionKind, &'static str), u64>,
    /// The number of actions without completion on record, by action and reason (a word of
    /// [`NOT_DONE`]).
    not_done: IndexMap<(ActionKind, &'static str), u64>,
    /// The number of actions done outside the session's directories, by action.
    outside: IndexMap<ActionKind, u64>,
    pub(in crate::report) replayed: u64,
}

/// How often actions of one kind were done, and how often no completion is on record, between one
/// client and one agent.
#[derive(Clone, Debug)]
pub(in crate::report) struct ActionTotals {
    /// How many actions of this kind were done, with or without permission.
    pub(in crate::report) count: u64,
    /// The kind of action in words, such as `files written`.
    pub(in crate::report) what: &'static str,
    /// For each word of [`DECIDED`] that occurred: how often actions done were decided in this way.
    pub(in crate::report) decided: Vec<(u64, &'static str)>,
    /// For each word of [`NOT_DONE`] that occurred: how often actions of this kind have no
    /// completion on record for this reason.
    pub(in crate::report) not_done: Vec<(u64, &'static str)>,
    /// How often actions of this kind were done outside the session's directories.
    pub(in crate::report) outside: u64,
}

/// Collects the rows of the audit log: folds those that agree, and counts actions for each pair of
/// client and agent.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct Folder {
    rows: IndexMap<FoldKey, FoldedRow>,
    /// The number of rows that came after the first [`ROWS`] different ones.
    more: u64,
    /// The number of targets and tool calls that the audit did not follow, because there were too
    /// many.
    not_followed: u64,
    pairings: IndexMap<(Option<String>, Option<String>), PairingTotals>,
}

impl Folder {
    /// Counts a row of the audit log, and adds it to the folded rows unless it is from replayed
    /// history.
    pub(in crate::report) fn add(&mut self, file: &str, row: &AuditRow) {
        self.count(file, &CountedKind::of(row), 1);
        if !row.replayed {
            self.fold(file, row);
        }
    }

    /// Counts `count` actions of one kind in the file at path `file`.
    pub(in crate::report) fn count(&mut self, file: &str, kind: &CountedKind, count: u64) {
        let totals = self.pairing(kind.agent.clone(), kind.client.clone());
        totals.meet(file);
        totals.count(kind, count);
    }

    /// Adds a row of the file at path `file` to the folded row with which it agrees, or keeps it as
    /// a new one.
    pub(in crate::report) fn fold(&mut self, file: &str, row: &AuditRow) {
        let section = AuditSection::of(row);
        let key = FoldKey {
            section,
            agent: row.agent.clone(),
            client: row.client.clone(),
            mode: row.mode.clone(),
            action: row.action,
            target: row.target.clone(),
            decision: row.decision,
            unclear: row.unclear,
            option: row.option.clone(),
            order: row.order,
            result: row.result,
            proof: row.proof,
            outside: row.outside,
            is_matched_by_time: is_matched_by_time(row),
        };
        if let Some(folded) = self.rows.get_mut(&key) {
            folded.count += 1;
            if folded.others.len() < OTHERS {
                folded.others.push((file.to_owned(), row.first));
            }
            let both = [folded.quickest, row.answered_in].into_iter().flatten();
            folded.quickest = both.reduce(f64::min);
        } else if self.rows.len() < ROWS {
            let row = FoldedRow {
                section,
                file: file.to_owned(),
                row: row.clone(),
                count: 1,
                others: Vec::new(),
                quickest: row.answered_in,
            };
            self.rows.insert(key, row);
        } else {
            self.more += 1;
        }
    }

    pub(in crate::report) fn session(
        &mut self,
        file: &str,
        agent: Option<String>,
        client: Option<String>,
        modes: &[String],
    ) {
        let totals = self.pairing(agent, client);
        totals.meet(file);
        totals.sessions += 1;
        for mode in modes {
            *totals.modes.entry(mode.clone()).or_default() += 1;
        }
    }

    pub(in crate::report) fn not_followed(&mut self, more: u64) {
        self.not_followed += more;
    }

    /// A sentence on the actions that were done after a refusal, without a full stop.
    pub(in crate::report) fn ignored_refusals(&self) -> String {
        let count = |word: &str| -> u64 {
            let done = self.pairings.values().flat_map(|totals| &totals.done);
            done.filter(|((_, own), _)| *own == word).map(|(_, count)| count).sum()
        };
        let mut sentence = match count("after a refusal") {
            0 => "Refusals ignored: none on record".to_owned(),
            count => format!("Refusals ignored: {} done after a refusal", Plural(count, "action")),
        };
        let unclear = count("unclear");
        if unclear > 0 {
            let _ = write!(sentence, "; of {unclear} more it is unclear what was answered");
        }
        sentence
    }

    fn pairing(&mut self, agent: Option<String>, client: Option<String>) -> &mut PairingTotals {
        self.pairings.entry((agent, client)).or_default()
    }

    /// The folded rows by section, the most remarkable first; in a section, in the order in which
    /// they came.
    pub(in crate::report) fn rows(&self) -> Vec<&FoldedRow> {
        let mut rows: Vec<_> = self.rows.values().collect();
        rows.sort_by_key(|row| row.section);
        rows
    }

    /// The number of rows that [`Folder::rows`] leaves out because there were too many.
    pub(in crate::report) fn more(&self) -> u64 {
        self.more
    }

    /// The number of targets and tool calls that have no row, because there were too many to keep.
    pub(in crate::report) fn unfollowed(&self) -> u64 {
        self.not_followed
    }

    /// For each pair of agent and client: their names as text, and what was counted between them.
    pub(in crate::report) fn pairings(&self) -> impl Iterator<Item = (String, &PairingTotals)> {
        self.pairings.iter().map(|((agent, client), totals)| {
            let agent = agent.as_deref().unwrap_or("an unnamed agent");
            let client = client.as_deref().unwrap_or("an unnamed client");
            (format!("{agent} with {client}"), totals)
        })
    }
}

impl PairingTotals {
    fn meet(&mut self, file: &str) {
        if self.last_recording.as_deref() != Some(file) {
            self.recordings += 1;
            self.last_recording = Some(file.to_owned());
        }
    }

    fn count(&mut self, kind: &CountedKind, count: u64) {
        if kind.replayed {
            self.replayed += count;
        } else if kind.result == ActionResult::Done {
            *self.done.entry((kind.action, decided(kind))).or_default() += count;
            if kind.outside == Outside::Yes {
                *self.outside.entry(kind.action).or_default() += count;
            }
        } else {
            *self.not_done.entry((kind.action, not_done(kind))).or_default() += count;
        }
    }

    /// Totals for each kind of action that occurred between the client and the agent.
    pub(in crate::report) fn actions(&self) -> Vec<ActionTotals> {
        let of = |action: &ActionKind| {
            let decided = of_action(&self.done, *action, &DECIDED);
            let count = decided.iter().map(|(count, _)| count).sum();
            ActionTotals {
                count,
                what: nouns(*action, count),
                decided,
                not_done: of_action(&self.not_done, *action, &NOT_DONE),
                outside: self.outside.get(action).copied().unwrap_or_default(),
            }
        };
        let totals = ActionKind::ALL.iter().map(of);
        totals.filter(|totals| totals.count > 0 || !totals.not_done.is_empty()).collect()
    }

    /// The number of actions of all kinds that have no completion on record, by reason, with the
    /// words of [`NOT_DONE`].
    pub(in crate::report) fn not_done(&self) -> Vec<(u64, &'static str)> {
        let count = |why: &str| {
            let own = self.not_done.iter().filter(|((_, own), _)| *own == why);
            own.map(|(_, count)| count).sum()
        };
        let all = NOT_DONE.iter().map(|why| (count(why), *why));
        all.filter(|(count, _)| *count > 0).collect()
    }
}

/// The counts of one action, for each of `words` that occurred, in the order of `words`.
fn of_action(
    counts: &IndexMap<(ActionKind, &'static str), u64>,
    action: ActionKind,
    words: &[&'static str],
) -> Vec<(u64, &'static str)> {
    let count = |words: &&'static str| Some((*counts.get(&(action, *words))?, *words));
    words.iter().filter_map(count).collect()
}

/// The words for how a done action was decided, in the order in which reports show them.
pub(in crate::report) const DECIDED: [&str; 16] = [
    "allowed once",
    "allowed always",
    "another option",
    "accepted",
    "rejected once",
    "rejected always",
    "option not offered",
    "declined",
    "question cancelled",
    "error as answer",
    "no answer",
    "not asked",
    "before the answer",
    "before the question",
    "after a refusal",
    "unclear",
];

fn decided(kind: &CountedKind) -> &'static str {
    match kind.order {
        Order::AfterRefusal => "after a refusal",
        Order::BeforeAnswer => "before the answer",
        Order::BeforeAsked => "before the question",
        _ => decision_words(kind.decision),
    }
}

/// The words for a decision in all texts for people.
fn decision_words(decision: Decision) -> &'static str {
    match decision {
        Decision::AllowedOnce => "allowed once",
        Decision::AllowedAlways => "allowed always",
        Decision::RejectedOnce => "rejected once",
        Decision::RejectedAlways => "rejected always",
        Decision::Other => "another option",
        Decision::NotOffered => "option not offered",
        Decision::Cancelled => "question cancelled",
        Decision::Error => "error as answer",
        Decision::Unanswered => "no answer",
        Decision::Accepted => "accepted",
        Decision::Declined => "declined",
        Decision::NotAsked => "not asked",
        Decision::Unclear => "unclear",
    }
}

/// The words for why an action has no completion on record, in the order in which reports show
/// them: the answer where it was no permission, else the result.
pub(in crate::report) const NOT_DONE: [&str; 12] = [
    "rejected once",
    "rejected always",
    "option not offered",
    "declined",
    "question cancelled",
    "error as answer",
    "allowed, no start on record",
    "allowed, failed",
    "failed",
    "cancelled",
    "no start on record",
    "no end on record",
];

fn not_done(kind: &CountedKind) -> &'static str {
    let is_allowed = matches!(
        kind.decision,
        Decision::AllowedOnce | Decision::AllowedAlways | Decision::Accepted
    );
    let is_no_permission = matches!(
        kind.decision,
        Decision::RejectedOnce
            | Decision::RejectedAlways
            | Decision::NotOffered
            | Decision::Cancelled
            | Decision::Declined
            | Decision::Error
    );
    match kind.result {
        _ if is_no_permission => decision_words(kind.decision),
        ActionResult::NotStarted if is_allowed => "allowed, no start on record",
        ActionResult::Failed if is_allowed => "allowed, failed",
        ActionResult::Failed => "failed",
        ActionResult::Cancelled => "cancelled",
        ActionResult::NotStarted => "no start on record",
        ActionResult::Unfinished | ActionResult::Done => "no end on record",
    }
}

/// Whether the answer about a row was found by nothing but the time: the tool call was under way when
/// the client acted, and need not be about the same target.
fn is_matched_by_time(row: &AuditRow) -> bool {
    row.join == Join::Time && row.asked > 0
}

/// Why a decision is unclear, in words.
fn doubt_words(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::SeveralCalls => "several tool calls fit, with different answers",
        Doubt::OtherTarget => "the tool call of that time was asked about for something else",
        Doubt::DifferentAnswers => "two questions were open at once, with different answers",
        Doubt::OtherId => "a question under an id that no tool call has may be about it",
        Doubt::AmbiguousAnswer => "the answer fits several requests",
        Doubt::UnknownOption => "the kind of the chosen option is not on record",
        Doubt::NoAnswers => "the recording keeps no answers of the client",
        Doubt::NoRequests => "the recording keeps no requests of the agent",
        Doubt::LostMessages => "the recording lost messages meanwhile",
        Doubt::NoBeginning => "the beginning of the tool call is not on record",
        Doubt::Replayed => "replayed history has no questions",
    }
}

/// The words for actions of a kind that were done, in the plural unless `count` is 1.
fn nouns(action: ActionKind, count: u64) -> &'static str {
    let (one, many) = match action {
        ActionKind::Write => ("file written", "files written"),
        ActionKind::Delete => ("file deleted", "files deleted"),
        ActionKind::Move => ("file moved", "files moved"),
        ActionKind::Read => ("file read", "files read"),
        ActionKind::Run => ("command run", "commands run"),
        ActionKind::Fetch => ("page fetched", "pages fetched"),
        ActionKind::Search => ("search", "searches"),
        ActionKind::Tool => ("other tool used", "other tools used"),
        ActionKind::Open => ("link opened", "links opened"),
        ActionKind::Login => ("login", "logins"),
    };
    if count == 1 { one } else { many }
}

impl FoldedRow {
    /// The decision on the action, the mode of the session, and the action's result, in words.
    pub(in crate::report) fn told(&self) -> String {
        let remark = self.doubt().map(|remark| format!(" ({remark})"));
        let mode = self.row.mode.as_deref().map(|mode| format!(" (mode {mode})"));
        let [remark, mode] = [remark, mode].map(Option::unwrap_or_default);
        format!("{}{remark}{mode}; {}", self.decision(), self.result())
    }

    pub(in crate::report) fn decision(&self) -> &'static str {
        decision_words(self.row.decision)
    }

    /// Why the decision is unclear, or was matched with the action by nothing but the time, in
    /// words; `None` for other decisions.
    pub(in crate::report) fn doubt(&self) -> Option<&'static str> {
        let by_time = is_matched_by_time(&self.row).then_some("matched by time only");
        self.row.unclear.map(doubt_words).or(by_time)
    }

    /// The words for the result of the action and the side whose messages show it.
    pub(in crate::report) fn result(&self) -> &'static str {
        let AuditRow { result, proof, action, .. } = self.row;
        match (result, proof, action) {
            (ActionResult::Done, Proof::Client, ActionKind::Run) => "run by the client",
            (ActionResult::Done, Proof::Client, _) => "done by the client",
            (ActionResult::Done, Proof::Agent, _) => "done, as the agent reports",
            (ActionResult::Failed, Proof::Client, _) => "failed at the client",
            (ActionResult::Failed, Proof::Agent, _) => "failed, as the agent reports",
            (ActionResult::Cancelled, ..) => "cancelled",
            (ActionResult::Unfinished, ..) => "no end on record",
            (ActionResult::NotStarted, ..) => "no start on record",
        }
    }

    /// The lines of the question, the answer and the result of the first row, in words. Those that
    /// are 0 are left out.
    pub(in crate::report) fn lines(&self) -> String {
        let AuditRow { asked, answered, done, .. } = self.row;
        let parts = [("asked", asked), ("answered", answered), ("done", done)];
        let parts = parts.into_iter().filter(|(_, line)| *line > 0);
        let parts: Vec<_> = parts.map(|(word, line)| format!("{word} {line}")).collect();
        parts.join(", ")
    }
}
