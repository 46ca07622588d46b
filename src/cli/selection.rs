//! Which rules speak, and how loudly.

use crate::{
    check::{Exception, Severities},
    cli::config::Profile,
    protocol::schema::nearest,
    rule::{By, Level, Rule, Severity},
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
        rule.or_else(family).ok_or_else(|| unknown("rule or family", name, selectors()))
    }

    pub(super) fn matches(self, rule: &Rule) -> bool {
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

/// Says of a name that it is none of a rule or family.
pub(super) fn unknown_name(name: &str) -> String {
    let unknown = unknown("rule or family", name, selectors());
    // Where the name does not stand beside it.
    unknown.replacen(
        "there is no such rule or family",
        &format!("there is no rule or family `{name}`"),
        1,
    )
}

/// The names of rules.
pub(super) fn rule_names() -> Vec<&'static str> {
    CATALOGUE.iter().map(|rule| rule.id).collect()
}

/// The names of rules and families, each once, and what stands for all.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = selectors().collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn selectors() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().flat_map(|rule| [rule.id, rule.family()]).chain(["all"])
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Change {
    pub(super) selector: Selector,
    pub(super) severity: Severity,
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

/// What the user wants of rules. Exact names outweigh families, and those outweigh `all`.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// If there are any, nothing else is reported.
    pub(super) select: Vec<Selector>,
    /// Outweigh what is selected no more exactly, and all changes.
    pub(super) ignore: Vec<Selector>,
    /// Later groups outweigh earlier ones; of a group the most exact counts, of equals the last.
    pub(super) changes: Vec<Vec<Change>>,
}

impl Wishes {
    /// The rules that the command line wants to be silent: what it ignores, and what it changes to
    /// off. By the names that are given, unless rules that `file` selects would outweigh those.
    pub(super) fn silenced(&self, file: &[Selector]) -> (Vec<Selector>, Vec<Selector>) {
        let off = self.changes.iter().flatten().filter(|change| change.severity == Severity::Off);
        let off: Vec<_> = off.map(|change| change.selector).collect();
        let is_off = |rule: &Rule| change(&self.changes, rule) == Some(Severity::Off);
        let is_ignored = |rule: &Rule| best(&self.ignore, rule).is_some();
        let all_are_off = |selector: &Selector| {
            CATALOGUE.iter().filter(|rule| selector.matches(rule)).all(|rule| is_off(rule))
        };
        let each = |is_silent: &dyn Fn(&Rule) -> bool| {
            let silent = CATALOGUE.iter().filter(|rule| is_silent(rule));
            silent.map(|rule| Selector::Rule(rule.id)).collect()
        };
        let is_outweighed = self.select.is_empty() && !file.is_empty();
        let by_name = self.select.is_empty() && file.is_empty() && off.iter().all(all_are_off);
        (
            if is_outweighed { each(&is_ignored) } else { self.ignore.clone() },
            if by_name { off } else { each(&is_off) },
        )
    }
}

/// What the user wants of rules where they speak of some agents or methods.
#[derive(Clone, Debug)]
pub(super) enum Special {
    Ignore(Vec<Selector>),
    /// The changes, and the later ones that hold everywhere.
    Change(Vec<Change>, Vec<Vec<Change>>),
}

/// Where severities come from: each outweighs the one before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sources<'a> {
    pub(super) profile: Profile,
    pub(super) file: &'a Wishes,
    pub(super) line: &'a Wishes,
}

/// What is to become of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ruling {
    /// The profile tells.
    Own,
    /// It is selected: whatever it is by itself, it speaks.
    Selected,
    Set(Severity),
}

