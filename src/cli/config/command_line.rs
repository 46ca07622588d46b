//! The options of the command line that concern the configuration.

use std::path::PathBuf;

use super::values::{FailWord, Profile};
use crate::{
    check::{Head, Story, Tail},
    cli::{
        arguments::{Completable, checked, choice},
        formats,
        selector::{self, Selector, SeverityChange},
    },
    protocol::{Edition, Side, Surface},
    rule::Severity,
    transcript,
};

/// Options that say where the configuration is, or outweigh a value in it.
#[derive(Clone, Debug, clap::Args)]
#[cfg_attr(fuzzing, derive(Default))]
pub(in crate::cli) struct CommandLine {
    /// Read the configuration from this file.
    ///
    /// Without it, acpcheck reads the `acpcheck.toml` in the current folder, or else in the nearest
    /// folder above it.
    #[arg(long, value_name = "FILE", help_heading = "Configuration", conflicts_with = "isolated")]
    pub(super) config: Option<PathBuf>,

    /// Read no configuration file.
    #[arg(long, help_heading = "Configuration")]
    pub(super) isolated: bool,

    /// The rules and severities to start from [default: default].
    #[arg(
        long,
        value_name = "PROFILE",
        value_parser = choice([
            ("default", Profile::Default, "What the protocol demands, and what is unusual"),
            ("strict", Profile::Strict, "Recommendations and hints, too; warnings make the status 1"),
            ("registry", Profile::Registry, "Only what the agents registry checks"),
            ("audit", Profile::Audit, "Also policies: who was asked, and work outside the session's directories"),
        ]),
        help_heading = "Rules",
    )]
    pub(super) profile: Option<Profile>,

    /// Report only these rules or families, also those that are off by default.
    ///
    /// A family is the part of a rule's name before the slash. Repeatable; separate several names
    /// with commas. `all` selects every rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = selector::PARSER,
        hide_possible_values = true,
        help_heading = "Rules",
    )]
    pub(super) select: Vec<Selector>,

    /// Do not report these rules or families.
    ///
    /// A rule wins over its family: `--ignore plan --select plan/status-regression` reports
    /// the rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = selector::PARSER,
        hide_possible_values = true,
        help_heading = "Rules",
    )]
    pub(super) ignore: Vec<Selector>,

    /// Report a rule or family as off, info, warning or error.
    ///
    /// Repeatable. This also switches on rules that are off by default.
    #[arg(
        long,
        value_name = "RULE=LEVEL",
        value_delimiter = ',',
        value_parser = checked(SeverityChange::parse),
        help_heading = "Rules",
    )]
    pub(super) severity: Vec<SeverityChange>,

    /// What makes the exit status 1: the lowest severity, `unjudged`, or both, separated by a comma
    /// [default: error].
    ///
    /// With `unjudged`, the status is also 1 if something in a transcript could not be checked because
    /// of what it contains, such as a message with too many values.
    #[arg(
        long,
        value_name = "LEVEL",
        value_delimiter = ',',
        value_parser = choice([
            ("error", FailWord::At(Severity::Error), ""),
            ("warning", FailWord::At(Severity::Warning), ""),
            ("info", FailWord::At(Severity::Info), ""),
            ("never", FailWord::Never, ""),
            ("unjudged", FailWord::Unjudged, ""),
        ]),
    )]
    pub(super) fail_on: Vec<FailWord>,

    /// Report the findings of one side only. Those of which the side is unknown are reported, too.
    ///
    /// The exit status, the totals and the baseline follow. The summary says how many findings of the
    /// other side are not shown.
    #[arg(
        long,
        value_name = "SIDE",
        value_parser = choice([
            ("client", Side::Client, "What clients do wrong"),
            ("agent", Side::Agent, "What agents do wrong"),
        ]),
    )]
    pub(super) side: Option<Side>,

    /// The surface to judge by: a version of the protocol, with or without its drafts
    /// [default: auto].
    #[arg(
        long,
        value_name = "SURFACE",
        value_parser = choice([
            (
                "auto",
                Auto::Auto,
                "The version that both sides agreed on; drafts are checked, too, and reported once",
            ),
            ("v1", Auto::Fixed(Surface::V1), "Version 1"),
            ("v1-unstable", Auto::Fixed(Surface::V1Unstable), "Version 1 with its drafts"),
            ("v2", Auto::Fixed(Surface::V2), "Version 2"),
            ("v2-unstable", Auto::Fixed(Surface::V2Unstable), "Version 2 with its drafts"),
        ]),
        help_heading = "Protocol",
    )]
    pub(super) surface: Option<Auto<Surface>>,

    /// The edition to judge by: the protocol's schemas as they were at a date [default: auto].
    #[arg(
        long,
        value_name = "EDITION",
        value_parser = choice([
            ("auto", Auto::Auto, "The latest; older names in plans are accepted and reported once"),
            ("2026-05", Auto::Fixed(Edition::May2026), "Capability `planCapabilities`, plan `id`"),
            ("2026-06", Auto::Fixed(Edition::June2026), "Capability `plan`, plan `id`"),
            ("2026-08", Auto::Fixed(Edition::August2026), "Plan `planId`"),
            ("2026-09", Auto::Fixed(Edition::September2026), "As the official test kit (TCK) has it"),
            ("2026-11", Auto::Fixed(Edition::November2026), "Plan operations are drafts"),
            ("2026-11-20", Auto::Fixed(Edition::LateNovember2026), "The schemas in this program"),
            ("current", Auto::Fixed(Edition::CURRENT), "The latest; older names are errors"),
        ]),
        help_heading = "Protocol",
    )]
    pub(super) edition: Option<Auto<Edition>>,

    /// Judge by the schemas in this folder, for the current edition. Experimental.
    ///
    /// For a protocol that is newer than this program. The files have the names of the protocol's
    /// repository: v1/schema.json, v1/schema.unstable.json, v2/schema.json, v2/schema.unstable.json.
    /// For a missing file, acpcheck uses the schema in this program. Reports state the hash of the
    /// schemas.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "Protocol")]
    pub(super) schema: Option<PathBuf>,

    /// The format of the transcripts; `acpcheck formats` lists them.
    ///
    /// Without it, acpcheck recognizes the format of each transcript by its contents.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Completable { parse: formats::parse, names: formats::names },
        hide_possible_values = true,
    )]
    pub(super) input_format: Option<&'static transcript::Format>,

    /// Whether transcripts contain the beginning of their connection [default: auto].
    #[arg(
        long,
        value_name = "STATE",
        value_parser = choice([
            ("auto", Head::Auto, "The first message decides"),
            ("complete", Head::Complete, "Every transcript begins with its first message"),
            ("truncated", Head::Truncated, "Some begin later"),
        ]),
        help_heading = "Protocol",
    )]
    pub(super) head: Option<Head>,

    /// Whether transcripts contain the end of their connection [default: auto].
    #[arg(
        long,
        value_name = "STATE",
        value_parser = choice([
            ("auto", Tail::Auto, "The last messages decide"),
            ("open", Tail::Open, "Some end earlier"),
            ("closed", Tail::Closed, "Every transcript ends with its connection; open requests are reported"),
        ]),
        help_heading = "Protocol",
    )]
    pub(super) tail: Option<Tail>,

    /// Which transcripts are about the same sessions [default: auto].
    ///
    /// A session that is loaded again is compared with what was said in it before, in other transcripts
    /// of the run, too.
    #[arg(
        long,
        value_name = "HOW",
        value_parser = choice([
            ("auto", Story::Auto, "Those whose session ids, agents and times prove it"),
            (
                "one",
                Story::One,
                "All of them, and no other client had the sessions. The order is that of the times, or that of the names where a transcript has no times",
            ),
            ("none", Story::None, "None; each transcript is checked alone"),
        ]),
        help_heading = "Protocol",
    )]
    pub(super) story: Option<Story>,
}

/// A value of the protocol that the user fixes, or leaves to acpcheck to detect (`auto`).
#[derive(Clone, Copy, Debug)]
pub(super) enum Auto<T> {
    Auto,
    Fixed(T),
}

impl<T> Auto<T> {
    /// The value that the user fixes; `None` for `auto`.
    pub(super) fn fixed(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }
}

impl CommandLine {
    /// Whether the user has given `--fail-on`, so that the configuration file does not decide it.
    pub(in crate::cli) fn names_fail_on(&self) -> bool {
        !self.fail_on.is_empty()
    }

    /// Whether any option of the command line outweighs the configuration file.
    pub(super) fn has_settings(&self) -> bool {
        !(self.select.is_empty() && self.ignore.is_empty() && self.severity.is_empty())
            || self.profile.is_some()
            || !self.fail_on.is_empty()
            || self.side.is_some()
            || self.surface.is_some()
            || self.edition.is_some()
            || self.schema.is_some()
            || self.head.is_some()
            || self.tail.is_some()
            || self.story.is_some()
            || self.input_format.is_some()
    }
}
