//! Error codes that rules look for.

use crate::model::connection::auth::REQUIRED;

pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const CANCELLED: i64 = -32800;
/// What is asked for does not exist: a session, a file.
pub(crate) const NOT_FOUND: i64 = -32002;

/// Whether the code says nothing about what was asked: the receiver lacks the method, was told to
/// stop, or wants a login first.
pub(crate) fn is_beside_the_point(code: i64) -> bool {
    [METHOD_NOT_FOUND, CANCELLED, REQUIRED].contains(&code)
}
