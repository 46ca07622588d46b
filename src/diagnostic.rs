//! A finding with the rule that made it: what every output reads.

use std::sync::Arc;

use crate::{
    protocol::{Side, Version},
    rule::{Finding, Rule, Severity},
};

/// A finding with the rule that made it, and with what reports need to show it: severity, side,
/// version, connection, names.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: &'static Rule,
    /// The severity after configuration; never [`Severity::Off`], since findings of disabled rules
    /// are dropped.
    pub severity: Severity,
    /// The side that is at fault; `None` when the sender of the message is unknown.
    pub bound: Option<Side>,
    pub finding: Finding,
    /// The protocol version by which the message was judged.
    pub version: Version,
    /// Number of the connection in the file, from 0.
    pub connection: u32,
    /// The method of the call at fault, or of the request that a faulty response answers; `None`
    /// where neither is known.
    pub method: Option<Arc<str>>,
    /// The client's name from `initialize`; `None` while it has not given one.
    pub client: Option<Arc<str>>,
    /// The agent's name from its answer to `initialize`; `None` when it gives none within a
    /// thousand messages.
    pub agent: Option<Arc<str>>,
    /// How many similar findings are left out and only counted here.
    pub repeats: u64,
}

impl Diagnostic {
    /// The name of the implementation at fault: the client's or the agent's; the agent's also when
    /// the side is unknown. `None` when it has given no name.
    pub fn implementation(&self) -> Option<&Arc<str>> {
        match self.bound {
            Some(Side::Client) => self.client.as_ref(),
            Some(Side::Agent) | None => self.agent.as_ref(),
        }
    }

    /// The web page that states the requirement in the version by which the message was judged;
    /// `None` when no page does.
    pub fn url(&self) -> Option<String> {
        let is_own = |version: Option<Version>| version.is_none_or(|own| own == self.version);
        let mut own = self.rule.cites.iter().filter(|citation| is_own(citation.version));
        own.find_map(|citation| citation.source.url())
    }
}
