//! What a permission request asks about, and which options it offers.

use crate::{
    event::Call,
    json::{Node, Text},
    model::{
        anchor::{Anchor, Pointer},
        name_list::NameList,
    },
};

/// A permission request, for rules on its answer.
#[derive(Clone, Debug)]
pub struct PermissionRequest {
    /// The tool call it is about.
    pub tool_call: Option<Box<str>>,
    /// The terminal in which the command is to run.
    pub terminal: Option<Box<str>>,
    /// The ids of the options.
    pub options: NameList,
    /// The kind of each option.
    kinds: Vec<OptionKind>,
    /// The list of options, or the request where it has none.
    pub options_at: Anchor,
    /// Whether each option has an id that is a string.
    pub is_legible: bool,
}

/// The kind of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Allow,
    Reject,
    Custom,
}

impl PermissionRequest {
    pub(in crate::model) fn of(call: &Call<'_>) -> Self {
        let subject = call.param("subject");
        let id = |node: Option<Node<'_>>| Some(node?.text()?.to_boxed());
        let tool_call = call
            .param("toolCall")
            .or_else(|| subject?.get("toolCall"))
            .and_then(|call| call.get("toolCallId"))
            .or_else(|| subject?.get("toolCallId"));
        let list = call.param("options").filter(|options| options.is_array());
        let count = list.map_or(0, Node::len);
        let (mut options, mut kinds) = (NameList::with_capacity(count), Vec::new());
        for option in list.into_iter().flat_map(Node::elements) {
            let Some(id) = option.get("optionId").and_then(Node::text) else { continue };
            options.push(&id.as_cow());
            let kind = option.get("kind").and_then(Node::text).map(Text::as_cow);
            kinds.push(match kind.as_deref() {
                Some("allow_once" | "allow_always") => OptionKind::Allow,
                Some("reject_once" | "reject_always") => OptionKind::Reject,
                _ => OptionKind::Custom,
            });
        }
        Self {
            tool_call: id(tool_call),
            terminal: id(subject.and_then(|subject| subject.get("terminalId"))),
            is_legible: list.is_some() && count == options.len(),
            options,
            kinds,
            options_at: list.map_or(Anchor::of(call.node, Pointer::Whole), |list| {
                Anchor::of(list, Pointer::ParamsOptions)
            }),
        }
    }

    /// The kind of an offered option.
    pub fn offered(&self, id: &str) -> Option<OptionKind> {
        self.options.iter().zip(&self.kinds).find(|(own, _)| *own == id).map(|(_, kind)| *kind)
    }
}
