//! Finds the tool call that each request to the client belongs to, at the end of a turn.
//!
//! By its id, which is sure; else by its target; else by time, where only one tool call can have done it.

use super::{
    ActionKind, Doubt, Join,
    entry::{Deed, Entry, Question},
    ledger::SessionLedger,
};
use crate::{event::target::ToolKind, map::Map};

/// Most tool calls that are compared with an action to find the one that it belongs to. Further
/// ones are not looked at.
const CANDIDATES: usize = 64;

/// The tool calls of a session by what they name (files, commands), to find the tool call that an
/// action of the client belongs to.
#[derive(Debug, Default)]
struct Names {
    terminals: Map<Box<str>, u64>,
    /// Numbers of the tool calls that may write or that have diffs, by hashes of the paths that
    /// they name.
    writes: Map<u64, Vec<u64>>,
    /// Numbers of the tool calls of the kind `read`, by hashes of the paths that they name.
    reads: Map<u64, Vec<u64>>,
    /// Numbers of the tool calls that may run commands, by hashes of the commands that they name.
    commands: Map<u64, Vec<u64>>,
}

impl SessionLedger {
    /// Gives each action without a tool call the tool call that explains it, and matches permission
    /// requests whose `toolCallId` no tool call has.
    pub(super) fn join(&mut self) {
        let loose = std::mem::take(&mut self.loose);
        if !loose.is_empty() {
            let names = self.names();
            for number in loose {
                self.give(number, &names);
            }
        }
        self.give_questions();
    }

    fn names(&self) -> Names {
        let mut names = Names::default();
        for (number, entry) in self.entries.iter().filter(|(_, entry)| entry.is_reported) {
            let description = &entry.description;
            for terminal in &description.terminals {
                names.terminals.entry(terminal.clone()).or_insert(*number);
            }
            let kind = description.tool_kind();
            if kind.may_write() || !description.changes.is_empty() {
                add(&mut names.writes, description.file_keys(), *number);
            } else if kind == ToolKind::Read {
                add(&mut names.reads, description.file_keys(), *number);
            }
            let command = description.command().into_iter().flat_map(|command| command.key.all());
            add(&mut names.commands, command, *number);
        }
        // Questions about terminals that no tool call shows.
        for (number, entry) in self.entries.iter().filter(|(_, entry)| !entry.is_reported) {
            for terminal in &entry.description.terminals {
                names.terminals.entry(terminal.clone()).or_insert(*number);
            }
        }
        names
    }

    /// Finds the tool call that an action of the client belongs to: by terminal id, by target, or
    /// as the only one under way. Adds an entry to the log for an action that belongs to no tool
    /// call.
    fn give(&mut self, number: u64, names: &Names) {
        let Some(deed) = self.deeds.get(&number) else { return };
        let terminal = deed.terminal.as_ref();
        let by_id = terminal.and_then(|terminal| names.terminals.get(terminal).copied());
        let named = match deed.kind {
            ActionKind::Write => names.writes.get(&deed.target.key.text),
            ActionKind::Read => names.reads.get(&deed.target.key.text),
            ActionKind::Run => deed.target.key.all().find_map(|key| names.commands.get(&key)),
            _ => None,
        };
        let by_target = || self.best(deed, named?);
        let fitting: Vec<u64> = deed
            .fitting
            .iter()
            .copied()
            .filter(|number| self.entries.contains_key(number))
            .collect();
        let by_time = || self.by_time(deed, &fitting);
        let found = by_id.map(|entry| (entry, Join::Id)).or_else(by_target).or_else(by_time);
        let is_contested = || named.is_some_and(|named| self.is_contested(deed, named));
        let (entry, join, is_unclear) = match found {
            Some((entry, join)) => (Some(entry), join, false),
            None => (None, Join::None, is_contested() || self.differ(&fitting)),
        };
        let names_others = |number: &u64| {
            self.entries.get(number).is_some_and(|entry| {
                !entry.questions.is_empty() && entry.description.names_any(deed.kind)
            })
        };
        let is_for_another = join == Join::Time && fitting.iter().all(names_others);
        let (begun, at) = (deed.begun, deed.at.clone());
        let entry = entry.unwrap_or_else(|| {
            self.next += 1;
            let mut own = Entry::new(None, begun, at);
            own.possible = is_unclear.then_some((0, 0));
            self.entries.insert(self.next, own);
            self.next
        });
        if let Some(entry) = self.entries.get_mut(&entry) {
            entry.deeds.push(number);
        }
        if let Some(deed) = self.deeds.get_mut(&number) {
            deed.doubt = is_for_another.then_some(Doubt::OtherTarget);
            deed.join = if is_unclear { Join::Target } else { join };
        }
    }

