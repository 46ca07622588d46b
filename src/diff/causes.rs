//! Makes differences of changed facts: one for each cause.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Comparand, Difference, DifferenceKind,
    behaviour::{self, CANCELLED},
    compare::{Comparison, Direction, Evidence, FactChange, Obstacle, Results},
    fact::{Area, Effect, Fact, FactKind, Form},
    findings, surface,
};

/// Most names that the text of a difference lists; the others are counted as `and N more`.
const NAMED: usize = 6;

/// Method and error code of the answer by which an agent demands a login.
const AUTH_REQUIRED: &str = "session/new -32000";

/// Compares OLD and NEW of one implementation, and adds the differences, and what could not be
/// compared, to `comparand`.
pub(super) fn explain(comparison: &Comparison<'_>, comparand: &mut Comparand) {
    let mut comparison = comparison.clone();
    let mut results = comparison.results();
    let is_login = |change: &FactChange| {
        change.fact.kind.is(&behaviour::ERROR_CODE) && *change.fact.name == *AUTH_REQUIRED
    };
    if results.changes.iter().any(is_login) {
        comparand.notes.push(
            "`session/new` demands a login on one side only: logged in on one side only?"
                .to_owned(),
        );
        let refused: Vec<_> = results
            .changes
            .iter()
            .filter(|change| {
                is_login(change)
                    || (change.fact.kind.is(&behaviour::ANSWER)
                        && *change.fact.name == *"session/new")
            })
            .cloned()
            .collect();
        comparison.with_behaviour = false;
        results = comparison.results();
        results.changes.extend(refused);
    }
    comparand.differences = Explainer { comparison: &comparison, results: &results }.differences();
    let mut not_compared: BTreeMap<String, Obstacle> = BTreeMap::new();
    for (fact, obstacle) in &results.obstacles {
        // Details of something that is missing itself.
        let is_detail = *obstacle != Obstacle::TooFew && fact.occasion.is_of_a_part();
        if fact.kind.form != Form::Silent && fact.kind.form != Form::Value && !is_detail {
            not_compared.entry(fact.subject()).or_insert(*obstacle);
        }
    }
    for difference in &comparand.differences {
        not_compared.remove(&difference.subject);
    }
    comparand.not_compared = not_compared.into_iter().collect();
}

struct Explainer<'c, 'r> {
    comparison: &'c Comparison<'r>,
    results: &'c Results,
}

impl Explainer<'_, '_> {
    fn differences(&self) -> Vec<Difference> {
        let mut differences = Vec::new();
        let moved = self.moved_modes();
        let moved_to = moved.as_ref().map(|(option, _)| option.clone());
        differences.extend(moved.map(|(_, difference)| difference));
        let retyped = self.values_changed(|fact| fact.kind.is(&surface::OPTION_TYPE));
        let is_hidden = |fact: &Fact| self.is_hidden(fact, moved_to.as_deref(), &retyped);
        let mut lists: BTreeMap<String, Vec<&FactChange>> = BTreeMap::new();
        let mut members: BTreeMap<(Direction, String), Vec<&FactChange>> = BTreeMap::new();
        let mut seen_findings = BTreeSet::new();
        for change in self.results.changes.iter().filter(|change| !is_hidden(&change.fact)) {
            let fact = &change.fact;
            match fact.kind.form {
                Form::List => lists.entry(fact.subject()).or_default().push(change),
                Form::Value | Form::Silent => {}
                Form::Single if fact.kind.is(&behaviour::MEMBER) => {
                    let name = fact.name.rsplit_once('.').map_or("", |(_, name)| name);
                    let key = (change.direction, name.to_owned());
                    members.entry(key).or_default().push(change);
                }
                Form::Single if fact.kind.area == Area::Findings => {
                    if seen_findings.insert((change.direction, fact.name.clone())) {
                        differences.push(finding(change));
                    }
                }
                Form::Single => differences.push(single(change)),
            }
        }
        differences.extend(lists.into_iter().map(|(subject, changes)| list(subject, &changes)));
        differences.extend(members.into_iter().map(|((_, name), changes)| member(&name, &changes)));
        for (change, old, new) in self.values_changed(|fact| fact.kind.form == Form::Value) {
            if !is_hidden(&change.fact) || change.fact.kind.is(&surface::OPTION_TYPE) {
                differences.push(value(&change, &old, &new));
            }
        }
        differences.sort_by(|one, other| {
            let key = |it: &Difference| (!it.is_breaking, it.area, it.kind, it.subject.clone());
            key(one).cmp(&key(other))
        });
        differences
    }

