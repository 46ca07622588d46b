//! How a side fared by the requirements of the protocol, and how many of them that is.
//!
//! An [`Exercise`] goes in. The same counts stand in the report, in its JSON form, and at the end of
//! `drive`, `play` and `check --statistics`.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use serde::Serialize;

use crate::{
    check::{
        exercise::{Exercise, Status},
        shares,
    },
    protocol::{Edition, Side, Surface},
    requirements::{self, Keyword, Reach, Requirement},
    rules::CATALOGUE,
};

/// How a side fared by the requirements that apply to it.
#[derive(Clone, Debug)]
pub struct Fulfilment {
    /// The MUSTs and SHOULDs, by id.
    pub rows: Vec<RequirementRow>,
    pub must: RequirementCounts,
    pub should: RequirementCounts,
    /// The number of errors that rules without a requirement report, such as those about schemas.
    pub other_errors: u64,
    /// The edition that was judged by, if it is older than the current one: then only requirements
    /// apply that one of its rules checks.
    pub edition: Option<Edition>,
}

/// How a side fared by one requirement.
#[derive(Clone, Copy, Debug)]
pub struct RequirementRow {
    pub requirement: &'static Requirement,
    /// Strongest level of the requirement on the versions that the side speaks.
    pub level: Keyword,
    pub status: RequirementStatus,
    /// Number of findings, or how often the requirement was kept; `None` for other statuses.
    pub times: Option<u64>,
    /// Why no rule checks the requirement; empty where rules do.
    pub reason: &'static str,
}

/// The verdict of all rules on a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RequirementStatus {
    /// The worst that a rule says of it.
    Judged(Status),
    /// A transcript can show it, and no rule checks it.
    NoRule,
    /// A transcript can show it, and all rules that check it are off.
    RuleOff,
    /// The form of a value, which the rules `schema/…` check.
    Schema,
    /// No transcript shows it.
    Outside,
}

/// How many requirements of a level have which status. Reports write the counts by these names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RequirementCounts {
    /// Those that apply, and that a transcript can show.
    pub apply: usize,
    /// Those of them that a rule checks.
    pub checked: usize,
    pub violated: usize,
    pub not_followed: usize,
    pub noted: usize,
    pub upheld: usize,
    pub not_assessable: usize,
    pub not_exercised: usize,
    pub no_rule: usize,
    /// Those that no transcript shows. They are in no other count.
    pub outside: usize,
}

/// A requirement with what is always the same about it.
struct Entry {
    requirement: Requirement,
    /// Its level on each surface, in the order of [`Surface::ALL`].
    levels: [Option<Keyword>; Surface::ALL.len()],
    /// Where the results of its rules are counted.
    places: Vec<usize>,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let level = |requirement: &Requirement, surface: Surface| {
        requirement.level(surface.version(), surface.is_unstable())
    };
    let mut places: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (rule, of) in CATALOGUE.iter().enumerate() {
        for id in of.requirements {
            places.entry(*id).or_default().extend(shares::place(rule, id));
        }
    }
    let entry = |requirement: Requirement| Entry {
        levels: Surface::ALL.map(|surface| level(&requirement, surface)),
        places: places.remove(requirement.id).unwrap_or_default(),
        requirement,
    };
    requirements::all().map(entry).collect()
});

impl Fulfilment {
    /// Counts what applies to a side, and how the side fared by it.
    pub fn of(exercise: &Exercise) -> Self {
        let mut surfaces = exercise.surfaces.clone();
        if surfaces.is_empty() {
            // A version that stayed unknown is judged as version 1.
            surfaces.insert(Surface::V1);
        }
        let edition = (exercise.edition < Edition::CURRENT).then_some(exercise.edition);
        let rows: Vec<_> =
            ENTRIES.iter().filter_map(|entry| entry.row(exercise, &surfaces)).collect();
        let count = |is_of_level: fn(&RequirementRow) -> bool| {
            let mut counts = RequirementCounts::default();
            rows.iter().filter(|row| is_of_level(row)).for_each(|row| counts.add(row.status));
            counts
        };
        let (must, should) = (count(RequirementRow::is_must), count(|row| !row.is_must()));
        let rules = CATALOGUE.iter().zip(exercise.rules());
        let others = rules.filter(|(rule, _)| rule.requirements.is_empty());
        let other_errors = others.map(|(_, result)| result.errors).sum();
        Self { rows, must, should, other_errors, edition }
    }
}

