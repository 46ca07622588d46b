//! How an implementation fared by the requirements, as the JSON form has it.
//!
//! It follows from the results of rules, so it is written and never read back.

use serde::Serialize;

use crate::check::{Fulfilment, RequirementCounts, RequirementRow, RequirementStatus, Status};

/// The member `requirements` of a verdict.
#[derive(Serialize)]
pub(super) struct Requirements {
    must: RequirementCounts,
    should: RequirementCounts,
    rows: Vec<Row>,
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
            must: fulfilment.must,
            should: fulfilment.should,
            rows: fulfilment.rows.iter().map(Row::of).collect(),
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
        RequirementStatus::NoRule | RequirementStatus::RuleOff => "no_rule",
        RequirementStatus::Schema => "schema",
        RequirementStatus::Outside => "outside",
    }
}
