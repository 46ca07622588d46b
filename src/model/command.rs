//! The slash commands of a session as the agent tells them: each time the whole list.

use crate::{
    event::{Answer, Update},
    json::{Node, Text},
    model::{Place, Pointer, told::Told},
};

/// What is known of the commands of a session.
pub type Commands = Told<Menu>;

/// A list of commands.
#[derive(Clone, Debug)]
pub struct Menu {
    pub at: Place,
    /// The names, without the slash, one behind the other: lists are long, and are told often.
    names: Box<str>,
    /// Where each of them ends.
    ends: Box<[usize]>,
}

impl Menu {
    fn of(list: Node<'_>, pointer: Pointer) -> Self {
        /// Bytes of a name, mostly.
        const USUAL: usize = 16;
        let count = list.len();
        let mut joined = String::with_capacity(USUAL * count);
        let mut ends = Vec::with_capacity(count);
        for name in names(list) {
            joined.push_str(name.as_cow().trim_start_matches('/'));
            ends.push(joined.len());
        }
        Self { at: Place::of(list, pointer), names: joined.into(), ends: ends.into() }
    }

    /// The names, without the slash.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let name = &self.names[start..*end];
            start = *end;
            name
        })
    }
}

impl Commands {
    #[inline(never)]
    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, number: u64) {
        if let Some(list) = answer.result().and_then(listed) {
            self.answer(Menu::of(list, Pointer::ResultAvailableCommands), number);
        }
    }

    /// An `available_commands_update`.
    #[inline(never)]
    pub(super) fn apply_update(&mut self, update: &Update<'_>, number: u64) {
        if let Some(list) = listed(update.update) {
            self.report(Menu::of(list, Pointer::ParamsUpdateAvailableCommands), number);
        }
    }
}

/// The list of commands in a result or an update that has one.
pub fn listed(holder: Node<'_>) -> Option<Node<'_>> {
    holder.get("availableCommands").filter(|commands| commands.is_array())
}

/// The names in a list of commands.
pub fn names(list: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    list.elements().filter_map(|command| command.get("name")?.text())
}
