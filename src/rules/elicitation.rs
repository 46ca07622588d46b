//! Rules about elicitation: questions of the agent to the user, as a form or as a URL to open.

pub(super) mod ambiguous_scope;
pub(super) mod complete_unknown_id;
pub(super) mod content_ignored;
pub(super) mod content_mismatch;
pub(super) mod default_invalid;
pub(super) mod id_reused;
pub(super) mod nested_schema;
pub(super) mod not_withdrawn;
pub(super) mod required_unknown_property;
pub(super) mod secret_in_form;
pub(super) mod unadvertised_mode_answered;
pub(super) mod unknown_request_scope;
pub(super) mod unknown_session_or_tool;
pub(super) mod unsupported_mode;
pub(super) mod unsupported_mode_code;
pub(super) mod url_credentials;
pub(super) mod url_in_form;
pub(super) mod url_not_https;

mod forms;
mod links;
mod mode;
