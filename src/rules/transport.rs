//! Rules about the transport: the bytes between messages, lines, encoding, and JSON itself.

pub(super) mod bom;
pub(super) mod duplicate_key;
pub(super) mod embedded_newline;
pub(super) mod invalid_utf8;
pub(super) mod lsp_framing;
pub(super) mod not_json;
pub(super) mod not_object;
pub(super) mod truncated_tail;

mod raw;
