//! The first stage of reading: bytes are cut into blocks of whole lines, and the lines are parsed.
//!
//! It needs nothing of what is judged, so that it can go ahead in a thread of its own. What it finds
//! depends on the lines alone, not on the blocks they come in.

use std::ops::Range;

use crate::{
    check::lines::LINE,
    json::{self, Part, Tape},
};

/// How much is kept for the next block of what one has taken, in bytes: a long line takes more.
const KEPT: usize = 1 << 20;

/// Cuts bytes into blocks of whole lines, and parses the lines.
#[derive(Debug, Default)]
pub struct Parser {
    /// Bytes that are in no block yet, and room for more.
    bytes: Vec<u8>,
    /// How many of them have been filled.
    filled: usize,
    /// How many of those have no line break.
    searched: usize,
    /// Whether lines are JSON texts; if not, they are only cut.
    is_json: bool,
    frame: Frame,
}

/// Whole lines, parsed where they are JSON. Its buffers are used again for the next lines.
#[derive(Debug, Default)]
pub struct Block {
    text: Text,
    tape: Tape,
    lines: Vec<Entry>,
}

/// A line of a block, without its line break.
#[derive(Clone, Debug)]
pub(super) struct Line<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) json: Option<Json<'b>>,
}

/// What is known of a line that is a JSON text.
#[derive(Clone, Debug)]
pub(super) enum Json<'b> {
    Parsed(&'b str, &'b Tape, Part),
    /// It differs from the last parsed line in nothing but this string, given in its quotation
    /// marks.
    Like(&'b str, Range<usize>),
}

#[derive(Debug)]
struct Entry {
    /// Where the line break stands.
    end: usize,
    is: Is,
}

#[derive(Debug)]
enum Is {
    Parsed(Part),
    Like(Range<usize>),
    /// What is to be looked at more closely, if it is anything.
    Other,
}

/// The bytes of lines.
#[derive(Debug)]
enum Text {
    Valid(String),
    /// Not all of them are UTF-8.
    Mixed(Vec<u8>),
}

impl Default for Text {
    fn default() -> Self {
        Self::Mixed(Vec::new())
    }
}

impl Text {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Valid(text) => text.as_bytes(),
            Self::Mixed(bytes) => bytes,
        }
    }

    fn get(&self, line: Range<usize>) -> Option<&str> {
        match self {
            Self::Valid(text) => text.get(line),
            Self::Mixed(bytes) => std::str::from_utf8(bytes.get(line)?).ok(),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Valid(text) => text.into_bytes(),
            Self::Mixed(bytes) => bytes,
        }
    }
}

impl Block {
    /// Its length in bytes, line breaks included.
    pub fn len(&self) -> usize {
        self.text.bytes().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut from = 0;
        self.lines.iter().map(move |Entry { end, is }| {
            let start = std::mem::replace(&mut from, end + 1);
            let text = || self.text.get(start..*end);
            let json = match is {
                Is::Parsed(part) => text().map(|text| Json::Parsed(text, &self.tape, *part)),
                Is::Like(string) => text().map(|text| Json::Like(text, string.clone())),
                Is::Other => None,
            };
            Line { bytes: self.text.bytes().get(start..*end).unwrap_or_default(), json }
        })
    }

    /// Forgets the lines and what long ones took.
    pub(super) fn clear(&mut self) {
        if self.len() > KEPT {
            *self = Self::default();
        }
        self.tape.clear();
        self.lines.clear();
    }
}

