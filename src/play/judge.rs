//! Judges each line of a connection when it is said, by the same rules and from the same bytes as
//! `acpcheck check` judges the recording.

use std::{collections::BTreeSet, time::Instant};

use crate::{
    check::{Check, Settings},
    diagnostic::Diagnostic,
    play::Played,
    protocol::Side,
    record::{self, Driven, End, Recording},
    rule::Severity,
    transcript,
};

/// A finding about the client, for the chat and for error answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub rule: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Address of the page with the requirement; `None` when no page has it.
    pub url: Option<String>,
    /// Line of the recording, from 1, at which the finding's first place is.
    pub line: u32,
}

/// Records the connection with a client and checks the recording while it grows, so that findings
/// are known at once.
#[derive(Debug)]
pub(super) struct Judge {
    recording: Recording,
    begun: Instant,
    check: Check,
    /// Lines of the recording that have not been checked yet.
    lines: Vec<u8>,
}

impl Judge {
    pub(super) fn new(settings: &Settings, driven: &Driven<'_>) -> Self {
        let settings = Settings { format: transcript::find("acpcheck-record"), ..settings.clone() };
        let mut lines = Vec::new();
        // Memory takes everything.
        let _ = Recording::start("", "acpcheck", 0, Some(driven), &mut lines);
        Self {
            recording: Recording::default(),
            begun: Instant::now(),
            check: Check::live(&settings),
            lines,
        }
    }

    /// Records and checks bytes that a side has sent. Returns the new findings about the client.
    pub(super) fn take(&mut self, sender: Side, bytes: &[u8]) -> Vec<Found> {
        // Memory takes everything.
        let _ = self.recording.take(sender, bytes, self.begun.elapsed(), &mut self.lines);
        self.judge()
    }

    /// Records how a scenario ended. The line is checked together with the next one.
    pub(super) fn note(&mut self, played: &Played) {
        let Played { name, state, step } = played;
        // Memory takes everything.
        let _ = record::scenario(name, state, step, self.begun.elapsed(), &mut self.lines);
    }

    /// Records that a side sends no more, and why. Returns the new findings about the client.
    pub(super) fn end(&mut self, sender: Side, end: End) -> Vec<Found> {
        // Memory takes everything.
        let _ = self.recording.end(sender, end, self.begun.elapsed(), &mut self.lines);
        self.judge()
    }

    /// Number of rules about the client that were exercised so far.
    pub(super) fn exercised(&self) -> usize {
        self.check.exercised(Side::Client)
    }

    /// Ends the check. Returns all findings about the client, from the whole connection.
    pub(super) fn finish(self) -> Vec<Found> {
        let (diagnostics, _) = self.check.finish();
        let own = diagnostics.iter().filter(|it| it.bound == Some(Side::Client));
        own.map(found).collect()
    }

    fn judge(&mut self) -> Vec<Found> {
        self.check.feed(&self.lines);
        self.lines.clear();
        let news = self.check.news();
        let mut known = BTreeSet::new();
        let own = news.iter().filter(|it| it.bound == Some(Side::Client)).map(found);
        own.filter(|it| known.insert((it.rule, it.message.clone()))).collect()
    }
}

fn found(diagnostic: &Diagnostic) -> Found {
    Found {
        rule: diagnostic.rule.id,
        severity: diagnostic.severity,
        message: diagnostic.finding.message.to_string(),
        url: diagnostic.url(),
        line: diagnostic.finding.labels.first().map_or(1, |label| label.span.line),
    }
}
