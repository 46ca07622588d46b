//! What the answer to a permission request allows.

use crate::model::{anchor::Anchor, request::permission::PermissionRequest, response::Answer};

/// Why an answer to a permission request does not approve what was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The client chose an option of kind `reject_once` or `reject_always`.
    Rejected,
    /// The client chose an option that the request did not offer.
    NotOffered,
    Cancelled,
    /// The answer has an outcome that the protocol does not define.
    UnknownOutcome,
    /// The answer to the permission request is an error.
    Failed,
}

impl Refusal {
    /// Why an answer does not approve the permission request `ask`; `None` when it approves or
    /// cannot be read.
    pub fn of(answer: &Answer<'_>, ask: &PermissionRequest) -> Option<Self> {
        let Some(result) = answer.result() else { return Some(Self::Failed) };
        let outcome = result.get("outcome")?;
        match &*outcome.get("outcome")?.text()?.as_cow() {
            "selected" => {
                let id = outcome.get("optionId")?.text()?;
                match ask.offered(&id.as_cow()) {
                    Some(kind) if kind.rejects() => Some(Self::Rejected),
                    Some(_) => None,
                    None => ask.is_legible.then_some(Self::NotOffered),
                }
            }
            "cancelled" => Some(Self::Cancelled),
            _ => Some(Self::UnknownOutcome),
        }
    }
}

/// An answer that did not approve a permission request, with what rules need to judge what the
/// agent does afterwards.
#[derive(Clone, Copy, Debug)]
pub struct Denial {
    pub why: Refusal,
    pub request: Anchor,
    pub answer: Anchor,
    /// Message number of the answer.
    pub number: u64,
    /// Code of the JSON-RPC error; `None` when the answer is a result.
    pub code: Option<i64>,
    /// Whether the agent had cancelled the permission request before the answer, or may have.
    pub was_withdrawn: bool,
    /// Whether the status of the tool call was `in_progress` when the answer came. Always `false`
    /// for terminals.
    pub was_running: bool,
}