impl Parser {
    /// Where the next bytes of the transcript are to be put, so many of them.
    pub fn room(&mut self, count: usize) -> &mut [u8] {
        let end = self.filled + count;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.filled..end]
    }

    /// So many bytes have been put into the room.
    pub fn advance(&mut self, count: usize) {
        self.filled = (self.filled + count).min(self.bytes.len());
    }

    /// The bytes that are in no block yet.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Whether there is a line that is too long: nothing from there on is read.
    pub fn is_stuck(&self) -> bool {
        self.filled > LINE
    }

    pub(super) fn into_rest(mut self) -> Vec<u8> {
        self.bytes.truncate(self.filled);
        self.bytes
    }

    /// Forgets the bytes that are in no block yet.
    pub(super) fn clear(&mut self) {
        (self.filled, self.searched) = (0, 0);
        if self.bytes.len() > KEPT {
            self.bytes = Vec::new();
        }
    }

    /// From now on, lines are JSON texts, or are not.
    pub(super) fn expect_json(&mut self, is_json: bool) {
        self.is_json = is_json;
    }

    /// Puts all whole lines into the block, replacing what it held. `false`: there are none.
    pub fn cut(&mut self, block: &mut Block) -> bool {
        let Some(last) = memchr::memrchr(b'\n', &self.bytes[self.searched..self.filled]) else {
            self.searched = self.filled;
            return false;
        };
        let end = self.searched + last + 1;
        block.clear();
        // The bytes that the block had are overwritten without being wiped.
        let mut next = std::mem::take(&mut block.text).into_bytes();
        let rest = &self.bytes[end..self.filled];
        next.resize(next.len().max(rest.len()), 0);
        next[..rest.len()].copy_from_slice(rest);
        (self.filled, self.searched) = (rest.len(), rest.len());
        let mut bytes = std::mem::replace(&mut self.bytes, next);
        bytes.truncate(end);
        block.text = if self.is_json {
            String::from_utf8(bytes)
                .map_or_else(|error| Text::Mixed(error.into_bytes()), Text::Valid)
        } else {
            Text::Mixed(bytes)
        };
        self.parse(block);
        true
    }

    fn parse(&mut self, block: &mut Block) {
        let Block { text, tape, lines } = block;
        // Lines that are like the one parsed last are not parsed; where its text stands is looked
        // for when there is another line.
        let mut frame = (&*self.frame.head, &*self.frame.tail);
        let mut last = None;
        let mut is_new = false;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', text.bytes()) {
            let line = text.get(start..end).filter(|_| self.is_json);
            let is = line.map_or(Is::Other, |line| {
                if let Some((line, part)) = last.take() {
                    frame = around(line, tape, part);
                    is_new = true;
                }
                if let Some(string) = like(line, frame) {
                    return Is::Like(string);
                }
                let Ok(part) = tape.append(line) else { return Is::Other };
                last = Some((line, part));
                Is::Parsed(part)
            });
            lines.push(Entry { end, is });
            start = end + 1;
        }
        if let Some((line, part)) = last {
            frame = around(line, tape, part);
            is_new = true;
        }
        if is_new {
            self.frame = Frame { head: frame.0.to_owned(), tail: frame.1.to_owned() };
        }
    }
}

/// A line without its text.
#[derive(Debug, Default)]
struct Frame {
    /// Up to the text, quotation mark included; empty when there is none.
    head: String,
    /// From the closing quotation mark on.
    tail: String,
}

/// What stands around the text in a line, if it is of a kind that is often followed by more.
fn around<'l>(line: &'l str, tape: &Tape, part: Part) -> (&'l str, &'l str) {
    let parts = tape.last_string(line, part, "text").and_then(|text| {
        let head = line.get(..=text.start)?;
        let tail = line.get(text.end - 1..)?;
        Some((head, tail))
    });
    parts.unwrap_or_default()
}

/// The string, in its quotation marks, that a line has within the frame, if it is nothing else.
fn like(line: &str, (head, tail): (&str, &str)) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    let is_framed = !head.is_empty()
        && bytes.len() >= head.len() + tail.len()
        && bytes.starts_with(head.as_bytes())
        && bytes.ends_with(tail.as_bytes());
    if !is_framed {
        return None;
    }
    let start = head.len() - 1;
    let end = json::string_end(bytes, start)?;
    (end == bytes.len() + 1 - tail.len()).then_some(start..end)
}
