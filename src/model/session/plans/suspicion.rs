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

/// A list that may have left out entries that still exist. Later lists may prove that; then
/// it is not a suspicion any more.
#[derive(Clone, Debug)]
pub struct Suspicion {
    /// The plan; `None` for the unnamed one.
    pub id: Option<Box<str>>,
    pub kind: SuspicionKind,
    /// The turn of the list.
    pub(super) turn: u32,
    /// The list.
    pub at: Anchor,
    /// How many entries it has.
    pub entries: usize,
    /// The list before it.
    pub before: Anchor,
    /// How many entries it leaves out that matter.
    pub lost: usize,
    /// The first of them: its text and place.
    pub example: Option<(Box<str>, Mark)>,
}

/// Why a list is suspected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuspicionKind {
    /// It is the list before without its unchanged entries, and pending ones are among them.
    OnlyChanges,
    /// It is the third list in a row of one or two entries that has nothing in common with the one
    /// before.
    Strangers,
    /// It leaves out an unfinished entry and has only changed entries, too few to be sure.
    Dropped,
}

impl Diff {
    /// Why the list may have left out what still exists; `None` when there is no reason to think so,
    /// or when later lists cannot tell more.
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

    /// Whether the snapshot is of the suspected list's plan.
    pub(super) fn is_about(&self, snapshot: &PlanSnapshot<'_>) -> bool {
        match (&self.id, snapshot.key.id()) {
            (Some(own), Some(id)) => id == **own,
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether the update has the plan's first list of a later turn, and that begins anew.
    pub(super) fn is_settled_by(&self, updated: &PlanUpdated<'_>, turn: u32) -> bool {
        self.turn != turn
            && updated.diff.as_ref().is_some_and(|diff| diff.is_first && !diff.carries_on)
            && self.is_about(&updated.snapshot)
    }
}
