//! Conformance validator for recorded Agent Client Protocol traffic.

pub mod json;
pub mod protocol;
pub mod source;
