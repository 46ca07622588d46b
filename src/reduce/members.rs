//! Cuts members and elements out of messages, by their places: everything else keeps its bytes.

use std::{collections::VecDeque, ops::Range};

use crate::{
    json::Node,
    source::Span,
    transcript::{Format, Passage, Reader},
};

/// The names that lead to a member.
type Path = &'static [&'static str];

/// The members that a message keeps: what makes it a message, and what tells to which others it belongs.
const KEPT: [Path; 9] = [
    &["jsonrpc"],
    &["id"],
    &["method"],
    &["params", "sessionId"],
    &["params", "terminalId"],
    &["params", "update", "toolCallId"],
    &["params", "toolCall", "toolCallId"],
    &["result", "sessionId"],
    &["result", "terminalId"],
];

/// An object or array of a message, and the places of its parts.
#[derive(Clone, Debug)]
pub(super) struct Container {
    /// The texts of all messages of the piece.
    texts: Vec<String>,
    /// The message that it is in, by its index.
    message: usize,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    /// Where it stands in the piece.
    place: Range<usize>,
    /// Where it stands in the text of the message.
    range: Range<usize>,
    stays: bool,
}

impl Container {
    /// An object or array of the messages of a piece, counted from the outside in. Returns `None` when
    /// there are no more of them.
    pub(super) fn nth(piece: &[u8], format: Option<&'static Format>, index: usize) -> Option<Self> {
        let mut texts = Vec::new();
        let mut found = None;
        let mut rest = index;
        each_message(piece, format, |node| {
            if found.is_none() {
                match container(node, rest) {
                    Ok(parts) => found = Some((texts.len(), parts)),
                    Err(count) => rest -= count,
                }
            }
            texts.push(node.raw().to_owned());
        });
        found.map(|(message, parts)| Self { texts, message, parts })
    }

    /// How many parts there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The parts that can be cut out, by their indices, the last one first.
    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.parts.len()).rev().filter(|at| !self.parts[*at].stays).collect()
    }

    /// The piece without some parts. Returns `None` where they do not stand in it as they stand in the
    /// message, so that they cannot be cut out.
    pub(super) fn without(
        &self,
        piece: &[u8],
        format: Option<&'static Format>,
        is_cut: &[bool],
    ) -> Option<Vec<u8>> {
        let places: Vec<_> = self.parts.iter().map(|part| part.place.clone()).collect();
        let ranges: Vec<_> = self.parts.iter().map(|part| part.range.clone()).collect();
        let new = cut(piece, &places, is_cut)?;
        let mut expected = self.texts.clone();
        let text = expected.get_mut(self.message)?;
        *text = String::from_utf8(cut(text.as_bytes(), &ranges, is_cut)?).ok()?;
        let mut texts = Vec::with_capacity(expected.len());
        each_message(&new, format, |node| texts.push(node.raw().to_owned()));
        (texts == expected).then_some(new)
    }
}

/// A text without some of the parts of a list, each with the comma before it, or behind it.
fn cut(text: &[u8], parts: &[Range<usize>], is_cut: &[bool]) -> Option<Vec<u8>> {
    let (first, last) = (parts.first()?, parts.last()?);
    let mut new = text.get(..first.start)?.to_vec();
    let mut is_first = true;
    for (at, part) in parts.iter().enumerate() {
        if is_cut.get(at) == Some(&true) {
            continue;
        }
        let from = if is_first { part.start } else { parts[at - 1].end };
        new.extend_from_slice(text.get(from..part.end)?);
        is_first = false;
    }
    new.extend_from_slice(text.get(last.end..)?);
    Some(new)
}

