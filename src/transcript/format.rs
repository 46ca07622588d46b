//! What a transcript format is: a value that says who writes it, how a file of it is recognised, and
//! how its messages are read.

use crate::{
    json::{Doc, Node, Tape},
    protocol::Side,
    source::Origin,
    transcript::{
        limits::{self, Limit, Loss},
        record::{Body, Record},
        wrapper::looks_like_message,
    },
};

/// A form in which a program writes ACP traffic into files, with the functions that recognize and
/// read it.
#[derive(Debug)]
pub struct Format {
    /// Name by which users select the format and reports name it.
    pub name: &'static str,
    /// The program that writes the format, in one line.
    pub about: &'static str,
    /// How users get a file in this format: which setting, command or path.
    pub obtain: &'static str,
    /// What the recorder drops or changes, besides what `fidelity` says.
    pub limits: &'static [Limit],
    pub fidelity: Fidelity,
    /// How likely a file with this beginning is in the format.
    pub detect: fn(&Beginning<'_>) -> Likelihood,
    pub read: Read,
}

/// How files of a format are split into records.
#[derive(Clone, Copy, Debug)]
pub enum Read {
    /// Each line is a JSON text, and the function returns the record (a message with its sender and
    /// time) that stands in it.
    Values(for<'t> fn(Node<'t>) -> Record<'t>),
    /// Each line is a JSON text, and is itself the message, except notes of the recorder.
    Messages {
        /// Says whether a line is a note of the recorder rather than a message.
        is_note: for<'t> fn(Node<'t>) -> bool,
    },
    /// Each line is text rather than JSON; the function takes the record from it.
    Lines(for<'t> fn(&'t str) -> Record<'t>),
    /// Each line is text rather than JSON, and a message may go over several lines.
    Joined(for<'t> fn(&'t str) -> Record<'t>),
    /// The whole file is one JSON text, from which the function takes all records.
    Document(for<'t> fn(Node<'t>, &mut Vec<Record<'t>>)),
    /// The whole file is one text other than JSON, from which the function takes all records.
    Text(for<'t> fn(&'t str, &mut Vec<Record<'t>>)),
    /// The format cannot be read. The text says why, and what to do instead: a sentence without a
    /// full stop.
    Refused(&'static str),
}

impl Read {
    /// Whether files of the format are JSON Lines: each line is one JSON text.
    pub fn is_of_values(&self) -> bool {
        matches!(self, Self::Values(_) | Self::Messages { .. })
    }

    /// The record in a line that is a JSON text; `None` for formats whose lines are not.
    pub fn record<'t>(&self, line: Node<'t>) -> Option<Record<'t>> {
        match self {
            Self::Values(read) => Some(read(line)),
            Self::Messages { is_note } if is_note(line) => Some(Record::NOTHING),
            Self::Messages { .. } => Some(Record::of(Body::Message(line))),
            Self::Lines(_)
            | Self::Joined(_)
            | Self::Document(_)
            | Self::Text(_)
            | Self::Refused(_) => None,
        }
    }
}

/// How much of what was sent the recorder keeps: lines, texts of messages, or only their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// Lines are kept as they were sent, also those that are not messages.
    Wire,
    /// Each line is kept as it was sent, with its sender, from the beginning of the connection; so
    /// is the end of the connection.
    Recorded,
    /// The texts of messages are kept as they were written, but no other lines.
    Texts,
    /// Only the JSON values of messages are kept, not how they were written.
    Messages,
    /// Only the JSON values of messages are kept, and some are masked by words such as
    /// `<REDACTED>`.
    Masked,
    /// Only the JSON values of messages are kept, and these members are added to each.
    Adding(&'static [&'static str]),
}

/// The beginning of a file, by which its format is recognized.
#[derive(Clone, Copy, Debug)]
pub struct Beginning<'s> {
    pub bytes: &'s [u8],
    /// The bytes as text, with replacement characters for what is not UTF-8.
    pub text: &'s str,
    /// The JSON texts on the lines, or those spread over several lines.
    pub values: &'s [Node<'s>],
}

