//! Reads the names of commands from messages.

use crate::{
    json::{Node, Text},
    model::session::commands,
};

/// Names in the list of commands of a result or an update; `None` where it has no list.
pub(super) fn of(holder: Node<'_>) -> Option<impl Iterator<Item = Text<'_>>> {
    commands::listed(holder).map(commands::names)
}
