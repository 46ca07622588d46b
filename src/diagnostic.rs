//! A finding with the rule that made it: what every output reads.

use std::sync::Arc;

use crate::{
    protocol::{Side, Version},
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
    /// The version it was judged by.
    pub version: Version,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    /// The method of the call that it is about, or of the request that was answered or left open;
    /// `None` where there is none.
    pub method: Option<Arc<str>>,
    /// The agent's name, if it gives one within a thousand messages.
    pub agent: Option<Arc<str>>,
    /// How many more findings like it there were, which it stands for.
    pub repeats: u64,
}

impl Diagnostic {
    /// Where the requirement can be read on the web, in the pages of the version that was judged by;
    /// `None` where it stands in no page.
    pub fn url(&self) -> Option<String> {
        let is_own = |version: Option<Version>| version.is_none_or(|own| own == self.version);
        let mut own = self.rule.cites.iter().filter(|citation| is_own(citation.version));
        own.find_map(|citation| citation.source.url())
    }
}
