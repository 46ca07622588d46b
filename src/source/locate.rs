//! The lines and columns of spans, found by reading the transcript again.
//!
//! Diagnostics carry byte ranges, not text. To show one, the few bytes concerned are read once more, so
//! that no file, and no long line, has to stay in memory.

use std::{
    collections::VecDeque,
    fmt,
    io::{self, Read},
};

use super::span::Span;

/// Bytes of a transcript that can be read a second time, at any place that was read before. Used to
/// show excerpts and count columns.
pub trait Reread {
    /// Fills the buffer with the bytes of the transcript from offset `at` on, and returns their
    /// number; fewer only at the end. Fails when reading fails.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl Reread for &[u8] {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(at).ok().and_then(|at| self.get(at..));
        rest.unwrap_or_default().read(buffer)
    }
}

/// The lines and columns at which a place begins and ends, as editors count: from 1, columns in
/// characters, the end just behind the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub line: u64,
    pub column: u64,
    pub end_line: u64,
    pub end_column: u64,
}

/// Finds lines and columns of spans by reading the transcript again. Counts of characters and
/// chunks of bytes are kept for a while, since a diagnostic has several places in one message.
pub struct Locator<'r> {
    bytes: &'r mut dyn Reread,
    landmarks: Landmarks,
    /// The last chunks that were read, a ring; the next one goes to `next_chunk`.
    chunks: [Chunk; 4],
    next_chunk: usize,
}

/// What a `Locator` has counted so far. Limits what hostile files cost: many spans in one line of
/// megabytes take one pass over the line, and so does a span of megabytes that many diagnostics
/// share.
#[derive(Debug, Default)]
struct Landmarks {
    /// The last eight counts of characters in a line, from which columns of near places are found
    /// faster.
    counted: VecDeque<Counted>,
    /// Counts at regular distances in the long line that was counted last, for spans in any order.
    marks: Vec<Counted>,
    /// The last eight long places with their positions, so that they are not read again.
    spans: VecDeque<(Span, Position)>,
}

/// Appends an item, and drops the oldest one beyond the last eight.
fn keep<T>(last: &mut VecDeque<T>, item: T) {
    const FEW: usize = 8;
    if last.len() == FEW {
        last.pop_front();
    }
    last.push_back(item);
}

/// A part of a transcript that is in memory: `bytes` stand at the offset `at`, in bytes.
#[derive(Debug, Default)]
struct Chunk {
    at: u64,
    bytes: Vec<u8>,
}

/// A count that is kept: the number of characters from the beginning of a line (offset
/// `line_start`) to the offset `to`.
#[derive(Clone, Copy, Debug)]
struct Counted {
    line_start: u64,
    to: u64,
    characters: u64,
}

impl fmt::Debug for Locator<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locator").field("landmarks", &self.landmarks).finish_non_exhaustive()
    }
}

