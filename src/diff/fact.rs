//! What is compared: facts about a connection, each with the occasions on which it could have shown.
//!
//! The collectors beside this module fill a [`FactSet`]; [`super::compare()`] reads it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::Serialize;

/// A group of differences in a report, by what they are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// What a side declares: capabilities, modes, options, authentication methods.
    Surface,
    /// What a side does: methods, updates, permission requests, stop reasons.
    Behaviour,
    /// The order in which a side sends its messages, such as an answer before an update.
    Order,
    /// Which rules of acpcheck a side breaks.
    Findings,
}

/// What the appearance or disappearance of a fact means for the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The other side may get an error, or wait in vain: reported as breaking.
    Breaking,
    /// The other side may notice the change, but goes on working.
    Harmless,
}

/// How much evidence it takes to report that a fact has changed. Counts are per release; paired
/// means that both releases have recordings of the same scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// A declaration, such as a capability: one recording of each release.
    Declared,
    /// A fact that the program alone decides: one paired scenario, or two recordings without pairs.
    Certain,
    /// Like `Certain`; with pairs, one scenario in which the fact always shows is enough, whatever
    /// the other scenarios show. For facts whose occasions a scenario plays alike in each run.
    Scripted,
    /// Like `Certain`; without pairs, one recording with three chances to show is also enough.
    Repeated,
    /// A fact that depends on the situation: one paired scenario, or three recordings without
    /// pairs.
    Situational,
    /// Two paired scenarios, or one in which the fact had three chances to show; three recordings
    /// without pairs.
    Usual,
    /// A fact that a language model decides: three paired scenarios, or three recordings.
    Chosen,
}

/// How the facts of one kind are compared and reported: one by one, as lists, or by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A fact that shows or does not, such as a capability; each change is one difference.
    Single,
    /// An item of a list, such as one command, named by `Fact::item`. All changes of a list are one
    /// difference.
    List,
    /// A fact with one value at a time, such as the default mode: `Fact::item` is the value.
    Value,
    /// A fact that is never reported, but explains other differences, such as the category of an
    /// option.
    Silent,
}

/// A kind of fact that `diff` compares, such as capabilities: how its facts are named, compared and
/// reported.
#[derive(Debug)]
pub(super) struct FactKind {
    /// First word of the subject of its facts in JSON reports, such as `capability`.
    pub(super) word: &'static str,
    /// Name of the kind of fact in texts for people, such as `capability`.
    pub(super) title: &'static str,
    pub(super) area: Area,
    pub(super) gone: Effect,
    pub(super) new: Effect,
    pub(super) weight: Weight,
    pub(super) form: Form,
}

impl FactKind {
    pub(super) const DEFAULT: Self = Self {
        word: "",
        title: "",
        area: Area::Behaviour,
        gone: Effect::Breaking,
        new: Effect::Harmless,
        weight: Weight::Usual,
        form: Form::Single,
    };

    pub(super) fn is(&self, other: &Self) -> bool {
        self.word == other.word && self.form == other.form
    }
}

/// Something that a connection may show, such as one capability. Facts are equal if kind, name and
/// item are equal, whatever event they need.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) kind: &'static FactKind,
    pub(super) name: Box<str>,
    /// The item of a list, or the value, by `FactKind::form`. For single facts, a condition under
    /// which they are counted separately, such as the kind of tool call; empty for none.
    pub(super) item: Box<str>,
    pub(super) occasion: Occasion,
}

impl Fact {
    fn key(&self) -> (&str, Form, &str, &str) {
        (self.kind.word, self.kind.form, &self.name, &self.item)
    }

    /// The fact in JSON reports: the word of its kind and its name, such as `capability
    /// loadSession`.
    pub(super) fn subject(&self) -> String {
        match &*self.name {
            "" => self.kind.word.to_owned(),
            name => format!("{} {name}", self.kind.word),
        }
    }
}

