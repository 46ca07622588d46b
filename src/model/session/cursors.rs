//! The cursors of a session: places in its conversation that the agent has named.

use crate::{
    json::{Node, Text},
    map::{self, Map},
    model::anchor::{Anchor, Pointer},
};

/// The cursors of a session that were reported since it was created or attached.
#[derive(Clone, Debug, Default)]
pub struct Cursors(Map<Box<str>, Cursor>);

/// A place in the conversation of a session.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// The update that said last whether the session may be forked there.
    pub at: Anchor,
    /// Number of that update.
    pub number: u64,
    /// Whether the session may be forked there.
    pub may_fork: bool,
    /// Whether an earlier update allowed it.
    pub might_fork: bool,
    /// The place as it was reported first: its digest, and where it stands.
    pub place: Option<(u64, Anchor)>,
}

impl Cursors {
    pub fn get(&self, id: Text<'_>) -> Option<&Cursor> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&Cursor> {
        self.0.get(id)
    }

    /// Applies a `cursor_update`.
    pub(super) fn apply(&mut self, update: Node<'_>, number: u64) {
        let Some(id) = update.get("cursorId").and_then(Node::text) else { return };
        let at = Anchor::of(update, Pointer::ParamsUpdate);
        let cursor = self.0.entry(id.to_boxed()).or_insert(Cursor {
            at,
            number,
            may_fork: false,
            might_fork: false,
            place: None,
        });
        if let Some(capabilities) = update.get("capabilities") {
            cursor.might_fork |= cursor.may_fork;
            cursor.may_fork = capabilities.get("fork").is_some_and(Node::is_object);
            (cursor.at, cursor.number) = (at, number);
        }
        if let Some(place) = place(update) {
            let at = Anchor::of(place, Pointer::ParamsUpdate);
            cursor.place.get_or_insert((digest(place), at));
        }
    }
}

/// The place that an update gives a cursor; `None` when it gives none.
pub fn place(update: Node<'_>) -> Option<Node<'_>> {
    update.get("anchor").filter(|anchor| !anchor.is_null())
}

/// The digest of a place: of its type, of what it names, and on which side of that it is.
pub fn digest(place: Node<'_>) -> u64 {
    const NAMES: [&str; 5] = ["type", "messageId", "toolCallId", "compactionId", "position"];
    let text = |name| place.get(name).and_then(Node::text).map(Text::as_cow);
    map::hash_of(NAMES.map(text))
}
