//! From bytes to records: lines, encodings, what is no JSON, and the format of the file.

use crate::{
    check::judge::{Given, Judge},
    event::{Flaw, FlawKind},
    json::{Doc, Fault, Node, Tape},
    protocol::Side,
    source::{Layout, Origin, Span},
    transcript::{
        Body, FORMATS, Format, Likelihood, apparent, direction::Labels, unescape::unescape,
    },
};

/// Bytes of a file's beginning that decide its format, the meaning of its labels, and the version
/// of a conversation without `initialize`.
const SAMPLE: usize = 256 * 1024;
/// Lines of the sample that are looked at.
const SAMPLE_LINES: usize = 400;
/// Lines that one message may be spread over before it is given up.
const JOINED: usize = 200;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Cuts a transcript into lines, reads each by the file's format, and hands the messages on.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// Bytes not judged yet: the sample at first, later the beginning of a line.
    carry: Vec<u8>,
    reading: Option<Reading>,
}

/// What the sample has decided, and how far the reading has come.
#[derive(Debug)]
struct Reading {
    format: &'static Format,
    labels: Labels,
    /// Whether messages are spread over several lines throughout: a way to write the file, not a
    /// fault of the peers.
    is_pretty: bool,
    notes: Vec<String>,
    tape: Tape,
    inner: Tape,
    /// Place of the next line.
    offset: u64,
    line: u32,
    /// Lines that may together be one message.
    open: Option<Open>,
    /// Whether the connection is framed by LSP headers.
    is_lsp: bool,
}

/// The beginning of a message whose end is not there yet.
#[derive(Debug)]
struct Open {
    text: String,
    start: u64,
    line: u32,
    /// Lines so far.
    lines: usize,
    /// What each of the lines would be reported as.
    flaws: Vec<Flaw>,
    depth: Depth,
}

/// Brackets open at the end of a text, and whether it ends inside a string.
#[derive(Clone, Copy, Debug, Default)]
struct Depth {
    brackets: i64,
    in_string: bool,
}

impl Lines {
    pub(super) fn format(&self) -> Option<&'static str> {
        self.reading.as_ref().map(|reading| reading.format.name)
    }

    pub(super) fn notes(self) -> Vec<String> {
        self.reading.map(|reading| reading.notes).unwrap_or_default()
    }

    pub(super) fn feed(&mut self, bytes: &[u8], judge: &mut Judge) {
        if self.reading.is_none() {
            self.carry.extend_from_slice(bytes);
            // A line longer than the sample is waited for: half a line tells nothing.
            if self.carry.len() >= SAMPLE && memchr::memchr(b'\n', &self.carry).is_some() {
                self.begin(judge);
            }
            return;
        }
        if self.carry.is_empty() {
            self.lines(bytes, judge);
            return;
        }
        match memchr::memchr(b'\n', bytes) {
            Some(end) => {
                self.carry.extend_from_slice(&bytes[..=end]);
                let carry = std::mem::take(&mut self.carry);
                self.lines(&carry, judge);
                self.carry = carry;
                self.carry.clear();
                self.lines(&bytes[end + 1..], judge);
            }
            None => self.carry.extend_from_slice(bytes),
        }
    }

    pub(super) fn finish(&mut self, judge: &mut Judge) {
        if self.reading.is_none() {
            self.begin(judge);
        }
        let rest = std::mem::take(&mut self.carry);
        if let Some(reading) = &mut self.reading {
            if !rest.is_empty() {
                reading.line(&rest, Ending::Cut, judge);
            }
            reading.give_up(judge);
        }
    }

    /// The sample is complete: decides and reads it.
    fn begin(&mut self, judge: &mut Judge) {
        let sample = std::mem::take(&mut self.carry);
        self.reading = Some(Reading::of(&sample, judge));
        self.lines(&sample, judge);
    }

    /// Reads whole lines; keeps what stands behind the last line break.
    fn lines(&mut self, bytes: &[u8], judge: &mut Judge) {
        let Some(reading) = &mut self.reading else { return };
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            reading.line(&bytes[from..end], Ending::Break, judge);
            from = end + 1;
        }
        self.carry.extend_from_slice(&bytes[from..]);
    }
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    Break,
    /// With the file.
    Cut,
}

