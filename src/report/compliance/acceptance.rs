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

/// Finds what a baseline accepts by the fingerprint of a finding: the index of the acceptance.
#[derive(Debug, Default)]
pub struct Acceptances(Map<Fingerprint, usize>);

impl Acceptances {
    /// Makes the index. Of several acceptances of one fingerprint, the last one counts.
    pub fn new(acceptances: &[Acceptance]) -> Self {
        let fingerprint = |acceptance: &Acceptance| Fingerprint {
            rule: acceptance.rule.rule().id,
            method: acceptance.method.as_deref().map(Into::into),
            shape: acceptance.pointer.clone(),
            implementation: acceptance.implementation.as_deref().map(Into::into),
        };
        Self(acceptances.iter().map(fingerprint).zip(0..).collect())
    }

    /// The index of the acceptance that is about this finding; `None` when it is not accepted.
    pub(super) fn of(&self, diagnostic: &Diagnostic) -> Option<usize> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&Fingerprint::of(diagnostic)).copied()
    }
}

impl Acceptance {
    /// The acceptance with texts of transcripts masked, for a redacted report. The user's reason
    /// stays.
    #[must_use]
    pub fn redacted(self) -> Self {
        Self {
            method: self.method.as_deref().map(mask::value),
            pointer: self.pointer.as_deref().map(mask::pointer),
            ..self
        }
    }
}

/// The number of findings that an acceptance is about, in all transcripts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Met {
    /// The number of accepted findings as a baseline counts them: a finding that stands for others
    /// counts once.
    pub(super) findings: u64,
    pub(super) counts: Counts,
}

impl Compliance {
    /// All kinds of findings that the report accepts, each with the number found in all
    /// transcripts.
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

    /// The number of accepted findings by severity. Where an acceptance is about more findings than
    /// it states, none of them is accepted, since any may be new.
    pub(super) fn accepted(&self) -> Counts {
        let mut accepted = Counts::default();
        for (acceptance, met) in self.acceptances() {
            if met.findings <= acceptance.count {
                accepted += met.counts;
            }
        }
        accepted
    }

    /// How many messages and rules could not be checked because of what the transcripts contain.
    pub fn unjudged(&self) -> Unjudged {
        let mut sum = Unjudged::default();
        for file in &self.files {
            sum += Unjudged { messages: file.unjudged_messages, rules: file.unjudged_rules };
        }
        sum
    }

    /// The number of findings by severity that are not accepted; they decide the exit status.
    pub fn open(&self) -> Counts {
        let (all, accepted) = (self.counts(), self.accepted());
        Counts {
            errors: all.errors.saturating_sub(accepted.errors),
            warnings: all.warnings.saturating_sub(accepted.warnings),
            infos: all.infos.saturating_sub(accepted.infos),
        }
    }
}
