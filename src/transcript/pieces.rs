//! Cuts strings into messages that a recorder has kept as they came, each with several messages or a part
//! of one.
//!
//! Such a string is a piece of what one side sent. Line breaks in it are the sender's and end messages;
//! what stands behind the last one waits for the next piece of the same side and connection.

use crate::{
    json::{Doc, Fault, Reason, Tape},
    source::{Layout, Origin, Span, narrow},
    transcript::{
        SenderLabel,
        multiline::{Depth, JOINED_BYTES, is_beginning},
        text::is_blank,
        wrapper::looks_like_message,
    },
};

/// Most messages that wait for their ends; beyond that, the oldest is given up.
const RESTS: usize = 16;
/// Most lines of the file from the first to the last fragment of one message; beyond that, the
/// message is given up.
const LINES: u32 = 10_000;

/// Joins fragments of the byte stream of each side into messages, for recorders that keep the
/// stream as it was read.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    open: Vec<Rest>,
    tape: Tape,
}

/// A function that receives complete texts of messages. Its flag is `false` for the beginning of a
/// message whose end never comes.
pub(super) type OnComplete<'a> = &'a mut dyn FnMut(&str, Origin<'_>, bool);

/// The connection and side that a fragment of the byte stream comes from. Only fragments of one
/// source are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source<'t> {
    pub(super) lane: Option<&'t str>,
    pub(super) label: Option<&'t SenderLabel<'t>>,
}

/// The beginning of a message that waits for its next fragment.
#[derive(Debug)]
struct Rest {
    lane: Option<Box<str>>,
    label: Option<SenderLabel<'static>>,
    text: String,
    depth: Depth,
    /// Where the parts of the text stand: pairs of an offset in the text and one in the file, as in
    /// [`Layout::Mapped`].
    steps: Vec<(u32, u32)>,
    starts: Vec<u32>,
    /// Place of the message's first byte in the file.
    first: Span,
    /// Line of the file with the last fragment that has come.
    line: u32,
}

/// Whether a string has line breaks behind messages, as in recordings of what was received rather
/// than of lines.
pub(super) fn breaks_lines(text: &str) -> bool {
    let is_line = || text.find('\n').is_some_and(|at| at + 1 == text.len());
    text.contains("}\n{") || text.ends_with("}\n") && is_line()
}

/// Whether a text that is not JSON may be a message whose end was cut off: only its end is wrong,
/// or a short mark stands there.
pub(super) fn is_cut(text: &str, fault: Fault) -> bool {
    /// Most bytes of a mark with which a logger replaces the end of a message, such as `...
    /// (truncated)`.
    const MARK: usize = 64;
    let begins = text.trim_start().starts_with(['{', '[']) && text.contains('"');
    let rest = text.get(fault.at as usize..).unwrap_or_default().trim();
    let is_mark = || {
        fault.reason != Reason::End
            && !is_blank(rest)
            && rest.len() <= MARK
            && !rest.contains(['"', '{', '}', '\\'])
            && (rest.contains("..") || !rest.is_ascii() || rest.contains(char::is_alphabetic))
    };
    // Who writes the break of the line has sent it to its end.
    begins && !text.ends_with('\n') && (is_beginning(text, fault) || is_mark())
}

impl Pieces {
    /// Takes the next fragment of a byte stream, and calls `on` for each text that it completes.
    pub(super) fn take(
        &mut self,
        text: &str,
        origin: Origin<'_>,
        source: Source<'_>,
        on: OnComplete<'_>,
    ) {
        let Some(mut rest) = self.waiting(source) else {
            return self.split(text, origin, source, on);
        };
        // What is a message by itself continues nothing: the end of what waits is missing.
        let first = text.split('\n').next().unwrap_or_default();
        if self.is_message(first) || !rest.push(text, origin) {
            on(&rest.text, rest.origin(), false);
            return self.split(text, origin, source, on);
        }
        if !rest.depth.is_closed() && !text.contains('\n') {
            return self.keep(rest, on);
        }
        self.split(&rest.text, rest.origin(), source, on);
    }

    /// Gives up the unfinished message of a source (a side of a connection), since the next message
    /// of that source has come whole.
    pub(super) fn interrupt(&mut self, source: Source<'_>, on: OnComplete<'_>) {
        if let Some(rest) = self.waiting(source) {
            on(&rest.text, rest.origin(), false);
        }
    }

