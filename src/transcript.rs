//! From the bytes of a file to the messages in it, whatever wrote them.
//!
//! A [`Format`] is one value in one file, like a rule: who writes it, how to get one, how to
//! recognise it, and how to read it. [`FORMATS`] lists them in the order in which they are tried.

use std::{borrow::Cow, ops::Range};

use crate::{
    json::{Node, Text},
    model::Extent,
    protocol::Side,
};

pub mod apparent;
mod decoded;
pub mod direction;
mod formats;
pub mod limits;
mod rebuilt;
mod shape;
mod syntax;
mod time;

pub use decoded::Decoded;
pub(crate) use formats::bare::looks_like_message;
use formats::*;
use limits::{Limit, Silenced};
pub use rebuilt::Rebuilt;

/// A way to write ACP traffic into a file.
#[derive(Debug)]
pub struct Format {
    /// As users write it.
    pub name: &'static str,
    /// Who writes it, in one line.
    pub about: &'static str,
    /// How to get a file of this format: which setting, which command, which path.
    pub obtain: &'static str,
    /// What the writer does to the messages beside what its fidelity says.
    pub limits: &'static [Limit],
    pub fidelity: Fidelity,
    /// How likely a file that begins like this is of this format.
    pub detect: fn(&Beginning<'_>) -> Likelihood,
    pub read: Read,
}

/// How a format is read.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// Each line is a JSON text.
    Values(for<'t> fn(Node<'t>) -> Record<'t>),
    /// Each line is a JSON text, and a message as it is, unless it is a note of the recorder's.
    Messages {
        /// Whether a line is a note.
        is_note: for<'t> fn(Node<'t>) -> bool,
    },
    /// Each line stands for itself, and is not JSON as a whole.
    Lines(for<'t> fn(&'t str) -> Record<'t>),
    /// The file is one JSON text.
    Document(for<'t> fn(Node<'t>, &mut Vec<Record<'t>>)),
    /// The file is one text, and no JSON.
    Text(for<'t> fn(&'t str, &mut Vec<Record<'t>>)),
    /// Not at all, for a reason and with a remedy, as a sentence without a full stop.
    Refused(&'static str),
}

impl Read {
    /// Whether each line is a JSON text.
    pub fn is_of_values(&self) -> bool {
        matches!(self, Self::Values(_) | Self::Messages { .. })
    }

    /// What a line holds that is a JSON text; `None` where lines are none.
    pub fn record<'t>(&self, line: Node<'t>) -> Option<Record<'t>> {
        match self {
            Self::Values(read) => Some(read(line)),
            Self::Messages { is_note } if is_note(line) => Some(Record::NOTHING),
            Self::Messages { .. } => Some(Record::of(Body::Message(line))),
            Self::Lines(_) | Self::Document(_) | Self::Text(_) | Self::Refused(_) => None,
        }
    }
}

/// How true to the wire a writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// It keeps lines as they crossed the wire, those too that are no messages.
    Wire,
    /// It keeps messages as they were written, and nothing else.
    Texts,
    /// It keeps what messages were parsed to.
    Messages,
    /// It keeps what messages were parsed to, with words such as `<REDACTED>` in place of some
    /// values.
    Masked,
    /// It keeps what messages were parsed to, with members of its own among theirs.
    Adding(&'static [&'static str]),
}

/// How a file begins.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'s> {
    pub bytes: &'s [u8],
    /// The same as text.
    pub text: &'s str,
    /// The lines that are JSON texts; the values, when they are spread over lines.
    pub values: &'s [Node<'s>],
}

impl<'s> Beginning<'s> {
    /// Sure when most values that are objects have this in common.
    fn mostly(&self, is_own: impl Fn(Node<'s>) -> bool) -> Likelihood {
        let objects = self.values.iter().filter(|value| value.is_object()).take(200);
        let (mut own, mut all) = (0, 0);
        for object in objects {
            own += usize::from(is_own(*object));
            all += 1;
        }
        Likelihood::sure_if(own * 2 > all)
    }

    /// The lines that are not blank, without what surrounds them.
    fn lines(&self) -> impl Iterator<Item = &'s str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty()).take(200)
    }
}

/// How sure a format is that it recognises the beginning of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    No,
    Possible,
    Sure,
}

impl Likelihood {
    fn sure_if(is_sure: bool) -> Self {
        if is_sure { Self::Sure } else { Self::No }
    }
}

