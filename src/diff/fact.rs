//! What is compared: facts about a connection, each with the occasions on which it could have shown.
//!
//! The collectors beside this module fill a [`FactSet`]; [`super::compare()`] reads it.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use serde::Serialize;

/// A group of facts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// What a side declares: capabilities, modes, options, authentication methods.
    Surface,
    /// What it does.
    Behaviour,
    /// When it does so.
    Order,
    /// Which rules it breaks.
    Findings,
}

/// Who is concerned when a fact appears or disappears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// The other side may get an error, or wait in vain.
    Breaking,
    /// The other side may notice.
    Harmless,
}

/// How many recordings prove that a fact has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    /// A declaration: one on each side.
    Declared,
    /// The program alone decides: one scenario in both, two recordings without scenarios.
    Certain,
    /// As [`Weight::Certain`], and three occasions on each side count as much as two recordings.
    Repeated,
    /// One scenario in both, three recordings without scenarios.
    Situational,
    /// Two scenarios in both, three recordings without scenarios; or one scenario with three occasions.
    Usual,
    /// A language model decides: three.
    Chosen,
}

/// How the occurrences of a fact are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It is there, or not.
    Single,
    /// Its items are a list; all changes of the list are one difference.
    List,
    /// It has one value at a time, which is its item.
    Value,
    /// It is no difference by itself, but explains others.
    Silent,
}

/// A kind of fact, such as capabilities.
#[derive(Debug)]
pub(super) struct FactKind {
    /// The first word of subjects in JSON.
    pub(super) word: &'static str,
    /// The word for people.
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

/// Something that a connection may show.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) kind: &'static FactKind,
    pub(super) name: Box<str>,
    /// An item of a list, or a value; for others a condition under which the fact is counted on its own.
    pub(super) item: Box<str>,
    pub(super) occasion: Occasion,
}

impl Fact {
    fn key(&self) -> (&str, Form, &str, &str) {
        (self.kind.word, self.kind.form, &self.name, &self.item)
    }

    /// The kind and the name, as JSON has them.
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

/// When a fact can show.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Occasion {
    /// `initialize` was sent, or answered with a result: the side has declared itself.
    Declaration,
    /// This version was asked for, and answered.
    Version(Box<str>),
    /// `session/new` was answered with a result.
    NewSession,
    /// A session was in use.
    Session,
    /// The option was listed.
    Option(Box<str>),
    /// Commands were listed.
    Commands,
    /// A turn ended, and was not cancelled.
    Turn,
    /// A turn ended in which the other side offered this method.
    Offered(Box<str>),
    /// A turn was cancelled, and ended.
    CancelledTurn,
    /// A turn ended for some reason, and was not cancelled.
    Ending,
    /// The method was called, and answered.
    Call(Box<str>),
    /// Somebody was asked, or could have been asked, whether tool calls of this kind may run. The second
    /// text is the mode that the client has chosen.
    Work(Box<str>, Box<str>),
    /// Permission was asked for.
    Permission,
    /// A tool call of this kind was completed.
    CompletedCall(Box<str>),
    /// A plan was sent.
    Plan,
    /// There was a message, or a part of one, of this type.
    Message(Box<str>),
    /// A method that creates sessions was answered with one.
    Creation(Box<str>),
    /// A permission request named a tool call.
    NamedCall,
    /// A tool call of this kind was announced.
    Announcement(Box<str>),
    /// The rule was exercised, and there was a message of this kind.
    Rule(&'static str, Box<str>),
}

impl Occasion {
    /// Whether it is a part of something that may itself be missing.
    pub(super) fn is_of_a_part(&self) -> bool {
        match self {
            Self::Option(_)
            | Self::Commands
            | Self::Permission
            | Self::CompletedCall(_)
            | Self::Plan
            | Self::Message(_)
            | Self::Creation(_)
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

/// How often something occurred, and where first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) times: u32,
    /// The line of the first time, from 1; 0 where there is none.
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

/// The facts about one side of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct FactSet {
    occasions: BTreeMap<Occasion, Count>,
    facts: BTreeMap<Fact, Count>,
    /// Rules about the side that were exercised.
    pub(super) rules: BTreeSet<&'static str>,
    /// Kinds of messages, for findings.
    pub(super) messages: BTreeMap<Box<str>, Count>,
    /// Whether there was more than is kept, so that nothing is known to be missing.
    pub(super) is_overfull: bool,
}

impl FactSet {
    /// How many facts, and how many occasions, are kept of a connection.
    const MOST: usize = 20_000;
    /// How long names may be, in bytes.
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

    /// How often the fact has shown.
    pub(super) fn seen(&self, fact: &Fact) -> Count {
        self.facts.get(fact).copied().unwrap_or_default()
    }

    /// How often the fact could have shown.
    pub(super) fn occasions(&self, occasion: &Occasion) -> Count {
        let found = match occasion {
            Occasion::Rule(rule, _) if !self.rules.contains(rule) => None,
            Occasion::Rule(_, message) => self.messages.get(message),
            other => self.occasions.get(other),
        };
        found.copied().unwrap_or_default()
    }
}
