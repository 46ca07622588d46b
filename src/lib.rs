//! Conformance validator for recorded Agent Client Protocol traffic.
//!
//! acpcheck is a linter whose language is a conversation. Bytes go in; messages come out of them; a
//! model of the connection advances message by message; and rules say of each event whether it was
//! allowed in the state just before.
//!
//! ```text
//!  bytes ──▶ transcript ──▶ Record ──▶ Message ──▶ events, from the general to the particular
//!             format,       message,    envelope,              │
//!             lines         direction   sender                 ▼
//!                    ┌──────────────── check ──────────────────────────────────┐
//!                    │  for event: for rule: check(event, &connection) → Verdict │
//!                    │  then     : connection.apply(event)                       │
//!                    └───────┬───────────────────────────────┬─────────────────┘
//!                            ▼                               ▼
//!                    Diagnostic { rule, finding }     Tally { exercised, failed }
//! ```
//!
//! Invariants (`tests/architecture.rs` checks those that a search can check):
//!
//! 1. One direction: [`source`] → [`json`] → [`protocol`] → [`transcript`] → [`event`] → [`model`] →
//!    [`rule`] → [`rules`] → [`diagnostic`] → [`check`] → [`plans`] → [`report`] → [`cli`].
//! 2. Nothing is reported but by a rule.
//! 3. The model never judges; rules never change it.
//! 4. Rules see the state before the event: what its sender could know.
//! 5. A rule is one value in one file; `explain`, the rule table, reports and tests are walks over
//!    [`rules::CATALOGUE`].
//! 6. The core does no I/O and never fails; only [`cli`] opens files and prints.
//! 7. A message that breaks one rule is not reported by five: a finding says what it explains, the
//!    schema and extension rules speak only of what is left.
//!
//! To add a rule: write `src/rules/<family>/<name>.rs`, name it twice in `src/rules.rs`, add
//! `fixtures/<family>/<name>/{bad,good}-*.ndjson`, run the tests and read what changed.

pub mod check;
pub mod cli;
pub mod diagnostic;
pub mod event;
pub mod json;
mod map;
pub mod model;
pub mod plans;
pub mod protocol;
pub mod report;
pub mod rule;
pub mod rules;
pub mod source;
pub mod transcript;