/// The parts of an object or array of a message, counted from the outside in; or how many there are.
fn container(message: Node<'_>, index: usize) -> Result<Vec<Part>, usize> {
    let is_container = |node: &Node<'_>| node.is_object() || node.is_array();
    let all = |node: Node<'_>| KEPT.into_iter().filter(|path| node.path(path).is_some()).collect();
    let mut waiting: VecDeque<(Node<'_>, Vec<Path>)> = VecDeque::new();
    if is_container(&message) {
        waiting.push_back((message, all(message)));
    }
    let mut count = 0;
    while let Some((node, kept)) = waiting.pop_front() {
        if count == index {
            return Ok(parts(node, &kept, message.range().start));
        }
        count += 1;
        for (name, value) in node.written_members().filter(|(_, value)| is_container(value)) {
            let inside = |path: &Path| {
                path.split_first().filter(|(first, _)| name.is(first)).map(|(_, rest)| rest)
            };
            waiting.push_back((value, kept.iter().filter_map(inside).collect()));
        }
        for element in node.elements().filter(is_container) {
            // A batch is an array of messages.
            let is_message = node.range() == message.range();
            waiting.push_back((element, if is_message { all(element) } else { Vec::new() }));
        }
    }
    Err(count)
}

/// The parts of an object or array, which has to keep what `kept` leads to. `base`: where the message
/// begins in the text that it stands in.
fn parts(node: Node<'_>, kept: &[Path], base: usize) -> Vec<Part> {
    let place = |span: Span| {
        let offset = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        offset(span.start)..offset(span.end())
    };
    let members = node.written_members().map(|(name, value)| Part {
        place: place(name.span()).start..place(value.span()).end,
        range: name.range().start - base..value.range().end - base,
        stays: kept.iter().any(|path| path.first().is_some_and(|first| name.is(first))),
    });
    let elements = node.elements().map(|element| Part {
        place: place(element.span()),
        range: element.range().start - base..element.range().end - base,
        stays: false,
    });
    members.chain(elements).collect()
}

/// A string that is longer than readers need, in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LongString {
    place: Range<usize>,
    shorter: String,
}

impl LongString {
    /// The long strings of the messages of a piece, the last one first.
    pub(super) fn all(piece: &[u8], format: Option<&'static Format>) -> Vec<Self> {
        /// What is longer is shortened, in characters.
        const MOST: usize = 200;
        /// How much of it is kept.
        const KEPT: usize = 40;
        let mut found = Vec::new();
        each_message(piece, format, |message| {
            let mut waiting = vec![message];
            while let Some(node) = waiting.pop() {
                if let Some(text) = node.text().map(crate::json::Text::as_cow)
                    && let Some((end, _)) = text.char_indices().nth(KEPT)
                    && text.chars().nth(MOST).is_some()
                {
                    let place = node.span();
                    let start = usize::try_from(place.start).unwrap_or(usize::MAX);
                    let place = start..start.saturating_add(place.len as usize);
                    // Where it is written in another way, it stays.
                    if piece.get(place.clone()) == Some(node.raw().as_bytes()) {
                        let shorter = format!("{}…", &text[..end]);
                        let shorter = serde_json::Value::from(shorter).to_string();
                        found.push(Self { place, shorter });
                    }
                }
                waiting.extend(node.written_members().map(|(_, value)| value));
                waiting.extend(node.elements());
            }
        });
        found.sort_by_key(|string| std::cmp::Reverse(string.place.start));
        found
    }

    /// A piece with some of its strings shortened, of which the last stands first.
    pub(super) fn shortened(piece: &[u8], strings: &[&Self]) -> Vec<u8> {
        let mut new = piece.to_vec();
        for Self { place, shorter } in strings {
            new.splice(place.clone(), shorter.bytes());
        }
        new
    }
}

fn each_message(piece: &[u8], format: Option<&'static Format>, mut each: impl FnMut(Node<'_>)) {
    let mut on = |passage: Passage<'_>| {
        if let Passage::Message(message) = passage {
            each(message.node);
        }
    };
    let mut reader = Reader::new(format);
    reader.feed(piece, &mut on);
    reader.finish(&mut on);
}
