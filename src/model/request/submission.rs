//! What is kept of a `session/prompt` for the rules on its answer.

use crate::{
    event::Call,
    json::{Node, Text},
    model::{anchor::Anchor, digest},
    protocol::{Edition, Surface, Version, schema::Protocol},
};

/// What is kept of a `session/prompt`, so that rules can judge its answer and later prompts.
#[derive(Clone, Debug)]
pub struct PromptRequest {
    pub(in crate::model) content: u64,
    /// The `idempotencyKey`; `None` when it is absent or not a string.
    pub(in crate::model) key: Option<Box<str>>,
    /// Place of an `idempotencyKey` that is neither null nor a string of 1 to 255 characters;
    /// `None` when the key is valid or absent.
    pub malformed_key: Option<Anchor>,
    /// The names of the skills that the prompt refers to, each with its place.
    pub skills: Box<[(Box<str>, Anchor)]>,
    /// The type of each content block of the prompt, with the place of the block.
    pub blocks: Box<[(Box<str>, Anchor)]>,
    /// Whether every content block is well-formed, so that the agent has no reason to refuse the
    /// prompt for its form.
    pub is_sound: bool,
}

/// Whether a prompt is well-formed, so that the agent has no reason to refuse it: every content
/// block fits the schema, and base64 data may be valid.
pub(in crate::model) fn is_sound(call: &Call<'_>, version: Option<Version>) -> bool {
    let protocol = |version| Protocol::of(Surface::unstable(version), Edition::CURRENT);
    let definition = version.and_then(|version| protocol(version).definition("ContentBlock"));
    let is_base64 = |data: Node<'_>| {
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
        data.text().is_none_or(|data| data.as_cow().bytes().all(is_digit))
    };
    call.param("prompt").into_iter().flat_map(Node::elements).all(|block| {
        let data = [block.get("data"), block.path(&["resource", "blob"])];
        definition.is_none_or(|definition| definition.fits(block))
            && data.into_iter().flatten().all(is_base64)
    })
}

impl PromptRequest {
    /// Digest of the prompt's content blocks, to compare prompts with each other and with user
    /// messages.
    pub fn content(&self) -> u64 {
        self.content
    }

    /// Whether two prompts have the same content blocks.
    pub fn is_like(&self, other: &Self) -> bool {
        self.content == other.content
    }

    pub fn of(call: &Call<'_>) -> Option<Self> {
        let prompt = call.param("prompt").filter(|prompt| prompt.is_array())?;
        let block = |block: Node<'_>| {
            let kind = block.get("type")?.text()?;
            Some((kind.to_boxed(), Anchor::of(block, &"/params/prompt")))
        };
        let is_key = |key: Text<'_>| (1..=255).contains(&key.len_chars());
        let malformed_key = call
            .param("idempotencyKey")
            .filter(|key| !key.is_null() && !key.text().is_some_and(is_key));
        let skill = |block: Node<'_>| {
            let name =
                block.get("name").filter(|_| block.get("type").is_some_and(|it| it.is("skill")));
            let name = name?.text()?;
            Some((name.to_boxed(), Anchor::of(name.node(), &"/params/prompt")))
        };
        Some(Self {
            skills: prompt.elements().filter_map(skill).collect(),
            content: digest::of(prompt),
            malformed_key: malformed_key.map(|key| Anchor::of(key, &"/params/idempotencyKey")),
            key: call.param("idempotencyKey").and_then(Node::text).map(Text::to_boxed),
            blocks: prompt.elements().filter_map(block).collect(),
            is_sound: true,
        })
    }
}
