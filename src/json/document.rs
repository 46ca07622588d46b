//! A parsed text as a document: [`Doc`], its values ([`Node`]) and strings ([`Text`]).

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;

use super::child_index::ChildIndex;
use super::error_budget::ErrorBudget;
use super::number::plain_number;
use super::strings::{Segment, Segments};
use super::tape::{DuplicateName, Part, Tape, Token, TokenKind, decoded, inner};
use crate::source::{Origin, Span};

/// One parsed JSON text with its tokens and its place in the file. Its values are read as
/// [`Node`]s.
#[derive(Clone, Debug)]
pub struct Doc<'t> {
    text: &'t str,
    tokens: &'t [Token],
    duplicates: &'t [DuplicateName],
    origin: Origin<'t>,
    root: u32,
    child_index: ChildIndex,
    error_budget: ErrorBudget,
}

impl<'t> Doc<'t> {
    /// The document of the only text on `tape`; `null` when the tape is empty, as [`Tape::parse`]
    /// leaves it after a fault. `origin` is the place of `text` in the file.
    pub fn new(text: &'t str, tape: &'t Tape, origin: Origin<'t>) -> Self {
        Self::of_part(text, tape, tape.whole(), origin)
    }

    /// The document of `text`, whose tokens are the `part` of a tape with several texts. `origin`
    /// is the place of `text` in the file.
    pub fn of_part(text: &'t str, tape: &'t Tape, part: Part, origin: Origin<'t>) -> Self {
        Self {
            text,
            tokens: tape.tokens(part),
            duplicates: tape.duplicates(part),
            origin,
            root: 0,
            child_index: ChildIndex::default(),
            error_budget: ErrorBudget::default(),
        }
    }

    /// A copy of the document with `node` as the root, from which JSON pointers count. Used for a
    /// message inside an envelope, or inside a batch.
    pub fn with_root(&self, node: Node<'_>) -> Self {
        Self { root: node.index, ..self.clone() }
    }

    /// A copy of the document for a schema validator: after `errors` errors it shows the validator
    /// no more members and elements; see [`ErrorBudget`].
    pub(crate) fn with_error_budget(&self, errors: u32) -> Self {
        Self { error_budget: ErrorBudget::of(errors), ..self.clone() }
    }

    /// Whether a validator has found as many errors as [`Doc::with_error_budget`] allows, so that
    /// it may have missed others.
    pub(crate) fn has_spent_error_budget(&self) -> bool {
        self.error_budget.is_used_up()
    }

    pub(super) fn error_budget(&self) -> &ErrorBudget {
        &self.error_budget
    }

    pub(super) fn tokens(&self) -> &'t [Token] {
        self.tokens
    }

    /// The node of this document at the place of `node`, which comes from a copy of this document.
    pub(crate) fn own(&self, node: Node<'_>) -> Node<'_> {
        Node { doc: self, index: node.index }
    }

    /// The value from which JSON pointers count: the outermost value of the text, or the one given
    /// to [`Doc::with_root`].
    pub fn root(&self) -> Node<'_> {
        Node { doc: self, index: self.root }
    }

    /// The JSON text to which the offsets of all nodes refer. It is longer than the root when an
    /// envelope surrounds the root.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The place of the document's text in the file, from which spans of nodes are computed.
    pub fn origin(&self) -> Origin<'t> {
        self.origin
    }

    /// The repeated member names below the root, as pairs of an overridden name and the next equal
    /// name in the same object. Costs a binary search.
    pub fn duplicate_names(&self) -> impl Iterator<Item = (Node<'_>, Node<'_>)> {
        self.root().tokens().1.iter().map(|duplicate| {
            let node = |index| Node { doc: self, index };
            (node(duplicate.first), node(duplicate.second))
        })
    }

    /// Whether any object in the document's text has two members of one name. Costs nothing.
    pub(crate) fn has_duplicate_names(&self) -> bool {
        !self.duplicates.is_empty()
    }

    /// Whether a later member of the same object has the name whose token index is `name`.
    fn is_overridden(&self, name: u32) -> bool {
        !self.duplicates.is_empty()
            && self.duplicates.binary_search_by_key(&name, |duplicate| duplicate.first).is_ok()
    }
}

