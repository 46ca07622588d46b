//! Responses, paired with the requests that they answer.

use std::ops::Deref;

use crate::{
    event::Message,
    json::Node,
    model::{
        anchor::Anchor,
        request::{AnsweredRequest, Request},
    },
};

/// A response together with the request that it answers. Rules on answers get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member of the response.
    pub id: Node<'t>,
    pub outcome: Response<'t>,
    /// The request that the response answers, with what was kept of it.
    pub request: &'t Request,
    /// Whether several requests had the id when the response came, so that `request` is a guess. No
    /// error is reported on such an answer alone.
    pub ambiguous: bool,
}

impl<'t> Deref for Answer<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

impl<'t> Answer<'t> {
    /// The `result` member; `None` when the response is an error.
    pub fn result(&self) -> Option<Node<'t>> {
        match self.outcome {
            Response::Result(node) => Some(node),
            Response::Error(_) => None,
        }
    }

    /// The `error` member; `None` when the response is a result.
    pub fn error(&self) -> Option<Node<'t>> {
        match self.outcome {
            Response::Error(node) => Some(node),
            Response::Result(_) => None,
        }
    }

    /// The code in the `error` member; `None` when the response is a result or the code is not an
    /// integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error()?.get("code")?.integer()
    }
}

/// The `result` or `error` member of a response: what the response says.
#[derive(Clone, Copy, Debug)]
pub enum Response<'t> {
    Result(Node<'t>),
    Error(Node<'t>),
}

/// A response that belongs to no open request. Rules on stray responses get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct Stray<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member of the response.
    pub id: Node<'t>,
    pub why: StrayKind<'t>,
}

impl<'t> Deref for Stray<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

/// Why a response answers no request that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub enum StrayKind<'t> {
    /// The recording has no request with this id that the response could answer.
    Unknown,
    /// The last request with this id was answered before; this is a second answer.
    Answered(AnsweredRequest),
    /// An open request has the same characters as id, in another JSON type, such as `1` for `"1"`.
    OtherType(&'t Request),
    /// The id of the response is null, as for a request that could not be read.
    Null,
}

/// An answer that could belong to several requests, since they have the same id.
#[derive(Clone, Copy, Debug)]
pub struct Contested {
    pub at: Anchor,
    /// Message number of the answer in its connection, counted from 1.
    pub number: u64,
    /// Whether the answer is an error; `None` when that is unknown, because several answers may be
    /// meant.
    pub is_error: Option<bool>,
}
