//! One strict pass over a JSON text that leaves a flat list of nodes.
//!
//! It accepts what RFC 8259 calls a JSON text and `serde_json` reads as a value; only nesting is
//! not limited, and a number may lie beyond the range of `f64`.

use super::stretch::Stretches;
use crate::map::Map;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::{error, fmt};

mod string;

pub(super) use string::{line_breaks, string, unit};

/// The nodes of parsed texts, in buffers that are used again for the next text.
#[derive(Debug, Default)]
pub struct Tape {
    nodes: Vec<Raw>,
    repeats: Vec<Repeat>,
    frames: Vec<Frame>,
}

/// The nodes of one text among others on the same [`Tape`].
#[derive(Clone, Copy, Debug)]
pub struct Part {
    nodes: (usize, usize),
    repeats: (usize, usize),
}

/// Two members of one object with the same name, as node indices.
///
/// For a name that occurs `n` times there are `n - 1` of these, each joining neighbors. So a name
/// stands as `first` somewhere exactly when a later one overrides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The object.
    pub object: u32,
    /// The name that is overridden.
    pub first: u32,
    /// The next name equal to it.
    pub second: u32,
}

impl Tape {
    /// An empty tape, without buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets all texts and keeps the buffers.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.repeats.clear();
    }

    /// Makes this the tape of one text, replacing what it held. After a fault it is empty.
    pub fn parse(&mut self, text: &str) -> Result<(), Fault> {
        self.clear();
        self.append(text).map(|_| ())
    }

    /// Adds the nodes of another text. After a fault the tape is as it was.
    pub fn append(&mut self, text: &str) -> Result<Part, Fault> {
        let (base, known) = (self.nodes.len(), self.repeats.len());
        self.frames.clear();
        let mut pass = Pass {
            bytes: text.as_bytes(),
            text,
            nodes: &mut self.nodes,
            base,
            frames: &mut self.frames,
            repeats: &mut self.repeats,
        };
        if let Err(fault) = pass.run() {
            self.nodes.truncate(base);
            self.repeats.truncate(known);
            return Err(fault);
        }
        self.repeats[known..].sort_unstable_by_key(|repeat| repeat.first);
        Ok(Part { nodes: (base, self.nodes.len()), repeats: (known, self.repeats.len()) })
    }

    /// The repeated member names, ordered by the overridden name. Indices count from the beginning
    /// of the text's part.
    pub fn repeats(&self) -> &[Repeat] {
        &self.repeats
    }

    pub(super) fn nodes(&self) -> &[Raw] {
        &self.nodes
    }

    pub(super) fn part(&self, part: Part) -> (&[Raw], &[Repeat]) {
        (
            self.nodes.get(part.nodes.0..part.nodes.1).unwrap_or_default(),
            self.repeats.get(part.repeats.0..part.repeats.1).unwrap_or_default(),
        )
    }
}

/// A value or a member's name; a name directly precedes its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    /// Offset of the first byte in the text.
    pub(super) start: u32,
    /// Offset just behind the last byte.
    pub(super) end: u32,
    /// Index just behind the last descendant.
    pub(super) next: u32,
    pub(super) form: Form,
    /// Members, repeated ones included, or elements; [`u8::MAX`] stands for that many or more.
    pub(super) count: u8,
    /// Of an object one bit for each [`coarse`] hash of a member's name: most names that it does not
    /// have are not looked for among those that it has. Of a name its [`tag`].
    pub(super) shades: u16,
}

impl Raw {
    /// Stands in for the root of a tape without nodes.
    pub(super) const NOTHING: Self =
        Self { start: 0, end: 0, next: 1, form: Form::Null, count: 0, shades: 0 };
}

/// The kind of a value, and how it is written where reading it depends on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Null,
    True,
    False,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Decimal,
    /// A string without escapes.
    Plain,
    /// A string with escapes.
    Escaped,
    Array,
    Object,
}

/// Why, and from where on, a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Offset of the byte that should have been another; the text's length when bytes are missing.
    pub at: u32,
    /// What is wrong there.
    pub reason: Reason,
}

