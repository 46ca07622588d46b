//! Which severity each rule gets from the profile, the file and the command line.
//!
//! Precedence, from weak to strong: profile, file, command line. Within one of them a more specific
//! name (a rule) outweighs a less specific one (a family, then `all`).

use crate::{
    check::{Exception, Severities},
    cli::selector::{Selector, SeverityChange},
    rule::{By, Level, Rule, Severity},
    rules::CATALOGUE,
};

use super::values::Profile;

/// What one source, the configuration file or the command line, says about which rules are reported
/// and how.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleOptions {
    /// The rules that the source selects. Unless empty, only these are reported.
    pub(super) select: Vec<Selector>,
    /// The rules that the source ignores. This outweighs all changes of severity, and selections
    /// that are not more specific.
    pub(super) ignore: Vec<Selector>,
    /// Groups of changes of severity. A later group outweighs an earlier one. Within a group the
    /// most specific change counts, and of equally specific ones the last.
    pub(super) changes: Vec<Vec<SeverityChange>>,
}

impl RuleOptions {
    /// The rules that the command line ignores, and those that it sets to `off`, for
    /// `--print-config`. Rules are named as the user named them if those names mean the same in a
    /// file that selects `file`, else one by one.
    pub(super) fn silenced(&self, file: &[Selector]) -> (Vec<Selector>, Vec<Selector>) {
        let off = self.changes.iter().flatten().filter(|change| change.severity == Severity::Off);
        let off: Vec<_> = off.map(|change| change.selector).collect();
        let is_off = |rule: &Rule| severity_in(&self.changes, rule) == Some(Severity::Off);
        let is_ignored = |rule: &Rule| most_specific(&self.ignore, rule).is_some();
        let all_are_off = |selector: &Selector| {
            CATALOGUE.iter().filter(|rule| selector.matches(rule)).all(|rule| is_off(rule))
        };
        let one_by_one = |is_silent: &dyn Fn(&Rule) -> bool| {
            let silent = CATALOGUE.iter().filter(|rule| is_silent(rule));
            silent.map(|rule| Selector::Rule(rule.id)).collect()
        };
        let file_selects = self.select.is_empty() && !file.is_empty();
        let off_by_name = self.select.is_empty() && file.is_empty() && off.iter().all(all_are_off);
        (
            if file_selects { one_by_one(&is_ignored) } else { self.ignore.clone() },
            if off_by_name { off } else { one_by_one(&is_off) },
        )
    }
}

/// An entry of the configuration file that applies to some agents or methods only.
#[derive(Clone, Debug)]
pub(super) enum Conditional {
    /// The rules of an `[[ignore]]` entry, whose findings are not reported.
    Ignore(Vec<Selector>),
    Override {
        changes: Vec<SeverityChange>,
        /// Changes that stand further down in the file and apply to all agents and methods; they
        /// outweigh `changes`.
        later: Vec<Vec<SeverityChange>>,
    },
}

/// The three sources of severities: profile, file and command line. Each outweighs those before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources<'a> {
    pub(super) profile: Profile,
    pub(super) file: &'a RuleOptions,
    pub(super) command_line: &'a RuleOptions,
}

/// What profile, file and command line together decide about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    /// No option names the rule, so it has the severity that the profile gives.
    ByProfile,
    /// An option selects the rule, so that it is reported even if it is off by default.
    Selected,
    Set(Severity),
}

