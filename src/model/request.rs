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

/// A request that waits for its answer, with what rules need to judge the answer.
#[derive(Clone, Debug)]
pub struct Request {
    pub id: Id,
    pub method: Cow<'static, str>,
    /// The side that sent the request; `None` when it is unknown, as for an extension method in a
    /// recording without directions.
    pub sender: Option<Side>,
    /// Place of the whole request, so that a finding can point at it.
    pub at: Anchor,
    /// Place of the request's `id`, so that a finding can point at it.
    pub id_at: Anchor,
    /// Place of the request's `method`, so that a finding can point at it.
    pub method_at: Anchor,
    /// Message number of the request in its connection, counted from 1.
    pub number: u64,
    /// Message number of the sender's last message before the request; 0 without one.
    pub last_before: u64,
    /// Time of the request, in seconds on the recorder's clock; `None` without a time.
    pub time: Option<f64>,
    /// The `sessionId` in the request's params; `None` without one.
    pub session_id: Option<Arc<str>>,
    /// Whether the connection's version, drafts included, defines the method.
    pub defined: bool,
    pub method_status: MethodStatus,
    /// Index in `Batches` of the batch in which the request came; `None` for a single message.
    pub batch: Option<usize>,
    /// Whether the request is faulty, for example has a repeated or unusable id, so that its
    /// answer, or the lack of one, proves nothing.
    pub flawed: bool,
    /// Place and message number of the first `$/cancel_request` that certainly names the request;
    /// `None` without one.
    pub cancelled: Option<(Anchor, u64)>,
    /// Whether a `$/cancel_request` names the request, or may: a request of the other side has the
    /// same id.
    pub may_be_cancelled: bool,
    /// Message number of a response that names no request and may be the answer. Known at the end of
    /// the recording; `None` when there is none.
    pub unnamed_answer: Option<u64>,
    /// What is kept of the params for rules on the answer.
    pub facts: RequestFacts,
}

impl Request {
    /// Whether the request calls an extension method, which any result answers.
    pub fn is_of_extension(&self) -> bool {
        self.method.starts_with('_')
    }
}

/// What is kept of a request after its answer, to explain a second response with the same id.
/// `request` and `answer` are the places of both messages.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredRequest {
    pub request: Anchor,
    pub answer: Anchor,
    /// The side that sent the request; `None` when it is unknown.
    pub asker: Option<Side>,
    /// How many requests of the sender with this id were answered so far.
    pub uses: u32,
}

/// The index of a sender in arrays of three: 0 client, 1 agent, 2 unknown.
pub(super) fn slot(side: Option<Side>) -> usize {
    match side {
        Some(Side::Client) => 0,
        Some(Side::Agent) => 1,
        None => 2,
    }
}
