//! The way to the value that was asked for last, so that asking for one value of a long list after
//! the other does not walk over the list each time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What is not worth remembering: as few elements or members are passed in no time.
const NEAR: u32 = 256;

/// An element or member of some array or object, and its position there.
///
/// Two pairs that each hold by themselves, whoever writes them: of one way when they have the child
/// in common.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// The array or object, and where its child begins.
    holder: AtomicU64,
    /// Where the child begins, and its position.
    child: AtomicU64,
}

impl Way {
    /// The position and the beginning of the child of this value that is remembered.
    pub(super) fn inside(&self, holder: u32) -> Option<(u32, u32)> {
        let (own, child) = parts(self.holder.load(Relaxed));
        let (same, position) = parts(self.child.load(Relaxed));
        (own == holder && child == same && position >= NEAR).then_some((position, child))
    }

    pub(super) fn remember(&self, holder: u32, position: u32, child: u32) {
        if position >= NEAR {
            self.holder.store(pair(holder, child), Relaxed);
            self.child.store(pair(child, position), Relaxed);
        }
    }
}

impl Clone for Way {
    fn clone(&self) -> Self {
        Self::default()
    }
}

fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

fn parts(pair: u64) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = pair.to_be_bytes();
    (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]))
}
