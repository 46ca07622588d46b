//! The severity of each rule, and exceptions from it for some agents and methods.
//!
//! In goes what the user configures; out comes which checks run, and how findings are reported.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock, OnceLock},
};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::{
    check::dispatch::{Dispatch, RuleIndex},
    protocol::{Edition, Version},
    rule::{Bound, By, Severity},
    rules::CATALOGUE,
};

/// The severity with which the findings of each rule are reported: defaults, the user's choices,
/// and exceptions for paths, agents and methods.
#[derive(Clone, Debug)]
pub struct Severities {
    by_rule: Arc<[RuleSeverity]>,
    exceptions: Vec<Exception>,
    /// What was computed from these severities, shared by all checks that use them.
    made: Arc<Made>,
}

/// What is computed from the severities at first use and then kept.
#[derive(Debug, Default)]
struct Made {
    /// The rules to run for each kind of event: index 0 for version 1, index 1 for version 2. Made
    /// at first use.
    dispatch: OnceLock<Arc<[Dispatch; 2]>>,
    /// For each edition: the state of each rule (runs or not, severities), by the rule's index in
    /// the catalogue.
    states: [OnceLock<Arc<[RuleState]>>; Edition::ALL.len()],
}

/// Severity with which the findings of one rule are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSeverity {
    pub severity: By<Severity>,
    /// Whether the user chose the severity: it then holds for all findings, even those with a
    /// severity of their own.
    pub is_chosen: bool,
}

/// Whether a rule runs under one edition, and with which severity its findings are reported on each
/// version.
#[derive(Clone, Copy, Debug)]
pub(super) struct RuleState {
    /// Severity of the rule: index 0 for version 1, index 1 for version 2. `Off` where the rule
    /// does not apply or is switched off.
    pub(super) severity: [Severity; 2],
    /// Whether the rule need not run: index 0 for version 1, index 1 for version 2.
    pub(super) is_off: [bool; 2],
    pub(super) binds: Bound,
    /// Whether the user chose the severity, which then holds for all findings.
    pub(super) is_chosen: bool,
    /// Whether an exception sets another severity for some agents or methods.
    pub(super) is_excepted: bool,
    /// Whether findings are withheld and counted, since what the rule needs is in doubt.
    pub(super) is_doubted: bool,
}

impl RuleState {
    fn of(index: RuleIndex, severities: &Severities, edition: Edition) -> Self {
        let rule = CATALOGUE[index];
        let own = severities.of(index);
        let is_excepted = severities.has_exception(index);
        let of = |version: Version| {
            let applies =
                rule.surfaces.applies_to(version) && rule.editions.of(version).contains(edition);
            if !applies {
                return (Severity::Off, true);
            }
            let severity = own.severity.of(version);
            // A rule that the user switched off still runs for what it explains.
            let explains = own.is_chosen && rule.severity.of(version) != Severity::Off;
            (severity, severity == Severity::Off && !explains && !is_excepted)
        };
        let of_each = [of(Version::V1), of(Version::V2)];
        Self {
            severity: of_each.map(|(severity, _)| severity),
            is_off: of_each.map(|(_, is_off)| is_off),
            binds: rule.binds,
            is_chosen: own.is_chosen,
            is_excepted,
            is_doubted: false,
        }
    }
}

impl Default for Severities {
    /// The default severity of every rule. All defaults share what is computed from them.
    fn default() -> Self {
        static OWN: LazyLock<Severities> = LazyLock::new(|| {
            let own = |severity| RuleSeverity { severity, is_chosen: false };
            let by_rule = CATALOGUE.iter().map(|rule| own(rule.severity)).collect();
            Severities { by_rule, exceptions: Vec::new(), made: Arc::default() }
        });
        OWN.clone()
    }
}

impl Severities {
    /// Sets the severity of all findings of a rule, as the user chose it. `rule` is the rule's
    /// index in the catalogue.
    pub fn set(&mut self, rule: usize, severity: Severity) {
        self.change(rule, RuleSeverity { severity: By::both(severity), is_chosen: true });
    }

    /// Changes the default severity of a rule. Findings with a severity of their own keep it.
    pub fn set_default(&mut self, rule: usize, severity: By<Severity>) {
        self.change(rule, RuleSeverity { severity, is_chosen: false });
    }

    fn change(&mut self, rule: usize, severity: RuleSeverity) {
        Arc::make_mut(&mut self.by_rule)[rule] = severity;
        self.made = Arc::default();
    }

    /// Adds an exception, which takes precedence over those added earlier.
    pub fn except(&mut self, exception: Exception) {
        if !exception.severities.is_empty() {
            self.exceptions.push(exception);
            self.made = Arc::default();
        }
    }

    /// Severity of the rule with this index in the catalogue, without exceptions.
    pub fn of(&self, rule: usize) -> RuleSeverity {
        self.by_rule[rule]
    }

    /// The rules to run for each kind of event: index 0 for version 1, index 1 for version 2.
    /// Computed at the first call.
    pub(super) fn dispatch(&self) -> Arc<[Dispatch; 2]> {
        let new = || Arc::new(Dispatch::of_versions(|rule| self.may_run(rule)));
        Arc::clone(self.made.dispatch.get_or_init(new))
    }

    /// States of all rules under this edition, by the rule's index in the catalogue. Computed once.
    pub(super) fn states(&self, edition: Edition) -> Arc<[RuleState]> {
        let all = || (0..CATALOGUE.len()).map(|rule| RuleState::of(rule, self, edition)).collect();
        Arc::clone(self.made.states[edition as usize].get_or_init(all))
    }

    /// Whether a rule has to run at all. A rule that the user switched off still runs, for what it
    /// explains to other rules.
    fn may_run(&self, rule: usize) -> bool {
        let is_on =
            |severity: By<Severity>| severity.v1 != Severity::Off || severity.v2 != Severity::Off;
        is_on(CATALOGUE[rule].severity) || is_on(self.of(rule).severity) || self.has_exception(rule)
    }

    /// Whether an exception gives the rule a severity other than `Off`.
    pub(super) fn has_exception(&self, rule: usize) -> bool {
        let switches_on = |exception: &Exception| {
            exception.severities.get(&rule).is_some_and(|severity| *severity != Severity::Off)
        };
        self.exceptions.iter().any(switches_on)
    }

    /// Severity that the last fitting exception sets for findings of a rule about this agent and
    /// method; `None` where no exception fits.
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

/// Other severities for some rules, where findings are about certain agents or methods.
#[derive(Clone, Debug, Default)]
pub struct Exception {
    /// Names of the agents to which the exception applies; `None` for all agents, also those
    /// without a name.
    pub agents: Option<Names>,
    /// Names of methods; `None` for all, even findings without a method.
    pub methods: Option<Names>,
    /// Severities by the rule's index in the catalogue.
    pub severities: BTreeMap<usize, Severity>,
}

/// A set of names, given by patterns in which `*` stands for any characters.
#[derive(Clone, Debug)]
pub struct Names(GlobSet);

impl Names {
    /// Compiles the patterns of the configuration, in which `*` stands for any characters (globs).
    /// Fails at the first invalid one, with the reason.
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
        assert!(severities.has_exception(7) && !severities.has_exception(8));
    }

    #[test]
    fn names_with_slashes_are_names() {
        let names = Names::new(["@kettle/*", "pot"]).expect("patterns");
        assert!(names.contains(Some("@kettle/agent/2")) && names.contains(Some("pot")));
        assert!(!names.contains(Some("pots")) && !names.contains(None));
        assert!(Names::new(["[a"]).is_err());
    }
}
