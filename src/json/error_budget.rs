//! How many errors a validator may find in a document.
//!
//! A validator collects all errors before it returns the first one, and an error takes hundreds of
//! bytes: those of a message full of faults would fill the memory. When the budget is used up, the
//! validator is shown no more elements and members.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// How many more errors may be found.
#[derive(Debug)]
pub(super) struct ErrorBudget(AtomicU32);

impl ErrorBudget {
    pub(super) const fn of(errors: u32) -> Self {
        Self(AtomicU32::new(errors))
    }

    /// Whether no more errors may be found.
    pub(super) fn is_used_up(&self) -> bool {
        self.0.load(Relaxed) == 0
    }

    /// Uses up one error of the budget.
    pub(super) fn use_one(&self) {
        if self.0.load(Relaxed) < u32::MAX {
            let _ = self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        }
    }
}

impl Default for ErrorBudget {
    /// A budget without limit.
    fn default() -> Self {
        Self::of(u32::MAX)
    }
}

impl Clone for ErrorBudget {
    fn clone(&self) -> Self {
        Self(AtomicU32::new(self.0.load(Relaxed)))
    }
}
