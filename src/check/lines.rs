//! From bytes to records: lines, encodings, what is no JSON.

use crate::{
    check::{
        flaws::{excerpt, not_json, undecoded},
        judge::{Given, Judge},
        limits::Unassessed,
        open::{At, Depth, Open, array_head, is_beginning},
        sample::{
            BYTE_ORDER_MARK, Copies, Digest, Grouping, Sample, is_message_like, is_utf16,
            lsp_header,
        },
        whole,
    },
    event::{Flaw, FlawKind},
    json::{Doc, Fault, Reason, Tape, Text},
    map::Set,
    protocol::Side,
    source::{Origin, Span, narrow},
    transcript::{
        Body, Decoded, Fidelity, Format, Read, Record, labels::method_sender, limits::ONLY_AT_FIRST,
    },
};

/// Bytes of a file's beginning that decide its format, the meaning of its labels, and what else
/// [`Sample`] tells. Whole lines of them, and one line at least.
const SAMPLE: usize = 256 * 1024;
/// How long a line may be. Messages are far from it, and who never ends a line must not take all
/// the memory there is.
pub(super) const LINE: usize = 128 << 20;
/// How large a file may be that is read as a whole.
const WHOLE: usize = 1 << 30;
/// Lines that one message may be spread over before it is given up.
const JOINED_LINES: usize = 200;
/// Bytes that such lines may have together.
const JOINED_BYTES: usize = 8 * 1024 * 1024;

/// How many bytes are taken at a time, at most. A line that is too long is noticed within them.
const PIECE: usize = 128 * 1024;

/// Reads the lines of a transcript by the file's format, and hands the messages on.
///
/// What it hands on depends on the bytes alone, not on the blocks in which they come.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// The format, when it is known beforehand.
    chosen: Option<&'static Format>,
    /// Bytes that wait for others: the sample, a file that is read as a whole, or the beginning of a
    /// line.
    kept: Vec<u8>,
    /// How much of the sample has no line break behind its least length.
    searched: usize,
    reading: Option<Reading>,
    /// Why nothing, or no more, is read.
    refusal: Option<String>,
    /// Whether nothing is read any more.
    is_over: bool,
}

/// What is to be said about a recording.
#[derive(Debug)]
pub(super) struct Remarks {
    /// Why nothing, or no more, is read.
    pub(super) refusal: Option<String>,
    pub(super) unassessed: Vec<Unassessed>,
    /// Other notes.
    pub(super) notes: Vec<String>,
}

impl Lines {
    pub(super) fn new(chosen: Option<&'static Format>) -> Self {
        Self { chosen, ..Self::default() }
    }

