//! The words of plan entries: status and priority.

use crate::json::Text;

/// How far an entry has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    InProgress,
    Completed,
    Cancelled,
    /// A word that the protocol does not define: neither finished nor unfinished.
    Other(Box<str>),
    /// No string at all.
    Absent,
}

/// How important an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Priority {
    High,
    Medium,
    Low,
    /// A word that the protocol does not define.
    Other(Box<str>),
    /// No string at all.
    Absent,
}

impl Status {
    /// Allocates only for words that the protocol does not define.
    pub fn of(text: Option<Text<'_>>) -> Self {
        match text.map(Text::as_cow).as_deref() {
            Some("pending") => Self::Pending,
            Some("in_progress") => Self::InProgress,
            Some("completed") => Self::Completed,
            Some("cancelled") => Self::Cancelled,
            Some(other) => Self::Other(other.into()),
            None => Self::Absent,
        }
    }

    /// As the wire has it; empty when absent.
    pub fn name(&self) -> &str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
            Self::Other(word) => word,
            Self::Absent => "",
        }
    }

    /// Whether nothing is left to do; `None` for a word that may mean anything.
    pub fn is_finished(&self) -> Option<bool> {
        Some(self.progress()? == 2)
    }

    /// 0 before the work, 1 during it, 2 after it; `None` for a word that may mean anything.
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
    /// Allocates only for words that the protocol does not define.
    pub fn of(text: Option<Text<'_>>) -> Self {
        match text.map(Text::as_cow).as_deref() {
            Some("high") => Self::High,
            Some("medium") => Self::Medium,
            Some("low") => Self::Low,
            Some(other) => Self::Other(other.into()),
            None => Self::Absent,
        }
    }

    /// As the wire has it; empty when absent.
    pub fn name(&self) -> &str {
        match self {
            Self::High => "high",
            Self::Medium => "medium",
            Self::Low => "low",
            Self::Other(word) => word,
            Self::Absent => "",
        }
    }
}
