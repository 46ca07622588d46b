//! What the files of a run show of each other's sessions, read before they are judged.
//!
//! ```text
//! search for requests ─▶ ids that are wanted ─▶ search for ids ─▶ read by the model, without rules
//! ```
//!
//! First the bytes are searched for requests that load, resume or delete a session, and for recordings
//! of `drive`. Files that share the id of a session with one that has such are read by the model. Most
//! runs end after the first search.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    path::Path,
    sync::Arc,
};

use memchr::memmem::Finder;

use super::{bounded::Unpacking, config::Config, input::Input, pool, workload::Workload};
use crate::{
    check::{Check, Settings, Story},
    diagnostic::Diagnostic,
    map,
    model::story::{Shelves, UnreadFiles},
    rule::Elsewhere,
    source::Locator,
};

/// How many bytes of a file are read at a time when session ids are looked for.
const BLOCK: usize = 256 * 1024;
/// Most bytes of a session id that is looked for. Sessions with longer ids are not compared across
/// files.
const LONGEST: usize = 256;
/// Most different session ids of a file that are counted. When a file has more, all files with ids
/// of interest are read by the model.
const IDS: usize = 10_000;
/// Most session ids that are looked for in the other files. When there are more, all ids are of
/// interest.
const WANTED: usize = 1_000_000;
/// Most shared session ids of a file that are kept for `--watch`. A file with more is checked again
/// whenever any other file changes.
const SHARED: usize = 64;

/// What the files of a run show of each other's sessions, collected before the check of each file.
#[derive(Debug, Default)]
pub(super) struct Stories {
    /// What each file shows of its sessions; `None` when no session occurs in two files.
    shelves: Option<Arc<Shelves>>,
    /// The files that were read to fill `shelves`, by name.
    told: HashMap<Arc<str>, Told>,
    unpacking: Unpacking,
}

/// What `--watch` keeps of a file that was read to compare its sessions with other files.
#[derive(Debug)]
struct Told {
    input: Input,
    /// Hashes of the session ids that the file shares with others.
    ids: BTreeSet<u64>,
}

impl Stories {
    /// Finds the sessions that several input files share, and reads these files with the model.
    pub(super) fn read(workload: &Workload, config: &Config) -> Self {
        Self::read_with(workload, config.general().story, |name| config.settings(name))
    }

    /// Does the same with the settings that `settings` gives for the name of a file.
    pub(super) fn read_with(
        workload: &Workload,
        story: Story,
        settings: impl Fn(&str) -> Settings + Sync,
    ) -> Self {
        if story == Story::None {
            return Self::default();
        }
        let is_file = |input: &&Input| input.path().is_some_and(Path::is_file);
        let inputs = workload.inputs.iter().flatten().filter(is_file);
        let mut files: Vec<(Arc<str>, &Input)> =
            inputs.map(|input| (input.name().into(), input)).collect();
        if files.len() < 2 {
            return Self::default();
        }
        files.sort_by(|(one, _), (other, _)| natural_order(one, other));
        let mut unread = UnreadFiles::default();
        if files.len() < workload.inputs.len() {
            unread.add(None::<[u64; 0]>);
        }

        let mut wanted = BTreeSet::new();
        let mut are_all_wanted = false;
        in_order(
            workload,
            &files,
            |(_, input)| asked(workload, input),
            |Found { ids, .. }| {
                are_all_wanted |= ids.len() > IDS || wanted.len() > WANTED;
                if !are_all_wanted {
                    wanted.extend(ids);
                }
            },
        );
        if wanted.is_empty() && !are_all_wanted {
            return Self::default();
        }
        let mut counts: HashMap<u64, u32> = HashMap::new();
        // Whether a file names more than `IDS`, so that some are not counted.
        let mut are_uncounted = false;
        let mut named: Vec<Named> = Vec::with_capacity(files.len());
        let wanted = (!are_all_wanted).then_some(&wanted);
        in_order(
            workload,
            &files,
            |(_, input)| names(workload, input, wanted),
            |Found { ids, has_any, is_whole }| {
                let are_many = ids.len() > IDS;
                are_uncounted |= are_many;
                for id in &ids {
                    *counts.entry(*id).or_default() += 1;
                }
                if !is_whole {
                    let are_known = has_any && !are_many;
                    unread.add(are_known.then(|| ids.iter().copied()));
                }
                named.push(match ids.len() {
                    _ if !is_whole => Named::Nothing,
                    ..=SHARED => Named::These(ids),
                    _ => Named::Many,
                });
            },
        );
        counts.retain(|_, count| *count > 1);
        let is_told = |named: &Named| match named {
            Named::Nothing => false,
            Named::Many => true,
            Named::These(ids) => are_uncounted || ids.iter().any(|id| counts.contains_key(id)),
        };
        let told: Vec<(usize, Named)> =
            named.into_iter().enumerate().filter(|(_, named)| is_told(named)).collect();
        if told.len() < 2 {
            return Self::default();
        }

        let names = files.iter().map(|(name, _)| Arc::clone(name)).collect();
        let mut shelves = Shelves::new(names, counts.into_keys().collect(), unread);
        let tell = |(index, _): &(usize, Named)| {
            let (name, input) = &files[*index];
            let file = file_number(*index);
            let settings = Settings { file, ..settings(name) };
            let mut check = Check::new(&settings).without_rules();
            let read = each_block(workload.unpacking, input, |block| {
                check.feed(block);
                !check.is_over()
            });
            read.ok().map(|()| (file, check.shelf()))
        };
        in_order(workload, &told, tell, |shelf| match shelf {
            Some((file, shelf)) => shelves.add(file, shelf),
            None => shelves.lack(),
        });
        if story == Story::One {
            shelves.order_untimed_by_name();
        }
        let told = told.into_iter().map(|(index, named)| {
            let (name, input) = &files[index];
            let ids = if let Named::These(ids) = named { ids } else { BTreeSet::new() };
            (Arc::clone(name), Told { input: (*input).clone(), ids })
        });
        Self {
            told: told.collect(),
            shelves: Some(Arc::new(shelves)),
            unpacking: workload.unpacking,
        }
    }

