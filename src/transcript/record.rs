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

/// One item of a recording, such as a line, with what the recorder says about it.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub body: Body<'t>,
    /// What the recording says about the sender; `None` where it says nothing.
    pub label: Option<SenderLabel<'t>>,
    /// Time in seconds on the recorder's clock; `None` where the recording has none.
    pub at: Option<f64>,
    /// Name of the connection; `None` when the recording names none.
    pub lane: Option<Cow<'t, str>>,
}

impl<'t> Record<'t> {
    /// A record that holds no message, such as a note of the recorder.
    pub const NOTHING: Self = Self { body: Body::Nothing, label: None, at: None, lane: None };

    /// A record with this body and no sender, time or connection.
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
    /// A word such as `out`, whose meaning `Labels` derive from the
    /// methods of messages.
    Word(Cow<'t, str>),
    /// The record states the side beyond doubt.
    Side(Side),
}

impl SenderLabel<'_> {
    /// A copy of the label that does not borrow from the file's text.
    pub(super) fn into_owned(self) -> SenderLabel<'static> {
        match self {
            Self::Word(word) => SenderLabel::Word(word.into_owned().into()),
            Self::Side(side) => SenderLabel::Side(side),
        }
    }
}

/// What a record holds: a message in one of several forms, or an event.
#[derive(Clone, Debug)]
pub enum Body<'t> {
    /// A message that is itself a JSON value in the text that was read.
    Message(Node<'t>),
    /// A string in the text that was read, which holds the text of the message.
    Escaped(Text<'t>),
    /// A string that holds the text of the message in Base64.
    Base64(Text<'t>),
    /// Place of the message's text in the text that was read, in bytes.
    Text(Range<usize>),
    /// A message that was put together from parts of the file's text.
    Rebuilt(Rebuilt),
    /// The recorder says that it has lost a message here.
    Lost,
    /// A message in a form that the format does not have, so that it is not read.
    Unread,
    /// The sender sends nothing more. `left` is the side that ended that: the sender, which has
    /// closed its stream, or its peer, which reads no more.
    End { sender: Side, left: Side },
    /// The recording begins; with `Driven` if acpcheck plays a side in it.
    Start(Option<Box<Driven>>),
    /// The scenario that acpcheck plays in the recording has ended, in this state.
    Scenario(Box<ScenarioState>),
    /// The agent could not be started, so that the recording has no messages.
    NotStarted,
    /// A message of another protocol, with its id (`None` without one). It is ignored, and so is
    /// its answer.
    Foreign(Option<Node<'t>>),
    /// Something other than a message: a header, a note, or a line of a log.
    Nothing,
}
