//! Rules about authentication: the methods that an agent offers, login and logout, and requests
//! that need a login.

pub(super) mod account_holds_credential;
pub(super) mod duplicate_method_id;
pub(super) mod logout_failed;
pub(super) mod methods_malformed_dropped;
pub(super) mod required_without_methods;
pub(super) mod retry_without_login;
pub(super) mod state_contradiction;
pub(super) mod status_rejected;
pub(super) mod status_update_redundant;
pub(super) mod still_required;
pub(super) mod terminal_env_duplicate;
pub(super) mod terminal_method_authenticated;
pub(super) mod unadvertised_method;