impl Sources<'_> {
    /// Severities that hold everywhere. What the file ignores stays ignored, unless the command
    /// line names it at least as exactly.
    pub(super) fn severities(self) -> Severities {
        let mut severities = Severities::default();
        for (index, rule) in CATALOGUE.iter().enumerate() {
            if let Some(severity) = self.profile.severity(rule) {
                severities.suppose(index, severity);
            }
            match self.ruling(rule) {
                Ruling::Own => {}
                Ruling::Set(severity) => severities.set(index, severity),
                Ruling::Selected => {
                    let By { v1, v2 } = severities.of(index).severity;
                    if v1 == Severity::Off || v2 == Severity::Off {
                        severities.set(index, v1.max(v2).max(Severity::Info));
                    }
                }
            }
        }
        severities
    }

    fn ruling(self, rule: &Rule) -> Ruling {
        let Self { file, line, .. } = self;
        let in_file = || best(&file.ignore, rule);
        if self.is_left_out(rule)
            || self.is_ignored_on_the_line(rule)
            || in_file().is_some_and(|ignored| self.is_ignored(rule, ignored))
        {
            Ruling::Set(Severity::Off)
        } else if let Some(change) = change(&line.changes, rule) {
            Ruling::Set(change)
        } else if let Some(change) = change(&file.changes, rule) {
            Ruling::Set(change)
        } else if best(self.selected(), rule).is_some() {
            Ruling::Selected
        } else {
            Ruling::Own
        }
    }

    /// What the command line selects, else what the file does, else what the profile does.
    fn selected(&self) -> &[Selector] {
        [&*self.line.select, &*self.file.select]
            .into_iter()
            .find(|selectors| !selectors.is_empty())
            .unwrap_or(self.profile.select())
    }

    /// Whether others are selected.
    fn is_left_out(&self, rule: &Rule) -> bool {
        let selected = self.selected();
        !selected.is_empty() && best(selected, rule).is_none()
    }

    fn is_ignored_on_the_line(&self, rule: &Rule) -> bool {
        let ignored = best(&self.line.ignore, rule);
        ignored.is_some() && ignored >= best(&self.line.select, rule)
    }

    /// Whether what the file ignores by this selector stays so.
    fn is_ignored(&self, rule: &Rule, ignored: Selector) -> bool {
        let Wishes { select, changes, .. } = self.line;
        let loud = changes.iter().flatten().filter(|change| change.severity != Severity::Off);
        let changed =
            loud.map(|change| change.selector).filter(|selector| selector.matches(rule)).max();
        let named = best(select, rule).max(changed);
        let is_selected_in_file =
            select.is_empty() && best(&self.file.select, rule) > Some(ignored);
        named < Some(ignored) && !is_selected_in_file
    }

    /// What an ignore of the file still keeps silent: the same, or those of its rules that the
    /// command line does not name.
    pub(super) fn still_ignored(self, ignored: Selector) -> Vec<Selector> {
        let rules = || CATALOGUE.iter().filter(|rule| ignored.matches(rule));
        let nothing = Wishes::default();
        let by_line = Sources { file: &nothing, ..self };
        let is_named = |rule: &&'static Rule| !by_line.is_ignored(rule, ignored);
        if rules().any(is_named) {
            let silent = rules().filter(|rule| self.is_ignored(rule, ignored));
            silent.map(|rule| Selector::Rule(rule.id)).collect()
        } else {
            vec![ignored]
        }
    }

    /// An exception from [`Sources::severities`]. Fills in what holds in it.
    pub(super) fn except(self, special: &Special, exception: &mut Exception) {
        for (index, rule) in CATALOGUE.iter().enumerate() {
            if self.is_left_out(rule) || self.is_ignored_on_the_line(rule) {
                continue;
            }
            let is_ignored = |selectors| {
                best(selectors, rule).is_some_and(|ignored| self.is_ignored(rule, ignored))
            };
            let severity = match special {
                Special::Ignore(selectors) => is_ignored(selectors).then_some(Severity::Off),
                Special::Change(changes, later) => {
                    let is_outweighed = is_ignored(&self.file.ignore)
                        || change(&self.line.changes, rule).is_some()
                        || change(later, rule).is_some();
                    change(std::slice::from_ref(changes), rule).filter(|_| !is_outweighed)
                }
            };
            if let Some(severity) = severity {
                exception.severities.insert(index, severity);
            }
        }
    }
}

/// The selector that names the rule most exactly.
fn best(selectors: &[Selector], rule: &Rule) -> Option<Selector> {
    selectors.iter().copied().filter(|selector| selector.matches(rule)).max()
}

/// The severity that the last group says.
fn change(groups: &[Vec<Change>], rule: &Rule) -> Option<Severity> {
    groups.iter().rev().find_map(|changes| {
        // Of equals `max_by_key` takes the last.
        let matching = changes.iter().filter(|change| change.selector.matches(rule));
        matching.max_by_key(|change| change.selector).map(|change| change.severity)
    })
}

impl Profile {
    /// What the gate of the registry looks at.
    const GATE: [Selector; 7] = [
        Selector::Rule("transport/not-json"),
        Selector::Rule("transport/not-object"),
        Selector::Rule("transport/lsp-framing"),
        Selector::Rule("transport/embedded-newline"),
        Selector::Rule("transport/invalid-utf8"),
        Selector::Rule("transport/bom"),
        Selector::Family("registry"),
    ];

