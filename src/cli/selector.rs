//! Names of rules, as options and files have them: `plan/status-regression`, `plan`, `all`, and changes
//! of severity such as `plan=warning`.
//!
//! An unknown name is an error that suggests the nearest one.

use super::Completable;
use crate::{
    protocol::schema::nearest,
    rule::{Rule, Severity},
    rules::{self, CATALOGUE},
};

/// A rule, a family of rules, or all rules, as options and configuration name them. A more specific
/// selector is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Selector {
    All,
    Family(&'static str),
    Rule(&'static str),
}

impl Selector {
    /// Reads the name of a rule, of a family, or `all`. The error suggests a name.
    pub(super) fn parse(name: &str) -> Result<Self, String> {
        if name == "all" {
            return Ok(Self::All);
        }
        let rule = rules::find(name).map(|(_, rule)| Self::Rule(rule.id));
        let family = || {
            CATALOGUE
                .iter()
                .find(|rule| rule.family() == name)
                .map(|rule| Self::Family(rule.family()))
        };
        rule.or_else(family)
            .ok_or_else(|| format!("unknown rule or family; {}", similar_name(name)))
    }

    /// The name that [`Selector::parse`] reads, such as `plan/missing-id`, `plan` or `all`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Family(name) | Self::Rule(name) => name,
        }
    }

    /// Whether the selector stands for this rule, alone or among others.
    pub(super) fn matches(self, rule: &Rule) -> bool {
        match self {
            Self::All => true,
            Self::Family(family) => rule.family() == family,
            Self::Rule(id) => rule.id == id,
        }
    }
}

/// The clap parser for names of rules and families, as in `--select` and `--ignore`.
pub(super) const PARSER: Completable<Selector> = Completable { parse: Selector::parse, names };

/// The error for a name in a file that is neither a rule nor a family, with a suggestion.
pub(super) fn unknown_name(name: &str) -> String {
    format!("`{name}` is not a rule or family; {}", similar_name(name))
}

/// What an error says of the rule or family that may be meant by a name that is neither.
pub(super) fn similar_name(name: &str) -> String {
    suggestion(name, all_names())
}

/// The names of all rules and families and `all`, sorted, each once.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = all_names().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names of all rules and families and `all`. A family is listed once for each of its rules.
fn all_names() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().flat_map(|rule| [rule.id, rule.family()]).chain(["all"])
}

/// A hint on what a user may have meant by an unknown name: the names that begin with it, the
/// nearest one, or one with the same last segment, since the family may be missing or wrong.
fn suggestion(name: &str, names: impl Iterator<Item = &'static str>) -> String {
    fn last_segment(name: &str) -> &str {
        name.rsplit('/').next().unwrap_or(name)
    }
    /// Most names that are all suggested when they begin with what the user wrote. When there are
    /// more, only the nearest name is suggested.
    const SEVERAL: usize = 6;
    let names: Vec<_> = names.collect();
    let longer: Vec<_> = names.iter().filter(|it| name.len() > 2 && it.starts_with(name)).collect();
    if (2..=SEVERAL).contains(&longer.len()) {
        let longer: Vec<_> = longer.iter().map(|name| format!("`{name}`")).collect();
        return format!("did you mean one of {}?", longer.join(", "));
    }
    let namesake = || names.iter().copied().find(|it| last_segment(it) == last_segment(name));
    match nearest(name, names.iter().copied()).or_else(namesake) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`acpcheck rules` lists all".to_owned(),
    }
}

/// A change of severity for the rules of a selector, as in `--severity plan=warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SeverityChange {
    pub(super) selector: Selector,
    pub(super) severity: Severity,
}

impl SeverityChange {
    /// Reads `NAME=LEVEL`, such as `plan/status-regression=warning`. An error says what is wrong.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const LEVELS: [Severity; 4] =
            [Severity::Off, Severity::Info, Severity::Warning, Severity::Error];
        let (name, level) = text.split_once('=').ok_or("expected RULE=LEVEL")?;
        let severity = LEVELS.into_iter().find(|severity| severity.name() == level);
        let severity = severity
            .ok_or_else(|| format!("`{level}` is not a level; use off, info, warning or error"))?;
        Ok(Self { selector: Selector::parse(name)?, severity })
    }
}
