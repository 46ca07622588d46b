//! Counts the actions of a file by what tells them apart.

use serde::{Deserialize, Serialize};

use super::AuditRow;
use crate::{
    audit::{ActionKind, ActionResult, Decision, Order, Outside, Proof},
    map::IndexMap,
};

/// How many different kinds of actions are counted in one file; further ones are counted together.
const KINDS: usize = 2000;

/// The number of actions of one kind in a file, kept for the compliance report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditCount {
    #[serde(flatten)]
    pub(in crate::report) kind: CountedKind,
    pub(in crate::report) count: u64,
}

/// The columns of the audit log in which actions agree that are counted together.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(in crate::report) struct CountedKind {
    pub(in crate::report) agent: Option<String>,
    pub(in crate::report) client: Option<String>,
    pub(in crate::report) mode: Option<String>,
    pub(in crate::report) action: ActionKind,
    pub(in crate::report) decision: Decision,
    pub(in crate::report) result: ActionResult,
    pub(in crate::report) order: Order,
    pub(in crate::report) outside: Outside,
    pub(in crate::report) proof: Proof,
    pub(in crate::report) replayed: bool,
}

impl CountedKind {
    pub(in crate::report) fn of(row: &AuditRow) -> Self {
        Self {
            agent: row.agent.clone(),
            client: row.client.clone(),
            mode: row.mode.clone(),
            action: row.action,
            decision: row.decision,
            result: row.result,
            order: row.order,
            outside: row.outside,
            proof: row.proof,
            replayed: row.replayed,
        }
    }
}

/// Counts the actions of one file by kind and outcome, with a limit on memory.
#[derive(Clone, Debug, Default)]
pub(in crate::report) struct AuditCounts {
    counts: IndexMap<CountedKind, u64>,
    /// The number of actions whose kind came after the first [`KINDS`].
    more: u64,
}

impl AuditCounts {
    pub(in crate::report) fn add(&mut self, row: &AuditRow) {
        let kind = CountedKind::of(row);
        if let Some(count) = self.counts.get_mut(&kind) {
            *count += 1;
        } else if self.counts.len() < KINDS {
            self.counts.insert(kind, 1);
        } else {
            self.more += 1;
        }
    }

    /// The counts, in the order in which the kinds first came, and the number of actions beyond the
    /// limit.
    pub(in crate::report) fn finish(self) -> (Vec<AuditCount>, u64) {
        let counts = self.counts.into_iter().map(|(kind, count)| AuditCount { kind, count });
        (counts.collect(), self.more)
    }
}
