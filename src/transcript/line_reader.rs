//! Reads the lines of a transcript: cuts off encodings and headers, joins messages that go over
//! lines, and tells what is not JSON.
//!
//! Lines go in; the records that they hold go to the [`Unwrapper`], which hands on passages.

use crate::{
    json::{Doc, Fault, Node, Tape},
    source::{Origin, Span, narrow},
    transcript::{
        Body, Fidelity, Flaw, FlawKind, Format, Passage, Read, Record, RecordedMessage,
        detect::{Detected, Grouping},
        flaw::{not_json, undecoded},
        joiner::{Joiner, OnText},
        multiline::{
            Depth, JOINED_BYTES, JOINED_LINES, LineStart, OpenMessage, array_head, is_beginning,
        },
        passage::OnPassage,
        text::{
            BYTE_ORDER_MARK, framed, is_bare_message, is_blank, is_message_like, is_utf16,
            lsp_header,
        },
        unwrapper::{Ending, Unwrapper},
    },
};

/// Reads a file line by line, joins lines of one message, and passes on records and flaws.
#[derive(Debug)]
pub(super) struct LineReader {
    unwrapper: Unwrapper,
    grouping: Grouping,
    tape: Tape,
    /// Offset and number of the line that comes next.
    next: LineStart,
    /// Lines so far that form one message together with the next ones; `None` when no message is
    /// open.
    open: Option<OpenMessage>,
    /// Lines of a log that wait for further lines of the same message.
    joiner: Joiner,
    /// Whether the file has headers of the Language Server Protocol, such as `Content-Length`.
    is_lsp: bool,
    /// Whether an LSP header stands right before the message that is being read.
    is_framed: bool,
    /// Whether reading has ended before the end of the file; the rest is ignored.
    is_over: bool,
}

impl LineReader {
    /// Makes a reader for the rest of a file. `bytes` are its beginning, `detected` what that has
    /// shown.
    pub(super) fn new(bytes: &[u8], detected: Detected, on: OnPassage<'_>) -> Self {
        let Detected { format, grouping, mut traits } = detected;
        let is_refused = matches!(format.read, Read::Refused(_));
        let is_utf16 = !is_refused && is_utf16(bytes);
        if is_utf16 {
            traits.notes.clear();
            traits.recording.limits.clear();
        }
        let reader = Self {
            unwrapper: Unwrapper::new(format, traits, on),
            grouping,
            tape: Tape::default(),
            next: LineStart { start: 0, line: 1 },
            open: None,
            joiner: Joiner::default(),
            is_lsp: false,
            is_framed: false,
            is_over: is_refused || is_utf16,
        };
        if is_utf16 {
            let span = reader.next.span(0, bytes.len().min(2));
            on(Passage::Flaw(&Flaw::new(FlawKind::Utf16, span, "")));
        }
        reader
    }