/// Every format, in the order in which they are tried; the first of the likeliest wins.
pub static FORMATS: &[&Format] = &[
    &sqlite::FORMAT,
    &acpx_journal::FORMAT,
    &acp_el_log::FORMAT,
    &vscode_acp::FORMAT,
    &codecompanion::FORMAT,
    &inline_direction::FORMAT,
    &bare::FORMAT,
    &acpx_watch::FORMAT,
    &acpx_flow::FORMAT,
    &acpx_export::FORMAT,
    &conductor_trace::FORMAT,
    &conductor_debug::FORMAT,
    &sacp_tee::FORMAT,
    &acp_inspector::FORMAT,
    &acp_inspector_trace::FORMAT,
    &trace_frames::FORMAT,
    &acp_devtools::FORMAT,
    &kandev::FORMAT,
    &kandev_raw::FORMAT,
    &openhands::FORMAT,
    &acp_debug::FORMAT,
    &vibe::FORMAT,
    &crucible::FORMAT,
    &openmausbot::FORMAT,
    &a2acp::FORMAT,
    &dir_frame::FORMAT,
    &honeclaw::FORMAT,
    &stdio_lines::FORMAT,
    &zed::FORMAT,
    &acp_el::FORMAT,
    &acp_el_summary::FORMAT,
    &toad::FORMAT,
    &avante::FORMAT,
    &gptme::FORMAT,
    &sdk_calls::FORMAT,
    &sdk_updates::FORMAT,
    &hydra::FORMAT,
    &hydra::BUNDLE,
    &autodev::FORMAT,
    &vibe_kanban::FORMAT,
    &jetbrains::FORMAT,
    &acp_kit::EVENTS,
    &acp_kit::FORMAT,
    &acp_tck::FORMAT,
    &arrows::FORMAT,
    &envelope::FORMAT,
    &prefixed::FORMAT,
];

/// What a file is read as that is nothing else.
pub static PLAIN: &Format = &bare::FORMAT;

/// The format of this name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().copied().find(|format| format.name == name)
}

impl Format {
    /// Whether it is the same format.
    pub fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// The side whose answers the writer never keeps.
    pub fn lacks_answers_of(&self) -> Option<Side> {
        self.limits.iter().find_map(|limit| match limit.silences {
            Silenced::AnswersOf(side) => Some(side),
            _ => None,
        })
    }

    /// What the writer writes to one file.
    pub fn extent(&self) -> Extent {
        let has = |what: &Limit| self.limits.iter().any(|limit| limit.what == what.what);
        if has(&limits::APPENDED) {
            Extent::Several
        } else if has(&limits::LATE) {
            Extent::Late
        } else {
            Extent::Whole
        }
    }

    /// What the writer does to the messages, all of it; `keeps_lines` when the file tells that it
    /// keeps lines as they crossed the wire after all.
    pub fn limits(&self, keeps_lines: bool) -> impl Iterator<Item = &'static Limit> {
        let general = match self.fidelity {
            Fidelity::Wire => None,
            Fidelity::Texts => Some(&limits::UNWRAPPED),
            Fidelity::Messages | Fidelity::Masked | Fidelity::Adding(_) => Some(&limits::PARSED),
        };
        let is_refused = matches!(self.read, Read::Refused(_));
        self.limits.iter().chain(general.filter(|_| !keeps_lines && !is_refused))
    }

    /// The lane whose messages those of the other one repeat, when there are only these lanes.
    pub fn repeated_lane(&self, lanes: &[&str]) -> Option<&'static str> {
        let is_repeated = self.is(&conductor_debug::FORMAT)
            && lanes.len() == 2
            && lanes.contains(&conductor_debug::CLIENT_LANE);
        is_repeated.then_some(conductor_debug::CLIENT_LANE)
    }

    /// Whether what opens a connection may be in another lane than what follows.
    pub fn scatters(&self, lanes: &[&str]) -> bool {
        self.is(&conductor_trace::FORMAT) && lanes.len() > 1
    }
}

/// What a line or passage of a recording holds.
#[derive(Clone, Debug)]
pub struct Record<'t> {
    pub body: Body<'t>,
    /// What the recording says about who sent it.
    pub label: Option<Label<'t>>,
    /// Seconds on the recorder's clock.
    pub at: Option<f64>,
    /// Which connection of several it belongs to.
    pub lane: Option<Cow<'t, str>>,
}

impl<'t> Record<'t> {
    /// Nothing that is to be judged.
    pub const NOTHING: Self = Self { body: Body::Nothing, label: None, at: None, lane: None };

    /// A body of which nothing more is known.
    pub fn of(body: Body<'t>) -> Self {
        Self { body, ..Self::NOTHING }
    }

    fn labelled(body: Body<'t>, label: Option<Label<'t>>) -> Self {
        Self { body, label, ..Self::NOTHING }
    }

    fn said_by(body: Body<'t>, side: Side) -> Self {
        Self::labelled(body, Some(Label::Side(side)))
    }
}

/// What a recorder says about who sent a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label<'t> {
    /// A word, whose meaning the methods of the messages tell.
    Word(Cow<'t, str>),
    /// The side itself, by what else the record says.
    Side(Side),
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
    /// A message of another protocol, with its id: it and its answer are set apart.
    Foreign(Option<Node<'t>>),
    /// No message: a header, a note, a line of a log.
    Nothing,
}
