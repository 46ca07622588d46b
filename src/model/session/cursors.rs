//! The cursors of a session: places in its conversation that the agent has named.

use crate::{
    json::{Node, Text},
    map::{self, Map},
    model::anchor::Anchor,
};

/// The cursors of one session, by `cursorId`, as `cursor_update` reported them since the session
/// was created or attached.
#[derive(Clone, Debug, Default)]
pub struct Cursors(Map<Box<str>, Cursor>);

/// A cursor: a place in the conversation at which the session may be forked.
#[derive(Clone, Debug)]
pub struct Cursor {
    /// Place of the last `cursor_update` that says whether the session may be forked at the cursor,
    /// so that a finding can point at the update.
    pub at: Anchor,
    /// Message number of the last `cursor_update` that says whether the session may be forked at
    /// the cursor.
    pub number: u64,
    /// Whether the session may be forked at the cursor, by the last update.
    pub may_fork: bool,
    /// Whether any earlier update allowed a fork at the cursor, so that the client may not know of
    /// the change.
    pub might_fork: bool,
    /// Digest and place of the `anchor` with which the cursor was first reported, to notice that it
    /// moves; `None` while none was reported.
    pub place: Option<(u64, Anchor)>,
}

impl Cursors {
    pub fn get(&self, id: Text<'_>) -> Option<&Cursor> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&Cursor> {
        self.0.get(id)
    }

    /// Remembers the cursor that a `cursor_update` of the agent sets. `number` is the number of its
    /// message.
    pub(super) fn apply(&mut self, update: Node<'_>, number: u64) {
        let Some(id) = update.get("cursorId").and_then(Node::text) else { return };
        let at = Anchor::of(update, &"/params/update");
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
            let at = Anchor::of(place, &"/params/update");
            cursor.place.get_or_insert((digest(place), at));
        }
    }
}

/// The `anchor` of a cursor in a `cursor_update`; `None` when it is absent or null.
pub fn place(update: Node<'_>) -> Option<Node<'_>> {
    update.get("anchor").filter(|anchor| !anchor.is_null())
}

/// The digest of a cursor's `anchor`: of its type, the id that it names and its position, to notice
/// a change.
pub fn digest(place: Node<'_>) -> u64 {
    const NAMES: [&str; 5] = ["type", "messageId", "toolCallId", "compactionId", "position"];
    let text = |name| place.get(name).and_then(Node::text).map(Text::as_cow);
    map::hash_of(NAMES.map(text))
}
