//! The notices of a session by id.

use crate::{
    event::Update,
    json::{Node, Text},
    map::{self, Map},
    model::{anchor::Anchor, session::on_demand},
};

/// The place of the first `notice` with each content in one session, by hash of the content, to
/// find repeated notices.
#[derive(Clone, Debug, Default)]
pub struct Notices(Map<u64, Anchor>);

on_demand::empty!(Notices);

impl Notices {
    /// Place of the first notice with the severity, title and description of this one; `None` when
    /// there is none.
    pub fn like(&self, notice: &Update<'_>) -> Option<Anchor> {
        self.0.get(&hash(notice)).copied()
    }

    pub(super) fn apply(&mut self, notice: &Update<'_>) {
        let at = Anchor::of(notice.update, &"/params/update");
        self.0.entry(hash(notice)).or_insert(at);
    }
}

fn hash(notice: &Update<'_>) -> u64 {
    let text = |name| notice.update.get(name).and_then(Node::text).map(Text::as_cow);
    map::hash_of((text("severity"), text("title"), text("description")))
}
