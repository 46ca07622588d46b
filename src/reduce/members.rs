//! Cuts members and elements out of messages, by their places: everything else keeps its bytes.

use std::{collections::VecDeque, ops::Range};

use crate::{
    json::Node,
    source::Span,
    transcript::{Format, Passage, Reader},
};

/// The names of the members that lead from a message to a value in it, from the outside in.
type Path = &'static [&'static str];

/// The members that every message keeps: those that make it a message, and the ids by which it is
/// joined to other messages.
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

/// An object or array in a message, with the byte ranges of its members or elements, from which
/// `reduce` cuts out what the finding does not need.
#[derive(Clone, Debug)]
pub(super) struct Container {
    /// The JSON texts of all messages in the part of the recording being reduced (a line, or the
    /// lines of one message).
    texts: Vec<String>,
    /// Index in `texts` of the message with the object or array.
    message: usize,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    /// Byte range of the member or element in the part of the recording being reduced.
    place: Range<usize>,
    /// Byte range of the member or element in the JSON text of the message.
    range: Range<usize>,
    stays: bool,
}

impl Container {
    /// The object or array number `index` (from 0, outer before inner) in the messages of a line or
    /// group of lines. `None` when there are no more.
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

    /// The number of members or elements that can be cut out.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Indices of the members or elements that may be cut out, the last one first.
    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.parts.len()).rev().filter(|at| !self.parts[*at].stays).collect()
    }

    /// The bytes of `piece` without the members or elements marked in `is_cut`. `None` when they
    /// cannot be cut out, because the message is itself written as a string with escapes.
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

/// The text without the list members that `is_cut` marks, each cut out with a comma beside it.
/// `None` when a range lies outside of the text.
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

/// The members or elements of the object or array number `index` (from 0, outer before inner) of a
/// message. `Err` has the number of objects and arrays when there are fewer.
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

/// The members or elements of an object or array; those on a path of `kept` must stay. `base` is
/// the offset of the message in its document.
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

/// A string of a message that is longer than readers need, and a shortened text to put in its
/// place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LongString {
    place: Range<usize>,
    shorter: String,
}

impl LongString {
    /// The long strings in the messages of a line or group of lines, the last one first. Strings
    /// that are written in an unusual way are left out.
    pub(super) fn all(piece: &[u8], format: Option<&'static Format>) -> Vec<Self> {
        /// Most characters of a string that is left as it is.
        const MOST: usize = 200;
        /// How many characters of a long string are kept, without the `…` after them.
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

    /// The bytes of `piece` with these strings shortened. `strings` must be sorted with the last
    /// one first.
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
