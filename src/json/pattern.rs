//! Texts that differ in a few values only.
//!
//! Peers write one kind of message like the other, member by member; what changes is the text of
//! some strings and numbers. A pattern is all that does not change, and the nodes that were found in
//! it. Where a text has a known pattern, its nodes follow from how long those values are, and nothing
//! of it is parsed but they.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{
    Doc, Mask, Node, is_same,
    tape::{Fault, Form, Names, Part, Raw, Tape, number, string},
};
use crate::source::Origin;

/// Nodes that a text with a pattern has at most: one bit for each.
const NODES: usize = Mask::BITS as usize;
/// Bytes that do not change, of one pattern.
const FIXED: usize = 2048;
/// Patterns that are known at a time.
const KNOWN: usize = 1024;
/// Ways on that are tried.
const WAYS: usize = 32;
/// The step before all others.
const ROOT: u32 = 0;
/// No step.
const NONE: u32 = u32::MAX;

/// Whether the strings of a member tell what else there is in its object, and what is to be made of
/// it. They do not change within a pattern, so that what is known of the pattern is known of its texts.
fn is_tag(name: Node<'_>) -> bool {
    const TAGS: [&str; 8] =
        ["jsonrpc", "method", "sessionUpdate", "type", "outcome", "mode", "state", "action"];
    TAGS.iter().any(|tag| name.is(tag))
}

/// Number of the next pattern, whoever learns it: what is known of patterns by their numbers may come
/// to be used with patterns that somebody else has learned.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The pattern that a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// No other pattern has or had this number.
    pub(crate) number: u32,
    /// One bit for each node that may change.
    pub(crate) open: Mask,
}

/// The patterns of the texts read so far, as a tree: what texts begin with alike is compared once.
#[derive(Debug, Default)]
pub struct Patterns {
    /// Close together, since every text is led along some of them. Before the first there is one
    /// without bytes, the [`ROOT`].
    steps: Vec<Step>,
    /// The bytes of all steps, one behind the other.
    fixed: Vec<u8>,
    known: Vec<Known>,
    /// Texts that had a known pattern since patterns were forgotten last.
    hits: usize,
    /// So many texts are not learned from: patterns were of no help.
    rest: usize,
    /// Outlines of texts that had no known pattern, each in the place that it tells.
    met: Vec<u32>,
    /// How long the open values of the current text are, and how they are written.
    found: Vec<(u32, Form)>,
    /// By how much the text is longer than the one learned from, behind so many open values: for each
    /// number of values that a node may know. Made when there is a pattern, since most who have none
    /// yet are to be given those of others.
    shifts: Option<Box<[u32; u8::MAX as usize + 1]>>,
}

/// Bytes that do not change, and what follows them.
#[derive(Debug)]
struct Step {
    /// The first of the bytes, where there are eight.
    head: u64,
    /// The last of them, and which of those eight it has.
    tail: u64,
    mask: u64,
    /// Where they stand among all, and how many there are.
    start: u32,
    length: u32,
    then: Then,
    /// The first of the steps that may follow, or [`NONE`].
    child: u32,
    /// The next of those that may stand in its place, or [`NONE`].
    sibling: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    String,
    Number,
    /// Nothing; the place of the pattern in `known`.
    End(u32),
}

#[derive(Debug)]
struct Known {
    pattern: Pattern,
    names: Names,
    /// As they were in the text learned from.
    nodes: Box<[Raw]>,
    /// For each node how many open values end before it begins, and before it ends or with it.
    before: Box<[(u8, u8)]>,
    /// The values that may change.
    open: Box<[Open]>,
}

/// A value that may change.
#[derive(Debug)]
struct Open {
    node: u32,
    /// How long it was.
    length: u32,
}

impl Patterns {
    /// Adds the nodes of a text to the tape, as [`Tape::append`] does.
    pub fn append(&mut self, tape: &mut Tape, text: &str) -> Result<Part, Fault> {
        if let Some(known) = self.find(text.as_bytes()) {
            self.hits += 1;
            return Ok(self.write(known, tape));
        }
        let part = tape.append(text)?;
        if self.rest > 0 {
            self.rest -= 1;
        } else if part.len() <= NODES && self.meets_again(tape, part) {
            self.learn(text, tape, part);
        }
        Ok(part)
    }

