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

/// Defines an enumeration whose values are written as words.
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

            /// The word for it in all outputs.
            pub fn name(self) -> &'static str {
                match self { $(Self::$value => $word,)* }
            }
        }
    };
}

words!(
    /// What is done to a target.
    ActionKind {
        Write = "write",
        Delete = "delete",
        Move = "move",
        Read = "read",
        Run = "run",
        Fetch = "fetch",
        Search = "search",
        /// A tool of another kind.
        Tool = "tool",
        /// The client opens a URL.
        Open = "open",
        Login = "login",
    }
);

words!(
    /// What the client answered when it was asked for permission.
    Decision {
        AllowedOnce = "allowed_once",
        AllowedAlways = "allowed_always",
        RejectedOnce = "rejected_once",
        RejectedAlways = "rejected_always",
        /// An option or an outcome that the protocol does not define.
        Other = "other",
        /// An option that was not offered.
        NotOffered = "not_offered",
        Cancelled = "cancelled",
        Error = "error",
        Unanswered = "unanswered",
        Accepted = "accepted",
        Declined = "declined",
        NotAsked = "not_asked",
        /// The recording shows several possibilities, or lacks what would decide.
        Unclear = "unclear",
    }
);

words!(
    /// What became of an action.
    ActionResult {
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
        /// It has begun, and its end is not on record.
        Unfinished = "unfinished",
        NotStarted = "not_started",
    }
);

words!(
    /// Whether an action was done before or after the answer.
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
    /// Whether the target is outside the session's directories, by its name.
    Outside {
        Yes = "yes",
        No = "no",
        Unknown = "unknown",
    }
);

words!(
    /// Who shows the result.
    Proof {
        /// The client did it, or was asked to.
        Client = "client",
        /// The agent reports it.
        Agent = "agent",
    }
);

words!(
    /// How the parts of a row were found to belong together: the weakest way of those used.
    Join {
        Id = "id",
        Target = "target",
        Time = "time",
        /// There is no tool call.
        None = "none",
    }
);

/// One action on one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    pub session: Option<String>,
    /// Number of the turn in its session; 0 before the first prompt.
    pub turn: u32,
    /// The id of the mode in force when it was first mentioned.
    pub mode: Option<String>,
    /// Name and version of the agent, as it gives them.
    pub agent: Option<String>,
    pub client: Option<String>,
    pub kind: ActionKind,
    pub target: String,
    /// The id of the tool call.
    pub call: Option<String>,
    /// The kind of the tool call, as the agent writes it.
    pub tool_kind: Option<String>,
    pub decision: Decision,
    /// The name of the chosen option.
    pub option: Option<String>,
    pub result: ActionResult,
    pub proof: Proof,
    pub order: Order,
    pub outside: Outside,
    pub join: Join,
    /// The line of the last answer before it that allows something always.
    pub always: Option<u32>,
    /// Seconds from the question to the answer.
    pub answered_in: Option<f64>,
    /// The lines of the first mention, the question, its answer, and what shows the result; 0: there is
    /// none.
    pub first: u32,
    pub asked: u32,
    pub answered: u32,
    pub done: u32,
    /// Whether it is part of the history that `session/load` replays.
    pub is_replayed: bool,
    /// The lines of the client's requests that it consists of.
    pub requests: Vec<u32>,
}

/// What the audit log says of a transcript.
#[derive(Clone, Debug)]
pub enum AuditEvent {
    Action(Box<Action>),
    /// A session with what is known of it, at the end of its connection.
    Session(Box<AuditedSession>),
    /// How many targets or tool calls were not followed, because there are too many of them.
    NotFollowed(u64),
}

/// A session at the end of its connection.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditedSession {
    pub connection: u32,
    pub session: String,
    pub agent: Option<String>,
    pub client: Option<String>,
    /// Its working directory and additional directories, as the client names them.
    pub directories: Vec<String>,
    /// The ids of its modes, each with the line from which on it was in force.
    pub modes: Vec<(u32, String)>,
    /// The answers that allowed something always: the line, and the name of the option.
    pub grants: Vec<(u32, String)>,
}

/// The check, and a channel that receives its log. What some bytes show has arrived when `feed` has
/// returned, and the rest when `finish` has.
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

/// The actions of a whole transcript.
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
