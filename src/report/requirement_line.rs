//! The lines for auditors: how many requirements of the protocol apply to a side, and how many of them a
//! check has exercised.

use super::text::grouped_plural;
use crate::check::{Fulfilment, RequirementCounts};

/// What is said of MUSTs and SHOULDs, in full sentences.
pub fn requirement_line(fulfilment: &Fulfilment) -> String {
    let Fulfilment { must, should, other_errors, edition, .. } = fulfilment;
    let mut sentences = vec![
        sentence("MUST", must, " that apply and that a transcript can show"),
        sentence("SHOULD", should, ""),
    ];
    if *other_errors > 0 {
        let count = usize::try_from(*other_errors).unwrap_or(usize::MAX);
        let errors = grouped_plural(count, "error");
        sentences.push(format!(
            "Not counted here: {errors} of rules that check none of these requirements, such as \
             the form that the schema demands."
        ));
    }
    let outside = [(must, "more MUST"), (should, "more SHOULD")];
    let outside = outside.into_iter().filter(|(counts, _)| counts.outside > 0);
    let outside: Vec<_> =
        outside.map(|(counts, noun)| grouped_plural(counts.outside, noun)).collect();
    if !outside.is_empty() {
        sentences.push(format!("No transcript can show {}.", outside.join(" and ")));
    }
    if let Some(edition) = edition {
        sentences.push(format!(
            "In edition {edition}, only requirements apply that one of its rules checks."
        ));
    }
    sentences.join(" ")
}

/// How many requirements were exercised of those that rules check: `42 of 77 MUSTs, 14 of 36 SHOULDs`,
/// and how many of them were not followed; empty where none applies.
pub fn requirement_share(fulfilment: &Fulfilment) -> String {
    let shares = [(&fulfilment.must, "MUST"), (&fulfilment.should, "SHOULD")];
    let shares = shares.into_iter().filter(|(counts, _)| counts.checked > 0);
    let share = |(counts, noun): (&RequirementCounts, _)| {
        let followed = match counts.not_followed {
            0 => String::new(),
            count => format!(" ({count} of them not followed)"),
        };
        format!("{} of {}{followed}", counts.exercised(), grouped_plural(counts.checked, noun))
    };
    shares.map(share).collect::<Vec<_>>().join(", ")
}

fn sentence(level: &str, counts: &RequirementCounts, which: &str) -> String {
    let RequirementCounts { apply, checked, .. } = *counts;
    if apply == 0 {
        return format!("{level}: none applies.");
    }
    let statuses = [
        (counts.upheld, "upheld"),
        (counts.violated, "violated"),
        (counts.not_followed, "not followed"),
        (counts.noted, "noted"),
        (counts.not_assessable, "not assessable"),
        (counts.not_exercised, "not exercised"),
    ];
    let statuses = statuses.into_iter().filter(|(count, _)| *count > 0);
    let statuses: Vec<_> = statuses.map(|(count, status)| format!("{count} {status}")).collect();
    let checked = match checked {
        0 => "none has a rule".to_owned(),
        1 => format!("1 has a rule: {}", statuses.join(", ")),
        many => format!("{many} have a rule: {}", statuses.join(", ")),
    };
    format!("{level}: of {apply}{which}, {checked}.")
}
