//! What is kept of a `session/prompt` for the rules on its answer.

use crate::{
    event::Call,
    json::{Node, Text},
    model::{
        anchor::{Place, Pointer},
        digest,
    },
};

/// A prompt, as its answer will be judged.
#[derive(Clone, Debug)]
pub struct Submission {
    pub(in crate::model) content: u64,
    /// Its `idempotencyKey`, where that is a text.
    pub(in crate::model) key: Option<Box<str>>,
    /// The types of its blocks, each with its place.
    pub blocks: Box<[(Box<str>, Place)]>,
}

impl Submission {
    /// The digest of its content.
    pub fn content(&self) -> u64 {
        self.content
    }

    /// Whether both say the same.
    pub fn is_like(&self, other: &Self) -> bool {
        self.content == other.content
    }

    pub(in crate::model) fn of(call: &Call<'_>) -> Option<Self> {
        let prompt = call.param("prompt").filter(|prompt| prompt.is_array())?;
        let block = |block: Node<'_>| {
            let kind = block.get("type")?.text()?;
            Some((kind.to_boxed(), Place::of(block, Pointer::ParamsPrompt)))
        };
        Some(Self {
            content: digest::of(prompt),
            key: call.param("idempotencyKey").and_then(Node::text).map(Text::to_boxed),
            blocks: prompt.elements().filter_map(block).collect(),
        })
    }
}
