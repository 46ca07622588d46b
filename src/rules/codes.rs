//! The error codes of JSON-RPC 2.0 and of the protocol that several rules use.

use crate::model::connection::auth::REQUIRED;

pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const CANCELLED: i64 = -32800;
/// The requested resource does not exist, such as a session or a file.
pub(crate) const NOT_FOUND: i64 = -32002;

/// Returns true for errors that say nothing about the params of a request: the receiver does not
/// have the method, the request was cancelled, or a login is required.
pub(crate) fn is_unrelated_to_params(code: i64) -> bool {
    [METHOD_NOT_FOUND, CANCELLED, REQUIRED].contains(&code)
}