    pub(super) fn format(&self) -> &'static Format {
        self.unwrapper.format()
    }

    /// The reader of the records in the file, to ask for counts and notes.
    pub(super) fn unwrapper(&mut self) -> &mut Unwrapper {
        &mut self.unwrapper
    }

    /// Number of the line that comes next, from 1.
    pub(super) fn next_line(&self) -> u32 {
        self.next.line
    }

    /// Whether the rest of the file is ignored, so that no more lines need to be read.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Name of another protocol whose messages the file has in place of ACP's; `None` if it has any
    /// of ACP.
    pub(super) fn foreign(&self) -> Option<&'static str> {
        self.unwrapper.foreign()
    }

    /// Remarks on what the recorder did to the messages: sentences without a full stop.
    pub(super) fn into_notes(self) -> Vec<String> {
        self.unwrapper.into_notes()
    }

    /// Reads the bytes behind the last line break.
    pub(super) fn last_line(&mut self, mut bytes: Vec<u8>, on: OnPassage<'_>) {
        if self.format().fidelity == Fidelity::Recorded && bytes.ends_with(b"}") {
            // `acpcheck record` writes the last brace of a line when it has passed the message on. It may
            // have been ended before.
            bytes.push(b'}');
            let text = std::str::from_utf8(&bytes);
            if !text.is_ok_and(|text| self.tape.parse(text).is_ok()) {
                bytes.pop();
            }
        }
        self.line(&bytes, Ending::Cut, on);
    }

    /// Reads one line, given without its line break.
    pub(super) fn line(&mut self, bytes: &[u8], ending: Ending, on: OnPassage<'_>) {
        let at = self.next;
        self.next.start += bytes.len() as u64 + u64::from(ending == Ending::Break);
        self.next.line = at.line.saturating_add(1);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.close_open(on);
                self.unwrapper.flaw(&undecoded(bytes, error, at, ending == Ending::Cut), on);
                return;
            }
        };
        let (mut body, mut skipped) = (text, 0);
        if let Some(rest) = body.strip_prefix(BYTE_ORDER_MARK) {
            skipped = BYTE_ORDER_MARK.len();
            let (kind, span) = (FlawKind::ByteOrderMark, at.span(0, skipped));
            self.unwrapper.flaw(&Flaw::new(kind, span, ""), on);
            body = rest;
        }
        let log_line = body.trim_end_matches('\r');
        match self.format().read {
            _ if is_blank(body) => self.skip_line(skipped, at, ending, on),
            Read::Lines(read) => {
                let nothing = Tape::default();
                let source = Doc::new(log_line, &nothing, at.origin(skipped));
                let record = read(log_line);
                if matches!(record.body, Body::Nothing) {
                    self.unwrapper.pass_over(log_line);
                }
                self.unwrapper.take(record, &source, ending, on);
            }
            Read::Joined(read) => {
                let take = |joiner: &mut Joiner, on: OnText<'_>| {
                    joiner.line(log_line, at, skipped, on);
                };
                self.joined_log(read, take, ending, on);
            }
            _ => self.json_line(body, skipped, at, ending, on),
        }
    }

    /// Reads a line of a format in which lines are JSON. `at` is the position of the line;
    /// `skipped` is the number of bytes at its start that are not part of `body`.
    fn json_line(
        &mut self,
        mut body: &str,
        mut skipped: usize,
        at: LineStart,
        ending: Ending,
        on: OnPassage<'_>,
    ) {
        if let Some(header) = lsp_header(body) {
            self.lsp_header(header, at.span(skipped, header.len()), on);
            self.is_framed |= self.open.is_none();
            return self.skip_line(skipped, at, ending, on);
        }
        if let Some(open) = self.open.take()
            && self.join(open, body, skipped, at, ending, on)
        {
            return;
        }
        if self.is_pretty() {
            let head = array_head(body).unwrap_or(0);
            (body, skipped) = (without_comma(&body[head..]), skipped + head);
            if matches!(body.trim(), "" | "[" | "]") {
                return;
            }
        }
        let mut tape = std::mem::take(&mut self.tape);
        match tape.parse(body) {
            Ok(()) => self.value(&Doc::new(body, &tape, at.origin(skipped)), on),
            Err(fault) => match framed(body, fault) {
                Some((message, header)) if tape.parse(message).is_ok() => {
                    self.lsp_header(header, at.span(skipped + message.len(), header.len()), on);
                    self.value(&Doc::new(message, &tape, at.origin(skipped)), on);
                }
                _ => self.unparsed(body, skipped, fault, at, ending, on),
            },
        }
        self.tape = tape;
        self.is_framed &= self.open.is_some();
    }

    /// Reads the record in a JSON text, or all records where the file is one array.
    fn value(&mut self, text: &Doc<'_>, on: OnPassage<'_>) {
        let root = text.root();
        let is_list = self.grouping == Grouping::List && root.is_array();
        let elements = is_list.then(|| root.elements()).into_iter().flatten();
        for value in elements.chain((!is_list).then_some(root)) {
            let text = &text.with_root(value);
            match self.format().read {
                // Nothing has to be unwrapped, and there are no lanes.
                Read::Messages { is_note } if !is_note(text.root()) => {
                    let node = text.root();
                    let message = RecordedMessage { node, sender: None, at: None, unsure: &[] };
                    self.unwrapper.message(message, on);
                }
                read => {
                    let Some(mut record) = read.record(text.root()) else { continue };
                    // Whatever the file is, a message that crossed the wire is judged.
                    let is_nothing = matches!(record.body, Body::Nothing);
                    let is_read = matches!(read, Read::Values(_));
                    if is_nothing && is_read && is_sent(text.root()) {
                        record = Record::of(Body::Message(text.root()));
                    }
                    self.unwrapper.take(record, text, Ending::Break, on);
                }
            }
        }
    }

    /// Reads the texts of a log that are complete after a line. `take` passes the line to the
    /// joiner.
    fn joined_log(
        &mut self,
        read: for<'t> fn(&'t str) -> Record<'t>,
        take: impl FnOnce(&mut Joiner, OnText<'_>),
        ending: Ending,
        on: OnPassage<'_>,
    ) {
        let nothing = Tape::default();
        let Self { joiner, unwrapper, .. } = self;
        take(joiner, &mut |text, origin| {
            let record = read(text);
            let holds_message = !matches!(record.body, Body::Nothing);
            if !holds_message {
                unwrapper.pass_over(text);
            }
            unwrapper.take(record, &Doc::new(text, &nothing, origin), ending, on);
            holds_message
        });
    }

    /// Skips a line that adds nothing to an open message, but counts in its places.
    fn skip_line(&mut self, skipped: usize, at: LineStart, ending: Ending, on: OnPassage<'_>) {
        if let Some(open) = self.open.take() {
            self.join(open, "", skipped, at, ending, on);
        }
    }

    fn lsp_header(&mut self, header: &str, span: Span, on: OnPassage<'_>) {
        if !std::mem::replace(&mut self.is_lsp, true) {
            let kind = FlawKind::LspHeader;
            self.unwrapper.flaw(&Flaw::new(kind, span, header), on);
        }
    }

    /// Handles a line that is not by itself JSON: it begins a message, or is a flaw.
    fn unparsed(
        &mut self,
        body: &str,
        skipped: usize,
        fault: Fault,
        at: LineStart,
        ending: Ending,
        on: OnPassage<'_>,
    ) {
        let begins = is_beginning(body, fault);
        let opens = |bracket| body.trim_start().starts_with(bracket);
        if begins && ending == Ending::Cut && (opens('{') || opens('[')) {
            let (kind, span) = (FlawKind::CutTail, at.span(skipped, body.len()));
            self.unwrapper.flaw(&Flaw::new(kind, span, body), on);
        } else if begins && ending == Ending::Break && opens('{') {
            self.open = Some(OpenMessage::new(body, at, skipped));
        } else {
            self.unwrapper
                .flaw(&not_json(body, fault, None, |from, len| at.span(skipped + from, len)), on);
        }
    }

    /// Adds a line to an open message. Returns `false` if the line does not belong to the message,
    /// which is then given up.
    fn join(
        &mut self,
        mut open: OpenMessage,
        body: &str,
        skipped: usize,
        at: LineStart,
        ending: Ending,
        on: OnPassage<'_>,
    ) -> bool {
        let is_pretty = self.is_pretty();
        // A whole message ends the hope that the lines before it belong together; inside a
        // pretty-printed one, a line such as `{}` or `"a"` is a JSON text too.
        let is_new = body.starts_with('{') && (is_pretty || self.is_message(body));
        let fits = open
            .len_with(body, at, skipped)
            .is_some_and(|len| is_pretty || open.lines() < JOINED_LINES && len <= JOINED_BYTES);
        if is_new || !fits {
            self.reread_lines(&open, on);
            return false;
        }
        // The next header may be glued to the end of a message that is framed by its length.
        let end = if self.is_lsp { body.find("}Content-") } else { None };
        open.push(end.map_or(body, |end| &body[..=end]), at, skipped);
        let is_closed = open.is_closed();
        let is_end = ending == Ending::Cut;
        // Parsing at lengths that double costs no more than parsing once.
        if !is_closed && !is_end && !open.lines().is_power_of_two() {
            self.open = Some(open);
            return true;
        }
        let mut tape = std::mem::take(&mut self.tape);
        let text = if is_pretty { without_comma(&open.text) } else { &open.text };
        let is_joined = match tape.parse(text) {
            Ok(()) => {
                let doc = Doc::new(text, &tape, open.origin());
                let is_record = is_message_like(doc.root()) || is_pretty;
                if is_record {
                    self.joined(&doc, &open, on);
                }
                is_record
            }
            Err(fault) if is_beginning(text, fault) && is_end => {
                let (kind, span) = (FlawKind::CutTail, open.last());
                self.unwrapper.flaw(&Flaw::new(kind, span, text), on);
                true
            }
            Err(fault) if is_beginning(text, fault) && !is_closed => {
                self.open = Some(open);
                self.tape = tape;
                return true;
            }
            Err(fault) if is_pretty => {
                let origin = open.origin();
                self.unwrapper.flaw(
                    &not_json(text, fault, None, |from, len| {
                        origin.span(narrow(from), narrow(from + len))
                    }),
                    on,
                );
                true
            }
            Err(_) => false,
        };
        self.tape = tape;
        if !is_joined {
            open.pop();
            self.reread_lines(&open, on);
        }
        is_joined
    }

    /// Reads a message whose text is spread over several lines, and reports the line breaks as a
    /// fault unless the recorder made them.
    fn joined(&mut self, message: &Doc<'_>, open: &OpenMessage, on: OnPassage<'_>) {
        // Among LSP headers it is the header that is at fault.
        if self.grouping == Grouping::Lines && !self.is_framed {
            let kind = FlawKind::EmbeddedNewline { last: open.last() };
            self.unwrapper.flaw(&Flaw::new(kind, open.first(), &open.text), on);
        }
        self.value(message, on);
    }

    /// Whether a line by itself is the JSON text of a message.
    fn is_message(&mut self, body: &str) -> bool {
        self.tape.parse(body).is_ok()
            && is_message_like(Doc::new(body, &self.tape, Origin::START).root())
    }

    /// Reads the lines that still wait for others, at the end of the file.
    pub(super) fn end(&mut self, on: OnPassage<'_>) {
        if let Read::Joined(read) = self.format().read {
            return self.joined_log(read, |joiner, on| joiner.end(on), Ending::Cut, on);
        }
        self.unwrapper.end(on);
        if let Some(open) = self.open.take() {
            if self.is_pretty() {
                let (kind, span) = (FlawKind::CutTail, open.last());
                self.unwrapper.flaw(&Flaw::new(kind, span, &open.text), on);
            } else {
                self.reread_lines(&open, on);
            }
        }
    }

    fn close_open(&mut self, on: OnPassage<'_>) {
        if let Some(open) = self.open.take() {
            self.reread_lines(&open, on);
        }
    }

    /// Reads lines one by one that turned out not to form one message.
    fn reread_lines(&mut self, open: &OpenMessage, on: OnPassage<'_>) {
        let mut tape = std::mem::take(&mut self.tape);
        for (line, origin) in open.split() {
            match tape.parse(line) {
                _ if line.trim().is_empty() => {}
                Ok(()) => self.value(&Doc::new(line, &tape, origin), on),
                Err(fault) => self.unwrapper.flaw(
                    &not_json(line, fault, None, |from, len| {
                        origin.span(narrow(from), narrow(from + len))
                    }),
                    on,
                ),
            }
            // One report is enough where the lines mean nothing.
            if self.is_pretty() {
                break;
            }
        }
        self.tape = tape;
    }

    fn is_pretty(&self) -> bool {
        self.grouping == Grouping::Pretty
    }
}

/// Whether a line is a message with the member `jsonrpc`, without anything around it.
fn is_sent(line: Node<'_>) -> bool {
    line.get("jsonrpc").is_some() && is_bare_message(line)
}

/// The text of an array element on a line, without the comma or bracket behind it.
fn without_comma(text: &str) -> &str {
    let line = text.trim_end();
    let last = || line.strip_suffix(']').filter(|_| Depth::default().after(line).is_below());
    line.strip_suffix(',').or_else(last).unwrap_or(text)
}
