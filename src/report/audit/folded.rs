//! Folds rows that say the same, and counts: for the text and for the compliance report.

use crate::{
    audit::{ActionKind, ActionResult, Decision, Order, Outside, Proof},
    map::IndexMap,
    report::audit::AuditRow,
};

/// How many different rows are kept.
const ROWS: usize = 10_000;

/// Where a row stands: the remarkable first.
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
            Self::NotDone => "not done",
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

/// Whether an action may change something.
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

/// What rows of one [`FoldedRow`] have in common.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct FoldKey {
    section: AuditSection,
    action: ActionKind,
    target: String,
    decision: Decision,
    order: Order,
    result: ActionResult,
}

/// Rows that say the same.
#[derive(Clone, Debug)]
pub(in crate::report) struct FoldedRow {
    pub(in crate::report) section: AuditSection,
    /// The first of them, and its file.
    pub(in crate::report) file: String,
    pub(in crate::report) row: AuditRow,
    pub(in crate::report) count: u64,
}

/// What was counted between one client and one agent.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct PairingTotals {
    pub(in crate::report) recordings: u64,
    last_recording: Option<String>,
    pub(in crate::report) sessions: u64,
    /// How many sessions were in each mode.
    pub(in crate::report) modes: IndexMap<String, u64>,
    /// How many actions were done, by action and how they were decided.
    done: IndexMap<(ActionKind, &'static str), u64>,
    /// How many actions were not done, in words.
    not_done: IndexMap<&'static str, u64>,
    pub(in crate::report) replayed: u64,
}

/// How often something was done.
#[derive(Clone, Debug)]
pub(in crate::report) struct DoneActions {
    pub(in crate::report) count: u64,
    /// In words, such as `files written`.
    pub(in crate::report) what: &'static str,
    /// How often it was decided how.
    pub(in crate::report) decided: Vec<(u64, &'static str)>,
}

/// Folds rows.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct Folder {
    rows: IndexMap<FoldKey, FoldedRow>,
    /// Rows beyond those that are kept.
    more: u64,
    /// What is not in any row, because there was too much of it.
    not_followed: u64,
    pairings: IndexMap<(Option<String>, Option<String>), PairingTotals>,
}