/// The kind of a JSON value: null, boolean, number, string, array or object.
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

/// A value in a parsed JSON text ([`Doc`]), or the name of a member: a reference that is cheap to
/// copy.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    doc: &'t Doc<'t>,
    index: u32,
}

impl<'t> Node<'t> {
    pub(super) fn index(self) -> u32 {
        self.index
    }

    #[inline]
    pub(super) fn token(self) -> &'t Token {
        self.doc.tokens.get(self.index as usize).unwrap_or(&Token::NULL)
    }

    /// Copies the value to the end of `tape` as a text by itself. Returns the part of the tape,
    /// from which [`Doc::of_part`] makes a document.
    pub(crate) fn copy_to(self, tape: &mut Tape) -> Part {
        let (tokens, duplicates) = self.tokens();
        tape.append_copy(self.index, tokens, duplicates)
    }

    /// The tokens of this value and of all values in it, and the pairs of equal names among them.
    /// Costs a binary search.
    fn tokens(self) -> (&'t [Token], &'t [DuplicateName]) {
        let Doc { tokens, duplicates, .. } = self.doc;
        let (start, end) = (self.index, self.token().next);
        let from = |index| duplicates.partition_point(|duplicate| duplicate.first < index);
        (
            tokens.get(start as usize..end as usize).unwrap_or_default(),
            &duplicates[from(start)..from(end)],
        )
    }

    /// Range of the value in the document's text, in bytes. [`Node::span`] gives the place in the
    /// file.
    pub(crate) fn place(self) -> Range<u32> {
        self.token().start..self.token().end
    }

    /// The parsed document that the value is a part of.
    pub fn doc(self) -> &'t Doc<'t> {
        self.doc
    }

    /// The JSON kind of the value. The name of a member is a string.
    #[inline]
    pub fn kind(self) -> Kind {
        match self.token().kind {
            TokenKind::Null => Kind::Null,
            TokenKind::True => Kind::True,
            TokenKind::False => Kind::False,
            TokenKind::Integer | TokenKind::Decimal => Kind::Number,
            TokenKind::Plain | TokenKind::Escaped => Kind::String,
            TokenKind::Array => Kind::Array,
            TokenKind::Object => Kind::Object,
        }
    }

    #[inline]
    pub fn is_object(self) -> bool {
        self.token().kind == TokenKind::Object
    }

    #[inline]
    pub fn is_array(self) -> bool {
        self.token().kind == TokenKind::Array
    }

    #[inline]
    pub fn is_string(self) -> bool {
        matches!(self.token().kind, TokenKind::Plain | TokenKind::Escaped)
    }

    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self.token().kind, TokenKind::Integer | TokenKind::Decimal)
    }

    #[inline]
    pub fn is_null(self) -> bool {
        self.token().kind == TokenKind::Null
    }

    /// Whether the value is a number written without fraction and exponent; `false` for `1.0`.
    pub fn is_written_as_integer(self) -> bool {
        self.token().kind == TokenKind::Integer
    }

    /// The value of the member `name`; of the last one when the name is repeated. `None` when there
    /// is none, or the node is not an object. Compares the names one by one.
    #[inline]
    pub fn get(self, name: &str) -> Option<Self> {
        if self.token().may_have(name) { self.find(name) } else { None }
    }

    fn find(self, name: &str) -> Option<Self> {
        self.members().find(|(own, _)| own.is(name)).map(|(_, value)| value)
    }

    /// The name of the member `name` as a node, for findings about the name itself. `None` when the
    /// node has no such member.
    pub fn name_of(self, name: &str) -> Option<Self> {
        self.members().map(|(own, _)| own).find(|own| own.is(name))
    }

    /// The element at a position of an array, counted from 0. `None` behind the last one, and when
    /// the value is not an array. Takes a walk over the elements before it; see [`ChildIndex`].
    pub fn at(self, position: usize) -> Option<Self> {
        let position = u32::try_from(position).ok().filter(|_| self.is_array())?;
        let (_, element) = self.child(|passed, _| passed < position)?;
        Some(Self { doc: self.doc, index: element })
    }

    /// Position (from 0) and token index of an element or member. `passes` gets the position of a
    /// child and the index of the token behind it, and returns `true` for all children before the
    /// wanted one.
    fn child(self, passes: impl Fn(u32, u32) -> bool) -> Option<(u32, u32)> {
        // The token of a child is the one behind the child before it.
        let is_ahead = |position: u32, child| passes(position - 1, child);
        let start = self.doc.child_index.mark(self.index, is_ahead).unwrap_or((0, self.index + 1));
        let is_wanted = |(position, child, next): &(u32, u32, u32)| {
            self.doc.child_index.note(self.index, *position, *child);
            !passes(*position, *next)
        };
        self.children(start).find(is_wanted).map(|(position, child, _)| (position, child))
    }

    /// The value of the member `name`. In a long object, the search begins at the member found
    /// last, so that successive members are found in one pass; see [`ChildIndex`].
    fn get_near(self, name: &str) -> Option<Self> {
        if !self.token().may_have(name) || self.doc.has_duplicate_names() {
            return self.get(name);
        }
        let is_meant = |(_, child, _): &(u32, u32, u32)| Self { index: *child, ..self }.is(name);
        let last = self.doc.child_index.last(self.index);
        let found = last.and_then(|last| self.children(last).find(is_meant));
        let from_first = || self.children((0, self.index + 1)).find(is_meant);
        let (position, child, _) = found.or_else(from_first)?;
        self.doc.child_index.set_last(self.index, position, child);
        Some(Self { index: child + 1, ..self })
    }

    /// The elements, or the members including overridden ones, from the child `start` (position,
    /// token index) on. Yields position, token index (of the name, for a member), and the index of
    /// the token behind the child.
    fn children(self, start: (u32, u32)) -> impl Iterator<Item = (u32, u32, u32)> {
        let object = self.token();
        let (tokens, end) = (self.doc.tokens, object.next);
        let name = u32::from(object.kind == TokenKind::Object);
        let (mut position, mut child) = start;
        std::iter::from_fn(move || {
            let next = tokens.get((child + name) as usize).filter(|_| child < end)?.next;
            let own = (position, child, next);
            (position, child) = (position + 1, next);
            Some(own)
        })
    }

    /// The value that the member names lead to, one after the other. `None` when one of them is
    /// missing.
    pub fn path(self, names: &[&str]) -> Option<Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The value that a JSON pointer (RFC 6901) leads to from this node; `None` when there is none.
    pub fn at_pointer(self, pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |node, token| {
            if node.is_array() {
                let canonical = token == "0" || !token.starts_with(['0', '+']);
                return node.at(token.parse().ok().filter(|_| canonical)?);
            }
            node.get_near(&name_of(token))
        })
    }

    /// All members called `name` as (name, value) in the order of the text, including overridden
    /// ones.
    pub fn all_named(self, name: &str) -> impl Iterator<Item = (Self, Self)> {
        let members = (self.is_object()).then(|| self.children((0, self.index + 1)));
        let node = move |index| Self { index, ..self };
        let pairs = members.into_iter().flatten();
        let pairs = pairs.map(move |(_, child, _)| (node(child), node(child + 1)));
        pairs.filter(move |(own, _)| own.is(name))
    }

    /// Whether two values are written alike, so that they are the same. Values that are not may still be
    /// the same. Costs a comparison of the texts.
    pub(crate) fn is_spelled_like(self, other: Self) -> bool {
        self.raw() == other.raw()
    }

    /// The value of the member whose name this is; `None` at the end of the text.
    pub(crate) fn value_of_name(self) -> Option<Self> {
        let index = self.index + 1;
        self.doc.tokens.get(index as usize).map(|_| Self { index, ..self })
    }

    /// The members as (name, value) in the order of the text, without overridden ones. Empty when
    /// this is not an object.
    #[inline]
    pub fn members(self) -> Members<'t> {
        let raw = self.token();
        let end = if raw.kind == TokenKind::Object { raw.next } else { 0 };
        Members { doc: self.doc, index: self.index + 1, end }
    }

    /// The members of an object as (name, value) in the order of the text, including overridden
    /// ones. Empty for other values.
    pub(crate) fn written_members(self) -> impl Iterator<Item = (Self, Self)> {
        let raw = self.token();
        let end = if raw.kind == TokenKind::Object { raw.next } else { 0 };
        let mut index = self.index + 1;
        std::iter::from_fn(move || {
            (index < end).then(|| {
                let name = Node { doc: self.doc, index };
                let value = Node { doc: self.doc, index: index + 1 };
                index = value.token().next;
                (name, value)
            })
        })
    }

    /// The elements of an array in order. Empty for other values.
    #[inline]
    pub fn elements(self) -> Elements<'t> {
        let raw = self.token();
        let end = if raw.kind == TokenKind::Array { raw.next } else { 0 };
        Elements { doc: self.doc, index: self.index + 1, end }
    }

    /// The number of elements, or of members without overridden ones; 0 for other values. Takes a
    /// walk over them.
    pub fn len(self) -> usize {
        self.members().count() + self.elements().count()
    }

    /// Whether the value has neither members nor elements; `true` for all values but arrays and
    /// objects.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.token().next == self.index + 1
    }

    /// The string, to be compared or decoded; `None` when the value is not a string.
    #[inline]
    pub fn text(self) -> Option<Text<'t>> {
        self.is_string().then_some(Text(self))
    }

    /// Whether the value is a string whose decoded text is `text`. Costs no more than the length of
    /// `text`, and no allocation.
    #[inline]
    pub fn is(self, text: &str) -> bool {
        self.is_string() && is_text(self.doc.text, self.token(), text)
    }

    pub fn boolean(self) -> Option<bool> {
        match self.token().kind {
            TokenKind::True => Some(true),
            TokenKind::False => Some(false),
            _ => None,
        }
    }

    /// The number as an integer; `1.0` and `1e2` are integers too. `None` for other values, and
    /// outside the range of `i64`.
    pub fn integer(self) -> Option<i64> {
        const LIMIT: f64 = 9_223_372_036_854_775_808.0; // 2⁶³
        if self.token().kind == TokenKind::Integer {
            return self.raw().parse().ok();
        }
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, reason = "it is an integer in range")]
        (number.fract() == 0.0 && (-LIMIT..LIMIT).contains(&number)).then_some(number as i64)
    }

    /// The nearest `f64` to the number, infinite beyond the range of `f64`. `None` when the value
    /// is not a number.
    pub fn number(self) -> Option<f64> {
        if self.is_number() { self.raw().parse().ok() } else { None }
    }

    /// The JSON text of the value as its sender wrote it. The same value can be written in many
    /// ways; compare decoded texts, numbers or the [`normal`](Self::normal) text.
    #[inline]
    pub fn raw(self) -> &'t str {
        let raw = self.token();
        self.doc.text.get(raw.start as usize..raw.end as usize).unwrap_or_default()
    }

    /// The value as messages to people show it: the decoded text of a string, the JSON text of
    /// another value.
    pub fn shown(self) -> Cow<'t, str> {
        self.text().map_or_else(|| self.raw().into(), Text::as_cow)
    }

    /// The canonical JSON text, which all spellings of a value share: `1` for `1.0` and `1e0`,
    /// `"a"` for `"\u0061"`. White space is left out; the order of members stays.
    pub fn normal(self) -> Cow<'t, str> {
        match self.kind() {
            Kind::Number => plain_number(self.raw()),
            Kind::Null | Kind::True | Kind::False => self.raw().into(),
            Kind::String | Kind::Array | Kind::Object => self.written_anew().into(),
        }
    }

    /// The canonical text of a string, an array or an object. Uses a loop and not recursion, since
    /// messages may be nested as deeply as their sender likes.
    fn written_anew(self) -> String {
        /// An array or object whose closing bracket is still to be written.
        struct Open {
            is_object: bool,
            end: u32,
            children: usize,
        }
        fn close(text: &mut String, open: &mut Vec<Open>, index: u32) {
            while let Some(ended) = open.pop_if(|it| it.end <= index) {
                text.push(if ended.is_object { '}' } else { ']' });
            }
        }
        let mut text = String::with_capacity(self.range().len());
        let mut open: Vec<Open> = Vec::new();
        for node in self.parts() {
            close(&mut text, &mut open, node.index);
            if let Some(holder) = open.last_mut() {
                match holder.children {
                    0 => {}
                    odd if holder.is_object && odd % 2 == 1 => text.push(':'),
                    _ => text.push(','),
                }
                holder.children += 1;
            }
            match node.kind() {
                Kind::Null | Kind::True | Kind::False => text.push_str(node.raw()),
                Kind::Number => text.push_str(&plain_number(node.raw())),
                Kind::String => {
                    let decoded = node.text().map(Text::as_cow).unwrap_or_default();
                    text.push_str(&serde_json::Value::from(decoded).to_string());
                }
                kind @ (Kind::Array | Kind::Object) => {
                    let is_object = kind == Kind::Object;
                    text.push(if is_object { '{' } else { '[' });
                    open.push(Open { is_object, end: node.token().next, children: 0 });
                }
            }
        }
        close(&mut text, &mut open, u32::MAX);
        text
    }

    /// All strings in the value, or the value itself when it is a string, in the order of the text.
    /// Names of members are included.
    pub fn texts(self) -> impl Iterator<Item = Text<'t>> {
        self.parts().filter_map(Self::text)
    }

    /// The value itself and all names and values in it, in the order of the text.
    fn parts(self) -> impl Iterator<Item = Self> {
        let end = match self.kind() {
            Kind::Array | Kind::Object => self.token().next,
            _ => self.index + 1,
        };
        (self.index..end).map(move |index| Self { index, ..self })
    }

    /// Range of the value in the document's text, in bytes. [`Self::span`] gives the place in the
    /// file.
    pub fn range(self) -> Range<usize> {
        let raw = self.token();
        raw.start as usize..raw.end as usize
    }

    /// The place of the value in the file, for findings. See [`Origin::span`] for the cost.
    pub fn span(self) -> Span {
        let raw = self.token();
        self.doc.origin.span(raw.start, raw.end)
    }

    /// The empty place in the file where a missing member or element would be added: before the
    /// closing bracket. Behind the value when it is neither object nor array.
    pub fn insertion(self) -> Span {
        let raw = self.token();
        let bracket = u32::from(matches!(raw.kind, TokenKind::Array | TokenKind::Object));
        let place = raw.end - bracket;
        self.doc.origin.span(place, place)
    }

    /// The JSON pointer (RFC 6901) that leads from the document's root to this value; of a name,
    /// the one of its value. Takes a walk over the children before it on each level; see
    /// [`ChildIndex`].
    pub fn pointer(self) -> String {
        /// Initial capacity in bytes for a JSON Pointer, enough for most.
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
                push_token(&mut pointer, &Text(child).as_cow());
                if child.index == self.index {
                    break;
                }
                node = Self { doc: self.doc, index: child.index + 1 };
            }
        }
        pointer
    }
}

