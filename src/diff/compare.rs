//! Compares the facts of two groups of recordings.
//!
//! A fact has changed if one side never shows it, although it had the occasion, and the other side does
//! so always, or so often that this is no accident.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    fact::{Area, Fact, FactSet, Form, Occasion, Weight},
    recording::WatchedConnection,
};
use crate::protocol::Side;

/// The recordings of one file, or of one scenario if scenarios are paired, which count as one in
/// the evidence.
#[derive(Clone, Debug)]
pub(super) struct Unit<'r> {
    /// Name of the recording's file as reports write it.
    pub(super) path: &'r str,
    pub(super) scenario: &'r str,
    /// Name of the scenario that acpcheck played, which may have several recordings; that of
    /// `scenario` in other recordings.
    pub(super) played: &'r str,
    pub(super) connections: Vec<&'r WatchedConnection>,
}

/// All recordings of one implementation in one release.
#[derive(Clone, Debug, Default)]
pub(super) struct Group<'r> {
    pub(super) units: Vec<Unit<'r>>,
}

/// The recordings of one client or agent in the releases OLD and NEW, and how they are compared.
#[derive(Clone, Debug)]
pub(super) struct Comparison<'r> {
    pub(super) side: Side,
    pub(super) old: Group<'r>,
    pub(super) new: Group<'r>,
    /// Whether OLD and NEW are paired: each has recordings of the same scenarios.
    pub(super) is_paired: bool,
    /// Spellings of the offers in `initialize` that clients made in OLD and in NEW. Declarations of
    /// agents count only in answer to these; `None` to count all.
    pub(super) offers: Option<BTreeSet<&'r str>>,
    /// Whether what sides do is compared too, not only what they declare; `false` when just one
    /// release was logged in.
    pub(super) with_behaviour: bool,
}

/// The evidence for a fact in one release: in how many recordings the fact showed (`seen`), in how
/// many it could have (`of`), and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    pub seen: usize,
    pub of: usize,
    /// Name of the recording in which the fact showed first, and the line, from 1. If the fact
    /// never showed, where it first could have; `None` when it never could.
    pub place: Option<(String, u32)>,
}

/// In how many recordings of one release a fact could have shown, and in how many it did.
#[derive(Clone, Debug, Default)]
struct Standing<'r> {
    /// By scenario or file: how often the fact could have shown, and how often it did.
    units: BTreeMap<&'r str, (u32, u32)>,
    evidence: Evidence,
    first_occasion: Option<(&'r str, u32)>,
}

impl Standing<'_> {
    fn is_never(&self) -> bool {
        self.evidence.seen == 0
    }

    fn is_always(&self) -> bool {
        self.units.values().all(|(of, seen)| seen >= of)
    }

    fn events(&self) -> u32 {
        self.units.values().map(|(of, _)| of).sum()
    }
}

/// Whether only OLD shows a fact (it is gone), or only NEW (it is new).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Direction {
    Gone,
    New,
}

/// A fact that one release shows and the other does not, with the evidence from both.
#[derive(Clone, Debug)]
pub(super) struct FactChange {
    pub(super) fact: Fact,
    pub(super) direction: Direction,
    pub(super) old: Evidence,
    pub(super) new: Evidence,
}

/// Why `diff` cannot say whether a fact has changed between OLD and NEW.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// Nothing happened in the recordings of OLD after which the fact could have shown.
    NoOccasionInOld,
    /// Nothing happened in the recordings of NEW after which the fact could have shown.
    NoOccasionInNew,
    /// The fact differs between the releases, but in too few recordings to prove a change.
    TooFew,
}

/// The result of comparing two releases: facts that have changed, and facts that could not be
/// compared.
#[derive(Clone, Debug, Default)]
pub(super) struct Results {
    pub(super) changes: Vec<FactChange>,
    pub(super) obstacles: Vec<(Fact, Obstacle)>,
}

impl<'r> Comparison<'r> {
    pub(super) fn results(&self) -> Results {
        let mut results = Results::default();
        let mut facts: BTreeSet<&Fact> = BTreeSet::new();
        for group in [&self.old, &self.new] {
            for set in self.sets(group) {
                facts.extend(set.facts());
            }
        }
        let mut last: Option<&Fact> = None;
        // Facts with the same name that are counted on their own stand side by side.
        let mut parts: Vec<&Fact> = Vec::new();
        for fact in facts.into_iter().map(Some).chain([None]) {
            let is_part = |fact: &Fact| {
                last.is_some_and(|last| {
                    fact.kind.form == Form::Single
                        && last.kind.is(fact.kind)
                        && last.name == fact.name
                })
            };
            if !fact.is_some_and(is_part) {
                self.compare_parts(&std::mem::take(&mut parts), &mut results);
            }
            parts.extend(fact);
            last = fact;
        }
        results
    }

