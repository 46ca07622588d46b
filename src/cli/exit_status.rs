//! How a run ends: its exit status.

use std::process::ExitCode;

/// How a run of acpcheck ended. The exit statuses are stable and documented in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Status 0: no finding is at or above the threshold (`--fail-on`).
    Clean,
    /// Status 1: some finding is at or above the threshold (`--fail-on`).
    Findings,
    /// Status 2: the command could not run, for example because of wrong arguments or because the
    /// output cannot be written.
    Failed,
    /// Status 3: some input could not be read or is not a transcript. The other inputs were
    /// checked.
    Unreadable,
    /// Status 126 or 127: the agent that `acpcheck record` should start cannot be executed, or does
    /// not exist.
    NotStarted(u8),
}

impl From<ExitStatus> for ExitCode {
    fn from(outcome: ExitStatus) -> Self {
        Self::from(match outcome {
            ExitStatus::Clean => 0,
            ExitStatus::Findings => 1,
            ExitStatus::Failed => 2,
            ExitStatus::Unreadable => 3,
            ExitStatus::NotStarted(status) => status,
        })
    }
}
