//! What the answer to a permission request allows.

use crate::model::{anchor::Anchor, request::permission::PermissionRequest, response::Answer};

/// Why a tool call may not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An option that rejects was chosen.
    Rejected,
    /// An option was chosen that was not offered.
    NotOffered,
    Cancelled,
    /// An outcome that the protocol does not define.
    UnknownOutcome,
    /// The request failed.
    Failed,
}

impl Refusal {
    /// Why the answer does not approve; `None` when it approves or cannot be read.
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

/// An answer that did not approve.
#[derive(Clone, Copy, Debug)]
pub struct Denial {
    pub why: Refusal,
    pub request: Anchor,
    pub answer: Anchor,
    /// The code of the error that the answer is; `None` for a result.
    pub code: Option<i64>,
    /// Whether the agent had withdrawn the request before the answer, or may have.
    pub was_withdrawn: bool,
    /// Whether the tool call was running when the answer came.
    pub was_running: bool,
}
