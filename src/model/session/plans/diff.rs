//! How a list of plan entries differs from the lists before it in its turn.
//!
//! This is what was found; [`compare`](super::compare) finds it.

use crate::model::session::plans::identity::EntryIdentity;

/// How a list relates to the lists before it in its turn.
#[derive(Clone, Debug, Default)]
pub struct Diff {
    /// For each entry, where it is known from.
    pub(super) matches: Vec<Match>,
    /// The key of its entries.
    pub(super) identity: EntryIdentity,
    pub(super) parent: Option<u64>,
    /// Whether it is a list that others may be compared with.
    pub is_list: bool,
    /// Whether no list of the turn precedes it that it can be compared with.
    pub is_first: bool,
    pub extent: ListExtent,
    /// Whether it is the preceding list without some of its entries, and all others changed.
    pub keeps_only_changes: bool,
    /// How many pending entries of the preceding list it leaves out.
    pub lost: usize,
    /// The first unfinished entry of the preceding list that it leaves out though it has no new
    /// entries.
    pub dropped: Option<usize>,
    /// The entry that the preceding list left out and that goes on in this one, while neither list
    /// has anything but changes.
    pub resumed: Option<usize>,
    /// See [`ItemList::strangers`](super::item_list::ItemList::strangers).
    pub strangers: u32,
}

/// How much of what the turn has listed a list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListExtent {
    /// It may be all of it: it has new entries, unchanged ones, or each that there is.
    #[default]
    Whole,
    /// Only entries of earlier lists, all of them changed, and not each entry of earlier lists.
    Changes {
        /// Whether an entry that it leaves out was pending when it was listed last.
        omits_pending: bool,
    },
}

/// Where an entry is known from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Match {
    pub(super) known: Option<u32>,
    /// Its place in the preceding list.
    pub(super) previous: Option<u32>,
}

impl Diff {
    /// That of a list about which nothing is known.
    pub(super) const NONE: Self = Self {
        matches: Vec::new(),
        identity: EntryIdentity::Text,
        parent: None,
        is_list: false,
        is_first: true,
        extent: ListExtent::Whole,
        keeps_only_changes: false,
        lost: 0,
        dropped: None,
        resumed: None,
        strangers: 0,
    };

    /// Whether each entry is told by its text and known, and they were listed first in this order.
    /// Then no two have the same wording.
    pub fn is_in_order(&self) -> bool {
        self.identity == EntryIdentity::Text
            && self.matches.iter().all(|found| found.known.is_some())
            && self.matches.is_sorted_by(|one, next| one.known < next.known)
    }

    /// For each entry of the list, the place in the preceding list of the one that it continues.
    pub fn places(&self) -> impl Iterator<Item = Option<usize>> {
        self.matches.iter().map(|found| found.previous.map(|place| place as usize))
    }
}
