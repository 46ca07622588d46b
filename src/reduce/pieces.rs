//! Cuts a recording into pieces, each of which can be left out: a line, or the lines of one message.

use std::borrow::Cow;

use crate::{
    redact::{FindingKey, members_before},
    source::{Span, narrow},
    transcript::{Format, Passage, Read, Reader},
};

/// A part of a recording that is kept or left out as a whole: one line, or the lines of one
/// message.
#[derive(Clone, Debug)]
pub(super) struct Piece<'r> {
    /// The first line of the part in the recording, from 1.
    pub(super) line: u32,
    pub(super) bytes: Cow<'r, [u8]>,
    /// Whether a side sent the part: it holds a message, or other text of a side.
    pub(super) is_sent: bool,
}

impl Piece<'_> {
    /// The number of line breaks in the bytes, to number the lines that follow.
    pub(super) fn breaks(&self) -> u32 {
        narrow(memchr::memchr_iter(b'\n', &self.bytes).count())
    }
}

/// Whether messages of a format stand on lines, so that leaving out lines leaves out messages.
pub(super) fn has_lines(format: &Format) -> bool {
    match format.read {
        Read::Values(_) | Read::Messages { .. } | Read::Lines(_) | Read::Joined(_) => true,
        Read::Document(_) | Read::Text(_) | Read::Refused(_) => false,
    }
}

/// Cuts a recording into parts that can be left out separately: lines, or groups of lines with one
/// message. In order; together they are the whole recording.
pub(super) fn pieces<'r>(recording: &'r [u8], format: Option<&'static Format>) -> Vec<Piece<'r>> {
    let breaks = memchr::memchr_iter(b'\n', recording).map(|at| at + 1);
    let mut starts: Vec<usize> =
        std::iter::once(0).chain(breaks).filter(|start| *start < recording.len()).collect();
    let count = starts.len();
    starts.push(recording.len());
    // The lines of each message: the first one, and the one behind the last.
    let mut sent: Vec<(usize, usize)> = Vec::new();
    let line_of = |offset: u64| {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        starts.partition_point(|start| *start <= offset).clamp(1, count.max(1)) - 1
    };
    read(recording, format, |_, span| {
        sent.push((line_of(span.start), line_of(span.end().saturating_sub(1).max(span.start)) + 1));
    });
    sent.sort_unstable();
    let mut pieces = Vec::with_capacity(count);
    let mut waiting = sent.into_iter().peekable();
    let mut line = 0;
    while line < count {
        let (mut end, mut is_sent) = (line + 1, false);
        while let Some((_, behind)) = waiting.next_if(|(first, _)| *first < end) {
            (end, is_sent) = (end.max(behind), true);
        }
        pieces.push(Piece {
            line: narrow(line).saturating_add(1),
            bytes: Cow::Borrowed(&recording[starts[line]..starts[end.min(count)]]),
            is_sent,
        });
        line = end;
    }
    pieces
}

/// The finding with each line number replaced by the first line of the piece (line or message) that
/// has it, so that findings of shorter recordings can be compared.
pub(super) fn by_piece(finding: &FindingKey, pieces: &[Piece<'_>]) -> FindingKey {
    let first = |line: &u32| {
        let behind = pieces.partition_point(|piece| piece.line <= *line);
        pieces[..behind].last().map_or(*line, |piece| piece.line)
    };
    FindingKey { lines: finding.lines.iter().map(first).collect(), ..finding.clone() }
}

/// Reads a recording and calls `each` with text and place of each message. The text is empty where
/// a side sent something that is not a message.
fn read(recording: &[u8], format: Option<&'static Format>, mut each: impl FnMut(&str, Span)) {
    let mut on = |passage: Passage<'_>| match passage {
        Passage::Message(message) => each(message.node.raw(), message.node.span()),
        Passage::Flaw(flaw) => each("", flaw.span),
        _ => {}
    };
    let mut reader = Reader::new(format);
    reader.feed(recording, &mut on);
    reader.finish(&mut on);
}

/// A recording written anew with each message on a line by itself, for formats in which lines
/// cannot be left out. Sender, time and connection are kept.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pub(super) bytes: Vec<u8>,
    /// For each message: its line in the recording, and its line in `bytes`; both ascending.
    lines: Vec<(u32, u32)>,
}

impl Rewritten {
    /// The new line of the message that stands on, or last before, the given line of the recording.
    /// `None` before the first message.
    pub(super) fn line(&self, line: u32) -> Option<u32> {
        let behind = self.lines.partition_point(|(own, _)| *own <= line);
        self.lines[..behind].last().map(|(_, new)| *new)
    }

    /// Writes each message of a recording on a line by itself, for formats in which lines cannot be
    /// left out.
    pub(super) fn of(recording: &[u8], format: Option<&'static Format>) -> Self {
        let mut rewritten = Self::default();
        let mut lane: Option<String> = None;
        let mut on = |passage: Passage<'_>| match passage {
            Passage::Connection(name) => lane = name.map(str::to_owned),
            Passage::Message(message) => {
                let text = message.node.raw().replace(['\n', '\r'], " ");
                let before = members_before(message.at, message.sender, lane.as_deref());
                rewritten.push(message.node.span().line, &format!("{{{before}\"msg\":{text}}}"));
            }
            Passage::Flaw(flaw) => {
                let place = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
                let range = place(flaw.span.start)..place(flaw.span.end());
                let text = String::from_utf8_lossy(recording.get(range).unwrap_or_default());
                let text = serde_json::Value::from(text);
                let before = members_before(None, flaw.sender, lane.as_deref());
                rewritten.push(flaw.span.line, &format!("{{{before}\"text\":{text}}}"));
            }
            _ => {}
        };
        let mut reader = Reader::new(format);
        reader.feed(recording, &mut on);
        reader.finish(&mut on);
        rewritten.lines.sort_unstable();
        rewritten.lines.dedup_by_key(|(line, _)| *line);
        rewritten
    }

    fn push(&mut self, line: u32, record: &str) {
        let next = self.lines.last().map_or(1, |(_, new)| new.saturating_add(1));
        self.lines.push((line, next));
        self.bytes.extend_from_slice(record.as_bytes());
        self.bytes.push(b'\n');
    }
}
