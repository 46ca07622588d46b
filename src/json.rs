//! The text of a message as a document whose every value knows where it stands.
//!
//! A document is a flat tape of nodes with byte ranges (`json/tape.rs`), reused from line to line;
//! [`Node`] is a cursor over it: two words, `Copy`, and tolerant: accessors return `Option`, so a
//! rule reads a malformed message without a single check of its own. Nothing is decoded, copied or
//! located before it is asked for. When an object repeats a member, the last one counts, as in
//! `serde_json`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::source::{Origin, Span};

mod stretch;
mod tape;
mod view;
mod ways;

pub use stretch::{Stretch, Stretches};
pub use tape::{Fault, Part, Reason, Repeat, Tape};
use tape::{Form, Raw, Sought};
use view::Patience;
pub use view::{JudgedElements, NameBuffer, NamedMembers, Numeral, TapeJson};
use ways::Ways;

/// The text that [`Text::written`] stands for.
pub(crate) fn decoded(written: &str) -> Cow<'_, str> {
    if written.contains('\\') { Stretches::of(written).decoded().into() } else { written.into() }
}

/// One JSON text, parsed, and where it stands.
#[derive(Clone, Debug)]
pub struct Doc<'t> {
    text: &'t str,
    nodes: &'t [Raw],
    repeats: &'t [Repeat],
    origin: Origin<'t>,
    root: u32,
    ways: Ways,
    patience: Patience,
}

impl<'t> Doc<'t> {
    /// The document of the only text on the tape. A tape without nodes, as a fault leaves it, makes
    /// a document that is `null`.
    pub fn new(text: &'t str, tape: &'t Tape, origin: Origin<'t>) -> Self {
        Self::of(text, (tape.nodes(), tape.repeats()), origin)
    }

    /// The document of one text among others on the tape.
    pub fn of_part(text: &'t str, tape: &'t Tape, part: Part, origin: Origin<'t>) -> Self {
        Self::of(text, tape.part(part), origin)
    }

    fn of(text: &'t str, (nodes, repeats): (&'t [Raw], &'t [Repeat]), origin: Origin<'t>) -> Self {
        let (ways, patience) = (Ways::default(), Patience::default());
        Self { text, nodes, repeats, origin, root: 0, ways, patience }
    }

    /// The part of this document below one of its nodes; pointers count from there. For the
    /// message inside an envelope.
    pub fn with_root(&self, node: Node<'_>) -> Self {
        Self { root: node.index, ..self.clone() }
    }

    /// The same document, of which validators are shown no more elements and members once they
    /// have found so many errors in it.
    pub(crate) fn with_patience(&self, errors: u32) -> Self {
        Self { patience: Patience::of(errors), ..self.clone() }
    }

    /// A node of this document, by that of a copy of it.
    pub(crate) fn own(&self, node: Node<'_>) -> Node<'_> {
        Node { doc: self, index: node.index }
    }

    /// The outermost value.
    #[inline]
    pub fn root(&self) -> Node<'_> {
        Node { doc: self, index: self.root }
    }

    /// The text all offsets refer to; more than the root when that stands in an envelope.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Where the text stands in the file.
    pub fn origin(&self) -> Origin<'t> {
        self.origin
    }

    /// The names that members of one object share, below the root: the overridden name and the next
    /// one equal to it. Costs a binary search.
    pub fn repeats(&self) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
        let end = self.root().raw_node().next;
        let start = self.repeats.partition_point(|repeat| repeat.first < self.root);
        let below = self.repeats[start..].iter().take_while(move |repeat| repeat.first < end);
        below.map(|repeat| {
            let node = |index| Node { doc: self, index };
            (node(repeat.first), node(repeat.second))
        })
    }

    /// Whether any object in the text repeats a name.
    pub(crate) fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Whether another member of the same name follows.
    #[inline]
    fn is_overridden(&self, name: u32) -> bool {
        !self.repeats.is_empty()
            && self.repeats.binary_search_by_key(&name, |repeat| repeat.first).is_ok()
    }
}

/// The kinds of JSON values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Null,
    True,
    False,
    Number,
    String,
    Array,
    Object,
}

/// A value in a document, or the name of a member.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    doc: &'t Doc<'t>,
    index: u32,
}

