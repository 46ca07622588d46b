//! The schemas as the program reads them.

#[path = "schema/effects.rs"]
mod effects;
#[path = "schema/narrowing.rs"]
mod narrowing;
#[path = "schema/observations.rs"]
mod observations;
#[path = "schema/oracle.rs"]
mod oracle;
#[path = "schema/soundness.rs"]
mod soundness;
#[path = "schema/tables.rs"]
mod tables;
#[path = "schema/upstream.rs"]
mod upstream;

use super::generate;