    /// Whether a text is not the first one with its outline: to learn a pattern costs more than to
    /// parse a few texts, and some outlines do not come again.
    fn meets_again(&mut self, tape: &Tape, part: Part) -> bool {
        const BITS: u32 = 10;
        let (nodes, ..) = tape.part(part);
        let outline = nodes.iter().fold(0, |outline, node| node.outline(outline));
        self.met.resize(1 << BITS, 0);
        let place = &mut self.met[(outline >> (u32::BITS - BITS)) as usize];
        std::mem::replace(place, outline) == outline
    }

    /// The place of the pattern that a text has; measures its open values.
    fn find(&mut self, text: &[u8]) -> Option<usize> {
        let Self { steps, fixed, found, .. } = self;
        let steps = steps.as_mut_slice();
        found.clear();
        // So that the lengths of values fit, too.
        u32::try_from(text.len()).ok()?;
        let (mut at, mut last) = (0, ROOT);
        loop {
            let mut here = steps.get(last as usize)?.child;
            let (mut before, mut passed) = (NONE, NONE);
            let (then, (start, end, form)) = loop {
                let step = steps.get(here as usize)?;
                if let Some(read) = step.read(fixed, text, at) {
                    break (step.then, read);
                }
                (before, passed, here) = (passed, here, step.sibling);
            };
            if let Then::End(known) = then {
                return Some(known as usize);
            }
            found.push((narrow(end - start), form));
            if passed != NONE {
                // What is frequent is tried early.
                steps[passed as usize].sibling = steps[here as usize].sibling;
                steps[here as usize].sibling = passed;
                *link(steps, last, before) = here;
            }
            (at, last) = (end, here);
        }
    }

    /// Adds the nodes of the text that was found to have this pattern.
    fn write(&mut self, known: usize, tape: &mut Tape) -> Part {
        let Known { pattern, names, nodes, before, open } = &self.known[known];
        let values = &self.found;
        let shifts = self.shifts.get_or_insert_with(|| Box::new([0; _]));
        // Wrapping, since what is shorter comes out again at the additions.
        let mut shift = 0_u32;
        for ((value, (length, _)), behind) in open.iter().zip(values).zip(&mut shifts[1..]) {
            shift = shift.wrapping_add(length.wrapping_sub(value.length));
            *behind = shift;
        }
        let moved = nodes.iter().zip(before).map(|(node, (start, end))| Raw {
            start: node.start.wrapping_add(shifts[usize::from(*start)]),
            end: node.end.wrapping_add(shifts[usize::from(*end)]),
            ..*node
        });
        let (part, moved) = tape.extend(moved, *names, *pattern);
        for (value, (_, form)) in open.iter().zip(values) {
            moved[value.node as usize].form = *form;
        }
        part
    }

    /// Learns the pattern of a text.
    fn learn(&mut self, text: &str, tape: &Tape, part: Part) {
        let (nodes, repeats, names) = tape.part(part);
        let doc = Doc::of_part(text, tape, part, Origin::START);
        if !repeats.is_empty() || !doc.root().is_object() {
            return;
        }
        let mut open = 0;
        open_values(doc.root(), false, &mut open);
        let values = nodes.iter().enumerate().filter(|(node, _)| open >> node & 1 == 1);
        let values: Vec<(usize, &Raw)> = values.collect();
        let length = |(_, value): &(usize, &Raw)| (value.end - value.start) as usize;
        let opens: usize = values.iter().map(length).sum();
        if text.len() - opens > FIXED {
            return;
        }
        if self.known.len() == KNOWN {
            self.forget();
        }
        let open_of = |(node, value): &(usize, &Raw)| Open {
            node: narrow(*node),
            length: value.end - value.start,
        };
        let before = |offset: u32| {
            let ended = values.partition_point(|(_, value)| value.end <= offset);
            u8::try_from(ended).unwrap_or(u8::MAX) // never: as many as nodes at most
        };
        let known = Known {
            pattern: Pattern { number: NEXT.fetch_add(1, Ordering::Relaxed), open },
            names,
            nodes: nodes.into(),
            before: nodes.iter().map(|node| (before(node.start), before(node.end))).collect(),
            open: values.iter().map(open_of).collect(),
        };
        if self.steps.is_empty() {
            self.steps.push(Step::new(&[], 0, Then::String));
        }
        let (mut at, mut last) = (0, ROOT);
        for (_, value) in &values {
            let is_string = matches!(value.form, Form::Plain | Form::Escaped);
            let then = if is_string { Then::String } else { Then::Number };
            let fixed = text.as_bytes().get(at..value.start as usize).unwrap_or_default();
            last = self.step(last, fixed, then);
            at = value.end as usize;
        }
        let fixed = text.as_bytes().get(at..).unwrap_or_default();
        self.step(last, fixed, Then::End(narrow(self.known.len())));
        self.known.push(known);
    }

