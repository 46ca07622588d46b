//! Rules about extensions: names that the protocol does not define, and `_meta`.

pub(super) mod dollar_method;
pub(super) mod meta_not_object;
pub(super) mod trace_context_format;
pub(super) mod undeclared_extension;
pub(super) mod unknown_field;
pub(super) mod unknown_method_error;
pub(super) mod unprefixed_method;
pub(super) mod unprefixed_value;
