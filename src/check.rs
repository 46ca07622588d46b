//! From bytes to diagnostics: one transcript judged by all rules.

use crate::{
    diagnostic::Diagnostic,
    protocol::{Edition, Side, Surface, Version},
    rule::{Rule, Severity},
};

/// How to judge a transcript.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `None`: the negotiated version, drafts judged by the unstable schema and named once.
    pub surface: Option<Surface>,
    /// `None`: the current one, with the older spellings of plans accepted and named once.
    pub edition: Option<Edition>,
    pub head: Head,
    pub tail: Tail,
    /// Severity by index in the catalogue; `None` for the rule's own.
    pub severities: Vec<Option<Severity>>,
}

/// Whether the beginning of the connection is on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Head {
    /// As the first message tells.
    #[default]
    Auto,
    Complete,
    Truncated,
}

/// Whether the end of the connection is on record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tail {
    /// As the last messages tell.
    #[default]
    Auto,
    Open,
    Closed,
}

/// What is known of a transcript when it has been read.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Name of the format it was read as; `None` when nothing in it was a message.
    pub format: Option<&'static str>,
    /// What its last connection was judged by.
    pub surface: Option<Surface>,
    pub edition: Edition,
    /// JSON-RPC messages read.
    pub messages: u64,
    pub connections: u32,
    /// By index in the catalogue.
    pub tallies: Vec<Tally>,
    /// For diagnostics that stand for several: (index of the diagnostic in the order of
    /// reporting, how many more there were), ascending.
    pub repeats: Vec<(u64, u64)>,
}

/// How often a rule's condition was met, and how often it was broken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub exercised: u64,
    pub failed: u64,
}

/// A transcript being judged: fed with bytes, it yields diagnostics in the order of the messages.
///
/// It does no I/O and never fails. Blocks may be cut anywhere; the diagnostics are the same.
#[derive(Debug)]
pub struct Check { /* … */ }

impl Check {
    pub fn new(settings: &Settings) -> Self;
    /// Takes the next bytes of the transcript.
    pub fn feed(&mut self, bytes: &[u8]);
    /// The diagnostics found since the last call.
    pub fn drain(&mut self) -> std::vec::Drain<'_, Diagnostic>;
    /// The transcript has ended; its last diagnostics are in `diagnostics`.
    pub fn finish(self, diagnostics: &mut Vec<Diagnostic>) -> Outcome;
}
