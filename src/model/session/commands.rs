//! The slash commands of a session. The agent sends the whole list each time.

use crate::{
    event::Update,
    json::{Node, Text},
    model::{
        anchor::{Anchor, Pointer},
        name_list::NameList,
        response::Answer,
        session::announced::Announced,
    },
};

/// The last two lists of slash commands that the agent announced in a session.
pub type Commands = Announced<Menu>;

/// A list of slash commands (`availableCommands`) that the agent offers in a session.
#[derive(Clone, Debug)]
pub struct Menu {
    pub at: Anchor,
    /// The names of all commands in the list, without a leading slash.
    pub names: NameList,
    /// The names of those commands that have the type `skill`.
    pub skills: NameList,
}

impl Menu {
    fn of(list: Node<'_>, pointer: Pointer) -> Self {
        let bare = |name: Text<'_>| name.as_cow().trim_start_matches('/').to_owned();
        let is_skill = |command: &Node<'_>| command.get("type").is_some_and(|it| it.is("skill"));
        let skills = list.elements().filter(is_skill);
        let skills = skills.filter_map(|skill| Some(skill.get("name")?.text()?.as_cow()));
        Self {
            at: Anchor::of(list, pointer),
            names: NameList::of(names(list).map(bare)),
            skills: NameList::of(skills),
        }
    }
}

impl Commands {
    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, number: u64) {
        if let Some(list) = answer.result().and_then(listed) {
            self.answer(Menu::of(list, &"/result/availableCommands"), number);
        }
    }

    /// Takes the list of commands from an `available_commands_update`. `number` is the number of
    /// the message.
    pub(super) fn apply_update(&mut self, update: &Update<'_>, number: u64) {
        if let Some(list) = listed(update.update) {
            self.report(Menu::of(list, &"/params/update/availableCommands"), number);
        }
    }
}

/// The `availableCommands` in a result or an update; `None` when it has no such list.
pub fn listed(holder: Node<'_>) -> Option<Node<'_>> {
    holder.get("availableCommands").filter(|commands| commands.is_array())
}

/// The names in a list of commands, as messages have them.
pub fn names(list: Node<'_>) -> impl Iterator<Item = Text<'_>> {
    list.elements().filter_map(|command| command.get("name")?.text())
}
