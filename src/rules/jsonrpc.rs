//! Rules of JSON-RPC 2.0: the members of a message, ids, batches, errors, and the pairing of
//! requests with responses.

pub(super) mod ambiguous_shape;
pub(super) mod batch;
pub(super) mod batch_empty;
pub(super) mod batch_empty_response;
pub(super) mod batch_invalid_entry;
pub(super) mod batch_lifecycle_method;
pub(super) mod batch_mixed_kinds;
pub(super) mod batch_response_split;
pub(super) mod duplicate_id;
pub(super) mod duplicate_response;
pub(super) mod error_code_reserved;
pub(super) mod error_code_unassigned;
pub(super) mod error_data_shape;
pub(super) mod error_message_format;
pub(super) mod error_object;
pub(super) mod id_reuse;
pub(super) mod id_type;
pub(super) mod notification_with_id;
pub(super) mod null_id;
pub(super) mod null_id_error_code;
pub(super) mod params_not_object;
pub(super) mod proxy_params_type;
pub(super) mod refusal_code;
pub(super) mod request_without_id;
pub(super) mod response_id_type;
pub(super) mod response_to_notification;
pub(super) mod result_xor_error;
pub(super) mod unanswered_request;
pub(super) mod undefined_method_accepted;
pub(super) mod unexpected_envelope_member;
pub(super) mod unmatched_response;
pub(super) mod version;

mod failure;