    fn has(&self, direction: Direction, is_meant: impl Fn(&Fact) -> bool) -> bool {
        self.results.changes.iter().any(|it| it.direction == direction && is_meant(&it.fact))
    }

    /// Facts of form `Value`, such as the default mode, that have one constant value in OLD and
    /// another in NEW: the change, the old value and the new one.
    fn values_changed(
        &self,
        is_meant: impl Fn(&Fact) -> bool,
    ) -> Vec<(FactChange, Box<str>, Box<str>)> {
        let mut names = BTreeMap::new();
        for change in &self.results.changes {
            if change.fact.kind.form == Form::Value && is_meant(&change.fact) {
                names
                    .entry((change.fact.kind.word, change.fact.name.clone()))
                    .or_insert(&change.fact);
            }
        }
        names.into_values().filter_map(|fact| self.comparison.values(fact)).collect()
    }

    /// Finds a config option of category `mode` that NEW has in place of OLD's modes. Returns the
    /// option's id and the difference; `None` where modes did not move.
    fn moved_modes(&self) -> Option<(Box<str>, Difference)> {
        let is_mode = |fact: &Fact| fact.kind.is(&surface::MODE);
        let gone = || {
            let gone = |it: &&FactChange| it.direction == Direction::Gone && is_mode(&it.fact);
            self.results.changes.iter().filter(gone)
        };
        let is_new_mode = |it: &&FactChange| it.direction == Direction::New && is_mode(&it.fact);
        if self.results.changes.iter().any(|it| is_new_mode(&it)) {
            return None;
        }
        let first = gone().next()?;
        let option = self.results.changes.iter().find(|it| {
            it.direction == Direction::New
                && it.fact.kind.is(&surface::CONFIG_OPTION)
                && self.comparison.is_of_category(&it.fact.name, "mode")
        })?;
        let name = &option.fact.name;
        let modes: Vec<_> = gone().map(|it| &*it.fact.name).collect();
        let verb = if modes.len() == 1 { "is" } else { "are" };
        let difference = Difference {
            area: Area::Surface,
            kind: DifferenceKind::Moved,
            subject: format!("modes to config-option {name}"),
            title: "modes",
            text: format!("{} {verb} now the config option `{name}`", some(&modes)),
            is_breaking: true,
            is_error: false,
            old: first.old.clone(),
            new: option.new.clone(),
        };
        Some((name.clone(), difference))
    }

