//! The first stage of reading: bytes are cut into blocks of whole lines, and the lines are parsed.
//!
//! It needs nothing of what is judged, so that it can go ahead in a thread of its own. What it finds
//! depends on the lines alone, not on the blocks they come in.

use std::{mem, ops::Range};

use fearless_simd::{Level, Simd, SimdBase as _, SimdMask as _, dispatch, u8x64};
use yoke::Yoke;

use crate::{
    check::lines::LINE,
    json::{self, Part, Tape},
};

/// How much is kept for the next block of what one has taken, in bytes: a long line takes more.
const KEPT: usize = 1 << 20;
/// Lines of a block at most: of so many, each with its findings, memory has to be held at once.
const LINES: usize = 4096;

/// Cuts bytes into blocks of whole lines, and parses the lines.
#[derive(Debug, Default)]
pub struct Parser {
    /// Bytes that are in no block yet, and room for more.
    bytes: Vec<u8>,
    /// How many of them have been filled.
    filled: usize,
    /// Whether lines are JSON texts; if not, they are only cut.
    is_json: bool,
    last: Last,
    kit: Kit,
}

/// What reading a text takes, kept for the next one.
#[derive(Debug, Default)]
pub(super) struct Kit {
    /// Those of the bytes that are in no block yet.
    pub(super) breaks: Breaks,
    pub(super) ahead: Ahead,
}

/// Lines at the beginning of a transcript that have been parsed ahead.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    pub(super) tape: Tape,
    /// What they are on the tape; none where there is anything else among them.
    pub(super) parts: Vec<Part>,
}

impl Kit {
    /// Other bytes are at hand.
    fn forget(&mut self) {
        self.breaks.clear();
        self.ahead.parts.clear();
    }
}

/// Where the line breaks stand among the first of some bytes.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    places: Vec<usize>,
    /// How many bytes have been searched.
    searched: usize,
}

impl Breaks {
    /// Searches bytes, the first of which may have been searched before, until so many line breaks
    /// are known.
    pub(super) fn find(&mut self, bytes: &[u8], enough: usize) -> &[usize] {
        if self.places.len() < enough {
            add_line_breaks(bytes, self.searched, enough, &mut self.places);
            self.searched = match self.places.last() {
                Some(last) if self.places.len() == enough => last + 1,
                _ => bytes.len(),
            };
        }
        &self.places
    }

    /// The first so many lines have been taken away, which were so many bytes.
    fn take(&mut self, lines: usize, bytes: usize) {
        self.places.drain(..lines);
        self.places.iter_mut().for_each(|place| *place -= bytes);
        self.searched -= bytes;
    }

    fn clear(&mut self) {
        self.places.clear();
        self.searched = 0;
    }
}

/// Whole lines, parsed where they are JSON. Its buffers are used again for the next lines.
#[derive(Debug, Default)]
pub struct Block {
    /// Where it stands in the transcript, in bytes, once it has been judged.
    at: Option<u64>,
    bytes: Bytes,
    tape: Tape,
    lines: Vec<Entry>,
}

/// The first bytes of a buffer, and the text that they are, if they are one.
#[derive(Debug)]
struct Bytes(Yoke<(&'static [u8], Option<&'static str>), Vec<u8>>);

impl Bytes {
    /// Looks whether they are a text, if one is expected; nobody needs to look again.
    fn new(buffer: Vec<u8>, len: usize, is_text: bool) -> Self {
        Self(Yoke::attach_to_cart(buffer, |buffer| {
            let bytes = buffer.get(..len).unwrap_or(buffer);
            (bytes, is_text.then_some(bytes).and_then(utf8))
        }))
    }

    fn bytes(&self) -> &[u8] {
        self.0.get().0
    }

    /// A part of them as a text, if it is one, whatever the others are.
    fn text(&self, part: Range<usize>) -> Option<&str> {
        match self.0.get().1 {
            Some(text) => text.get(part),
            None => utf8(self.bytes().get(part)?),
        }
    }

    fn into_buffer(self) -> Vec<u8> {
        self.0.into_backing_cart()
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::new(Vec::new(), 0, false)
    }
}

/// A line of a block, or several that are alike, without the line break at the end.
#[derive(Clone, Debug)]
pub(super) struct Line<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) json: Option<Json<'b>>,
}

/// What is known of a line that is a JSON text.
#[derive(Clone, Debug)]
pub(super) enum Json<'b> {
    Parsed(&'b str, &'b Tape, Part),
    /// So many lines, each of which differs from the last parsed one in nothing but a string with so
    /// many bytes before and behind it.
    Like(&'b str, (usize, usize), u32),
}

