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
    steps: Vec<Step>,
    beginnings: Vec<Way>,
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
    fixed: Box<[u8]>,
    then: Then,
    /// The steps that may follow.
    ways: Vec<Way>,
}

/// A step that may follow, and what tells it from most others without a look at it.
#[derive(Clone, Copy, Debug)]
struct Way {
    step: usize,
    /// How many bytes it has that do not change.
    length: usize,
    /// The last of them, and which of those eight it has.
    tail: u64,
    mask: u64,
}

impl Way {
    fn new(step: usize, fixed: &[u8]) -> Self {
        let mut tail = [0; 8];
        let own = &fixed[fixed.len().saturating_sub(tail.len())..];
        let at = tail.len() - own.len();
        tail[at..].copy_from_slice(own);
        let mut mask = [0; 8];
        mask[at..].fill(u8::MAX);
        let (tail, mask) = (u64::from_le_bytes(tail), u64::from_le_bytes(mask));
        Self { step, length: fixed.len(), tail, mask }
    }

    /// Whether a text may go on like this from `at` on.
    #[inline]
    fn may_fit(&self, text: &[u8], at: usize) -> bool {
        let tail = text.get(..at + self.length).map(<[u8]>::last_chunk);
        tail.is_some_and(|tail| {
            // Where there is not as much, the step itself tells.
            tail.is_none_or(|tail| (u64::from_le_bytes(*tail) ^ self.tail) & self.mask == 0)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    String,
    Number,
    /// Nothing; the place of the pattern in `known`.
    End(usize),
}

#[derive(Debug)]
struct Known {
    pattern: Pattern,
    names: Names,
    /// As they were in the text learned from.
    nodes: Box<[Raw]>,
    /// Places of the values that may change.
    open: Box<[usize]>,
    /// Places of arrays and objects, each with how many open values end before it does.
    containers: Box<[(usize, u8)]>,
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

    /// The steps that may follow a step, or begin a text.
    fn ways(&mut self, step: Option<usize>) -> &mut Vec<Way> {
        match step {
            Some(step) => &mut self.steps[step].ways,
            None => &mut self.beginnings,
        }
    }

    /// The place of the pattern that a text has; measures its open values.
    fn find(&mut self, text: &[u8]) -> Option<usize> {
        self.found.clear();
        let (mut at, mut last) = (0, None::<usize>);
        loop {
            let ways = match last {
                Some(step) => &self.steps[step].ways,
                None => &self.beginnings,
            };
            let may_fit = |(_, way): &(usize, &Way)| way.may_fit(text, at);
            let fits = |(place, way): (usize, &Way)| {
                Some((place, way.step, self.steps[way.step].read(text, at)?))
            };
            let (place, step, (start, end, form)) =
                ways.iter().enumerate().filter(may_fit).find_map(fits)?;
            if let Then::End(known) = self.steps[step].then {
                return Some(known);
            }
            self.found.push((u32::try_from(end - start).ok()?, form));
            if place > 0 {
                // What is frequent is tried early.
                self.ways(last).swap(place, place - 1);
            }
            (at, last) = (end, Some(step));
        }
    }

    /// Adds the nodes of the text that was found to have this pattern.
    fn write(&mut self, known: usize, tape: &mut Tape) -> Part {
        let Known { pattern, names, nodes: learned, open, containers } = &self.known[known];
        let Shifts(shifts) = &mut self.shifts;
        let (part, nodes) = tape.extend(learned, *names, *pattern);
        // Wrapping, since what is shorter comes out again at the additions.
        let move_by = |nodes: &mut [Raw], shift: u32| {
            for node in nodes {
                node.start = node.start.wrapping_add(shift);
                node.end = node.end.wrapping_add(shift);
            }
        };
        let (mut shift, mut from) = (0_u32, 0);
        let values = open.iter().zip(&self.found).zip(&mut shifts[1..]);
        for ((node, (length, form)), behind) in values {
            move_by(&mut nodes[from..=*node], shift);
            let value = &mut nodes[*node];
            let longer = length.wrapping_sub(value.end.wrapping_sub(value.start));
            value.end = value.end.wrapping_add(longer);
            value.form = *form;
            shift = shift.wrapping_add(longer);
            *behind = shift;
            from = node + 1;
        }
        move_by(&mut nodes[from..], shift);
        for (node, before) in containers {
            nodes[*node].end = learned[*node].end.wrapping_add(shifts[usize::from(*before)]);
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
        let ended = |at: u32| values.partition_point(|(_, value)| value.end <= at);
        let is_container =
            |(_, raw): &(usize, &Raw)| matches!(raw.form, Form::Array | Form::Object);
        let container =
            |(node, raw): (usize, &Raw)| (node, u8::try_from(ended(raw.end)).unwrap_or(u8::MAX));
        let known = Known {
            pattern: Pattern { number: self.next, open },
            names,
            nodes: nodes.into(),
            open: values.iter().map(|(node, _)| *node).collect(),
            containers: all().filter(is_container).map(container).collect(),
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
        self.step(last, fixed, Then::End(self.known.len()));
        self.known.push(known);
        self.next = self.next.wrapping_add(1);
    }

    /// The step from `last` on with these bytes, made when there is none.
    fn step(&mut self, last: Option<usize>, fixed: &[u8], then: Then) -> usize {
        let ways = match last {
            Some(step) => &self.steps[step].ways,
            None => &self.beginnings,
        };
        let is_it = |way: &&Way| {
            let step = &self.steps[way.step];
            step.then == then && *step.fixed == *fixed
        };
        if let Some(known) = ways.iter().find(is_it) {
            return known.step;
        }
        let step = self.steps.len();
        self.steps.push(Step { fixed: fixed.into(), then, ways: Vec::new() });
        let ways = self.ways(last);
        // The last way is the one that was gone least of late.
        ways.truncate(WAYS - 1);
        ways.push(Way::new(step, fixed));
        step
    }

    /// Forgets all patterns: there are too many, or they have grown old.
    fn forget(&mut self) {
        const USEFUL: usize = 4;
        if self.hits < USEFUL * KNOWN {
            self.rest = USEFUL * USEFUL * KNOWN;
        }
        self.steps.clear();
        self.beginnings.clear();
        self.known.clear();
        self.hits = 0;
    }
}

impl Step {
    /// Where the value behind the bytes that do not change begins and ends, if a text goes on like
    /// this from `at` on.
    #[inline]
    fn read(&self, text: &[u8], at: usize) -> Option<(usize, usize, Form)> {
        let start = at + self.fixed.len();
        if !is_same(text.get(at..start)?, &self.fixed) {
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
