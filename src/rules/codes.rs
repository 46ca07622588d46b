//! The error codes of JSON-RPC 2.0 and of the protocol that several rules use.

use crate::model::connection::auth::REQUIRED;

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
