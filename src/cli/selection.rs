//! Which rules speak, and how loudly: `--select`, `--ignore` and `--severity`.

use crate::{
    check::Severities,
    protocol::schema::nearest,
    rule::{Rule, Severity},
    rules::{self, CATALOGUE},
};

/// What a user can name: a rule, a family, or everything. Ordered by how exactly it names a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Selector {
    All,
    Family(&'static str),
    Rule(&'static str),
}

impl Selector {
    /// Reads `plan/duplicate-id`, `plan` or `all`.
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
        rule.or_else(family).ok_or_else(|| {
            let names = CATALOGUE.iter().flat_map(|rule| [rule.id, rule.family()]).chain(["all"]);
            unknown("rule or family", name, names)
        })
    }

    fn matches(self, rule: &Rule) -> bool {
        match self {
            Self::All => true,
            Self::Family(family) => rule.family() == family,
            Self::Rule(id) => rule.id == id,
        }
    }
}

/// Reads the id of a rule.
pub(super) fn rule(name: &str) -> Result<&'static Rule, String> {
    let rule = rules::find(name).map(|(_, rule)| rule);
    rule.ok_or_else(|| match CATALOGUE.iter().find(|rule| rule.family() == name) {
        Some(example) => format!("`{name}` is a family; name one rule, such as `{}`", example.id),
        None => unknown("rule", name, CATALOGUE.iter().map(|rule| rule.id)),
    })
}

fn unknown(what: &str, name: &str, names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<_> = names.collect();
    // Someone may have left out the family, or taken another one.
    let tail = name.rsplit('/').next().unwrap_or(name);
    let namesake = || names.iter().copied().find(|id| id.rsplit('/').next() == Some(tail));
    match nearest(name, names.iter().copied()).or_else(namesake) {
        Some(nearest) => format!("there is no such {what}; did you mean `{nearest}`?"),
        None => format!("there is no such {what}; `acpcheck rules` lists all"),
    }
}

/// A severity given to some rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    selector: Selector,
    severity: Severity,
}

impl Change {
    /// Reads `plan/duplicate-id=warning`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        const LEVELS: [Severity; 4] =
            [Severity::Off, Severity::Info, Severity::Warning, Severity::Error];
        let (name, level) = text.split_once('=').ok_or("expected RULE=LEVEL")?;
        let severity = LEVELS.into_iter().find(|severity| severity.name() == level);
        let severity =
            severity.ok_or_else(|| format!("`{level}` is not off, info, warning or error"))?;
        Ok(Self { selector: Selector::parse(name)?, severity })
    }
}

/// Severities as the options ask for. Exact names outweigh families, and those outweigh `all`;
/// between equals `--ignore` outweighs `--select`, and the last `--severity` the earlier ones.
pub(super) fn severities(
    select: &[Selector],
    ignore: &[Selector],
    changes: &[Change],
) -> Severities {
    let mut severities = Severities::default();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        let best = |selectors: &[Selector]| {
            selectors.iter().copied().filter(|selector| selector.matches(rule)).max()
        };
        let (chosen, ignored) = (best(select), best(ignore));
        // Of equals `max_by_key` takes the last.
        let change = changes
            .iter()
            .filter(|change| change.selector.matches(rule))
            .max_by_key(|change| change.selector);

        let is_out = chosen.is_none() && !select.is_empty();
        if is_out || (ignored.is_some() && ignored >= chosen) {
            severities.set(index, Severity::Off);
        } else if let Some(change) = change {
            severities.set(index, change.severity);
        } else if chosen.is_some() && is_off_somewhere(rule) {
            let own = rule.severity.v1.max(rule.severity.v2);
            severities.set(index, own.max(Severity::Info));
        }
    }
    severities
}

fn is_off_somewhere(rule: &Rule) -> bool {
    rule.severity.v1 == Severity::Off || rule.severity.v2 == Severity::Off
}
