//! Notations that writers use instead of JSON, and JSON amid other text.

pub(super) mod elisp;
pub(super) mod lua;
pub(super) mod members;
pub(super) mod python;
pub(super) mod scan;
pub(super) mod unescape;