/// Decodes a token of a JSON pointer (RFC 6901) to a member's name: `~1` to `/`, `~0` to `~`.
pub(crate) fn name_of(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}

/// Appends `/` and the name of a member, escaped as RFC 6901 demands, to a JSON pointer.
pub(crate) fn push_token(pointer: &mut String, name: &str) {
    pointer.push('/');
    if name.contains(['~', '/']) {
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(name);
    }
}

/// Hashes the value, so that all its spellings have one hash. The order of members counts.
impl Hash for Node<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for node in self.parts() {
            node.kind().hash(state);
            match node.kind() {
                Kind::Null | Kind::True | Kind::False => {}
                Kind::Number => plain_number(node.raw()).hash(state),
                Kind::String => node.text().hash(state),
                Kind::Array | Kind::Object => state.write_u32(node.token().next - node.index),
            }
        }
    }
}

/// Writes the value's JSON text, truncated after 80 bytes.
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

/// Iterator over the members of an object as (name, value), without overridden ones; see
/// [`Node::members`].
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
            self.index = value.token().next;
            if !self.doc.is_overridden(name.index) {
                return Some((name, value));
            }
        }
        None
    }
}

/// Iterator over the elements of an array; see [`Node::elements`].
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
        self.index = element.token().next;
        Some(element)
    }
}