#[derive(Debug)]
struct Entry {
    /// Where the line break stands, the last one of several lines.
    end: usize,
    is: Is,
}

#[derive(Debug)]
enum Is {
    Parsed(Part),
    /// So many lines.
    Like(Frame, u32),
    /// What is to be looked at more closely, if it is anything.
    Other,
}

impl Block {
    /// Its length in bytes, line breaks included.
    pub fn len(&self) -> usize {
        self.bytes.bytes().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut from = 0;
        self.lines.iter().map(move |Entry { end, is }| {
            let start = mem::replace(&mut from, end + 1);
            let bytes = self.bytes.bytes().get(start..*end).unwrap_or_default();
            let text = || self.bytes.text(start..*end);
            let json = match is {
                Is::Parsed(part) => text().map(|text| Json::Parsed(text, &self.tape, *part)),
                Is::Like(frame, count) => {
                    text().map(|text| Json::Like(text, frame.around(), *count))
                }
                Is::Other => None,
            };
            Line { bytes, json }
        })
    }

    /// It stands here in the transcript.
    pub(super) fn place(&mut self, at: u64) {
        self.at = Some(at);
    }

    /// Those of its bytes that stand in the transcript from `at` on, once it has been judged.
    pub fn held(&self, at: u64) -> &[u8] {
        let from = self.at.and_then(|start| usize::try_from(at.checked_sub(start)?).ok());
        from.and_then(|from| self.bytes.bytes().get(from..)).unwrap_or_default()
    }

    /// Forgets the lines and what long ones took.
    pub fn clear(&mut self) {
        if self.len() > KEPT {
            *self = Self::default();
        }
        self.at = None;
        self.tape.clear();
        self.lines.clear();
    }
}

impl Parser {
    /// Where the next bytes of the transcript are to be put, so many of them.
    pub fn room(&mut self, count: usize) -> &mut [u8] {
        let end = self.filled + count;
        if self.bytes.is_empty() {
            self.bytes = vec![0; end]; // costs nothing, unlike what follows
        } else if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        &mut self.bytes[self.filled..end]
    }

    /// Takes a buffer with the first bytes of the transcript in it, so many of them, and gives another
    /// one for it.
    pub(super) fn exchange(&mut self, buffer: &mut Vec<u8>, count: usize) {
        mem::swap(&mut self.bytes, buffer);
        self.filled = count.min(self.bytes.len());
        self.kit.forget();
    }

    /// So many bytes have been put into the room.
    pub fn advance(&mut self, count: usize) {
        self.filled = (self.filled + count).min(self.bytes.len());
    }

    /// The bytes that are in no block yet.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// The same, and what reading some of them ahead takes.
    pub(super) fn sample(&mut self) -> (&[u8], &mut Kit) {
        (&self.bytes[..self.filled], &mut self.kit)
    }

    /// Whether there is a line that is too long: nothing from there on is read.
    pub fn is_stuck(&self) -> bool {
        self.filled > LINE
    }

    /// Takes the bytes that are in no block yet, which are the last of their transcript. It is ready
    /// for another one then.
    pub(super) fn end(&mut self) -> Vec<u8> {
        let rest = match self.filled {
            0 => Vec::new(),
            filled => {
                let mut bytes = mem::take(&mut self.bytes);
                bytes.truncate(filled);
                bytes
            }
        };
        self.clear();
        self.is_json = false;
        self.last = Last::default();
        rest
    }

