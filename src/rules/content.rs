//! Rules about content blocks and the values in them: base64, MIME types, timestamps, URIs.

pub(super) mod annotation_priority_range;
pub(super) mod author;
pub(super) mod icon_scheme;
pub(super) mod icon_size;
pub(super) mod invalid_base64;
pub(super) mod mime_type;
pub(super) mod timestamp;
pub(super) mod timestamp_format;
pub(super) mod uri;
pub(super) mod uri_not_absolute;
