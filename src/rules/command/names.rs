//! The names of commands.

use crate::json::{Node, Text};

/// The names in a list of commands; `None` where there is no list.
pub(super) fn of(holder: Node<'_>) -> Option<impl Iterator<Item = Text<'_>>> {
    let commands = holder.get("availableCommands").filter(|commands| commands.is_array())?;
    Some(commands.elements().filter_map(|command| command.get("name")?.text()))
}
