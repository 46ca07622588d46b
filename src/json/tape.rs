//! The parser: one strict pass over a JSON text that leaves a flat list of tokens.
//!
//! It accepts what RFC 8259 calls a JSON text and `serde_json` reads as a value, with these exceptions:
//! a number may lie beyond the range of `f64`, nesting may be far deeper, and a long text may not
//! consist of hardly anything but tiny values; see [`most_tokens`] and [`deepest`].
//!
//! Each object has *name bits*: a small set of hashes of its members' names. A lookup of a name that the
//! object does not have, the most frequent kind by far, mostly ends with them.

use std::borrow::Cow;

use super::fault::{Fault, Reason, fault};
use super::strings::{decoded as decoded_inner, string};
use crate::map::{self, Map};

/// The tokens of one or more parsed JSON texts, in buffers that are reused for the next texts.
#[derive(Debug, Default)]
pub struct Tape {
    tokens: Vec<Token>,
    duplicates: Vec<DuplicateName>,
    frames: Vec<Frame>,
}

/// Handle of one text on a [`Tape`]: the ranges of its tokens and of its repeated names.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    tokens: (usize, usize),
    duplicates: (usize, usize),
}

/// Two members with the same name, next to each other among the members of this name in one object.
/// A name that occurs *n* times makes *n* − 1 such pairs, so a name is the `first` of a pair
/// exactly when a later member overrides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DuplicateName {
    /// Index of the token of the first name, which the second one overrides.
    pub(super) first: u32,
    /// Token index of the next equal name in the object.
    pub(super) second: u32,
}

impl Tape {
    /// An empty tape, to which texts can be added. Allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes all texts from the tape, and keeps the buffers for the next ones.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.duplicates.clear();
    }

    /// Parses `text` and makes it the only text on the tape. Fails when the text is not JSON; the
    /// tape is then empty.
    pub fn parse(&mut self, text: &str) -> Result<(), Fault> {
        self.clear();
        self.append(text).map(|_| ())
    }

    /// Parses `text` and adds its tokens behind those of earlier texts. Fails when the text is not
    /// JSON; the tape then keeps what it had.
    pub fn append(&mut self, text: &str) -> Result<Part, Fault> {
        let (base, known) = (self.tokens.len(), self.duplicates.len());
        self.frames.clear();
        let mut parser = Parser {
            bytes: text.as_bytes(),
            text,
            tokens: &mut self.tokens,
            base,
            frames: &mut self.frames,
            duplicates: &mut self.duplicates,
            most_tokens: most_tokens(text.len()),
            deepest: deepest(text.len()),
        };
        if let Err(fault) = parser.run() {
            self.tokens.truncate(base);
            self.duplicates.truncate(known);
            return Err(fault);
        }
        self.duplicates[known..].sort_unstable_by_key(|duplicate| duplicate.first);
        Ok(Part { tokens: (base, self.tokens.len()), duplicates: (known, self.duplicates.len()) })
    }

    /// Copies a value from another tape as a text of its own. `tokens` and `duplicates` are those
    /// of the value, `index` is the index of its first token there. Costs time by the number of
    /// tokens.
    pub(super) fn append_copy(
        &mut self,
        index: u32,
        tokens: &[Token],
        duplicates: &[DuplicateName],
    ) -> Part {
        let (base, known) = (self.tokens.len(), self.duplicates.len());
        let start = tokens.first().map_or(0, |token| token.start);
        self.tokens.extend(tokens.iter().map(|token| Token {
            start: token.start - start,
            end: token.end - start,
            next: token.next - index,
            ..*token
        }));
        self.duplicates.extend(
            duplicates.iter().map(|pair| DuplicateName {
                first: pair.first - index,
                second: pair.second - index,
            }),
        );
        Part { tokens: (base, self.tokens.len()), duplicates: (known, self.duplicates.len()) }
    }

    /// The part of the tape that has all its tokens, for a tape with one text.
    pub(super) fn whole(&self) -> Part {
        Part { tokens: (0, self.tokens.len()), duplicates: (0, self.duplicates.len()) }
    }

    /// The tokens of one text. Indices in them count from 0 at the first token of that text.
    pub(super) fn tokens(&self, part: Part) -> &[Token] {
        self.tokens.get(part.tokens.0..part.tokens.1).unwrap_or_default()
    }

    /// The pairs of equal member names in one text, sorted by the name that comes first and is
    /// overridden.
    pub(super) fn duplicates(&self, part: Part) -> &[DuplicateName] {
        self.duplicates.get(part.duplicates.0..part.duplicates.1).unwrap_or_default()
    }
}