impl PartialEq for Fact {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Fact {}

impl PartialOrd for Fact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fact {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Form {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Form {
    fn cmp(&self, other: &Self) -> Ordering {
        (*self as u8).cmp(&(*other as u8))
    }
}

/// An event after which a fact could have shown. Facts are compared only if the event happened in
/// the recordings of both releases.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Occasion {
    /// The side declared itself: sent `initialize`, or answered it with a result.
    Declaration,
    /// A client asked for this protocol version, and was answered.
    Version(Box<str>),
    /// The agent answered `session/new` with a session.
    NewSession,
    /// A session was created or attached.
    Session,
    /// The agent listed the config option with this id.
    Option(Box<str>),
    /// The agent listed its commands.
    Commands,
    /// A turn ended with success, and was not cancelled.
    Turn,
    /// A turn ended (or, for facts of clients, a session was in use) while the other side
    /// advertised the capability with this path.
    Offered(Box<str>),
    /// A cancelled turn ended.
    CancelledTurn,
    /// A turn ended that was not cancelled, and a stop reason is known.
    Ending,
    /// A request of this method was answered, with a result or an error.
    Call(Box<str>),
    /// A tool call of this kind (the first text) ran, or permission for one was asked, while the
    /// client had set this mode (the second text).
    Work(Box<str>, Box<str>),
    /// The agent sent a permission request.
    Permission,
    /// A tool call of this kind got the status `completed`.
    CompletedCall(Box<str>),
    /// A tool call of this kind got the status `completed`, and the client offered terminals.
    TerminalCall(Box<str>),
    /// The agent sent a plan.
    Plan,
    /// The side sent an object of this type, such as a `tool_call` update.
    Message(Box<str>),
    /// The method with this name, such as `session/new`, created a session.
    Creation(Box<str>),
    /// The agent loaded a session that had a complete turn in the same connection.
    Load,
    /// A permission request named a tool call by its id.
    NamedCall,
    /// The agent announced a tool call of this kind.
    Announcement(Box<str>),
    /// The rule with this id was exercised, and there was a message of this kind.
    Rule(&'static str, Box<str>),
}

impl Occasion {
    /// Whether the event that the fact needs is about a part, such as a listed option, that one of
    /// the releases may lack. `diff` then does not list the fact as "not compared".
    pub(super) fn is_of_a_part(&self) -> bool {
        match self {
            Self::Option(_)
            | Self::Commands
            | Self::Permission
            | Self::CompletedCall(_)
            | Self::TerminalCall(_)
            | Self::Plan
            | Self::Message(_)
            | Self::Creation(_)
            | Self::Load
            | Self::NamedCall
            | Self::Announcement(_) => true,
            Self::Declaration
            | Self::Version(_)
            | Self::NewSession
            | Self::Session
            | Self::Turn
            | Self::Offered(_)
            | Self::CancelledTurn
            | Self::Ending
            | Self::Call(_)
            | Self::Work(..)
            | Self::Rule(..) => false,
        }
    }
}

/// How often a fact showed or an event happened in a connection, and where first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) times: u32,
    /// Line of the first occurrence, from 1; 0 where there is none.
    pub(super) line: u32,
}

impl Count {
    pub(super) fn at(line: u32) -> Self {
        Self { times: 1, line }
    }

    pub(super) fn add(&mut self, other: Self) {
        if self.times == 0 || (other.times > 0 && other.line < self.line) {
            self.line = other.line;
        }
        self.times = self.times.saturating_add(other.times);
    }
}

/// What was seen of one side of a connection: facts, and events after which facts could have shown.
#[derive(Clone, Debug, Default)]
pub(super) struct FactSet {
    occasions: BTreeMap<Occasion, Count>,
    facts: BTreeMap<Fact, Count>,
    /// Ids of the rules about this side that were exercised.
    pub(super) rules: BTreeSet<&'static str>,
    /// Kinds of messages in the connection, with counts; findings about a kind are compared only
    /// where it occurred.
    pub(super) messages: BTreeMap<Box<str>, Count>,
    /// Whether facts or events were dropped because of `MOST`, so that a missing one proves
    /// nothing.
    pub(super) is_overfull: bool,
}

impl FactSet {
    /// Most facts, and most kinds of events, that are kept of one side of a connection. Further
    /// ones are dropped, which sets `is_overfull`.
    const MOST: usize = 20_000;
    /// Most bytes of the name or item of a fact; a fact with a longer one is dropped.
    const LONGEST: usize = 200;

    pub(super) fn occasion(&mut self, occasion: Occasion, line: u32) {
        self.count_occasion(occasion, Count::at(line));
    }

    pub(super) fn count_occasion(&mut self, occasion: Occasion, count: Count) {
        if self.occasions.len() < Self::MOST {
            self.occasions.entry(occasion).or_default().add(count);
        } else {
            self.is_overfull = true;
        }
    }

    pub(super) fn fact(&mut self, fact: Fact, line: u32) {
        self.count_fact(fact, Count::at(line));
    }

    pub(super) fn count_fact(&mut self, fact: Fact, count: Count) {
        if fact.name.len() > Self::LONGEST || fact.item.len() > Self::LONGEST {
            return;
        }
        if self.facts.len() < Self::MOST {
            self.facts.entry(fact).or_default().add(count);
        } else {
            self.is_overfull = true;
        }
    }

    pub(super) fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.keys()
    }

    /// A copy with other facts: each one is replaced by those that `name` returns for it.
    pub(super) fn renamed(&self, name: impl Fn(&Fact) -> Vec<Fact>) -> Self {
        let mut renamed = Self { facts: BTreeMap::new(), ..self.clone() };
        for (fact, count) in &self.facts {
            for fact in name(fact) {
                renamed.count_fact(fact, *count);
            }
        }
        renamed
    }

    /// How often the fact showed, and where first.
    pub(super) fn seen(&self, fact: &Fact) -> Count {
        self.facts.get(fact).copied().unwrap_or_default()
    }

    /// How often the event happened after which a fact could have shown, and the line where it
    /// happened first; zero if never.
    pub(super) fn occasions(&self, occasion: &Occasion) -> Count {
        let found = match occasion {
            Occasion::Rule(rule, _) if !self.rules.contains(rule) => None,
            Occasion::Rule(_, message) => self.messages.get(message),
            other => self.occasions.get(other),
        };
        found.copied().unwrap_or_default()
    }
}
