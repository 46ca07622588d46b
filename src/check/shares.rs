//! The shares of rules: what is counted by requirement where a rule checks several.
//!
//! Counts stand in one list: first those of the rules, by index in the catalogue, then those of the
//! shares. A rule without shares checks one requirement, and its own counts are those of the requirement.

use std::{ops::Range, sync::LazyLock};

use crate::{
    check::dispatch::RuleIndex,
    diagnostic::Diagnostic,
    protocol::Version,
    requirements,
    rule::Rule,
    rules::{self, CATALOGUE},
};

/// Both versions, in the order of their numbers.
const VERSIONS: [Version; 2] = [Version::V1, Version::V2];

/// What a rule finds out about one of its requirements.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub rule: RuleIndex,
    /// The id of the requirement.
    pub requirement: &'static str,
    /// Whether version 1 and 2 state it, drafts included.
    states: [bool; 2],
}

/// All shares, those of a rule together, in the order of the catalogue.
static SHARES: LazyLock<Vec<Share>> = LazyLock::new(|| {
    let rules = CATALOGUE.iter().enumerate().filter(|(_, rule)| has_shares(rule));
    rules.flat_map(|(rule, of)| of.requirements.iter().map(move |it| Share::of(rule, it))).collect()
});

/// Where the shares of each rule begin among all shares, and where those of the last rule end.
static BEGINNINGS: LazyLock<Vec<usize>> = LazyLock::new(|| {
    (0..=CATALOGUE.len()).map(|rule| SHARES.partition_point(|share| share.rule < rule)).collect()
});

/// How many counts there are: one for each rule, and one for each share.
pub fn len() -> usize {
    CATALOGUE.len() + SHARES.len()
}

/// The share with this place in the list of counts; `None` for the place of a rule.
pub fn at(place: usize) -> Option<&'static Share> {
    SHARES.get(place.checked_sub(CATALOGUE.len())?)
}

/// The places of a rule's shares in the list of counts; empty for a rule without any.
pub fn of(rule: RuleIndex) -> Range<usize> {
    let place = |rule: usize| CATALOGUE.len() + BEGINNINGS[rule];
    place(rule)..place(rule + 1)
}

/// The place where a rule's results about a requirement are counted; `None` where the rule does not
/// check it.
pub fn place(rule: RuleIndex, requirement: &str) -> Option<usize> {
    let mut shares = of(rule);
    if shares.is_empty() {
        return CATALOGUE[rule].requirements.contains(&requirement).then_some(rule);
    }
    shares.find(|place| at(*place).is_some_and(|share| share.requirement == requirement))
}

/// The places where a diagnostic counts: that of its rule, and those of the shares that it is about.
pub fn of_diagnostic(diagnostic: &Diagnostic) -> impl Iterator<Item = usize> {
    let rule = rules::find(diagnostic.rule.id).map(|(rule, _)| rule);
    let (about, version) = (diagnostic.finding.about, diagnostic.version);
    let is_about = move |place: &usize| at(*place).is_some_and(|it| it.is_in(about, version));
    rule.into_iter().flat_map(move |rule| std::iter::once(rule).chain(of(rule).filter(is_about)))
}

/// Whether the counts of a rule are not those of one requirement: it checks several, or also something
/// that they, or a version, do not state.
fn has_shares(rule: &Rule) -> bool {
    match rule.requirements {
        [] => false,
        [only] => {
            rule.is_wider
                || VERSIONS.into_iter().any(|version| {
                    rule.surfaces.applies_to(version) && !stating(only)[version as usize]
                })
        }
        _ => true,
    }
}

/// Whether version 1 and version 2 state a requirement, drafts included.
fn stating(requirement: &str) -> [bool; VERSIONS.len()] {
    let found = requirements::find(requirement);
    VERSIONS.map(|version| found.is_some_and(|it| it.level(version, true).is_some()))
}

impl Share {
    fn of(rule: RuleIndex, requirement: &'static str) -> Self {
        Self { rule, requirement, states: stating(requirement) }
    }

    /// Whether a verdict on a message of this version is about the requirement. `about`: what the verdict
    /// names; `None` where it is about all requirements of the rule.
    pub(super) fn is_in(&self, about: Option<&[&str]>, version: Version) -> bool {
        let is_meant = about.is_none_or(|about| about.contains(&self.requirement));
        self.states[version as usize] && is_meant
    }
}