impl Entry {
    /// `None` where the requirement does not apply, or is no MUST and no SHOULD.
    fn row(
        &'static self,
        exercise: &Exercise,
        surfaces: &BTreeSet<Surface>,
    ) -> Option<RequirementRow> {
        let requirement = &self.requirement;
        let side = exercise.side?;
        let may_bind = match requirement.binds {
            "client" => side == Side::Client,
            "agent" => side == Side::Agent,
            _ => true,
        };
        if !may_bind {
            return None;
        }
        let results = self.places.iter().map(|place| exercise.results[*place].verdict());
        let judged = results.min_by_key(|(status, times)| (*status, Reverse(*times)));
        let judged = judged.filter(|(status, _)| *status != Status::NotApplicable);
        let is_exercised = judged.is_some_and(|(status, _)| status < Status::NotAssessable);
        let stated = |is_spoken: &dyn Fn(Surface) -> bool| {
            let levels = Surface::ALL.into_iter().zip(self.levels);
            let spoken = levels.filter(|(surface, _)| is_spoken(*surface));
            spoken.filter_map(|(it, level)| Some((it.version(), level?))).collect::<Vec<_>>()
        };
        let mut stated_by = stated(&|surface| surfaces.contains(&surface));
        if stated_by.is_empty() && is_exercised {
            // A draft is judged wherever it is used.
            stated_by = stated(&|it| surfaces.contains(&Surface::stable(it.version())));
        }
        let level = stated_by.iter().map(|(_, level)| *level).max()?;
        if level < Keyword::Should {
            return None;
        }
        let is_offered = requirement.needs.is_none_or(|need| exercise.offers.contains(need));
        if !is_exercised && !is_offered {
            return None;
        }
        let reach = stated_by.iter().map(|(version, _)| requirement.reach(*version)).min()?;
        let reason = || {
            let mut reasons = stated_by.iter().filter_map(|(it, _)| requirement.unchecked(*it));
            reasons.next().unwrap_or_default()
        };
        let is_older = exercise.edition < Edition::CURRENT;
        let (status, times, reason) = match (judged, reach) {
            // What the edition has no more, or not yet, has rules of other editions only.
            (_, Reach::Permission) | (None, Reach::Checked) => return None,
            (_, Reach::Unseen) => (RequirementStatus::Outside, None, reason()),
            (_, Reach::Schema) => (RequirementStatus::Schema, None, reason()),
            (None, _) if is_older => return None,
            (Some((Status::Off, _)), _) => (RequirementStatus::RuleOff, None, "switched off"),
            (Some((status, times)), Reach::Checked) => {
                (RequirementStatus::Judged(status), times, "")
            }
            (_, Reach::Unchecked) => (RequirementStatus::NoRule, None, reason()),
        };
        Some(RequirementRow { requirement, level, status, times, reason })
    }
}

impl RequirementRow {
    /// Whether it is a MUST; else it is a SHOULD.
    pub fn is_must(&self) -> bool {
        matches!(self.level, Keyword::Must | Keyword::MustNot)
    }
}

impl RequirementCounts {
    fn add(&mut self, status: RequirementStatus) {
        let status = match status {
            RequirementStatus::Judged(status) => status,
            RequirementStatus::NoRule | RequirementStatus::RuleOff => {
                (self.apply, self.no_rule) = (self.apply + 1, self.no_rule + 1);
                return;
            }
            RequirementStatus::Outside => {
                self.outside += 1;
                return;
            }
            RequirementStatus::Schema => return,
        };
        (self.apply, self.checked) = (self.apply + 1, self.checked + 1);
        *match status {
            Status::Violated => &mut self.violated,
            Status::NotFollowed => &mut self.not_followed,
            Status::Noted => &mut self.noted,
            Status::Upheld => &mut self.upheld,
            Status::NotAssessable => &mut self.not_assessable,
            Status::NotExercised | Status::Off | Status::NotApplicable => &mut self.not_exercised,
        } += 1;
    }

    /// Those of which rules have a verdict.
    pub fn exercised(&self) -> usize {
        self.violated + self.not_followed + self.noted + self.upheld
    }
}
