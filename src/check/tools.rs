//! What is made anew for no transcript.

use super::blocks::{Block, Parser};
use crate::model::plan::Entry;

/// Buffers: they are as good for other transcripts, and most are short.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) parser: Box<Parser>,
    /// With nothing in them.
    pub(super) blocks: Vec<Block>,
    /// Room for the entries of a plan.
    pub(super) room: Vec<Entry<'static>>,
}
