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

/// A response and the request it answers.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member.
    pub id: Node<'t>,
    pub outcome: Response<'t>,
    /// The request that is answered.
    pub request: &'t Request,
    /// Whether the id was outstanding on both sides, so that the request is a guess. No error is
    /// reported on such an answer alone.
    pub ambiguous: bool,
}

impl<'t> Deref for Answer<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

impl<'t> Answer<'t> {
    /// The result, when the request succeeded.
    pub fn result(&self) -> Option<Node<'t>> {
        match self.outcome {
            Response::Result(node) => Some(node),
            Response::Error(_) => None,
        }
    }

    /// The error, when the request failed.
    pub fn error(&self) -> Option<Node<'t>> {
        match self.outcome {
            Response::Error(node) => Some(node),
            Response::Result(_) => None,
        }
    }

    /// The error's code, when the request failed and the code is an integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error()?.get("code")?.integer()
    }
}

/// The `result` or `error` member of a response.
#[derive(Clone, Copy, Debug)]
pub enum Response<'t> {
    Result(Node<'t>),
    Error(Node<'t>),
}

/// A response to no outstanding request.
#[derive(Clone, Copy, Debug)]
pub struct Stray<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member.
    pub id: Node<'t>,
    pub why: StrayKind<'t>,
}

impl<'t> Deref for Stray<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

/// Why a response answers nothing that is outstanding.
#[derive(Clone, Copy, Debug)]
pub enum StrayKind<'t> {
    /// No request has ever had this id.
    Unknown,
    /// The request with this id was answered before.
    Answered(AnsweredRequest),
    /// An outstanding request has this id in another JSON type.
    OtherType(&'t Request),
    /// The id is null.
    Null,
}

/// An answer that may belong to several requests.
#[derive(Clone, Copy, Debug)]
pub struct Contested {
    pub at: Anchor,
    /// Number of the message in its connection.
    pub number: u64,
    /// Whether it is an error; `None` when that is unknown.
    pub is_error: Option<bool>,
}
