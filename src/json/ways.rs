//! Ways into long lists, so that asking for their values one by one does not walk over the list
//! each time.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Every so many elements or members, the place is remembered.
const STEP: u32 = 256;

/// What is known of the array or object that was walked over last, if it is a long one.
#[derive(Debug, Default)]
pub(super) struct Ways(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    holder: u32,
    /// Where the children begin that stand at the multiples of [`STEP`], from the second on.
    marks: Vec<u32>,
    /// The position and the beginning of the child that was asked for last.
    last: (u32, u32),
}

impl Known {
    /// Forgets what is known of another one.
    fn keep_to(&mut self, holder: u32) {
        if self.holder != holder {
            *self = Self { holder, ..Self::default() };
        }
    }
}

impl Ways {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last mark that is not beyond what is looked for, as a position and where its child
    /// begins. `is_ahead` is asked with the same: whether what is looked for is there or behind it.
    pub(super) fn mark(
        &self,
        holder: u32,
        is_ahead: impl Fn(u32, u32) -> bool,
    ) -> Option<(u32, u32)> {
        let known = self.known();
        if known.holder != holder {
            return None;
        }
        let position = |index: usize| u32::try_from(index + 1).ok()?.checked_mul(STEP);
        let (mut low, mut high) = (0, known.marks.len());
        while low < high {
            let middle = low.midpoint(high);
            if is_ahead(position(middle)?, known.marks[middle]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let last = low.checked_sub(1)?;
        Some((position(last)?, known.marks[last]))
    }

    /// Somebody walks past a child.
    #[inline]
    pub(super) fn note(&self, holder: u32, position: u32, child: u32) {
        if position > 0 && position.is_multiple_of(STEP) {
            let mut known = self.known();
            known.keep_to(holder);
            if known.marks.len() as u64 + 1 == u64::from(position / STEP) {
                known.marks.push(child);
            }
        }
    }

    /// The position and the beginning of the member that was asked for last.
    pub(super) fn last(&self, holder: u32) -> Option<(u32, u32)> {
        let known = self.known();
        (known.holder == holder && known.last.0 >= STEP).then_some(known.last)
    }

    /// A member has been asked for. What is near is found in no time.
    pub(super) fn go(&self, holder: u32, position: u32, child: u32) {
        if position >= STEP {
            let mut known = self.known();
            known.keep_to(holder);
            known.last = (position, child);
        }
    }
}

impl Clone for Ways {
    fn clone(&self) -> Self {
        Self::default()
    }
}
