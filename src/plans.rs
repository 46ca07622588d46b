//! The plan timeline: how the plans of a transcript change, message by message.
//!
//! [`watched`] returns a [`Check`] that sends a [`PlanStep`] for each event about a plan. Plans are those of
//! the model. [`ShownPlans`] takes steps and keeps what a conforming client shows after them. Reports of it
//! are in [`crate::report::plans`].

use std::{
    fmt,
    sync::mpsc::{self, Receiver},
};

use serde::Serialize;

use crate::{
    check::{Check, EventKind, ObservedEvent, PlanChange, Settings},
    json::{Node, Text},
    map::Map,
    model::{
        Connection, PlanUpdated, Session,
        session::plans::{EntryStatus, Item, ItemList, Plan, PlanBody, PlanKey, Priority},
    },
    protocol::{Version, methods::attaches_session},
};

/// What one message does to a plan that the client shows.
#[derive(Clone, Debug)]
pub struct PlanStep {
    /// The line of the message in the recording, counted from 1.
    pub line: u32,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    /// Id of the session that the plan belongs to.
    pub session: String,
    /// Number of the turn in its session, from 1; 0 before the first prompt.
    pub turn: u32,
    /// Whether the message is part of a history that is replayed by `session/load`.
    pub is_replayed: bool,
    /// The plan's id; `None` for the plan of version 1, which has none.
    pub plan: Option<String>,
    pub kind: PlanStepKind,
}

/// What a message does to a plan that the client shows.
#[derive(Clone, Debug)]
pub enum PlanStepKind {
    /// The message makes the client show the plan in this form.
    Shown(PlanView),
    /// The message makes the client remove the plan.
    Removed {
        /// Whether the client showed the plan before the message removed it.
        was_shown: bool,
    },
    /// The client cannot read the update, and goes on to show the former plan.
    Refused,
    /// The session is loaded or resumed, so the client removes all plans of the session.
    Forgotten,
}

/// A plan as the client shows it after an update, with what has changed since the preceding list.
#[derive(Clone, Debug)]
pub struct PlanView {
    /// Type of the plan, such as `items`, as the message writes it; `None` when it gives none.
    pub kind: Option<String>,
    /// Entries of a plan with entries, including those that readers drop.
    pub entries: Vec<ShownEntry>,
    /// Entries of the plan's preceding list that the new list leaves out.
    pub gone: Vec<ShownEntry>,
    /// Text of a markdown plan, or URI of a file plan; `None` for others.
    pub text: Option<String>,
}

/// An entry of a plan as the client shows it after an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownEntry {
    pub content: String,
    pub priority: Priority,
    pub status: EntryStatus,
    pub change: EntryChange,
    /// Index (from 0) of the entry in the previous list that this entry continues. `None` for new
    /// and for gone entries.
    pub continues: Option<usize>,
    /// Whether readers drop the entry, because its status or priority is missing or unknown in
    /// their version.
    pub is_dropped: bool,
}

/// How an entry of a plan differs from the same entry in the preceding list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// The entry was not in the preceding list of the plan.
    Added,
    /// The entry had this other priority or status before.
    Changed { priority: Priority, status: EntryStatus },
    /// The entry had the same priority and status before.
    Kept,
}

/// Number of entries of a plan with each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StatusCounts {
    pub pending: usize,
    pub in_progress: usize,
    pub completed: usize,
    pub cancelled: usize,
    /// The number of entries with a status that is not defined, or without one.
    pub other: usize,
}

/// Returns a check that follows plans, and a channel that gets each change of a plan while the
/// check is fed. All have arrived when `finish` has returned.
pub fn watched(settings: &Settings) -> (Check, Receiver<PlanStep>) {
    let (sender, steps) = mpsc::channel();
    let check = Check::new(settings).with_observer(move |event| {
        if let Some(step) = PlanStep::of(event) {
            // The receiver may be gone; the check goes on.
            let _ = sender.send(step);
        }
    });
    (check, steps)
}

/// All changes of plans in a whole recording, in order.
pub fn steps(transcript: &[u8]) -> Vec<PlanStep> {
    let (mut check, steps) = watched(&Settings::default());
    check.feed(transcript);
    check.finish();
    steps.into_iter().collect()
}

