//! The tables of requirements against implementations.
//!
//! A [`Judgement`] goes in. Out come a table for MUSTs and one for SHOULDs, what no transcript shows, and,
//! for many implementations, a table of these against topics.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    subject_label::SubjectLabel,
    verdict::{Judgement, Status, Subject},
};
use crate::{
    check::{RequirementRow, RequirementStatus},
    protocol::Version,
    requirements::{Requirement, Sentence},
    rule::Rule,
    rules::CATALOGUE,
};

/// Implementations that have a column, and how many fit beside each other.
const COLUMNS: usize = 120;
const BESIDE: usize = 24;

/// Number of implementations from which on the report begins with a table of implementations
/// against topics.
const MANY: usize = 3;

/// How implementations fared by the requirements of the protocol.
#[derive(Debug)]
pub(super) struct RequirementTables {
    /// For MUSTs, then for SHOULDs; of each, one for every few implementations.
    pub(super) tables: Vec<RequirementTable>,
    pub(super) more_columns: usize,
    /// What no transcript shows, by the reason.
    pub(super) outside: Vec<(String, Vec<Told>)>,
    /// What the rules about schemas check.
    pub(super) shapes: Vec<Told>,
    /// Implementations against topics; empty for few implementations.
    pub(super) overview: Vec<OverviewRow>,
    /// The columns of the overview.
    pub(super) topics: Vec<&'static str>,
}

/// Requirements of one level against some of the implementations.
#[derive(Debug)]
pub(super) struct RequirementTable {
    /// `MUST` or `SHOULD`.
    pub(super) level: &'static str,
    pub(super) columns: Vec<SubjectLabel>,
    /// What a rule has a verdict on, or none checks.
    pub(super) told: Vec<Topic>,
    /// Requirements that no implementation has exercised.
    pub(super) idle: Vec<Topic>,
    /// Whether it is the first of its level, which topics link to.
    pub(super) is_first: bool,
}

/// The requirements of a topic.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) name: &'static str,
    pub(super) rows: Vec<TableRow>,
}

/// A requirement with its status for each implementation.
#[derive(Clone, Debug)]
pub(super) struct TableRow {
    pub(super) told: Told,
    is_must: bool,
    pub(super) cells: Vec<Cell>,
    /// Why no rule checks the requirement, as the index says; empty where rules do.
    why: &'static str,
    /// The rules that check it, and whether they have findings.
    pub(super) rules: Vec<(&'static Rule, bool)>,
}

/// What is said of a requirement.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) requirement: &'static Requirement,
    /// Where the protocol states it, and the address of that on the web.
    pub(super) place: &'static str,
    pub(super) url: Option<String>,
}

/// How an implementation fared by a requirement; `None` where it does not apply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell(pub(super) Option<(RequirementStatus, Option<u64>)>);

/// An implementation, and how it fared by the requirements of each topic.
#[derive(Debug)]
pub(super) struct OverviewRow {
    pub(super) label: SubjectLabel,
    pub(super) cells: Vec<TopicCounts>,
}

/// How many requirements of a topic have which status. `rest` counts those that are not exercised or
/// not assessable.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TopicCounts {
    pub(super) violated: usize,
    pub(super) not_followed: usize,
    pub(super) noted: usize,
    pub(super) upheld: usize,
    pub(super) rest: usize,
}

