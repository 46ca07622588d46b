//! What an agent says it is doing, on version 2: its `state_update`s and the background list.
//!
//! ```text
//!            running, requires_action             idle
//! Unset, Idle ──────────────────────▶ Active ──────────────▶ Idle   (the work ends)
//!      │ ▲                                                    any other: a snapshot
//!      └─┘ idle: a snapshot
//! ```

use std::borrow::Cow;

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::Set,
    model::{anchor::Anchor, session::on_demand},
};

/// What the agent is doing in a session of version 2, by its last `state_update`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentState {
    /// No `state_update` has come since the session was created or attached.
    #[default]
    Unset,
    Idle,
    Running,
    RequiresAction,
    /// The state `unknown`. Where no work went on, also a state that the protocol does not define.
    Other,
}

/// The agent's work in a session of version 2, as `state_update` reports it: in the foreground by
/// its state, in the background by a list.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    pub state: AgentState,
    /// Message number of the last `state_update`; 0 before the first.
    pub changed: u64,
    /// Place of the last `state_update`, so that a finding can point at it; `None` before the
    /// first.
    pub reported: Option<Anchor>,
    /// What has happened since the agent was last idle, for a rule on states with a name of their
    /// own.
    pub since_idle: SinceIdle,
    /// Message number of the idle state that ended the last work in the foreground; 0 while no work
    /// has ended.
    pub ended: u64,
    /// Place of the idle state that ended the last work in the foreground; `None` while no work has
    /// ended.
    pub ended_at: Option<Anchor>,
    /// Whether the idle state that ended the last work has the stop reason `cancelled`.
    pub ended_by_cancel: bool,
    /// The list of work in the background from the last `state_update` that has one; `None` until
    /// then.
    background: Option<List>,
}

on_demand::empty!(Activity);

/// What has happened in the session since the agent was last idle, or since the session was created
/// or attached.
#[derive(Clone, Debug, Default)]
pub struct SinceIdle {
    /// The first state since the last idle state that the protocol does not define (its name begins
    /// with `_`), and its place. `None` without one.
    pub custom: Option<(Box<str>, Anchor)>,
    /// Whether `running` or `requires_action` was reported since the last idle state.
    pub is_standard: bool,
    /// Whether an idle state came since the session was created or attached.
    pub is_after_idle: bool,
    /// Whether a prompt was accepted, or the agent sent output, after the first custom
    /// state, whose name begins with `_`.
    pub has_worked: bool,
}

impl Activity {
    /// Whether work goes on in the foreground: the last state is `running` or `requires_action`.
    pub fn is_active(&self) -> bool {
        matches!(self.state, AgentState::Running | AgentState::RequiresAction)
    }

    /// Whether a `state_update` ends the work in the foreground, by the state `idle`.
    pub fn is_ended_by(&self, update: &Update<'_>) -> bool {
        self.is_active() && update.update.get("state").is_some_and(|state| state.is("idle"))
    }

    /// The work in the background after this `state_update`: by its own list, else by the last
    /// list. `None` when no update had a list.
    pub fn background_after<'a>(&'a self, update: &Update<'a>) -> Option<Background<'a>> {
        let reported = update.update.get("background").filter(|list| list.is_array());
        let reported = reported.map(|list| {
            let ids = list.elements().filter_map(listed).collect();
            Background::Named { ids, is_empty: list.is_empty() }
        });
        reported.or(self.background())
    }

    /// The work in the background by the last `state_update` with a list; `None` before that.
    pub fn background(&self) -> Option<Background<'_>> {
        self.background.as_ref().map(Background::Known)
    }

    /// Notes that a prompt was accepted, or that the agent sent output.
    pub(super) fn note_work(&mut self) {
        self.since_idle.has_worked |= self.since_idle.custom.is_some();
    }

    pub(super) fn attach(&mut self) {
        self.state = AgentState::Unset;
        self.since_idle = SinceIdle::default();
    }

    pub(super) fn apply(&mut self, update: &Update<'_>, number: u64) {
        if self.is_ended_by(update) {
            self.ended = number;
            self.ended_at = Some(Anchor::of(update.update, &"/params/update"));
            self.ended_by_cancel =
                update.update.get("stopReason").is_some_and(|reason| reason.is("cancelled"));
        }
        self.changed = number;
        self.reported = Some(Anchor::of(update.update, &"/params/update"));
        let state = update.update.get("state").and_then(Node::text);
        self.state = match state.map(Text::as_cow).as_deref() {
            Some("idle") => AgentState::Idle,
            Some("running") => AgentState::Running,
            Some("requires_action") => AgentState::RequiresAction,
            // During work, a state that the protocol does not define replaces none of the others.
            Some(name) if self.is_active() && !is_defined(name) => self.state,
            _ => AgentState::Other,
        };
        match self.state {
            AgentState::Idle => {
                self.since_idle = SinceIdle { is_after_idle: true, ..SinceIdle::default() };
            }
            AgentState::Running | AgentState::RequiresAction => self.since_idle.is_standard = true,
            AgentState::Unset | AgentState::Other => {}
        }
        if let Some(name) = state.filter(|name| name.starts_with("_")) {
            let at = Anchor::of(name.node(), &"/params/update");
            self.since_idle.custom.get_or_insert_with(|| (name.to_boxed(), at));
        }
        if let Some(list) = update.update.get("background").filter(|list| list.is_array()) {
            let ids: Vec<Box<str>> = list.elements().filter_map(listed).map(Into::into).collect();
            self.background = Some(List { known: ids.iter().cloned().collect(), ids });
        }
    }
}

/// Whether the protocol defines a state of this name.
pub(super) fn is_defined(state: &str) -> bool {
    matches!(state, "idle" | "running" | "requires_action" | "unknown")
}

/// A list of work in the background, from an earlier `state_update`: ids of tool calls, terminals
/// and sessions.
#[derive(Clone, Debug)]
pub struct List {
    /// The ids in the order of the list; empty strings for entries without an id.
    pub ids: Vec<Box<str>>,
    known: Set<Box<str>>,
}

/// The work of a session that goes on in the background, as `state_update` lists it.
#[derive(Clone, Debug)]
pub enum Background<'a> {
    /// The list in the current message. `is_empty` counts entries of any kind, `ids` those that are
    /// objects.
    Named { ids: Set<Cow<'a, str>>, is_empty: bool },
    /// The list in an earlier message, as it was kept.
    Known(&'a List),
}

impl Background<'_> {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Named { is_empty, .. } => *is_empty,
            Self::Known(list) => list.ids.is_empty(),
        }
    }

    /// Whether the work of the tool call, terminal or session with this id goes on in the
    /// background.
    pub fn lists(&self, id: &str) -> bool {
        match self {
            Self::Named { ids, .. } => ids.contains(id),
            Self::Known(list) => list.known.contains(id),
        }
    }
}

/// The id of an entry of a background list; empty for an object without one, `None` for an entry
/// that is not an object.
fn listed(entry: Node<'_>) -> Option<Cow<'_, str>> {
    let id = ["toolCallId", "terminalId", "sessionId"].into_iter().find_map(|id| entry.get(id));
    entry.is_object().then(|| id.and_then(Node::text).map(Text::as_cow).unwrap_or_default())
}

/// A `session/cancel` of work that has not ended yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingCancel {
    pub at: Anchor,
    /// Message number of the `session/cancel` notification.
    pub number: u64,
}

impl PendingCancel {
    pub(super) fn by(call: &Call<'_>, number: u64) -> Self {
        Self { at: Anchor::of(call.node, &""), number }
    }
}
