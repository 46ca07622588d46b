//! The audit log: which files were written and read, which commands ran, what was asked and answered.
//!
//! [`watched`] returns a [`Check`] that sends an [`Action`] for each action on one target, when the tool
//! call and the turn that it belongs to have ended. Nothing is concluded that the recording does not
//! show: what fits two ways is `unclear`. Reports of it are in [`crate::report::audit`].
//!
//! ```text
//! events ─▶ ledger: entries, questions, deeds ─▶ join ─▶ rows ─▶ Action
//!           one entry for each tool call         who did   one for each
//!                                                what      target
//! ```

use std::sync::mpsc::{self, Receiver};

use serde::{Deserialize, Serialize};

use crate::check::{Check, Settings};

mod describe;
mod entry;
mod join;
mod ledger;
mod rows;

use ledger::Ledger;

/// Defines an enumeration of the audit log: each value has a word that all output formats use.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $value,)*
        }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$value),*];

            /// The word for this value in all outputs, such as `allowed_once`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $word,)* }
            }
        }
    };
}

words!(
    /// What an action does to its target: a file, a command, a URL or a tool.
    ActionKind {
        Write = "write",
        Delete = "delete",
        Move = "move",
        Read = "read",
        Run = "run",
        Fetch = "fetch",
        Search = "search",
        /// The use of a tool that is neither about files nor commands, nor a fetch or search.
        Tool = "tool",
        /// The agent asks the client to open a URL for the user.
        Open = "open",
        Login = "login",
    }
);

words!(
    /// The answer of the client, or its user, to the permission request for an action.
    Decision {
        AllowedOnce = "allowed_once",
        AllowedAlways = "allowed_always",
        RejectedOnce = "rejected_once",
        RejectedAlways = "rejected_always",
        /// The client chose an option, or gave an outcome, that the protocol does not define.
        Other = "other",
        /// The client chose an option that the permission request did not offer.
        NotOffered = "not_offered",
        Cancelled = "cancelled",
        Error = "error",
        Unanswered = "unanswered",
        Accepted = "accepted",
        Declined = "declined",
        NotAsked = "not_asked",
        /// The recording shows several possible decisions, or lacks the message that would show
        /// which one it was.
        Unclear = "unclear",
    }
);

words!(
    /// Why it is unclear what the client answered to the permission request for an action.
    Doubt {
        /// Several tool calls fit, and the answers about them differ.
        SeveralCalls = "several_calls",
        /// The tool call that was asked about names another file or command, and only its time fits.
        OtherTarget = "other_target",
        /// Two permission requests were open at once, and the earlier one was answered last, and
        /// differently.
        DifferentAnswers = "different_answers",
        /// A permission request for an id that no tool call has was open while the action was under
        /// way.
        OtherId = "other_id",
        /// The answer may belong to several requests with the same id.
        AmbiguousAnswer = "ambiguous_answer",
        /// The kind of the chosen option is not on record.
        UnknownOption = "unknown_option",
        NoAnswers = "no_answers",
        NoRequests = "no_requests",
        LostMessages = "lost_messages",
        NoBeginning = "no_beginning",
        Replayed = "replayed",
    }
);

words!(
    /// How an action ended, as far as messages of the recording show.
    ActionResult {
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
        /// The action began, but the recording does not show its end.
        Unfinished = "unfinished",
        NotStarted = "not_started",
    }
);

words!(
    /// Whether an action began before or after the permission request for it, and before or after
    /// the answer.
    Order {
        AfterAnswer = "after_answer",
        BeforeAsked = "before_asked",
        BeforeAnswer = "before_answer",
        AfterRefusal = "after_refusal",
        Unasked = "unasked",
        NotDone = "not_done",
        Unclear = "unclear",
    }
);

words!(
    /// Whether the target is outside the session's directories. Paths are compared as written;
    /// links in the file system are not followed.
    Outside {
        Yes = "yes",
        No = "no",
        Unknown = "unknown",
    }
);

words!(
    /// Which side's messages show the result of an action.
    Proof {
        /// The client did the action itself, or the agent asked the client to do it.
        Client = "client",
        /// Only the agent's own reports of the tool call show the result.
        Agent = "agent",
    }
);

