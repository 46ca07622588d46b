//! Whose findings they are: counts for each implementation, for the report in full on several files.

use std::{cmp::Reverse, collections::BTreeSet};

use super::{Counts, Plural};
use crate::{
    check::{Implementation, Outcome, Tally},
    diagnostic::Diagnostic,
    map::Map,
    protocol::Side,
    source::printable,
};

/// Most clients and agents, and most versions of one, that the report names; the others are
/// counted.
const NAMED: usize = 10;

/// Counts of findings for each client and agent over all files, for the report in full.
#[derive(Debug, Default)]
pub(super) struct Implementations {
    /// All clients and agents of the run, in the order in which they first appear.
    all: Vec<Implementer>,
    index: Map<(usize, Option<String>), usize>,
    files: u64,
}

/// The counts of one client or agent in all its versions; with `side: None`, of findings that are
/// the fault of neither side alone.
#[derive(Debug)]
struct Implementer {
    side: Option<Side>,
    /// The name that the client or agent gives itself; `None` for all that gave no name.
    name: Option<String>,
    versions: BTreeSet<String>,
    counts: Counts,
    /// The number of files in which the client or agent takes part. `faulty` counts those with
    /// findings about it.
    files: u64,
    faulty: u64,
    /// Whether rules judged it in at least one file. acpcheck does not judge the side that it plays.
    is_judged: bool,
    /// The number of the last file counted in `files`, from 1; `last_faulty` is that of the last
    /// one counted in `faulty`.
    last_file: u64,
    last_faulty: u64,
}

impl Implementations {
    /// Begins the next file. Counts the clients and agents in it, for the report's table of
    /// implementations.
    pub(super) fn begin(&mut self, outcome: &Outcome) {
        self.files += 1;
        for pairing in outcome.conduct.iter().flat_map(|conduct| &conduct.pairings) {
            for (side, own) in [(Side::Client, &pairing.client), (Side::Agent, &pairing.agent)] {
                let place = self.meet(Some(side), own.as_ref());
                let mut tallies = outcome.sides.iter().map(|tallies| tallies[side as usize]);
                self.all[place].is_judged |= tallies.any(|tally| tally != Tally::default());
            }
        }
    }

    /// Counts a diagnostic of the current file. Returns the index of the client or agent at fault.
    pub(super) fn add(&mut self, outcome: &Outcome, diagnostic: &Diagnostic) -> usize {
        let pairing = outcome.conduct.as_ref().and_then(|conduct| {
            let pairing = *conduct.of_connection.get(diagnostic.connection as usize)?;
            conduct.pairings.get(pairing as usize)
        });
        let own = pairing.and_then(|pairing| match diagnostic.bound? {
            Side::Client => pairing.client.as_ref(),
            Side::Agent => pairing.agent.as_ref(),
        });
        let place = self.meet(diagnostic.bound, own);
        let found = &mut self.all[place];
        found.counts.add(diagnostic.severity);
        found.faulty += u64::from(found.last_faulty != self.files);
        found.last_faulty = self.files;
        place
    }

    /// Notes that a client or agent takes part in the current file, and returns its index in `all`.
    /// `None` stands for an unknown side or name.
    fn meet(&mut self, side: Option<Side>, own: Option<&Implementation>) -> usize {
        let key = (Side::index(side), own.map(|own| own.name.clone()));
        let place = *self.index.entry(key).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push(Implementer {
                side,
                name: own.map(|own| own.name.clone()),
                versions: BTreeSet::new(),
                counts: Counts::default(),
                files: 0,
                faulty: 0,
                is_judged: false,
                last_file: 0,
                last_faulty: 0,
            });
        }
        let met = &mut self.all[place];
        met.files += u64::from(met.last_file != self.files);
        met.last_file = self.files;
        if let Some(version) = own.and_then(|own| own.version.as_ref())
            && met.versions.len() <= NAMED
        {
            met.versions.insert(version.clone());
        }
        place
    }

    /// The indices of the clients and agents with findings, those with most errors first. Empty for
    /// a single file, where findings need no heading.
    pub(super) fn ranking(&self) -> Vec<usize> {
        if self.files < 2 {
            return Vec::new();
        }
        let mut places: Vec<usize> =
            (0..self.all.len()).filter(|&place| self.all[place].faulty > 0).collect();
        places.sort_by_key(|&place| {
            let Implementer { side, counts, .. } = &self.all[place];
            (side.is_none(), Reverse((counts.errors, counts.warnings, counts.infos)), place)
        });
        places
    }

    /// A line of text for each client and agent of `ranking`, and one on those without findings.
    /// Empty without findings.
    pub(super) fn lines(&self, ranking: &[usize]) -> Vec<String> {
        let mut lines: Vec<String> = ranking
            .iter()
            .take(NAMED)
            .map(|&place| {
                let Implementer { counts, files, faulty, .. } = &self.all[place];
                let files = if files == faulty {
                    Plural(*files, "file").to_string()
                } else {
                    format!("{faulty} of {}", Plural(*files, "file"))
                };
                format!("{}: {counts} in {files}", self.title(place))
            })
            .collect();
        if ranking.len() > NAMED {
            let more = Plural((ranking.len() - NAMED) as u64, "more implementation");
            lines.push(format!("and findings of {more}"));
        }
        let places = (0..self.all.len()).filter(|&place| {
            let Implementer { name, faulty, is_judged, .. } = &self.all[place];
            *faulty == 0 && *is_judged && name.is_some()
        });
        let mut clean: Vec<_> = places.map(|place| self.title(place)).collect();
        if !clean.is_empty() && !ranking.is_empty() {
            let more = clean.len().saturating_sub(NAMED);
            clean.truncate(NAMED);
            if more > 0 {
                clean.push(format!("and {}", Plural(more as u64, "more implementation")));
            }
            lines.push(format!("no findings: {}", clean.join(", ")));
        }
        lines
    }

    /// The heading for the client or agent at index `place`: side, name and versions.
    pub(super) fn title(&self, place: usize) -> String {
        let Implementer { side, name, versions, .. } = &self.all[place];
        let Some(side) = side else { return "either side".to_owned() };
        let Some(name) = name else { return format!("{side} without a name") };
        let mut title = format!("{side} {}", printable(name));
        for (number, version) in versions.iter().enumerate() {
            let separator = if number == 0 { " " } else { ", " };
            title += separator;
            title += &if number < NAMED { printable(version) } else { "…".into() };
        }
        title
    }
}
