//! Texts that differ in a few values only.
//!
//! Peers write one kind of message like the other, member by member; what changes is the text of
//! some strings and numbers. A pattern is all that does not change, and the nodes that were found in
//! it. Where a text has a known pattern, its nodes follow from how long those values are, and nothing
//! of it is parsed but they.

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

/// Whether the strings of a member tell what else there is in its object, and what is to be made of
/// it. They do not change within a pattern, so that what is known of the pattern is known of its texts.
fn is_tag(name: Node<'_>) -> bool {
    const TAGS: [&str; 8] =
        ["jsonrpc", "method", "sessionUpdate", "type", "outcome", "mode", "state", "action"];
    TAGS.iter().any(|tag| name.is(tag))
}

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
    /// Close together, since every text is led along some of them.
    steps: Vec<Step>,
    /// The first of those that a text may begin with.
    first: Option<u32>,
    /// The bytes of all steps, one behind the other.
    fixed: Vec<u8>,
    known: Vec<Known>,
    /// Number of the next pattern.
    next: u32,
    /// Texts that had a known pattern since patterns were forgotten last.
    hits: usize,
    /// So many texts are not learned from: patterns were of no help.
    rest: usize,
    /// Outlines of texts that had no known pattern, each in the place that it tells.
    met: Vec<u32>,
    /// How long the open values of the current text are, and how they are written.
    found: Vec<(u32, Form)>,
    /// By how much the text is longer than the one learned from, behind so many open values.
    shifts: Shifts,
}

/// For each number of values that a node may know.
#[derive(Debug)]
struct Shifts([u32; u8::MAX as usize + 1]);

impl Default for Shifts {
    fn default() -> Self {
        Self([0; _])
    }
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
    /// The first of the steps that may follow.
    child: Option<u32>,
    /// The next of those that may stand in its place.
    sibling: Option<u32>,
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
    /// For each of them how many open values end before it begins, and how many before it ends, or
    /// with it.
    ended: Box<[[u8; 2]]>,
    /// Places of the values that may change, and how long they were.
    open: Box<[(usize, u32)]>,
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

    /// Where it is kept which step is tried first behind `last` or, if one is, after `before`.
    fn link(&mut self, last: Option<u32>, before: Option<u32>) -> &mut Option<u32> {
        match (before, last) {
            (Some(before), _) => &mut self.steps[before as usize].sibling,
            (None, Some(last)) => &mut self.steps[last as usize].child,
            (None, None) => &mut self.first,
        }
    }

    /// The place of the pattern that a text has; measures its open values.
    fn find(&mut self, text: &[u8]) -> Option<usize> {
        self.found.clear();
        let (mut at, mut last) = (0, None);
        loop {
            let mut here = last.map_or(self.first, |last: u32| self.steps[last as usize].child)?;
            let mut passed = [None; 2];
            let (step, (start, end, form)) = loop {
                let step = &self.steps[here as usize];
                if let Some(read) = step.read(&self.fixed, text, at) {
                    break (step, read);
                }
                passed = [passed[1], Some(here)];
                here = step.sibling?;
            };
            if let Then::End(known) = step.then {
                return Some(known as usize);
            }
            self.found.push((u32::try_from(end - start).ok()?, form));
            if let [before, Some(passed)] = passed {
                // What is frequent is tried early.
                self.steps[passed as usize].sibling = self.steps[here as usize].sibling;
                self.steps[here as usize].sibling = Some(passed);
                *self.link(last, before) = Some(here);
            }
            (at, last) = (end, Some(here));
        }
    }

    /// Adds the nodes of the text that was found to have this pattern.
    fn write(&mut self, known: usize, tape: &mut Tape) -> Part {
        let Known { pattern, names, nodes, ended, open } = &self.known[known];
        let Shifts(shifts) = &mut self.shifts;
        // Wrapping, since what is shorter comes out again at the additions.
        let mut shift = 0_u32;
        for (((_, learned), (length, _)), behind) in
            open.iter().zip(&self.found).zip(&mut shifts[1..])
        {
            shift = shift.wrapping_add(length.wrapping_sub(*learned));
            *behind = shift;
        }
        let moved = nodes.iter().zip(ended).map(|(node, ended)| {
            let [start, end] = ended.map(|ended| shifts[usize::from(ended)]);
            Raw { start: node.start.wrapping_add(start), end: node.end.wrapping_add(end), ..*node }
        });
        let (part, nodes) = tape.extend(moved, *names, *pattern);
        for ((node, _), (_, form)) in open.iter().zip(&self.found) {
            nodes[*node].form = *form;
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
        let all = || nodes.iter().enumerate();
        let values: Vec<(usize, &Raw)> = all().filter(|(node, _)| open >> node & 1 == 1).collect();
        let length = |(_, value): &(usize, &Raw)| (value.end - value.start) as usize;
        let opens: usize = values.iter().map(length).sum();
        if text.len() - opens > FIXED {
            return;
        }
        if self.known.len() == KNOWN {
            self.forget();
        }
        let ended = |at: u32| {
            let count = values.partition_point(|(_, value)| value.end <= at);
            u8::try_from(count).unwrap_or(u8::MAX) // never: there are at most as many as nodes
        };
        let known = Known {
            pattern: Pattern { number: self.next, open },
            names,
            nodes: nodes.into(),
            ended: nodes.iter().map(|node| [ended(node.start), ended(node.end)]).collect(),
            open: values.iter().map(|(node, value)| (*node, value.end - value.start)).collect(),
        };
        let mut at = 0;
        let mut last = None;
        for (_, value) in &values {
            let is_string = matches!(value.form, Form::Plain | Form::Escaped);
            let then = if is_string { Then::String } else { Then::Number };
            let fixed = text.as_bytes().get(at..value.start as usize).unwrap_or_default();
            last = Some(self.step(last, fixed, then));
            at = value.end as usize;
        }
        let fixed = text.as_bytes().get(at..).unwrap_or_default();
        self.step(last, fixed, Then::End(narrow(self.known.len())));
        self.known.push(known);
        self.next = self.next.wrapping_add(1);
    }

    /// The step from `last` on with these bytes, made when there is none.
    fn step(&mut self, last: Option<u32>, fixed: &[u8], then: Then) -> u32 {
        let (mut here, mut before) = (*self.link(last, None), None);
        let mut ways = 1;
        while let Some(place) = here {
            let step = &self.steps[place as usize];
            if step.then == then && step.bytes(&self.fixed) == fixed {
                return place;
            }
            // The last way is the one that was gone least of late: it makes room.
            if ways < WAYS {
                before = Some(place);
                ways += 1;
            }
            here = step.sibling;
        }
        let place = narrow(self.steps.len());
        self.steps.push(Step::new(fixed, narrow(self.fixed.len()), then));
        self.fixed.extend_from_slice(fixed);
        *self.link(last, before) = Some(place);
        place
    }

    /// Forgets all patterns: there are too many, or they have grown old.
    fn forget(&mut self) {
        const USEFUL: usize = 4;
        if self.hits < USEFUL * KNOWN {
            self.rest = USEFUL * USEFUL * KNOWN;
        }
        self.steps.clear();
        self.first = None;
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
            child: None,
            sibling: None,
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
