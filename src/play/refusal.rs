//! Why the agent refuses a request: a rule calls it an error.

use serde_json::{Value, json};

use crate::{play::Found, rule::Severity};

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
pub(super) const INTERNAL_ERROR: i64 = -32603;
pub(super) const AUTH_REQUIRED: i64 = -32000;
pub(super) const NOT_FOUND: i64 = -32002;

/// An error with which the played agent answers a request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: i64,
    pub(super) message: String,
    /// The `data` of the error; null to leave it out.
    pub(super) data: Value,
}

impl Refusal {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }

    /// The error for a message that broke a rule, with the rule as data; `None` where no finding is
    /// an error.
    pub(super) fn of(found: &[Found], message: &Value) -> Option<Self> {
        let error = found.iter().find(|found| found.severity == Severity::Error)?;
        let code = code(error.rule);
        let mut data = json!({ "rule": error.rule });
        if let Some(url) = &error.url {
            data["url"] = url.as_str().into();
        }
        if code == NOT_FOUND {
            data["sessionId"] = message["params"]["sessionId"].clone();
        }
        Some(Self { code, message: error.message.clone(), data })
    }

    /// The error for a request that names an unknown session.
    pub(super) fn unknown_session(session: &Value) -> Self {
        let message = format!("there is no session {session}");
        Self { code: NOT_FOUND, message, data: json!({ "sessionId": session }) }
    }
}

/// The JSON-RPC code of the error for a request that breaks the rule with this id.
fn code(rule: &str) -> i64 {
    match rule.split('/').next() {
        Some("transport") => PARSE_ERROR,
        Some("jsonrpc" | "lifecycle") => INVALID_REQUEST,
        _ => match rule {
            "capability/agent-method" => METHOD_NOT_FOUND,
            "session/unknown-id" | "session/not-active" => NOT_FOUND,
            _ => INVALID_PARAMS,
        },
    }
}
