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
    model::{
        anchor::{Anchor, Pointer},
        session::on_demand,
    },
};

/// What an agent is doing, as it reported last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AgentState {
    /// No state was reported since the session was created or attached.
    #[default]
    Unset,
    Idle,
    Running,
    RequiresAction,
    /// `unknown`, or a state that the protocol does not define.
    Other,
}

/// The work of a session in the foreground and in the background.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    pub state: AgentState,
    /// Number of the message that reported the state last.
    pub changed: u64,
    /// The last `state_update`.
    pub reported: Option<Anchor>,
    /// What was reported since the last idle state.
    pub since_idle: SinceIdle,
    /// Number of the message that ended the last work; 0 before that.
    pub ended: u64,
    /// The idle state that ended the last work.
    pub ended_at: Option<Anchor>,
    /// Whether that idle state says that the work was cancelled.
    pub ended_by_cancel: bool,
    /// The last background list; `None` until one is reported.
    background: Option<List>,
}

on_demand::empty!(Activity);

/// What was reported since the last idle state, or since the session was created or attached.
#[derive(Clone, Debug, Default)]
pub struct SinceIdle {
    /// The first state whose name begins with `_`, and where it stands.
    pub custom: Option<(Box<str>, Anchor)>,
    /// Whether `running` or `requires_action` was reported.
    pub is_standard: bool,
    /// Whether a prompt was accepted, or the agent said or did something, after the custom state.
    pub has_worked: bool,
}

impl Activity {
    /// Whether work goes on in the foreground.
    pub fn is_active(&self) -> bool {
        matches!(self.state, AgentState::Running | AgentState::RequiresAction)
    }

    /// Whether the update ends the work in the foreground, when it is a `state_update`.
    pub fn is_ended_by(&self, update: &Update<'_>) -> bool {
        self.is_active() && update.update.get("state").is_some_and(|state| state.is("idle"))
    }

    /// The work in the background after the update; `None` when none was ever reported.
    pub fn background_after<'a>(&'a self, update: &Update<'a>) -> Option<Background<'a>> {
        let reported = update.update.get("background").filter(|list| list.is_array());
        let reported = reported.map(|list| {
            let ids = list.elements().filter_map(listed).collect();
            Background::Named { ids, is_empty: list.is_empty() }
        });
        reported.or(self.background())
    }

    /// The work in the background, as reported last; `None` when none was ever reported.
    pub fn background(&self) -> Option<Background<'_>> {
        self.background.as_ref().map(Background::Known)
    }

    /// Notes that a prompt was accepted, or that the agent said or did something.
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
            self.ended_at = Some(Anchor::of(update.update, Pointer::ParamsUpdate));
            self.ended_by_cancel =
                update.update.get("stopReason").is_some_and(|reason| reason.is("cancelled"));
        }
        self.changed = number;
        self.reported = Some(Anchor::of(update.update, Pointer::ParamsUpdate));
        let state = update.update.get("state").and_then(Node::text);
        self.state = match state.map(Text::as_cow).as_deref() {
            Some("idle") => AgentState::Idle,
            Some("running") => AgentState::Running,
            Some("requires_action") => AgentState::RequiresAction,
            _ => AgentState::Other,
        };
        match self.state {
            AgentState::Idle => self.since_idle = SinceIdle::default(),
            AgentState::Running | AgentState::RequiresAction => self.since_idle.is_standard = true,
            AgentState::Unset | AgentState::Other => {}
        }
        if let Some(name) = state.filter(|name| name.starts_with("_")) {
            let at = Anchor::of(name.node(), Pointer::ParamsUpdate);
            self.since_idle.custom.get_or_insert_with(|| (name.to_boxed(), at));
        }
        if let Some(list) = update.update.get("background").filter(|list| list.is_array()) {
            let ids: Vec<Box<str>> = list.elements().filter_map(listed).map(Into::into).collect();
            self.background = Some(List { known: ids.iter().cloned().collect(), ids });
        }
    }
}

/// A list of work in the background: the ids of tool calls, terminals and sessions.
#[derive(Clone, Debug)]
pub struct List {
    /// The ids, in the order of the list.
    pub ids: Vec<Box<str>>,
    known: Set<Box<str>>,
}

/// The work in the background of a session.
#[derive(Clone, Debug)]
pub enum Background<'a> {
    /// The list of the current message.
    Named { ids: Set<Cow<'a, str>>, is_empty: bool },
    /// The list of an earlier message.
    Known(&'a List),
}

impl Background<'_> {
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Named { is_empty, .. } => *is_empty,
            Self::Known(list) => list.ids.is_empty(),
        }
    }

    /// Whether the list has this id.
    pub fn lists(&self, id: &str) -> bool {
        match self {
            Self::Named { ids, .. } => ids.contains(id),
            Self::Known(list) => list.known.contains(id),
        }
    }
}

/// The id of an entry of a background list; empty for an entry without one.
fn listed(entry: Node<'_>) -> Option<Cow<'_, str>> {
    let id = ["toolCallId", "terminalId", "sessionId"].into_iter().find_map(|id| entry.get(id));
    entry.is_object().then(|| id.and_then(Node::text).map(Text::as_cow).unwrap_or_default())
}

/// A `session/cancel` whose work has not ended yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingCancel {
    pub at: Anchor,
    /// Number of the message.
    pub number: u64,
}

impl PendingCancel {
    pub(super) fn by(call: &Call<'_>, number: u64) -> Self {
        Self { at: Anchor::of(call.node, Pointer::Whole), number }
    }
}
