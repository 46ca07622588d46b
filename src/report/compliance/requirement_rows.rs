//! How an implementation fared by the requirements, as the JSON form has it.
//!
//! It follows from the results of rules, so it is written and never read back.

use serde::Serialize;

use crate::check::{Fulfilment, RequirementCounts, RequirementRow, RequirementStatus, Status};

/// The member `requirements` of a verdict.
#[derive(Serialize)]
pub(super) struct Requirements {
    must: Counts,
    should: Counts,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Counts {
    apply: usize,
    checked: usize,
    violated: usize,
    not_followed: usize,
    noted: usize,
    upheld: usize,
    not_assessable: usize,
    not_exercised: usize,
    no_rule: usize,
    outside: usize,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    level: &'static str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<u64>,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'static str,
}

impl Requirements {
    pub(super) fn of(fulfilment: &Fulfilment) -> Self {
        Self {
            must: Counts::of(fulfilment.must),
            should: Counts::of(fulfilment.should),
            rows: fulfilment.rows.iter().map(Row::of).collect(),
        }
    }
}

impl Counts {
    fn of(counts: RequirementCounts) -> Self {
        Self {
            apply: counts.apply,
            checked: counts.checked,
            violated: counts.violated,
            not_followed: counts.not_followed,
            noted: counts.noted,
            upheld: counts.upheld,
            not_assessable: counts.not_assessable,
            not_exercised: counts.not_exercised,
            no_rule: counts.no_rule,
            outside: counts.outside,
        }
    }
}

impl Row {
    fn of(row: &RequirementRow) -> Self {
        Self {
            id: row.requirement.id,
            level: row.level.name(),
            status: name(row.status),
            times: row.times,
            reason: row.reason,
        }
    }
}

fn name(status: RequirementStatus) -> &'static str {
    match status {
        RequirementStatus::Judged(Status::Violated) => "violated",
        RequirementStatus::Judged(Status::NotFollowed) => "not_followed",
        RequirementStatus::Judged(Status::Noted) => "noted",
        RequirementStatus::Judged(Status::Upheld) => "upheld",
        RequirementStatus::Judged(Status::NotAssessable) => "not_assessable",
        RequirementStatus::Judged(Status::NotExercised | Status::Off | Status::NotApplicable) => {
            "not_exercised"
        }
        RequirementStatus::NoRule => "no_rule",
        RequirementStatus::Schema => "schema",
        RequirementStatus::Outside => "outside",
    }
}