    /// Gives up all messages whose ends have not come, at the end of the file. Returns the name of
    /// the connection of each.
    pub(super) fn give_up(&mut self) -> impl Iterator<Item = Option<Box<str>>> {
        std::mem::take(&mut self.open).into_iter().map(|rest| rest.lane)
    }

    /// Calls `on` for each line of a text, and keeps the last one if it may be the beginning of a
    /// message.
    fn split(&mut self, text: &str, origin: Origin<'_>, source: Source<'_>, on: OnComplete<'_>) {
        // A recorder may have printed one message over lines.
        if self.tape.parse(text).is_ok() {
            return on(text, origin, true);
        }
        let mut from = 0;
        for line in text.split_inclusive('\n') {
            let place = narrow(from)..narrow(from + line.len());
            from += line.len();
            if is_blank(line) {
                continue;
            }
            let part = origin.part(place);
            let is_open = !line.ends_with('\n')
                && line.trim_start().starts_with('{')
                && self.tape.parse(line).is_err_and(|fault| is_beginning(line, fault));
            if is_open {
                self.keep(Rest::new(line, part.as_origin(), source), on);
            } else {
                on(line, part.as_origin(), true);
            }
        }
    }

    fn is_message(&mut self, text: &str) -> bool {
        self.tape.parse(text).is_ok()
            && looks_like_message(Doc::new(text, &self.tape, Origin::START).root())
    }

    /// Keeps the beginning of a message until its next fragment comes. Gives up the oldest if too
    /// many wait.
    fn keep(&mut self, rest: Rest, on: OnComplete<'_>) {
        if self.open.len() >= RESTS {
            let oldest = self.open.remove(0);
            on(&oldest.text, oldest.origin(), false);
        }
        self.open.push(rest);
    }

    /// Takes out the beginning of a message that waits for a fragment of this source; `None` when
    /// none waits.
    fn waiting(&mut self, source: Source<'_>) -> Option<Rest> {
        let index = self.open.iter().position(|rest| rest.source() == source)?;
        Some(self.open.remove(index))
    }
}

impl Rest {
    /// The beginning of a message, from a text on one line of the file.
    fn new(text: &str, origin: Origin<'_>, source: Source<'_>) -> Self {
        let Origin { start, line, column, .. } = origin;
        let mut rest = Self {
            lane: source.lane.map(Box::from),
            label: source.label.cloned().map(SenderLabel::into_owned),
            text: String::new(),
            depth: Depth::default(),
            steps: Vec::new(),
            starts: Vec::new(),
            first: Span { start, len: 0, line, column },
            line,
        };
        rest.add(text, origin, 0);
        rest
    }

    fn source(&self) -> Source<'_> {
        Source { lane: self.lane.as_deref(), label: self.label.as_ref() }
    }

    /// Adds a fragment to the beginning of a message. Returns `false`, without a change, when the
    /// fragment cannot belong to that message.
    fn push(&mut self, text: &str, origin: Origin<'_>) -> bool {
        let lines = origin.line.saturating_sub(self.first.line);
        let distance = origin.start.checked_sub(self.first.start);
        let distance = distance.and_then(|it| u32::try_from(it).ok());
        let Some(distance) = distance.filter(|it| *it < u32::MAX / 2 && lines < LINES) else {
            return false;
        };
        if self.text.len() + text.len() > JOINED_BYTES {
            return false;
        }
        // Lines of others stand between: they count, though no place is in them.
        let begins = distance.saturating_sub(origin.column);
        let between = origin.line.saturating_sub(self.line);
        self.starts.extend(std::iter::repeat_n(begins, between as usize));
        self.line = origin.line;
        self.add(text, origin, distance);
        true
    }

    fn add(&mut self, text: &str, origin: Origin<'_>, distance: u32) {
        let length = narrow(self.text.len());
        match origin.layout {
            Layout::Mapped { steps, .. } => {
                self.steps.extend(steps.iter().map(|&(own, file)| (length + own, distance + file)));
            }
            Layout::Line | Layout::Lines(_) => self.steps.push((length, distance)),
        }
        self.text.push_str(text);
        self.depth = self.depth.after(text);
    }

    fn origin(&self) -> Origin<'_> {
        let Span { start, line, column, .. } = self.first;
        let layout = Layout::Mapped { steps: &self.steps, starts: &self.starts };
        Origin { start, line, column, layout }
    }
}