/// A JSON string, compared and shown by its decoded text.
#[derive(Clone, Copy)]
pub struct Text<'t>(Node<'t>);

impl<'t> Text<'t> {
    /// The decoded text of the string. Allocates only when the string has escape sequences.
    #[inline]
    pub fn as_cow(self) -> Cow<'t, str> {
        decoded(self.0.doc.text, self.0.token())
    }

    /// Whether the string is written with escape sequences, so that its text must be decoded.
    #[inline]
    pub fn has_escapes(self) -> bool {
        self.0.token().kind == TokenKind::Escaped
    }

    /// The text between the quotation marks as it is written, with escape sequences;
    /// [`json::decoded`](super::decoded) decodes these.
    #[inline]
    pub fn raw_inner(self) -> &'t str {
        inner(self.0.doc.text, self.0.token())
    }

    /// Calls `read` with the decoded text of the string and returns what it returns.
    pub(crate) fn read<T>(self, read: impl FnOnce(&str) -> T) -> T {
        read(&self.as_cow())
    }

    pub fn to_boxed(self) -> Box<str> {
        self.as_cow().into()
    }

    /// The string as a [`Node`], which knows its place and its document.
    pub fn node(self) -> Node<'t> {
        self.0
    }

    pub fn is_empty(self) -> bool {
        inner(self.0.doc.text, self.0.token()).is_empty()
    }

    pub fn starts_with(self, prefix: &str) -> bool {
        Segments::of(self.raw_inner()).start_with(prefix)
    }

    /// Length of the decoded text in code points. Decodes the text.
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

impl Hash for Text<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_cow().hash(state);
    }
}

/// Whether the decoded content of the string token is `text`. `document` is the text in which the
/// token stands.
#[inline]
fn is_text(document: &str, string: &Token, text: &str) -> bool {
    if string.kind == TokenKind::Escaped {
        is_decoded(document, string, text)
    } else {
        inner(document, string) == text
    }
}

/// Whether the decoded content of a string with escape sequences is `text`. Takes time by the
/// length of `text`, however long the string is.
fn is_decoded(document: &str, string: &Token, text: &str) -> bool {
    /// Length of the longest escape sequence for one byte: `\u0041` for `A`.
    const LONGEST: usize = 6;
    let written = inner(document, string);
    let segments = || Segments::of(written);
    written.len() <= LONGEST * text.len()
        && segments().map(Segment::len).sum::<usize>() == text.len()
        && segments().start_with(text)
}
