//! Diagnostics that wait until it is known which agent they are about.
//!
//! The user may set severities for an agent by its name. Agents give their names in the answer to
//! `initialize`; what stands before is theirs as well.

use std::{collections::VecDeque, sync::Arc};

use crate::{check::dispatch::RuleIndex, diagnostic::Diagnostic};

/// Most messages for which a diagnostic waits for its agent's name, and most diagnostics that wait
/// at a time. Beyond that, diagnostics go on without a name.
const LONGEST_WAIT: u64 = 1000;

/// Diagnostics that wait for the agent's name, in the order of the messages.
#[derive(Debug, Default)]
pub(super) struct Pending {
    waiting: VecDeque<PendingDiagnostic>,
    /// Number of messages and faulty lines judged so far, by which waiting is measured.
    now: u64,
}

/// A diagnostic that waits for its agent's name, with the index of its rule in the catalogue.
#[derive(Debug)]
pub(super) struct PendingDiagnostic {
    pub(super) rule: RuleIndex,
    pub(super) diagnostic: Diagnostic,
    /// Number of messages and faulty lines that had been judged when the diagnostic was found.
    at: u64,
    /// Whether the agent's name is known, or will never be, so that the diagnostic can be reported.
    is_final: bool,
}

impl Pending {
    /// Counts a message as judged, so that diagnostics that have waited too long go on without a
    /// name.
    pub(super) fn advance(&mut self) {
        self.now += 1;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether as many diagnostics wait as memory allows, so that the first one must be reported
    /// now.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() as u64 > LONGEST_WAIT
    }

    pub(super) fn push(&mut self, rule: RuleIndex, diagnostic: Diagnostic) {
        self.waiting.push_back(PendingDiagnostic {
            rule,
            diagnostic,
            at: self.now,
            is_final: false,
        });
    }

    /// Gives the waiting diagnostics of a connection the names of its client and agent, so that
    /// they can go on. `None` means that a name will never be known.
    pub(super) fn flush(
        &mut self,
        connection: u32,
        client: Option<&Arc<str>>,
        agent: Option<&Arc<str>>,
    ) {
        let own = |found: &&mut PendingDiagnostic| !found.is_final;
        for found in self.waiting.iter_mut().filter(own) {
            if found.diagnostic.connection == connection {
                found.diagnostic.client = client.cloned();
                found.diagnostic.agent = agent.cloned();
                found.is_final = true;
            }
        }
    }

    /// Makes all waiting diagnostics due, at the end of the transcript.
    pub(super) fn end(&mut self) {
        for found in &mut self.waiting {
            found.is_final = true;
        }
    }

    /// Takes the first waiting diagnostic out of the queue if it has waited long enough; `None`
    /// when it must wait on, or none waits.
    pub(super) fn next(&mut self) -> Option<PendingDiagnostic> {
        let first = self.waiting.front()?;
        let is_late = self.now - first.at > LONGEST_WAIT || self.is_full();
        if first.is_final || is_late { self.waiting.pop_front() } else { None }
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

    fn push(pending: &mut Pending, connection: u32) {
        pending.advance();
        let diagnostic = Diagnostic {
            rule: CATALOGUE[0],
            severity: Severity::Error,
            bound: None,
            finding: Finding::new("noise"),
            version: Version::V1,
            connection,
            method: None,
            client: None,
            agent: None,
            repeats: 0,
        };
        pending.push(0, diagnostic);
    }

    fn taken(pending: &mut Pending) -> Vec<(u32, Option<String>)> {
        let next = || pending.next().map(|found| found.diagnostic);
        std::iter::from_fn(next)
            .map(|found| (found.connection, found.agent.map(|name| name.to_string())))
            .collect()
    }

    #[test]
    fn the_first_in_line_holds_up_the_others() {
        let mut pending = Pending::default();
        for connection in [0, 1, 0] {
            push(&mut pending, connection);
        }
        pending.flush(1, None, Some(&"pot".into()));
        assert_eq!(taken(&mut pending), []);
        pending.flush(0, None, Some(&"kettle".into()));
        let [kettle, pot] = ["kettle", "pot"].map(|name| Some(name.to_owned()));
        assert_eq!(taken(&mut pending), [(0, kettle.clone()), (1, pot), (0, kettle)]);
        push(&mut pending, 2);
        pending.end();
        assert_eq!(taken(&mut pending), [(2, None)]);
    }

    #[test]
    fn waiting_is_limited() {
        let mut pending = Pending::default();
        push(&mut pending, 0);
        (0..LONGEST_WAIT).for_each(|_| pending.advance());
        assert_eq!(taken(&mut pending).len(), 0);
        pending.advance();
        assert_eq!(taken(&mut pending).len(), 1);
    }
}