    /// The step from `last` on with these bytes, made when there is none.
    fn step(&mut self, last: u32, fixed: &[u8], then: Then) -> u32 {
        let (mut here, mut before) = (self.steps[last as usize].child, NONE);
        let mut ways = 1;
        while let Some(step) = self.steps.get(here as usize) {
            if step.then == then && step.bytes(&self.fixed) == fixed {
                return here;
            }
            // The last way is the one that was gone least of late: it makes room.
            if ways < WAYS {
                before = here;
                ways += 1;
            }
            here = step.sibling;
        }
        let place = narrow(self.steps.len());
        self.steps.push(Step::new(fixed, narrow(self.fixed.len()), then));
        self.fixed.extend_from_slice(fixed);
        *link(&mut self.steps, last, before) = place;
        place
    }

    /// Forgets all patterns: there are too many, or they have grown old.
    fn forget(&mut self) {
        const USEFUL: usize = 4;
        if self.hits < USEFUL * KNOWN {
            self.rest = USEFUL * USEFUL * KNOWN;
        }
        self.steps.clear();
        self.fixed.clear();
        self.known.clear();
        self.hits = 0;
    }
}

impl Step {
    /// One with these bytes, which are to stand at `start`.
    fn new(fixed: &[u8], start: u32, then: Then) -> Self {
        const WORD: usize = size_of::<u64>();
        let own = &fixed[fixed.len().saturating_sub(WORD)..];
        let (mut tail, mut mask) = ([0; WORD], [0; WORD]);
        tail[WORD - own.len()..].copy_from_slice(own);
        mask[WORD - own.len()..].fill(u8::MAX);
        Self {
            head: fixed.first_chunk().map_or(0, |head| u64::from_le_bytes(*head)),
            tail: u64::from_le_bytes(tail),
            mask: u64::from_le_bytes(mask),
            start,
            length: narrow(fixed.len()),
            then,
            child: NONE,
            sibling: NONE,
        }
    }

    /// Its bytes, out of all.
    fn bytes<'f>(&self, fixed: &'f [u8]) -> &'f [u8] {
        let start = self.start as usize;
        fixed.get(start..start + self.length as usize).unwrap_or_default()
    }

    /// Where the value behind the bytes that do not change begins and ends, if a text goes on like
    /// this from `at` on.
    #[inline]
    fn read(&self, fixed: &[u8], text: &[u8], at: usize) -> Option<(usize, usize, Form)> {
        let start = at + self.length as usize;
        let own = text.get(at..start)?;
        // What tells it from most others without a look at its bytes.
        let (is_like, is_told) = match (own.first_chunk(), text[..start].last_chunk()) {
            (Some(head), Some(tail)) => {
                let ends = (u64::from_le_bytes(*head), u64::from_le_bytes(*tail));
                (ends == (self.head, self.tail), own.len() <= 16)
            }
            (None, Some(tail)) => ((u64::from_le_bytes(*tail) ^ self.tail) & self.mask == 0, true),
            (_, None) => (true, false),
        };
        if !is_like || !is_told && !is_same(own, self.bytes(fixed)) {
            return None;
        }
        let (end, form) = match (self.then, text.get(start)) {
            (Then::String, Some(b'"')) => string(text, start).ok()?,
            (Then::Number, Some(b'-' | b'0'..=b'9')) => number(text, start).ok()?,
            (Then::End(_), None) => (start, Form::Null),
            _ => return None,
        };
        Some((start, end, form))
    }
}

/// Where it is kept which step is tried first behind `last` or, if one is, after `before`.
fn link(steps: &mut [Step], last: u32, before: u32) -> &mut u32 {
    if before == NONE {
        &mut steps[last as usize].child
    } else {
        &mut steps[before as usize].sibling
    }
}

/// Numbers of steps and their bytes are bounded by those of patterns and nodes.
#[expect(clippy::cast_possible_truncation, reason = "there are never as many")]
fn narrow(size: usize) -> u32 {
    size as u32
}

/// Marks the strings and numbers below a node that may change.
fn open_values(node: Node<'_>, is_fixed: bool, open: &mut Mask) {
    if node.is_number() || node.is_string() && !is_fixed {
        *open |= node.id().bit();
    }
    for element in node.elements() {
        open_values(element, is_fixed, open);
    }
    for (name, value) in node.members() {
        open_values(value, is_tag(name), open);
    }
}
