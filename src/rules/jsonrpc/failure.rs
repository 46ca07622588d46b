//! Reads the error of a response.

use crate::{
    event::{Envelope, Message},
    json::Node,
};

/// The error of a response; `None` for another message, and for `"error": null` beside a result.
pub(super) fn error<'t>(message: &Message<'t>) -> Option<Node<'t>> {
    let Envelope { method: None, result, error, .. } = message.envelope else { return None };
    error.filter(|error| result.is_none() || !error.is_null())
}

/// The code of the error of a response, and its node; `None` without an error, and when the code is
/// not an integer.
pub(super) fn code<'t>(message: &Message<'t>) -> Option<(i64, Node<'t>)> {
    let code = error(message)?.get("code")?;
    Some((code.integer()?, code))
}
