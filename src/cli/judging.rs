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
    /// As many as there are processors, if not given. Each judges one transcript at a time. What is
    /// reported, and in which order, does not depend on it.
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

    /// No more than there is room for.
    pub(super) fn threads(&self) -> NonZero<usize> {
        let available = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let wanted = self.jobs.unwrap_or_else(available);
        address_space().map_or(wanted, |space| wanted.min(threads_in(space)))
    }
}

/// The limit of the address space in bytes, if there is one (`ulimit -v`).
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current
}

#[cfg(not(target_os = "linux"))]
fn address_space() -> Option<u64> {
    None
}

/// How many threads there is room for in an address space of so many bytes. The C library reserves
/// 64 MiB of it for what another thread allocates, and for a moment twice as much; where it is small,
/// too little would be left for the first one.
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
