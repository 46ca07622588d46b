//! By what transcripts are judged, as options: the same for all commands that judge.

use std::{num::NonZero, thread};

use super::config::{Config, Options, Trouble};

/// How to judge.
#[derive(Debug, clap::Args)]
pub(super) struct Judging {
    #[command(flatten)]
    options: Options,

    /// What to call standard input.
    #[arg(long, value_name = "NAME", default_value = "<stdin>")]
    stdin_filename: String,

    /// How many threads to use.
    ///
    /// As many as there are processors, if not given. Each judges one transcript at a time; those
    /// that are left read large ones ahead. What is reported, and in which order, does not depend
    /// on it.
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
}

impl Judging {
    /// What only matters where transcripts are judged.
    pub(super) const OPTIONS: [&'static str; 11] = [
        "profile",
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

    /// The options and the configuration that they outweigh.
    pub(super) fn load(&self) -> Result<Config, Trouble> {
        self.options.load()
    }

    /// The options.
    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// What standard input is called.
    pub(super) fn stdin_name(&self) -> &str {
        &self.stdin_filename
    }

    pub(super) fn threads(&self) -> NonZero<usize> {
        let available = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        self.jobs.unwrap_or_else(available)
    }
}