impl RequirementTables {
    pub(super) fn of(judgement: &Judgement, labels: &[SubjectLabel]) -> Self {
        let judged: Vec<_> = judgement
            .subjects
            .iter()
            .zip(labels)
            .filter_map(|(subject, label)| Some((subject, label, subject.fulfilment.as_ref()?)))
            .collect();
        let versions: BTreeSet<_> = judged
            .iter()
            .flat_map(|(subject, ..)| &subject.exercise.surfaces)
            .map(|surface| surface.version())
            .collect();
        // By requirement, and by whether it is a MUST, which it may be for one implementation and not for
        // another: the row of each implementation.
        let mut all: BTreeMap<(&str, bool), Vec<Option<&RequirementRow>>> = BTreeMap::new();
        for (index, (_, _, fulfilment)) in judged.iter().enumerate() {
            for row in &fulfilment.rows {
                let key = (row.requirement.id, row.is_must());
                all.entry(key).or_insert_with(|| vec![None; judged.len()])[index] = Some(row);
            }
        }
        let subjects: Vec<_> = judged.iter().map(|(subject, ..)| *subject).collect();
        let rows: Vec<_> = all
            .into_iter()
            .filter_map(|((_, is_must), rows)| TableRow::of(&rows, is_must, &versions, &subjects))
            .collect();
        let columns: Vec<_> = judged.iter().map(|(_, label, _)| (*label).clone()).collect();
        let (outside, shapes) = outside(&rows);
        let topics: BTreeSet<_> = rows.iter().map(|row| row.told.requirement.topic()).collect();
        let topics: Vec<_> = topics.into_iter().collect();
        let overview = judged.iter().enumerate().filter(|_| judged.len() >= MANY);
        let overview = overview.map(|(index, (_, label, _))| OverviewRow {
            label: (*label).clone(),
            cells: topics.iter().map(|topic| TopicCounts::of(topic, index, &rows)).collect(),
        });
        Self {
            tables: tables(&rows, &columns),
            more_columns: columns.len().saturating_sub(COLUMNS),
            outside,
            shapes,
            overview: overview.collect(),
            topics,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// The anchor of the first table that has this topic.
    pub(super) fn anchor(&self, topic: &str) -> String {
        let first = self
            .tables
            .iter()
            .filter(|table| table.is_first)
            .find(|table| table.told.iter().chain(&table.idle).any(|own| own.name == topic));
        first.map_or("requirements".to_owned(), |table| format!("{}-{topic}", table.level))
    }
}

/// The tables of both levels.
fn tables(rows: &[TableRow], columns: &[SubjectLabel]) -> Vec<RequirementTable> {
    let columns = &columns[..columns.len().min(COLUMNS)];
    let mut tables = Vec::new();
    for level in ["MUST", "SHOULD"] {
        let own = rows.iter().filter(|row| row.is_must == (level == "MUST"));
        let own: Vec<_> = own.filter(|row| !row.is_outside()).collect();
        for (index, beside) in columns.chunks(BESIDE).enumerate().filter(|_| !own.is_empty()) {
            let mut table = RequirementTable {
                level,
                columns: beside.to_vec(),
                told: Vec::new(),
                idle: Vec::new(),
                is_first: index == 0,
            };
            for row in &own {
                let cells = row.cells[index * BESIDE..][..beside.len()].to_vec();
                let row = TableRow { cells, ..(*row).clone() };
                if row.cells.iter().all(|cell| cell.0.is_none()) {
                    continue;
                }
                let topics = if row.is_idle() { &mut table.idle } else { &mut table.told };
                let name = row.told.requirement.topic();
                match topics.last_mut() {
                    Some(topic) if topic.name == name => topic.rows.push(row),
                    _ => topics.push(Topic { name, rows: vec![row] }),
                }
            }
            tables.push(table);
        }
    }
    tables
}

/// What no transcript shows, by the reason, and what the rules about schemas check.
fn outside(rows: &[TableRow]) -> (Vec<(String, Vec<Told>)>, Vec<Told>) {
    let mut outside: BTreeMap<String, Vec<Told>> = BTreeMap::new();
    let mut shapes = Vec::new();
    for row in rows.iter().filter(|row| row.is_outside()) {
        let is_shape = |cell: &Cell| matches!(cell.0, Some((RequirementStatus::Schema, _)));
        let list = if row.cells.iter().any(is_shape) {
            &mut shapes
        } else {
            outside.entry(words(row.why)).or_default()
        };
        let is_told = |told: &Told| told.requirement.id == row.told.requirement.id;
        if !list.last().is_some_and(is_told) {
            list.push(row.told.clone());
        }
    }
    (outside.into_iter().collect(), shapes)
}

/// The reason why no transcript shows something, as a sentence without a full stop.
fn words(reason: &str) -> String {
    match reason.split_once(' ') {
        Some(("probe", scenario)) => {
            format!("only a trial shows it: the scenario `{scenario}` of `acpcheck drive`")
        }
        _ if reason.starts_with("hops") => {
            "it needs recordings of both sides of a proxy".to_owned()
        }
        _ => "it is about screens, models, intentions or other programs".to_owned(),
    }
}

impl RequirementTable {
    /// Few enough for a column that says what each requirement is.
    pub(super) fn is_narrow(&self) -> bool {
        self.columns.len() <= 3
    }

    /// Columns in all.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + if self.is_narrow() { 4 } else { 1 }
    }

    pub(super) fn idle_summary(&self) -> String {
        let count: usize = self.idle.iter().map(|topic| topic.rows.len()).sum();
        let noun = if count == 1 { "" } else { "s" };
        format!("{count} {}{noun} that no message was about", self.level)
    }
}

impl TableRow {
    /// `None` when the requirement applies to no implementation.
    fn of(
        rows: &[Option<&RequirementRow>],
        is_must: bool,
        versions: &BTreeSet<Version>,
        subjects: &[&Subject],
    ) -> Option<Self> {
        let RequirementRow { requirement, reason, .. } = *rows.iter().flatten().next()?;
        let is_own = |rule: &Rule| {
            let applies = |version: &Version| rule.surfaces.applies_to(*version);
            rule.requirements.contains(&requirement.id)
                && (versions.is_empty() || versions.iter().any(applies))
        };
        let has_findings = |index: usize| {
            subjects.iter().any(|subject| subject.exercise.results[index].status() <= Status::Noted)
        };
        let rules = CATALOGUE.iter().enumerate().filter(|(_, rule)| is_own(rule));
        Some(Self {
            told: Told::of(requirement, versions),
            is_must,
            why: reason,
            cells: rows.iter().map(|row| Cell(row.map(|row| (row.status, row.times)))).collect(),
            rules: rules.map(|(index, rule)| (*rule, has_findings(index))).collect(),
        })
    }

