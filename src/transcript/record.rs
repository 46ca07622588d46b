//! What a recording says of one message: its text, who sent it, when, and on which connection.

use std::{borrow::Cow, ops::Range};

use crate::{
    json::{Node, Text},
    protocol::Side,
    transcript::{
        driven::{Driven, ScenarioState},
        rebuilt::Rebuilt,
    },
};

/// What a line or passage of a recording holds.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub body: Body<'t>,
    /// What the recording says about who sent it.
    pub label: Option<SenderLabel<'t>>,
    /// Seconds on the recorder's clock.
    pub at: Option<f64>,
    /// Which connection of several it belongs to.
    pub lane: Option<Cow<'t, str>>,
}

impl<'t> Record<'t> {
    /// A record that holds no message, such as a note of the recorder.
    pub const NOTHING: Self = Self { body: Body::Nothing, label: None, at: None, lane: None };

    /// A record that says nothing of its sender, its time and its connection.
    pub fn of(body: Body<'t>) -> Self {
        Self { body, ..Self::NOTHING }
    }

    pub(super) fn labelled(body: Body<'t>, label: Option<SenderLabel<'t>>) -> Self {
        Self { body, label, ..Self::NOTHING }
    }

    pub(super) fn said_by(body: Body<'t>, side: Side) -> Self {
        Self::labelled(body, Some(SenderLabel::Side(side)))
    }
}

/// What a recorder says about who sent a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SenderLabel<'t> {
    /// A word, whose meaning the methods of the messages tell.
    Word(Cow<'t, str>),
    /// The side itself, by what else the record says.
    Side(Side),
}

impl SenderLabel<'_> {
    /// A label that borrows nothing.
    pub(super) fn into_owned(self) -> SenderLabel<'static> {
        match self {
            Self::Word(word) => SenderLabel::Word(word.into_owned().into()),
            Self::Side(side) => SenderLabel::Side(side),
        }
    }
}

/// The message of a record.
#[derive(Clone, Debug)]
pub enum Body<'t> {
    /// A JSON value that is part of the text that was read.
    Message(Node<'t>),
    /// A string that holds the text of the message.
    Escaped(Text<'t>),
    /// A string that holds the text of the message in Base64.
    Base64(Text<'t>),
    /// The message's text as a part of the text that was read.
    Text(Range<usize>),
    /// A message that was put together from parts of the text that was read.
    Rebuilt(Rebuilt),
    /// A message that the recorder has lost.
    Lost,
    /// A side sends nothing more: it has closed the connection, or nobody reads it any more.
    End(Side),
    /// The recording begins; set where acpcheck plays a side.
    Start(Option<Box<Driven>>),
    /// A scenario that acpcheck plays has ended.
    Scenario(Box<ScenarioState>),
    /// The agent could not be started.
    NotStarted,
    /// A message of another protocol, with its id: it and its answer are set apart.
    Foreign(Option<Node<'t>>),
    /// No message: a header, a note, a line of a log.
    Nothing,
}
