//! What is made anew for no transcript.

use super::{
    blocks::{Block, Parser},
    forms::Forms,
};
use crate::model::plan::Entry;

/// Buffers, and what has been learned of the patterns of texts: it is as good for other transcripts,
/// and most are short.
#[derive(Debug, Default)]
pub(super) struct Tools {
    pub(super) parser: Box<Parser>,
    /// With nothing in them.
    pub(super) blocks: Vec<Block>,
    /// They know the parser's patterns by their numbers.
    pub(super) forms: Forms,
    /// Room for the entries of a plan.
    pub(super) room: Vec<Entry<'static>>,
}
