//! What the checker says of a recording, as far as it must stay when the recording is rewritten.

use std::sync::Arc;

use crate::{
    check::{self, Settings},
    diagnostic::Diagnostic,
    protocol::Side,
    report::fingerprint::FingerprintDigest,
    rule::Severity,
};

/// The findings of a recording, compared before and after the recording is redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The findings of the recording in the order of the messages.
    pub findings: Vec<FindingKey>,
    /// The number of JSON-RPC messages that were read in the recording.
    pub messages: u64,
}

/// What identifies a finding, to find it again in a redacted or reduced copy of the recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingKey {
    pub rule: &'static str,
    pub severity: Severity,
    pub bound: Option<Side>,
    pub fingerprint: FingerprintDigest,
    /// The lines of the finding's labels in the recording, from 1; the first is the line of the
    /// fault.
    pub lines: Vec<u32>,
    /// The other files that the finding points at, with the lines there.
    pub elsewhere: Vec<(Arc<str>, u32)>,
    /// How many more findings of the same kind were counted instead of reported.
    pub repeats: u64,
}

impl FindingKey {
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { rule, severity, bound, ref finding, repeats, .. } = *diagnostic;
        let lines = finding.labels.iter().map(|label| label.span.line).collect();
        let elsewhere =
            finding.elsewhere.iter().map(|it| (Arc::clone(&it.file), it.label.span.line)).collect();
        let fingerprint = FingerprintDigest::of(diagnostic);
        Self { rule: rule.id, severity, bound, fingerprint, lines, elsewhere, repeats }
    }
}

impl Verdict {
    /// Checks a recording and returns its findings and what else must not change by redaction.
    pub fn of(recording: &[u8], settings: &Settings) -> Self {
        let (diagnostics, outcome) = check::check(recording, settings);
        let findings = diagnostics.iter().map(FindingKey::of).collect();
        Self { findings, messages: outcome.messages }
    }

    /// A copy with each place in another file replaced by what `place` returns for its file and
    /// line, to compare recordings of two runs.
    #[must_use]
    pub fn with_elsewhere(mut self, place: impl Fn(&Arc<str>, u32) -> (Arc<str>, u32)) -> Self {
        for (file, line) in self.findings.iter_mut().flat_map(|finding| &mut finding.elsewhere) {
            (*file, *line) = place(file, *line);
        }
        self
    }

    /// A copy with each line number replaced by what `line` returns, to compare recordings whose
    /// lines differ.
    #[must_use]
    pub fn with_lines(mut self, line: impl Fn(u32) -> u32) -> Self {
        for finding in &mut self.findings {
            finding.lines.iter_mut().for_each(|own| *own = line(*own));
        }
        self
    }
}
