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
    /// As before, and a message may go over several lines.
    Joined(for<'t> fn(&'t str) -> Record<'t>),
    /// The file is one JSON text.
    Document(for<'t> fn(Node<'t>, &mut Vec<Record<'t>>)),
    /// The file is one text, and no JSON.
    Text(for<'t> fn(&'t str, &mut Vec<Record<'t>>)),
    /// Not at all, for a reason and with a remedy, as a sentence without a full stop.
    Refused(&'static str),
}

impl Read {
    /// Whether files of the format are JSON Lines: each line is one JSON text.
    pub fn is_of_values(&self) -> bool {
        matches!(self, Self::Values(_) | Self::Messages { .. })
    }

    /// What a line holds that is a JSON text; `None` where lines are none.
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

/// How true to the wire a writer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// It keeps lines as they crossed the wire, those too that are no messages.
    Wire,
    /// It keeps every line as it crossed the wire beside who sent it, from the beginning of the
    /// connection, and tells where the connection ends.
    Recorded,
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
    /// The bytes as text.
    pub text: &'s str,
    /// The lines that are JSON texts; the values, when they are spread over lines.
    pub values: &'s [Node<'s>],
}

impl<'s> Beginning<'s> {
    /// How likely it is that the format wrote the file: sure where `is_own` holds for most of the objects
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

    /// Sure when most values have this in common, or when the file has a header of the format and no
    /// messages in any other form.
    pub(super) fn headed(&self, is_headed: bool, is_own: impl Fn(Node<'s>) -> bool) -> Likelihood {
        let has_messages = || self.values.iter().any(|value| holds_message(*value));
        Likelihood::sure_if(is_headed && !has_messages()).max(self.mostly(is_own))
    }

    /// Sure when most lines have this in common. Those that name no version of JSON-RPC do not count.
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

    /// The lines that are not blank, without what surrounds them.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'s str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty())
    }

    /// Whether the text is Markdown with messages in code blocks: the fences come in pairs, and no
    /// message stands outside of them.
    pub(super) fn is_fenced(&self) -> bool {
        /// Marks that open a code block; the same mark closes it.
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

/// Whether an object may hold a message: it has the members of one, or a member of it has.
fn holds_message(object: Node<'_>) -> bool {
    let may_be = |value: Node<'_>| match value.text() {
        Some(text) => text.as_cow().trim_start().starts_with(['{', '[']),
        None => looks_like_message(value),
    };
    looks_like_message(object) || object.members().any(|(_, value)| may_be(value))
}

/// Whether a line is a message by itself.
fn is_message_text(line: &str) -> bool {
    let mut tape = Tape::default();
    line.starts_with(['{', '['])
        && tape.parse(line).is_ok()
        && looks_like_message(Doc::new(line, &tape, Origin::START).root())
}

/// How sure a format is that it recognises the beginning of a file.
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
    /// Whether it is the same format.
    pub fn is(&self, other: &Self) -> bool {
        self.name == other.name
    }

    /// The side whose answers the writer never keeps.
    pub fn lacks_answers_of(&self) -> Option<Side> {
        self.limits.iter().find_map(|limit| match limit.loss {
            Loss::AnswersOf(side) => Some(side),
            _ => None,
        })
    }

    /// What the writer writes to one file.
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

    /// What the writer does to the messages, all of it; `keeps_lines` when the file tells that it
    /// keeps lines as they crossed the wire after all.
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

/// What a recorder writes to one file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// A connection from its beginning.
    #[default]
    Whole,
    /// A connection of which nothing can be missing at the beginning.
    Complete,
    /// A connection from the middle, perhaps.
    Late,
    /// Connection after connection, the first from the middle, perhaps.
    Several,
}