/// What a text lacks to be JSON, in terms of what would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    Value,
    ValueOrBracket,
    NameOrBrace,
    Name,
    Colon,
    CommaOrBrace,
    CommaOrBracket,
    End,
    Literal,
    Digit,
    Quote,
    Control,
    Escape,
    Hex,
    LowSurrogate,
    LoneSurrogate,
    Length,
}

impl error::Error for Fault {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.reason, f)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Value => "expected a value",
            Self::ValueOrBracket => "expected a value or `]`",
            Self::NameOrBrace => "expected a member name in double quotes or `}`",
            Self::Name => "expected a member name in double quotes",
            Self::Colon => "expected `:`",
            Self::CommaOrBrace => "expected `,` or `}`",
            Self::CommaOrBracket => "expected `,` or `]`",
            Self::End => "expected nothing behind the value",
            Self::Literal => "expected `true`, `false` or `null`",
            Self::Digit => "expected a digit",
            Self::Quote => "expected the `\"` that ends the string",
            Self::Control => "expected control characters in a string to be escaped",
            Self::Escape => "expected one of `\"\\/bfnrtu` behind `\\`",
            Self::Hex => "expected four hexadecimal digits behind `\\u`",
            Self::LowSurrogate => {
                "expected the second half of a surrogate pair, `\\udc00` to `\\udfff`"
            }
            Self::LoneSurrogate => {
                "expected the first half of a surrogate pair before this second half"
            }
            Self::Length => "expected a text of less than 4 GiB",
        })
    }
}

#[cold]
fn fault<T>(at: usize, reason: Reason) -> Result<T, Fault> {
    Err(Fault { at: u32::try_from(at).unwrap_or(u32::MAX), reason })
}

/// Objects with more members than this look for repeated names with a hash table.
const FEW: u32 = 16;

/// One pass over one text.
struct Pass<'p> {
    bytes: &'p [u8],
    text: &'p str,
    nodes: &'p mut Vec<Raw>,
    /// Where this text's nodes begin.
    base: usize,
    /// The open containers around the innermost one.
    frames: &'p mut Vec<Frame>,
    repeats: &'p mut Vec<Repeat>,
}

/// An open container.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// One bit for each [`fine`] hash of a name seen; two equal names meet in one bit.
    shades: u128,
    /// The same by [`coarse`] hashes, all of them where a name has escapes.
    coarse: u16,
    index: u32,
    count: u32,
    place: Place,
    /// Two names met in one bit, or a name has escapes.
    suspect: bool,
}