impl<'t> Node<'t> {
    #[inline]
    fn raw_node(self) -> &'t Raw {
        self.doc.nodes.get(self.index as usize).unwrap_or(&Raw::NOTHING)
    }

    /// The document this is part of.
    pub fn doc(self) -> &'t Doc<'t> {
        self.doc
    }

    /// What kind of value this is; a name is a string.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.raw_node().form {
            Form::Null => Kind::Null,
            Form::True => Kind::True,
            Form::False => Kind::False,
            Form::Integer | Form::Decimal => Kind::Number,
            Form::Plain | Form::Escaped => Kind::String,
            Form::Array => Kind::Array,
            Form::Object => Kind::Object,
        }
    }

    #[inline]
    pub fn is_object(self) -> bool {
        self.raw_node().form == Form::Object
    }

    #[inline]
    pub fn is_array(self) -> bool {
        self.raw_node().form == Form::Array
    }

    #[inline]
    pub fn is_string(self) -> bool {
        matches!(self.raw_node().form, Form::Plain | Form::Escaped)
    }

    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self.raw_node().form, Form::Integer | Form::Decimal)
    }

    #[inline]
    pub fn is_null(self) -> bool {
        self.raw_node().form == Form::Null
    }

    /// Whether this is a number without fraction and exponent; `1.0` is not.
    pub fn is_written_as_integer(self) -> bool {
        self.raw_node().form == Form::Integer
    }

    /// The value of a member; of the last one when the name is repeated. Compares names one after
    /// the other. `None` as well when this is not an object.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "what is known of the name is then worked out before")]
    pub fn get(self, name: &str) -> Option<Self> {
        let (object, sought) = (self.raw_node(), Sought::new(name));
        if object.may_have(sought) { self.find(object.next, name, sought.tag()) } else { None }
    }

    /// Looks for a member among those up to this node. `tag`: that of the name. Arguments are few
    /// enough to be handed over in registers.
    #[inline(never)]
    fn find(self, end: u32, name: &str, tag: u16) -> Option<Self> {
        /// Longer names are hardly ever looked for; to compare one takes a call.
        const LONG: usize = 32;
        if !self.doc.repeats.is_empty() {
            return self.find_last(name);
        }
        // Not by `members`, which asks for each name whether it is repeated.
        let nodes = self.doc.nodes.get(..end as usize)?;
        let mut index = self.index + 1;
        while let Some([key, value]) = nodes.get(index as usize..).and_then(<[_]>::first_chunk) {
            if key.may_be(tag) {
                let is_found = name.len() <= LONG
                    && key.form == Form::Plain
                    && is_written(self.doc.text, key, name);
                let found = Self { doc: self.doc, index: index + 1 };
                return if is_found { Some(found) } else { self.find_last(name) };
            }
            index = value.next;
        }
        None
    }

    /// The same in a document with repeated names, or where another name could have been the one.
    #[cold]
    fn find_last(self, name: &str) -> Option<Self> {
        self.members().find(|(own, _)| own.is(name)).map(|(_, value)| value)
    }

    /// The name of a member where it is written, for what is wrong with the name itself.
    pub fn name_of(self, name: &str) -> Option<Self> {
        self.members().map(|(own, _)| own).find(|own| own.is(name))
    }

    /// An element by its position, counted from 0. `None` as well when this is not an array. Costs
    /// a walk over what precedes, or only from the element that was asked for last.
    pub fn at(self, position: usize) -> Option<Self> {
        let position = u32::try_from(position).ok().filter(|_| self.is_array())?;
        let (_, element) = self.child(|passed, _| passed < position)?;
        Some(Self { doc: self.doc, index: element })
    }

    /// The first element or member that is not passed over, as its position and where it begins.
    /// `passes` is asked with the position and the index just behind the child; it passes over all
    /// before the wanted one and over none after it.
    fn child(self, passes: impl Fn(u32, u32) -> bool) -> Option<(u32, u32)> {
        // Of the one before a mark, the same is known.
        let is_ahead = |position: u32, child| passes(position - 1, child);
        let start = self.doc.ways.mark(self.index, is_ahead).unwrap_or((0, self.index + 1));
        let is_wanted = |(position, child, next): &(u32, u32, u32)| {
            self.doc.ways.note(self.index, *position, *child);
            !passes(*position, *next)
        };
        self.children(start).find(is_wanted).map(|(position, child, _)| (position, child))
    }

    /// The value of a member, which is looked for from the one on that was asked for last.
    fn near(self, name: &str) -> Option<Self> {
        if !self.raw_node().may_have(Sought::new(name)) || !self.doc.repeats.is_empty() {
            return self.get(name);
        }
        let is_meant = |(_, child, _): &(u32, u32, u32)| Self { index: *child, ..self }.is(name);
        let last = self.doc.ways.last(self.index);
        let found = last.and_then(|last| self.children(last).find(is_meant));
        let from_first = || self.children((0, self.index + 1)).find(is_meant);
        let (position, child, _) = found.or_else(from_first)?;
        self.doc.ways.go(self.index, position, child);
        Some(Self { index: child + 1, ..self })
    }

    /// The elements, or the members with overridden ones, from one of them on: position, index of
    /// the element or the member's name, and the index just behind it.
    fn children(self, start: (u32, u32)) -> impl Iterator<Item = (u32, u32, u32)> {
        let object = self.raw_node();
        let (nodes, end) = (self.doc.nodes, object.next);
        let name = u32::from(object.form == Form::Object);
        let (mut position, mut child) = start;
        std::iter::from_fn(move || {
            let next = nodes.get((child + name) as usize).filter(|_| child < end)?.next;
            let own = (position, child, next);
            (position, child) = (position + 1, next);
            Some(own)
        })
    }

    /// The value reached by one member name after the other.
    pub fn path(self, names: &[&str]) -> Option<Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The value a JSON pointer (RFC 6901) leads to from here.
    pub fn follow(self, pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |node, token| {
            if node.is_array() {
                let canonical = token == "0" || !token.starts_with(['0', '+']);
                return node.at(token.parse().ok().filter(|_| canonical)?);
            }
            node.near(&name_of(token))
        })
    }

    /// The members as (name, value) in the order of the text, without overridden ones. Empty when
    /// this is not an object.
    #[inline]
    pub fn members(self) -> Members<'t> {
        let raw = self.raw_node();
        let end = if raw.form == Form::Object { raw.next } else { 0 };
        Members { doc: self.doc, index: self.index + 1, end }
    }

    /// The elements in order. Empty when this is not an array.
    #[inline]
    pub fn elements(self) -> Elements<'t> {
        let raw = self.raw_node();
        let end = if raw.form == Form::Array { raw.next } else { 0 };
        Elements { doc: self.doc, index: self.index + 1, end }
    }

    /// How many members or elements there are; 0 for other values. Counts only in documents with
    /// repeated names and from 255 on.
    #[inline]
    pub fn len(self) -> usize {
        let raw = self.raw_node();
        if raw.count < u8::MAX && self.doc.repeats.is_empty() {
            return usize::from(raw.count);
        }
        self.members().count() + self.elements().count()
    }

    /// Whether there are no members or elements.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.raw_node().count == 0
    }

    /// The text of a string.
    #[inline]
    pub fn text(self) -> Option<Text<'t>> {
        self.is_string().then_some(Text(self))
    }

    /// Whether this is a string with this text. Allocates only for strings with escapes.
    #[inline]
    pub fn is(self, text: &str) -> bool {
        self.is_string() && is_text(self.doc.text, self.raw_node(), text)
    }

    pub fn boolean(self) -> Option<bool> {
        match self.raw_node().form {
            Form::True => Some(true),
            Form::False => Some(false),
            _ => None,
        }
    }

    /// A number that is mathematically an integer; `1.0` and `1e2` count. `None` as well when it
    /// does not fit.
    pub fn integer(self) -> Option<i64> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2⁶³
        /// So many digits fit in any case.
        const FEW: usize = 9;
        if self.raw_node().form == Form::Integer {
            return match self.raw_bytes() {
                digits @ [b'0'..=b'9', ..] if digits.len() <= FEW => {
                    Some(digits.iter().fold(0, |all, digit| 10 * all + i64::from(digit - b'0')))
                }
                _ => self.raw().parse().ok(),
            };
        }
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer in range")]
        (number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)).then_some(number as i64)
    }

    /// The nearest `f64` to a number, which is infinite beyond the range.
    pub fn number(self) -> Option<f64> {
        if self.is_number() { self.raw().parse().ok() } else { None }
    }

    /// The value as it is written.
    #[inline]
    pub fn raw(self) -> &'t str {
        let raw = self.raw_node();
        self.doc.text.get(raw.start as usize..raw.end as usize).unwrap_or_default()
    }

    /// The value as it is written, in bytes.
    #[inline]
    pub(crate) fn raw_bytes(self) -> &'t [u8] {
        let raw = self.raw_node();
        self.doc.text.as_bytes().get(raw.start as usize..raw.end as usize).unwrap_or_default()
    }

    /// The place of the word that it is, as written, among these, which are made by [`short_bytes`].
    /// Nobody can foresee which it is: to compare all, without branches, costs less than to stop.
    #[inline]
    pub(crate) fn place_among(self, words: &[u128]) -> Option<usize> {
        let raw = self.raw_node();
        let bytes = self.doc.text.as_bytes().get(raw.start as usize..)?;
        let own = short_bytes(bytes, (raw.end - raw.start) as usize)?;
        let numbers = words.iter().zip(1_usize..);
        let number =
            numbers.fold(0, |found, (word, number)| if *word == own { number } else { found });
        number.checked_sub(1)
    }

    /// Where the value stands in the document's text.
    pub fn range(self) -> Range<usize> {
        let raw = self.raw_node();
        raw.start as usize..raw.end as usize
    }

    /// Where the value stands in the file. See [`Origin::span`] for the cost.
    pub fn span(self) -> Span {
        let raw = self.raw_node();
        self.doc.origin.span(raw.start, raw.end)
    }

    /// Where a missing member or element would have to be added: the place before the closing
    /// bracket. Behind the value when it is neither object nor array.
    pub fn insertion(self) -> Span {
        let raw = self.raw_node();
        let bracket = u32::from(matches!(raw.form, Form::Array | Form::Object));
        let place = raw.end - bracket;
        self.doc.origin.span(place, place)
    }

    /// The JSON pointer (RFC 6901) that leads here from the document's root; for a name, to its
    /// value. Costs a walk over what precedes on each level, or only from what was asked for last.
    pub fn pointer(self) -> String {
        /// Most pointers are not longer.
        const LENGTH: usize = 64;
        let mut pointer = String::with_capacity(LENGTH);
        let mut node = self.doc.root();
        while node.index != self.index {
            let child = node.child(|_, next| next <= self.index);
            let Some((position, child)) = child.filter(|(_, child)| *child <= self.index) else {
                break;
            };
            let child = Self { doc: self.doc, index: child };
            if node.is_array() {
                pointer.push('/');
                pointer.push_str(&position.to_string());
                node = child;
            } else {
                descend(&mut pointer, &Text(child).as_cow());
                if child.index == self.index {
                    break;
                }
                node = Self { doc: self.doc, index: child.index + 1 };
            }
        }
        pointer
    }
}

