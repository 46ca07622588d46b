//! Values of the configuration, and the names that files have for them.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    check::{Head, Story, Tail, Unjudged},
    cli::selector::Selector,
    protocol::{Edition, Side, Surface},
    report::Counts,
    rule::Severity,
    transcript::{self, Format},
};

/// A value, such as a severity, that the configuration file writes by its name.
pub(in crate::cli) trait Named: Copy {
    /// The value with this name; `None` when there is none.
    fn find(name: &str) -> Option<Self>;

    /// The name of the value in configuration files.
    fn name(self) -> &'static str;
}

/// A value that serde reads and writes by its name, see [`Named`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cli) struct ByName<T>(pub(in crate::cli) T);

impl<T: Named> Serialize for ByName<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Named> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let found = T::find(&name).map(ByName);
        found.ok_or_else(|| de::Error::custom(format!("`{name}` is not a known value")))
    }
}

/// The choice of rules and severities to start from, before file and command line change them
/// (`--profile`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Profile {
    /// The profile `default`: all rules have the severities of the catalogue.
    #[default]
    Default,
    /// Findings about recommendations are warnings, and all hints are reported.
    Strict,
    /// Only what the registry of agents checks before it lists an agent; all findings are errors.
    Registry,
    /// Adds policies for people who watch what agents do, such as work outside of the session's
    /// directories.
    Audit,
}

/// Which severity of findings makes `acpcheck check` exit with status 1, and whether messages that
/// could not be judged do: the value of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) struct Threshold {
    /// The severity from which on findings make a run fail; `None` for `never`.
    pub(in crate::cli) severity: Option<Severity>,
    /// Whether a run also fails when a transcript has something that could not be judged.
    pub(in crate::cli) unjudged: bool,
}

impl Threshold {
    pub(in crate::cli) const fn at(severity: Severity) -> Self {
        Self { severity: Some(severity), unjudged: false }
    }

    const NEVER: Self = Self { severity: None, unjudged: false };

    const fn or_unjudged(self) -> Self {
        Self { unjudged: true, ..self }
    }

    /// The threshold that the words of `--fail-on` stand for: the lowest severity among them,
    /// `error` when they name none. `None` without words.
    pub(in crate::cli) fn of(words: &[FailWord]) -> Option<Self> {
        let unjudged = words.contains(&FailWord::Unjudged);
        let severities = words.iter().filter_map(|word| match word {
            FailWord::At(severity) => Some(*severity),
            FailWord::Never | FailWord::Unjudged => None,
        });
        let is_never = words.contains(&FailWord::Never);
        let severity = severities.min().or((!is_never).then_some(Severity::Error));
        (!words.is_empty()).then_some(Self { severity, unjudged })
    }

    /// Whether findings with these counts, or what was not checked, make the exit status 1.
    pub(in crate::cli) fn is_reached(self, counts: Counts, unjudged: Unjudged) -> bool {
        self.severity.is_some_and(|severity| counts.reaches(severity))
            || self.unjudged && !unjudged.is_none()
    }
}

/// A word that `--fail-on` accepts: a severity, `never` or `unjudged`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum FailWord {
    At(Severity),
    Never,
    Unjudged,
}

/// What `check` does about stale baseline entries: those that match fewer findings than they state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::cli) enum Stale {
    /// A note on standard error names each baseline entry that matched no finding.
    #[default]
    Warn,
    /// An error names each stale entry, and the exit status is 1.
    Error,
    /// Baseline entries that matched no finding are not mentioned.
    Ignore,
}

/// Implements [`Named`] for types by a list of their values and names.
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
                let names = [$(($name, $value)),+];
                names.into_iter().find(|(_, value)| *value == self).map_or("", |(name, _)| name)
            }
        }
    )+};
}

named! {
    Profile: ("default", Self::Default), ("strict", Self::Strict), ("registry", Self::Registry),
        ("audit", Self::Audit);
    Threshold:
        ("error", Self::at(Severity::Error)),
        ("warning", Self::at(Severity::Warning)),
        ("info", Self::at(Severity::Info)),
        ("never", Self::NEVER),
        ("error,unjudged", Self::at(Severity::Error).or_unjudged()),
        ("warning,unjudged", Self::at(Severity::Warning).or_unjudged()),
        ("info,unjudged", Self::at(Severity::Info).or_unjudged()),
        ("never,unjudged", Self::NEVER.or_unjudged()),
        ("unjudged", Self::at(Severity::Error).or_unjudged());
    Side: ("client", Self::Client), ("agent", Self::Agent);
    Stale: ("warn", Self::Warn), ("error", Self::Error), ("ignore", Self::Ignore);
    // `off` is missing: a file has to give a reason, in an `[[ignore]]`.
    Severity: ("info", Self::Info), ("warning", Self::Warning), ("error", Self::Error);
    Head: ("auto", Self::Auto), ("complete", Self::Complete), ("truncated", Self::Truncated);
    Tail: ("auto", Self::Auto), ("open", Self::Open), ("closed", Self::Closed);
    Story: ("auto", Self::Auto), ("one", Self::One), ("none", Self::None);
}

/// Lets users write `auto` for no chosen surface, so that the agreed version decides.
impl Named for Option<Surface> {
    fn find(name: &str) -> Option<Self> {
        let fixed = Surface::ALL.into_iter().find(|surface| surface.name() == name);
        if name == "auto" { Some(None) } else { fixed.map(Some) }
    }

    fn name(self) -> &'static str {
        self.map_or("auto", Surface::name)
    }
}

/// The name `auto` stands for `None`, and `current` for the latest edition.
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

/// The format in which transcripts are read; `None` when it is detected for each (`auto`).
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
        Self::name(self)
    }
}
