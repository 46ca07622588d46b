//! The schemas as the program reads them.

#[path = "schema/generate.rs"]
mod generate;
#[path = "schema/soundness.rs"]
mod soundness;
