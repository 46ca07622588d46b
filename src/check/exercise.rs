//! How a side fared by the rules and requirements that apply to it, over several connections.

use std::collections::BTreeSet;

use crate::{
    check::{Lack, Outcome, Severities, Tally, shares},
    diagnostic::Diagnostic,
    protocol::{Edition, Side, Surface, Version},
    requirements::Offers,
    rule::Severity,
    rules::{CATALOGUE, NOT_JUDGED},
};

/// How a side fared by all rules, and what it spoke and offered: what decides which requirements apply.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// `None` for what is the conduct of neither side in particular.
    pub side: Option<Side>,
    /// By index in the catalogue; behind these, by [share](shares).
    pub results: Vec<RuleResult>,
    /// What its connections were judged by, where their version is known.
    pub surfaces: BTreeSet<Surface>,
    /// What was offered on any of the side's connections, which decides which requirements apply.
    pub offers: Offers,
    /// Oldest edition by which a connection of the side was judged.
    pub edition: Edition,
}

/// How a side fared by a rule, or by one requirement of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleResult {
    pub exercised: u64,
    pub failed: u64,
    /// Findings by severity; one broken rule may be several findings.
    pub errors: u64,
    pub warnings: u64,
    pub infos: u64,
    /// How often its condition was met, but could not be judged.
    pub barred: u64,
    /// Whether a recording lacks what the rule needs.
    pub lacks_evidence: bool,
    /// Whether it applies to any of the connections, and how loudly at most.
    pub tier: Option<Severity>,
    /// Whether its findings say that something was not judged: [`NOT_JUDGED`].
    pub is_not_judged: bool,
}

/// The verdict of a rule on a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Broken, and reported as an error.
    Violated,
    /// Broken, and reported as a warning.
    NotFollowed,
    /// Met what the rule looks for; reported as an info.
    Noted,
    Upheld,
    /// Its condition was met, or may have been, but could not be judged.
    NotAssessable,
    NotExercised,
    /// Not looked for.
    Off,
    /// It does not bind the side, or not on what it speaks.
    NotApplicable,
}

impl Exercise {
    /// Counts for this side; nothing so far.
    pub fn of(side: Option<Side>) -> Self {
        let mut results = vec![RuleResult::default(); shares::len()];
        for (result, rule) in results.iter_mut().zip(CATALOGUE) {
            result.is_not_judged = rule.id == NOT_JUDGED;
        }
        Self {
            side,
            results,
            surfaces: BTreeSet::new(),
            offers: Offers::default(),
            edition: Edition::CURRENT,
        }
    }

    /// Notes what connections were judged by and what they offered. `severity`: of a rule by its index.
    pub fn note(
        &mut self,
        surface: Option<Surface>,
        edition: Edition,
        offers: Offers,
        severity: impl Fn(usize, Version) -> Severity,
    ) {
        let version = surface.map_or(Version::V1, Surface::version);
        self.surfaces.extend(surface);
        self.offers = self.offers.with(offers);
        self.edition = self.edition.min(edition);
        let Some(side) = self.side else { return };
        for (place, result) in self.results.iter_mut().enumerate() {
            let rule = shares::at(place).map_or(place, |share| share.rule);
            if CATALOGUE[rule].applies_to(side, version, edition) {
                result.tier = result.tier.max(Some(severity(rule, version)));
            }
        }
    }

    /// Adds a transcript that was judged with these severities.
    pub fn add(&mut self, outcome: &Outcome, diagnostics: &[Diagnostic], severities: &Severities) {
        let is_played = outcome.driven.as_ref().is_some_and(|it| Some(it.plays) == self.side);
        if outcome.messages == 0 || is_played {
            return;
        }
        self.note(outcome.surface, outcome.edition, outcome.offers, |rule, version| {
            severities.of(rule).severity.of(version)
        });
        let version = outcome.surface.map_or(Version::V1, Surface::version);
        for (place, result) in self.results.iter_mut().enumerate() {
            let (Some(sides), Some(barred)) = (outcome.sides.get(place), outcome.barred.get(place))
            else {
                continue;
            };
            let rule = CATALOGUE[shares::at(place).map_or(place, |share| share.rule)];
            let is_idle = sides.iter().all(|tally| tally.exercised == 0);
            result.lacks_evidence |= is_idle
                && Lack::of(rule, version, outcome.has_raw_lines, outcome.shows_births).is_some();
            result.barred += barred[Side::index(self.side)] + barred[Side::index(None)];
            let own = sides[Side::index(self.side)];
            // A rule without a finding was kept by both sides.
            let either = sides[Side::index(None)];
            let either = if either.failed == 0 { either } else { Tally::default() };
            result.exercised += own.exercised + either.exercised;
            result.failed += own.failed;
        }
        for diagnostic in diagnostics.iter().filter(|it| it.bound == self.side) {
            for place in shares::of_diagnostic(diagnostic) {
                self.results[place].find(diagnostic.severity, diagnostic.repeats + 1);
            }
        }
    }

    /// Whether nothing was judged.
    pub fn is_blank(&self) -> bool {
        self.rules().all(|it| it.tier.is_none())
    }

    /// How many rules were exercised.
    pub fn exercised(&self) -> usize {
        self.rules().filter(|it| it.tier.is_some() && it.exercised > 0).count()
    }

    /// By index in the catalogue.
    pub fn rules(&self) -> impl Iterator<Item = &RuleResult> {
        self.results.iter().take(CATALOGUE.len())
    }
}

impl RuleResult {
    /// Counts findings of a severity.
    fn find(&mut self, severity: Severity, count: u64) {
        match severity {
            Severity::Error => self.errors += count,
            Severity::Warning => self.warnings += count,
            Severity::Info => self.infos += count,
            Severity::Off => {}
        }
    }

    /// The verdict, and how often where that says something: findings, or the times that it was kept.
    pub fn verdict(&self) -> (Status, Option<u64>) {
        let status = self.status();
        let times = match status {
            Status::Violated => Some(self.errors),
            Status::NotFollowed => Some(self.warnings),
            Status::Noted => Some(self.infos),
            // How often it was met and not broken.
            Status::Upheld => Some(self.exercised - self.failed.min(self.exercised)),
            Status::NotAssessable | Status::NotExercised | Status::Off | Status::NotApplicable => {
                None
            }
        };
        (status, times)
    }

    pub fn status(&self) -> Status {
        match self.tier {
            _ if self.is_not_judged && self.failed > 0 => Status::NotAssessable,
            _ if self.errors > 0 => Status::Violated,
            _ if self.warnings > 0 => Status::NotFollowed,
            _ if self.infos > 0 => Status::Noted,
            Some(Severity::Off) => Status::Off,
            // Before the version was agreed on, rules of the other one may have been exercised.
            None => Status::NotApplicable,
            _ if self.exercised > 0 => Status::Upheld,
            _ if self.barred > 0 || self.lacks_evidence => Status::NotAssessable,
            _ => Status::NotExercised,
        }
    }
}
