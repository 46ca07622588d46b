//! Plan updates that may have left out entries that still exist.

use crate::{
    json::Text,
    model::{
        anchor::Anchor,
        mark::Mark,
        session::plans::{
            diff::{Diff, ListExtent},
            item_list::ItemList,
            snapshot::PlanSnapshot,
            updated::PlanUpdated,
            vocabulary::EntryStatus,
        },
    },
};

/// A plan update that may have left out entries that still exist. Rules report it when the turn is
/// over and no later update has proven it; a proof makes it a certain finding instead.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// The plan's id; `None` for the plan of version 1, which has none.
    pub id: Option<Box<str>>,
    pub kind: SuspicionKind,
    /// Number of the turn in which the suspected list was sent.
    pub(super) turn: u32,
    /// Place of the suspected list, so that a finding can point at it.
    pub at: Anchor,
    /// Number of entries in the list that may have left out others.
    pub entries: usize,
    /// Place of the list that precedes the suspected one, so that a finding can point at it.
    pub before: Anchor,
    /// Number of pending entries that the suspected list leaves out.
    pub lost: usize,
    /// The text and place of the first unfinished entry that the suspected list leaves out; `None`
    /// when its entries have nothing in common with the preceding list.
    pub example: Option<(Box<str>, Mark)>,
}

/// Why a list is suspected to leave out entries that still exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspicionKind {
    /// The list is the preceding one without its unchanged entries, some of which are pending.
    OnlyChanges,
    /// The list is the third or later in a row that has only one or two entries, none of them in
    /// the preceding list.
    Strangers,
    /// The list leaves out an unfinished entry and has only changed entries, but too few to be
    /// sure.
    Dropped,
}

impl Diff {
    /// Why the list may have left out entries that still exist; `None` when nothing suggests that.
    /// `listing` is the preceding list.
    pub fn suspicion(&self, listing: &ItemList) -> Option<SuspicionKind> {
        let is_lone = self.matches.len() == 1 && listing.items.len() >= 3;
        if self.keeps_only_changes && (self.lost >= 2 || is_lone && self.lost >= 1) {
            Some(SuspicionKind::OnlyChanges)
        } else if self.strangers >= 3 {
            Some(SuspicionKind::Strangers)
        } else if self.extent != ListExtent::Whole && self.dropped.is_some() {
            Some(SuspicionKind::Dropped)
        } else {
            None
        }
    }
}

impl Suspicion {
    pub(super) fn of(
        snapshot: &PlanSnapshot<'_>,
        diff: &Diff,
        listing: &ItemList,
        turn: u32,
    ) -> Option<Self> {
        let kind = diff.suspicion(listing)?;
        let example = match kind {
            SuspicionKind::Strangers => None,
            SuspicionKind::OnlyChanges => diff
                .gone(listing)
                .find(|(_, item)| item.status == EntryStatus::Pending)
                .map(|(position, _)| position),
            SuspicionKind::Dropped => diff.dropped,
        };
        let example = example.and_then(|position| {
            let text = listing.text(listing.items().get(position)?);
            Some((text.into(), listing.mark(position)?))
        });
        Some(Self {
            id: snapshot.key.id().map(Text::to_boxed),
            kind,
            turn,
            at: snapshot.list_place(),
            entries: snapshot.entries().len(),
            before: listing.at(),
            lost: diff.lost,
            example,
        })
    }

    /// Whether the update is about the plan of this suspicion.
    pub(super) fn is_about(&self, snapshot: &PlanSnapshot<'_>) -> bool {
        match (&self.id, snapshot.key.id()) {
            (Some(own), Some(id)) => id == **own,
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether the update begins the suspected plan anew in a later turn, after which no list can
    /// prove the suspicion.
    pub(super) fn is_settled_by(&self, updated: &PlanUpdated<'_>, turn: u32) -> bool {
        self.turn != turn
            && updated.diff.as_ref().is_some_and(|diff| diff.is_first && !diff.carries_on)
            && self.is_about(&updated.snapshot)
    }
}
