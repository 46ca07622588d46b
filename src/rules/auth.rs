pub(super) mod duplicate_method_id;
pub(super) mod retry_without_login;
pub(super) mod status_rejected;
pub(super) mod still_required;
pub(super) mod terminal_method_authenticated;
pub(super) mod unadvertised_method;