    /// Adds what other files show of sessions to the settings with which the file `name` is
    /// checked.
    pub(super) fn place(&self, settings: &mut Settings, name: &str) {
        let Some(shelves) = &self.shelves else { return };
        settings.file = shelves.number(name);
        settings.shelves = Some(Arc::clone(shelves));
    }

    /// Whether the file `name` shares a session with another one.
    pub(super) fn tell_of(&self, name: &str) -> bool {
        self.told.contains_key(name)
    }

    /// Converts the columns of places in other files from bytes to characters. A file that cannot
    /// be read again keeps columns in bytes.
    pub(super) fn locate(&self, diagnostics: &mut [Diagnostic]) {
        let mut by_file: BTreeMap<Arc<str>, Vec<&mut Elsewhere>> = BTreeMap::new();
        for place in diagnostics.iter_mut().flat_map(|found| &mut found.finding.elsewhere) {
            by_file.entry(Arc::clone(&place.file)).or_default().push(place);
        }
        for (file, places) in by_file {
            // Without an error, since there are places to show instead.
            let _ = self.locate_in(&file, places);
        }
    }

    fn locate_in(&self, file: &str, places: Vec<&mut Elsewhere>) -> io::Result<()> {
        let Some(told) = self.told.get(file) else { return Ok(()) };
        let mut transcript = told.input.open(self.unpacking)?;
        let end = places.iter().map(|place| place.label.span.end()).max();
        transcript.keep_up_to(end.unwrap_or_default())?;
        let mut locator = Locator::new(&mut transcript);
        for place in places {
            place.position = locator.position(place.label.span)?;
        }
        Ok(())
    }

    /// Whether a file must be checked again with `--watch`, because it shares a session with one of
    /// the changed files.
    pub(super) fn follows(&self, name: &str, changed: &[String]) -> bool {
        let Some(own) = self.told.get(name) else { return false };
        let is_shared = |other: &Told| {
            own.ids.is_empty() || other.ids.is_empty() || !own.ids.is_disjoint(&other.ids)
        };
        changed.iter().filter_map(|name| self.told.get(&**name)).any(is_shared)
    }

    /// A note for the user about sessions that could not be compared across files; a sentence
    /// without a full stop. `None` when there is nothing to say.
    pub(super) fn note(&self) -> Option<&'static str> {
        let shelves = self.shelves.as_ref()?;
        if shelves.unread().may_hold_any() {
            Some(
                "sessions are not followed from one file to another, since not all inputs could be read before",
            )
        } else if !shelves.unread().is_empty() {
            Some(
                "sessions that are named in inputs that could not be read to their ends are not followed from one file to another",
            )
        } else if shelves.is_full() {
            Some("not all sessions are followed from one file to another, since there are too many")
        } else {
            None
        }
    }
}

/// The session ids of interest that a file names, or why they are not known.
#[derive(Debug)]
enum Named {
    /// The file could not be read to its end, so the model does not read it.
    Nothing,
    These(BTreeSet<u64>),
    /// The file names more ids than are kept.
    Many,
}

/// The session ids of interest that were found in a file.
#[derive(Debug, Default)]
struct Found {
    ids: BTreeSet<u64>,
    /// Whether the file names any session.
    has_any: bool,
    /// Whether the file could be read to its end.
    is_whole: bool,
}

/// The order of two names in which `turn-2` comes before `turn-10`.
fn natural_order(one: &str, other: &str) -> Ordering {
    let mut rests = [one, other];
    loop {
        let digits = rests.map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        let parts = if digits.contains(&0) {
            rests.map(|rest| rest.split_at(rest.chars().next().map_or(0, char::len_utf8)))
        } else {
            [rests[0].split_at(digits[0]), rests[1].split_at(digits[1])]
        };
        let order = if digits.contains(&0) {
            parts[0].0.cmp(parts[1].0)
        } else {
            let [one, other] = parts.map(|(number, _)| number.trim_start_matches('0'));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        };
        rests = parts.map(|(_, rest)| rest);
        if order.is_ne() {
            return order;
        }
        if rests == ["", ""] {
            return one.cmp(other);
        }
    }
}

