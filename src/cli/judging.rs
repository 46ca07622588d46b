//! By what transcripts are judged, as options: the same for all commands that judge.

use std::{num::NonZero, thread};

use super::{
    choice, formats,
    selection::{self, Change, Selector},
};
use crate::{
    check::{Head, Settings, Tail},
    protocol::{Edition, Surface},
    report::Counts,
    rule::Severity,
    transcript,
};

/// How to judge.
#[derive(Debug, clap::Args)]
pub(super) struct Judging {
    /// Report only these rules or families, also those that are off by default.
    ///
    /// Repeatable; several may be given with commas between them. `all` selects every rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Selector::parse,
        help_heading = "Rules",
    )]
    select: Vec<Selector>,

    /// Do not report these rules or families.
    ///
    /// A rule outweighs a family: `--ignore plan --select plan/duplicate-id` reports the rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Selector::parse,
        help_heading = "Rules",
    )]
    ignore: Vec<Selector>,

    /// Report a rule or family as off, info, warning or error.
    ///
    /// Repeatable. It also switches on rules that are off by default.
    #[arg(
        long,
        value_name = "RULE=LEVEL",
        value_delimiter = ',',
        value_parser = Change::parse,
        help_heading = "Rules",
    )]
    severity: Vec<Change>,

    /// The least severity that makes the exit status 1.
    #[arg(
        long,
        value_name = "LEVEL",
        default_value = "error",
        value_parser = choice([
            ("error", Threshold::At(Severity::Error), ""),
            ("warning", Threshold::At(Severity::Warning), ""),
            ("info", Threshold::At(Severity::Info), ""),
            ("never", Threshold::Never, ""),
        ]),
    )]
    fail_on: Threshold,

    /// The part of the protocol to judge by.
    #[arg(
        long,
        value_name = "SURFACE",
        default_value = "auto",
        value_parser = choice([
            (
                "auto",
                Auto::Auto,
                "The negotiated version; drafts are judged by their schema and named once",
            ),
            ("v1", Auto::Fixed(Surface::V1), "Version 1"),
            ("v1-unstable", Auto::Fixed(Surface::V1Unstable), "Version 1 with its drafts"),
            ("v2", Auto::Fixed(Surface::V2), "Version 2"),
            ("v2-unstable", Auto::Fixed(Surface::V2Unstable), "Version 2 with its drafts"),
        ]),
        help_heading = "Protocol",
    )]
    surface: Auto<Surface>,

    /// The state of the protocol's drafts to judge by.
    #[arg(
        long,
        value_name = "EDITION",
        default_value = "auto",
        value_parser = choice([
            ("auto", Auto::Auto, "The last, with older spellings of plans accepted and named once"),
            ("2026-05", Auto::Fixed(Edition::May2026), "Capability `planCapabilities`, plan `id`"),
            ("2026-06", Auto::Fixed(Edition::June2026), "Capability `plan`, plan `id`"),
            ("2026-08", Auto::Fixed(Edition::August2026), "Plan `planId`"),
            ("2026-09", Auto::Fixed(Edition::September2026), "As the official test suite has it"),
            ("2026-11", Auto::Fixed(Edition::November2026), "As the schemas in this program"),
            ("current", Auto::Fixed(Edition::CURRENT), "The last, strictly"),
        ]),
        help_heading = "Protocol",
    )]
    edition: Auto<Edition>,

    /// The format of the transcripts; `acpcheck formats` lists them.
    ///
    /// Without it, each transcript's beginning tells.
    #[arg(long, value_name = "NAME", value_parser = formats::parse)]
    input_format: Option<&'static transcript::Format>,

    /// Whether transcripts begin where their connection begins.
    #[arg(
        long,
        value_name = "STATE",
        default_value = "auto",
        value_parser = choice([
            ("auto", Head::Auto, "As the first message tells"),
            ("complete", Head::Complete, "They do"),
            ("truncated", Head::Truncated, "They may begin later"),
        ]),
        help_heading = "Protocol",
    )]
    head: Head,

    /// Whether transcripts end where their connection ends.
    #[arg(
        long,
        value_name = "STATE",
        default_value = "auto",
        value_parser = choice([
            ("auto", Tail::Auto, "As the last messages tell"),
            ("open", Tail::Open, "They may end earlier"),
            ("closed", Tail::Closed, "They do: what is unanswered stays so"),
        ]),
        help_heading = "Protocol",
    )]
    tail: Tail,

    /// What to call standard input.
    #[arg(long, value_name = "NAME", default_value = "<stdin>")]
    stdin_filename: String,

    /// How many transcripts to judge at the same time.
    ///
    /// As many as there are processors, if not given. What is reported, and in which order, does
    /// not depend on it.
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

impl Judging {
    /// What only matters where transcripts are judged.
    pub(super) const OPTIONS: [&'static str; 10] = [
        "select",
        "ignore",
        "severity",
        "surface",
        "edition",
        "input_format",
        "head",
        "tail",
        "stdin_filename",
        "jobs",
    ];

    pub(super) fn settings(&self) -> Settings {
        Settings {
            surface: self.surface.fixed(),
            edition: self.edition.fixed(),
            format: self.input_format,
            head: self.head,
            tail: self.tail,
            severities: selection::severities(&self.select, &self.ignore, &self.severity),
        }
    }

    /// What standard input is called.
    pub(super) fn stdin_name(&self) -> &str {
        &self.stdin_filename
    }

    /// Whether so many findings make the run fail.
    pub(super) fn fails(&self, counts: Counts) -> bool {
        self.fail_on.is_reached(counts)
    }

    pub(super) fn threads(&self) -> NonZero<usize> {
        let available = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        self.jobs.unwrap_or_else(available)
    }
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug)]
enum Auto<T> {
    Auto,
    Fixed(T),
}

impl<T> Auto<T> {
    fn fixed(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug)]
enum Threshold {
    At(Severity),
    Never,
}

impl Threshold {
    fn is_reached(self, counts: Counts) -> bool {
        match self {
            Self::At(severity) => counts.reach(severity),
            Self::Never => false,
        }
    }
}
