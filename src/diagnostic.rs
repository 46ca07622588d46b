//! A finding with the rule that made it: what every output reads.

use crate::{
    protocol::Side,
    rule::{Finding, Rule, Severity},
};

/// One fault in a transcript.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: &'static Rule,
    /// Never [`Severity::Off`].
    pub severity: Severity,
    /// Whose fault it is; `None` where nobody can tell.
    pub bound: Option<Side>,
    pub finding: Finding,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
}

impl Diagnostic {
    /// Where the requirement can be read on the web.
    pub fn url(&self) -> Option<String> {
        self.rule.cites.iter().find_map(|citation| citation.source.url())
    }
}