impl Sources<'_> {
    /// The severities of all rules for all agents and methods. A rule that the file ignores stays
    /// ignored, unless the command line names it at least as specifically.
    pub(super) fn severities(self) -> Severities {
        let mut severities = Severities::default();
        for (index, rule) in CATALOGUE.iter().enumerate() {
            if let Some(severity) = self.profile.severity(rule) {
                severities.set_default(index, severity);
            }
            match self.decision(rule) {
                Decision::ByProfile => {}
                Decision::Set(severity) => severities.set(index, severity),
                Decision::Selected => {
                    let By { v1, v2 } = severities.of(index).severity;
                    if v1 == Severity::Off || v2 == Severity::Off {
                        severities.set(index, v1.max(v2).max(Severity::Info));
                    }
                }
            }
        }
        severities
    }

    fn decision(self, rule: &Rule) -> Decision {
        let Self { file, command_line, .. } = self;
        if self.is_silenced(rule) || self.is_ignored_by(&file.ignore, rule) {
            return Decision::Set(Severity::Off);
        }
        let changed = severity_in(&command_line.changes, rule);
        if let Some(severity) = changed.or_else(|| severity_in(&file.changes, rule)) {
            Decision::Set(severity)
        } else if most_specific(self.selected(), rule).is_some() {
            Decision::Selected
        } else {
            Decision::ByProfile
        }
    }

    /// The selections that hold: those of the command line, else of the file, else of the profile.
    /// Empty when all rules are reported.
    fn selected(&self) -> &[Selector] {
        [&*self.command_line.select, &*self.file.select]
            .into_iter()
            .find(|selectors| !selectors.is_empty())
            .unwrap_or(self.profile.select())
    }

    /// Whether the rule's findings are not reported, because the user selects other rules or
    /// ignores this one on the command line.
    fn is_silenced(&self, rule: &Rule) -> bool {
        let selected = self.selected();
        let is_left_out = !selected.is_empty() && most_specific(selected, rule).is_none();
        let ignored = most_specific(&self.command_line.ignore, rule);
        let is_ignored =
            ignored.is_some() && ignored >= most_specific(&self.command_line.select, rule);
        is_left_out || is_ignored
    }

    /// Whether a rule is ignored when the file ignores what `selectors` stand for.
    fn is_ignored_by(&self, selectors: &[Selector], rule: &Rule) -> bool {
        most_specific(selectors, rule).is_some_and(|ignored| self.stays_ignored(rule, ignored))
    }

    /// Whether a rule that the file ignores by the selector `ignored` stays ignored, because no
    /// other source names it at least as specifically.
    fn stays_ignored(&self, rule: &Rule, ignored: Selector) -> bool {
        let RuleOptions { select, changes, .. } = self.command_line;
        let loud = changes.iter().flatten().filter(|change| change.severity != Severity::Off);
        let changed =
            loud.map(|change| change.selector).filter(|selector| selector.matches(rule)).max();
        let named = most_specific(select, rule).max(changed);
        let is_selected_in_file =
            select.is_empty() && most_specific(&self.file.select, rule) > Some(ignored);
        named < Some(ignored) && !is_selected_in_file
    }

    /// The rules that an `[[ignore]]` of the file still silences beside the command line: the
    /// selector itself, or its remaining rules one by one.
    pub(super) fn still_ignored(self, ignored: Selector) -> Vec<Selector> {
        let rules = || CATALOGUE.iter().filter(|rule| ignored.matches(rule));
        let empty = RuleOptions::default();
        let by_command_line = Sources { file: &empty, ..self };
        let is_named = |rule: &&'static Rule| !by_command_line.stays_ignored(rule, ignored);
        if rules().any(is_named) {
            let silent = rules().filter(|rule| self.stays_ignored(rule, ignored));
            silent.map(|rule| Selector::Rule(rule.id)).collect()
        } else {
            vec![ignored]
        }
    }

    /// Adds to `exception` the severities that a conditional entry of the file gives for its agents
    /// and methods.
    pub(super) fn except(self, entry: &Conditional, exception: &mut Exception) {
        for (index, rule) in CATALOGUE.iter().enumerate() {
            if self.is_silenced(rule) {
                continue;
            }
            let severity = match entry {
                Conditional::Ignore(selectors) => {
                    self.is_ignored_by(selectors, rule).then_some(Severity::Off)
                }
                Conditional::Override { changes, later } => {
                    let is_outweighed = self.is_ignored_by(&self.file.ignore, rule)
                        || severity_in(&self.command_line.changes, rule).is_some()
                        || severity_in(later, rule).is_some();
                    severity_in(std::slice::from_ref(changes), rule).filter(|_| !is_outweighed)
                }
            };
            if let Some(severity) = severity {
                exception.severities.insert(index, severity);
            }
        }
    }
}

/// The most specific of the selectors that stand for a rule; `None` when none does.
fn most_specific(selectors: &[Selector], rule: &Rule) -> Option<Selector> {
    selectors.iter().copied().filter(|selector| selector.matches(rule)).max()
}

/// The severity that groups of changes give to a rule; `None` when no change concerns it.
fn severity_in(groups: &[Vec<SeverityChange>], rule: &Rule) -> Option<Severity> {
    groups.iter().rev().find_map(|changes| {
        // `max_by_key` returns the last of equals.
        let matching = changes.iter().filter(|change| change.selector.matches(rule));
        matching.max_by_key(|change| change.selector).map(|change| change.severity)
    })
}

