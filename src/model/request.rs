//! Requests that wait for an answer, and what is kept of them afterwards. In goes a call with an
//! `id`; the rules on its answer read the [`Request`].

use std::{borrow::Cow, sync::Arc};

use crate::{
    event::MethodStatus,
    model::{
        anchor::Anchor,
        request::{facts::RequestFacts, id::Id},
    },
    protocol::Side,
};

pub mod change;
pub mod facts;
pub mod id;
pub mod inner;
pub mod permission;
pub mod query;
pub mod question;
pub mod roots;
pub mod setting;
pub mod submission;

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: Id,
    pub method: Cow<'static, str>,
    /// Who sent it; `None` for an extension method of an unlabelled recording.
    pub sender: Option<Side>,
    /// The whole message.
    pub at: Anchor,
    /// Its `id`.
    pub id_at: Anchor,
    /// Its `method`.
    pub method_at: Anchor,
    /// Number of the message in its connection.
    pub number: u64,
    /// Seconds on the recorder's clock.
    pub time: Option<f64>,
    /// The session that its params name.
    pub session_id: Option<Arc<str>>,
    /// Whether the method is one that the connection's version defines.
    pub defined: bool,
    pub method_status: MethodStatus,
    /// The batch it came in, by its index in [`Batches`](crate::model::connection::batches::Batches).
    pub batch: Option<usize>,
    /// Whether the request itself is faulty, so that its answer proves nothing.
    pub flawed: bool,
    /// The first `$/cancel_request` that names it, and that message's number.
    pub cancelled: Option<(Anchor, u64)>,
    /// Whether a `$/cancel_request` names it, or may name it: the id is also that of a request of
    /// the other side.
    pub may_be_cancelled: bool,
    /// What rules on its answer need to know.
    pub facts: RequestFacts,
}

impl Request {
    /// Whether it calls an extension method, which every result answers.
    pub fn is_of_extension(&self) -> bool {
        self.method.starts_with('_')
    }
}

/// An answered request.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRequest {
    pub request: Anchor,
    pub answer: Anchor,
    /// Who sent the request.
    pub asker: Option<Side>,
    /// How often the id has been used.
    pub uses: u32,
}

/// The index of a sender in arrays of three: client, agent, unknown.
pub(super) fn slot(side: Option<Side>) -> usize {
    match side {
        Some(Side::Client) => 0,
        Some(Side::Agent) => 1,
        None => 2,
    }
}
