//! What a walk has read, and what must hold of another value so that a walk would find the same.

use super::shape::Values;
use crate::json::{Doc, Mask, NodeId};

/// How many digits counts may have.
pub(super) const DIGITS: [u32; 2] = [9, 4];

/// What a walk has read of the texts of values, beside the structure and the names of members.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// Strings and numbers whose text mattered.
    pub(super) texts: Mask,
    /// Strings of which it mattered only whether they are empty; none was.
    pub(super) filled: Mask,
    /// Numbers of which it mattered only that they are counts of at most so many digits, see
    /// [`Node::is_count`](crate::json::Node::is_count).
    pub(super) counts: [Mask; DIGITS.len()],
    /// Strings that may change within the pattern of the text, and of which it mattered only that
    /// they are defined.
    pub(super) defined: Vec<(NodeId, &'static Values)>,
}

/// What must hold of a value so that a walk finds what it found in another one of the same structure
/// and names.
#[derive(Clone, Debug)]
pub(crate) struct Conditions {
    filled: Mask,
    counts: [Mask; DIGITS.len()],
    defined: Box<[(NodeId, &'static Values)]>,
}

impl Reads {
    /// Adds what another walk over the same value has read.
    pub(super) fn add(&mut self, other: Self) {
        self.texts |= other.texts;
        self.filled |= other.filled;
        for (own, other) in self.counts.iter_mut().zip(other.counts) {
            *own |= other;
        }
        self.defined.extend(other.defined);
    }

    /// What must hold of a value where nothing but the texts of the open nodes is other; `None` where
    /// that cannot be told.
    pub(crate) fn conditions(self, open: Mask) -> Option<Conditions> {
        (self.texts & open == 0).then(|| Conditions {
            filled: self.filled & open,
            counts: self.counts.map(|counts| counts & open),
            defined: self.defined.into(),
        })
    }
}

impl Conditions {
    pub(crate) fn hold(&self, doc: &Doc<'_>) -> bool {
        doc.nodes_of(self.filled).all(|node| node.raw_bytes().len() > 2)
            && DIGITS.iter().zip(self.counts).all(|(digits, counts)| {
                doc.nodes_of(counts).all(|node| node.is_count(*digits as usize))
            })
            && self.defined.iter().all(|(id, values)| values.define(doc.node(*id)))
    }
}