    /// The entries among `named` that most likely belong to an action: under way when the action
    /// began, allowed, and not done yet, in this order of weight.
    fn likeliest(&self, deed: &Deed, named: &[u64]) -> Vec<u64> {
        let ranked = named.iter().rev().take(CANDIDATES).filter_map(|number| {
            let entry = self.entries.get(number)?;
            let is_open = entry.is_open_at(deed.begun.number);
            if !is_open && entry.at.turn != deed.at.turn {
                return None;
            }
            let has_done = entry.deeds.iter().any(|own| {
                let own = self.deeds.get(own);
                own.is_some_and(|own| {
                    own.kind == deed.kind && own.target.key.is_same(deed.target.key)
                })
            });
            Some(((is_open, entry.is_allowed(), !has_done), *number))
        });
        let ranked: Vec<_> = ranked.collect();
        let best = ranked.iter().map(|(rank, _)| *rank).max();
        let mut likeliest: Vec<_> = ranked
            .into_iter()
            .filter(|(rank, _)| Some(*rank) == best)
            .map(|(_, number)| number)
            .collect();
        likeliest.sort_unstable();
        likeliest
    }

    /// The tool call with the action's target that most likely belongs to the action. `None`
    /// without one, and where several are equally likely and permission was answered differently.
    fn best(&self, deed: &Deed, named: &[u64]) -> Option<(u64, Join)> {
        let likeliest = self.likeliest(deed, named);
        let first = *likeliest.first()?;
        (!self.differ(&likeliest)).then_some((first, Join::Target))
    }

    /// The tool call that an action belongs to by its time: the only one under way of a fitting kind.
    /// Of several about which the client was asked and answered alike, the first without such an
    /// action, else the first. `None` for others.
    fn by_time(&self, deed: &Deed, fitting: &[u64]) -> Option<(u64, Join)> {
        let is_asked =
            |number: &u64| self.entries.get(number).is_some_and(|it| !it.questions.is_empty());
        let is_free = |number: &&u64| {
            let own = self.entries.get(number).into_iter().flat_map(|entry| &entry.deeds);
            !own.filter_map(|own| self.deeds.get(own)).any(|own| own.kind == deed.kind)
        };
        let found = match fitting {
            [only] => only,
            several if several.iter().all(is_asked) && !self.differ(several) => {
                several.iter().find(is_free).or(several.first())?
            }
            _ => return None,
        };
        Some((*found, Join::Time))
    }

    fn is_contested(&self, deed: &Deed, named: &[u64]) -> bool {
        self.differ(&self.likeliest(deed, named))
    }

    /// Whether the client answered the permission requests of these tool calls differently, so that
    /// it matters which one is meant.
    fn differ(&self, numbers: &[u64]) -> bool {
        let mut decisions =
            numbers.iter().map(|number| self.entries.get(number).and_then(Entry::last_decision));
        let first = decisions.next();
        decisions.any(|decision| Some(decision) != first)
    }

    /// Matches permission requests whose id no tool call has with the next tool call of the same
    /// target that has none. Where there is no such tool call, the request is noted as possible for
    /// all tool calls under way then.
    fn give_questions(&mut self) {
        let is_strange = |entry: &Entry| {
            !entry.is_reported && !entry.questions.is_empty() && entry.deeds.is_empty()
        };
        let strange = self.entries.iter().filter(|(_, entry)| is_strange(entry));
        let strange: Vec<u64> = strange.map(|(number, _)| *number).collect();
        if strange.is_empty() {
            return;
        }
        let is_free = |entry: &Entry| entry.is_reported && entry.questions.is_empty();
        let free = self.entries.iter().filter(|(_, entry)| is_free(entry));
        let mut free: Vec<u64> = free.map(|(number, _)| *number).collect();
        for number in strange {
            let Some(entry) = self.entries.get(&number) else { continue };
            let (turn, asked) = (entry.at.turn, entry.first.number);
            let own = entry.target_keys();
            let names_same = |other: &Entry| {
                let keys = other.target_keys();
                !own.is_empty() && own.iter().any(|key| keys.contains(key))
            };
            let has_not_ended = |other: &Entry| other.ended().is_none_or(|ended| ended > asked);
            let same = free.iter().take(CANDIDATES).position(|other| {
                self.entries.get(other).is_some_and(|other| {
                    other.at.turn == turn && has_not_ended(other) && names_same(other)
                })
            });
            if let Some(place) = same {
                let other = free.remove(place);
                let Some(strange) = self.forget(number) else { continue };
                if let Some(other) = self.entries.get_mut(&other) {
                    other.questions = strange.questions;
                    other.is_asked_by_target = true;
                }
                continue;
            }
            let spans: Vec<_> = entry.questions.iter().map(Question::span).collect();
            let is_refused = entry.questions.iter().any(Question::is_refused);
            let mut is_for_others = false;
            for number in &free {
                let Some(other) = self.entries.get_mut(number) else { continue };
                if let Some(span) = spans.iter().find(|span| other.is_open_during(span)) {
                    other.possible = Some((span.asked.line, span.answered.map_or(0, |at| at.line)));
                    is_for_others = true;
                }
            }
            if is_for_others && !is_refused {
                self.forget(number);
            }
        }
    }
}

impl Entry {
    /// Hashes of all targets that the entry names, its command and its files, to match permission
    /// requests.
    fn target_keys(&self) -> Vec<u64> {
        let command = self.description.command().into_iter().flat_map(|command| command.key.all());
        self.description.file_keys().chain(command).collect()
    }
}

fn add(names: &mut Map<u64, Vec<u64>>, keys: impl Iterator<Item = u64>, number: u64) {
    for key in keys {
        let numbers = names.entry(key).or_default();
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }
}