/// The plans that a conforming client shows after some changes. Keeps the last change of each plan.
#[derive(Clone, Debug, Default)]
pub struct ShownPlans {
    /// The shown plans by number of the connection and id of the session.
    sessions: Map<(u32, String), SessionPlans>,
    /// Number of changes of plans applied so far. Plans are sorted by the number of their first
    /// change.
    taken: u64,
}

/// The plans of a session that a client shows now, by plan id; the key is `None` for the plan of
/// version 1, which has no id. Each with the number of its first change, to sort by, and its last
/// change.
type SessionPlans = Map<Option<String>, (u64, PlanStep)>;

impl ShownPlans {
    /// Applies a change, which shows, alters or removes a plan.
    pub fn take(&mut self, step: PlanStep) {
        let session = (step.connection, step.session.clone());
        self.taken += 1;
        match step.kind {
            PlanStepKind::Shown(_) => {
                let plans = self.sessions.entry(session).or_default();
                match plans.get_mut(&step.plan) {
                    Some((_, last)) => *last = step,
                    None => {
                        plans.insert(step.plan.clone(), (self.taken, step));
                    }
                }
            }
            PlanStepKind::Removed { .. } => {
                if let Some(plans) = self.sessions.get_mut(&session) {
                    plans.remove(&step.plan);
                }
            }
            PlanStepKind::Refused => {}
            PlanStepKind::Forgotten => {
                self.sessions.remove(&session);
            }
        }
    }

    /// The last change of each plan that is shown, grouped by session. Sessions and plans are in
    /// the order of their first changes.
    pub fn steps(&self) -> Vec<&PlanStep> {
        let sessions = self.sessions.values().map(|plans| {
            let mut plans: Vec<_> = plans.values().collect();
            plans.sort_unstable_by_key(|(first, _)| *first);
            plans
        });
        let mut sessions: Vec<_> = sessions.collect();
        sessions.sort_unstable_by_key(|plans| plans.first().map(|(first, _)| *first));
        sessions.into_iter().flatten().map(|(_, step)| step).collect()
    }
}

impl PlanView {
    /// Number of entries with each status that the client shows; dropped entries do not count.
    pub fn counts(&self) -> StatusCounts {
        let mut counts = StatusCounts::default();
        for entry in self.entries.iter().filter(|entry| !entry.is_dropped) {
            *match entry.status {
                EntryStatus::Pending => &mut counts.pending,
                EntryStatus::InProgress => &mut counts.in_progress,
                EntryStatus::Completed => &mut counts.completed,
                EntryStatus::Cancelled => &mut counts.cancelled,
                EntryStatus::Other(_) | EntryStatus::Absent => &mut counts.other,
            } += 1;
        }
        counts
    }
}

impl fmt::Display for StatusCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.completed, "completed"),
            (self.cancelled, "cancelled"),
            (self.in_progress, "in progress"),
            (self.pending, "pending"),
            (self.other, "other"),
        ];
        let mut separator = "";
        for (count, word) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{separator}{count} {word}")?;
            separator = ", ";
        }
        Ok(())
    }
}

impl PlanStep {
    /// The step that an event of the check makes. `None` when no plan is shown before or after.
    pub fn of(event: &ObservedEvent<'_>) -> Option<Self> {
        let EventKind::Call { call, plan, .. } = event.kind else { return None };
        let (session_id, session) = (call.session_id()?, event.session());
        let (plan, kind) = match plan {
            Some(PlanChange::Updated(updated)) => {
                let old = session.and_then(|session| session.plans.of(updated.snapshot.key));
                let plan = match updated.snapshot.key {
                    PlanKey::Unnamed => None,
                    PlanKey::Named { id, .. } => Some(id.to_string()),
                    PlanKey::Missing => return None,
                };
                (plan, shown_by(updated, old, event.connection))
            }
            Some(PlanChange::Removed(removed)) => {
                let id = removed.plan_id?.text()?;
                let old = session.and_then(|session| session.plans.get(id));
                let was_shown = old.is_some_and(|plan| plan.content().is_some());
                (Some(id.to_string()), PlanStepKind::Removed { was_shown })
            }
            None if attaches_session(&call.method.as_cow()) => {
                let is_shown = session.is_some_and(|session| session.plans.is_any_shown());
                (None, is_shown.then_some(PlanStepKind::Forgotten)?)
            }
            None => return None,
        };
        Some(Self {
            line: call.node.span().line,
            connection: event.number,
            session: session_id.to_string(),
            turn: session.map_or(0, |session| session.turn.number),
            is_replayed: session.is_some_and(Session::is_replaying),
            plan,
            kind,
        })
    }
}

