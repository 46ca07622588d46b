//! From records to passages: takes off what a recorder wraps around a message, tells its sender, and
//! leaves out what the recorder wrote twice.
//!
//! [`Record`]s go in, as a format reads them; [`Passage`]s come out.

use crate::{
    json::{Doc, Fault, Node, Tape, Text},
    map::Set,
    protocol::Side,
    source::{Layout, Origin, Span, narrow},
    transcript::{
        self, Body, Decoded, Fidelity, Flaw, FlawKind, Format, Passage, Read, Record,
        RecordedMessage, SenderLabel,
        copies::Copies,
        decoded::base64_bytes,
        doubled::{Doubled, Doubling},
        file_traits::FileTraits,
        flaw::{not_json, undecoded},
        foreign,
        labels::method_sender,
        lanes::Frame,
        multiline::{LineStart, is_beginning},
        passage::OnPassage,
        pieces::{self, OnComplete, Pieces, Source},
        syntax::scan,
        text::is_blank,
        wire_lines::{WireLine, WireLines},
        wrapper::first,
    },
};

/// How a line of the file ends: by a line break, or by the end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The line ends with a line break.
    Break,
    /// The line ends with the file and without a line break, so that a part may be missing.
    Cut,
}

/// Takes the records of a file, decodes the messages in them, and passes messages and remarks on to
/// the check.
#[derive(Debug)]
pub(super) struct Unwrapper {
    format: &'static Format,
    traits: FileTraits,
    inner: Tape,
    /// Beginnings of messages that wait for their ends, in formats that keep fragments of the byte
    /// stream.
    pieces: Pieces,
    /// Label of the last line with a message, in a log.
    log_label: LogLabel,
    doubled: Doubled,
    /// The last message, for recordings in which messages are repeated.
    before: Before,
    /// Ids, as JSON, of requests of another protocol such as MCP. Answers to them are not answers
    /// of ACP.
    foreign: Set<Box<str>>,
    /// Name of another protocol whose messages the file has; `None` once a message of ACP has come.
    other: Option<&'static str>,
    counts: NoteCounts,
    /// Start of the recorder's clock, in seconds since 1970; 0 where no note states it.
    epoch: f64,
    /// State for the format of `acpcheck record` and others that keep lines as they were sent.
    recorded: Recorded,
}

/// State for a recording in which each line is kept as it was sent.
#[derive(Debug, Default)]
struct Recorded {
    lines: WireLines,
    has_agent_lines: bool,
    is_not_started: bool,
    /// Whether acpcheck plays the agent, so that the client is the side to speak.
    is_played: bool,
}

/// The numbers from which the notes on a recording are made at its end.
#[derive(Clone, Copy, Debug, Default)]
struct NoteCounts {
    /// Number of messages whose sender label contradicts their method.
    mislabelled: u64,
    /// Number of records that should hold a message but do not.
    unreadable: u64,
    /// Number of messages that the recorder says it has lost.
    lost: u64,
    /// Number of messages of another protocol, such as MCP, which were skipped.
    foreign: u64,
    /// Number of messages that stand outside of the lines that the recorder wrote.
    outside: u64,
}

/// The last message that was not a copy, to recognize copies of it.
#[derive(Debug, Default)]
struct Before {
    raw: String,
    sender: Option<Side>,
    /// Whether the next message was a copy of this one, so that a further equal message is a new
    /// one.
    is_copy: bool,
    /// The side that sends messages back to their sender, once a copy has shown it; `None` before.
    echoing: Option<Side>,
}

/// The sender label of the last line with a message in a log, which also holds for the next line if
/// that has none.
#[derive(Debug, Default)]
struct LogLabel {
    line: u32,
    label: Option<SenderLabel<'static>>,
}

impl LogLabel {
    fn set(&mut self, line: u32, label: Option<&SenderLabel<'_>>) {
        self.line = line;
        self.label = label.cloned().map(SenderLabel::into_owned);
    }

