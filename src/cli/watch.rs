//! Waits for files to change, for `--watch`.
//!
//! It looks again and again instead of asking the system to be told: that works alike on all
//! systems, in containers and on file systems of other machines, and transcripts are few.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::interrupts::Interrupts;

/// How often it looks, unless looking takes long.
const PERIOD: Duration = Duration::from_millis(200);
/// How long it waits for a file that goes on changing.
const PATIENCE: Duration = Duration::from_secs(2);
/// How soon it heeds an interrupt.
const HEED: Duration = Duration::from_millis(50);

/// What one can see of a file from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self { length: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// Files, as they were when somebody looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight(BTreeMap<PathBuf, Stamp>);

impl Sight {
    pub(super) fn of(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let stamped = |path: PathBuf| Stamp::of(&path).map(|stamp| (path, stamp));
        Self(paths.into_iter().filter_map(stamped).collect())
    }

    /// What is new in this sight, looks otherwise or has gone, in the order of the paths.
    fn changes_since(&self, before: &Self) -> Vec<PathBuf> {
        let paths: BTreeSet<_> = self.0.keys().chain(before.0.keys()).collect();
        let is_changed = |path: &&PathBuf| self.0.get(*path) != before.0.get(*path);
        paths.into_iter().filter(is_changed).cloned().collect()
    }
}

/// Waits until what `look` sees has changed and keeps still, and tells what has changed since
/// `before`, and what is seen. `None` when the user wants to end, which he may from when `announce` is
/// called.
pub(super) fn wait(
    interrupts: &Interrupts,
    before: &Sight,
    announce: impl FnOnce(),
    look: impl FnMut() -> Sight,
) -> Option<(Vec<PathBuf>, Sight)> {
    interrupts.hold();
    announce();
    let changed = settle(interrupts, before, look)?;
    interrupts.release();
    Some(changed)
}

fn settle(
    interrupts: &Interrupts,
    before: &Sight,
    mut look: impl FnMut() -> Sight,
) -> Option<(Vec<PathBuf>, Sight)> {
    let mut last = before.clone();
    let mut since: Option<Instant> = None;
    let mut pause = PERIOD;
    loop {
        sleep(interrupts, pause)?;
        let begun = Instant::now();
        let now = look();
        // Looking is to take a tenth of the time at most.
        pause = PERIOD.max(begun.elapsed() * 9);
        let is_still = now == last;
        last = now;
        let changes = last.changes_since(before);
        if changes.is_empty() {
            since = None;
            continue;
        }
        let since = *since.get_or_insert(begun);
        if is_still || since.elapsed() >= PATIENCE {
            return Some((changes, last));
        }
    }
}

/// `None` when the user wants to end meanwhile.
fn sleep(interrupts: &Interrupts, pause: Duration) -> Option<()> {
    let begun = Instant::now();
    while !interrupts.is_asked() {
        let left = pause.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return Some(());
        }
        thread::sleep(left.min(HEED));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(files: &[(&str, u64)]) -> Sight {
        let stamp = |length| Stamp { length, modified: None };
        Sight(files.iter().map(|(path, length)| (PathBuf::from(path), stamp(*length))).collect())
    }

    /// What is seen one after the other, until a change has settled.
    fn seen(sights: &[Sight]) -> Option<Vec<PathBuf>> {
        let interrupts = Interrupts::unheeded();
        let mut rest = sights[1..].iter();
        let look = || {
            rest.next().cloned().unwrap_or_else(|| {
                // Nobody waits for ever.
                interrupts.ask();
                sights[0].clone()
            })
        };
        let (changes, _) = wait(&interrupts, &sights[0], || {}, look)?;
        Some(changes)
    }

    #[test]
    fn changes_are_told_when_they_have_settled() {
        let [none, half, whole] = [0, 5, 9].map(|length| sight(&[("a", length), ("b", 1)]));
        let told = seen(&[none.clone(), none.clone(), half, whole.clone(), whole]);
        assert_eq!(told, Some(vec![PathBuf::from("a")]));
        assert_eq!(seen(&[none.clone(), none.clone(), none]), None);
    }

    #[test]
    fn files_come_and_go() {
        let [one, two] = [sight(&[("a", 1)]), sight(&[("a", 1), ("b", 1)])];
        let told = seen(&[one.clone(), two.clone(), two.clone()]);
        assert_eq!(told, Some(vec![PathBuf::from("b")]));
        assert_eq!(seen(&[two, one.clone(), one]), Some(vec![PathBuf::from("b")]));
    }
}
