//! How a list of plan entries differs from the lists before it in its turn.
//!
//! These are the results; [`compare`](super::compare) computes them.

use crate::model::session::plans::identity::EntryIdentity;

/// How a list relates to the lists before it in its turn.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Diff {
    /// For each entry, the earlier entry that it matches.
    pub(super) matches: Vec<Match>,
    /// The key of its entries.
    pub(super) identity: EntryIdentity,
    pub(super) parent: Option<u64>,
    /// Whether other lists may be compared with it.
    pub is_list: bool,
    /// Whether it is the first list of the turn that can be compared.
    pub is_first: bool,
    /// Whether it is the first list of the turn, and has nothing but changes of some entries of the
    /// turn before, so that the entries of both turns are one plan.
    pub(super) carries_on: bool,
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

/// How many of the turn's entries a list has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListExtent {
    /// It may be the whole list: it has new entries, unchanged ones, or every entry of the turn.
    #[default]
    Whole,
    /// It has only some entries of earlier lists, all of them changed.
    Changes {
        /// Whether an entry that it leaves out was pending when it was listed last.
        omits_pending: bool,
    },
}

/// The earlier entry that an entry matches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Match {
    pub(super) known: Option<u32>,
    /// Its position in the preceding list; `None` when it is not there.
    pub(super) previous: Option<u32>,
}

impl Diff {
    /// The difference of a list that cannot be compared.
    pub(super) const NONE: Self = Self {
        matches: Vec::new(),
        identity: EntryIdentity::Text,
        parent: None,
        is_list: false,
        is_first: true,
        carries_on: false,
        extent: ListExtent::Whole,
        keeps_only_changes: false,
        lost: 0,
        dropped: None,
        resumed: None,
        strangers: 0,
    };

    /// Whether entries are identified by their texts, each is known, and they were first listed in
    /// this order. Then no two have the same text.
    pub fn is_in_order(&self) -> bool {
        self.identity == EntryIdentity::Text
            && self.matches.iter().all(|found| found.known.is_some())
            && self.matches.is_sorted_by(|one, next| one.known < next.known)
    }

    /// For each entry of the list, the position in the preceding list of the entry that it
    /// continues.
    pub fn places(&self) -> impl Iterator<Item = Option<usize>> {
        self.matches.iter().map(|found| found.previous.map(|place| place as usize))
    }
}