    pub(super) fn format(&self) -> Option<&'static str> {
        self.reading.as_ref().map(|reading| reading.format.name)
    }

    /// What is to be said about the recording.
    /// `senders`: how many messages each side has sent.
    pub(super) fn remarks(self, senders: [u64; 3]) -> Remarks {
        let notes = self.reading.map(|reading| reading.notes(senders));
        let (unassessed, notes) = notes.unwrap_or_default();
        Remarks { refusal: self.refusal, unassessed, notes }
    }

    /// Whether nothing is read any more, whatever follows.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8], judge: &mut Judge) {
        for piece in bytes.chunks(PIECE) {
            self.piece(piece, judge);
        }
    }

    fn piece(&mut self, bytes: &[u8], judge: &mut Judge) {
        if self.is_over {
            return;
        }
        if self.reads_lines() {
            return self.lines(bytes, judge);
        }
        self.kept.extend_from_slice(bytes);
        if self.reading.is_none() {
            match self.sample_end() {
                Some(end) if end > LINE => return self.stop(judge),
                Some(end) => self.begin(end, false, judge),
                None => {}
            }
            if self.reads_lines() {
                let kept = std::mem::take(&mut self.kept);
                return self.lines(&kept, judge);
            }
        }
        match &self.reading {
            Some(reading) if reading.is_over => self.kept = Vec::new(),
            _ => self.bear(judge),
        }
    }

    /// Reads the whole lines that the next bytes complete, and keeps the rest.
    fn lines(&mut self, mut bytes: &[u8], judge: &mut Judge) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            if self.kept.is_empty() {
                self.line(&bytes[..end], judge);
            } else {
                self.kept.extend_from_slice(&bytes[..end]);
                let mut line = std::mem::take(&mut self.kept);
                self.line(&line, judge);
                line.clear();
                line.shrink_to(KEPT);
                self.kept = line;
            }
            if self.is_over {
                return;
            }
            bytes = &bytes[end + 1..];
        }
        self.kept.extend_from_slice(bytes);
        self.bear(judge);
    }

    fn line(&mut self, line: &[u8], judge: &mut Judge) {
        if line.len() > LINE {
            return self.stop(judge);
        }
        if let Some(reading) = &mut self.reading {
            reading.line(line, Ending::Break, judge);
        }
    }

    /// Whether the file is read line by line from here on.
    fn reads_lines(&self) -> bool {
        let reads = |reading: &Reading| !reading.is_over;
        self.reading.as_ref().is_some_and(reads) && !self.is_whole()
    }

    /// Stops if the bytes that are kept are too many.
    fn bear(&mut self, judge: &mut Judge) {
        if self.kept.len() > if self.is_whole() { WHOLE } else { LINE } {
            self.stop(judge);
        }
    }

    /// What is kept has grown too long: nothing from there on is read.
    fn stop(&mut self, judge: &mut Judge) {
        self.is_over = true;
        self.kept = Vec::new();
        let too_long = if self.is_whole() {
            format!(
                "it is larger than {} MiB, too much for a format that is read as a whole; cut it \
                 into parts",
                WHOLE >> 20
            )
        } else {
            let line = self.reading.as_ref().map_or(1, |reading| reading.next.line);
            format!("line {line} is longer than {} MiB; nothing from there on is read", LINE >> 20)
        };
        self.refusal = Some(too_long);
        judge.cut();
        if !self.is_whole()
            && let Some(reading) = &mut self.reading
        {
            reading.end(judge);
        }
    }

    /// The file has ended.
    pub(super) fn finish(&mut self, judge: &mut Judge) {
        if self.reading.is_none() && !self.is_over {
            self.begin(self.kept.len(), true, judge);
            if self.reads_lines() {
                let kept = std::mem::take(&mut self.kept);
                self.lines(&kept, judge);
            }
        }
        if self.is_over {
            return;
        }
        let Some(reading) = &mut self.reading else { return };
        let mut rest = std::mem::take(&mut self.kept);
        if reading.is_over {
            rest.clear();
        }
        match reading.format.read {
            Read::Document(_) | Read::Text(_) => {
                self.refusal = whole::read(rest, reading, judge).err();
            }
            Read::Refused(reason) => self.refusal = Some(reason.to_owned()),
            Read::Values(_) | Read::Messages { .. } | Read::Lines(_) => {
                if !rest.is_empty() {
                    reading.line(&rest, Ending::Cut, judge);
                }
                reading.end(judge);
            }
        }
    }

    /// Whether the bytes are kept until all are there.
    fn is_whole(&self) -> bool {
        let read = self.reading.as_ref().map(|reading| reading.format.read);
        matches!(read, Some(Read::Document(_) | Read::Text(_)))
    }

    /// Where the sample ends: behind the last line break that it has room for, else behind the
    /// first one at all, since half a line tells nothing. `None` as long as that is not known, or
    /// there is nothing behind it.
    fn sample_end(&mut self) -> Option<usize> {
        let (sample, rest) =
            self.kept.split_at_checked(SAMPLE).filter(|(_, rest)| !rest.is_empty())?;
        if let Some(last) = memchr::memrchr(b'\n', sample) {
            return Some(last + 1);
        }
        let known = self.searched;
        match memchr::memchr(b'\n', &rest[known..]) {
            Some(first) if known + first + 1 == rest.len() => None,
            Some(first) => Some(SAMPLE + known + first + 1),
            None => {
                self.searched = rest.len();
                None
            }
        }
    }

    /// The sample is complete, with the first `len` bytes: decides. `is_whole`: it is the file.
    fn begin(&mut self, len: usize, is_whole: bool, judge: &mut Judge) {
        let sample = &self.kept[..len];
        let decided = Sample::of(sample, is_whole, self.chosen);
        self.reading = Some(Reading::of(sample, decided, judge));
    }
}