/// The name that a token of a JSON pointer stands for.
pub(crate) fn name_of(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}

/// Lets a JSON pointer go on to the member of this name.
pub(crate) fn descend(pointer: &mut String, name: &str) {
    pointer.push('/');
    if name.contains(['~', '/']) {
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(name);
    }
}

/// Writes the value as it stands, cut off when long.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 80;
        let raw = self.raw();
        if raw.len() <= LONGEST {
            return f.write_str(raw);
        }
        let cut = raw.char_indices().map(|(at, _)| at).take_while(|&at| at <= LONGEST).last();
        write!(f, "{}…", &raw[..cut.unwrap_or_default()])
    }
}

/// The members of an object; see [`Node::members`].
#[derive(Clone, Debug)]
pub struct Members<'t> {
    doc: &'t Doc<'t>,
    index: u32,
    end: u32,
}

impl<'t> Iterator for Members<'t> {
    type Item = (Node<'t>, Node<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        while self.index < self.end {
            let name = Node { doc: self.doc, index: self.index };
            let value = Node { doc: self.doc, index: self.index + 1 };
            self.index = value.raw_node().next;
            if !self.doc.is_overridden(name.index) {
                return Some((name, value));
            }
        }
        None
    }
}

/// The elements of an array; see [`Node::elements`].
#[derive(Clone, Debug)]
pub struct Elements<'t> {
    doc: &'t Doc<'t>,
    index: u32,
    end: u32,
}