/// One parsed value, or the name of a member. The token of a name directly precedes that of its
/// value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    /// Byte offset of the value's first byte in the text.
    pub(super) start: u32,
    /// Offset in the text of the first byte behind the value.
    pub(super) end: u32,
    /// Index of the token behind this value and all values in it, counted from the first token of
    /// the text.
    pub(super) next: u32,
    pub(super) kind: TokenKind,
    /// For an object: one bit for each [`coarse`] hash of a member's name, by which most lookups of
    /// missing names end early.
    name_bits: u16,
}

impl Token {
    /// The token `null`, which stands for the root when the tape is empty.
    pub(super) const NULL: Self =
        Self { start: 0, end: 0, next: 1, kind: TokenKind::Null, name_bits: 0 };

    /// Whether the value is an object that may have a member called `name`. `false` is certain;
    /// `true` may be wrong.
    #[inline]
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.kind == TokenKind::Object && self.name_bits & coarse(hash(name.as_bytes())) != 0
    }
}

/// The kind of a value; for numbers and strings also how they are written, on which decoding
/// depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Null,
    True,
    False,
    /// A number without fraction and exponent, such as `10`.
    Integer,
    /// A number with a fraction or an exponent, such as `1.0` and `1e1`.
    Decimal,
    /// A string without escape sequences, whose text needs no decoding.
    Plain,
    /// A string with escape sequences, whose text must be decoded.
    Escaped,
    Array,
    Object,
}

/// The greatest number of tokens that a text of `length` bytes may have. A token takes 16 bytes, so
/// the tokens of a long text take at most four times its length. Usual messages have a token for
/// every eight to twenty bytes.
fn most_tokens(length: usize) -> usize {
    const ALWAYS: usize = 250_000;
    ALWAYS.max(length / 4)
}

/// The greatest depth of nesting that a text of `length` bytes may have.
fn deepest(length: usize) -> usize {
    const ALWAYS: usize = 50_000;
    ALWAYS.max(length / 32)
}

/// The number of members up to which equal names of an object are found by comparing each with
/// each.
const FEW: u32 = 16;

/// The state of [`Tape::append`] while it parses one text.
struct Parser<'p> {
    bytes: &'p [u8],
    text: &'p str,
    tokens: &'p mut Vec<Token>,
    /// Index on the tape of the first token of this text.
    base: usize,
    /// The open arrays and objects around the innermost one, from the outside in.
    frames: &'p mut Vec<Frame>,
    duplicates: &'p mut Vec<DuplicateName>,
    most_tokens: usize,
    deepest: usize,
}

/// An array or object whose closing bracket has not been read yet.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The set of the [`fine`] hashes of the object's names so far. Equal names have the same bit.
    fine: u128,
    /// The set of the [`coarse`] hashes of the object's names so far, for `Token::name_bits`. All
    /// bits are set once a name has escape sequences.
    coarse: u16,
    index: u32,
    count: u32,
    container: Container,
    /// Whether two names of the object may be equal: they share a bit of `fine`, or one has escape
    /// sequences.
    may_have_duplicates: bool,
}

