//! Conformance validator for recorded Agent Client Protocol (ACP) traffic.
//!
//! Bytes of a transcript go in; diagnostics come out. A model of the connection follows the messages
//! one by one, and rules say of each event whether the state just before allowed it.
//!
//! ```text
//! bytes ─▶ transcript::Reader ─▶ Passage ─▶ check::Checker ─▶ Diagnostic ─▶ report::<format>
//!          detects the format,   message,   events → rules,   rule,         renders one file
//!          cuts lines, unwraps   flaw, gap  then the model    finding       at a time
//! ```
//!
//! # Where things are
//!
//! Each module imports only from those above it; `tests/architecture.rs` checks that.
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | places in a file: spans, lines and columns, excerpts |
//! | [`json`] | parses a message and keeps where each value stands |
//! | [`protocol`] | sides, versions, editions, and the schemas: methods, definitions, what they refuse |
//! | [`requirements`] | the index of what the protocol demands, and where it says so |
//! | [`transcript`] | bytes → [`Passage`](transcript::Passage): formats, lines, directions, redaction |
//! | [`event`] | typed reading of one message: call, session update, plan removal, content block |
//! | [`model`] | the state of a connection: negotiation, open requests, sessions, plans, tool calls |
//! | [`rule`] | what a rule is, and what it may say |
//! | [`rules`] | one file for each rule, and the [`CATALOGUE`](rules::CATALOGUE) of all |
//! | [`vocabulary`] | the words of a transcript that may be shown to anybody |
//! | [`diagnostic`] | a finding with its rule, severity and connection |
//! | [`mod@check`] | runs rules on passages, keeps one diagnostic for one cause, counts |
//! | [`plans`] | the plan timeline: what a client shows after each message |
//! | [`audit`] | the audit log: what was done, and what the client was asked and answered |
//! | [`report`] | one file for each output format, and the compliance report |
//! | [`diff`] | what has changed between the recordings of two releases |
//! | [`redact`] | replaces what users wrote in a recording, and proves that the findings stay |
//! | [`reduce`] | makes the smallest recording that still has a finding |
//! | [`record`] | frames the bytes of a connection as lines of a recording |
//! | [`drive`] | scenarios that play the client's part against a live agent |
//! | [`play`] | scenarios that play the agent's part for a live client |
//! | [`testing`] | checks the messages of a test, and shows its findings |
//! | [`cli`] | arguments, configuration, files, threads, processes, exit status |
//!
//! # Rules of the house
//!
//! 1. Only rules report. The model takes every event, legal or not; rules never change it.
//! 2. Rules see the state before the event: what its sender could know. The event is applied after
//!    them.
//! 3. A rule is one value in one file. `explain`, the rule table, reports and tests are walks over the
//!    catalogue.
//! 4. The core does no I/O and never fails; only [`cli`] opens files and prints.
//! 5. One cause gives one diagnostic: a finding says which values it explains, and rules about schemas
//!    and extensions stay silent about those.
//! 6. What exists for speed alone is one module that can be deleted.
//!
//! # Words
//!
//! - **transcript**: a recording of messages, in one of the formats of [`transcript::FORMATS`].
//! - **passage**: one thing that a transcript says: a message, a flaw, a gap.
//! - **flaw**: text in a transcript that is not a message.
//! - **lane**: the name by which a recorder tells the connections of one file apart. **hop**: one of the
//!   connections that a message takes through proxies.
//! - **side**: client or agent. The **sender** of a message is a side; so is who is **bound** by a rule.
//! - **surface**: a version of the protocol with or without its drafts. **edition**: the state of its
//!   schemas at a date.
//! - **call**: a request or notification. **answer**: a response with the request that it answers.
//!   **stray**: a response without one.
//! - **gate**: what must be on record before a rule may speak, such as the connection's beginning.
//! - **finding**: what a rule says about one event. **diagnostic**: a finding as it is reported.
//! - **verdict**: what the check of a rule returns: passed, failed with findings, or `None` when its
//!   condition is not met. A rule is **exercised** each time its condition is met.
//! - **anchor**: the kept text and place of an earlier value, for labels that explain a later fault.
//! - **tape**: the flat list of a message's JSON tokens; a **node** is one value on it.
//! - **tally**: how often a rule was exercised and broken. **conduct**: the tallies and messages of each
//!   side, for the compliance report. **pairing**: the connections between the same two implementations.
//! - To **check** a message is to **run** the rules on it; what they say are verdicts. A rule **may
//!   speak** when its gates are open; else it is **not assessable**.
//!
//! # To add a rule `family/name`
//!
//! 1. `src/rules/<family>/<name>.rs` (`-` is `_` in the file name): copy a short neighbour. It begins
//!    with `use crate::rule::prelude::*;`, has one `static RULE: Rule`, ends with `..Rule::DEFAULT`
//!    where the defaults hold, and has a function for each event in `on`. Its `needs` names what some
//!    recorders drop and the rule cannot do without.
//! 2. `src/rules/<family>.rs`: `pub(super) mod <name>;`.
//! 3. `src/rules.rs`, `CATALOGUE`: `&<family>::<name>::RULE`. Rules run in this order: a rule whose
//!    findings explain a value stands before those that would report the value, too.
//! 4. `fixtures/<family>/<name>/bad-<what>.ndjson`: breaks this rule and no other.
//! 5. `fixtures/<family>/<name>/good-<what>.ndjson`: breaks no rule.
//! 6. `requirements`, in the rule: the ids of `schema/requirements.tsv` that it checks.
//! 7. `CHANGELOG.md`: a line for users.
//!
//! Then run the tests. `tests/catalogue.rs` and `tests/fixtures.rs` say what is forgotten. The rule
//! table of `src/rules/README.md` and the names in `schema/acpcheck.schema.json` are rewritten; read the
//! difference. Snapshots are accepted with `INSTA_UPDATE=always cargo test`.
//!
//! # To add a transcript format
//!
//! 1. `src/transcript/formats/<name>.rs`: copy the most similar neighbour: a `FORMAT`, `detect`, and
//!    the function that `read` names. A format that wraps messages in objects under other names is a
//!    row of `src/transcript/formats/wrappers.rs` instead; then step 2 falls away.
//! 2. `src/transcript/formats.rs`: `mod <name>;`.
//! 3. `src/transcript/formats.rs`, `FORMATS`: `&<name>::FORMAT`, before any format that would also take
//!    the file.
//! 4. `fixtures/formats/<name>/garden.<ext>`: the conversation of the other fixtures in this format.
//! 5. `tests/formats/writers.rs`, `all()`: a writer of the format; every fixture is then read in it,
//!    too. Formats that keep less than the whole conversation: also `senders` in `tests/formats.rs`.
//!
//! # To add an output format
//!
//! 1. `src/report/<name>.rs`: `FORMAT` and a type that implements `Report`.
//!    `src/report/concise.rs` is the shortest example.
//! 2. `src/report.rs`: `mod <name>;`.
//! 3. `src/report.rs`, `FORMATS`: an entry.
//! 4. `README.md`, "Outputs": the name.
//! 5. `CHANGELOG.md`: a line for users.
//!
//! Then run the tests. They say what is forgotten. The table of `src/report/README.md` is rewritten, and
//! the help of `check` is a snapshot: read the differences. A format that is read along is named in
//! `src/report/README.md` and in the help of `--report`, too.
//!
//! # To add a protocol method with state and a rule
//!
//! What the schemas say (who sends it, its params and result, versions and drafts) needs no code. All
//! other places with names of methods are these; a method needs those that apply to it.
//!
//! | place | when |
//! |---|---|
//! | `schema/…`, `schema/UPSTREAM` | taken over from upstream; `tests/schema/upstream.rs`, `tests/schema/oracle.rs` follow |
//! | `src/protocol/schema/documents/editions.rs`, `turn_back` | an older edition defines it otherwise |
//! | `src/protocol/methods.rs` | it belongs to a group there: sets up, controls or names a session, logs in |
//! | `src/transcript/apparent.rs` | only one version has it, or its result tells who sent it |
//! | `src/model/request/facts.rs`: variant, and arm of `RequestFacts::of` | its answer is judged by its params |
//! | `src/model/connection/<part>.rs` or `src/model/session/<part>.rs`: field, arm of `apply_…` | it changes state |
//! | `src/event/blocks.rs`, `each` | it carries content blocks |
//! | `src/rules/capability/needs.rs`, `src/rule/opening.rs`, `tests/conversations/opening.rs` | a capability allows it |
//! | the rule | as above |
//! | other rules that list methods, such as `src/rules/config/lists.rs` | it has a value that they check |
//! | `src/drive/…`, `src/play/…` | `drive` or `play` sends or answers it |
//! | `src/transcript/formats/sdk_calls.rs` | SDKs have a function for it |
//! | `tests/conversations/{client,agent,sessions}.rs` | generated conversations send and answer it |

pub mod audit;
pub mod check;
pub mod cli;
pub mod diagnostic;
pub mod diff;
pub mod drive;
pub mod event;
pub mod json;
mod map;
pub mod model;
pub mod plans;
pub mod play;
pub mod protocol;
pub mod record;
pub mod redact;
pub mod reduce;
pub mod report;
pub mod requirements;
pub mod rule;
pub mod rules;
pub mod source;
pub mod testing;
pub mod transcript;
pub mod vocabulary;

pub use testing::check;
