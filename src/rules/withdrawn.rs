//! Withdrawn questions of cancelled work, for the rules about permission requests and elicitations.

use crate::{
    model::{Answer, Connection},
    rule::Verdict,
};

/// Passes where a question was open when the client cancelled the work, and the agent withdrew it before
/// the answer. `None` for all other answers.
pub(super) fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let request = answer.request;
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let is_left = request.number < session.cancelled?.number;
    (is_left && request.cancelled.is_some()).then_some(Verdict::Pass)
}