impl Frame {
    fn new(index: u32, container: Container) -> Self {
        Self { fine: 0, coarse: 0, index, count: 0, container, may_have_duplicates: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    /// The level of the outermost value, around all arrays and objects.
    Top,
    Array,
    Object,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        let bytes = self.bytes;
        if u32::try_from(bytes.len()).is_err() {
            return fault(bytes.len(), Reason::Length);
        }
        let mut frame = Frame::new(0, Container::Top);
        let mut at = blank(bytes, 0);
        loop {
            if self.tokens.len() - self.base >= self.most_tokens || self.frames.len() > self.deepest
            {
                return fault(at, Reason::Values);
            }
            match bytes.get(at) {
                Some(b'"') => {
                    let (end, has_escapes) = string(bytes, at)?;
                    self.push(string_kind(has_escapes), at, end);
                    at = end;
                }
                Some(b'{') => {
                    self.open(&mut frame, Container::Object, TokenKind::Object, at);
                    at = blank(bytes, at + 1);
                    match bytes.get(at) {
                        Some(b'"') => {
                            at = self.name(&mut frame, at)?;
                            continue;
                        }
                        Some(b'}') => at = self.close(&mut frame, at),
                        _ => return fault(at, Reason::NameOrBrace),
                    }
                }
                Some(b'[') => {
                    self.open(&mut frame, Container::Array, TokenKind::Array, at);
                    at = blank(bytes, at + 1);
                    if bytes.get(at) != Some(&b']') {
                        continue;
                    }
                    at = self.close(&mut frame, at);
                }
                Some(b'-' | b'0'..=b'9') => {
                    let (end, kind) = number(bytes, at)?;
                    self.push(kind, at, end);
                    at = end;
                }
                Some(b't') => at = self.literal(TokenKind::True, b"true", at)?,
                Some(b'f') => at = self.literal(TokenKind::False, b"false", at)?,
                Some(b'n') => at = self.literal(TokenKind::Null, b"null", at)?,
                _ if frame.container == Container::Array && frame.count == 0 => {
                    return fault(at, Reason::ValueOrBracket);
                }
                _ => return fault(at, Reason::Value),
            }
            // Behind a value: up through all containers that end here, to the next value.
            loop {
                frame.count += 1;
                at = blank(bytes, at);
                let byte = bytes.get(at);
                match frame.container {
                    Container::Object => match byte {
                        Some(b',') => {
                            at = blank(bytes, at + 1);
                            if bytes.get(at) != Some(&b'"') {
                                return fault(at, Reason::Name);
                            }
                            at = self.name(&mut frame, at)?;
                            break;
                        }
                        Some(b'}') => at = self.close(&mut frame, at),
                        _ => return fault(at, Reason::CommaOrBrace),
                    },
                    Container::Array => match byte {
                        Some(b',') => {
                            at = blank(bytes, at + 1);
                            break;
                        }
                        Some(b']') => at = self.close(&mut frame, at),
                        _ => return fault(at, Reason::CommaOrBracket),
                    },
                    Container::Top if byte.is_none() => return Ok(()),
                    Container::Top => return fault(at, Reason::End),
                }
            }
        }
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) -> u32 {
        let index = narrow(self.tokens.len() - self.base);
        let (start, end, next) = (narrow(start), narrow(end), index + 1);
        self.tokens.push(Token { start, end, next, kind, name_bits: 0 });
        index
    }

    #[inline]
    fn literal(&mut self, kind: TokenKind, word: &[u8], at: usize) -> Result<usize, Fault> {
        let end = at + word.len();
        if self.bytes.get(at..end) != Some(word) {
            return fault(at, Reason::Literal);
        }
        self.push(kind, at, end);
        Ok(end)
    }

    #[inline]
    fn open(&mut self, frame: &mut Frame, container: Container, kind: TokenKind, at: usize) {
        self.frames.push(*frame);
        let index = self.push(kind, at, at + 1);
        *frame = Frame::new(index, container);
    }

    /// Ends the innermost array or object (`frame`) at its closing bracket, and goes on with the
    /// one around it. Returns the offset behind the bracket.
    #[inline]
    fn close(&mut self, frame: &mut Frame, at: usize) -> usize {
        if frame.container == Container::Object && (frame.may_have_duplicates || frame.count > FEW)
        {
            self.find_duplicates(*frame);
        }
        let next = narrow(self.tokens.len() - self.base);
        if let Some(token) = self.tokens.get_mut(self.base + frame.index as usize) {
            token.end = narrow(at + 1);
            token.next = next;
            token.name_bits = frame.coarse;
        }
        if let Some(outer) = self.frames.pop() {
            *frame = outer;
        }
        at + 1
    }

    /// Reads the member name at byte `at` and the colon behind it. Returns the offset of the
    /// member's value. Fails when either is invalid.
    #[inline]
    fn name(&mut self, frame: &mut Frame, at: usize) -> Result<usize, Fault> {
        let (end, has_escapes) = string(self.bytes, at)?;
        if has_escapes {
            (frame.may_have_duplicates, frame.coarse) = (true, u16::MAX);
        }
        let hash = hash(self.bytes.get(at + 1..end - 1).unwrap_or_default());
        let fine = fine(hash);
        frame.may_have_duplicates |= frame.fine & fine != 0;
        frame.fine |= fine;
        frame.coarse |= coarse(hash);
        self.push(string_kind(has_escapes), at, end);
        let at = blank(self.bytes, end);
        if self.bytes.get(at) != Some(&b':') {
            return fault(at, Reason::Colon);
        }
        Ok(blank(self.bytes, at + 1))
    }

    fn find_duplicates(&mut self, frame: Frame) {
        let Some(tokens) = self.tokens.get(self.base..) else { return };
        let names = std::iter::successors(Some(frame.index + 1), |&name| {
            tokens.get(name as usize + 1).map(|value| value.next)
        })
        .map_while(|index| tokens.get(index as usize).map(|name| (index, name)));
        if frame.count <= FEW {
            let names: Vec<_> = names.collect();
            for (position, (second, name)) in names.iter().enumerate() {
                let mut before = names[..position].iter().rev();
                if let Some(&(first, _)) =
                    before.find(|(_, other)| is_same_name(self.text, name, other))
                {
                    self.duplicates.push(DuplicateName { first, second: *second });
                }
            }
            return;
        }
        // Names are sorted by a hash, so that only those with the same hash are compared: a table of
        // all names would take several times the text.
        let mut names: Vec<_> = names.map(|(index, name)| (self.hash_of(name), index)).collect();
        names.sort_unstable();
        for same in names.chunk_by(|one, other| one.0 == other.0) {
            if same.len() < 2 {
                continue;
            }
            let mut latest = Map::default();
            for &(_, second) in same {
                let Some(name) = tokens.get(second as usize) else { continue };
                if let Some(first) = latest.insert(decoded(self.text, name), second) {
                    self.duplicates.push(DuplicateName { first, second });
                }
            }
        }
    }

    /// A hash of a decoded name with the random keys of this run. No transcript can be written
    /// whose names collide on purpose.
    fn hash_of(&self, name: &Token) -> u32 {
        #[expect(clippy::cast_possible_truncation, reason = "half of a hash is a hash")]
        match decoded(self.text, name) {
            Cow::Borrowed(name) => map::hash_of(name) as u32,
            Cow::Owned(name) => map::hash_of(&*name) as u32,
        }
    }
}

fn string_kind(has_escapes: bool) -> TokenKind {
    if has_escapes { TokenKind::Escaped } else { TokenKind::Plain }
}

/// The text between the quotation marks of a string, as it is written.
#[inline]
pub(super) fn inner<'t>(text: &'t str, string: &Token) -> &'t str {
    let (start, end) = (string.start as usize + 1, string.end as usize);
    text.get(start..end.saturating_sub(1)).unwrap_or_default()
}