    /// Whether the report has another line with the same cause, so that this change gets none of
    /// its own. `moved_to` is the id of the config option that took the place of the modes; `None`
    /// when the modes stayed. `retyped` are ids of options whose type has changed.
    fn is_hidden(
        &self,
        fact: &Fact,
        moved_to: Option<&str>,
        retyped: &[(FactChange, Box<str>, Box<str>)],
    ) -> bool {
        let kind = fact.kind;
        let name = &*fact.name;
        let change = self.results.changes.iter().find(|it| it.fact == *fact);
        let direction = change.map_or(Direction::Gone, |it| it.direction);
        let has = |of: &'static FactKind, name: &str| {
            self.has(direction, |it| it.kind.is(of) && *it.name == *name)
        };
        let option = || name.split_once('=').map_or(name, |(option, _)| option);
        let is_about_option = kind.is(&surface::CONFIG_OPTION)
            || kind.is(&surface::CONFIG_VALUE)
            || kind.is(&surface::MODEL_VALUES)
            || kind.is(&surface::DEFAULT_OPTION)
            || kind.is(&surface::OPTION_TYPE);
        if let Some(new) = moved_to {
            let is_about_modes = kind.is(&surface::MODE)
                || kind.is(&surface::DEFAULT_MODE)
                || (is_about_option && option() == new)
                || (kind.is(&behaviour::UPDATE)
                    && matches!(name, "current_mode_update" | "config_option_update"))
                || name.starts_with("session/set_mode")
                || name.starts_with("session/set_config_option");
            if is_about_modes {
                return true;
            }
        }
        if is_about_option && retyped.iter().any(|(it, ..)| *it.fact.name == *option()) {
            return true;
        }
        if kind.is(&surface::CAPABILITY) {
            return self.is_explained_path(fact, direction);
        }
        if kind.is(&surface::EXTENSION) {
            let mut above = name.match_indices('.').map(|(at, _)| &name[..at]);
            return above.any(|above| has(&surface::EXTENSION, above));
        }
        if kind.is(&surface::CONFIG_VALUE) || kind.is(&surface::MODEL_VALUES) {
            return has(&surface::CONFIG_OPTION, option());
        }
        if kind.is(&behaviour::ERROR_CODE) {
            let method = name.rsplit_once(' ').map_or(name, |(method, _)| method);
            return self
                .has(Direction::Gone, |it| it.kind.is(&behaviour::ANSWER) && *it.name == *method)
                || self.has(Direction::New, |it| {
                    it.kind.is(&behaviour::ANSWER) && *it.name == *method
                });
        }
        if kind.is(&behaviour::MEMBER) {
            return is_compared_otherwise(name);
        }
        let is_about_terminals = match name.rsplit_once([' ', '/']) {
            Some((_, content)) if kind.is(&behaviour::TOOL_CONTENT) => content == "terminal",
            Some((family, method)) if kind.is(&behaviour::METHOD) => {
                family == "terminal" && method != "create"
            }
            _ => false,
        };
        is_about_terminals && has(&behaviour::METHOD, "terminal/create")
    }

    /// Whether the change of a capability is left out, because the same change of a capability
    /// above or below it is reported.
    fn is_explained_path(&self, fact: &Fact, direction: Direction) -> bool {
        let name = &*fact.name;
        let changes = |path: &str| {
            self.has(direction, |it| it.kind.is(&surface::CAPABILITY) && *it.name == *path)
        };
        let has_children = |path: &str| {
            self.has(direction, |it| {
                it.kind.is(&surface::CAPABILITY)
                    && it.name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
            })
        };
        // An object of flags says nothing where no flag is set.
        let counts = |path: &str| {
            changes(path) && (!surface::CONTAINERS.contains(&path) || has_children(path))
        };
        let mut above = name.match_indices('.').map(|(at, _)| &name[..at]);
        above.any(counts) || !counts(name)
    }
}

/// Whether facts of another kind compare what a member says, so that its absence is not reported once
/// more: a declaration (modes, options) of an answer, such as `session/new.modes`, or the content of
/// a tool call.
fn is_compared_otherwise(member: &str) -> bool {
    let is_content = matches!(member, "tool_call.content" | "tool_call_update.content");
    let is_declared = ["session/new.", "session/load.", "session/resume.", "session/fork."]
        .iter()
        .any(|method| {
            member.strip_prefix(method).is_some_and(|name| {
                matches!(name, "modes" | "models" | "configOptions" | "sessionId")
            })
        });
    is_content || is_declared
}

impl Comparison<'_> {
    /// Whether any recording of NEW lists this config option with this category, such as `mode`.
    fn is_of_category(&self, option: &str, category: &str) -> bool {
        let connections = self.new.units.iter().flat_map(|unit| &unit.connections);
        connections.flat_map(|it| it.facts[self.side as usize].facts()).any(|fact| {
            fact.kind.is(&surface::OPTION_CATEGORY)
                && *fact.name == *option
                && *fact.item == *category
        })
    }
}

fn single(change: &FactChange) -> Difference {
    let FactChange { fact, direction, old, new } = change;
    let kind = fact.kind;
    let is_cancelled_turn = kind.is(&behaviour::CANCELLED_TURN) && *fact.name == *CANCELLED;
    let (effect, found) = match direction {
        _ if is_cancelled_turn => (kind.gone, DifferenceKind::Changed),
        Direction::Gone => (kind.gone, DifferenceKind::Gone),
        Direction::New => (kind.new, DifferenceKind::New),
    };
    let is_breaking = effect == Effect::Breaking
        && (*direction == Direction::Gone || kind.new == Effect::Breaking);
    let text = match (&*fact.name, direction) {
        (_, Direction::Gone) if is_cancelled_turn => {
            "a cancelled turn ends otherwise than with `cancelled`".to_owned()
        }
        (_, Direction::New) if is_cancelled_turn => {
            "a cancelled turn ends with `cancelled`".to_owned()
        }
        ("", Direction::Gone) => "no longer".to_owned(),
        ("", Direction::New) => "now".to_owned(),
        (name, Direction::Gone) => format!("`{name}` is gone"),
        (name, Direction::New) => format!("`{name}`"),
    };
    Difference {
        area: kind.area,
        kind: found,
        subject: fact.subject(),
        title: kind.title,
        text,
        is_breaking,
        is_error: false,
        old: old.clone(),
        new: new.clone(),
    }
}

