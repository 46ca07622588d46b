//! The options that `check` and `report` share: the configuration, the name of standard input, and the
//! number of threads.

use std::{
    num::NonZero,
    path::{Path, PathBuf},
    thread,
};

use super::{
    arguments::{checked, counted},
    bounded::Unpacking,
    config::{CommandLine, Config, ConfigError},
};

/// The options that `check` and `report` share.
#[derive(Debug, clap::Args)]
pub(super) struct CheckOptions {
    #[command(flatten)]
    config: CommandLine,

    /// The name of standard input in reports.
    #[arg(long, value_name = "NAME", default_value = "<stdin>")]
    stdin_filename: String,

    /// How many threads to use.
    ///
    /// Without it, one for each processor. Each thread judges one transcript at a time. The report
    /// does not depend on their number.
    #[arg(short, long, value_name = "N", value_parser = checked(jobs))]
    jobs: Option<NonZero<usize>>,

    #[command(flatten)]
    unpacking: Unpacking,
}

fn jobs(text: &str) -> Result<NonZero<usize>, String> {
    counted(text, "a number of threads")
}

impl CheckOptions {
    /// The ids of the options that matter only where transcripts are checked.
    pub(super) const OPTIONS: [&'static str; 13] = [
        "profile",
        "select",
        "ignore",
        "severity",
        "surface",
        "edition",
        "input_format",
        "head",
        "tail",
        "story",
        "stdin_filename",
        "jobs",
        "max_unpacked",
    ];

    /// Reads the configuration file, and applies the options of the command line to it. Fails when
    /// a file cannot be read or has an error.
    pub(super) fn load(&self) -> Result<Config, ConfigError> {
        Config::load(&self.config)
    }

    /// Whether the user has given `--fail-on`, so that the configuration file does not decide it.
    pub(super) fn names_fail_on(&self) -> bool {
        self.config.names_fail_on()
    }

    /// The files besides transcripts that the run reads (configuration, baseline, schemas), each
    /// with a name for messages, so that no output may overwrite them.
    pub(super) fn read(
        &self,
        config: &Config,
        baseline: Option<&Path>,
    ) -> Vec<(&'static str, PathBuf)> {
        let baseline = baseline.map(|path| ("the baseline", path.to_owned()));
        let own = self.config_path().map(|path| ("the configuration", path));
        let schemas = config.schema_files().into_iter().map(|path| ("a schema", path));
        own.into_iter().chain(baseline).chain(schemas).collect()
    }

    /// The path of the configuration file: the one given by `--config`, else the nearest in the
    /// current directory or above it. `None` with `--isolated`, or when there is neither.
    pub(super) fn config_path(&self) -> Option<PathBuf> {
        Config::path(&self.config)
    }

    /// The limit of what compressed transcripts may unpack to (`--max-unpacked`).
    pub(super) fn unpacking(&self) -> Unpacking {
        self.unpacking
    }

    /// The name of standard input in reports (`--stdin-filename`).
    pub(super) fn stdin_name(&self) -> &str {
        &self.stdin_filename
    }

    /// The number of threads to use: as the user wants, or one for each processor. Fewer when the
    /// address space is limited.
    pub(super) fn threads(&self) -> NonZero<usize> {
        let available = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let wanted = self.jobs.unwrap_or_else(available);
        address_space().map_or(wanted, |space| wanted.min(threads_in(space)))
    }
}

/// The limit of the address space in bytes (`ulimit -v`); `None` when there is none.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> Option<u64> {
    None
}

/// The number of threads, at least 1, for which an address space of `space` bytes has room. The C
/// library reserves 64 MiB for the allocations of each thread, and briefly twice as much.
fn threads_in(space: u64) -> NonZero<usize> {
    const EACH: u64 = 256 << 20;
    let threads = usize::try_from(space / EACH).unwrap_or(usize::MAX);
    NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_address_space_has_room_for_one_thread() {
        for (space, threads) in [(0, 1), (90 << 20, 1), (600 << 20, 2), (4 << 30, 16)] {
            assert_eq!(threads_in(space).get(), threads, "{space}");
        }
    }
}