/// What the sample has decided, and how far the reading has come.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) format: &'static Format,
    digest: Digest,
    grouping: Grouping,
    tape: Tape,
    inner: Tape,
    /// Place of the next line.
    next: At,
    /// Lines that may together be one message.
    open: Option<Open>,
    /// Whether the connection is framed by LSP headers.
    is_lsp: bool,
    /// The message before, where copies have to be told from it.
    before: Before,
    /// Ids of requests of another protocol, as they are written.
    foreign: Set<Box<str>>,
    counts: Counts,
    /// When the recorder's clock began, in seconds since 1970, if a note says so.
    epoch: f64,
    /// Nothing more can be read.
    is_over: bool,
}

/// What notes are made of at the end.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    /// Messages whose label contradicts their method.
    mislabelled: u64,
    /// Passages that should hold a message and do not.
    unreadable: u64,
    /// Messages that the recorder has lost.
    lost: u64,
    /// Messages of another protocol.
    foreign: u64,
}

/// The message before.
#[derive(Debug, Default)]
struct Before {
    raw: String,
    from: Option<Side>,
    /// Whether it was a copy itself.
    is_copy: bool,
    /// Whether a copy from the other side has been read.
    is_echoed: bool,
}

/// What is known of a message beside its text.
#[derive(Clone, Copy, Debug)]
struct Wrapped<'t> {
    from: Option<Side>,
    at: Option<f64>,
    unsure: &'t [u32],
    /// Whether it is fault of a peer if there is no message.
    is_wire: bool,
}

/// How much room is kept for the next line, in bytes.
const KEPT: usize = 1 << 20;

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Break,
    /// With the file.
    Cut,
}

impl Reading {
    fn of(bytes: &[u8], sample: Sample, judge: &mut Judge) -> Self {
        let Sample { format, grouping, digest } = sample;
        let is_refused = matches!(format.read, Read::Refused(_));
        let is_utf16 = !is_refused && is_utf16(bytes);
        let mut reading = Self {
            format,
            digest,
            grouping,
            tape: Tape::default(),
            inner: Tape::default(),
            next: At { start: 0, line: 1 },
            open: None,
            is_lsp: false,
            before: Before::default(),
            foreign: Set::default(),
            counts: Counts::default(),
            epoch: 0.0,
            is_over: is_refused || is_utf16,
        };
        reading.assume(judge);
        if is_utf16 {
            reading.digest.notes.clear();
            reading.digest.unassessed.clear();
            let span = At { start: 0, line: 1 }.span(0, bytes.len().min(2));
            let kind = FlawKind::Utf16;
            judge.flaw(&Flaw { kind, span, sender: None, excerpt: String::new() });
        }
        reading
    }

    /// Tells the judge what is known of the messages.
    fn assume(&self, judge: &mut Judge) {
        let Digest { version, scatters, recording, unassessed, .. } = &self.digest;
        let head = if *scatters { Some(false) } else { None };
        judge.assume(Some(*version), recording.clone(), head, unassessed);
    }

    /// Replaces what is known of the messages.
    pub(super) fn learn(&mut self, digest: Digest, judge: &mut Judge) {
        self.digest = digest;
        self.assume(judge);
    }

