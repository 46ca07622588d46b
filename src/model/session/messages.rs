//! The messages of a conversation by their ids. Each type has its own id space.

use crate::{
    json::Text,
    map::IndexMap,
    model::{anchor::Anchor, session::on_demand},
};

/// What a message is: of the user, of the agent, or a thought of the agent. Each kind has its own
/// space of message ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageKind {
    User,
    Agent,
    Thought,
}

impl MessageKind {
    /// The kind of message that this kind of update reports, such as `User` for
    /// `user_message_chunk`; `None` for updates of other things.
    pub fn of(kind: &str) -> Option<Self> {
        match kind {
            "user_message" | "user_message_chunk" => Some(Self::User),
            "agent_message" | "agent_message_chunk" => Some(Self::Agent),
            "agent_thought" | "agent_thought_chunk" => Some(Self::Thought),
            _ => None,
        }
    }
}

/// A user, agent or thought message that has an id, as its first update shows it.
#[derive(Clone, Copy, Debug)]
pub struct KnownMessage {
    /// Place of the `messageId` in the first update of the message, so that a finding can point at
    /// it.
    pub first: Anchor,
    /// Number of the message that first named this user or agent message.
    pub first_number: u64,
}

/// The messages of one session that have an id, by kind and id.
#[derive(Clone, Debug, Default)]
pub struct KnownMessages {
    known: [IndexMap<Box<str>, KnownMessage>; 3],
    /// For each kind of message (user, agent, thought): index in `known` of the one that was
    /// updated last.
    current: [usize; 3],
}

on_demand::empty!(KnownMessages);

impl KnownMessages {
    pub fn get(&self, message_kind: MessageKind, id: Text<'_>) -> Option<&KnownMessage> {
        let known = &self.known[message_kind as usize];
        let last = known.get_index(self.current[message_kind as usize]);
        match last.filter(|(last, _)| id == ***last) {
            Some((_, last)) => Some(last),
            None => known.get(&*id.as_cow()),
        }
    }

    /// The message of this kind with this id; `None` when no update has named it.
    pub fn named(&self, message_kind: MessageKind, id: &str) -> Option<&KnownMessage> {
        self.known[message_kind as usize].get(id)
    }

    /// Whether the last update of a message of this kind was for this id.
    pub fn is_current(&self, message_kind: MessageKind, id: Text<'_>) -> bool {
        let last = self.known[message_kind as usize].get_index(self.current[message_kind as usize]);
        last.is_some_and(|(last, _)| id == **last)
    }

    pub(super) fn apply(&mut self, kind: &str, id: Text<'_>, number: u64) {
        let Some(message_kind) = MessageKind::of(kind) else { return };
        if self.is_current(message_kind, id) {
            return;
        }
        let known = &mut self.known[message_kind as usize];
        let name = id.as_cow();
        self.current[message_kind as usize] = known.get_index_of(&*name).unwrap_or_else(|| {
            let first = Anchor::of(id.node(), &"/params/update/messageId");
            known.insert_full((&*name).into(), KnownMessage { first, first_number: number }).0
        });
    }
}
