//! The error codes of JSON-RPC 2.0 and of the protocol that several rules use.

use crate::{
    json::{Node, Text},
    model::{Answer, Connection, connection::auth::REQUIRED},
};

pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const CANCELLED: i64 = -32800;
/// Error code: the requested resource, such as a session or a file, does not exist.
pub(crate) const NOT_FOUND: i64 = -32002;

/// Whether an error code says nothing about the params of a request: unknown method, cancelled
/// request, or login required.
pub(crate) fn is_unrelated_to_params(code: i64) -> bool {
    [METHOD_NOT_FOUND, CANCELLED, REQUIRED].contains(&code)
}

/// Whether a not-found error may be about the session of its request, or a directory, instead of another
/// value. It is about the value where the client has the session in use and the error has other words.
pub(crate) fn may_lack_session(answer: &Answer<'_>, connection: &Connection) -> bool {
    const OTHERS: [&str; 7] =
        ["session", "conversation", "thread", "director", "folder", "cwd", "path"];
    let id = answer.request.session_id.as_deref();
    let session = id.and_then(|id| connection.session_named(id));
    if session.is_none_or(|session| !session.is_attached() || session.info.closing.is_some()) {
        return true;
    }
    let mut words = String::new();
    let mut waiting: Vec<Node<'_>> = answer.error().into_iter().collect();
    while let Some(value) = waiting.pop() {
        words.push_str(value.text().map(Text::as_cow).as_deref().unwrap_or_default());
        words.push('\n');
        for (name, value) in value.members() {
            words.push_str(name.text().map(Text::as_cow).as_deref().unwrap_or_default());
            words.push('\n');
            waiting.push(value);
        }
        waiting.extend(value.elements());
    }
    let is_of_session = id.is_some_and(|id| id.len() > 1 && words.contains(id));
    let words = words.to_lowercase();
    is_of_session || OTHERS.iter().any(|word| words.contains(word))
}