    /// `senders`: how many messages each side has sent.
    fn notes(mut self, senders: [u64; 3]) -> (Vec<Unassessed>, Vec<String>) {
        if let Some(side) = self.digest.recording.only
            && senders[side.peer() as usize] > 0
            && let Some(first) = self.digest.unassessed.first_mut()
        {
            ONLY_AT_FIRST[side as usize].clone_into(&mut first.why);
        }
        let Counts { mislabelled, unreadable, lost, foreign } = self.counts;
        let mut notes = self.digest.notes;
        let mut tell = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => notes.push(format!("1 {one}")),
            count => notes.push(format!("{count} {many}")),
        };
        tell(
            mislabelled,
            "message is labelled with the side that cannot send its method; the method counts",
            "messages are labelled with the side that cannot send their method; the methods count",
        );
        tell(
            unreadable,
            "line is no message of this recorder, or is cut off, and is passed over",
            "lines are no messages of this recorder, or are cut off, and are passed over",
        );
        tell(
            lost,
            "gap is where the recorder says that something is missing",
            "gaps are where the recorder says that something is missing",
        );
        tell(
            foreign,
            "message of another protocol is set apart",
            "messages of another protocol are set apart",
        );
        (self.digest.unassessed, notes)
    }

    /// Whether what is no message was written by a peer, so that it can be its fault.
    fn is_wire(&self) -> bool {
        self.format.fidelity == Fidelity::Wire
    }

    /// A passage that is no message.
    fn flaw(&mut self, flaw: &Flaw, judge: &mut Judge) {
        if self.is_wire() {
            judge.flaw(flaw);
        } else if flaw.kind.loses_message() {
            self.counts.unreadable += 1;
            judge.lose();
            if flaw.kind == FlawKind::CutTail {
                judge.cut();
            }
        }
    }

    fn is_pretty(&self) -> bool {
        self.grouping == Grouping::Pretty
    }

    /// Reads one line, without its break.
    fn line(&mut self, bytes: &[u8], ending: Ending, judge: &mut Judge) {
        let at = self.next;
        self.next.start += bytes.len() as u64 + u64::from(ending == Ending::Break);
        self.next.line = at.line.saturating_add(1);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.give_up(judge);
                self.flaw(&undecoded(bytes, error, at, ending == Ending::Cut), judge);
                return;
            }
        };
        let (mut body, mut skipped) = (text, 0);
        if let Some(rest) = body.strip_prefix(BYTE_ORDER_MARK) {
            skipped = BYTE_ORDER_MARK.len();
            let (kind, span) = (FlawKind::ByteOrderMark, at.span(0, skipped));
            self.flaw(&Flaw { kind, span, sender: None, excerpt: String::new() }, judge);
            body = rest;
        }
        if body.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            return self.pass(skipped, at, ending, judge);
        }
        if let Read::Lines(read) = self.format.read {
            let body = body.trim_end_matches('\r');
            let nothing = Tape::default();
            let source = Doc::new(body, &nothing, at.origin(skipped));
            return self.take(read(body), &source, ending, judge);
        }
        if let Some(header) = lsp_header(body) {
            self.lsp_header(header, at.span(skipped, header.len()), judge);
            return self.pass(skipped, at, ending, judge);
        }
        if let Some(open) = self.open.take()
            && self.join(open, body, skipped, at, ending, judge)
        {
            return;
        }
        self.single(body, skipped, at, ending, judge);
    }

    /// Passes a line that adds nothing to an open message: places in it are counted by its lines.
    fn pass(&mut self, skipped: usize, at: At, ending: Ending, judge: &mut Judge) {
        if let Some(open) = self.open.take() {
            self.join(open, "", skipped, at, ending, judge);
        }
    }

    /// Reads a line that stands for itself.
    fn single(&mut self, body: &str, skipped: usize, at: At, ending: Ending, judge: &mut Judge) {
        let (mut body, mut skipped) = (body, skipped);
        if self.is_pretty() {
            let head = array_head(body).unwrap_or(0);
            (body, skipped) = (without_comma(&body[head..]), skipped + head);
        }
        if self.is_pretty() && matches!(body.trim(), "" | "[" | "]") {
            return;
        }
        let origin = at.origin(skipped);
        let mut tape = std::mem::take(&mut self.tape);
        match tape.parse(body) {
            Ok(()) => {
                let doc = Doc::new(body, &tape, origin);
                self.document(&doc, judge);
            }
            Err(fault) => match framed(body, fault) {
                Some((message, header)) if tape.parse(message).is_ok() => {
                    self.lsp_header(header, at.span(skipped + message.len(), header.len()), judge);
                    self.document(&Doc::new(message, &tape, origin), judge);
                }
                _ => self.unparsed(body, skipped, fault, at, ending, judge),
            },
        }
        self.tape = tape;
    }

    fn lsp_header(&mut self, header: &str, span: Span, judge: &mut Judge) {
        if !std::mem::replace(&mut self.is_lsp, true) {
            let kind = FlawKind::LspHeader;
            self.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(header) }, judge);
        }
    }

    /// A line that is no JSON text by itself.
    fn unparsed(
        &mut self,
        body: &str,
        skipped: usize,
        fault: Fault,
        at: At,
        ending: Ending,
        judge: &mut Judge,
    ) {
        let begins = is_beginning(body, fault);
        let opens = |bracket| body.trim_start().starts_with(bracket);
        if begins && ending == Ending::Cut && (opens('{') || opens('[')) {
            let (kind, span) = (FlawKind::CutTail, at.span(skipped, body.len()));
            self.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(body) }, judge);
        } else if begins && ending == Ending::Break && opens('{') {
            self.open = Some(Open::new(body, at, skipped));
        } else {
            self.flaw(
                &not_json(body, fault, None, |from, len| at.span(skipped + from, len)),
                judge,
            );
        }
    }

    /// Takes a line as the continuation of an open message. `false`: the line stands for itself,
    /// and what was open is given up.
    fn join(
        &mut self,
        mut open: Open,
        body: &str,
        skipped: usize,
        at: At,
        ending: Ending,
        judge: &mut Judge,
    ) -> bool {
        let is_pretty = self.is_pretty();
        // A whole message ends the hope that the lines before it belong together; inside a
        // pretty-printed one, a line such as `{}` or `"a"` is a JSON text too.
        let is_new = body.starts_with('{') && (is_pretty || self.is_message(body));
        let fits = open
            .len_with(body, at, skipped)
            .is_some_and(|len| is_pretty || open.lines() < JOINED_LINES && len <= JOINED_BYTES);
        if is_new || !fits {
            self.surrender(&open, judge);
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
                    self.joined(&doc, &open, judge);
                }
                is_record
            }
            Err(fault) if is_beginning(text, fault) && is_end => {
                let (kind, span) = (FlawKind::CutTail, open.last());
                self.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(text) }, judge);
                true
            }
            Err(fault) if is_beginning(text, fault) && !is_closed => {
                self.open = Some(open);
                self.tape = tape;
                return true;
            }
            Err(fault) if is_pretty => {
                let origin = open.origin();
                self.flaw(
                    &not_json(text, fault, None, |from, len| {
                        origin.span(narrow(from), narrow(from + len))
                    }),
                    judge,
                );
                true
            }
            Err(_) => false,
        };
        self.tape = tape;
        if !is_joined {
            open.pop();
            self.surrender(&open, judge);
        }
        is_joined
    }

    /// Lines that are one message together.
    fn joined(&mut self, message: &Doc<'_>, open: &Open, judge: &mut Judge) {
        // Among LSP headers it is the header that is at fault.
        if self.grouping == Grouping::Lines && !self.is_lsp {
            let kind = FlawKind::EmbeddedNewline { last: open.last() };
            let excerpt = excerpt(&open.text);
            self.flaw(&Flaw { kind, span: open.first(), sender: None, excerpt }, judge);
        }
        self.document(message, judge);
    }

    /// Whether the line is a message by itself.
    fn is_message(&mut self, body: &str) -> bool {
        self.tape.parse(body).is_ok()
            && is_message_like(Doc::new(body, &self.tape, Origin::START).root())
    }

    /// The file has ended.
    fn end(&mut self, judge: &mut Judge) {
        if let Some(open) = self.open.take() {
            if self.is_pretty() {
                let (kind, span) = (FlawKind::CutTail, open.last());
                self.flaw(&Flaw { kind, span, sender: None, excerpt: excerpt(&open.text) }, judge);
            } else {
                self.surrender(&open, judge);
            }
        }
    }

    fn give_up(&mut self, judge: &mut Judge) {
        if let Some(open) = self.open.take() {
            self.surrender(&open, judge);
        }
    }

    /// Reads lines one by one that are no message together.
    fn surrender(&mut self, open: &Open, judge: &mut Judge) {
        let mut tape = std::mem::take(&mut self.tape);
        for (line, origin) in open.split() {
            match tape.parse(line) {
                _ if line.trim().is_empty() => {}
                Ok(()) => self.document(&Doc::new(line, &tape, origin), judge),
                Err(fault) => self.flaw(
                    &not_json(line, fault, None, |from, len| {
                        origin.span(narrow(from), narrow(from + len))
                    }),
                    judge,
                ),
            }
            // One report is enough where the lines mean nothing.
            if self.is_pretty() {
                break;
            }
        }
        self.tape = tape;
    }

    /// Reads what is a JSON text.
    fn document(&mut self, text: &Doc<'_>, judge: &mut Judge) {
        let root = text.root();
        if self.grouping == Grouping::List && root.is_array() {
            for element in root.elements() {
                self.record(&text.with_root(element), judge);
            }
        } else {
            self.record(text, judge);
        }
    }

    /// Reads a record of the file's format.
    fn record(&mut self, text: &Doc<'_>, judge: &mut Judge) {
        match self.format.read {
            // Nothing has to be unwrapped, and there are no lanes.
            Read::Messages { is_note } if !is_note(text.root()) => {
                self.message(Given { node: text.root(), from: None, at: None, unsure: &[] }, judge);
            }
            read => {
                if let Some(record) = read.record(text.root()) {
                    self.take(record, text, Ending::Break, judge);
                }
            }
        }
    }

    /// Takes what a record holds. `source` is the text that was read; `ending` is how it ends.
    pub(super) fn take(
        &mut self,
        record: Record<'_>,
        source: &Doc<'_>,
        ending: Ending,
        judge: &mut Judge,
    ) {
        /// No clock that begins with the recording counts so far.
        const LONG: f64 = 1e8;
        let Record { body, label, at, lane } = record;
        let is_date = |at: &f64| *at > LONG;
        if matches!(body, Body::Nothing) {
            self.epoch = at.filter(is_date).unwrap_or(self.epoch);
        }
        let at = at.map(|at| if is_date(&at) { at } else { self.epoch + at });
        if lane.is_some() && lane.as_deref() == self.digest.repeated_lane {
            return;
        }
        judge.enter(lane.as_deref());
        let from = label.as_ref().and_then(|label| self.digest.labels.side(label));
        // What goes neither way is a note of the recorder, unless it is a message.
        let is_note = |text: Text<'_>| {
            label.is_some() && from.is_none() && !text.as_cow().trim_start().starts_with(['{', '['])
        };
        match &body {
            Body::Nothing => {}
            Body::Escaped(text) if is_note(*text) => {}
            Body::Lost => {
                self.counts.lost += 1;
                judge.lose();
            }
            Body::Foreign(id) => {
                self.counts.foreign += 1;
                self.foreign.extend(id.map(|id| id.raw().into()));
            }
            Body::Message(node) => {
                let message = source.with_root(*node);
                self.message(Given { node: message.root(), from, at, unsure: &[] }, judge);
            }
            Body::Escaped(_) | Body::Base64(_) | Body::Text(_) | Body::Rebuilt(_) => {
                let Some(decoded) = body.decoded(source.text()) else { return };
                let unsure = match &body {
                    Body::Rebuilt(rebuilt) => rebuilt.unsure.as_slice(),
                    _ => &[],
                };
                // A string is what crossed the wire, whatever it is.
                let is_wire = self.is_wire() || matches!(body, Body::Escaped(_) | Body::Base64(_));
                let wrapped = Wrapped { from, at, unsure, is_wire };
                self.decoded(&decoded, source, ending, &wrapped, judge);
            }
        }
    }

    /// Reads a message that was wrapped in something.
    fn decoded(
        &mut self,
        decoded: &Decoded<'_>,
        source: &Doc<'_>,
        ending: Ending,
        wrapped: &Wrapped<'_>,
        judge: &mut Judge,
    ) {
        let text = &*decoded.text;
        if text.trim().is_empty() {
            return;
        }
        let origin = decoded.origin(source.origin());
        let Wrapped { from, at, unsure, is_wire } = *wrapped;
        let mut inner = std::mem::take(&mut self.inner);
        match inner.parse(text) {
            Ok(()) => {
                let doc = Doc::new(text, &inner, origin);
                self.message(Given { node: doc.root(), from, at, unsure }, judge);
            }
            Err(fault) if ending == Ending::Cut && is_beginning(text, fault) => {
                let span = origin.span(0, narrow(text.len()));
                let kind = FlawKind::CutTail;
                let flaw = Flaw { kind, span, sender: from, excerpt: excerpt(text) };
                self.flaw(&flaw, judge);
            }
            Err(fault) => {
                let place = |from: usize, len: usize| origin.span(narrow(from), narrow(from + len));
                let flaw = not_json(text, fault, from, place);
                if is_wire {
                    judge.flaw(&flaw);
                } else {
                    self.flaw(&flaw, judge);
                }
            }
        }
        self.inner = inner;
    }

    fn message(&mut self, mut given: Given<'_>, judge: &mut Judge) {
        let may_be_odd = self.is_told_apart() || !self.foreign.is_empty();
        if !may_be_odd || self.admits(&mut given) {
            judge.message(given);
        }
    }

    /// Whether copies and wrong labels have to be told from other messages.
    fn is_told_apart(&self) -> bool {
        self.digest.copies != Copies::None || self.digest.mislabels
    }

    /// Whether a message is one, and no copy or answer of another protocol; with the side that can
    /// have sent it in place of a wrong label.
    fn admits(&mut self, given: &mut Given<'_>) -> bool {
        if !self.foreign.is_empty()
            && given.node.get("method").is_none()
            && given.node.get("id").is_some_and(|id| self.foreign.contains(id.raw()))
        {
            self.counts.foreign += 1;
            return false;
        }
        if self.digest.mislabels
            && let Some(said) = given.from
            && let Some(side) = method_sender(given.node)
            && side != said
        {
            self.counts.mislabelled += 1;
            given.from = Some(side);
        }
        !self.is_copy(given)
    }

    /// Whether a message is the one before once more.
    fn is_copy(&mut self, given: &Given<'_>) -> bool {
        if self.digest.copies == Copies::None {
            return false;
        }
        let raw = given.node.raw();
        let before = &mut self.before;
        let is_same = !before.is_copy && before.raw == raw;
        before.is_copy = match (self.digest.copies, before.from, given.from) {
            (Copies::None, ..) => false,
            (Copies::Merged, ..) => is_same,
            // The first goes through, so that its direction can be judged.
            (Copies::Echoed, Some(side), Some(back)) => {
                is_same && side != back && std::mem::replace(&mut before.is_echoed, true)
            }
            // Only what has an id is never sent twice in a row.
            (Copies::Echoed, ..) => is_same && given.node.get("id").is_some(),
        };
        if !before.is_copy {
            before.raw.clear();
            before.raw.push_str(raw);
            before.from = given.from;
        }
        before.is_copy
    }
}

/// A message that is framed by its length, with the next header glued to its end.
fn framed(body: &str, fault: Fault) -> Option<(&str, &str)> {
    let (message, rest) = body.split_at_checked(fault.at as usize)?;
    (fault.reason == Reason::End).then_some(())?;
    Some((message, lsp_header(rest)?))
}

/// A value in an array over several lines.
fn without_comma(text: &str) -> &str {
    let line = text.trim_end();
    let last = || line.strip_suffix(']').filter(|_| Depth::default().after(line).is_below());
    line.strip_suffix(',').or_else(last).unwrap_or(text)
}