impl<'t> Iterator for Elements<'t> {
    type Item = Node<'t>;

    #[inline]
    fn next(&mut self) -> Option<Node<'t>> {
        if self.index >= self.end {
            return None;
        }
        let element = Node { doc: self.doc, index: self.index };
        self.index = element.raw_node().next;
        Some(element)
    }
}

/// A [`Node`] that is a string, compared and shown by its decoded text.
#[derive(Clone, Copy)]
pub struct Text<'t>(Node<'t>);

impl<'t> Text<'t> {
    /// The decoded text; borrowed when it has no escapes.
    #[inline]
    pub fn as_cow(self) -> Cow<'t, str> {
        tape::decoded(self.0.doc.text, self.0.raw_node())
    }

    /// Whether escapes stand in it, so that it is another text than what is written.
    #[inline]
    pub fn has_escapes(self) -> bool {
        self.0.raw_node().form == Form::Escaped
    }

    /// The text as it is written, with its escapes; see [`decoded`].
    #[inline]
    pub fn written(self) -> &'t str {
        tape::inner(self.0.doc.text, self.0.raw_node())
    }

    /// What can be told of the decoded text. Where it has no escapes, as nearly always, less is to be
    /// done than with [`Text::as_cow`].
    #[inline]
    pub(crate) fn read<T>(self, tell: impl FnOnce(&str) -> T) -> T {
        if self.has_escapes() { tell(&self.as_cow()) } else { tell(self.written()) }
    }

    pub fn to_boxed(self) -> Box<str> {
        self.as_cow().into()
    }

    /// Where the text stands.
    pub fn node(self) -> Node<'t> {
        self.0
    }

    pub fn is_empty(self) -> bool {
        tape::inner(self.0.doc.text, self.0.raw_node()).is_empty()
    }

    #[inline]
    pub fn starts_with(self, prefix: &str) -> bool {
        if self.has_escapes() {
            self.starts_decoded(prefix)
        } else {
            self.written().starts_with(prefix)
        }
    }

    #[cold]
    fn starts_decoded(self, prefix: &str) -> bool {
        self.stretches().start_with(prefix)
    }

    /// Length in code points.
    pub fn len_chars(self) -> usize {
        self.as_cow().chars().count()
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.as_cow())
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq<str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.0.is(other)
    }
}