    /// Whether no transcript shows it, or the rules about schemas check it.
    fn is_outside(&self) -> bool {
        self.cells.iter().filter_map(|cell| cell.0).all(|(status, _)| {
            matches!(status, RequirementStatus::Outside | RequirementStatus::Schema)
        })
    }

    /// Whether no implementation has exercised the requirement.
    fn is_idle(&self) -> bool {
        self.cells
            .iter()
            .filter_map(|cell| cell.0)
            .all(|(status, _)| status == RequirementStatus::Judged(Status::NotExercised))
    }

    /// Why no rule checks it; `None` where rules do.
    pub(super) fn reason(&self) -> Option<&'static str> {
        let is_unchecked = |cell: &Cell| matches!(cell.0, Some((RequirementStatus::NoRule, _)));
        self.cells.iter().any(is_unchecked).then(|| {
            let reasons = [Version::V1, Version::V2];
            let mut reasons =
                reasons.into_iter().filter_map(|version| self.told.requirement.unchecked(version));
            let reason = reasons.next().unwrap_or_default();
            reason.strip_prefix("open: ").unwrap_or(reason)
        })
    }
}

impl Told {
    fn of(requirement: &'static Requirement, versions: &BTreeSet<Version>) -> Self {
        let is_spoken = |version| versions.is_empty() || versions.contains(&version);
        let sentences: Vec<_> =
            requirement.sentences().filter(|sentence| is_spoken(sentence.version)).collect();
        // A page says more than a definition.
        let page = sentences.iter().find(|sentence| sentence.url().is_some());
        let sentence = page.or(sentences.first());
        let place = sentence.map_or("", |sentence| sentence.place);
        Self {
            requirement,
            place: place.strip_prefix("protocol/").unwrap_or(place),
            url: sentence.and_then(Sentence::url),
        }
    }
}

impl Cell {
    /// For those who do not see colours.
    pub(super) fn sign(self) -> &'static str {
        match self.0 {
            Some((RequirementStatus::Judged(status), _)) => status.sign(),
            Some((RequirementStatus::NoRule, _)) => "no rule",
            Some((RequirementStatus::RuleOff, _)) => "rule is off",
            Some((RequirementStatus::Schema | RequirementStatus::Outside, _)) | None => "",
        }
    }

    /// A class for colours.
    pub(super) fn class(self) -> &'static str {
        match self.0 {
            Some((RequirementStatus::Judged(status), _)) => status.class(),
            _ => "none",
        }
    }

    /// For people who hear the page; empty where the sign says it.
    pub(super) fn text(self) -> &'static str {
        match self.0 {
            Some((RequirementStatus::Judged(status), _)) => status.text(),
            _ => "",
        }
    }

    pub(super) fn times(self) -> Option<u64> {
        self.0.and_then(|(_, times)| times)
    }
}

impl TopicCounts {
    fn of(topic: &str, index: usize, rows: &[TableRow]) -> Self {
        let mut counts = Self::default();
        for row in rows.iter().filter(|row| row.told.requirement.topic() == topic) {
            let Some((RequirementStatus::Judged(status), _)) = row.cells[index].0 else { continue };
            match status {
                Status::Violated => counts.violated += 1,
                Status::NotFollowed => counts.not_followed += 1,
                Status::Noted => counts.noted += 1,
                Status::Upheld => counts.upheld += 1,
                _ => counts.rest += 1,
            }
        }
        counts
    }

    /// The numbers behind their signs; empty where nothing applies.
    pub(super) fn text(self) -> String {
        let signs = [
            (self.violated, Status::Violated),
            (self.not_followed, Status::NotFollowed),
            (self.noted, Status::Noted),
            (self.upheld, Status::Upheld),
            (self.rest, Status::NotExercised),
        ];
        let told = signs.into_iter().filter(|(count, _)| *count > 0);
        let told: Vec<_> =
            told.map(|(count, status)| format!("{} {count}", status.sign())).collect();
        told.join(" ")
    }

    /// A class for colours.
    pub(super) fn class(self) -> &'static str {
        match self {
            Self { violated: 1.., .. } => Status::Violated.class(),
            Self { not_followed: 1.., .. } => Status::NotFollowed.class(),
            Self { noted: 1.., .. } | Self { upheld: 1.., .. } => Status::Upheld.class(),
            _ => "none",
        }
    }
}