/// The number of a file in the shelves, by its index.
fn file_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

/// Calls `work` for each item on several threads, and `take` with the results in the order of the items.
fn in_order<T: Sync, R: Send>(
    workload: &Workload,
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R),
) {
    let take = |result| {
        take(result);
        Ok::<_, std::convert::Infallible>(())
    };
    let Ok(()) = pool::in_order(workload.threads(), items, |_, item| work(item), take);
}

/// Calls `take` with each block of the unpacked file until `take` returns false. Fails when the
/// file cannot be read to its end.
fn each_block(
    unpacking: Unpacking,
    input: &Input,
    mut take: impl FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    let mut transcript = input.open(unpacking)?;
    let size = usize::try_from(transcript.size()).unwrap_or(BLOCK);
    let mut block = vec![0; if size == 0 { BLOCK } else { BLOCK.min(size + 1) }];
    loop {
        let count = transcript.read(&mut block)?;
        if count == 0 {
            return transcript.failure().map_or(Ok(()), |failure| Err(io::Error::other(failure)));
        }
        if !take(&block[..count]) {
            return Ok(());
        }
    }
}

/// Calls `take` with overlapping parts of a file, so that any session id is whole in one of them,
/// until `take` returns false. Returns whether the file could be read to its end.
fn each_window(workload: &Workload, input: &Input, mut take: impl FnMut(&[u8]) -> bool) -> bool {
    const OVERLAP: usize = 2 * LONGEST;
    let mut window = Vec::new();
    let read = each_block(workload.unpacking, input, |block| {
        window.extend_from_slice(block);
        let goes_on = take(&window);
        window.drain(..window.len().saturating_sub(OVERLAP));
        goes_on
    });
    read.is_ok()
}

/// Whether a byte may delimit a string in a message: a quote, or the backslash before a quote in a
/// message that is itself in a string.
fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | b'\'')
}

/// The session ids in a file that has a request to load, resume or delete a session, or is a
/// recording of `drive`; nothing for other files.
fn asked(workload: &Workload, input: &Input) -> Found {
    /// How many bytes at the beginning of a file are searched for `"driven"`, which the first line
    /// of a recording of `drive` has.
    const BEGINNING: usize = 4096;
    let requests = ["/load", "/resume", "/delete"].map(Finder::new);
    let driven = Finder::new("\"driven\"");
    let (mut asks, mut is_first) = (false, true);
    each_window(workload, input, |window| {
        let is_request = |finder: &Finder<'_>| {
            let mut places = finder.find_iter(window).map(|at| at + finder.needle().len());
            places.any(|end| window.get(end).is_some_and(|byte| is_quote(*byte)))
        };
        let beginning = &window[..window.len().min(BEGINNING)];
        asks |= requests.iter().any(is_request);
        asks |= std::mem::take(&mut is_first) && driven.find(beginning).is_some();
        !asks
    });
    if asks { ids(workload, input, IDS, |_| true) } else { Found::default() }
}

/// The session ids in a file that are in `wanted`, or all of them when `wanted` is `None`.
fn names(workload: &Workload, input: &Input, wanted: Option<&BTreeSet<u64>>) -> Found {
    ids(workload, input, IDS, |id| wanted.is_none_or(|wanted| wanted.contains(&id)))
}

/// The session ids in a file for whose hash `is_kept` returns true; at most `most + 1`, so that the
/// caller sees when there are too many.
fn ids(workload: &Workload, input: &Input, most: usize, is_kept: impl Fn(u64) -> bool) -> Found {
    let finder = Finder::new("essionId");
    let mut found = Found::default();
    found.is_whole = each_window(workload, input, |window| {
        for at in finder.find_iter(window) {
            let rest = &window[at + finder.needle().len()..];
            let is_between = |byte: u8| is_quote(byte) || matches!(byte, b':' | b' ' | b'\t');
            let Some(from) = rest.iter().position(|byte| !is_between(*byte)) else { continue };
            let rest = &rest[from..];
            let end = rest.iter().take(LONGEST + 1).position(|byte| is_quote(*byte));
            if let Some(end) = end {
                let id = map::hash_of(&rest[..end]);
                found.has_any = true;
                if is_kept(id) {
                    found.ids.insert(id);
                }
            }
        }
        found.ids.len() <= most
    });
    found
}

#[cfg(test)]
mod tests {
    use super::natural_order;

    #[test]
    fn numbers_in_names_count() {
        let sorted =
            ["", "a", "a/turn-2.log", "a/turn-02x", "a/turn-9", "a/turn-10", "a/turn-ä", "b"];
        for (index, one) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                assert_eq!(natural_order(one, other), index.cmp(&other_index), "{one} {other}");
            }
        }
    }
}
