//! What surely fits, by the patterns of texts.
//!
//! A walk over a value tells whether it surely fits and what is remarkable in it; both follow from
//! the structure, the names, and the texts that the walk has read. Where none of these may change
//! within a pattern, all values of the pattern fit like the first, and are not walked over.

use crate::{
    json::{Node, NodeId},
    map::Map,
    protocol::schema::{Definition, Reads},
};

/// Patterns that are remembered at a time.
const KNOWN: usize = 4096;

/// The values that surely fit, with nothing to tell about them.
#[derive(Debug, Default)]
pub(super) struct Fitting {
    /// By the number of the pattern and the value's place in it.
    known: Map<(u32, NodeId), Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    /// What it fits.
    definition: &'static Definition,
    /// The strings that must not be empty.
    filled: u64,
}

impl Fitting {
    /// Whether it is known that the value surely fits and that there is nothing to tell about it.
    pub(super) fn knows(&self, definition: &'static Definition, value: Node<'_>) -> bool {
        value
            .doc()
            .pattern()
            .and_then(|pattern| self.known.get(&(pattern.number, value.id())))
            .is_some_and(|known| {
                std::ptr::eq(known.definition, definition)
                    && !value.doc().nodes_of(known.filled).any(|node| node.raw_bytes().len() <= 2)
            })
    }

    /// A walk that read this has found that the value surely fits and had nothing to tell.
    pub(super) fn learn(&mut self, definition: &'static Definition, value: Node<'_>, reads: Reads) {
        let Some(pattern) = value.doc().pattern().filter(|it| reads.texts & it.open == 0) else {
            return;
        };
        if self.known.len() == KNOWN {
            self.known.clear();
        }
        let known = Known { definition, filled: reads.filled & pattern.open };
        self.known.insert((pattern.number, value.id()), known);
    }
}
