//! See the rules of this family.
