//! What has a name on the command line and in the configuration.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::super::selection::Selector;
use crate::{
    check::{Head, Tail},
    protocol::{Edition, Surface},
    report::Counts,
    rule::Severity,
    transcript::{self, Format},
};

/// Something with a name.
pub(in crate::cli) trait Named: Copy {
    fn find(name: &str) -> Option<Self>;

    fn name(self) -> &'static str;
}

/// Something by its name, in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) struct Choice<T>(pub(in crate::cli) T);

impl<T: Named> Serialize for Choice<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Named> Deserialize<'de> for Choice<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = T::find(&name).map(Choice);
        found.ok_or_else(|| de::Error::custom(format!("there is no `{name}` to choose")))
    }
}

/// From what the rules' severities start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Profile {
    #[default]
    Default,
    /// With what the protocol recommends and all hints.
    Strict,
    /// What the gate of the agents registry looks at, and nothing else.
    Registry,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Threshold {
    At(Severity),
    Never,
}

impl Threshold {
    pub(in crate::cli) fn severity(self) -> Option<Severity> {
        match self {
            Self::At(severity) => Some(severity),
            Self::Never => None,
        }
    }

    pub(in crate::cli) fn is_reached(self, counts: Counts) -> bool {
        self.severity().is_some_and(|severity| counts.reach(severity))
    }
}

/// What becomes of a run with entries of the baseline that nothing matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Stale {
    /// They are named.
    #[default]
    Warn,
    /// They are named, and the run fails.
    Error,
    Ignore,
}

/// Something of which there are few: all of it, by name.
macro_rules! named {
    ($($type:ty: $(($name:literal, $value:expr)),+;)+) => {$(
        impl Named for $type {
            fn find(name: &str) -> Option<Self> {
                match name {
                    $($name => Some($value),)+
                    _ => None,
                }
            }

            fn name(self) -> &'static str {
                // The first name of a value is the one it is written by.
                let names = [$(($name, $value)),+];
                names.into_iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
            }
        }
    )+};
}

named! {
    Profile: ("default", Self::Default), ("strict", Self::Strict), ("registry", Self::Registry);
    Threshold:
        ("error", Self::At(Severity::Error)),
        ("warning", Self::At(Severity::Warning)),
        ("info", Self::At(Severity::Info)),
        ("never", Self::Never);
    Stale: ("warn", Self::Warn), ("error", Self::Error), ("ignore", Self::Ignore);
    // Without `off`, which needs a reason.
    Severity: ("info", Self::Info), ("warning", Self::Warning), ("error", Self::Error);
    Head: ("auto", Self::Auto), ("complete", Self::Complete), ("truncated", Self::Truncated);
    Tail: ("auto", Self::Auto), ("open", Self::Open), ("closed", Self::Closed);
}

/// `auto`, or the name of one.
impl Named for Option<Surface> {
    fn find(name: &str) -> Option<Self> {
        let fixed = Surface::ALL.into_iter().find(|surface| surface.name() == name);
        if name == "auto" { Some(None) } else { fixed.map(Some) }
    }

    fn name(self) -> &'static str {
        self.map_or("auto", Surface::name)
    }
}

/// `auto`, the name of one, or `current`.
impl Named for Option<Edition> {
    fn find(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(None),
            "current" => Some(Some(Edition::CURRENT)),
            _ => Edition::ALL.into_iter().find(|edition| edition.name() == name).map(Some),
        }
    }

    fn name(self) -> &'static str {
        self.map_or("auto", Edition::name)
    }
}

/// A format of transcripts; `None` goes by their beginning.
#[derive(Clone, Copy, Debug)]
pub(in crate::cli) struct InputFormat(pub(in crate::cli) Option<&'static Format>);

impl Named for InputFormat {
    fn find(name: &str) -> Option<Self> {
        if name == "auto" {
            return Some(Self(None));
        }
        transcript::find(name).map(|format| Self(Some(format)))
    }

    fn name(self) -> &'static str {
        self.0.map_or("auto", |format| format.name)
    }
}

impl Named for Selector {
    fn find(name: &str) -> Option<Self> {
        Self::parse(name).ok()
    }

    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Family(name) | Self::Rule(name) => name,
        }
    }
}
