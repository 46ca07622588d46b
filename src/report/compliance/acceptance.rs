//! Accepted findings: a baseline says which, how many, and why.
//!
//! They stay in the report and in its verdicts, and only the exit status ignores them. A baseline counts
//! over all transcripts, so the number of accepted findings follows from the whole document.

use super::{
    document::{Acceptance, Compliance},
    mask,
};
use crate::{
    check::Unjudged,
    diagnostic::Diagnostic,
    map::Map,
    report::{Counts, fingerprint::Fingerprint},
};

/// Finds what accepts a finding.
#[derive(Debug, Default)]
pub struct Acceptances(Map<Fingerprint, usize>);

impl Acceptances {
    /// Of several acceptances of the same findings, the last one counts.
    pub fn new(acceptances: &[Acceptance]) -> Self {
        let fingerprint = |acceptance: &Acceptance| Fingerprint {
            rule: acceptance.rule.rule().id,
            method: acceptance.method.as_deref().map(Into::into),
            shape: acceptance.pointer.clone(),
            implementation: acceptance.implementation.as_deref().map(Into::into),
        };
        Self(acceptances.iter().map(fingerprint).zip(0..).collect())
    }

    /// The index of the one that is about this finding.
    pub(super) fn of(&self, diagnostic: &Diagnostic) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&Fingerprint::of(diagnostic)).copied()
    }
}

impl Acceptance {
    /// The acceptance with text of transcripts masked.
    #[must_use]
    pub fn redacted(self) -> Self {
        Self {
            method: self.method.as_deref().map(mask::value),
            pointer: self.pointer.as_deref().map(mask::pointer),
            ..self
        }
    }
}

/// The findings that an acceptance is about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    /// Findings as a baseline counts them: each once, whatever it stands for.
    pub(super) findings: u64,
    pub(super) counts: Counts,
}

impl Compliance {
    /// The acceptances, with what they have met in all transcripts.
    pub(super) fn acceptances(&self) -> Vec<(&Acceptance, Met)> {
        let mut rows: Vec<_> =
            self.settings.accepted.iter().map(|row| (row, Met::default())).collect();
        for accepted in self.files.iter().flat_map(|file| &file.accepted) {
            if let Some((_, met)) = rows.get_mut(accepted.acceptance) {
                let (errors, warnings, infos) =
                    (accepted.errors, accepted.warnings, accepted.infos);
                met.findings += accepted.findings;
                met.counts += Counts { errors, warnings, infos };
            }
        }
        rows
    }

    /// How many findings of each severity are accepted. Where there are more than were accepted, none
    /// of them is: any may be new.
    pub(super) fn accepted(&self) -> Counts {
        let mut accepted = Counts::default();
        for (acceptance, met) in self.acceptances() {
            if met.findings <= acceptance.count {
                accepted += met.counts;
            }
        }
        accepted
    }

    /// How much the content of the transcripts has kept from being judged.
    pub fn unjudged(&self) -> Unjudged {
        let mut sum = Unjudged::default();
        for file in &self.files {
            sum += Unjudged { messages: file.unjudged_messages, rules: file.unjudged_rules };
        }
        sum
    }

    /// How many findings of each severity there are that are not accepted.
    pub fn open(&self) -> Counts {
        let (all, accepted) = (self.counts(), self.accepted());
        Counts {
            errors: all.errors.saturating_sub(accepted.errors),
            warnings: all.warnings.saturating_sub(accepted.warnings),
            infos: all.infos.saturating_sub(accepted.infos),
        }
    }
}
