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
    /// The side that is at fault; `None` when it is unknown.
    pub bound: Option<Side>,
    pub finding: Finding,
    /// The version of the protocol that the message was judged by.
    pub version: Version,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    /// The method of the call that it is about, or of the request that was answered or left open;
    /// `None` where there is none.
    pub method: Option<Arc<str>>,
    /// The client's name; `None` while it has not given one.
    pub client: Option<Arc<str>>,
    /// The agent's name, if it gives one within a thousand messages.
    pub agent: Option<Arc<str>>,
    /// How many more findings like it there were, which it stands for.
    pub repeats: u64,
}

impl Diagnostic {
    /// The name of the implementation that is at fault; of the agent where the side is unknown. `None`
    /// where it has given no name.
    pub fn implementation(&self) -> Option<&Arc<str>> {
        match self.bound {
            Some(Side::Client) => self.client.as_ref(),
            Some(Side::Agent) | None => self.agent.as_ref(),
        }
    }

    /// The web page with the requirement, in the version that the message was judged by; `None`
    /// when no page has it.
    pub fn url(&self) -> Option<String> {
        let is_own = |version: Option<Version>| version.is_none_or(|own| own == self.version);
        let mut own = self.rule.cites.iter().filter(|citation| is_own(citation.version));
        own.find_map(|citation| citation.source.url())
    }
}
