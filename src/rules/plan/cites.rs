//! Passages that several rules about plans cite.

use crate::{
    protocol::Version,
    rule::{Citation, SourceText},
};

/// Where the sources say that an update of a plan lists all its entries.
pub(super) const WHOLE_LIST: [Citation; 2] = [
    Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/agent-plan#updating-plans"),
        requires: "each plan update lists all entries with their current status",
    },
    Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/agent-plan#updating-plans"),
        requires: "each update of an item plan lists all entries with their current status",
    },
];

/// Where the sources say that a plan is removed once, and only while the client shows it.
pub(super) const REMOVAL: [Citation; 3] = [
    Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/agent-plan#removing-plans"),
        requires: "a removal names a plan that the client shows",
    },
    Citation {
        version: None,
        source: SourceText::Page("rfds/plan-operations#plan-removal"),
        requires: "after a removal the client does not show the plan any more",
    },
    Citation {
        version: None,
        source: SourceText::Definition("PlanRemoved"),
        requires: "clients ignore the removal of a plan that they do not know",
    },
];

/// Where the sources say that entries of a plan may be added, removed and changed.
pub(super) const DYNAMIC: [Citation; 2] = [
    Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/agent-plan#dynamic-planning"),
        requires: "agents may add, remove and change entries as they go",
    },
    Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/agent-plan#dynamic-planning"),
        requires: "agents may add, remove and change entries as they go",
    },
];

/// Where the protocol says that agents report progress by plan updates, for findings to cite.
pub(super) const PROGRESS: [Citation; 2] = [
    Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/agent-plan#updating-plans"),
        requires: "agents report progress as they work",
    },
    Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/agent-plan#updating-plans"),
        requires: "agents report progress as they work",
    },
];
