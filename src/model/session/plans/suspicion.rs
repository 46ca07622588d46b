//! Plan updates that may have left out entries that still exist.

use crate::{
    json::Text,
    model::{
        anchor::Place,
        mark::Mark,
        session::plans::{
            diff::{Extent, Relation},
            item_list::Listing,
            snapshot::Snapshot,
            vocabulary::Status,
        },
    },
};

/// A list that may have left out what still exists. What follows in its turn may prove that, and
/// then it is no doubt any more.
#[derive(Clone, Debug)]
pub struct Doubt {
    /// The plan; `None` for the unnamed one.
    pub id: Option<Box<str>>,
    pub kind: DoubtKind,
    /// The list.
    pub at: Place,
    /// How many entries it has.
    pub entries: usize,
    /// The list before it.
    pub before: Place,
    /// How many entries it leaves out that matter.
    pub lost: usize,
    /// The first of them: its text and place.
    pub example: Option<(Box<str>, Mark)>,
}

/// Why a list is doubted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubtKind {
    /// It is the list before without its unchanged entries, and pending ones are among them.
    OnlyChanges,
    /// It is the third list in a row of one or two entries that has nothing in common with the one
    /// before.
    Strangers,
    /// It leaves out an unfinished entry and has nothing but changes, which is too little to say
    /// more.
    Dropped,
}

impl Relation {
    /// Why the list may have left out what still exists; `None` when there is no reason to think so,
    /// or when later lists cannot tell more.
    pub fn doubt(&self, listing: &Listing) -> Option<DoubtKind> {
        let is_lone = self.matches.len() == 1 && listing.items.len() >= 3;
        if self.keeps_only_changes && (self.lost >= 2 || is_lone && self.lost >= 1) {
            Some(DoubtKind::OnlyChanges)
        } else if self.strangers >= 3 {
            Some(DoubtKind::Strangers)
        } else if self.extent != Extent::Whole && self.dropped.is_some() {
            Some(DoubtKind::Dropped)
        } else {
            None
        }
    }
}

impl Doubt {
    pub(super) fn of(
        snapshot: &Snapshot<'_>,
        relation: &Relation,
        listing: &Listing,
    ) -> Option<Self> {
        let kind = relation.doubt(listing)?;
        let example = match kind {
            DoubtKind::Strangers => None,
            DoubtKind::OnlyChanges => relation
                .gone(listing)
                .find(|(_, item)| item.status == Status::Pending)
                .map(|(position, _)| position),
            DoubtKind::Dropped => relation.dropped,
        };
        let example = example.and_then(|position| {
            let text = listing.text(listing.items().get(position)?);
            Some((text.into(), listing.mark(position)?))
        });
        Some(Self {
            id: snapshot.key.id().map(Text::to_boxed),
            kind,
            at: snapshot.list_place(),
            entries: snapshot.entries().len(),
            before: listing.at(),
            lost: relation.lost,
            example,
        })
    }
}