    /// What is reported and nothing else; everything if there is nothing.
    pub(super) fn select(self) -> &'static [Selector] {
        match self {
            Self::Default | Self::Strict => &[],
            Self::Registry => &Self::GATE,
        }
    }

    /// What is taken for a rule's own severity.
    fn severity(self, rule: &Rule) -> Option<By<Severity>> {
        match self {
            Self::Default => None,
            // What the registry asks for is no part of the protocol.
            Self::Strict if rule.family() == "registry" => None,
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

    fn wishes(select: &[&str], ignore: &[&str], changes: &[&[&str]]) -> Wishes {
        let group = |group: &&[&str]| {
            group.iter().map(|change| Change::parse(change).expect("a change")).collect()
        };
        Wishes {
            select: selectors(select),
            ignore: selectors(ignore),
            changes: changes.iter().map(group).collect(),
        }
    }

    /// How loud a rule is.
    fn severity(sources: Sources<'_>, id: &str) -> Severity {
        let (index, _) = rules::find(id).expect("a rule");
        sources.severities().of(index).severity.v1
    }

    fn of(file: &Wishes, line: &Wishes, id: &str) -> Severity {
        severity(Sources { profile: Profile::Default, file, line }, id)
    }

    const LOUD: &str = "plan/partial-update-shape";
    const QUIET: &str = "plan/skipped-in-progress";

    #[test]
    fn the_line_outweighs_the_file() {
        let none = Wishes::default();
        let file = wishes(&[], &[], &[&["plan=info"]]);
        assert_eq!(of(&file, &none, LOUD), Severity::Info);
        assert_eq!(of(&file, &wishes(&[], &[], &[&["all=warning"]]), LOUD), Severity::Warning);
        assert_eq!(of(&file, &wishes(&[], &["plan"], &[]), LOUD), Severity::Off);
        let file = wishes(&["session"], &[], &[]);
        assert_eq!(of(&file, &none, LOUD), Severity::Off);
        assert_eq!(of(&file, &wishes(&["plan"], &[], &[]), LOUD), Severity::Error);
    }

    #[test]
    fn later_changes_outweigh_more_exact_ones() {
        let changes =
            wishes(&[], &[], &[&["plan=info", &format!("{LOUD}=warning")], &["plan=error"]]);
        assert_eq!(of(&changes, &Wishes::default(), LOUD), Severity::Error);
        let group = wishes(&[], &[], &[&[&format!("{LOUD}=warning"), "plan=info"]]);
        assert_eq!(of(&group, &Wishes::default(), LOUD), Severity::Warning);
    }

    #[test]
    fn what_the_file_ignores_stays_so_until_it_is_named() {
        let file = wishes(&[], &[LOUD], &[]);
        let still = |select: &[&str], changes: &[&[&str]]| {
            of(&file, &wishes(select, &[], changes), LOUD) == Severity::Off
        };
        assert!(still(&[], &[]) && still(&["plan"], &[]) && still(&[], &[&["plan=error"]]));
        assert!(!still(&[LOUD], &[]) && !still(&[], &[&[&format!("{LOUD}=error")]]));
        assert!(still(&[], &[&[&format!("{LOUD}=off")]]));
        // A family is ignored, and the file itself selects one of its rules.
        let file = wishes(&["all", LOUD], &["plan"], &[]);
        assert_eq!(of(&file, &Wishes::default(), LOUD), Severity::Error);
        assert_eq!(of(&file, &Wishes::default(), QUIET), Severity::Off);
    }

    #[test]
    fn exceptions_heed_the_rest() {
        let none = Wishes::default();
        let filled = |file: &Wishes, line: &Wishes, special: &Special| {
            let mut exception = Exception::default();
            Sources { profile: Profile::Default, file, line }.except(special, &mut exception);
            exception.severities.get(&rules::find(LOUD).expect("a rule").0).copied()
        };
        let off = Special::Ignore(selectors(&["plan"]));
        let of = |text| vec![Change::parse(text).expect("a change")];
        let change = |text| Special::Change(of(text), Vec::new());
        assert_eq!(filled(&none, &none, &off), Some(Severity::Off));
        assert_eq!(filled(&none, &wishes(&["plan"], &[], &[]), &off), None);
        assert_eq!(filled(&none, &wishes(&["all"], &[], &[]), &off), Some(Severity::Off));
        assert_eq!(filled(&none, &none, &change("plan=info")), Some(Severity::Info));
        let later = Special::Change(of("plan=info"), vec![of("session=info"), of("all=info")]);
        assert_eq!(filled(&none, &none, &later), None);
        let ignored = wishes(&[], &["plan"], &[]);
        assert_eq!(filled(&ignored, &none, &change("plan=info")), None);
        let line = wishes(&[], &[], &[&["all=warning"]]);
        assert_eq!(filled(&none, &line, &change("plan=info")), None);
        assert_eq!(filled(&wishes(&["session"], &[], &[]), &none, &change("plan=info")), None);
    }

    #[test]
    fn profiles_are_starting_points() {
        let none = Wishes::default();
        let with =
            |profile, line: &Wishes, id| severity(Sources { profile, file: &none, line }, id);
        assert_eq!(with(Profile::Strict, &none, QUIET), Severity::Info);
        assert_eq!(with(Profile::Strict, &none, "ext/undeclared-extension"), Severity::Warning);
        assert_eq!(with(Profile::Strict, &none, LOUD), Severity::Error);
        assert_eq!(with(Profile::Strict, &none, "registry/no-auth-method"), Severity::Off);
        assert_eq!(with(Profile::Registry, &none, "registry/no-auth-method"), Severity::Error);
        assert_eq!(with(Profile::Registry, &none, "transport/bom"), Severity::Error);
        assert_eq!(with(Profile::Registry, &none, LOUD), Severity::Off);
        let also = wishes(&[], &[], &[&["registry/no-auth-method=info"]]);
        assert_eq!(with(Profile::Registry, &also, "registry/no-auth-method"), Severity::Info);
        for selector in Profile::GATE {
            assert!(CATALOGUE.iter().any(|rule| selector.matches(rule)), "{selector:?}");
        }
    }
}