impl PartialEq<&str> for Text<'_> {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.0.is(other)
    }
}

impl PartialEq<Text<'_>> for Text<'_> {
    fn eq(&self, other: &Text<'_>) -> bool {
        self.0.is(&other.as_cow())
    }
}

impl Eq for Text<'_> {}

/// Whether a string node's decoded content is `text`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is known of the text is then worked out before")]
fn is_text(document: &str, string: &Raw, text: &str) -> bool {
    if string.form == Form::Escaped {
        is_decoded(document, string, text)
    } else {
        is_written(document, string, text)
    }
}

/// Whether what a string node has between its quotation marks is `text`.
#[inline(always)]
#[expect(clippy::inline_always, reason = "what is known of the text is then worked out before")]
fn is_written(document: &str, string: &Raw, text: &str) -> bool {
    // The lengths first: they differ for nearly all names that are not the one looked for.
    let start = string.start as usize + 1;
    (string.end - string.start) as usize == text.len() + 2
        && document
            .as_bytes()
            .get(start..start + text.len())
            .is_some_and(|own| is_same(own, text.as_bytes()))
}

/// The same for a string with escapes, which may be far longer.
#[cold]
fn is_decoded(document: &str, string: &Raw, text: &str) -> bool {
    /// How many bytes stand for one at most: `\u0041` for `A`.
    const MOST: usize = 6;
    let written = tape::inner(document, string);
    let stretches = || Stretches::of(written);
    written.len() <= MOST * text.len()
        && stretches().map(Stretch::len).sum::<usize>() == text.len()
        && stretches().start_with(text)
}

/// Whether two texts of one length are the same. Names are short: two overlapping words settle
/// most, without a call.
#[inline]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    match one.len() {
        0..4 => one.iter().eq(other),
        4..8 => ends(one) == ends(other),
        8..=16 => wide_ends(one) == wide_ends(other),
        17..=32 => widest_ends(one) == widest_ends(other),
        _ => widest_ends(one) == widest_ends(other) && one == other,
    }
}

/// So many of the first bytes as a number, the first byte lowest, if there are at most 16: all that a
/// short JSON text is.
#[inline]
pub(crate) const fn short_bytes(bytes: &[u8], length: usize) -> Option<u128> {
    const MOST: usize = size_of::<u128>();
    if length == 0 || length > MOST {
        return None;
    }
    let first = match bytes.first_chunk() {
        Some(first) => u128::from_le_bytes(*first),
        None => few_bytes(bytes),
    };
    Some(first & (u128::MAX >> (8 * (MOST - length))))
}

/// The same of all bytes, of which there are fewer.
#[cold]
const fn few_bytes(bytes: &[u8]) -> u128 {
    let (mut number, mut at) = (0, bytes.len());
    while at > 0 {
        at -= 1;
        number = number << 8 | bytes[at] as u128;
    }
    number
}

/// The first and the last four bytes.
#[inline]
fn ends(text: &[u8]) -> Option<(u32, u32)> {
    let (first, last) = (text.first_chunk()?, text.last_chunk()?);
    Some((u32::from_le_bytes(*first), u32::from_le_bytes(*last)))
}

/// The first and the last sixteen bytes.
#[inline]
fn widest_ends(text: &[u8]) -> Option<(u128, u128)> {
    let (first, last) = (text.first_chunk()?, text.last_chunk()?);
    Some((u128::from_le_bytes(*first), u128::from_le_bytes(*last)))
}

/// The first and the last eight bytes.
#[inline]
fn wide_ends(text: &[u8]) -> Option<(u64, u64)> {
    let (first, last) = (text.first_chunk()?, text.last_chunk()?);
    Some((u64::from_le_bytes(*first), u64::from_le_bytes(*last)))
}
