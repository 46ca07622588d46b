//! See the rules of this family.
pub(super) mod empty;
