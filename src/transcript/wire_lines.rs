//! Reads lines that a recorder has kept just as they crossed the wire, each beside its sender.
//!
//! What holds for the lines of a plain file holds for them, too: a line may be no JSON, begin with a
//! byte order mark, be an LSP header, or be one of several over which a message is spread. A sender is
//! at fault for its own lines alone, so only lines that follow each other are joined.

use crate::{
    json::{Doc, Tape},
    protocol::Side,
    source::{Layout, Origin, Span, narrow},
    transcript::{
        Flaw, FlawKind, Passage, RecordedMessage,
        flaw::not_json,
        multiline::{Depth, JOINED_BYTES, JOINED_LINES, is_beginning},
        passage::OnPassage,
        text::{BYTE_ORDER_MARK, framed, is_blank, is_message_like, lsp_header},
    },
};

/// Reads the lines of a recording that keeps each line as it was sent, and joins lines of one
/// message.
#[derive(Debug, Default)]
pub(super) struct WireLines {
    tape: Tape,
    /// Whether an LSP header has been reported already.
    is_lsp: bool,
    open: Option<OpenLines>,
}

/// A line as a side sent it, with its sender, time and place in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct WireLine<'t> {
    pub(super) text: &'t str,
    pub(super) origin: Origin<'t>,
    /// Place of the whole line in the recording.
    pub(super) place: Span,
    pub(super) sender: Option<Side>,
    pub(super) at: Option<f64>,
    /// Whether the sender closed the connection before the end of the line.
    pub(super) is_cut: bool,
}

/// Lines of one side that may form one message together.
#[derive(Debug)]
struct OpenLines {
    lines: Vec<KeptLine>,
    /// The text of all lines so far, joined with blanks.
    text: String,
    depth: Depth,
    sender: Option<Side>,
    at: Option<f64>,
}

/// A copy of a line that waits for further lines of the same message.
#[derive(Debug)]
struct KeptLine {
    text: String,
    start: u64,
    /// Where the parts of the line's text begin: for each part its offset in the text and its offset
    /// in the file, in bytes, as in [`Layout::Mapped`].
    steps: Vec<(u32, u32)>,
    place: Span,
}

impl WireLines {
    /// Reads the next line of a side, and passes on messages that it completes.
    pub(super) fn take(&mut self, line: &WireLine<'_>, on: OnPassage<'_>) {
        let Some(rest) = line.text.strip_prefix(BYTE_ORDER_MARK) else {
            return self.unmarked(line, on);
        };
        let mark = narrow(BYTE_ORDER_MARK.len());
        let flaw = Flaw::new(FlawKind::ByteOrderMark, line.origin.span(0, mark), "");
        on(Passage::Flaw(&Flaw { sender: line.sender, ..flaw }));
        // The mark itself is never escaped.
        let behind = |&(text, file): &(u32, u32)| match text.checked_sub(mark) {
            Some(text) => (text, file),
            None => (0, file + (mark - text)),
        };
        let steps: Vec<_> = KeptLine::new(line).steps.iter().map(behind).collect();
        let layout = Layout::Mapped { steps: &steps, starts: &[] };
        let origin = Origin { layout, ..line.origin };
        self.unmarked(&WireLine { text: rest, origin, ..*line }, on);
    }

    /// Reads a line after a byte order mark at its beginning was removed.
    fn unmarked(&mut self, line: &WireLine<'_>, on: OnPassage<'_>) {
        if let Some(open) = self.open.take() {
            if open.sender == line.sender {
                if self.join(open, line, on) {
                    return;
                }
            } else {
                self.give_up(&open, on);
            }
        }
        self.single(line, on);
    }

    /// Whether lines wait for further lines of the same message.
    pub(super) fn is_waiting(&self) -> bool {
        self.open.is_some()
    }

    /// Reads the waiting lines one by one, because no more lines of their side follow.
    pub(super) fn close(&mut self, on: OnPassage<'_>) {
        if let Some(open) = self.open.take() {
            self.give_up(&open, on);
        }
    }

    /// Reads a line that is not part of a message over several lines.
    fn single(&mut self, line: &WireLine<'_>, on: OnPassage<'_>) {
        let text = line.text;
        if is_blank(text) {
            return;
        }
        if let Some(header) = lsp_header(text) {
            return self.header(header, 0, line, on);
        }
        let mut tape = std::mem::take(&mut self.tape);
        match tape.parse(text) {
            Ok(()) => line.message(text, &tape, on),
            Err(fault) => match framed(text, fault) {
                Some((message, header)) if tape.parse(message).is_ok() => {
                    self.header(header, message.len(), line, on);
                    line.message(message, &tape, on);
                }
                _ if is_beginning(text, fault) && line.is_cut => line.cut(on),
                _ if is_beginning(text, fault) && text.trim_start().starts_with('{') => {
                    self.open = Some(OpenLines::new(line));
                }
                _ => line.not_json(fault, on),
            },
        }
        self.tape = tape;
    }

    fn header(&mut self, header: &str, from: usize, line: &WireLine<'_>, on: OnPassage<'_>) {
        if !std::mem::replace(&mut self.is_lsp, true) {
            let span = line.origin.span(narrow(from), narrow(from + header.len()));
            let flaw = Flaw::new(FlawKind::LspHeader, span, header);
            on(Passage::Flaw(&Flaw { sender: line.sender, ..flaw }));
        }
    }

