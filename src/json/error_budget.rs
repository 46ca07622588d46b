//! How many errors a validator may find in a document.
//!
//! A validator collects all errors before it returns the first one, and an error takes hundreds of
//! bytes: those of a message full of faults would fill the memory. When the budget is used up, the
//! validator is shown no more elements and members.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The number of errors that a schema validator may still find in a document. At 0, the document
/// shows it no more members and elements.
#[derive(Debug)]
pub(super) struct ErrorBudget(AtomicU32);

impl ErrorBudget {
    pub(super) const fn of(errors: u32) -> Self {
        Self(AtomicU32::new(errors))
    }

    /// Whether the budget is 0, so that the validator is shown no more members and elements.
    pub(super) fn is_used_up(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    /// Takes one error from the budget. A budget without limit stays.
    pub(super) fn use_one(&self) {
        if self.0.load(Relaxed) < u32::MAX {
            let _ = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        }
    }
}

impl Default for ErrorBudget {
    /// A budget without limit, for a caller that trusts the text.
    fn default() -> Self {
        Self::of(u32::MAX)
    }
}

impl Clone for ErrorBudget {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Relaxed)))
    }
}