/// Most bytes of the transcript that are read with one call.
const BLOCK: usize = 64 * 1024;
/// Least bytes of the transcript that are read with one call. The end of a place is asked for right
/// after its start, and is then in memory.
const AHEAD: usize = 1024;
/// Least number of bytes of a place whose position is kept for a second question.
const LONG: u32 = 4096;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl<'r> Locator<'r> {
    pub fn new(bytes: &'r mut dyn Reread) -> Self {
        let landmarks = Landmarks::default();
        Self { bytes, landmarks, chunks: Default::default(), next_chunk: 0 }
    }

    /// The column of a span in its line, in characters from 1. Reads the line from its beginning,
    /// or from the last known place before. Fails when reading fails.
    pub fn column(&mut self, span: Span) -> io::Result<u64> {
        let line_start = span.line_start();
        let Landmarks { counted, marks, .. } = &self.landmarks;
        let behind = marks.partition_point(|mark| mark.to <= span.start);
        let known = counted
            .iter()
            .chain(marks[..behind].last())
            .filter(|counted| counted.line_start == line_start && counted.to <= span.start)
            .max_by_key(|counted| counted.to);
        let mut counted = match known {
            Some(known) => *known,
            None => Counted { line_start, to: line_start, characters: 0 },
        };
        while span.start - counted.to > BLOCK as u64 {
            let to = counted.to + BLOCK as u64;
            counted.characters += self.characters(counted.to, to)?;
            counted.to = to;
            self.landmarks.mark(counted);
        }
        if counted.to < span.start {
            counted.characters += self.characters(counted.to, span.start)?;
            counted.to = span.start;
            keep(&mut self.landmarks.counted, counted);
        }
        let mark = u64::from(self.begins_with_mark(span)?);
        Ok(counted.characters + 1 - mark)
    }

    /// The lines and columns at which a place begins and ends. Reads the place, unless it is long
    /// and was asked for recently. Fails when reading fails.
    pub fn position(&mut self, span: Span) -> io::Result<Position> {
        if span.len < LONG {
            return self.counted(span);
        }
        if let Some(known) = self.landmarks.position(span) {
            return Ok(known);
        }
        let position = self.counted(span)?;
        keep(&mut self.landmarks.spans, (span, position));
        Ok(position)
    }

    /// The lines and columns at which a place begins and ends, found by reading it. Fails when
    /// reading fails.
    fn counted(&mut self, span: Span) -> io::Result<Position> {
        let line = u64::from(span.line);
        let column = self.column(span)?;
        let count = self.count(span.start, span.end())?;
        let end_line = line + count.lines;
        let end_column = if count.lines == 0 { column } else { 1 } + count.characters;
        Ok(Position { line, column, end_line, end_column })
    }

    /// The text of a place; `None` when it is empty, longer than `most` bytes, or not UTF-8. Fails
    /// when reading fails.
    pub fn text(&mut self, span: Span, most: u32) -> io::Result<Option<String>> {
        if span.len == 0 || span.len > most {
            return Ok(None);
        }
        Ok(String::from_utf8(self.bytes(span.start, span.end())?).ok())
    }

    /// The bytes of the transcript from offset `from` to `to`; fewer where it ends. Fails when
    /// reading fails.
    pub(super) fn bytes(&mut self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.each_chunk(from, to, |read| bytes.extend_from_slice(read))?;
        Ok(bytes)
    }

    /// Calls `take` with the bytes of the transcript from offset `from` to `to`, in several parts;
    /// fewer where the transcript ends. Fails when reading fails.
    fn each_chunk(&mut self, from: u64, to: u64, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        let mut at = from;
        while at < to {
            let read = self.chunk(at, to)?;
            if read.is_empty() {
                break;
            }
            take(read);
            at += read.len() as u64;
        }
        Ok(())
    }

    /// Reads bytes of the transcript from offset `from` on, at most up to `to`, but perhaps fewer;
    /// none only at the transcript's end. Fails when reading fails.
    fn chunk(&mut self, from: u64, to: u64) -> io::Result<&[u8]> {
        let length = usize::try_from(to - from).unwrap_or(BLOCK).min(BLOCK);
        let is_in = |chunk: &Chunk| chunk.at <= from && from < chunk.at + chunk.bytes.len() as u64;
        let index = match self.chunks.iter().position(is_in) {
            Some(known) => known,
            None => self.read(from, length)?,
        };
        let Chunk { at, bytes } = &self.chunks[index];
        let rest = &bytes[usize::try_from(from - at).unwrap_or(bytes.len())..];
        Ok(&rest[..rest.len().min(length)])
    }

    /// Reads at least `length` bytes from offset `from` on into a chunk, fewer where the transcript
    /// ends, and returns the chunk's index.
    fn read(&mut self, from: u64, length: usize) -> io::Result<usize> {
        let index = self.next_chunk;
        self.next_chunk = (index + 1) % self.chunks.len();
        let Chunk { at, bytes } = &mut self.chunks[index];
        *at = from;
        bytes.resize(length.max(AHEAD), 0);
        let read = self.bytes.read_at(from, bytes);
        bytes.truncate(*read.as_ref().unwrap_or(&0));
        read?;
        Ok(index)
    }

    /// Whether the transcript begins with a byte order mark before the span, which does not count
    /// as a character of the first line. Fails when reading fails.
    fn begins_with_mark(&mut self, span: Span) -> io::Result<bool> {
        let length = BYTE_ORDER_MARK.len() as u64;
        Ok(span.line_start() == 0
            && span.start >= length
            && self.bytes(0, length)? == BYTE_ORDER_MARK)
    }

    /// Counts the characters between two byte offsets on one line. Fails when reading fails.
    fn characters(&mut self, from: u64, to: u64) -> io::Result<u64> {
        let mut count = 0;
        self.each_chunk(from, to, |read| count += counts(read).1)?;
        Ok(count)
    }

    /// Counts the line breaks between two byte offsets, and the characters behind the last one.
    /// Fails when reading fails.
    fn count(&mut self, from: u64, to: u64) -> io::Result<Count> {
        let mut count = Count::default();
        self.each_chunk(from, to, |read| count.add(read))?;
        Ok(count)
    }
}

impl Landmarks {
    fn mark(&mut self, counted: Counted) {
        match self.marks.last() {
            Some(last) if last.line_start == counted.line_start && last.to >= counted.to => return,
            Some(last) if last.line_start == counted.line_start => {}
            Some(_) | None => self.marks.clear(),
        }
        self.marks.push(counted);
    }