impl Reading {
    fn of(sample: &[u8], judge: &mut Judge) -> Self {
        let text = String::from_utf8_lossy(sample);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        let mut tape = Tape::default();
        let mut parts = Vec::new();
        let mut unread = 0;
        for line in text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE_LINES) {
            match tape.append(line) {
                Ok(part) => parts.push((line, part)),
                Err(_) => unread += 1,
            }
        }
        let docs: Vec<Doc<'_>> = parts
            .iter()
            .map(|(line, part)| Doc::of_part(line, &tape, *part, Origin::START))
            .collect();
        let roots: Vec<Node<'_>> = docs.iter().map(Doc::root).collect();
        let format = FORMATS
            .iter()
            .map(|format| ((format.detect)(&roots), *format))
            .filter(|(likelihood, _)| *likelihood > Likelihood::No)
            .max_by_key(|(likelihood, format)| {
                let place = FORMATS.iter().position(|other| std::ptr::eq(*other, *format));
                (*likelihood, std::cmp::Reverse(place))
            })
            .map_or(FORMATS[0], |(_, format)| format);
        let records: Vec<_> = roots.iter().map(|root| (format.read)(*root)).collect();
        let messages = || {
            records.iter().filter_map(|record| match record.body {
                Body::Message(node) => Some((node, record.from)),
                Body::Escaped(_) | Body::Nothing => None,
            })
        };
        let labels = Labels::calibrate(messages().filter_map(|(node, from)| Some((node, from?))));
        judge.assume(Some(apparent::version(messages().map(|(node, _)| node))));
        let mut notes = Vec::new();
        if labels == Labels::Swapped {
            notes.push(
                "the recording labels nearly every message with the side that received it; \
                 the labels are read the other way round"
                    .to_owned(),
            );
        }
        Self {
            format,
            labels,
            is_pretty: roots.iter().all(|root| !root.is_object()) && unread > 1,
            notes,
            tape: Tape::default(),
            inner: Tape::default(),
            offset: 0,
            line: 1,
            open: None,
            is_lsp: false,
        }
    }

    /// Reads one line, given without its line break.
    fn line(&mut self, bytes: &[u8], ending: Ending, judge: &mut Judge) {
        let (start, line) = (self.offset, self.line);
        self.offset += bytes.len() as u64 + u64::from(ending == Ending::Break);
        self.line = self.line.saturating_add(1);
        let place = |from: usize, len: usize| Span {
            start: start + from as u64,
            len: narrow(len),
            line,
            column: narrow(from),
        };
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let from = error.valid_up_to();
                let len = error.error_len().unwrap_or(bytes.len() - from);
                let excerpt = excerpt(&String::from_utf8_lossy(bytes));
                let span = place(from, len);
                judge.flaw(&Flaw { kind: FlawKind::InvalidUtf8, span, sender: None, excerpt });
                return;
            }
        };
        let mut skipped = 0;
        let mut body = text;
        if let Some(rest) = body.strip_prefix(BYTE_ORDER_MARK) {
            skipped = BYTE_ORDER_MARK.len();
            let span = place(0, skipped);
            let excerpt = String::new();
            judge.flaw(&Flaw { kind: FlawKind::ByteOrderMark, span, sender: None, excerpt });
            body = rest;
        }
        let body = body.strip_suffix('\r').unwrap_or(body);
        if body.trim().is_empty() {
            return;
        }
        if let Some(header) = lsp_header(body) {
            if !std::mem::replace(&mut self.is_lsp, true) {
                let kind = FlawKind::LspHeader;
                let span = place(skipped, header.len());
                judge.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(body) });
            }
            return;
        }
        // A body that is framed by length has the next header glued to its end.
        let glued = if self.is_lsp { body.find("Content-Length:") } else { None };
        let body = glued.map_or(body, |end| &body[..end]);
        if self.open.is_some() {
            if self.continue_open(body, start + skipped as u64, line, ending, judge) {
                return;
            }
        }
        let mut tape = std::mem::take(&mut self.tape);
        match tape.parse(body) {
            Ok(()) => {
                let origin = Origin {
                    start: start + skipped as u64,
                    line,
                    column: narrow(skipped),
                    layout: Layout::Line,
                };
                self.document(&Doc::new(body, &tape, origin), judge);
            }
            Err(fault) => self.unparsed(body, skipped, &fault, place, ending, judge),
        }
        self.tape = tape;
    }

    /// A line that is no JSON text by itself.
    fn unparsed(
        &mut self,
        body: &str,
        skipped: usize,
        fault: &Fault,
        place: impl Fn(usize, usize) -> Span,
        ending: Ending,
        judge: &mut Judge,
    ) {
        let trimmed = body.trim_start();
        let opens = trimmed.starts_with(['{', '[']);
        if ending == Ending::Cut && opens && fault.at as usize >= body.trim_end().len() {
            let span = place(skipped, body.len());
            let kind = FlawKind::CutTail;
            judge.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(body) });
            return;
        }
        let flaw = not_json(body, skipped, fault, &place);
        let depth = Depth::default().after(body);
        if trimmed.starts_with('{') && (depth.brackets > 0 || depth.in_string) {
            let first = place(skipped, body.len());
            self.open = Some(Open {
                text: body.to_owned(),
                start: first.start,
                line: first.line,
                lines: 1,
                flaws: vec![flaw],
                depth,
            });
            return;
        }
        judge.flaw(&flaw);
    }

    /// Takes a line as the continuation of an open message. `false`: the line stands for itself,
    /// because it is a message of its own, and what was open is given up.
    fn continue_open(
        &mut self,
        body: &str,
        start: u64,
        line: u32,
        ending: Ending,
        judge: &mut Judge,
    ) -> bool {
        let mut tape = std::mem::take(&mut self.tape);
        // A whole message ends the hope that the lines before it belong together; inside a
        // pretty-printed one, a line such as `{}` or `"a"` is a JSON text too.
        let is_message = tape.parse(body).is_ok() && {
            let doc = Doc::new(body, &tape, Origin::START);
            let root = doc.root();
            root.get("jsonrpc").is_some() || root.get("method").is_some()
        };
        self.tape = tape;
        let Some(mut open) = self.open.take() else { return false };
        if is_message || open.lines >= JOINED && !self.is_pretty {
            self.open = Some(open);
            self.give_up(judge);
            return false;
        }
        open.text.push('\n');
        // The joined text has to stand byte for byte in the file, so that places stay true.
        let gap = start - open.start - open.text.len() as u64;
        open.text.extend(std::iter::repeat_n(' ', usize::try_from(gap).unwrap_or(0)));
        open.text.push_str(body);
        open.lines += 1;
        open.depth = open.depth.after(body);
        if open.depth.brackets > 0 || open.depth.in_string {
            let place = |from: usize, len: usize| Span {
                start: start + from as u64,
                len: narrow(len),
                line,
                column: narrow(from),
            };
            let fault = self.tape.parse(body).err();
            if let Some(fault) = fault {
                open.flaws.push(not_json(body, 0, &fault, &place));
            }
            self.open = Some(open);
            if ending == Ending::Cut {
                self.give_up(judge);
            }
            return true;
        }
        let mut tape = std::mem::take(&mut self.tape);
        let origin =
            Origin { start: open.start, line: open.line, column: 0, layout: Layout::Lines };
        if tape.parse(&open.text).is_ok() {
            let doc = Doc::new(&open.text, &tape, origin);
            if !self.is_pretty {
                let first =
                    Span { len: narrow(open.text.find('\n').unwrap_or(0)), ..doc.root().span() };
                let last = Span { start, len: narrow(body.len()), line, column: 0 };
                let kind = FlawKind::EmbeddedNewline { last };
                let excerpt = excerpt(&open.text);
                judge.flaw(&Flaw { kind, span: first, sender: None, excerpt });
            }
            self.document(&doc, judge);
            self.tape = tape;
            return true;
        }
        self.tape = tape;
        self.open = Some(open);
        self.give_up(judge);
        // The line itself has been joined in vain; it stands for itself now.
        false
    }

    /// Reports open lines one by one: together they are no message.
    fn give_up(&mut self, judge: &mut Judge) {
        if let Some(open) = self.open.take() {
            for flaw in &open.flaws {
                judge.flaw(flaw);
            }
        }
    }

    /// Reads a line that is a JSON text.
    fn document(&mut self, line: &Doc<'_>, judge: &mut Judge) {
        let root = line.root();
        let record = (self.format.read)(root);
        let from = record.from.map(|label| self.labels.side(label));
        match record.body {
            Body::Nothing => {}
            Body::Message(node) => {
                let message = line.with_root(node);
                judge.message(Given { node: message.root(), from, at: record.at });
            }
            Body::Escaped(text) => self.escaped(text.node(), from, record.at, judge),
        }
    }

    /// Reads a message that the line holds as a string.
    fn escaped(
        &mut self,
        string: Node<'_>,
        from: Option<Side>,
        at: Option<f64>,
        judge: &mut Judge,
    ) {
        let raw = string.raw();
        let literal = &raw[1..raw.len() - 1];
        let (text, steps) = unescape(literal);
        let span = string.span();
        let origin = Origin {
            start: span.start + 1,
            line: span.line,
            column: span.column + 1,
            layout: Layout::Escaped(&steps),
        };
        match self.inner.parse(&text) {
            Ok(()) => {
                let doc = Doc::new(&text, &self.inner, origin);
                judge.message(Given { node: doc.root(), from, at });
            }
            Err(fault) => {
                let kind = FlawKind::NotJson { expected: fault.to_string() };
                judge.flaw(&Flaw { kind, span, sender: from, excerpt: excerpt(&text) });
            }
        }
    }
}

