//! Collects the audit log of a transcript: counts of all actions, the most remarkable rows, sessions.
//!
//! Events go in while the transcript is read; an [`AuditRecord`] comes out.

use std::collections::BTreeMap;

use super::document::{AuditLine, AuditRecord, AuditSession};
use crate::{
    audit::{AuditEvent, AuditedSession},
    report::{
        audit::{AuditCounts, AuditRow, AuditSection, shortened},
        mask,
    },
};

/// How many rows of one file's audit log the document keeps; further ones are counted.
const ROWS: usize = 500;
/// How many sessions of one file the document keeps; further ones are counted.
const SESSIONS: usize = 200;
/// Most characters of a text of the transcript in the audit log; the rest is cut off.
const TEXT: usize = 300;

/// Collects the audit log of a file while it is read, for the compliance report.
#[derive(Debug, Default)]
pub(super) struct AuditTable {
    counts: AuditCounts,
    /// Rows for the report, by section and by the row's number in its file, from 0. Rows beyond the
    /// limit for one file are only counted.
    rows: BTreeMap<(AuditSection, u64), AuditRow>,
    /// The number of rows so far, not counting replayed history.
    taken: u64,
    sessions: Vec<AuditSession>,
    more_sessions: u64,
    not_followed: u64,
}

impl AuditTable {
    pub(super) fn add(&mut self, event: AuditEvent, is_redacted: bool) {
        match event {
            AuditEvent::Action(action) => {
                self.row(AuditRow::of(*action, is_redacted).shortened(TEXT));
            }
            AuditEvent::Session(session) if self.sessions.len() < SESSIONS => {
                self.sessions.push(recorded(*session, is_redacted));
            }
            AuditEvent::Session(_) => self.more_sessions += 1,
            AuditEvent::NotFollowed(more) => self.not_followed += more,
        }
    }

    fn row(&mut self, row: AuditRow) {
        self.counts.add(&row);
        if row.replayed {
            return;
        }
        self.rows.insert((AuditSection::of(&row), self.taken), row);
        self.taken += 1;
        if self.rows.len() > ROWS {
            self.rows.pop_last();
        }
    }

    /// The audit log of the file for the document; `None` when it is empty.
    pub(super) fn finish(self) -> Option<AuditRecord> {
        let (counts, uncounted) = self.counts.finish();
        let rows: Vec<_> = self.rows.into_values().collect();
        let record = AuditRecord {
            more_rows: self.taken - rows.len() as u64,
            counts,
            rows,
            sessions: self.sessions,
            more_sessions: self.more_sessions,
            not_followed: self.not_followed + uncounted,
        };
        let is_empty =
            record.counts.is_empty() && record.sessions.is_empty() && record.not_followed == 0;
        (!is_empty).then_some(record)
    }
}

fn recorded(session: AuditedSession, is_redacted: bool) -> AuditSession {
    let told = |text: String| {
        let text = if is_redacted { mask::value(&text) } else { text };
        shortened(&text, TEXT)
    };
    let lines = |facts: Vec<(u32, String)>| {
        facts.into_iter().map(|(line, text)| AuditLine { line, name: told(text) }).collect()
    };
    AuditSession {
        connection: session.connection,
        session: told(session.session),
        agent: session.agent.map(|name| shortened(&name, TEXT)),
        client: session.client.map(|name| shortened(&name, TEXT)),
        directories: session.directories.into_iter().map(told).collect(),
        modes: lines(session.modes),
        grants: lines(session.grants),
    }
}
