//! Waits for files to change, for `--watch`.
//!
//! It looks at the files five times a second instead of asking the system for events: that works on
//! all systems, in containers and on network file systems.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::interrupts::Interrupts;

/// How often `--watch` looks at the files, unless looking takes long.
const PERIOD: Duration = Duration::from_millis(200);
/// Longest time that `--watch` waits for files that keep changing before it checks them.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// How often `--watch` looks for Ctrl-C while it waits for changes.
const INTERRUPT_PERIOD: Duration = Duration::from_millis(50);

/// Length and modification time of a file, by which a change is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
    /// Whether the file is a recording that is still being written.
    is_open: bool,
}

impl Stamp {
    fn of(path: &Path, is_open: bool) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { length: metadata.len(), modified: metadata.modified().ok(), is_open })
    }
}

/// The lengths and times of the watched files at one moment, to notice changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FileStates(BTreeMap<PathBuf, Stamp>);

impl FileStates {
    /// Looks at the files. `is_open` returns whether a file is a recording that is still being
    /// written. Files that do not exist are left out.
    pub(super) fn of(
        paths: impl IntoIterator<Item = PathBuf>,
        is_open: impl Fn(&Path) -> bool,
    ) -> Self {
        let stamped = |path: PathBuf| {
            let is_open = is_open(&path);
            Stamp::of(&path, is_open).map(|stamp| (path, stamp))
        };
        Self(paths.into_iter().filter_map(stamped).collect())
    }

    /// The files that have changed, appeared or disappeared since `before`, by kind of change and
    /// path.
    fn changes_since(&self, before: &Self) -> Changes {
        let change = |path: &PathBuf| match (before.0.get(path), self.0.get(path)) {
            (old, new) if old == new => None,
            (Some(_), Some(_)) => Some(Change::Changed),
            (None, _) => Some(Change::Added),
            (_, None) => Some(Change::Removed),
        };
        let all: BTreeSet<_> = self.0.keys().chain(before.0.keys()).collect();
        let of = |kind| {
            let paths = all.iter().copied().filter(|path| change(path) == Some(kind));
            (kind, paths.cloned().collect::<Vec<_>>())
        };
        let changes = [Change::Changed, Change::Added, Change::Removed].map(of);
        changes.into_iter().filter(|(_, paths)| !paths.is_empty()).collect()
    }
}

/// What has happened to a file that `--watch` watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Changed,
    Added,
    Removed,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed",
            Self::Added => "new",
            Self::Removed => "removed",
        })
    }
}

/// The watched files that have changed, by kind of change.
pub(super) type Changes = Vec<(Change, Vec<PathBuf>)>;

/// Waits until the files that `look` returns differ from `before` and have settled. Returns the
/// changes and the new state; `None` when the user interrupts it. Catches interrupts before it
/// calls `announce`.
pub(super) fn wait(
    interrupts: &Interrupts,
    before: &FileStates,
    announce: impl FnOnce(),
    look: impl FnMut() -> FileStates,
) -> Option<(Changes, FileStates)> {
    interrupts.defer();
    announce();
    let changed = settle(interrupts, before, look)?;
    interrupts.release();
    Some(changed)
}

fn settle(
    interrupts: &Interrupts,
    before: &FileStates,
    mut look: impl FnMut() -> FileStates,
) -> Option<(Changes, FileStates)> {
    let mut last = before.clone();
    let mut since: Option<Instant> = None;
    let mut pause = PERIOD;
    loop {
        sleep(interrupts, pause)?;
        let begun = Instant::now();
        let now = look();
        // At most a tenth of the time is spent on looking.
        pause = PERIOD.max(begun.elapsed() * 9);
        let is_still = now == last;
        last = now;
        let changes = last.changes_since(before);
        if changes.is_empty() {
            since = None;
            continue;
        }
        let since = *since.get_or_insert(begun);
        if is_still || since.elapsed() >= LONGEST_WAIT {
            return Some((changes, last));
        }
    }
}

/// Sleeps for `pause`. Returns `None` when the user interrupts the program.
fn sleep(interrupts: &Interrupts, pause: Duration) -> Option<()> {
    let begun = Instant::now();
    while !interrupts.is_asked() {
        let left = pause.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Some(());
        }
        thread::sleep(left.min(INTERRUPT_PERIOD));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(files: &[(&str, u64)]) -> FileStates {
        let stamp = |length| Stamp { length, modified: None, is_open: false };
        FileStates(
            files.iter().map(|(path, length)| (PathBuf::from(path), stamp(*length))).collect(),
        )
    }

    /// The change that [`wait`] reports when it sees these states one after the other; `None`
    /// without any.
    fn seen(snapshots: &[FileStates]) -> Option<(Change, PathBuf)> {
        let interrupts = Interrupts::none();
        let mut rest = snapshots[1..].iter();
        let look = || {
            rest.next().cloned().unwrap_or_else(|| {
                // The test ends.
                interrupts.ask();
                snapshots[0].clone()
            })
        };
        let (mut changes, _) = wait(&interrupts, &snapshots[0], || {}, look)?;
        let (change, mut paths) = changes.pop()?;
        assert!(changes.is_empty() && paths.len() == 1, "{changes:?} {paths:?}");
        Some((change, paths.remove(0)))
    }

    #[test]
    fn changes_are_told_when_they_have_settled() {
        let [none, half, whole] = [0, 5, 9].map(|length| snapshot(&[("a", length), ("b", 1)]));
        let told = seen(&[none.clone(), none.clone(), half, whole.clone(), whole]);
        assert_eq!(told, Some((Change::Changed, PathBuf::from("a"))));
        assert_eq!(seen(&[none.clone(), none.clone(), none]), None);
    }

    #[test]
    fn files_come_and_go() {
        let [one, two] = [snapshot(&[("a", 1)]), snapshot(&[("a", 1), ("b", 1)])];
        let told = seen(&[one.clone(), two.clone(), two.clone()]);
        assert_eq!(told, Some((Change::Added, PathBuf::from("b"))));
        let told = seen(&[two, one.clone(), one]);
        assert_eq!(told, Some((Change::Removed, PathBuf::from("b"))));
    }
}