impl<'s> Beginning<'s> {
    /// How likely it is that the file is of a format: `Sure` if `is_own` holds for most objects
    /// with a message in them. Other objects do not count, since any program may have printed them.
    pub(super) fn mostly(&self, is_own: impl Fn(Node<'s>) -> bool) -> Likelihood {
        let (mut own, mut all) = (0, 0);
        let mut before = "";
        for object in self.values.iter().filter(|value| value.is_object()) {
            // One line many times over tells no more than one.
            if std::mem::replace(&mut before, object.raw()) == object.raw() {
                continue;
            }
            let is_own = is_own(*object);
            own += usize::from(is_own);
            all += usize::from(is_own || holds_message(*object));
        }
        Likelihood::sure_if(own * 2 > all)
    }

    /// How likely it is that the file is of a format: `Sure` if `is_own` holds for most values, or
    /// if the file has the format's header and no messages in another form.
    pub(super) fn headed(&self, is_headed: bool, is_own: impl Fn(Node<'s>) -> bool) -> Likelihood {
        let has_messages = || self.values.iter().any(|value| holds_message(*value));
        Likelihood::sure_if(is_headed && !has_messages()).max(self.mostly(is_own))
    }

    /// How likely it is that the file is of a format: `Sure` if `is_own` holds for most of the
    /// lines that name a version of JSON-RPC.
    pub(super) fn mostly_lines(&self, is_own: impl Fn(&str) -> bool) -> Likelihood {
        let (mut own, mut all) = (0, 0);
        let mut before = "";
        for line in self.lines() {
            if std::mem::replace(&mut before, line) == line {
                continue;
            }
            let is_own = is_own(line);
            own += usize::from(is_own);
            all += usize::from(is_own || line.contains("jsonrpc"));
        }
        Likelihood::sure_if(own * 2 > all)
    }

    /// The lines of the beginning that are not blank, without spaces around them.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'s str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// Whether the text is Markdown with all its messages in fenced code blocks.
    pub(super) fn is_fenced(&self) -> bool {
        /// Marks that open a code block in Markdown; the same mark closes the block.
        const FENCES: [&str; 2] = ["```", "~~~"];
        let (mut open, mut blocks, mut in_block) = (None, 0, 0);
        for line in self.text.lines() {
            // What is indented further is code without a fence.
            let indent = line.len() - line.trim_start().len();
            let body = line.trim_start().trim_start_matches("> ");
            let fence = FENCES.into_iter().find(|fence| body.starts_with(fence));
            match (open, fence) {
                (None, Some(fence)) => (open, in_block) = (Some(fence), 0),
                (Some(own), Some(fence)) if own == fence => {
                    open = None;
                    blocks += usize::from(in_block > 0);
                }
                (None, None) if indent < 4 && is_message_text(body) => return false,
                (Some(_), None) if body.starts_with(['{', '[']) => in_block += 1,
                _ => {}
            }
        }
        // A text that ends in a block is cut off, or a fence is all that there is.
        blocks > 0
    }
}

/// Whether an object looks like a message, or a member of it does.
fn holds_message(object: Node<'_>) -> bool {
    let may_be = |value: Node<'_>| match value.text() {
        Some(text) => text.as_cow().trim_start().starts_with(['{', '[']),
        None => looks_like_message(value),
    };
    looks_like_message(object) || object.members().any(|(_, value)| may_be(value))
}

/// Whether a line by itself is the JSON text of a message.
fn is_message_text(line: &str) -> bool {
    let mut tape = Tape::default();
    line.starts_with(['{', '['])
        && tape.parse(line).is_ok()
        && looks_like_message(Doc::new(line, &tape, Origin::START).root())
}

/// How certain it is, by a file's beginning, that a recorder wrote it in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likelihood {
    No,
    Possible,
    Sure,
}

impl Likelihood {
    pub(super) fn sure_if(is_sure: bool) -> Self {
        if is_sure { Self::Sure } else { Self::No }
    }
}

impl Format {
    /// Whether both are the same format, by their names.
    pub fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// The side whose answers the writer never keeps; `None` where there is none.
    pub fn lacks_answers_of(&self) -> Option<Side> {
        self.limits.iter().find_map(|limit| match limit.loss {
            Loss::AnswersOf(side) => Some(side),
            _ => None,
        })
    }

    /// Which part of a connection, or whether several connections, one file of the format has.
    pub fn extent(&self) -> Extent {
        let lacks = |loss| self.limits.iter().any(|limit| limit.loss == loss);
        if lacks(Loss::Boundaries) {
            Extent::Several
        } else if self.fidelity == Fidelity::Recorded {
            Extent::Complete
        } else if lacks(Loss::Beginning) {
            Extent::Late
        } else {
            Extent::Whole
        }
    }

    /// All limits of the format. `keeps_lines` says that this file keeps lines as they were sent,
    /// although the format does not promise that.
    pub fn limits(&self, keeps_lines: bool) -> impl Iterator<Item = &'static Limit> {
        let general = match self.fidelity {
            Fidelity::Wire | Fidelity::Recorded => None,
            Fidelity::Texts => Some(&limits::UNWRAPPED),
            Fidelity::Messages | Fidelity::Masked | Fidelity::Adding(_) => Some(&limits::PARSED),
        };
        let is_refused = matches!(self.read, Read::Refused(_));
        self.limits.iter().chain(general.filter(|_| !keeps_lines && !is_refused))
    }
}

/// Which part of a connection, or of several, one file of a recorder holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The file has one connection from its beginning, as a rule.
    #[default]
    Whole,
    /// The file has one connection, certainly from its beginning.
    Complete,
    /// The file has one connection, perhaps only from its middle on.
    Late,
    /// The file has several connections in a row, the first perhaps only from its middle on.
    Several,
}
