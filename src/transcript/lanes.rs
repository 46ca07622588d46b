//! Finds what tells connections apart whose messages take turns in one file: a member of the recorder's
//! objects, or a word of its prefixes, under whatever name.
//!
//! Only what stands outside of the messages counts, and only if each connection that it tells apart
//! begins with `initialize` and gets an answer to it, and all answers find their requests.

use std::borrow::Cow;

use crate::{
    json::{Node, Text},
    map::{IndexMap, Set},
    transcript::Body,
};

/// Where the recorder writes the name of the connection that a message belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LaneLabel {
    /// In a member of the recorder's object; these are the names of members on the path to it.
    Member(Vec<Box<str>>),
    /// In a word of the text before the message; the number of words before it.
    Word(usize),
    /// In a word of the text before the message; the number of words between it and the message.
    WordFromEnd(usize),
}

/// What a recorder has written around a message, where the name of its connection may stand: the
/// members of an object, or the text before the message.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame<'t> {
    Object(Node<'t>),
    Prefix(&'t str),
}

impl<'t> Frame<'t> {
    /// What surrounds the message of a record; `None` where nothing does. `source` is the text that
    /// was read; `holder` is the JSON value of that text, if it is JSON.
    pub(super) fn of(body: &Body<'_>, source: &'t str, holder: Option<Node<'t>>) -> Option<Self> {
        let is_itself = |holder: Node<'_>| matches!(body, Body::Message(node) if node.range() == holder.range());
        match body {
            Body::Text(place) => source.get(..place.start).map(Self::Prefix),
            _ => holder.filter(|it| it.is_object() && !is_itself(*it)).map(Self::Object),
        }
    }
}

impl LaneLabel {
    /// Name of the connection in a frame; `None` where the frame has none.
    pub(super) fn value<'t>(&self, frame: Frame<'t>) -> Option<Cow<'t, str>> {
        match (self, frame) {
            (Self::Member(names), Frame::Object(object)) => {
                let value = names.iter().try_fold(object, |value, name| value.get(name))?;
                is_name(value)
                    .then(|| value.text().map_or_else(|| value.raw().into(), Text::as_cow))
            }
            (Self::Word(before), Frame::Prefix(prefix)) => {
                words(prefix).nth(*before).map(Cow::Borrowed)
            }
            (Self::WordFromEnd(behind), Frame::Prefix(prefix)) => {
                words(prefix).nth_back(*behind).map(Cow::Borrowed)
            }
            _ => None,
        }
    }
}

/// Finds where records hold the name of their connection. `None` when no member or word separates
/// connections, or there is just one.
pub(super) fn find(messages: &[(Node<'_>, Frame<'_>)]) -> Option<LaneLabel> {
    /// Most members and words that are tried as names of connections; others are not.
    const TRIES: usize = 64;
    let opens = |(message, _): &&(Node<'_>, Frame<'_>)| is_opening(*message);
    if messages.iter().filter(opens).count() < 2 {
        return None;
    }
    let (_, first) = messages.iter().find(opens)?;
    let candidates = candidates(*first).into_iter().take(TRIES);
    let splitting = candidates.filter_map(|label| Some((connections(&label, messages)?, label)));
    // Of several, the one that splits less: a process may have several connections.
    splitting.min_by_key(|(count, _)| *count).map(|(_, label)| label)
}

/// All members or words around a message that may hold the name of its connection.
fn candidates(frame: Frame<'_>) -> Vec<LaneLabel> {
    match frame {
        Frame::Object(object) => {
            let mut all = Vec::new();
            for (name, value) in object.members() {
                let Some(name) = name.text().map(Text::to_boxed) else { continue };
                if is_name(value) {
                    all.push(LaneLabel::Member(vec![name]));
                } else if value.is_object() && value.get("jsonrpc").is_none() {
                    let inner = value.members().filter(|(_, value)| is_name(*value));
                    let inner = inner.filter_map(|(name, _)| name.text().map(Text::to_boxed));
                    all.extend(inner.map(|own| LaneLabel::Member(vec![name.clone(), own])));
                }
            }
            all
        }
        Frame::Prefix(prefix) => {
            let count = words(prefix).count();
            let from_start = (0..count).map(LaneLabel::Word);
            from_start.chain((0..count).map(LaneLabel::WordFromEnd)).collect()
        }
    }
}

/// Whether a value may be the name of a connection: a short string or a number.
fn is_name(value: Node<'_>) -> bool {
    /// Most bytes of a value that may be the name of a connection.
    const LONGEST: usize = 200;
    (value.is_string() || value.is_number()) && value.raw().len() <= LONGEST
}

/// The words of the text before a message, without brackets and colons around them.
fn words(prefix: &str) -> impl DoubleEndedIterator<Item = &str> {
    prefix
        .split(|edge: char| {
            edge.is_whitespace() || matches!(edge, '[' | ']' | '(' | ')' | '|' | ',')
        })
        .map(|word| word.trim_matches(':'))
        .filter(|word| !word.is_empty())
}

fn is_opening(message: Node<'_>) -> bool {
    message.get("method").is_some_and(|method| method.is("initialize"))
}

/// What is known of one connection while a member or word is tried as its name.
#[derive(Default)]
struct Lane<'t> {
    first: usize,
    last: usize,
    /// Ids of requests without an answer so far, as written in the file.
    open: Set<&'t str>,
    is_opened: bool,
    has_answers: bool,
}

/// Number of connections that a member or word (`label`) separates. `None` when it cannot be their
/// name: it separates a request from its answer, leaves connections together, or they do not take
/// turns.
fn connections(label: &LaneLabel, messages: &[(Node<'_>, Frame<'_>)]) -> Option<usize> {
    let mut lanes: IndexMap<Cow<'_, str>, Lane<'_>> = IndexMap::default();
    for (at, (message, frame)) in messages.iter().enumerate() {
        let lane = lanes.entry(label.value(*frame)?).or_insert_with(|| Lane {
            first: at,
            is_opened: is_opening(*message),
            ..Lane::default()
        });
        lane.last = at;
        let id = message.get("id").map(Node::raw);
        match (message.get("method"), id) {
            // Connection may follow connection under one name.
            (Some(_), Some(id)) if is_opening(*message) => lane.open = Set::from_iter([id]),
            (Some(_), Some(id)) => {
                lane.open.insert(id);
            }
            (None, Some(id)) if lane.is_opened => {
                if !lane.open.remove(id) {
                    return None;
                }
                lane.has_answers = true;
            }
            _ => {}
        }
    }
    let opened = || lanes.values().filter(|lane| lane.is_opened && lane.has_answers);
    let takes_turns =
        |lane: &Lane<'_>| opened().any(|other| lane.first < other.first && other.first < lane.last);
    (opened().count() == lanes.len() && opened().any(takes_turns)).then_some(lanes.len())
}