    fn position(&self, span: Span) -> Option<Position> {
        let known = self.spans.iter().find(|(known, _)| *known == span);
        known.map(|(_, position)| *position)
    }
}

/// Number of line breaks in a range of bytes, and of characters behind the last one.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    lines: u64,
    characters: u64,
}

impl Count {
    fn add(&mut self, bytes: &[u8]) {
        let (breaks, characters) = counts(bytes);
        if breaks == 0 {
            self.characters += characters;
            return;
        }
        self.lines += breaks;
        let behind_last = memchr::memrchr(b'\n', bytes).map_or(0, |last| last + 1);
        self.characters = counts(&bytes[behind_last..]).1;
    }
}

/// Number of line breaks, and of characters. Each byte begins a character, except the continuation
/// bytes of UTF-8.
fn counts(bytes: &[u8]) -> (u64, u64) {
    let mut all = (0, 0);
    // A counter of one byte can count that many bytes.
    for part in bytes.chunks(usize::from(u8::MAX)) {
        let (mut breaks, mut characters) = (0, 0);
        for byte in part {
            breaks += u8::from(*byte == b'\n');
            characters += u8::from(byte & 0xC0 != 0x80);
        }
        all.0 += u64::from(breaks);
        all.1 += u64::from(characters);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, part: &str) -> Span {
        let start = text.find(part).expect("the part is in the text");
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[..start].matches('\n').count() + 1;
        Span {
            start: start as u64,
            len: u32::try_from(part.len()).expect("short"),
            line: u32::try_from(line).expect("few lines"),
            column: u32::try_from(start - line_start).expect("short"),
        }
    }

    fn position(text: &str, part: &str) -> (u64, u64, u64, u64) {
        let mut bytes = text.as_bytes();
        let position = Locator::new(&mut bytes).position(span(text, part)).expect("in memory");
        (position.line, position.column, position.end_line, position.end_column)
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(position("ab\ncäd\n", "cä"), (2, 1, 2, 3));
        assert_eq!(position("ab\ncä→d\n", "d"), (2, 4, 2, 5));
        assert_eq!(position("🙂x", "x"), (1, 2, 1, 3));
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        assert_eq!(position("\u{feff}{}", "{"), (1, 1, 1, 2));
        assert_eq!(position("\u{feff}{}", "\u{feff}"), (1, 1, 1, 2));
        assert_eq!(position("\u{feff}{}\n[]", "["), (2, 1, 2, 2));
    }

    #[test]
    fn spans_may_go_over_lines() {
        assert_eq!(position("a{\n  b\n}c", "{\n  b\n}"), (1, 2, 3, 2));
    }

    #[test]
    fn spans_of_a_long_line_are_found_in_any_order() {
        let text = format!("[{}\"end\"]", "\"ä\",".repeat(50_000));
        let mut bytes = text.as_bytes();
        let mut locator = Locator::new(&mut bytes);
        let end = span(&text, "\"end\"");
        assert_eq!(locator.column(end).expect("in memory"), 200_002);
        let first = span(&text, "\"ä\"");
        assert_eq!(locator.column(first).expect("in memory"), 2);
        assert_eq!(locator.column(end).expect("in memory"), 200_002);
        for number in (0..50_000).rev().step_by(997).chain((0..50_000).step_by(1_009)) {
            let span = Span { start: first.start + number * 5, ..first };
            let span = Span { column: u32::try_from(span.start).expect("short"), ..span };
            assert_eq!(locator.column(span).expect("in memory"), 2 + number * 4);
        }
        assert!(locator.landmarks.marks.len() > 2);
    }

    /// For tests: the bytes of a transcript, and how often they were read.
    struct Counting<'t>(&'t [u8], usize);

    impl Reread for Counting<'_> {
        fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            self.0.read_at(at, buffer)
        }
    }

    #[test]
    fn a_long_span_is_counted_once() {
        let text = format!("[\n\"{}\",\n\"end\"]", "ä".repeat(100_000));
        let (long, end) = (span(&text, &text[2..200_004]), span(&text, "\"end\""));
        let mut bytes = Counting(text.as_bytes(), 0);
        let mut locator = Locator::new(&mut bytes);
        let first = locator.position(long).expect("in memory");
        assert_eq!((first.line, first.end_line, first.end_column), (2, 2, 100_003));
        let landmarks = locator.landmarks;
        let read = bytes.1;
        let mut locator = Locator { landmarks, ..Locator::new(&mut bytes) };
        for _ in 0..3 {
            assert_eq!(locator.position(long).expect("known"), first);
        }
        assert_eq!(locator.position(end).expect("in memory").line, 3);
        // For the end, and whether there is a byte order mark.
        assert!(bytes.1 <= read + 2, "{} after {read}", bytes.1);
    }
}