/// What the client shows after an update of a plan. `Refused` for a plan with entries without a
/// list on version 2; version 1 reads that as an empty list.
fn shown_by(
    updated: &PlanUpdated<'_>,
    old: Option<&Plan>,
    connection: &Connection,
) -> PlanStepKind {
    let snapshot = &updated.snapshot;
    let is_v2 = connection.version() == Some(Version::V2);
    let view = match &snapshot.form {
        PlanBody::Items(_) if is_v2 && !snapshot.list().is_some_and(Node::is_array) => {
            return PlanStepKind::Refused;
        }
        PlanBody::Items(_) => {
            let listing = old.and_then(Plan::listing);
            let (entries, gone) = entries(updated, listing, is_v2);
            PlanView { kind: Some("items".to_owned()), entries, gone, text: None }
        }
        PlanBody::Markdown(text) => plain(Some("markdown"), text.and_then(Node::text)),
        PlanBody::File(uri) => plain(Some("file"), uri.and_then(Node::text)),
        PlanBody::Other(kind) => {
            let kind = kind.and_then(Node::text).map(|kind| kind.to_string());
            plain(kind.as_deref(), None)
        }
    };
    PlanStepKind::Shown(view)
}

/// What the client shows of a plan without entries, such as a markdown plan.
fn plain(kind: Option<&str>, text: Option<Text<'_>>) -> PlanView {
    PlanView {
        kind: kind.map(str::to_owned),
        entries: Vec::new(),
        gone: Vec::new(),
        text: text.map(|text| text.to_string()),
    }
}

/// The entries of a plan with entries, and the entries of the previous list that are missing in it.
fn entries(
    updated: &PlanUpdated<'_>,
    listing: Option<&ItemList>,
    is_v2: bool,
) -> (Vec<ShownEntry>, Vec<ShownEntry>) {
    let is_dropped = |priority: &Priority, status: &EntryStatus| {
        let is_absent = *status == EntryStatus::Absent || *priority == Priority::Absent;
        let is_unknown_in_v1 = matches!(status, EntryStatus::Cancelled | EntryStatus::Other(_))
            || matches!(priority, Priority::Other(_));
        is_absent || (is_unknown_in_v1 && !is_v2)
    };
    let Some(diff) = &updated.diff else { return (Vec::new(), Vec::new()) };
    let entries = updated.snapshot.entries().iter();
    let entries = entries.zip(diff.kept(listing)).zip(diff.places());
    let entries = entries.filter_map(|((entry, old), continues)| {
        let (priority, status) = (entry.priority(), entry.status());
        let change = match old {
            None => EntryChange::Added,
            Some(old) if old.status == *status && old.priority == *priority => EntryChange::Kept,
            Some(Item { status, priority, .. }) => {
                EntryChange::Changed { priority: priority.clone(), status: status.clone() }
            }
        };
        let content = entry.content?.to_string();
        let is_dropped = is_dropped(priority, status);
        let (priority, status) = (priority.clone(), status.clone());
        Some(ShownEntry { content, priority, status, change, continues, is_dropped })
    });
    let gone = listing.into_iter().flat_map(|listing| {
        diff.gone(listing).map(|(_, item)| ShownEntry {
            content: listing.verbatim(item).into_owned(),
            priority: item.priority.clone(),
            status: item.status.clone(),
            change: EntryChange::Kept,
            continues: None,
            is_dropped: is_dropped(&item.priority, &item.status),
        })
    });
    (entries.collect(), gone.collect())
}