impl Depth {
    /// The depth behind a further line.
    fn after(mut self, line: &str) -> Self {
        // A string cannot go on over a line break; joined lines are read as if it could not.
        self.in_string = false;
        let mut escaped = false;
        for byte in line.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if self.in_string => escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.brackets += 1,
                b'}' | b']' if !self.in_string => self.brackets -= 1,
                _ => {}
            }
        }
        self
    }
}

fn not_json(
    body: &str,
    skipped: usize,
    fault: &Fault,
    place: &impl Fn(usize, usize) -> Span,
) -> Flaw {
    let indent = body.len() - body.trim_start().len();
    // A text that goes wrong at its very beginning is wrong as a whole: log output.
    let (from, len) = match fault.at as usize {
        at if at <= indent => (indent, body.trim().len()),
        at => (at.min(body.len()), usize::from(at < body.len())),
    };
    let from = (0..=from).rev().find(|from| body.is_char_boundary(*from)).unwrap_or(0);
    let len =
        (from + len..=body.len()).find(|end| body.is_char_boundary(*end)).unwrap_or(from) - from;
    Flaw {
        kind: FlawKind::NotJson { expected: fault.to_string() },
        span: place(skipped + from, len),
        sender: None,
        excerpt: excerpt(body),
    }
}

/// The LSP header at the beginning of a line.
fn lsp_header(line: &str) -> Option<&str> {
    let is_header = line.starts_with("Content-Length:") || line.starts_with("Content-Type:");
    is_header.then(|| line.trim_end())
}

/// The beginning of a text, for a message.
fn excerpt(text: &str) -> String {
    text.trim().chars().take(80).collect()
}

fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
