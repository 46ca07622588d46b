//! How a session was attached by `session/load` or `session/resume`: what came between the request
//! and its answer, and whether history still comes afterwards.

use crate::{
    event::{Call, Update},
    json::Node,
    map::Set,
    model::{
        anchor::{Anchor, Pointer},
        digest,
        session::messages::MessageKind,
        story::{AcceptedPrompt, OwedReplay, Place},
    },
};

/// The last attachment of a session.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Attachment {
    /// The request.
    pub request: Anchor,
    /// Number of the request.
    pub number: u64,
    /// Whether updates before the answer may be live, not history: work was going on when the
    /// request was sent, or was reported since.
    pub may_be_live: bool,
    /// The first state since then that reports work in the background.
    pub background: Option<Anchor>,
    /// The first message or tool call before the answer.
    pub history: Option<Anchor>,
    /// The last state before the answer.
    pub state: Option<ReportedState>,
    /// The first message or tool call after that state.
    pub after_state: Option<Anchor>,
    /// The first `replay_complete` before the answer.
    pub complete: Option<Anchor>,
    /// The answer that confirmed it.
    pub answer: Option<Anchor>,
    /// A message or tool call of the agent that the history has, as known when the answer came.
    pub spoken: Option<Anchor>,
    /// Whether a message or tool call came after the answer and before any work.
    pub is_followed: bool,
    /// Whether the client has sent a prompt since the answer, so that the replay has been judged.
    pub is_judged: bool,
    /// Whether work has begun since the answer.
    pub has_worked: bool,
    /// A message of the user that came after the answer and before any work, while it is the
    /// session's last update.
    pub late: Option<Anchor>,
    /// Messages of the user before the answer.
    pub replayed: Vec<Inserted>,
    whole: Set<(MessageKind, Box<str>)>,
    /// What its history owes, and how much of it has come; `None` where nothing is.
    pub owed: Option<Box<OwedReplay>>,
    /// Prompts of earlier connections that the agent has accepted.
    pub prompts: Vec<(AcceptedPrompt, Place)>,
    /// Children that the history names.
    pub children: Vec<ReplayedChild>,
    /// Whether the creation of the session is on record, here or on another connection.
    pub is_begun: bool,
    /// The number of passages before the request that could not be read.
    pub lost: u64,
}

/// A state that was reported while the session was being attached.
#[derive(Clone, Copy, Debug)]
pub struct ReportedState {
    pub at: Anchor,
    pub is_idle: bool,
    /// Whether the protocol defines the state.
    pub is_defined: bool,
}

/// A message of the user.
#[derive(Clone, Debug)]
pub struct Inserted {
    pub id: Box<str>,
    /// The digest of its content.
    pub content: u64,
    /// Where its id stands.
    pub at: Anchor,
}

/// A child that the history of its parent names.
#[derive(Clone, Debug)]
pub struct ReplayedChild {
    pub id: Box<str>,
    /// Its first message or tool call before the answer.
    pub history: Option<Anchor>,
    /// Whether `replay_complete` came for it.
    pub is_complete: bool,
}

/// Whether an update of this kind is part of a history: a message or tool call, not a state.
pub fn is_history(kind: &str) -> bool {
    MessageKind::of(kind).is_some()
        || matches!(kind, "tool_call" | "tool_call_update" | "tool_call_content_chunk")
}

impl Attachment {
    /// Whether the state was reported before the answer.
    pub fn reports_state(&self, state: Anchor) -> bool {
        self.state.is_some_and(|own| own.at.span() == state.span())
    }

    pub(super) fn by(call: &Call<'_>, number: u64, may_be_live: bool) -> Self {
        Self {
            request: Anchor::of(call.node, Pointer::Whole),
            number,
            may_be_live,
            background: None,
            history: None,
            state: None,
            after_state: None,
            complete: None,
            answer: None,
            spoken: None,
            is_followed: false,
            is_judged: false,
            has_worked: false,
            late: None,
            replayed: Vec::new(),
            whole: Set::default(),
            owed: None,
            prompts: Vec::new(),
            children: Vec::new(),
            is_begun: false,
            lost: 0,
        }
    }