    /// Adds a line to open ones. Returns `false` if the line does not belong to them, which are
    /// then read one by one.
    fn join(&mut self, mut open: OpenLines, line: &WireLine<'_>, on: OnPassage<'_>) -> bool {
        let mut tape = std::mem::take(&mut self.tape);
        let is_new = line.text.starts_with('{')
            && tape.parse(line.text).is_ok()
            && is_message_like(Doc::new(line.text, &tape, Origin::START).root());
        let fits = open.lines.len() < JOINED_LINES
            && open.text.len() + line.text.len() < JOINED_BYTES
            && line.place.start >= open.lines[0].start
            && line.place.end() - open.lines[0].start < u64::from(u32::MAX);
        let is_joined = !is_new && fits && {
            open.push(line);
            let is_closed = open.depth.is_closed();
            // Parsing at lengths that double costs no more than parsing once.
            if !is_closed && !line.is_cut && !open.lines.len().is_power_of_two() {
                self.open = Some(open);
                self.tape = tape;
                return true;
            }
            match tape.parse(&open.text) {
                Ok(()) => open.message(&tape, self.is_lsp, on),
                Err(fault) if is_beginning(&open.text, fault) && line.is_cut => {
                    line.cut(on);
                    true
                }
                Err(fault) if is_beginning(&open.text, fault) && !is_closed => {
                    self.open = Some(open);
                    self.tape = tape;
                    return true;
                }
                Err(_) => false,
            }
        };
        self.tape = tape;
        if !is_joined {
            if !is_new && fits {
                open.lines.pop();
            }
            self.give_up(&open, on);
        }
        is_joined
    }

    /// Reads lines one by one that turned out not to form one message.
    fn give_up(&mut self, open: &OpenLines, on: OnPassage<'_>) {
        let mut tape = std::mem::take(&mut self.tape);
        for kept in &open.lines {
            let line = kept.line(open.sender, open.at);
            match tape.parse(line.text) {
                _ if is_blank(line.text) => {}
                Ok(()) => line.message(line.text, &tape, on),
                Err(fault) => line.not_json(fault, on),
            }
        }
        self.tape = tape;
    }
}

impl WireLine<'_> {
    fn message(&self, text: &str, tape: &Tape, on: OnPassage<'_>) {
        let doc = Doc::new(text, tape, self.origin);
        let (sender, at) = (self.sender, self.at);
        on(Passage::Message(RecordedMessage { node: doc.root(), sender, at, unsure: &[] }));
    }

    fn cut(&self, on: OnPassage<'_>) {
        let flaw = Flaw::new(FlawKind::CutTail, self.place, self.text);
        on(Passage::Flaw(&Flaw { sender: self.sender, ..flaw }));
    }

    fn not_json(&self, fault: crate::json::Fault, on: OnPassage<'_>) {
        let place = |from: usize, len: usize| self.origin.span(narrow(from), narrow(from + len));
        on(Passage::Flaw(&not_json(self.text, fault, self.sender, place)));
    }
}

impl KeptLine {
    fn new(line: &WireLine<'_>) -> Self {
        let steps = match line.origin.layout {
            Layout::Mapped { steps, .. } => steps.to_vec(),
            Layout::Line | Layout::Lines(_) => vec![(0, 0)],
        };
        Self { text: line.text.to_owned(), start: line.origin.start, steps, place: line.place }
    }

    fn line(&self, sender: Option<Side>, at: Option<f64>) -> WireLine<'_> {
        let origin = Origin {
            start: self.start,
            line: self.place.line,
            column: narrow(usize::try_from(self.start - self.place.line_start()).unwrap_or(0)),
            layout: Layout::Mapped { steps: &self.steps, starts: &[] },
        };
        WireLine { text: &self.text, origin, place: self.place, sender, at, is_cut: false }
    }
}

impl OpenLines {
    fn new(line: &WireLine<'_>) -> Self {
        Self {
            text: line.text.to_owned(),
            depth: Depth::default().after(line.text),
            lines: vec![KeptLine::new(line)],
            sender: line.sender,
            at: line.at,
        }
    }

    /// Adds a line, which the caller has found to fit, to the open ones.
    fn push(&mut self, line: &WireLine<'_>) {
        self.text.push(' ');
        self.text.push_str(line.text);
        self.depth = self.depth.after(line.text);
        self.lines.push(KeptLine::new(line));
    }

    /// Passes on the message that the lines form together. Returns `false` if they form none.
    fn message(&self, tape: &Tape, is_lsp: bool, on: OnPassage<'_>) -> bool {
        let [first, .., last] = self.lines.as_slice() else { return false };
        let (mut steps, mut starts, mut length) = (Vec::new(), Vec::new(), 0);
        let base = first.start;
        let from_base = |place: u64| narrow(usize::try_from(place - base).unwrap_or(usize::MAX));
        for line in &self.lines {
            if length > 0 {
                starts.push(from_base(line.place.line_start()));
                length += 1;
            }
            let here = from_base(line.start);
            steps.extend(line.steps.iter().map(|(text, file)| (length + text, here + file)));
            length += narrow(line.text.len());
            steps.push((length, from_base(line.place.end().saturating_sub(1))));
        }
        let layout = Layout::Mapped { steps: &steps, starts: &starts };
        let origin = Origin { layout, ..first.line(None, None).origin };
        let doc = Doc::new(&self.text, tape, origin);
        if !is_message_like(doc.root()) {
            return false;
        }
        let sender = self.sender;
        if !is_lsp {
            let kind = FlawKind::EmbeddedNewline { last: last.place };
            on(Passage::Flaw(&Flaw { sender, ..Flaw::new(kind, first.place, &self.text) }));
        }
        let message = RecordedMessage { node: doc.root(), sender, at: self.at, unsure: &[] };
        on(Passage::Message(message));
        true
    }
}