words!(
    /// How request, permission request and tool call of a row were found to belong together; of
    /// several ways, the weakest.
    Join {
        Id = "id",
        Target = "target",
        Time = "time",
        /// The row has no tool call, only a request to the client, so nothing had to be matched.
        None = "none",
    }
);

/// One row of the audit log: one action on one target, with the permission for it and its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: Option<String>,
    /// Number of the session's turn in which the action began, from 1; 0 before the first prompt.
    pub turn: u32,
    /// Id of the session's mode when the action was first mentioned; `None` when no mode was known.
    pub mode: Option<String>,
    /// Name and version of the agent from its answer to `initialize`; `None` when not given.
    pub agent: Option<String>,
    pub client: Option<String>,
    pub kind: ActionKind,
    pub target: String,
    /// Id of the tool call that the action belongs to; `None` for an action without a tool call.
    pub call: Option<String>,
    /// The `kind` of the tool call, such as `edit`, as the agent writes it; `None` without one.
    pub tool_kind: Option<String>,
    pub decision: Decision,
    /// Why the decision is `unclear`; `None` for other decisions.
    pub unclear: Option<Doubt>,
    /// Name of the option that was chosen in answer to the permission request; `None` without a
    /// choice.
    pub option: Option<String>,
    pub result: ActionResult,
    pub proof: Proof,
    pub order: Order,
    pub outside: Outside,
    pub join: Join,
    /// Line of the last answer before the action that chose an `allow_always` option, so that the
    /// action may need no question; `None` without one.
    pub always: Option<u32>,
    /// Seconds from the permission request to its answer; `None` without times or without an
    /// answer.
    pub answered_in: Option<f64>,
    /// Line of the first mention of the action, from 1. `asked`, `answered` and `done` are the
    /// lines of the permission request, its answer, and the result; 0 without one.
    pub first: u32,
    pub asked: u32,
    pub answered: u32,
    pub done: u32,
    /// Whether the action is part of the history that `session/load` replays.
    pub is_replayed: bool,
    /// Lines of the agent's requests to the client that make up the action.
    pub requests: Vec<u32>,
}

/// One item of the audit log of a recording, as soon as it is complete.
#[derive(Clone, Debug)]
pub enum AuditEvent {
    Action(Box<Action>),
    /// The end of a session on a connection, with what the log says about the session as a whole.
    Session(Box<AuditedSession>),
    /// Number of targets and tool calls of the recording that are missing in the log, because there
    /// are too many.
    NotFollowed(u64),
}

/// What the audit log says of a session as a whole, at the end of its connection: directories,
/// modes, grants.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedSession {
    pub connection: u32,
    pub session: String,
    pub agent: Option<String>,
    pub client: Option<String>,
    /// Working directory and additional directories of the session, as the client names them.
    pub directories: Vec<String>,
    /// Ids of the session's modes, each with the line from which on it was in force.
    pub modes: Vec<(u32, String)>,
    /// Answers that chose an `allow_always` option: the line, and the name of the option.
    pub grants: Vec<(u32, String)>,
}

/// Adds an audit to a check. Returns the check and the channel of the audit log. Items arrive while
/// the check is fed; all have arrived when `finish` has returned.
pub fn watched(check: Check) -> (Check, Receiver<AuditEvent>) {
    let (sender, events) = mpsc::channel();
    let mut ledger = Ledger::default();
    let check = check.with_observer(move |event| {
        ledger.see(event, &mut |event| {
            // The receiver may be gone; the check goes on.
            let _ = sender.send(event);
        });
    });
    (check, events)
}

/// The actions of a whole recording, in the order of the audit log.
pub fn actions(transcript: &[u8]) -> Vec<Action> {
    let (mut check, events) = watched(Check::new(&Settings::default()));
    check.feed(transcript);
    check.finish();
    let action = |event| match event {
        AuditEvent::Action(action) => Some(*action),
        AuditEvent::Session(_) | AuditEvent::NotFollowed(_) => None,
    };
    events.into_iter().filter_map(action).collect()
}