    /// Forgets the bytes that are in no block yet.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
        self.kit.forget();
        if self.bytes.len() > KEPT {
            self.bytes = Vec::new();
        }
    }

    /// From now on, lines are JSON texts, or are not.
    pub(super) fn expect_json(&mut self, is_json: bool) {
        self.is_json = is_json;
    }

    /// Puts the next whole lines into the block, replacing what it held, but not too many. `false`:
    /// there are none.
    pub fn cut(&mut self, block: &mut Block) -> bool {
        let breaks = self.kit.breaks.find(&self.bytes[..self.filled], LINES);
        let count = breaks.len().min(LINES);
        let Some(last) = breaks[..count].last() else { return false };
        let end = last + 1;
        block.clear();
        // The bytes that the block had are overwritten without being wiped.
        let mut next = mem::take(&mut block.bytes).into_buffer();
        let rest = &self.bytes[end..self.filled];
        if next.len() < rest.len() {
            next = vec![0; self.bytes.len()];
        }
        next[..rest.len()].copy_from_slice(rest);
        self.filled = rest.len();
        let bytes = mem::replace(&mut self.bytes, next);
        block.bytes = Bytes::new(bytes, end, self.is_json);
        self.parse(block, count);
        self.kit.breaks.take(count, end);
        true
    }

    /// Adds the first so many lines to the block.
    fn parse(&mut self, block: &mut Block, count: usize) {
        let Block { bytes, tape, lines, .. } = block;
        let (mut last, mut frame) = (&*self.last.line, self.last.frame);
        let Kit { breaks, ahead } = &mut self.kit;
        if !ahead.parts.is_empty() {
            mem::swap(tape, &mut ahead.tape);
        }
        let mut ahead = ahead.parts.drain(..);
        let mut is_new = false;
        // Where the line begins, and the first one of those that it may be read with.
        let (mut start, mut first) = (0, 0);
        for &end in &breaks.places[..count] {
            let line = if self.is_json { bytes.text(start..end) } else { None };
            let is = line.map_or(Is::Other, |line| {
                if let Some(part) = ahead.next() {
                    (last, frame, is_new) = (line, None, true);
                    return Is::Parsed(part);
                }
                if let Some(own) = like(line, last, frame) {
                    frame = Some(own);
                    return Is::Like(own, 1);
                }
                let Ok(part) = tape.append(line) else { return Is::Other };
                (last, frame, is_new) = (line, None, true);
                Is::Parsed(part)
            });
            match (lines.last_mut(), &is) {
                // Read in one go, unless they are long: how long one line is has a limit.
                (Some(Entry { end: last, is: Is::Like(_, count) }), Is::Like(..))
                    if end - first <= KEPT =>
                {
                    (*last, *count) = (end, *count + 1);
                }
                _ => {
                    lines.push(Entry { end, is });
                    first = start;
                }
            }
            start = end + 1;
        }
        if is_new {
            let last = if last.len() > KEPT { "" } else { last };
            let last = last.to_owned();
            self.last = Last { line: last, frame };
        } else {
            self.last.frame = frame;
        }
    }
}

/// The bytes as a text, if they are one.
pub(super) fn utf8(bytes: &[u8]) -> Option<&str> {
    simdutf8::basic::from_utf8(bytes).ok()
}

/// Adds the places of line breaks from there on, until there are so many.
fn add_line_breaks(bytes: &[u8], from: usize, most: usize, places: &mut Vec<usize>) {
    dispatch!(Level::new(), simd => line_breaks(simd, bytes, from, most, places));
}

#[inline(always)] // into the code for each kind of processor
fn line_breaks<S: Simd>(simd: S, bytes: &[u8], from: usize, most: usize, places: &mut Vec<usize>) {
    const BLOCK: usize = 64;
    let (blocks, rest) = bytes[from..].as_chunks::<BLOCK>();
    for (index, block) in blocks.iter().enumerate() {
        let known = places.len();
        if known >= most {
            return;
        }
        let mut breaks = u8x64::from_slice(simd, block).simd_eq(b'\n').to_bitmask();
        let start = from + BLOCK * index;
        // Whether there is one cannot be foreseen, more than one are rare: no branch for the first.
        places.push(start + breaks.trailing_zeros() as usize);
        places.truncate(known + usize::from(breaks != 0));
        breaks &= breaks.wrapping_sub(1);
        while breaks != 0 && places.len() < most {
            places.push(start + breaks.trailing_zeros() as usize);
            breaks &= breaks - 1;
        }
    }
    let from = bytes.len() - rest.len();
    let rest = memchr::memchr_iter(b'\n', rest).take(most - places.len());
    places.extend(rest.map(|at| from + at));
}

/// The line parsed last, and what of it stays the same in the lines that are like it.
#[derive(Debug, Default)]
struct Last {
    line: String,
    frame: Option<Frame>,
}

/// What a line is without its text.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// How long it is up to the text, quotation mark included.
    head: usize,
    /// How long it is from the closing quotation mark on.
    tail: usize,
}

/// How many bytes stand behind a text at least: its quotation mark, and four objects end.
const ENDING: usize = 5;

impl Frame {
    /// How many bytes stand before and behind the text in its quotation marks.
    fn around(self) -> (usize, usize) {
        (self.head - 1, self.tail - 1)
    }
}

