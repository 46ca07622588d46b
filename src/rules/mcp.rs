//! Rules about MCP: the servers that a client declares for a session, and MCP over ACP.

pub(super) mod duplicate_acp_server_id;
pub(super) mod duplicate_env_name;
pub(super) mod duplicate_server_name;
pub(super) mod missing_type;
pub(super) mod notification_inactive_request;
pub(super) mod relative_command;
pub(super) mod request_id_reused;
pub(super) mod response_both;
pub(super) mod sse_transport;
pub(super) mod undeclared_server;
pub(super) mod unsupported_transport_accepted;

mod servers;
