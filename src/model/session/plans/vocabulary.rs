//! The words of plan entries: status and priority.

use std::sync::Arc;

use crate::{json::Text, protocol::Version};

/// The status of a plan entry, such as `pending`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
    /// A status that the protocol does not define; it counts as neither finished nor unfinished.
    /// Shared, since the entry, the item and the list each keep it.
    Other(Arc<str>),
    /// The entry has no status, or one that is not a string.
    Absent,
}

/// The priority of a plan entry, such as `high`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Priority {
    High,
    Medium,
    Low,
    /// A priority that the protocol does not define.
    Other(Arc<str>),
    /// The entry has no priority, or one that is not a string.
    Absent,
}

impl EntryStatus {
    const NAMES: [&str; 4] = ["pending", "in_progress", "completed", "cancelled"];

    /// Reads the `status` of a plan entry; a missing one gives `Absent`. Allocates only for a
    /// status that the protocol does not define.
    pub fn of(text: Option<Text<'_>>) -> Self {
        let Some(text) = text else { return Self::Absent };
        place(text, &Self::NAMES).map_or_else(Self::Other, Self::known)
    }

    /// The status with this index in `NAMES`.
    fn known(place: usize) -> Self {
        match place {
            0 => Self::Pending,
            1 => Self::InProgress,
            2 => Self::Completed,
            _ => Self::Cancelled,
        }
    }

    /// The status as the protocol spells it, or as it was sent; empty when absent.
    pub fn name(&self) -> &str {
        match self {
            Self::Pending => Self::NAMES[0],
            Self::InProgress => Self::NAMES[1],
            Self::Completed => Self::NAMES[2],
            Self::Cancelled => Self::NAMES[3],
            Self::Other(word) => word,
            Self::Absent => "",
        }
    }

    /// Whether the entry is finished, completed or cancelled; `None` for an absent or undefined
    /// status.
    pub fn is_finished(&self) -> Option<bool> {
        Some(self.progress()? == 2)
    }

    /// 0 before the work on the entry, 1 during it, 2 after it; `None` for an absent or undefined
    /// status.
    pub fn progress(&self) -> Option<u8> {
        match self {
            Self::Pending => Some(0),
            Self::InProgress => Some(1),
            Self::Completed | Self::Cancelled => Some(2),
            Self::Other(_) | Self::Absent => None,
        }
    }
}

impl Priority {
    const NAMES: [&str; 3] = ["high", "medium", "low"];

    /// Reads the `priority` of a plan entry; a missing one gives `Absent`. Allocates only for a
    /// priority that the protocol does not define.
    pub fn of(text: Option<Text<'_>>) -> Self {
        let Some(text) = text else { return Self::Absent };
        place(text, &Self::NAMES).map_or_else(Self::Other, Self::known)
    }

    /// The priority with this index in `NAMES`.
    fn known(place: usize) -> Self {
        match place {
            0 => Self::High,
            1 => Self::Medium,
            _ => Self::Low,
        }
    }

    /// The priority as the protocol spells it, or as it was sent; empty when absent.
    pub fn name(&self) -> &str {
        match self {
            Self::High => Self::NAMES[0],
            Self::Medium => Self::NAMES[1],
            Self::Low => Self::NAMES[2],
            Self::Other(word) => word,
            Self::Absent => "",
        }
    }
}

/// Whether official readers of this version keep an entry with this priority and status. They drop
/// it when one of them is missing or, on version 1, is not defined.
pub fn is_kept((priority, status): (&Priority, &EntryStatus), version: Option<Version>) -> bool {
    let is_known = version == Some(Version::V2)
        || !matches!(priority, Priority::Other(_))
            && !matches!(status, EntryStatus::Other(_) | EntryStatus::Cancelled);
    is_known && *priority != Priority::Absent && *status != EntryStatus::Absent
}

/// Index in `names` of a word; as the error the word itself, when it is none of them.
fn place(text: Text<'_>, names: &[&str]) -> Result<usize, Arc<str>> {
    text.read(|word| names.iter().position(|name| *name == word).ok_or_else(|| word.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    #[test]
    fn words_are_told_however_they_are_spelled() {
        for (json, status, priority) in [
            (r#""pending""#, EntryStatus::Pending, Priority::Other("pending".into())),
            (
                r#""in\u005fprogress""#,
                EntryStatus::InProgress,
                Priority::Other("in_progress".into()),
            ),
            (r#""comp\u006ceted""#, EntryStatus::Completed, Priority::Other("completed".into())),
            (r#""cancelled""#, EntryStatus::Cancelled, Priority::Other("cancelled".into())),
            (r#""h\u0069gh""#, EntryStatus::Other("high".into()), Priority::High),
            (r#""\u006dedium""#, EntryStatus::Other("medium".into()), Priority::Medium),
            (r#""low""#, EntryStatus::Other("low".into()), Priority::Low),
            (
                r#""\"low\"""#,
                EntryStatus::Other("\"low\"".into()),
                Priority::Other("\"low\"".into()),
            ),
            (r#""""#, EntryStatus::Other("".into()), Priority::Other("".into())),
            ("null", EntryStatus::Absent, Priority::Absent),
        ] {
            let mut tape = Tape::new();
            tape.parse(json).expect("it is JSON");
            let doc = Doc::new(json, &tape, Origin::START);
            let text = doc.root().text();
            assert_eq!((EntryStatus::of(text), Priority::of(text)), (status, priority), "{json}");
        }
    }
}