impl Folder {
    pub(in crate::report) fn add(&mut self, file: &str, row: &AuditRow) {
        let totals = self.pairing(row.agent.clone(), row.client.clone());
        totals.meet(file);
        if row.replayed {
            totals.replayed += 1;
            return;
        }
        totals.count(row);
        let section = AuditSection::of(row);
        let key = FoldKey {
            section,
            action: row.action,
            target: row.target.clone(),
            decision: row.decision,
            order: row.order,
            result: row.result,
        };
        if let Some(folded) = self.rows.get_mut(&key) {
            folded.count += 1;
        } else if self.rows.len() < ROWS {
            let row = FoldedRow { section, file: file.to_owned(), row: row.clone(), count: 1 };
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

    fn pairing(&mut self, agent: Option<String>, client: Option<String>) -> &mut PairingTotals {
        self.pairings.entry((agent, client)).or_default()
    }

    /// The rows, the remarkable first; in a section in the order in which they came.
    pub(in crate::report) fn rows(&self) -> Vec<&FoldedRow> {
        let mut rows: Vec<_> = self.rows.values().collect();
        rows.sort_by_key(|row| row.section);
        rows
    }

    /// How many rows are not among [`Folder::rows`].
    pub(in crate::report) fn more(&self) -> u64 {
        self.more
    }

    /// How many targets and tool calls have no row.
    pub(in crate::report) fn unfollowed(&self) -> u64 {
        self.not_followed
    }

    /// Who met whom, in words, and what was counted.
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

    fn count(&mut self, row: &AuditRow) {
        if row.result == ActionResult::Done {
            *self.done.entry((row.action, decided(row))).or_default() += 1;
        } else {
            *self.not_done.entry(not_done(row)).or_default() += 1;
        }
    }

    /// What was done, by action.
    pub(in crate::report) fn done(&self) -> Vec<DoneActions> {
        let of = |action: &ActionKind| {
            let own = self.done.iter().filter(|((own, _), _)| own == action);
            let mut own: Vec<_> = own.map(|((_, decided), count)| (*count, *decided)).collect();
            own.sort_by_key(|(_, decided)| DECIDED.iter().position(|known| known == decided));
            let count = own.iter().map(|(count, _)| count).sum();
            DoneActions { count, what: nouns(*action, count), decided: own }
        };
        ActionKind::ALL.iter().map(of).filter(|done| done.count > 0).collect()
    }

    /// What was not done, in words.
    pub(in crate::report) fn not_done(&self) -> Vec<(u64, &'static str)> {
        let mut all: Vec<_> = self.not_done.iter().map(|(words, count)| (*count, *words)).collect();
        all.sort_by_key(|(_, words)| NOT_DONE.iter().position(|known| known == words));
        all
    }
}

/// How what was done was decided, in the order in which it is told.
const DECIDED: [&str; 15] = [
    "allowed once",
    "allowed always",
    "another option",
    "accepted",
    "cancelled",
    "an error",
    "an option that was not offered",
    "rejected",
    "declined",
    "unanswered",
    "not asked",
    "before the answer",
    "before the question",
    "after a refusal",
    "unclear",
];

fn decided(row: &AuditRow) -> &'static str {
    match (row.order, row.decision) {
        (Order::AfterRefusal, _) => "after a refusal",
        (Order::BeforeAnswer, _) => "before the answer",
        (Order::BeforeAsked, _) => "before the question",
        (_, Decision::AllowedOnce) => "allowed once",
        (_, Decision::AllowedAlways) => "allowed always",
        (_, Decision::RejectedOnce | Decision::RejectedAlways) => "rejected",
        (_, Decision::Other) => "another option",
        (_, Decision::NotOffered) => "an option that was not offered",
        (_, Decision::Cancelled) => "cancelled",
        (_, Decision::Error) => "an error",
        (_, Decision::Unanswered) => "unanswered",
        (_, Decision::Accepted) => "accepted",
        (_, Decision::Declined) => "declined",
        (_, Decision::NotAsked) => "not asked",
        (_, Decision::Unclear) => "unclear",
    }
}

const NOT_DONE: [&str; 6] = [
    "refused, not done",
    "allowed, never run",
    "allowed, failed",
    "failed",
    "cancelled",
    "not finished",
];

fn not_done(row: &AuditRow) -> &'static str {
    let is_allowed = matches!(
        row.decision,
        Decision::AllowedOnce | Decision::AllowedAlways | Decision::Accepted
    );
    let is_refused = matches!(
        row.decision,
        Decision::RejectedOnce
            | Decision::RejectedAlways
            | Decision::NotOffered
            | Decision::Cancelled
            | Decision::Declined
            | Decision::Error
    );
    match row.result {
        _ if is_refused => "refused, not done",
        ActionResult::NotStarted if is_allowed => "allowed, never run",
        ActionResult::Failed if is_allowed => "allowed, failed",
        ActionResult::Failed => "failed",
        ActionResult::Cancelled => "cancelled",
        _ => "not finished",
    }
}

/// What was done, in the plural where there are several.
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
    /// What was decided and what became of it, in words.
    pub(in crate::report) fn told(&self) -> String {
        let AuditRow { decision, result, proof, action, .. } = self.row;
        let by = match (result, proof, action) {
            (ActionResult::Done, Proof::Client, ActionKind::Run) => "run by the client",
            (ActionResult::Done, Proof::Client, _) => "done by the client",
            (ActionResult::Done, Proof::Agent, _) => "done, as the agent reports",
            (ActionResult::Failed, Proof::Client, _) => "failed at the client",
            (ActionResult::Failed, Proof::Agent, _) => "failed, as the agent reports",
            (ActionResult::Cancelled, ..) => "cancelled",
            (ActionResult::Unfinished, ..) => "no end on record",
            (ActionResult::NotStarted, ..) => "never started",
        };
        let decision = decision.name().replace('_', " ");
        let mode = self.row.mode.as_deref().map(|mode| format!(" (mode {mode})"));
        format!("{decision}{}; {by}", mode.unwrap_or_default())
    }

    /// The lines of the first row, in words.
    pub(in crate::report) fn lines(&self) -> String {
        let AuditRow { first, asked, answered, done, .. } = self.row;
        let parts = [("asked", asked), ("answered", answered), ("done", done)];
        let parts = parts.into_iter().filter(|(_, line)| *line > 0);
        let parts: Vec<_> = parts.map(|(word, line)| format!("{word} {line}")).collect();
        format!("{}:{first} {}", self.file, parts.join(", ")).trim_end().to_owned()
    }
}
