//! How a list of plan entries differs from the lists before it in its turn.
//!
//! These are the results; [`compare`](super::compare) computes them.

use crate::model::session::plans::identity::EntryIdentity;

/// How the list of entries in a plan update differs from earlier lists of its turn, for rules on
/// updates that send only a part of the plan.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Diff {
    /// For each entry of the new list, the earlier entry that it continues.
    pub(super) matches: Vec<Match>,
    /// How entries of the new list are identified: by text, or by an id in their `_meta`.
    pub(super) identity: EntryIdentity,
    pub(super) parent: Option<u64>,
    /// Whether the new list can be compared with others: it is complete, every entry has a text,
    /// and it is not a patch.
    pub is_list: bool,
    /// Whether the turn has no earlier list of the plan with which the new list can be compared.
    pub is_first: bool,
    /// Whether the new list is the first of its turn and only changes some entries of the turn
    /// before, so that the entries of both turns are one plan.
    pub(super) carries_on: bool,
    pub extent: ListExtent,
    /// Whether the new list is the preceding list without some entries, and all entries in it are
    /// changed. This suggests that the agent sends only changes.
    pub keeps_only_changes: bool,
    /// Number of pending entries in the preceding list that the new list leaves out; 0 when it has
    /// new entries.
    pub lost: usize,
    /// Position (from 0) in the preceding list of the first unfinished entry that the new list
    /// leaves out, if it has no new entries; `None` otherwise.
    pub dropped: Option<usize>,
    /// Position (from 0) in the new list of the first entry that the preceding list left out and
    /// that is listed again, while both lists have only changes; `None` without one.
    pub resumed: Option<usize>,
    /// How many lists in a row, up to the new one, have only one or two entries and none of the
    /// preceding list. This suggests that the agent sends single entries.
    pub strangers: u32,
    /// Whether the texts of the entries show a part of the plan, and only the agent's word says
    /// otherwise: another parent or other ids in `_meta`, or a compaction.
    pub is_contested: bool,
}

/// How many of the entries that a turn has listed the new list of a plan has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListExtent {
    /// The list may be complete: it has new entries, unchanged ones, or every entry of the turn.
    #[default]
    Whole,
    /// The list has only some of the entries of earlier lists, and all of them are changed.
    Changes {
        /// Whether one of the entries that the list leaves out was pending when it was listed last.
        omits_pending: bool,
    },
}

/// The earlier entry that an entry of a list continues. `known` is the index of the earlier entry
/// in the table of the turn's entries; `None` for a new entry.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Match {
    pub(super) known: Option<u32>,
    /// Position of the entry in the preceding list; `None` when it is not there.
    pub(super) previous: Option<u32>,
}

impl Diff {
    /// The difference of a plan that cannot be compared, such as a markdown plan.
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
        is_contested: false,
    };

    /// Whether all entries are identified by their texts, were listed before, and are in the order
    /// of their first listing. No two of them have the same text then.
    pub fn is_in_order(&self) -> bool {
        self.identity == EntryIdentity::Text
            && self.matches.iter().all(|found| found.known.is_some())
            && self.matches.is_sorted_by(|one, next| one.known < next.known)
    }

    /// For each entry of the new list, the position (from 0) in the preceding list of the entry
    /// that it continues; `None` for a new entry.
    pub fn places(&self) -> impl Iterator<Item = Option<usize>> {
        self.matches.iter().map(|found| found.previous.map(|place| place as usize))
    }
}