impl Frame {
    fn new(index: u32, place: Place) -> Self {
        Self { shades: 0, coarse: 0, index, count: 0, place, suspect: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Top,
    Array,
    Object,
}

impl Pass<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        let bytes = self.bytes;
        if u32::try_from(bytes.len()).is_err() {
            return fault(bytes.len(), Reason::Length);
        }
        let mut frame = Frame::new(0, Place::Top);
        let mut at = blank(bytes, 0);
        loop {
            match bytes.get(at) {
                Some(b'"') => {
                    let (end, form) = string(bytes, at)?;
                    self.push(form, at, end, 0);
                    at = end;
                }
                Some(b'{') => {
                    self.open(&mut frame, Place::Object, Form::Object, at);
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
                    self.open(&mut frame, Place::Array, Form::Array, at);
                    at = blank(bytes, at + 1);
                    if bytes.get(at) != Some(&b']') {
                        continue;
                    }
                    at = self.close(&mut frame, at);
                }
                Some(b'-' | b'0'..=b'9') => {
                    let (end, form) = number(bytes, at)?;
                    self.push(form, at, end, 0);
                    at = end;
                }
                Some(b't') => at = self.literal(Form::True, b"true", at)?,
                Some(b'f') => at = self.literal(Form::False, b"false", at)?,
                Some(b'n') => at = self.literal(Form::Null, b"null", at)?,
                _ if frame.place == Place::Array && frame.count == 0 => {
                    return fault(at, Reason::ValueOrBracket);
                }
                _ => return fault(at, Reason::Value),
            }
            // Behind a value: up through all containers that end here, to the next value.
            loop {
                frame.count += 1;
                at = blank(bytes, at);
                let byte = bytes.get(at);
                match frame.place {
                    Place::Object => match byte {
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
                    Place::Array => match byte {
                        Some(b',') => {
                            at = blank(bytes, at + 1);
                            break;
                        }
                        Some(b']') => at = self.close(&mut frame, at),
                        _ => return fault(at, Reason::CommaOrBracket),
                    },
                    Place::Top if byte.is_none() => return Ok(()),
                    Place::Top => return fault(at, Reason::End),
                }
            }
        }
    }

    #[inline]
    fn push(&mut self, form: Form, start: usize, end: usize, shades: u16) -> u32 {
        let index = narrow(self.nodes.len() - self.base);
        self.nodes.push(Raw {
            start: narrow(start),
            end: narrow(end),
            next: index + 1,
            form,
            count: 0,
            shades,
        });
        index
    }

    #[inline]
    fn literal(&mut self, form: Form, word: &[u8], at: usize) -> Result<usize, Fault> {
        let end = at + word.len();
        if self.bytes.get(at..end) != Some(word) {
            return fault(at, Reason::Literal);
        }
        self.push(form, at, end, 0);
        Ok(end)
    }

    #[inline]
    fn open(&mut self, frame: &mut Frame, place: Place, form: Form, at: usize) {
        self.frames.push(*frame);
        let index = self.push(form, at, at + 1, 0);
        *frame = Frame::new(index, place);
    }

    /// Ends the container at its closing bracket and goes on behind it, in the one around it.
    #[inline]
    fn close(&mut self, frame: &mut Frame, at: usize) -> usize {
        if frame.place == Place::Object && (frame.suspect || frame.count > FEW) {
            self.find_repeats(*frame);
        }
        let next = narrow(self.nodes.len() - self.base);
        if let Some(node) = self.nodes.get_mut(self.base + frame.index as usize) {
            node.end = narrow(at + 1);
            node.next = next;
            node.count = u8::try_from(frame.count).unwrap_or(u8::MAX);
            node.shades = frame.coarse;
        }
        if let Some(outer) = self.frames.pop() {
            *frame = outer;
        }
        at + 1
    }

    /// Reads a name and its colon up to the value.
    #[inline]
    fn name(&mut self, frame: &mut Frame, at: usize) -> Result<usize, Fault> {
        let (end, form) = string(self.bytes, at)?;
        if form == Form::Escaped {
            (frame.suspect, frame.coarse) = (true, u16::MAX);
        }
        let hash = hash_of(self.bytes.get(at + 1..end - 1).unwrap_or_default());
        let fine = fine(hash);
        frame.suspect |= frame.shades & fine != 0;
        frame.shades |= fine;
        frame.coarse |= coarse(hash);
        self.push(form, at, end, tag(hash));
        let at = blank(self.bytes, end);
        if self.bytes.get(at) != Some(&b':') {
            return fault(at, Reason::Colon);
        }
        Ok(blank(self.bytes, at + 1))
    }

    #[cold]
    fn find_repeats(&mut self, frame: Frame) {
        let Some(nodes) = self.nodes.get(self.base..) else { return };
        let names = std::iter::successors(Some(frame.index + 1), |&name| {
            nodes.get(name as usize + 1).map(|value| value.next)
        })
        .map_while(|index| nodes.get(index as usize).map(|name| (index, name)));
        let object = frame.index;
        if frame.count <= FEW {
            let names: Vec<_> = names.collect();
            for (position, (second, name)) in names.iter().enumerate() {
                let before = names[..position].iter().rev();
                if let Some(&(first, _)) =
                    before.into_iter().find(|(_, other)| same_name(self.text, name, other))
                {
                    self.repeats.push(Repeat { object, first, second: *second });
                }
            }
            return;
        }
        let mut latest = Map::default();
        for (second, name) in names {
            match latest.entry(decoded(self.text, name)) {
                Entry::Occupied(mut entry) => {
                    let first = entry.insert(second);
                    self.repeats.push(Repeat { object, first, second });
                }
                Entry::Vacant(entry) => {
                    entry.insert(second);
                }
            }
        }
    }
}

/// What is between the quotes of a string, as written.
#[inline]
pub(super) fn inner<'t>(text: &'t str, string: &Raw) -> &'t str {
    let (start, end) = (string.start as usize + 1, string.end as usize);
    text.get(start..end.saturating_sub(1)).unwrap_or_default()
}

