//! Rules about cancellation: of a turn by `session/cancel`, and of a request by `$/cancel_request`.

pub(super) mod error_response;
pub(super) mod foreign_request;
pub(super) mod no_active_turn;
pub(super) mod proxy_forwarded;
pub(super) mod request_unanswered;
pub(super) mod request_unknown_id;
pub(super) mod response_after_cancel_late;
pub(super) mod unsolicited;
pub(super) mod update_after_response;
pub(super) mod wrong_error_code;
pub(super) mod wrong_stop_reason;

pub(super) mod abort;