    /// Label for a line without its own: that of the line before, if it had a message. `None` for
    /// other lines.
    fn continued<'t>(&self, line: u32) -> Option<SenderLabel<'t>> {
        self.label.clone().filter(|_| line == self.line + 1)
    }
}

/// What is known about a message whose text is still to be parsed.
#[derive(Clone, Copy, Debug)]
struct Wrapped<'t> {
    sender: Option<Side>,
    at: Option<f64>,
    unsure: &'t [u32],
    /// Whether a peer, rather than the recorder, is at fault if the text is not a message.
    is_peer_at_fault: bool,
    /// Whether the recorder says that it has cut off the text of the message.
    is_cut: bool,
}

impl Unwrapper {
    /// Makes an unwrapper, and passes on what the beginning of the file shows.
    pub(super) fn new(format: &'static Format, traits: FileTraits, on: OnPassage<'_>) -> Self {
        on(Passage::Traits(&traits.recording));
        Self {
            format,
            other: traits.protocol,
            traits,
            inner: Tape::default(),
            pieces: Pieces::default(),
            log_label: LogLabel::default(),
            doubled: Doubled::default(),
            before: Before::default(),
            foreign: Set::default(),
            counts: NoteCounts::default(),
            epoch: 0.0,
            recorded: Recorded::default(),
        }
    }

