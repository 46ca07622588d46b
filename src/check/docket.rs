//! Diagnostics that wait until it is known of which agent they speak.

use std::{collections::VecDeque, sync::Arc};

use crate::{check::dispatch::RuleIndex, diagnostic::Diagnostic};

/// How many messages an agent has time to give its name, and how many diagnostics may wait for it.
const PATIENCE: u64 = 1000;

/// What the rules found, in the order of the messages. Agents give their names in answer to
/// `initialize`, but what stands before is theirs as well.
#[derive(Debug, Default)]
pub(super) struct Docket {
    waiting: VecDeque<Found>,
    /// Messages and passages so far.
    now: u64,
}

/// A diagnostic with its rule's index in the catalogue.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) rule: RuleIndex,
    pub(super) diagnostic: Diagnostic,
    /// When it was found.
    at: u64,
    /// Whether nothing more will be known of the agent.
    is_settled: bool,
}

impl Docket {
    /// Another message has been judged.
    pub(super) fn advance(&mut self) {
        self.now += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether more wait than may, so that the first need not any longer.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() as u64 > PATIENCE
    }

    pub(super) fn push(&mut self, rule: RuleIndex, diagnostic: Diagnostic) {
        self.waiting.push_back(Found { rule, diagnostic, at: self.now, is_settled: false });
    }

    /// The connection's agent is called so, or it will never be known how.
    pub(super) fn settle(&mut self, connection: u32, agent: Option<&Arc<str>>) {
        let own = |found: &&mut Found| !found.is_settled;
        for found in self.waiting.iter_mut().filter(own) {
            if found.diagnostic.connection == connection {
                found.diagnostic.agent = agent.cloned();
                found.is_settled = true;
            }
        }
    }

    /// Nothing more will be known of any agent.
    pub(super) fn end(&mut self) {
        for found in &mut self.waiting {
            found.is_settled = true;
        }
    }

    /// The next one that need not wait any longer.
    pub(super) fn next(&mut self) -> Option<Found> {
        let first = self.waiting.front()?;
        let is_late = self.now - first.at > PATIENCE || self.is_full();
        if first.is_settled || is_late { self.waiting.pop_front() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        protocol::Version,
        rule::{Finding, Severity},
        rules::CATALOGUE,
    };

    fn push(docket: &mut Docket, connection: u32) {
        docket.advance();
        let diagnostic = Diagnostic {
            rule: CATALOGUE[0],
            severity: Severity::Error,
            bound: None,
            finding: Finding::new("noise"),
            version: Version::V1,
            connection,
            method: None,
            agent: None,
            repeats: 0,
        };
        docket.push(0, diagnostic);
    }

    fn taken(docket: &mut Docket) -> Vec<(u32, Option<String>)> {
        let next = || docket.next().map(|found| found.diagnostic);
        std::iter::from_fn(next)
            .map(|found| (found.connection, found.agent.map(|name| name.to_string())))
            .collect()
    }

    #[test]
    fn the_first_in_line_holds_up_the_others() {
        let mut docket = Docket::default();
        for connection in [0, 1, 0] {
            push(&mut docket, connection);
        }
        docket.settle(1, Some(&"pot".into()));
        assert_eq!(taken(&mut docket), []);
        docket.settle(0, Some(&"kettle".into()));
        let [kettle, pot] = ["kettle", "pot"].map(|name| Some(name.to_owned()));
        assert_eq!(taken(&mut docket), [(0, kettle.clone()), (1, pot), (0, kettle)]);
        push(&mut docket, 2);
        docket.end();
        assert_eq!(taken(&mut docket), [(2, None)]);
    }

    #[test]
    fn patience_is_limited() {
        let mut docket = Docket::default();
        push(&mut docket, 0);
        (0..PATIENCE).for_each(|_| docket.advance());
        assert_eq!(taken(&mut docket).len(), 0);
        docket.advance();
        assert_eq!(taken(&mut docket).len(), 1);
    }
}
