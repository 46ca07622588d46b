//! What a permission request asks about, and which options it offers.

use crate::{
    event::Call,
    json::{Node, Text},
    model::{anchor::Anchor, name_list::NameList},
};

/// What is kept of a `session/request_permission` until its answer, which rules compare with the
/// offered options.
#[derive(Clone, Debug)]
pub struct PermissionRequest {
    /// The `toolCallId` of the tool call that the request is about; `None` when it names none.
    pub tool_call: Option<Box<str>>,
    /// The `terminalId` in which a command is to run, on version 2; `None` without one.
    pub terminal: Option<Box<str>>,
    /// The ids of the options that the user can choose, in order.
    pub options: NameList,
    /// The kind of each option, such as `allow_once`, in the order of `options`.
    kinds: Vec<OptionKind>,
    /// Place of the list of options, so that a finding can point at it; of the whole request when
    /// it has none.
    pub options_at: Anchor,
    /// Whether each option has an id that is a string, so that the list of ids is complete.
    pub is_legible: bool,
}

/// The kind of an option in a permission request, such as `allow_once`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
    /// A kind that the protocol does not define, or no kind.
    Custom,
}

impl OptionKind {
    fn of(option: Node<'_>) -> Self {
        let kind = option.get("kind").and_then(Node::text).map(Text::as_cow);
        match kind.as_deref() {
            Some("allow_once") => Self::AllowOnce,
            Some("allow_always") => Self::AllowAlways,
            Some("reject_once") => Self::RejectOnce,
            Some("reject_always") => Self::RejectAlways,
            _ => Self::Custom,
        }
    }

    pub fn allows(self) -> bool {
        matches!(self, Self::AllowOnce | Self::AllowAlways)
    }

    pub fn grants_always(self) -> bool {
        self == Self::AllowAlways
    }

    pub fn rejects(self) -> bool {
        matches!(self, Self::RejectOnce | Self::RejectAlways)
    }
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
        let offered = || {
            let options = list.into_iter().flat_map(Node::elements);
            options.filter_map(|option| Some((option.get("optionId")?.text()?, option)))
        };
        let options = NameList::of(offered().map(|(id, _)| id.as_cow()));
        let kinds = offered().map(|(_, option)| OptionKind::of(option)).collect();
        Self {
            tool_call: id(tool_call),
            terminal: id(subject.and_then(|subject| subject.get("terminalId"))),
            is_legible: list.is_some_and(|list| list.len() == options.len()),
            options,
            kinds,
            options_at: list
                .map_or(Anchor::of(call.node, &""), |list| Anchor::of(list, &"/params/options")),
        }
    }

    /// The kind of the offered option with this id; `None` when the request does not offer one.
    pub fn offered(&self, id: &str) -> Option<OptionKind> {
        self.kinds.get(self.options.place(id)?).copied()
    }
}