/// The content of a string; allocates only for escapes.
#[inline]
pub(super) fn decoded<'t>(text: &'t str, string: &Raw) -> Cow<'t, str> {
    let written = inner(text, string);
    if string.form == Form::Escaped { unescaped(written) } else { written.into() }
}

/// The content of a string that is written with escapes.
#[cold]
fn unescaped(written: &str) -> Cow<'_, str> {
    Stretches::of(written).decoded().into()
}

fn same_name(text: &str, one: &Raw, other: &Raw) -> bool {
    if one.form == Form::Plain && other.form == Form::Plain {
        inner(text, one) == inner(text, other)
    } else {
        decoded(text, one) == decoded(text, other)
    }
}

/// A hash of a name. It looks at its length, its ends and its middle only, which tell nearly all
/// names of one object apart, and which are known to the compiler where the name is.
#[inline]
fn hash(name: &str) -> u32 {
    hash_of(name.as_bytes())
}

#[inline]
fn hash_of(name: &[u8]) -> u32 {
    // Found by trial: of millions, the one by which the names that are often looked for in vain share
    // the fewest bits with the names that are there, as messages have them.
    const FACTOR: u32 = 0xbf73_c843;
    let at = |place: usize| name.get(place).map_or(0, |byte| u32::from(*byte));
    let length = name.len();
    let edges = at(0) | at(length.wrapping_sub(1)) << 8 | at(length / 2) << 16;
    (edges | narrow(length) << 24).wrapping_mul(FACTOR)
}

/// One bit of 128.
#[inline]
fn fine(hash: u32) -> u128 {
    1 << (hash >> 25)
}

/// One bit of 16.
#[inline]
fn coarse(hash: u32) -> u16 {
    1 << (hash >> 28)
}

/// What names are told apart by before their texts are compared.
#[inline]
fn tag(hash: u32) -> u16 {
    (hash >> 16) as u16
}

/// A name that is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sought(u32);

impl Sought {
    #[inline]
    pub(super) fn new(name: &str) -> Self {
        Self(hash(name))
    }

    /// See [`Raw::may_be`].
    #[inline]
    pub(super) fn tag(self) -> u16 {
        tag(self.0)
    }
}

impl Raw {
    /// Whether an object may have a member of this name; never `false` for one that it has.
    #[inline]
    pub(super) fn may_have(&self, sought: Sought) -> bool {
        self.form == Form::Object && self.shades & coarse(sought.0) != 0
    }

    /// Whether a member's name may be one with this tag; never `false` where it is.
    #[inline]
    pub(super) fn may_be(&self, tag: u16) -> bool {
        self.shades == tag || self.form == Form::Escaped
    }
}

/// Offsets and indices are at most the length of the text, which was found to fit.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a text longer than `u32::MAX` is a fault")]
fn narrow(size: usize) -> u32 {
    size as u32
}

/// The first offset from `at` on that holds no white space.
#[inline]
fn blank(bytes: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(at) {
        at += 1;
    }
    at
}

/// From a number's first byte to just behind its last.
#[inline]
pub(super) fn number(bytes: &[u8], at: usize) -> Result<(usize, Form), Fault> {
    let mut at = if bytes.get(at) == Some(&b'-') { at + 1 } else { at };
    let mut form = Form::Integer;
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        form = Form::Decimal;
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        form = Form::Decimal;
        let sign = matches!(bytes.get(at + 1), Some(b'+' | b'-'));
        at = digits(bytes, at + 1 + usize::from(sign))?;
    }
    Ok((at, form))
}

/// Behind the digits at `at`, of which there must be one.
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
