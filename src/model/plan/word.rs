//! The words of plan entries: status and priority.

use crate::json::{Text, short_bytes};

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
    #[inline]
    pub fn of(text: Option<Text<'_>>) -> Self {
        const WORDS: [u128; 4] =
            words([r#""pending""#, r#""in_progress""#, r#""completed""#, r#""cancelled""#]);
        let Some(text) = text else { return Self::Absent };
        text.node().place_among(&WORDS).map_or_else(|| Self::read(text), Self::known)
    }

    /// By its place in [`Status::of`].
    #[inline(never)] // or there is a jump that nobody can foresee instead of a number
    fn known(place: usize) -> Self {
        match place {
            0 => Self::Pending,
            1 => Self::InProgress,
            2 => Self::Completed,
            _ => Self::Cancelled,
        }
    }

    /// However it is spelled.
    #[cold]
    fn read(text: Text<'_>) -> Self {
        text.read(|word| match word {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "completed" => Self::Completed,
            "cancelled" => Self::Cancelled,
            other => Self::Other(other.into()),
        })
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
    #[inline]
    pub fn of(text: Option<Text<'_>>) -> Self {
        const WORDS: [u128; 3] = words([r#""high""#, r#""medium""#, r#""low""#]);
        let Some(text) = text else { return Self::Absent };
        text.node().place_among(&WORDS).map_or_else(|| Self::read(text), Self::known)
    }

    /// By its place in [`Priority::of`].
    #[inline(never)] // as [`Status::known`]
    fn known(place: usize) -> Self {
        match place {
            0 => Self::High,
            1 => Self::Medium,
            _ => Self::Low,
        }
    }

    /// However it is spelled.
    #[cold]
    fn read(text: Text<'_>) -> Self {
        text.read(|word| match word {
            "high" => Self::High,
            "medium" => Self::Medium,
            "low" => Self::Low,
            other => Self::Other(other.into()),
        })
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

/// JSON strings as [`Node::place_among`](crate::json::Node::place_among) compares them.
const fn words<const N: usize>(strings: [&str; N]) -> [u128; N] {
    let (mut words, mut at) = ([0; N], 0);
    while at < N {
        words[at] = short_bytes(strings[at].as_bytes(), strings[at].len()).expect("a short one");
        at += 1;
    }
    words
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
            (r#""pending""#, Status::Pending, Priority::Other("pending".into())),
            (r#""in\u005fprogress""#, Status::InProgress, Priority::Other("in_progress".into())),
            (r#""comp\u006ceted""#, Status::Completed, Priority::Other("completed".into())),
            (r#""cancelled""#, Status::Cancelled, Priority::Other("cancelled".into())),
            (r#""h\u0069gh""#, Status::Other("high".into()), Priority::High),
            (r#""\u006dedium""#, Status::Other("medium".into()), Priority::Medium),
            (r#""low""#, Status::Other("low".into()), Priority::Low),
            (r#""\"low\"""#, Status::Other("\"low\"".into()), Priority::Other("\"low\"".into())),
            (r#""""#, Status::Other("".into()), Priority::Other("".into())),
            ("null", Status::Absent, Priority::Absent),
        ] {
            let mut tape = Tape::new();
            tape.parse(json).expect("it is JSON");
            let doc = Doc::new(json, &tape, Origin::START);
            let text = doc.root().text();
            assert_eq!((Status::of(text), Priority::of(text)), (status, priority), "{json}");
        }
    }
}