/// What does not change, where a line differs from the last one in its text alone; not known before
/// there is a second line.
fn like(line: &str, last: &str, frame: Option<Frame>) -> Option<Frame> {
    let (line, last) = (line.as_bytes(), last.as_bytes());
    let Some(frame) = frame else {
        // Most lines that are not like the last one end in another way.
        if line.last_chunk::<ENDING>() != last.last_chunk() {
            return None;
        }
        let start = memchr::memrchr(b'"', &line[..common(line, last)])?;
        if !line[..start].trim_ascii_end().ends_with(b"\"text\":") {
            return None;
        }
        let end = json::text_end(line, start + 1)?;
        let tail = &line[end - 1..];
        let is_like = last.ends_with(tail)
            && json::text_end(last, start + 1)
                .is_some_and(|own| own + tail.len() == last.len() + 1);
        let frame = Frame { head: start + 1, tail: tail.len() };
        return is_like.then_some(frame);
    };
    let Frame { head, tail } = frame;
    let is_framed = line.len() >= head + tail
        && line.starts_with(&last[..head])
        && line.ends_with(&last[last.len() - tail..]);
    if !is_framed {
        return None;
    }
    let end = json::text_end(line, head)?;
    (end + tail == line.len() + 1).then_some(frame)
}

/// How many bytes are the same at the beginning of both.
fn common(one: &[u8], other: &[u8]) -> usize {
    let steps = std::iter::zip(one.as_chunks::<16>().0, other.as_chunks::<16>().0);
    let from = steps.take_while(|(one, other)| one == other).count() * 16;
    let bytes = std::iter::zip(&one[from..], &other[from..]);
    from + bytes.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        check::sample::Sample,
        json::{Doc, Node},
        source::Origin,
    };

    /// Where everything stands that is in a value.
    fn places(node: Node<'_>) -> Vec<Range<usize>> {
        let members = node.members().flat_map(|(name, value)| [name, value]);
        let below = node.elements().chain(members).flat_map(places);
        std::iter::once(node.range()).chain(below).collect()
    }

    fn put(parser: &mut Parser, text: &str) {
        parser.room(text.len()).copy_from_slice(text.as_bytes());
        parser.advance(text.len());
    }

    /// What the lines are found to be.
    fn read(lines: &[&str]) -> Vec<Option<&'static str>> {
        let mut parser = Parser { is_json: true, ..Parser::default() };
        let mut found = Vec::new();
        for line in lines {
            // Each in a block of its own.
            put(&mut parser, &format!("{line}\n"));
            let mut block = Block::default();
            assert!(parser.cut(&mut block));
            found.extend(block.lines().map(|line| match line.json {
                Some(Json::Parsed(..)) => Some("parsed"),
                Some(Json::Like(..)) => Some("like"),
                None => None,
            }));
        }
        found
    }

    #[test]
    fn line_breaks_are_found_wherever_they_stand() {
        let mut bytes = vec![b'.'; 300];
        for at in [0, 1, 62, 63, 64, 127, 128, 190, 255, 256, 298, 299] {
            bytes[at] = b'\n';
        }
        for from in [0, 1, 2, 63, 64, 65, 200, 299, 300] {
            for most in [0, 1, 2, 5, 11, 12, 13, usize::MAX] {
                let all = (from..bytes.len()).filter(|at| bytes[*at] == b'\n');
                let expected: Vec<_> = all.take(most).collect();
                for level in json::levels() {
                    let mut found = Vec::new();
                    dispatch!(level, simd => line_breaks(simd, &bytes, from, most, &mut found));
                    assert_eq!(found, expected, "{level:?} from {from} at most {most}");
                }
            }
        }
    }

    #[test]
    fn many_short_lines_come_in_several_blocks() {
        let text = "{}\n".repeat(2 * LINES + 1) + "{";
        // However many line breaks are known before.
        for known in [0, 1, LINES - 1, LINES, LINES + 1, 3 * LINES] {
            let mut parser = Parser { is_json: true, ..Parser::default() };
            put(&mut parser, &text);
            let (rest, kit) = parser.sample();
            kit.breaks.find(rest, known);
            let mut block = Block::default();
            for lines in [LINES, LINES, 1] {
                assert!(parser.cut(&mut block));
                assert_eq!(block.lines().filter(|line| line.json.is_some()).count(), lines);
            }
            assert!(!parser.cut(&mut block));
            assert_eq!(parser.rest(), b"{");
            put(&mut parser, "}\n");
            assert!(parser.cut(&mut block) && block.lines().count() == 1, "{known}");
        }
    }

    #[test]
    fn what_is_parsed_ahead_is_not_parsed_again() {
        const LINES: [&str; 5] = [
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#,
        ];
        let spaced = |place: usize, before: &str, behind: &str| {
            let mut lines = LINES.map(str::to_owned);
            lines[place] = format!("{before}{}{behind}", lines[place]);
            lines.join("\n") + "\n"
        };
        for (text, is_ahead) in [
            (spaced(0, "", ""), true),
            (spaced(4, "\n", " "), true),
            (spaced(0, "", " "), false),
            (spaced(0, "\n", ""), false),
            (spaced(2, "\n", ""), false),
            (spaced(3, "", "\r"), false),
        ] {
            let mut parser = Parser { is_json: true, ..Parser::default() };
            // Nothing of one transcript is taken for the next.
            for rest in ["", r#"{"jsonrpc":"#] {
                let text = format!("{text}{rest}");
                put(&mut parser, &text);
                let (bytes, kit) = parser.sample();
                Sample::of(bytes, true, None, kit);
                assert_eq!(!kit.ahead.parts.is_empty(), is_ahead, "{text}");
                let mut block = Block::default();
                assert!(parser.cut(&mut block));
                let read: Vec<_> = block.lines().collect();
                assert_eq!(read.len(), text.matches('\n').count());
                for (line, expected) in read.iter().zip(text.split('\n')) {
                    let mut own = Tape::new();
                    let Some(Json::Parsed(text, tape, part)) = line.json else {
                        assert!(expected.is_empty(), "{text}");
                        continue;
                    };
                    own.parse(expected).expect("a message");
                    let doc = Doc::of_part(text, tape, part, Origin::START);
                    let own = Doc::new(expected, &own, Origin::START);
                    assert_eq!((text, places(doc.root())), (expected, places(own.root())));
                }
                assert_eq!(parser.end(), rest.as_bytes());
                parser.expect_json(true);
            }
        }
    }

    #[test]
    fn lines_that_are_alike_come_together() {
        let line = |text: &str| format!(r#" {{"update":{{"text":"{text}","id":"a"}}}}"#);
        let long = line(&"x".repeat(KEPT));
        let (one, none) = (line("one"), "[");
        let lines = [&one, &line(""), &line("\u{e9}"), &long, &one, none, &one, &one, "{}", &one];
        let mut parser = Parser { is_json: true, ..Parser::default() };
        put(&mut parser, &(lines.join("\n") + "\n"));
        let mut block = Block::default();
        assert!(parser.cut(&mut block));
        let together = |line: Line<'_>| match line.json {
            Some(Json::Like(text, around, count)) => {
                assert_eq!(
                    (text.as_bytes(), text.split('\n').count()),
                    (line.bytes, count as usize)
                );
                assert!(text.split('\n').all(|line| line[around.0..].starts_with('"')));
                assert!(text.split('\n').all(|line| line[..line.len() - around.1].ends_with('"')));
                count
            }
            _ => 1,
        };
        let counts: Vec<_> = block.lines().map(together).collect();
        assert_eq!(counts, [1, 2, 1, 1, 1, 2, 1, 1]);
    }

    #[test]
    fn only_the_text_may_change() {
        let line = r#" {"update":{"text":"one","id":"a"}} "#;
        let more = r#" {"update":{"text":"two","id":"a"}} "#;
        for like in [
            more,
            r#" {"update":{"text":"t\"w\u00e9","id":"a"}} "#,
            r#" {"update":{"text":"","id":"a"}} "#,
            r#" {"update":{"text":"once","id":"a"}} "#,
        ] {
            assert_eq!(read(&[line, like, like]), [Some("parsed"), Some("like"), Some("like")]);
            assert_eq!(read(&[like, line, like]), [Some("parsed"), Some("like"), Some("like")]);
        }
        for other in [
            r#" {"update":{"text":"two","id":"b"}} "#,
            r#" {"update":{"text":"two","id":"b","id":"a"}} "#,
            r#" {"update":{"text":"","id":"a"}}"#,
            r#" {"update":{"text":"a","text":"b","id":"a"}} "#,
            r#" {"update":{"texts":"a","id":"a"}} "#,
            r#" {"update":{"text":1,"id":"a"}} "#,
        ] {
            assert_eq!(read(&[line, other]), [Some("parsed"), Some("parsed")], "{other}");
            assert_eq!(read(&[line, more, other])[1..], [Some("like"), Some("parsed")], "{other}");
        }
        for none in [
            r#" {"update":{"text":"two"},"id":"a"}} "#,
            r#" {"update":{"text":"t\wo","id":"a"}} "#,
            r#" {"update":{"text":"\ud800","id":"a"}} "#,
            r#" {"update":{"text":","id":"a"}} "#,
            "",
        ] {
            let expected = [Some("parsed"), None, Some("like"), None, Some("like")];
            assert_eq!(read(&[line, none, more, none, line]), expected, "{none}");
        }
    }
}
