//! The lines for auditors: how many requirements of the protocol apply to a side, and how many of them a
//! check has exercised.

use super::text::grouped_plural;
use crate::check::{Fulfilment, RequirementCounts};

/// What is said of MUSTs and SHOULDs, in full sentences.
pub fn requirement_line(fulfilment: &Fulfilment) -> String {
    let Fulfilment { must, should, other_errors, edition, .. } = fulfilment;
    let mut sentences = vec![sentence("MUST", must), sentence("SHOULD", should)];
    if *other_errors > 0 {
        let count = usize::try_from(*other_errors).unwrap_or(usize::MAX);
        let errors = grouped_plural(count, "error");
        sentences.push(format!(
            "Not counted here: {errors} of other rules, such as those of the schemas."
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

/// The counts of one level, what was violated first: `MUST: 0 violated, 16 upheld, 27 not exercised (45
/// apply, 43 have a rule).`
fn sentence(level: &str, counts: &RequirementCounts) -> String {
    let RequirementCounts { apply, checked, .. } = *counts;
    if apply == 0 {
        return format!("{level}: none applies.");
    }
    if checked == 0 {
        return format!("{level}: {apply} apply, none has a rule.");
    }
    let statuses = [
        (counts.violated, "violated"),
        (counts.not_followed, "not followed"),
        (counts.noted, "noted"),
        (counts.upheld, "upheld"),
        (counts.not_assessable, "not assessable"),
        (counts.not_exercised, "not exercised"),
    ];
    // That nothing was violated is said, too.
    let statuses = statuses
        .into_iter()
        .filter(|(count, status)| *count > 0 || *status == "violated" && level == "MUST");
    let statuses: Vec<_> = statuses.map(|(count, status)| format!("{count} {status}")).collect();
    let with_rule = match checked {
        all if all == apply => String::new(),
        1 => ", 1 has a rule".to_owned(),
        many => format!(", {many} have a rule"),
    };
    format!("{level}: {} ({apply} apply{with_rule}).", statuses.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_violated_comes_first() {
        let counts = RequirementCounts {
            apply: 45,
            checked: 43,
            upheld: 16,
            not_exercised: 27,
            ..RequirementCounts::default()
        };
        assert_eq!(
            sentence("MUST", &counts),
            "MUST: 0 violated, 16 upheld, 27 not exercised (45 apply, 43 have a rule)."
        );
        let counts = RequirementCounts { apply: 43, violated: 2, upheld: 14, ..counts };
        assert_eq!(
            sentence("MUST", &counts),
            "MUST: 2 violated, 14 upheld, 27 not exercised (43 apply)."
        );
        let counts = RequirementCounts { violated: 0, not_followed: 1, ..counts };
        assert_eq!(
            sentence("SHOULD", &counts),
            "SHOULD: 1 not followed, 14 upheld, 27 not exercised (43 apply)."
        );
        assert_eq!(sentence("MAY", &RequirementCounts::default()), "MAY: none applies.");
    }
}