    /// Whether an update of this kind counts as replayed history. Updates of tool calls do not, once the
    /// agent has reported work in the background since the request.
    pub fn counts_as_history(&self, kind: &str) -> bool {
        is_history(kind) && !(self.background.is_some() && kind.starts_with("tool_call"))
    }

    /// Whether the message was reported as a whole before the answer.
    pub fn has_whole(&self, message_kind: MessageKind, id: &str) -> bool {
        self.whole.contains(&(message_kind, id.into()))
    }

    /// Whether it is not on record what its history has to have.
    pub fn is_unknown(&self) -> bool {
        !self.is_begun && self.owed.is_none()
    }

    /// Notes that the history names a child.
    pub(in crate::model) fn name_child(&mut self, id: &str) {
        /// Children that are followed.
        const MOST: usize = 64;
        if self.children.len() < MOST && self.children.iter().all(|child| *child.id != *id) {
            self.children.push(ReplayedChild { id: id.into(), history: None, is_complete: false });
        }
    }

    /// Applies an update of a child before the answer.
    pub(in crate::model) fn apply_child(&mut self, id: &str, kind: &str, update: &Update<'_>) {
        let Some(child) = self.children.iter_mut().find(|child| *child.id == *id) else { return };
        child.is_complete |= kind == "replay_complete";
        if is_history(kind) {
            let at = Anchor::of(update.update, Pointer::ParamsUpdate);
            child.history = child.history.or(Some(at));
        }
    }

    /// Notes that work begins.
    pub(super) fn work(&mut self) {
        self.has_worked = true;
        self.late = None;
    }

    /// Applies an update before the answer.
    pub(super) fn apply(&mut self, kind: &str, update: &Update<'_>) {
        let at = Anchor::of(update.update, Pointer::ParamsUpdate);
        if kind == "state_update" {
            let state = update.update.get("state");
            let is = |name| state.is_some_and(|state: Node<'_>| state.is(name));
            let is_idle = is("idle");
            let is_working = is("running") || is("requires_action");
            let is_defined = is_idle || is_working || is("unknown");
            self.state = Some(ReportedState { at, is_idle, is_defined });
            self.may_be_live |= is_working;
            let background = update.update.get("background");
            if background.is_some_and(|list| list.elements().next().is_some()) {
                self.background = self.background.or(Some(at));
            }
            self.after_state = None;
        }
        if kind == "replay_complete" {
            self.complete = self.complete.or(Some(at));
        }
        if !self.counts_as_history(kind) {
            return;
        }
        self.history = self.history.or(Some(at));
        self.after_state = self.after_state.or(Some(at));
        let (Some(message_kind), Some(id)) = (MessageKind::of(kind), update.message_id) else {
            return;
        };
        if kind.ends_with("_chunk") {
            return;
        }
        self.whole.insert((message_kind, id.to_boxed()));
        if message_kind == MessageKind::User
            && let Some(content) = update.update.get("content")
        {
            self.replayed.push(Inserted {
                id: id.to_boxed(),
                content: digest::of(content),
                at: Anchor::of(id.node(), Pointer::ParamsUpdateMessageId),
            });
        }
    }

    /// Applies an update after the answer. `is_new`: it belongs to a message that was not seen
    /// before.
    pub(super) fn follow(&mut self, kind: &str, update: &Update<'_>, is_new: bool) {
        self.is_followed |= is_history(kind) && !self.has_worked;
        let state = update.update.get("state");
        let works = |state: Node<'_>| state.is("running") || state.is("requires_action");
        if kind == "state_update" && state.is_some_and(works) {
            self.work();
        } else if self.late.take().is_some() {
            // Only the first one counts.
            self.has_worked = true;
        } else if kind == "user_message" && is_new && !self.has_worked {
            self.late = Some(Anchor::of(update.update, Pointer::ParamsUpdate));
        }
    }
}
