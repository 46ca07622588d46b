//! Where the children of a long array or object begin.
//!
//! Finding a child by its position or pointer walks over the children before it. For a list of a
//! million elements, each of which has a fault, that would take minutes. So the place of every 256th
//! child is kept, for the array or object that was walked over last.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The place of each child is kept whose position is a multiple of this.
const STEP: u32 = 256;

/// The children of the array or object that was walked over last, if it is a long one.
#[derive(Debug, Default)]
pub(super) struct ChildIndex(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Token of the array or object.
    holder: u32,
    /// Tokens of the children at the multiples of [`STEP`], without position 0.
    marks: Vec<u32>,
    /// Position and token of the member that was asked for last.
    last: (u32, u32),
}

impl Known {
    /// Starts an empty index when `holder` is another array or object than before.
    fn keep_to(&mut self, holder: u32) {
        if self.holder != holder {
            *self = Self { holder, ..Self::default() };
        }
    }
}

impl ChildIndex {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Position and token of the last known child that is not behind the wanted one. `is_ahead` tells
    /// of a position and token whether the wanted child is that one or one after it.
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

    /// Called for each child that a walk visits; keeps the place of every 256th.
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

    /// Position and token of the member that was asked for last.
    pub(super) fn last(&self, holder: u32) -> Option<(u32, u32)> {
        let known = self.known();
        (known.holder == holder && known.last.0 >= STEP).then_some(known.last)
    }

    /// Keeps which member was asked for last.
    pub(super) fn set_last(&self, holder: u32, position: u32, child: u32) {
        if position >= STEP {
            let mut known = self.known();
            known.keep_to(holder);
            known.last = (position, child);
        }
    }
}

impl Clone for ChildIndex {
    /// An empty index: the copy may be of another part of the document.
    fn clone(&self) -> Self {
        Self::default()
    }
}
