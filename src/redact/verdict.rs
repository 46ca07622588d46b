//! What the checker says of a recording, as far as it must stay when the recording is rewritten.

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
    /// The findings in the order of the messages.
    pub findings: Vec<FindingKey>,
    /// The number of JSON-RPC messages read.
    pub messages: u64,
}

/// The parts of a finding by which it is found again in a redacted or reduced recording.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FindingKey {
    pub rule: &'static str,
    pub severity: Severity,
    pub bound: Option<Side>,
    pub fingerprint: FingerprintDigest,
    /// The lines of the finding's labels, from 1; the first is that of the fault.
    pub lines: Vec<u32>,
    /// How many more findings of the same kind were counted instead of reported.
    pub repeats: u64,
}

impl FindingKey {
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { rule, severity, bound, ref finding, repeats, .. } = *diagnostic;
        let lines = finding.labels.iter().map(|label| label.span.line).collect();
        let fingerprint = FingerprintDigest::of(diagnostic);
        Self { rule: rule.id, severity, bound, fingerprint, lines, repeats }
    }
}

impl Verdict {
    /// Checks a recording and collects its findings.
    pub fn of(recording: &[u8], settings: &Settings) -> Self {
        let (diagnostics, outcome) = check::check(recording, settings);
        let findings = diagnostics.iter().map(FindingKey::of).collect();
        Self { findings, messages: outcome.messages }
    }

    /// The verdict with each line number replaced by what `line` returns for it.
    #[must_use]
    pub fn with_lines(mut self, line: impl Fn(u32) -> u32) -> Self {
        for finding in &mut self.findings {
            finding.lines.iter_mut().for_each(|own| *own = line(*own));
        }
        self
    }
}