/// The decoded text of a string. Allocates only when the string has escape sequences.
#[inline]
pub(super) fn decoded<'t>(text: &'t str, string: &Token) -> Cow<'t, str> {
    let inner = inner(text, string);
    if string.kind == TokenKind::Escaped { decoded_inner(inner) } else { inner.into() }
}

fn is_same_name(text: &str, one: &Token, other: &Token) -> bool {
    if one.kind == TokenKind::Plain && other.kind == TokenKind::Plain {
        inner(text, one) == inner(text, other)
    } else {
        decoded(text, one) == decoded(text, other)
    }
}

/// A fast hash of a member name, to find repeated names in an object. Made of the length and of the
/// first, middle and last byte, which differ for nearly all names of one object.
#[inline]
fn hash(name: &[u8]) -> u32 {
    // By experiment: a factor by which the names in messages share few bits with the names that are
    // looked for in vain.
    const FACTOR: u32 = 0xbf73_c843;
    let at = |place: usize| name.get(place).map_or(0, |byte| u32::from(*byte));
    let length = name.len();
    let bytes = at(0) | at(length.wrapping_sub(1)) << 8 | at(length / 2) << 16;
    (bytes | narrow(length) << 24).wrapping_mul(FACTOR)
}

/// The bit that stands for a hash in a set of 128 bits, `Frame::fine`.
#[inline]
fn fine(hash: u32) -> u128 {
    1 << (hash >> 25)
}

/// The bit that stands for a hash in a set of 16 bits, such as `Token::name_bits`.
#[inline]
fn coarse(hash: u32) -> u16 {
    1 << (hash >> 28)
}

/// Narrows an offset or an index, which is at most the length of the text. [`Parser::run`] refuses
/// texts longer than `u32::MAX`.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a text longer than `u32::MAX` is a fault")]
fn narrow(size: usize) -> u32 {
    size as u32
}

/// The offset of the first byte from `at` on that is not white space.
#[inline]
fn blank(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Reads the number at byte `at`. Returns the offset behind it and its kind. Fails for an invalid
/// number.
#[inline]
fn number(bytes: &[u8], at: usize) -> Result<(usize, TokenKind), Fault> {
    let mut at = if bytes.get(at) == Some(&b'-') { at + 1 } else { at };
    let mut kind = TokenKind::Integer;
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        kind = TokenKind::Decimal;
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        kind = TokenKind::Decimal;
        let sign = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = digits(bytes, at + 1 + usize::from(sign))?;
    }
    Ok((at, kind))
}

/// Skips the digits at `at`. Returns the offset behind them, or a fault when there is none.
#[inline]
fn digits(bytes: &[u8], mut at: usize) -> Result<usize, Fault> {
    if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
        return fault(at, Reason::Digit);
    }
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    Ok(at)
}
