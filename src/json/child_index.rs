//! Where the children of a long array or object begin.
//!
//! Finding a child by its position or pointer walks over the children before it. For a list of a
//! million elements, each of which has a fault, that would take minutes. So the place of every 256th
//! child is kept, for the array or object that was walked over last.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Distance of the children whose tokens are kept: those whose position (from 0) in the array or
/// object is a multiple of this.
const STEP: u32 = 256;

/// A cache of where the children of a long array or object begin, so that a child is found by its
/// position without reading all children before it. Holds one array or object at a time.
#[derive(Debug, Default)]
pub(super) struct ChildIndex(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Token index of the array or object that the index is about.
    holder: u32,
    /// Token indices of the children at the positions 256, 512 and so on; see [`STEP`].
    marks: Vec<u32>,
    /// Position and token index of the member that was looked up last.
    last: (u32, u32),
}

impl Known {
    /// Empties the index if it is about another array or object than `holder`, a token index.
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

    /// Position and token index of the last known child at or before the wanted one; `None` when
    /// none is known. `is_ahead` gets a position and a token index and returns whether the wanted
    /// child is that one or a later one.
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

    /// Keeps the token index of the child when its position is a multiple of [`STEP`]. Called for
    /// each child that a walk visits.
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

    /// Position and token index of the member of `holder` that was looked up last. `None` when
    /// another object was, or the member is among the first [`STEP`].
    pub(super) fn last(&self, holder: u32) -> Option<(u32, u32)> {
        let known = self.known();
        (known.holder == holder && known.last.0 >= STEP).then_some(known.last)
    }

    /// Remembers the member of `holder` that was looked up last, unless it is among the first
    /// [`STEP`].
    pub(super) fn set_last(&self, holder: u32, position: u32, child: u32) {
        if position >= STEP {
            let mut known = self.known();
            known.keep_to(holder);
            known.last = (position, child);
        }
    }
}

impl Clone for ChildIndex {
    /// Makes an empty index, since the copy may be used for another part of the document.
    fn clone(&self) -> Self {
        Self::default()
    }
}
