//! The table of implementations against rules.
//!
//! A [`Judgement`] goes in; tables with a status for each rule and implementation come out.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    document::{Evidence, RuleId},
    findings::requirements,
    subject_label::SubjectLabel,
    verdict::{Judgement, Status},
};
use crate::{
    protocol::{Surface, Version},
    rule::Rule,
    rules::CATALOGUE,
};

/// Most clients and agents that have a column; the others are counted. One table has at most
/// `BESIDE` of the columns.
const COLUMNS: usize = 120;

const BESIDE: usize = 24;

/// The status of each rule for each client and agent, as tables for pages.
#[derive(Debug)]
pub(super) struct Matrix {
    pub(super) tables: Vec<MatrixTable>,
    pub(super) more_columns: usize,
    /// The rules that no client or agent exercised, grouped by family.
    pub(super) idle: Vec<(&'static str, Vec<&'static Rule>)>,
    /// The rules that the configuration has switched off.
    pub(super) off: Vec<&'static Rule>,
    /// The number of rules that apply to no client or agent of the report.
    pub(super) inapplicable: usize,
}

/// A table of the matrix: some of the clients and agents as columns, rules as rows.
#[derive(Debug)]
pub(super) struct MatrixTable {
    pub(super) columns: Vec<SubjectLabel>,
    /// The rows by family: rules that were exercised or not assessable for one of the columns.
    pub(super) families: Vec<Family>,
}

#[derive(Debug)]
pub(super) struct Family {
    pub(super) name: &'static str,
    pub(super) rows: Vec<MatrixRow>,
}

#[derive(Clone, Debug)]
pub(super) struct MatrixRow {
    pub(super) rule: &'static Rule,
    /// The first requirement of the rule in the versions of the protocol that were spoken.
    pub(super) requirement: &'static str,
    pub(super) has_findings: bool,
    /// For each client or agent (a column): the status of the rule, and a number for some statuses,
    /// such as that of errors.
    pub(super) cells: Vec<(Status, Option<u64>)>,
}

/// A kind of evidence that recordings lack, and the rules that could not be assessed for this
/// reason.
#[derive(Debug)]
pub(super) struct MissingEvidence {
    pub(super) evidence: Evidence,
    pub(super) rules: Vec<&'static Rule>,
}

impl Matrix {
    pub(super) fn of(judgement: &Judgement, labels: &[SubjectLabel]) -> Self {
        let mut matrix = Self {
            tables: Vec::new(),
            more_columns: labels.len().saturating_sub(COLUMNS),
            idle: Vec::new(),
            off: Vec::new(),
            inapplicable: 0,
        };
        let mut rules: Vec<_> = CATALOGUE.iter().copied().enumerate().collect();
        rules.sort_by_key(|(index, rule)| (first_of(rule.family()), *index));
        let surfaces = judgement.subjects.iter().flat_map(|subject| &subject.exercise.surfaces);
        let versions: BTreeSet<Version> = surfaces.map(|it: &Surface| it.version()).collect();
        let mut rows = Vec::new();
        for (index, rule) in rules {
            let cells: Vec<_> =
                judgement.subjects.iter().map(|it| it.exercise.results[index].verdict()).collect();
            let first = cells.iter().map(|(status, _)| *status).min();
            match first.unwrap_or(Status::NotApplicable) {
                Status::NotApplicable => matrix.inapplicable += 1,
                Status::Off => matrix.off.push(rule),
                Status::NotExercised => match matrix.idle.last_mut() {
                    Some((family, rules)) if *family == rule.family() => rules.push(rule),
                    _ => matrix.idle.push((rule.family(), vec![rule])),
                },
                first => {
                    let requirement = requirements(rule, &versions);
                    let requirement = requirement.first().map_or(rule.summary, |it| it.requires);
                    let has_findings = first <= Status::Noted;
                    rows.push(MatrixRow { rule, requirement, has_findings, cells });
                }
            }
        }
        for (index, columns) in labels[..labels.len().min(COLUMNS)].chunks(BESIDE).enumerate() {
            let mut table = MatrixTable { columns: columns.to_vec(), families: Vec::new() };
            let own = index * BESIDE..index * BESIDE + columns.len();
            for row in &rows {
                let cells = row.cells[own.clone()].to_vec();
                if cells.iter().any(|(status, _)| *status < Status::NotExercised) {
                    table.add(MatrixRow { cells, ..row.clone() });
                }
            }
            matrix.tables.push(table);
        }
        matrix
    }

    /// The number of rules that have a row in any of the tables.
    pub(super) fn rows(&self) -> usize {
        let families = self.tables.iter().flat_map(|table| &table.families);
        let rules: BTreeSet<_> =
            families.flat_map(|family| &family.rows).map(|row| row.rule.id).collect();
        rules.len()
    }
}

impl MatrixTable {
    /// Whether the table has so few columns that a column with each rule's requirement fits.
    pub(super) fn is_narrow(&self) -> bool {
        self.columns.len() <= 3
    }

    /// The number of columns of the table, with those for the rule and its requirement.
    pub(super) fn width(&self) -> usize {
        self.columns.len() + if self.is_narrow() { 2 } else { 1 }
    }

    fn add(&mut self, row: MatrixRow) {
        let name = row.rule.family();
        match self.families.last_mut() {
            Some(family) if family.name == name => family.rows.push(row),
            _ => self.families.push(Family { name, rows: vec![row] }),
        }
    }
}

/// The index in the catalogue of the first rule of a family; `None` for an unknown family. Sorts
/// families, whose rules are not always together.
fn first_of(family: &str) -> Option<usize> {
    CATALOGUE.iter().position(|rule| rule.family() == family)
}

pub(super) fn missing_evidence(judgement: &Judgement) -> Vec<MissingEvidence> {
    let mut missing_evidence: BTreeMap<Evidence, BTreeSet<RuleId>> = BTreeMap::new();
    for subject in &judgement.subjects {
        for rule in subject.with(Status::NotAssessable) {
            for evidence in subject.missing.get(&rule).into_iter().flat_map(|it| it.iter()) {
                missing_evidence.entry(evidence).or_default().insert(rule);
            }
        }
    }
    let row = |(evidence, rules): (Evidence, BTreeSet<RuleId>)| MissingEvidence {
        evidence,
        rules: rules.into_iter().map(RuleId::rule).collect(),
    };
    missing_evidence.into_iter().map(row).collect()
}