impl Profile {
    /// The rules that `--profile registry` selects: what the registry of ACP agents checks before
    /// it lists an agent.
    const GATE: [Selector; 7] = [
        Selector::Rule("transport/not-json"),
        Selector::Rule("transport/not-object"),
        Selector::Rule("transport/lsp-framing"),
        Selector::Rule("transport/embedded-newline"),
        Selector::Rule("transport/invalid-utf8"),
        Selector::Rule("transport/bom"),
        Selector::Family("registry"),
    ];

    /// The rules that are off by default and on with `--profile audit`. The first three are not
    /// recommendations of the protocol.
    const POLICIES: [&str; 8] = [
        "permission/never-asked",
        "permission/target-changed",
        "permission/always-granted",
        "fs/write-outside-roots",
        "fs/read-outside-roots",
        "terminal/outside-roots",
        "tool-call/outside-roots",
        "tool-call/unreported-work",
    ];

    /// The rules that the profile selects; empty when it reports all.
    fn select(self) -> &'static [Selector] {
        match self {
            Self::Default | Self::Strict | Self::Audit => &[],
            Self::Registry => &Self::GATE,
        }
    }

    /// The severity that the profile gives to a rule where nothing else sets one; `None` for the
    /// rule's own.
    fn severity(self, rule: &Rule) -> Option<By<Severity>> {
        match self {
            Self::Default => None,
            // The demands of the registry and these policies are no part of the protocol.
            Self::Strict if rule.family() == "registry" => None,
            Self::Strict if Self::POLICIES[..3].contains(&rule.id) => None,
            Self::Audit if rule.id == "permission/always-granted" => Some(By::both(Severity::Info)),
            Self::Audit => Self::POLICIES.contains(&rule.id).then_some(By::both(Severity::Warning)),
            Self::Strict => {
                let of = |level, severity: Severity| match level {
                    Level::Should | Level::ShouldNot => severity.max(Severity::Warning),
                    _ => severity.max(Severity::Info),
                };
                let (level, own) = (rule.level, rule.severity);
                Some(By::each(of(level.v1, own.v1), of(level.v2, own.v2)))
            }
            Self::Registry => Some(By::both(Severity::Error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selectors(names: &[&str]) -> Vec<Selector> {
        names.iter().map(|name| Selector::parse(name).expect("a selector")).collect()
    }

    fn options(select: &[&str], ignore: &[&str], changes: &[&[&str]]) -> RuleOptions {
        let group = |group: &&[&str]| {
            group.iter().map(|change| SeverityChange::parse(change).expect("a change")).collect()
        };
        RuleOptions {
            select: selectors(select),
            ignore: selectors(ignore),
            changes: changes.iter().map(group).collect(),
        }
    }

    /// The severity of a rule in protocol version 1.
    fn severity(sources: Sources<'_>, id: &str) -> Severity {
        let (index, _) = crate::rules::find(id).expect("a rule");
        sources.severities().of(index).severity.v1
    }

    fn of(file: &RuleOptions, line: &RuleOptions, id: &str) -> Severity {
        severity(Sources { profile: Profile::Default, file, command_line: line }, id)
    }

    const LOUD: &str = "plan/partial-update-shape";
    const QUIET: &str = "plan/skipped-in-progress";

    #[test]
    fn the_line_outweighs_the_file() {
        let none = RuleOptions::default();
        let file = options(&[], &[], &[&["plan=info"]]);
        assert_eq!(of(&file, &none, LOUD), Severity::Info);
        assert_eq!(of(&file, &options(&[], &[], &[&["all=warning"]]), LOUD), Severity::Warning);
        assert_eq!(of(&file, &options(&[], &["plan"], &[]), LOUD), Severity::Off);
        let file = options(&["session"], &[], &[]);
        assert_eq!(of(&file, &none, LOUD), Severity::Off);
        assert_eq!(of(&file, &options(&["plan"], &[], &[]), LOUD), Severity::Error);
    }

    #[test]
    fn later_changes_outweigh_more_exact_ones() {
        let changes =
            options(&[], &[], &[&["plan=info", &format!("{LOUD}=warning")], &["plan=error"]]);
        assert_eq!(of(&changes, &RuleOptions::default(), LOUD), Severity::Error);
        let group = options(&[], &[], &[&[&format!("{LOUD}=warning"), "plan=info"]]);
        assert_eq!(of(&group, &RuleOptions::default(), LOUD), Severity::Warning);
    }

    #[test]
    fn an_ignored_rule_stays_ignored_until_it_is_named() {
        let file = options(&[], &[LOUD], &[]);
        let still = |select: &[&str], changes: &[&[&str]]| {
            of(&file, &options(select, &[], changes), LOUD) == Severity::Off
        };
        assert!(still(&[], &[]) && still(&["plan"], &[]) && still(&[], &[&["plan=error"]]));
        assert!(!still(&[LOUD], &[]) && !still(&[], &[&[&format!("{LOUD}=error")]]));
        assert!(still(&[], &[&[&format!("{LOUD}=off")]]));
        // A family is ignored, and the file itself selects one of its rules.
        let file = options(&["all", LOUD], &["plan"], &[]);
        assert_eq!(of(&file, &RuleOptions::default(), LOUD), Severity::Error);
        assert_eq!(of(&file, &RuleOptions::default(), QUIET), Severity::Off);
    }

    #[test]
    fn exceptions_respect_stronger_sources() {
        let none = RuleOptions::default();
        let filled = |file: &RuleOptions, line: &RuleOptions, entry: &Conditional| {
            let mut exception = Exception::default();
            Sources { profile: Profile::Default, file, command_line: line }
                .except(entry, &mut exception);
            exception.severities.get(&crate::rules::find(LOUD).expect("a rule").0).copied()
        };
        let off = Conditional::Ignore(selectors(&["plan"]));
        let of = |text| vec![SeverityChange::parse(text).expect("a change")];
        let change = |text| Conditional::Override { changes: of(text), later: Vec::new() };
        assert_eq!(filled(&none, &none, &off), Some(Severity::Off));
        assert_eq!(filled(&none, &options(&["plan"], &[], &[]), &off), None);
        assert_eq!(filled(&none, &options(&["all"], &[], &[]), &off), Some(Severity::Off));
        assert_eq!(filled(&none, &none, &change("plan=info")), Some(Severity::Info));
        let later = vec![of("session=info"), of("all=info")];
        let later = Conditional::Override { changes: of("plan=info"), later };
        assert_eq!(filled(&none, &none, &later), None);
        let ignored = options(&[], &["plan"], &[]);
        assert_eq!(filled(&ignored, &none, &change("plan=info")), None);
        let line = options(&[], &[], &[&["all=warning"]]);
        assert_eq!(filled(&none, &line, &change("plan=info")), None);
        assert_eq!(filled(&options(&["session"], &[], &[]), &none, &change("plan=info")), None);
    }

    #[test]
    fn profiles_are_starting_points() {
        let none = RuleOptions::default();
        let with = |profile, line: &RuleOptions, id| {
            severity(Sources { profile, file: &none, command_line: line }, id)
        };
        assert_eq!(with(Profile::Strict, &none, QUIET), Severity::Info);
        assert_eq!(with(Profile::Strict, &none, "ext/undeclared-extension"), Severity::Warning);
        assert_eq!(with(Profile::Strict, &none, LOUD), Severity::Error);
        assert_eq!(with(Profile::Strict, &none, "registry/no-auth-method"), Severity::Off);
        assert_eq!(with(Profile::Registry, &none, "registry/no-auth-method"), Severity::Error);
        assert_eq!(with(Profile::Registry, &none, "transport/bom"), Severity::Error);
        assert_eq!(with(Profile::Registry, &none, LOUD), Severity::Off);
        let also = options(&[], &[], &[&["registry/no-auth-method=info"]]);
        assert_eq!(with(Profile::Registry, &also, "registry/no-auth-method"), Severity::Info);
        assert_eq!(with(Profile::Audit, &none, LOUD), Severity::Error);
        assert_eq!(with(Profile::Audit, &none, "permission/always-granted"), Severity::Info);
        assert_eq!(with(Profile::Strict, &none, "permission/never-asked"), Severity::Off);
        for policy in Profile::POLICIES {
            assert_eq!(with(Profile::Default, &none, policy), Severity::Off, "{policy}");
            assert_ne!(with(Profile::Audit, &none, policy), Severity::Off, "{policy}");
        }
        for selector in Profile::GATE {
            assert!(CATALOGUE.iter().any(|rule| selector.matches(rule)), "{selector:?}");
        }
    }
}