    fn sets(&self, group: &Group<'r>) -> impl Iterator<Item = &'r FactSet> {
        let side = self.side as usize;
        let connections = group.units.iter().flat_map(|unit| unit.connections.clone());
        connections.map(move |connection| &connection.facts[side])
    }

    /// Compares one fact. `parts` are its counts under several conditions (`Fact::item`). The fact
    /// is gone if it is gone under one condition and NEW shows it under none; likewise for new.
    fn compare_parts(&self, parts: &[&Fact], results: &mut Results) {
        let Some(first) = parts.first() else { return };
        if !self.with_behaviour && first.kind.area != Area::Surface {
            return;
        }
        let standings: Vec<_> = parts
            .iter()
            .map(|fact| (self.standing(fact, &self.old), self.standing(fact, &self.new)))
            .collect();
        let is_gone = standings.iter().all(|(_, new)| new.is_never());
        let is_new = standings.iter().all(|(old, _)| old.is_never());
        let mut obstacle = None;
        for (fact, (old, new)) in parts.iter().zip(&standings) {
            match self.verdict(fact, old, new) {
                Ok(Some(direction)) => {
                    let holds = match direction {
                        Direction::Gone => is_gone,
                        Direction::New => is_new,
                    };
                    if !holds {
                        continue;
                    }
                    results.changes.push(FactChange {
                        fact: (*fact).clone(),
                        direction,
                        old: old.evidence(),
                        new: new.evidence(),
                    });
                    return;
                }
                Ok(None) => {}
                Err(why) => obstacle = obstacle.or(Some(why)),
            }
        }
        if let Some(why) = obstacle.filter(|_| is_gone || is_new) {
            results.obstacles.push(((*first).clone(), why));
        }
    }

    fn standing(&self, fact: &Fact, group: &Group<'r>) -> Standing<'r> {
        let is_surface = fact.kind.area == Area::Surface;
        let mut standing = Standing::default();
        for unit in &group.units {
            let (mut of, mut seen) = (0, 0);
            for connection in &unit.connections {
                let facts = &connection.facts[self.side as usize];
                if is_surface && !self.is_asked_alike(connection) {
                    continue;
                }
                let count = facts.seen(fact);
                let occasions = facts.occasions(&fact.occasion);
                if !is_surface && count.times == 0 && (connection.is_lossy || facts.is_overfull) {
                    continue;
                }
                of += occasions.times.max(u32::from(count.times > 0));
                seen += count.times;
                if count.times > 0 && standing.evidence.place.is_none() {
                    standing.evidence.place = Some((unit.path.to_owned(), count.line));
                }
                if occasions.times > 0 && standing.first_occasion.is_none() {
                    standing.first_occasion = Some((unit.path, occasions.line));
                }
            }
            if of == 0 {
                continue;
            }
            // One list, or one time in a session, is enough.
            let is_whole = fact.kind.form == Form::List
                || match fact.occasion {
                    Occasion::Session | Occasion::Rule(..) => true,
                    Occasion::Offered(_) => self.side == Side::Client,
                    _ => false,
                };
            if is_whole && seen > 0 {
                seen = of;
            }
            standing.units.insert(unit.scenario, (of, seen));
            standing.evidence.of += 1;
            standing.evidence.seen += usize::from(seen > 0);
        }
        standing
    }

    fn is_asked_alike(&self, connection: &WatchedConnection) -> bool {
        let offer = connection.offer.as_deref();
        self.offers.as_ref().is_none_or(|offers| offer.is_some_and(|it| offers.contains(it)))
    }

    /// The direction in which a fact has changed under one condition; `None` when it has not. Fails
    /// when the recordings prove neither.
    fn verdict(
        &self,
        fact: &Fact,
        old: &Standing<'_>,
        new: &Standing<'_>,
    ) -> Result<Option<Direction>, Obstacle> {
        let (shown, missing, direction) = match (old.is_never(), new.is_never()) {
            (false, true) => (old, new, Direction::Gone),
            (true, false) => (new, old, Direction::New),
            _ => return Ok(None),
        };
        if old.units.is_empty() {
            return Err(Obstacle::NoOccasionInOld);
        }
        if new.units.is_empty() {
            return Err(Obstacle::NoOccasionInNew);
        }
        if self.is_proven(fact.kind.weight, shown, missing) {
            Ok(Some(direction))
        } else {
            Err(Obstacle::TooFew)
        }
    }

    /// Whether the evidence suffices that a fact shows in one release (`shown`) and not in the
    /// other (`missing`) for another reason than chance.
    fn is_proven(&self, weight: Weight, shown: &Standing<'_>, missing: &Standing<'_>) -> bool {
        /// Number of scenarios with recordings of both releases that prove a change when the fact
        /// shows in each, even if not on every occasion.
        const SCENARIOS: usize = 6;
        /// Probability that a difference is due to chance, below which a change counts as proven.
        const ACCIDENT: f64 = 0.001;
        /// Number of times that a fact could have shown in one recording from which on this
        /// recording counts as much as several.
        const EVENTS: u32 = 3;
        let has_events = shown.events() >= EVENTS && missing.events() >= EVENTS;
        let common = || shown.units.iter().filter(|(name, _)| missing.units.contains_key(*name));
        let (count, needed) = if self.is_paired {
            let needed = match weight {
                Weight::Declared
                | Weight::Certain
                | Weight::Scripted
                | Weight::Repeated
                | Weight::Situational => 1,
                Weight::Usual if has_events => 1,
                Weight::Usual => 2,
                Weight::Chosen => 3,
            };
            (common().count(), needed)
        } else {
            let needed = match weight {
                Weight::Declared => 1,
                Weight::Repeated if has_events => 1,
                Weight::Certain | Weight::Scripted | Weight::Repeated => 2,
                Weight::Situational | Weight::Usual | Weight::Chosen => 3,
            };
            (shown.units.len().min(missing.units.len()), needed)
        };
        if shown.is_always() && count >= needed {
            return true;
        }
        if self.is_paired
            && weight == Weight::Scripted
            && common().any(|(_, (of, seen))| seen >= of)
        {
            return true;
        }
        let showing = common().filter(|(_, (_, seen))| *seen > 0).count();
        (self.is_paired && showing >= SCENARIOS)
            || accident(shown.evidence.seen, shown.evidence.of, missing.evidence.of) < ACCIDENT
    }

    /// The change of a fact that has a value, with the old and the new value. `None` unless the
    /// value is constant in each release and differs between them.
    pub(super) fn values(&self, fact: &Fact) -> Option<(FactChange, Box<str>, Box<str>)> {
        let constant = |group: &Group<'r>| {
            let mut found: BTreeSet<&Fact> = BTreeSet::new();
            for set in self.sets(group) {
                let own = set.facts().filter(|it| it.kind.is(fact.kind) && it.name == fact.name);
                found.extend(own);
            }
            let mut standings = found.into_iter().map(|it| (it, self.standing(it, group)));
            let mut shown = standings.by_ref().filter(|(_, standing)| standing.evidence.seen > 0);
            let (own, standing) = shown.next()?;
            let is_only = shown.next().is_none();
            (is_only && standing.is_always()).then_some((own.clone(), standing))
        };
        let (old_fact, old) = constant(&self.old)?;
        let (new_fact, new) = constant(&self.new)?;
        if old_fact.item == new_fact.item {
            return None;
        }
        let change = FactChange {
            fact: fact.clone(),
            direction: Direction::Gone,
            old: old.evidence(),
            new: new.evidence(),
        };
        Some((change, old_fact.item, new_fact.item))
    }
}

impl Standing<'_> {
    /// The evidence for reports. The place of a fact that never showed is the first place where it
    /// could have.
    fn evidence(&self) -> Evidence {
        let occasion = || self.first_occasion.map(|(path, line)| (path.to_owned(), line));
        let place = self.evidence.place.clone().or_else(occasion);
        Evidence { place, ..self.evidence.clone() }
    }
}

/// Probability that a fact shows in `seen` of `of` recordings of one release by accident, and in
/// none of the `others` of the other release: Fisher's exact test.
#[expect(clippy::cast_precision_loss, reason = "numbers of recordings")]
fn accident(seen: usize, of: usize, others: usize) -> f64 {
    let total = of + others;
    let factor = |step: usize| ((of - step) as f64 / (total - step) as f64).ln();
    let one_side: f64 = (0..seen.min(of)).map(factor).sum();
    2.0 * one_side.exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accidents_have_the_probability_of_fishers_test() {
        for (seen, of, others, expected) in [
            (3, 3, 3, 0.1),
            (5, 5, 5, 0.007_936_5),
            (10, 10, 10, 0.000_010_825),
            (2, 10, 10, 0.473_684),
        ] {
            let found = accident(seen, of, others);
            assert!((found - expected).abs() <= 0.001 * expected, "{seen} of {of}: {found}");
        }
    }
}
