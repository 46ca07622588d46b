//! Rules about capabilities: what a side has to advertise in `initialize` before the other side may
//! use it, and the form in which it is advertised.

pub(super) mod additional_directories;
pub(super) mod advertised_method_unimplemented;
pub(super) mod agent_method;
pub(super) mod archive_filter;
pub(super) mod auth_status_update;
pub(super) mod boolean_config_option;
pub(super) mod client_method;
pub(super) mod client_method_unimplemented;
mod crossing;
pub(super) mod dependency;
pub(super) mod gated_update;
pub(super) mod initial_options;
mod location;
pub(super) mod malformed;
pub(super) mod mcp_transport;
pub(super) mod needs;
pub(super) mod options_session_id;
pub(super) mod prompt_content;
pub(super) mod session_info_directories;
pub(super) mod skill_entries;
pub(super) mod system_prompt;
pub(super) mod system_prompt_accepted;
pub(super) mod system_prompt_content;
pub(super) mod system_prompt_override;
pub(super) mod terminal_auth;
pub(super) mod terminal_cancel;
pub(super) mod tool_call_cancel;
pub(super) mod unknown_key;
