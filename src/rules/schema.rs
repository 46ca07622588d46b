//! Rules that report what the schemas of the protocol reject. They stand at the end of the
//! catalogue and report only what no rule before them explains.

pub(super) mod empty_identifier;
pub(super) mod field_casing;
pub(super) mod misplaced_member;
pub(super) mod null_array;
pub(super) mod null_result;
pub(super) mod params;
pub(super) mod result;
pub(super) mod union_fallthrough;
pub(super) mod wording;

mod hints;