fn finding(change: &FactChange) -> Difference {
    let FactChange { fact, direction, old, new } = change;
    let is_error = fact.kind.is(&findings::ERROR);
    let kind = match direction {
        Direction::Gone => DifferenceKind::Fixed,
        Direction::New => DifferenceKind::New,
    };
    let is_breaking = is_error && *direction == Direction::New;
    let text = match fact.name.split_once(' ') {
        Some((rule, method)) => format!("{rule} ({method})"),
        None => fact.name.to_string(),
    };
    Difference {
        area: Area::Findings,
        kind,
        subject: fact.name.to_string(),
        title: if *direction == Direction::Gone { "fixed" } else { fact.kind.word },
        text,
        is_breaking,
        is_error,
        old: old.clone(),
        new: new.clone(),
    }
}

/// One difference for all items that a list, such as the commands, has lost or gained.
fn list(subject: String, changes: &[&FactChange]) -> Difference {
    let items = |direction: Direction| -> Vec<&str> {
        let own = changes.iter().filter(|change| change.direction == direction);
        own.map(|change| &*change.fact.item).collect()
    };
    let parts = [(items(Direction::Gone), "gone"), (items(Direction::New), "new")];
    let parts = parts.iter().filter(|(items, _)| !items.is_empty());
    let parts: Vec<_> = parts.map(|(items, word)| format!("{} {word}", some(items))).collect();
    let (old, new) = first_evidence(changes);
    let kind = changes.first().map_or(&surface::COMMANDS, |change| change.fact.kind);
    let option = changes.first().map_or("", |change| &*change.fact.name);
    let option = if option.is_empty() { String::new() } else { format!("`{option}`: ") };
    Difference {
        area: Area::Surface,
        kind: DifferenceKind::Changed,
        subject,
        title: kind.title,
        text: format!("{option}{}", parts.join("; ")),
        is_breaking: false,
        is_error: false,
        old,
        new,
    }
}

/// One difference for a member of this name that is gone from, or new in, one or more types of
/// objects.
fn member(name: &str, changes: &[&FactChange]) -> Difference {
    let kind = &behaviour::MEMBER;
    let types = changes.iter().filter_map(|it| Some(it.fact.name.rsplit_once('.')?.0));
    let types: Vec<_> = types.collect();
    let is_gone = changes.iter().any(|change| change.direction == Direction::Gone);
    let found = if is_gone { DifferenceKind::Gone } else { DifferenceKind::New };
    let gone = match (is_gone, types.len()) {
        (true, _) => " is gone",
        (false, _) => "",
    };
    let subjects: Vec<_> = types.iter().map(|it| format!("{it}.{name}")).collect();
    let (old, new) = first_evidence(changes);
    Difference {
        area: kind.area,
        kind: found,
        subject: format!("{} {}", kind.word, subjects.join(", ")),
        title: kind.title,
        text: format!("`{name}` of {}{gone}", some(&types)),
        is_breaking: false,
        is_error: false,
        old,
        new,
    }
}

/// The difference for a fact whose value differs between the releases, from `old` to `new`.
fn value(change: &FactChange, old: &str, new: &str) -> Difference {
    let fact = &change.fact;
    let option = if fact.name.is_empty() { String::new() } else { format!("`{}`: ", fact.name) };
    Difference {
        area: fact.kind.area,
        kind: DifferenceKind::Changed,
        subject: fact.subject(),
        title: fact.kind.title,
        text: format!("{option}`{old}` → `{new}`"),
        is_breaking: fact.kind.gone == Effect::Breaking,
        is_error: false,
        old: change.old.clone(),
        new: change.new.clone(),
    }
}

fn first_evidence(changes: &[&FactChange]) -> (Evidence, Evidence) {
    let first = changes.first();
    let first = first.map(|change| (change.old.clone(), change.new.clone()));
    first.unwrap_or_default()
}

/// Joins names with commas: at most `NAMED` of them, with `and N more` for the others.
fn some(names: &[&str]) -> String {
    if names.len() <= NAMED {
        return names.join(", ");
    }
    format!("{} and {} more", names[..NAMED - 1].join(", "), names.len() - (NAMED - 1))
}
