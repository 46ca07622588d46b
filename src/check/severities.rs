//! How loudly each rule speaks, and of whom it speaks otherwise.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{
    check::{court::Stance, dispatch::Dispatch},
    protocol::Edition,
    rule::{By, Severity},
    rules::CATALOGUE,
};

/// Severities by index in the catalogue, and exceptions from them.
#[derive(Clone, Debug)]
pub struct Severities {
    standings: Arc<[Standing]>,
    exceptions: Vec<Exception>,
    /// What follows from them, made once for all transcripts that are judged so.
    made: Arc<Made>,
}

/// What follows from severities.
#[derive(Debug, Default)]
struct Made {
    /// Who hears of what, by version.
    dispatch: OnceLock<Arc<[Dispatch; 2]>>,
    /// How each rule is to be heard, by edition.
    stances: [OnceLock<Arc<[Stance]>>; Edition::ALL.len()],
}

/// How a rule's findings are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    pub severity: By<Severity>,
    /// Whether it holds for all findings, also for those that have a severity of their own.
    pub is_chosen: bool,
}

impl Default for Severities {
    /// Every rule's own.
    fn default() -> Self {
        let own = |severity| Standing { severity, is_chosen: false };
        let standings = CATALOGUE.iter().map(|rule| own(rule.severity)).collect();
        Self { standings, exceptions: Vec::new(), made: Arc::default() }
    }
}

impl Severities {
    /// Reports all findings of the rule with this index in the catalogue like this.
    pub fn set(&mut self, rule: usize, severity: Severity) {
        self.stand(rule, Standing { severity: By::both(severity), is_chosen: true });
    }

    /// Takes this for the rule's own severity: findings with one of their own keep it.
    pub fn suppose(&mut self, rule: usize, severity: By<Severity>) {
        self.stand(rule, Standing { severity, is_chosen: false });
    }

    fn stand(&mut self, rule: usize, standing: Standing) {
        Arc::make_mut(&mut self.standings)[rule] = standing;
        self.made = Arc::default();
    }

    /// Adds an exception, which outweighs those before.
    pub fn except(&mut self, exception: Exception) {
        if !exception.severities.is_empty() {
            self.exceptions.push(exception);
            self.made = Arc::default();
        }
    }

    pub fn of(&self, rule: usize) -> Standing {
        self.standings[rule]
    }

    /// Who hears of what, by version.
    pub(super) fn dispatch(&self) -> Arc<[Dispatch; 2]> {
        let new = || Arc::new(Dispatch::of_versions(|rule| self.hear(rule)));
        Arc::clone(self.made.dispatch.get_or_init(new))
    }

    /// How each rule is to be heard where this edition is in force, by index in the catalogue.
    pub(super) fn stances(&self, edition: Edition) -> Arc<[Stance]> {
        let all = || (0..CATALOGUE.len()).map(|rule| Stance::of(rule, self, edition)).collect();
        Arc::clone(self.made.stances[edition as usize].get_or_init(all))
    }

    /// Whether a rule can speak at all. One that the user switched off is still heard for what it
    /// explains; one that is off by itself is not.
    fn hear(&self, rule: usize) -> bool {
        let speaks =
            |severity: By<Severity>| severity.v1 != Severity::Off || severity.v2 != Severity::Off;
        speaks(CATALOGUE[rule].severity)
            || speaks(self.of(rule).severity)
            || self.speaks_by_exception(rule)
    }

    /// Whether the rule speaks in some exception.
    pub(super) fn speaks_by_exception(&self, rule: usize) -> bool {
        let speaks = |exception: &Exception| {
            exception.severities.get(&rule).is_some_and(|severity| *severity != Severity::Off)
        };
        self.exceptions.iter().any(speaks)
    }

    /// The severity by the last exception that applies.
    pub fn exception(
        &self,
        rule: usize,
        agent: Option<&str>,
        method: Option<&str>,
    ) -> Option<Severity> {
        let applies = |exception: &&Exception| {
            exception.agents.as_ref().is_none_or(|names| names.contains(agent))
                && exception.methods.as_ref().is_none_or(|names| names.contains(method))
        };
        let last = self.exceptions.iter().rev();
        last.filter(applies).find_map(|exception| exception.severities.get(&rule)).copied()
    }
}

/// Severities of some rules where they speak of some agents, or of some methods.
#[derive(Clone, Debug, Default)]
pub struct Exception {
    /// `None`: whatever the agent's name is, and if it has none.
    pub agents: Option<Names>,
    /// `None`: whatever the method is, and if there is none.
    pub methods: Option<Names>,
    /// By index in the catalogue.
    pub severities: BTreeMap<usize, Severity>,
}

/// A set of names, by patterns: `*` stands for any characters.
#[derive(Clone, Debug)]
pub struct Names(GlobSet);

impl Names {
    /// Fails with the reason at the first text that is no pattern.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p str>) -> Result<Self, String> {
        let mut names = GlobSetBuilder::new();
        let reason = |error: globset::Error| error.kind().to_string();
        for pattern in patterns {
            names.add(GlobBuilder::new(pattern).build().map_err(reason)?);
        }
        names.build().map(Self).map_err(reason)
    }

    fn contains(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.0.is_match(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exception(agents: Option<&str>, methods: Option<&str>, severity: Severity) -> Exception {
        let names = |pattern: &str| Names::new([pattern]).expect("a pattern");
        Exception {
            agents: agents.map(names),
            methods: methods.map(names),
            severities: BTreeMap::from([(7, severity)]),
        }
    }

    #[test]
    fn the_last_exception_that_applies_counts() {
        let mut severities = Severities::default();
        severities.except(exception(Some("kettle*"), None, Severity::Info));
        severities.except(exception(None, Some("session/*"), Severity::Off));
        severities.except(exception(Some("kettle-2"), Some("fs/*"), Severity::Error));
        let of = |agent, method| severities.exception(7, agent, method);
        assert_eq!(of(None, None), None);
        assert_eq!(of(Some("pot"), Some("fs/read_text_file")), None);
        assert_eq!(of(Some("kettle-2"), None), Some(Severity::Info));
        assert_eq!(of(Some("kettle-2"), Some("session/update")), Some(Severity::Off));
        assert_eq!(of(None, Some("session/update")), Some(Severity::Off));
        assert_eq!(of(Some("kettle-2"), Some("fs/read_text_file")), Some(Severity::Error));
        assert_eq!(of(Some("kettle-3"), Some("fs/read_text_file")), Some(Severity::Info));
        assert_eq!(severities.exception(8, Some("kettle-2"), None), None);
        assert!(severities.speaks_by_exception(7) && !severities.speaks_by_exception(8));
    }

    #[test]
    fn names_with_slashes_are_names() {
        let names = Names::new(["@kettle/*", "pot"]).expect("patterns");
        assert!(names.contains(Some("@kettle/agent/2")) && names.contains(Some("pot")));
        assert!(!names.contains(Some("pots")) && !names.contains(None));
        assert!(Names::new(["[a"]).is_err());
    }
}