    pub(super) fn format(&self) -> &'static Format {
        self.format
    }

    /// Replaces what the beginning of the file showed by what the whole file shows, and passes that
    /// on.
    pub(super) fn learn(&mut self, traits: FileTraits, on: OnPassage<'_>) {
        on(Passage::Traits(&traits.recording));
        self.other = traits.protocol;
        self.traits = traits;
    }

    /// Name of another protocol whose messages the file has in place of ACP's; `None` if it has any
    /// of ACP.
    pub(super) fn foreign(&self) -> Option<&'static str> {
        self.other
    }

    /// Takes a record. `source` is the text that was read; `ending` says how that ends.
    pub(super) fn take(
        &mut self,
        record: Record<'_>,
        source: &Doc<'_>,
        ending: Ending,
        on: OnPassage<'_>,
    ) {
        /// Numbers of seconds above this are dates; smaller ones count from the start of the
        /// recording.
        const LONG: f64 = 1e8;
        let Record { body, mut label, at, lane } = record;
        if self.format.is(transcript::LOG)
            && let Body::Text(place) = &body
        {
            // The prefix stands once before all lines that came together.
            if label.is_none() && place.start == 0 {
                label = self.log_label.continued(source.origin().line);
            }
            self.log_label.set(source.origin().line, label.as_ref());
        }
        let is_date = |at: &f64| *at > LONG;
        if matches!(body, Body::Nothing | Body::Start(_)) {
            self.epoch = at.filter(is_date).unwrap_or(self.epoch);
        }
        let at = at.map(|at| if is_date(&at) { at } else { self.epoch + at });
        if !self.traits.has_message_label(label.as_ref()) {
            if let Some(decoded) = body.decoded(source.text()) {
                self.pass_over(&decoded.text);
            }
            return;
        }
        if lane.is_some() && lane.as_deref() == self.traits.repeated_lane {
            return;
        }
        let holder = matches!(self.format.read, Read::Values(_)).then(|| source.root());
        let lane = lane.or_else(|| {
            let label = self.traits.lane.as_ref()?;
            label.value(Frame::of(&body, source.text(), holder)?)
        });
        on(Passage::Connection(lane.as_deref()));
        let sender = label.as_ref().and_then(|label| self.traits.labels.side(label));
        // What goes neither way is a note of the recorder, unless it is a message.
        let is_note = |text: Text<'_>| {
            label.is_some()
                && sender.is_none()
                && !text.as_cow().trim_start().starts_with(['{', '['])
        };
        if self.is_recorded() {
            return self.recorded(&body, sender, at, source, on);
        }
        match &body {
            Body::Nothing
            | Body::End { .. }
            | Body::NotStarted
            | Body::Start(_)
            | Body::Scenario(_) => {}
            Body::Escaped(text) if is_note(*text) => {}
            Body::Lost => {
                self.counts.lost += 1;
                on(Passage::Gap);
            }
            Body::Unread => {
                self.counts.unreadable += 1;
                on(Passage::Gap);
            }
            Body::Foreign(id) => {
                self.counts.foreign += 1;
                self.foreign.extend(id.map(|id| id.raw().into()));
            }
            Body::Message(node) => {
                let of = Source { lane: lane.as_deref(), label: label.as_ref() };
                self.in_pieces(|pieces, on_text| pieces.interrupt(of, on_text), sender, at, on);
                let message = source.with_root(*node);
                self.message(RecordedMessage { node: message.root(), sender, at, unsure: &[] }, on);
            }
            Body::Escaped(_) | Body::Base64(_) | Body::Text(_) | Body::Rebuilt(_) => {
                let Some(decoded) = body.decoded(source.text()) else { return };
                let unsure = match &body {
                    Body::Rebuilt(rebuilt) => rebuilt.unsure.as_slice(),
                    _ => &[],
                };
                let is_string = matches!(body, Body::Escaped(_) | Body::Base64(_));
                let is_cut = is_string && is_marked(source.root());
                // A string is what crossed the wire, whatever it is.
                let is_peer_at_fault = self.is_wire() || is_string;
                let wrapped = Wrapped { sender, at, unsure, is_peer_at_fault, is_cut };
                self.traits.has_breaks |= is_string && pieces::breaks_lines(&decoded.text);
                if self.traits.has_breaks
                    && is_string
                    && !is_cut
                    && matches!(source.origin().layout, Layout::Line)
                {
                    let origin = decoded.origin(source.origin());
                    let of = Source { lane: lane.as_deref(), label: label.as_ref() };
                    let take = |pieces: &mut Pieces, on_text: OnComplete<'_>| {
                        pieces.take(&decoded.text, origin, of, on_text);
                    };
                    return self.in_pieces(take, sender, at, on);
                }
                self.decoded(&decoded, source, ending, &wrapped, on);
            }
        }
    }

    /// Reads the messages that a further fragment of the byte stream completes. `take` adds the
    /// fragment and reports complete texts.
    fn in_pieces(
        &mut self,
        take: impl FnOnce(&mut Pieces, OnComplete<'_>),
        sender: Option<Side>,
        at: Option<f64>,
        on: OnPassage<'_>,
    ) {
        let mut pieces = std::mem::take(&mut self.pieces);
        take(&mut pieces, &mut |text, origin, is_complete| {
            if is_complete {
                let wrapped =
                    Wrapped { sender, at, unsure: &[], is_peer_at_fault: true, is_cut: false };
                self.text(text, origin, Ending::Break, &wrapped, on);
            } else if self.other.is_none() {
                on(Passage::Fragment);
            }
        });
        self.pieces = pieces;
    }

    /// Reads a record of the format of `acpcheck record`, which keeps each line as it was sent, and
    /// calls `on` for each message that is complete, or cannot be read.
    fn recorded(
        &mut self,
        body: &Body<'_>,
        sender: Option<Side>,
        at: Option<f64>,
        source: &Doc<'_>,
        on: OnPassage<'_>,
    ) {
        let is_cut = source.root().get("eol").is_some_and(|eol| eol.is(""));
        self.recorded.has_agent_lines |= sender == Some(Side::Agent)
            && matches!(body, Body::Message(_) | Body::Escaped(_) | Body::Base64(_));
        let lines = &mut self.recorded.lines;
        match body {
            // Nothing has to be read again.
            Body::Message(node) if !lines.is_waiting() => {
                let message = source.with_root(*node);
                on(Passage::Message(RecordedMessage {
                    node: message.root(),
                    sender,
                    at,
                    unsure: &[],
                }));
            }
            Body::Message(node) => {
                let place = node.span();
                let Span { start, line, column, .. } = place;
                let origin = Origin { start, line, column, layout: Layout::Line };
                lines.take(&WireLine { text: node.raw(), origin, place, sender, at, is_cut }, on);
            }
            Body::Escaped(string) | Body::Base64(string) => {
                let place = string.node().span();
                if let Some(decoded) = body.decoded(source.text()) {
                    let origin = decoded.origin(source.origin());
                    let text = &*decoded.text;
                    lines.take(&WireLine { text, origin, place, sender, at, is_cut }, on);
                } else if let Some(bytes) = base64_bytes(*string, &mut Vec::new())
                    && let Err(error) = std::str::from_utf8(&bytes)
                {
                    lines.close(on);
                    let start = LineStart { start: place.start, line: place.line };
                    let flaw = undecoded(&bytes, error, start, is_cut);
                    on(Passage::Flaw(&Flaw { span: place, sender, ..flaw }));
                }
            }
            Body::Lost => {
                lines.close(on);
                self.counts.lost += 1;
                on(Passage::Gap);
            }
            Body::End { sender, left } => {
                lines.close(on);
                on(Passage::Ended { sender: *sender, left: *left });
            }
            Body::Start(driven) => {
                self.recorded.is_played =
                    driven.as_ref().is_some_and(|driven| driven.plays == Side::Agent);
                on(Passage::Started(driven.as_deref()));
            }
            Body::Scenario(state) => on(Passage::Scenario(state)),
            Body::NotStarted => self.recorded.is_not_started = true,
            Body::Text(_) | Body::Rebuilt(_) | Body::Foreign(_) | Body::Unread | Body::Nothing => {}
        }
    }

    /// Passes on what still waits for more text, at the end of the file.
    pub(super) fn end(&mut self, on: OnPassage<'_>) {
        self.recorded.lines.close(on);
        for lane in self.pieces.give_up() {
            on(Passage::Connection(lane.as_deref()));
            on(Passage::Fragment);
        }
    }

    /// The remark on a file without messages: a sentence without a full stop. `None` where the
    /// recording does not show the cause.
    pub(super) fn silence(&self) -> Option<&'static str> {
        let Recorded { has_agent_lines, is_not_started, is_played, .. } = self.recorded;
        self.is_recorded().then_some(if is_not_started {
            "the agent could not be started: no message is recorded"
        } else if has_agent_lines {
            "no message is recorded: what the agent wrote is not JSON-RPC"
        } else if is_played {
            "the client never spoke: no message is recorded"
        } else {
            "the agent never spoke: no message is recorded"
        })
    }

    fn is_recorded(&self) -> bool {
        self.format.fidelity == Fidelity::Recorded
    }

    /// Reads a message that was decoded from a string or put together.
    fn decoded(
        &mut self,
        decoded: &Decoded<'_>,
        source: &Doc<'_>,
        ending: Ending,
        wrapped: &Wrapped<'_>,
        on: OnPassage<'_>,
    ) {
        let text = &*decoded.text;
        let origin = decoded.origin(source.origin());
        if self.format.fidelity != Fidelity::Texts {
            return self.text(text, origin, ending, wrapped, on);
        }
        // A log may have several messages on one line.
        let mut from = 0;
        while let Some(rest) = text.get(from..).filter(|rest| !is_blank(rest)) {
            let len =
                Some(scan::length(rest)).filter(|len| *len > 0 && rest.is_char_boundary(*len));
            let to = from + len.filter(|_| rest.starts_with(['{', '['])).unwrap_or(rest.len());
            let ending = if to == text.len() { ending } else { Ending::Break };
            let part = origin.part(narrow(from)..narrow(to));
            self.text(&text[from..to], part.as_origin(), ending, wrapped, on);
            from = to + (text[to..].len() - text[to..].trim_start().len());
        }
    }

    /// Reads a text that should be one message; reports it as a flaw if it is not JSON.
    fn text(
        &mut self,
        text: &str,
        origin: Origin<'_>,
        ending: Ending,
        wrapped: &Wrapped<'_>,
        on: OnPassage<'_>,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let Wrapped { sender, at, unsure, .. } = *wrapped;
        let mut inner = std::mem::take(&mut self.inner);
        match inner.parse(text) {
            Ok(()) => {
                let doc = Doc::new(text, &inner, origin);
                self.message(RecordedMessage { node: doc.root(), sender, at, unsure }, on);
            }
            Err(fault) if ending == Ending::Cut && is_beginning(text, fault) => {
                let span = origin.span(0, narrow(text.len()));
                let kind = FlawKind::CutTail;
                let flaw = Flaw { sender, ..Flaw::new(kind, span, text) };
                self.flaw(&flaw, on);
            }
            Err(fault) => {
                self.inner = inner;
                return self.no_message(text, origin, fault, wrapped, on);
            }
        }
        self.inner = inner;
    }

    /// Handles a text that is not JSON: a flaw, a cut message, or a record without a message.
    fn no_message(
        &mut self,
        text: &str,
        origin: Origin<'_>,
        fault: Fault,
        wrapped: &Wrapped<'_>,
        on: OnPassage<'_>,
    ) {
        let place = |from: usize, len: usize| origin.span(narrow(from), narrow(from + len));
        let flaw = not_json(text, fault, wrapped.sender, place);
        if self.other.is_some() || flaw.kind == FlawKind::TooManyValues {
            self.flaw(&flaw, on);
        } else if wrapped.is_cut {
            self.counts.lost += 1;
            on(Passage::Gap);
        } else if !self.is_wire() && pieces::is_cut(text, fault) {
            on(Passage::Fragment);
        } else if wrapped.is_peer_at_fault {
            on(Passage::Flaw(&flaw));
        } else {
            self.flaw(&flaw, on);
        }
    }

    pub(super) fn message(&mut self, mut message: RecordedMessage<'_>, on: OnPassage<'_>) {
        if self.other.is_some() {
            if !foreign::is_acp(message.node) {
                return;
            }
            self.other = None;
        }
        let may_be_odd = self.is_told_apart() || !self.foreign.is_empty();
        if may_be_odd && !self.admits(&mut message, on) {
            return;
        }
        let doubling = match self.traits.doubled {
            [Doubling::None, Doubling::None] => Doubling::None,
            sides => self.doubled.copy(message.node, message.sender, sides),
        };
        match doubling {
            Doubling::None => on(Passage::Message(message)),
            // Of a line in a log, its writer may have written all that the messages differ in.
            Doubling::ByFrames if self.format.is(transcript::LOG) => on(Passage::Copy),
            Doubling::ByFrames => {}
            Doubling::BySpaces => on(Passage::Copy),
        }
    }

    /// Whether the recording has copies or wrong labels, so that each message must be examined.
    fn is_told_apart(&self) -> bool {
        self.traits.copies != Copies::None || self.traits.mislabels
    }

    /// Whether a message is passed on: `false` for a copy, and for an answer of another protocol.
    /// Corrects the sender if the label is wrong.
    fn admits(&mut self, message: &mut RecordedMessage<'_>, on: OnPassage<'_>) -> bool {
        if !self.foreign.is_empty()
            && message.node.get("method").is_none()
            && message.node.get("id").is_some_and(|id| self.foreign.contains(id.raw()))
        {
            self.counts.foreign += 1;
            return false;
        }
        if self.traits.mislabels
            && let Some(said) = message.sender
            && let Some(side) = method_sender(message.node)
            && side != said
        {
            self.counts.mislabelled += 1;
            message.sender = Some(side);
        }
        let is_copy = self.is_copy(message);
        // Where labels tell that one side echoes the other, its first echo is judged.
        let is_told = self.traits.copies == Copies::Echoed && message.sender.is_some();
        if is_copy && !is_told {
            on(Passage::Copy);
        }
        !is_copy
    }

    /// Whether a message repeats the one before, in files with copies. Always `false` in other
    /// files.
    fn is_copy(&mut self, message: &RecordedMessage<'_>) -> bool {
        if self.traits.copies == Copies::None {
            return false;
        }
        let raw = message.node.raw();
        let before = &mut self.before;
        let is_same = !before.is_copy && before.raw == raw;
        before.is_copy = match (self.traits.copies, before.sender, message.sender) {
            (Copies::None, ..) => false,
            (Copies::Merged, ..) => is_same,
            // The first goes through, so that its direction can be judged.
            (Copies::Echoed, Some(side), Some(back)) => {
                let echoing = before.echoing;
                if is_same && side != back {
                    before.echoing = echoing.or(Some(back));
                }
                is_same && side != back && echoing == Some(back)
            }
            // Only what has an id is never sent twice in a row.
            (Copies::Echoed, ..) => is_same && message.node.get("id").is_some(),
        };
        if !before.is_copy {
            before.raw.clear();
            before.raw.push_str(raw);
            before.sender = message.sender;
        }
        before.is_copy
    }

    /// Whether text that is not a message was written by a peer, and so can be the peer's fault.
    fn is_wire(&self) -> bool {
        self.format.fidelity == Fidelity::Wire
    }

    /// Passes on text of a side that is not a message; counts it if the recorder wrote it.
    pub(super) fn flaw(&mut self, flaw: &Flaw, on: OnPassage<'_>) {
        if self.other.is_some() {
            return;
        }
        if flaw.kind == FlawKind::TooManyValues {
            on(Passage::Overfull);
        } else if self.is_wire() {
            on(Passage::Flaw(flaw));
        } else if matches!(self.format.read, Read::Messages { .. }) && !flaw.kind.loses_message() {
            // Who writes bare messages as JSON writes nothing of this.
            on(Passage::Flaw(flaw));
        } else if flaw.kind.loses_message() {
            self.counts.unreadable += 1;
            on(Passage::Gap);
            if flaw.kind == FlawKind::CutTail {
                on(Passage::Cut);
            }
        }
    }

    /// Number of messages that may be in the file and could not be read. What a recorder marks as
    /// lost may be what a side wrote to be lost, such as a line that is not JSON.
    pub(super) fn unread(&self) -> u64 {
        self.counts.unreadable + self.counts.outside + self.counts.lost
    }

    /// Counts a line outside of the recorder's own lines that may be a message.
    pub(super) fn pass_over(&mut self, line: &str) {
        let line = line.trim();
        if line.starts_with(['{', '['])
            && scan::hides_message(line)
            && self.inner.parse(line).is_ok()
            && foreign::is_acp(first(Doc::new(line, &self.inner, Origin::START).root()))
        {
            self.counts.outside += 1;
        }
    }

    /// Remarks on what the recorder did to the messages: sentences without a full stop.
    pub(super) fn into_notes(self) -> Vec<String> {
        let NoteCounts { mislabelled, unreadable, lost, foreign, outside } = self.counts;
        let mut notes = self.traits.notes;
        let mut note = |count: u64, one: &str, many: &str| match count {
            0 => {}
            1 => notes.push(format!("1 {one}")),
            count => notes.push(format!("{count} {many}")),
        };
        note(
            mislabelled,
            "message is labelled with the side that cannot send its method; acpcheck ignores the \
             label",
            "messages are labelled with the side that cannot send their method; acpcheck ignores \
             the labels",
        );
        note(
            unreadable,
            "line is not a message in this format, or is cut off, and was skipped",
            "lines are not messages in this format, or are cut off, and were skipped",
        );
        note(
            lost,
            "gap is marked by the recorder: messages are missing there",
            "gaps are marked by the recorder: messages are missing there",
        );
        note(
            outside,
            "message stands outside of what this recorder writes, and was not judged",
            "messages stand outside of what this recorder writes, and were not judged",
        );
        note(
            foreign,
            "message of another protocol was skipped",
            "messages of another protocol were skipped",
        );
        notes
    }
}

/// Whether a record says, by a member such as `truncated`, that its message was cut off.
fn is_marked(record: Node<'_>) -> bool {
    const MARKS: [&str; 6] =
        ["truncated", "isTruncated", "is_truncated", "clipped", "cut", "incomplete"];
    MARKS.iter().any(|name| record.get(name).and_then(Node::boolean) == Some(true))
}
