//! Reads the list of background work in a `state_update`.

use crate::json::{Node, Text};

/// A kind of work that may go on in the background of a session: tool call, terminal or session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Work {
    Terminal,
    ToolCall,
    Session,
}

impl Work {
    /// The name of this kind of work in messages, such as `tool call`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::ToolCall => "tool call",
            Self::Session => "session",
        }
    }

    /// Session update that announces work of this kind, for messages.
    pub(super) fn update(self) -> &'static str {
        match self {
            Self::Terminal => "`terminal_update`",
            Self::ToolCall => "`tool_call_update`",
            Self::Session => "`subagent_update`",
        }
    }
}

/// Kind and id of an item of `background`; `None` for kinds that the protocol does not define.
pub(super) fn item(item: Node<'_>) -> Option<(Work, Text<'_>)> {
    let kinds = [
        ("terminal", Work::Terminal, "terminalId"),
        ("tool_call", Work::ToolCall, "toolCallId"),
        ("subagent", Work::Session, "sessionId"),
    ];
    let kind = item.get("type")?;
    let (_, work, id) = kinds.into_iter().find(|(name, ..)| kind.is(name))?;
    Some((work, item.get(id)?.text()?))
}
