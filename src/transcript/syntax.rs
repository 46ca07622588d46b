//! Parsers for other notations than JSON, and for JSON within other text.

pub(super) mod elisp;
pub(super) mod lua;
pub(super) mod members;
pub(super) mod python;
pub(super) mod scan;
pub(super) mod unescape;
