//! What the beginning of a file tells of the whole: its format, what its labels mean, and what the
//! recorder has done to the messages.

use std::{borrow::Cow, cell::LazyCell};

use fearless_simd::{Level, Simd, SimdBase as _, SimdMask as _, dispatch, u8x16, u8x64};
use memchr::memmem;

use crate::{
    check::{
        blocks::{Ahead, Kit, utf8},
        limits::Unassessed,
        mask,
        open::{Depth, array_head, is_beginning},
        schemas::Schemas,
    },
    event::Envelope,
    json::{Doc, Node, Part, Tape, Text},
    map::Map,
    model::{Recording, rpc::Fit},
    protocol::{Edition, Side, Version},
    source::Origin,
    transcript::{
        self, Beginning, Body, FORMATS, Fidelity, Format, Likelihood, Read, Record, apparent,
        direction::{Labels, method_sender},
        limits::{Limit, MASKED},
    },
};

/// Lines that are looked at.
const LINES: usize = 400;

pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// What the sample has decided.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) format: &'static Format,
    pub(super) grouping: Grouping,
    pub(super) digest: Digest,
}

/// What messages tell of those that follow.
#[derive(Debug)]
pub(super) struct Digest {
    pub(super) labels: Labels,
    pub(super) copies: Copies,
    /// The lane that has the messages of another one once more.
    pub(super) repeated_lane: Option<&'static str>,
    /// Whether labels contradict methods so often that it is the recorder's fault.
    pub(super) mislabels: bool,
    /// Whether what opens a connection may be in another lane than what follows.
    pub(super) scatters: bool,
    pub(super) version: Version,
    pub(super) recording: Recording,
    /// What cannot be assessed, for what the recorder does.
    pub(super) unassessed: Vec<Unassessed>,
    /// What else is to be said about the recording.
    pub(super) notes: Vec<String>,
}

/// How the texts of the messages are spread over the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// One a line.
    Lines,
    /// Each over several lines, throughout: a way to write the file, not a fault of the peers.
    Pretty,
    /// All in one array, which is the file.
    List,
}

/// Whether messages stand in the file more often than they were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    None,
    /// Two recordings of one connection were merged: each message stands twice.
    Merged,
    /// What one side sends comes back from the other, as from a terminal that echoes.
    Echoed,
}

/// Whether the bytes are UTF-16 in either order, with or without a byte order mark.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    const ENOUGH: usize = 4096;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let bytes = &bytes[..bytes.len().min(ENOUGH)];
    if memchr::memchr(0, bytes).is_none() {
        return false;
    }
    let pairs = bytes.len() / 2;
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let mostly = |many: usize, few: usize| many * 10 >= pairs * 9 && few * 10 <= pairs;
    pairs >= 2 && (mostly(even, odd) || mostly(odd, even))
}

/// The header of the Language Server Protocol's framing at the beginning of a text.
pub(super) fn lsp_header(text: &str) -> Option<&str> {
    let is_header = text.starts_with("Content-Length:") || text.starts_with("Content-Type:");
    is_header.then(|| text.lines().next().unwrap_or(text).trim_end())
}

/// Whether an object has a member that only messages have.
pub(super) fn is_message_like(node: Node<'_>) -> bool {
    ["jsonrpc", "method", "result", "error"].iter().any(|name| node.get(name).is_some())
}

impl Sample {
    /// `is_whole`: the sample is the file. `chosen`: the format, when it is known. `kit`: that of
    /// texts read before, since files begin alike.
    pub(super) fn of(
        bytes: &[u8],
        is_whole: bool,
        chosen: Option<&'static Format>,
        kit: &mut Kit,
    ) -> Self {
        if chosen.is_none_or(|chosen| chosen.is(transcript::PLAIN))
            && let Some(sample) = Self::of_plain(bytes, kit)
        {
            return sample;
        }
        let text = utf8(bytes).map_or_else(|| String::from_utf8_lossy(bytes), Cow::Borrowed);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        Self::of_any(bytes, text, is_whole, chosen)
    }

    /// The sample of a file that may be anything.
    fn of_any(bytes: &[u8], text: &str, is_whole: bool, chosen: Option<&'static Format>) -> Self {
        let mut tape = Tape::default();
        let (mut parts, unread) = lines(text, &mut tape);
        let mut grouping = Grouping::Lines;
        // Whether the format is one of those that fit nearly anything.
        let is_guess;
        let mut found = {
            let docs = docs(&parts, &tape);
            let values: Vec<Node<'_>> = docs.iter().map(Doc::root).collect();
            let filled = values.iter().filter(|value| is_filled_object(**value)).count();
            // Of an array with an element a line, the last line may be JSON by itself.
            let is_spread = unread > 1 && (filled == 0 || filled == 1 && opens_array(text));
            let found = find(&Beginning { bytes, text, values: &values }, chosen);
            is_guess = chosen.is_none() && found.0 < Likelihood::Sure;
            let is_open = found.0 < Likelihood::Sure || filled == 1 && found.1.read.is_of_values();
            if is_open && is_spread { None } else { Some(found.1) }
        };
        if found.is_none() {
            tape.clear();
            let (spread, is_open) = values(text, &mut tape);
            if spread.is_empty() && !is_open {
                (parts, _) = lines(text, &mut tape);
            } else {
                parts = spread;
                grouping = Grouping::Pretty;
            }
        }
        let docs = docs(&parts, &tape);
        let mut roots: Vec<Node<'_>> = docs.iter().map(Doc::root).collect();
        if let [only] = roots.as_slice()
            && is_whole
            && unread == 0
            && is_list(*only)
            && found.is_none_or(|format| format.read.is_of_values() || is_guess)
        {
            roots = only.elements().take(LINES).collect();
            grouping = Grouping::List;
            found = None;
        }
        let format =
            found.unwrap_or_else(|| find(&Beginning { bytes, text, values: &roots }, chosen).1);
        let records: Vec<(&str, Record<'_>)> = match format.read {
            Read::Lines(read) => text.lines().take(LINES).map(|line| (line, read(line))).collect(),
            read => roots.iter().filter_map(|root| Some(("", read.record(*root)?))).collect(),
        };
        let digest = Digest::of(format, &records);
        let is_bare = records.iter().any(|(_, record)| is_bare(format, record));
        Self::new(format, grouping, digest, is_bare)
    }

    /// The sample of a file in which every line begins as messages do, which is the usual case: the
    /// first ones settle what the others could tell, and those are not parsed. `None` where there
    /// may be more to it. Whether the others are text at all is seen when they are read.
    fn of_plain(bytes: &[u8], kit: &mut Kit) -> Option<Self> {
        /// How many messages settle it mostly, and nearly always.
        const FIRST: [usize; 2] = [4, 16];
        /// How each of them begins.
        const BEGINNING: &[u8] = br#"{"jsonrpc":"#;
        /// More lines are no messages.
        const MOST: usize = 1 << 15;
        let Kit { patterns, breaks, ahead: Ahead { tape, parts } } = kit;
        parts.clear();
        let breaks = breaks.find(bytes, MOST);
        if breaks.len() >= MOST {
            return None;
        }
        let mut start = 0;
        let lines = breaks.iter().copied().chain([bytes.len()]).map(move |end| {
            let line = &bytes[start..end];
            start = end + 1;
            let last = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
            (line, last.map_or(&[][..], |last| &line[..=last]))
        });
        // Lines at the beginning that have nothing but a message.
        let mut bare = 0;
        for (number, (line, written)) in lines.clone().enumerate() {
            if !written.is_empty() {
                if !line.starts_with(BEGINNING) {
                    return None;
                }
                bare += usize::from(bare == number && written.len() == line.len());
            }
        }
        let lines = lines.map(|(_, written)| written).filter(|written| !written.is_empty());
        let lines = lines.take(LINES);
        let signs = Signs::of(bytes);
        if signs.other_format {
            return None;
        }
        if has_copies(lines.clone()) {
            return None;
        }
        let may_be_masked = signs.brackets && mask::may_be_in(utf8(bytes)?);
        FIRST.into_iter().find_map(|count| {
            tape.clear();
            let first = lines.clone().take(count);
            let read = first.map(|line| {
                let line = utf8(line)?;
                Some((line, patterns.append(tape, line).ok()?))
            });
            let read: Vec<_> = read.collect::<Option<_>>()?;
            let version = settled_version(&docs(&read, tape))?;
            if read.len() <= bare {
                parts.extend(read.iter().map(|(_, part)| *part));
            }
            let masks = may_be_masked && lines.clone().any(is_masked);
            let digest = Digest::of_plain(version, masks);
            Some(Self::new(transcript::PLAIN, Grouping::Lines, digest, true))
        })
    }

    /// `is_bare`: whether a record is nothing but what crossed the wire.
    fn new(format: &'static Format, grouping: Grouping, mut digest: Digest, is_bare: bool) -> Self {
        digest.recording.is_raw = grouping == Grouping::Lines && is_bare;
        digest.limit(format);
        Self { format, grouping, digest }
    }
}

/// Whether a record is nothing but what crossed the wire.
fn is_bare(format: &Format, record: &Record<'_>) -> bool {
    match &record.body {
        Body::Message(node) => {
            let is_whole = node.range().len() == node.doc().text().trim().len();
            is_whole && format.fidelity == Fidelity::Wire
        }
        Body::Escaped(_) | Body::Base64(_) => true,
        Body::Text(_) => format.fidelity == Fidelity::Wire,
        _ => false,
    }
}

impl Digest {
    /// That of plain lines whose first messages settle it: what [`Digest::of`] makes of them follows
    /// from that, but for this.
    fn of_plain(version: Version, masks: bool) -> Self {
        let format = transcript::PLAIN;
        Self {
            labels: Labels::default(),
            copies: Copies::None,
            repeated_lane: format.repeated_lane(&[]),
            mislabels: false,
            scatters: format.scatters(&[]),
            version,
            recording: Recording {
                masks,
                is_masked: masks,
                extent: format.extent(),
                no_answers_of: format.lacks_answers_of(),
                ..Recording::default()
            },
            unassessed: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// `records`, each with the text of which its body is a part.
    pub(super) fn of(format: &'static Format, records: &[(&str, Record<'_>)]) -> Self {
        let inner = Inner::of(records);
        let inner_docs = inner.docs();
        let labelled = messages(records, &inner_docs);
        // What a terminal echoes bears the label of the other side.
        let is_copy = |(index, (node, _)): &(usize, &(Node<'_>, &Record<'_>))| {
            index.checked_sub(1).is_some_and(|before| labelled[before].0.raw() == node.raw())
        };
        let originals = labelled.iter().enumerate().filter(|entry| !is_copy(entry));
        let labels = Labels::calibrate(
            originals.filter_map(|(_, (node, record))| Some((*node, record.label.clone()?))),
        );
        let mut lanes: Vec<&str> = Vec::new();
        for lane in labelled.iter().filter_map(|(_, record)| record.lane.as_deref()).take(LINES) {
            if !lanes.contains(&lane) {
                lanes.push(lane);
            }
        }
        let repeated_lane = format.repeated_lane(&lanes);
        let messages: Vec<(Node<'_>, Option<Side>)> = labelled
            .iter()
            .filter(|(_, record)| {
                repeated_lane.is_none() || record.lane.as_deref() != repeated_lane
            })
            .map(|(node, record)| {
                let said = record.label.as_ref().and_then(|label| labels.side(label));
                (*node, said)
            })
            .collect();
        let copies = if lanes.is_empty() { Copies::of(&messages) } else { Copies::None };
        let mut adds = added(&messages);
        if let Fidelity::Adding(names) = format.fidelity {
            adds.extend(names.iter().map(|name| Box::from(*name)));
        }
        let only = only_side(&messages).or_else(|| first_side(&messages));
        let is_masked = messages.iter().any(|(node, _)| mask::is_in(*node));
        let masks = format.fidelity == Fidelity::Masked || is_masked;
        Self {
            copies,
            repeated_lane,
            mislabels: copies == Copies::None && mislabels(&messages),
            scatters: format.scatters(&lanes),
            version: apparent::version(&messages.iter().map(|(node, _)| *node)),
            recording: Recording {
                strips_jsonrpc: strips_jsonrpc(&messages),
                adds,
                is_raw: false,
                masks,
                is_masked,
                extent: format.extent(),
                no_answers_of: format.lacks_answers_of().or(only.map(Side::peer)),
                only,
            },
            unassessed: Vec::new(),
            notes: notes(&labels, copies),
            labels,
        }
    }

    /// Adds what cannot be assessed; to be called when it is known whether lines are kept.
    pub(super) fn limit(&mut self, format: &'static Format) {
        let only = self.recording.only.map(Limit::only);
        let limits = format.limits(self.recording.is_raw);
        let masked = self.recording.masks && format.fidelity != Fidelity::Masked;
        self.unassessed = only.iter().map(Unassessed::of).collect();
        self.unassessed.extend(masked.then(|| Unassessed::of(&MASKED)));
        self.unassessed.extend(limits.map(Unassessed::of));
    }
}

/// The version that is spoken, if no further messages could change what these ones tell, copies and
/// masks apart.
fn settled_version(messages: &[Doc<'_>]) -> Option<Version> {
    let nodes = messages.iter().map(Doc::root);
    let version = apparent::answered_version(&nodes)?;
    if Envelope::of(nodes.clone().next()?).foreign.is_some() {
        return None;
    }
    let (mut last, mut turns) = (None, 0);
    // The side that is known by its first method, and those that have sent anything for sure.
    let (mut caller, mut speaks) = (None, [false; 2]);
    for message in nodes {
        let method = method_sender(message);
        let result = || apparent::likely_answering_side(message.get("result")?);
        let Some(side) = method.or_else(result) else { continue };
        turns += usize::from(last.is_some_and(|last| last != side));
        last = Some(side);
        caller = caller.or(method);
        let is_answer =
            || message.get("id").is_some() && message.get("method").and_then(Node::text).is_none();
        speaks[side as usize] |= method.is_some() || is_answer();
    }
    (turns > 1 && speaks[caller?.peer() as usize]).then_some(version)
}

/// Whether a line with an id stands twice: copies are told by those.
fn has_copies<'t>(lines: impl Iterator<Item = &'t [u8]> + Clone) -> bool {
    /// Each line leaves two marks among so many, and nearly none finds both of its own there already:
    /// then nothing is to be sorted.
    const MARKS: usize = 1 << 14;
    let mut marked = [0_u64; MARKS / 64];
    let is_new = |line: &'t [u8]| {
        let sketch = sketch(line).to_le_bytes();
        let pairs = [[sketch[0], sketch[1]], [sketch[2], sketch[3]]];
        pairs.into_iter().fold(false, |is_new, pair| {
            let mark = usize::from(u16::from_le_bytes(pair)) % MARKS;
            let (word, bit) = (&mut marked[mark / 64], 1 << (mark % 64));
            let was_marked = *word & bit != 0;
            *word |= bit;
            is_new || !was_marked
        })
    };
    if lines.clone().all(is_new) {
        return false;
    }
    let has = |line: &[u8], part: &[u8]| memmem::find(line, part).is_some();
    let may_have_id = |line: &[u8]| has(line, br#""id""#) || has(line, br"\u");
    let mut sketches: Vec<u64> = lines.clone().map(sketch).collect();
    sketches.sort_unstable();
    let shared = |pair: &[u64]| (pair[0] == pair[1]).then_some(pair[0]);
    let mut shared: Vec<u64> = sketches.windows(2).filter_map(shared).collect();
    if shared.is_empty() {
        return false;
    }
    shared.dedup();
    let is_shared = |line: &&[u8]| shared.binary_search(&sketch(line)).is_ok();
    let mut alike: Vec<&[u8]> = lines.filter(is_shared).collect();
    alike.sort_unstable();
    alike.windows(2).any(|pair| pair[0] == pair[1] && may_have_id(pair[0]))
}

/// A number that equal lines share, and few others do: made of how long a line is and of what stands
/// in a few places of it, since to compare whole lines takes several times as long.
fn sketch(line: &[u8]) -> u64 {
    const BYTES: usize = size_of::<u64>();
    /// Where the ids of short lines stand, from their beginning.
    const FIRST: usize = 2 * BYTES;
    /// Where those of others mostly stand, and texts differ: from the last place on backwards.
    const LAST: [usize; 5] = [0, 12, 24, 36, 48];
    /// Odd, and without a pattern.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let Some(last) = line.len().checked_sub(BYTES) else { return line.len() as u64 };
    let near_end = LAST.map(|back| last.saturating_sub(back));
    let places = near_end.into_iter().chain([FIRST.min(last), last / 2, last / 4 * 3]);
    places.fold(line.len() as u64, |sketch, from| {
        let word = line[from..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        (sketch ^ word).wrapping_mul(MIX).rotate_left(31)
    })
}

/// What stands somewhere in a text, and rarely does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Signs {
    /// A name or word that other formats than the plain one are recognised by.
    other_format: bool,
    /// A string that begins with a bracket, or with an escape that may be one.
    brackets: bool,
}

impl Signs {
    fn of(bytes: &[u8]) -> Self {
        dispatch!(Level::new(), simd => Self::seen(simd, bytes))
    }

    /// In one pass: the texts are long, and looked at for hardly anything else.
    #[inline(always)] // into the code for each kind of processor
    fn seen<S: Simd>(simd: S, bytes: &[u8]) -> Self {
        const BLOCK: usize = 64;
        // What stands before the second byte of a pair, by its four last bits; some other pairs have
        // the same, and are rare.
        const FIRSTS: [u8; 16] = {
            let mut bytes = [0; 16];
            bytes[(b'c' & 0xf) as usize] = b'a';
            bytes[(b'i' & 0xf) as usize] = b'd';
            bytes[(b'u' & 0xf) as usize] = b'\\';
            bytes
        };
        let firsts = u8x64::block_splat(u8x16::from_slice(simd, &FIRSTS));
        let mut signs = Self::default();
        let shifted = |by: usize| bytes.get(by..).unwrap_or_default().as_chunks::<BLOCK>().0;
        let [blocks, next, second] = [0, 1, 2].map(shifted);
        for (index, ((these, next), second)) in blocks.iter().zip(next).zip(second).enumerate() {
            let [these, next, second] =
                [these, next, second].map(|bytes| u8x64::from_slice(simd, bytes));
            let first = firsts.swizzle_dyn_within_blocks(second & 0xf);
            let is_any = next.simd_eq(first) | next.simd_eq(b'<') | next.simd_eq(b'[');
            let mut places = (these.simd_eq(b'"') & is_any).to_bitmask();
            while places != 0 {
                signs.add(&bytes[BLOCK * index + places.trailing_zeros() as usize + 1..]);
                places &= places - 1;
            }
        }
        let rest = &bytes[BLOCK * second.len()..];
        for at in memchr::memchr_iter(b'"', rest) {
            signs.add(&rest[at + 1..]);
        }
        signs
    }

    /// What stands behind a quotation mark.
    fn add(&mut self, rest: &[u8]) {
        match rest {
            [b'<' | b'[', ..] | [b'\\', b'u', ..] => self.brackets = true,
            [b'a', b'c', b'p', b'x', ..] => self.other_format = true,
            [b'd', b'i', b'r', rest @ ..] => {
                self.other_format |= rest.starts_with(b"\"") || rest.starts_with(b"ection\"");
            }
            _ => {}
        }
    }
}

/// Whether a line is a message with masked values.
fn is_masked(line: &[u8]) -> bool {
    let mut tape = Tape::default();
    utf8(line).is_some_and(|line| {
        mask::may_be_in(line)
            && tape.parse(line).is_ok()
            && mask::is_in(Doc::new(line, &tape, Origin::START).root())
    })
}

/// The lines that are JSON texts, and how many are not.
fn lines<'t>(text: &'t str, tape: &mut Tape) -> (Vec<(&'t str, Part)>, usize) {
    let mut parts = Vec::new();
    let mut unread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(LINES) {
        let read = tape.append(line).map(|part| (line, part)).or_else(|fault| {
            let (line, rest) = line.split_at_checked(fault.at as usize).ok_or(fault)?;
            lsp_header(rest).ok_or(fault)?;
            tape.append(line).map(|part| (line, part))
        });
        match read {
            Ok(part) => parts.push(part),
            Err(_) => unread += usize::from(lsp_header(line).is_none()),
        }
    }
    (parts, unread)
}

/// The objects over several lines, and whether the text ends in the middle of one.
fn values<'t>(text: &'t str, tape: &mut Tape) -> (Vec<(&'t str, Part)>, bool) {
    let mut parts = Vec::new();
    let mut open: Option<(usize, Depth)> = None;
    let mut at = text.split_inclusive('\n').next().and_then(array_head).unwrap_or(0);
    let text = text.trim_end();
    let text = text.strip_suffix(']').filter(|_| opens_array(text)).unwrap_or(text);
    for line in text[at..].split_inclusive('\n') {
        let (start, depth) = match open {
            Some(open) if !line.starts_with('{') => open,
            _ if line.trim_start().starts_with('{') => (at, Depth::default()),
            _ => {
                at += line.len();
                continue;
            }
        };
        at += line.len();
        let depth = depth.after(line);
        open = (!depth.is_closed()).then_some((start, depth));
        if open.is_none() {
            let value = text[start..at].trim().trim_end_matches(',');
            parts.extend(tape.append(value).map(|part| (value, part)));
        }
        if parts.len() == LINES {
            return (parts, false);
        }
    }
    let rest = open.map(|(start, _)| &text[start..]).filter(|rest| rest.trim().contains('\n'));
    let is_open =
        rest.is_some_and(|rest| tape.append(rest).is_err_and(|fault| is_beginning(rest, fault)));
    (parts, is_open)
}

/// Whether a text begins with the bracket of an array that goes on over lines, and then an object.
fn opens_array(text: &str) -> bool {
    let text = text.trim_start();
    let is_list = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    is_list && text.lines().next().is_some_and(|line| !Depth::default().after(line).is_closed())
}

fn docs<'t>(parts: &[(&'t str, Part)], tape: &'t Tape) -> Vec<Doc<'t>> {
    parts.iter().map(|(text, part)| Doc::of_part(text, tape, *part, Origin::START)).collect()
}

fn is_filled_object(node: Node<'_>) -> bool {
    node.is_object() && !node.is_empty()
}

/// Whether an array is a recording rather than a batch: nobody sends `initialize` and what follows
/// in one array, nor the objects of a recorder.
fn is_list(array: Node<'_>) -> bool {
    /// Nobody has seen so many messages in one array on the wire.
    const MANY: usize = 3;
    let first = array.elements().find(|element| is_filled_object(*element));
    let is_stripped = || array.elements().all(|element| element.get("jsonrpc").is_none());
    array.len() > 1
        && first.is_some_and(|first| {
            !is_message_like(first)
                || first.get("method").is_some_and(|method| method.is("initialize"))
                || array.len() >= MANY
                || is_stripped()
        })
}

/// The format that a file is most likely in, the first of the likeliest, and how likely.
fn find(
    beginning: &Beginning<'_>,
    chosen: Option<&'static Format>,
) -> (Likelihood, &'static Format) {
    if let Some(chosen) = chosen {
        let is_certain = !chosen.read.is_of_values();
        return (if is_certain { Likelihood::Sure } else { Likelihood::Possible }, chosen);
    }
    let mut best = (Likelihood::No, transcript::PLAIN);
    for format in FORMATS.iter().copied() {
        let likelihood = (format.detect)(beginning);
        if likelihood > best.0 {
            best = (likelihood, format);
        }
        if likelihood == Likelihood::Sure {
            break;
        }
    }
    best
}

/// The messages that records hold as text of some kind.
struct Inner {
    /// By record; `None` where it holds none.
    texts: Vec<Option<(String, Part)>>,
    tape: Tape,
}

impl Inner {
    fn of(records: &[(&str, Record<'_>)]) -> Self {
        let mut tape = Tape::default();
        let texts = records
            .iter()
            .map(|(source, record)| {
                let text = record.body.decoded(source)?.text;
                let part = tape.append(&text).ok()?;
                Some((text.into_owned(), part))
            })
            .collect();
        Self { texts, tape }
    }

    fn docs(&self) -> Vec<Option<Doc<'_>>> {
        self.texts
            .iter()
            .map(|inner| {
                let (text, part) = inner.as_ref()?;
                Some(Doc::of_part(text, &self.tape, *part, Origin::START))
            })
            .collect()
    }
}

/// The messages of the records.
fn messages<'t>(
    records: &'t [(&str, Record<'t>)],
    inner: &'t [Option<Doc<'t>>],
) -> Vec<(Node<'t>, &'t Record<'t>)> {
    records
        .iter()
        .zip(inner)
        .filter_map(|((_, record), inner)| match (&record.body, inner) {
            (Body::Message(node), _) => Some((*node, record)),
            (_, Some(inner)) => Some((inner.root(), record)),
            (_, None) => None,
        })
        .collect()
}

impl Copies {
    fn of(messages: &[(Node<'_>, Option<Side>)]) -> Self {
        /// Fewer pairs can be a fault of the peers.
        const ENOUGH: usize = 3;
        let (mut pairs, mut crossing) = (0, 0);
        // Messages with an id, and requests of the client, each with how many stand twice.
        let (mut ids, mut requests) = ([0, 0], [0, 0]);
        let mut position = 0;
        while let Some(&(message, from)) = messages.get(position) {
            let next = messages.get(position + 1);
            let copy = next.filter(|(next, _)| next.raw() == message.raw());
            let is_paired = usize::from(copy.is_some());
            pairs += is_paired;
            if let Some((_, Some(back))) = copy
                && from.is_some_and(|from| from != *back)
            {
                crossing += 1;
            }
            if message.get("id").is_some() {
                ids[0] += 1;
                ids[1] += is_paired;
                if method_sender(message) == Some(Side::Client) {
                    requests[0] += 1;
                    requests[1] += is_paired;
                }
            }
            position += 1 + is_paired;
        }
        let most = |[all, paired]: [usize; 2]| paired * 2 > all;
        if crossing > 0 {
            Self::Echoed
        } else if pairs >= ENOUGH && pairs * 4 > messages.len() && most(ids) {
            Self::Merged
        } else if requests[1] > 1 && most(requests) {
            Self::Echoed
        } else {
            Self::None
        }
    }
}

/// The side whose messages alone are there: all methods are its own, and its requests find no
/// answer.
fn only_side(messages: &[(Node<'_>, Option<Side>)]) -> Option<Side> {
    /// Fewer messages can be an excerpt of what both say.
    const ENOUGH: usize = 3;
    /// So many responses to what is not there are more than those whose requests came before the
    /// recording.
    const STRAY: usize = 2;
    if messages.iter().any(|(_, said)| said.is_some()) {
        return None;
    }
    let mut senders = messages.iter().filter_map(|(node, _)| method_sender(*node));
    let side = senders.next()?;
    if senders.any(|sender| sender != side) {
        return None;
    }
    // Made only where they are asked.
    let schemas = LazyCell::new(|| {
        [Version::V1, Version::V2].map(|version| Schemas::of(version, None, Edition::CURRENT))
    });
    let mut asked: Map<&str, Cow<'_, str>> = Map::default();
    // Responses whose shape is the side's own, those to what is not there, and those that the other
    // side may have sent, well or not.
    let (mut certain, mut stray, mut answered, mut misfits) = (0, 0, 0, 0);
    let mut knows = false;
    for (message, _) in messages {
        let Some(id) = message.get("id") else { continue };
        if let Some(method) = message.get("method").and_then(Node::text) {
            // It names a session that no answer on record has told it.
            knows |= certain + stray + answered + misfits == 0
                && message.path(&["params", "sessionId"]).is_some()
                && asked.values().any(|method| method == "session/new");
            asked.insert(id.raw(), method.as_cow());
            continue;
        }
        let result = message.get("result");
        match result.and_then(apparent::likely_answering_side) {
            Some(by) if by == side => certain += 1,
            Some(_) => return None,
            None => match asked.remove(id.raw()) {
                None => stray += 1,
                Some(method) => {
                    let fits = |result| {
                        schemas.iter().any(|all| all.fits(&method, result) >= Fit::Perhaps)
                    };
                    *(if result.is_none_or(fits) { &mut answered } else { &mut misfits }) += 1;
                }
            },
        }
    }
    let begins = messages.first().is_some_and(|(first, _)| {
        first.get("method").is_some_and(|method| method.is("initialize"))
    });
    let is_told = knows
        || certain > 1
        || certain == 1 && begins
        || stray >= STRAY && stray > answered + misfits
        || answered + misfits == 0 && certain + stray + asked.len() >= ENOUGH;
    is_told.then_some(side)
}

/// The side that has sent a message, as its method or answer tells.
fn likely_sender(message: Node<'_>) -> Option<Side> {
    method_sender(message).or_else(|| apparent::likely_answering_side(message.get("result")?))
}

/// The side whose messages all stand before those of the other, when they cannot have been sent in
/// this order: recordings of both sides that were put into one file, one behind the other.
fn first_side(messages: &[(Node<'_>, Option<Side>)]) -> Option<Side> {
    /// Fewer messages of a side can be an exchange.
    const ENOUGH: usize = 3;
    if messages.iter().any(|(_, said)| said.is_some()) {
        return None;
    }
    let known: Vec<(usize, Side)> = messages
        .iter()
        .enumerate()
        .filter_map(|(at, (message, _))| Some((at, likely_sender(*message)?)))
        .collect();
    let side = known.first()?.1;
    let count = known.iter().take_while(|(_, by)| *by == side).count();
    let (first, second) = known.split_at(count);
    let is_parted = second.iter().all(|(_, by)| *by != side);
    if !is_parted || first.len() < ENOUGH || second.len() < ENOUGH {
        return None;
    }
    let first = messages[..second.first()?.0].iter().map(|(message, _)| *message);
    let is_method =
        |message: &Node<'_>, name| message.get("method").is_some_and(|own| own.is(name));
    let is_impossible = match side {
        // It names a session that only an answer further on tells it.
        Side::Client => {
            let mut rest = first.skip_while(|message| !is_method(message, "session/new")).skip(1);
            let tells = |message: Node<'_>| message.path(&["result", "sessionId"]).is_some();
            rest.any(|message| is_method(&message, "session/prompt"))
                && second.iter().any(|(at, _)| tells(messages[*at].0))
        }
        // It answers what is asked further on.
        Side::Agent => {
            let mut first = first;
            let opens = |(at, _): &(usize, Side)| is_method(&messages[*at].0, "initialize");
            first.any(|message| message.path(&["result", "protocolVersion"]).is_some())
                && second.iter().any(opens)
        }
    };
    is_impossible.then_some(side)
}

/// Whether no message has the member `jsonrpc`.
fn strips_jsonrpc(messages: &[(Node<'_>, Option<Side>)]) -> bool {
    let mut calls = messages.iter().map(|(node, _)| *node).filter(|node| is_message_like(*node));
    let has_any = calls.clone().next().is_some();
    has_any && calls.all(|message| message.get("jsonrpc").is_none())
}

/// The members that JSON-RPC does not define and that every message has.
fn added(messages: &[(Node<'_>, Option<Side>)]) -> Vec<Box<str>> {
    let mut calls = messages.iter().map(|(node, _)| *node).filter(|node| is_message_like(*node));
    let Some(first) = calls.next() else { return Vec::new() };
    if Envelope::of(first).foreign.is_none() || calls.clone().next().is_none() {
        return Vec::new();
    }
    first
        .members()
        .filter_map(|(name, _)| name.text())
        .map(Text::as_cow)
        .filter(|name| !Envelope::MEMBERS.contains(&&**name))
        .filter(|name| calls.clone().all(|message| message.get(name).is_some()))
        .map(Into::into)
        .collect()
}

fn notes(labels: &Labels, copies: Copies) -> Vec<String> {
    let labels = labels.contradict_themselves().then_some(
        "the recording labels nearly every message with the side that received it; the labels \
         are read the other way round",
    );
    let copies = match copies {
        Copies::None => None,
        Copies::Merged => Some(
            "most messages stand twice in a row, as when two recordings of one connection are \
             merged; of each pair one is read",
        ),
        Copies::Echoed => Some(
            "messages come back from the side that they were sent to, as from an agent behind a \
             terminal that echoes; the copies are not read",
        ),
    };
    labels.into_iter().chain(copies).map(str::to_owned).collect()
}

/// Whether labels contradict methods so often that it is the recorder's fault, not the peers'.
fn mislabels(messages: &[(Node<'_>, Option<Side>)]) -> bool {
    /// Fewer are a fault of the peers.
    const ENOUGH: usize = 3;
    let known = messages.iter().filter_map(|(node, said)| Some((method_sender(*node)?, (*said)?)));
    let (wrong, right): (Vec<_>, Vec<_>) = known.partition(|(side, said)| side != said);
    wrong.len() >= ENOUGH && wrong.len() * 10 > right.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEAD: &str = concat!(
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}"#,
        "\n",
    );
    const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"TEXT"}}}}"#;

    /// Whether the short way is taken, which tells the same as the long one.
    fn is_plain(bytes: &[u8]) -> bool {
        let text = String::from_utf8_lossy(bytes);
        let any = Sample::of_any(bytes, &text, true, None);
        let mut kit = Kit::default();
        let plain = Sample::of_plain(bytes, &mut kit);
        match &plain {
            Some(plain) => assert_eq!(format!("{plain:?}"), format!("{any:?}"), "{text}"),
            None => assert!(kit.ahead.parts.is_empty(), "{text}"),
        }
        plain.is_some()
    }

    #[test]
    fn the_first_messages_tell_what_all_do() {
        let chunk = |text: &str| CHUNK.replace("TEXT", text);
        let long: String = (0..500).map(|number| chunk(&number.to_string()) + "\n").collect();
        for rest in [
            String::new(),
            chunk("one") + "\n" + &chunk("two"),
            chunk("one") + "\r\n\n" + &chunk("two") + " \t\n",
            // The answer is without a result.
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{}}"#.to_owned(),
            // Twice in a row, but without an id.
            chunk("one") + "\n" + &chunk("one") + "\n" + &chunk("one"),
            chunk("<REDACTED>"),
            chunk("REDACTED, [x] and ***"),
            chunk("[1]"),
            chunk("the directory").replace("sessionId", "directory"),
            chunk("one") + "\n" + r#"{"jsonrpc":"2.0","id""#,
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":{},"trace":1}"#.to_owned(),
            long.clone() + &chunk("<masked>"),
            long,
        ] {
            assert!(is_plain(format!("{HEAD}{rest}").as_bytes()), "{rest}");
        }
    }

    proptest! {
        /// Whichever messages stand at the beginning, in whichever order.
        #[test]
        fn what_the_first_messages_settle_is_what_all_tell(
            lines in prop::collection::vec(0..13_usize, 0..24),
            begins in any::<bool>(),
            broken in any::<Option<prop::sample::Index>>(),
        ) {
            const CALL: &str = r#"{"jsonrpc":"2.0","id":ID,"method":"session/prompt","params":{}}"#;
            const MESSAGES: [&str; 13] = [
                CHUNK,
                r#"{"jsonrpc":"2.0","method":"x/y","params":{"text":"<masked>"}}"#,
                CALL,
                r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}"#,
                r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"method":"fs/read_text_file","params":{"path":"/"}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"method":null,"result":{"content":""}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"method":"x/y","result":{"content":""}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{"stopReason":"end_turn"}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#,
                r#"{"jsonrpc":"2.0","result":{"sessionId":"s"}}"#,
                r#"{"jsonrpc":"2.0","method":"session/cancel","params":{}}"#,
                r#"{"jsonrpc":"2.0","id":ID,"error":{"code":1,"message":""}}"#,
            ];
            let text = lines.iter().enumerate().map(|(number, line)| {
                MESSAGES[*line].replace("ID", &(number % 3).to_string()) + "\n"
            });
            let head = if begins { HEAD } else { "" };
            let mut bytes = format!("{head}{}", text.collect::<String>()).into_bytes();
            if let Some(broken) = broken.filter(|_| !bytes.is_empty()) {
                *broken.get_mut(&mut bytes) = 0xff;
            }
            is_plain(&bytes);
        }
    }

    #[test]
    fn copies_are_lines_that_stand_twice_and_have_an_id() {
        let with_id = |text: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x/{text}"}}"#);
        let without = |text: &str| CHUNK.replace("TEXT", text);
        // Nothing that a sketch is made of tells these apart.
        let (one, other) = (with_id("a_b") + &" ".repeat(300), with_id("a-b") + &" ".repeat(300));
        assert_eq!(sketch(one.as_bytes()), sketch(other.as_bytes()));
        for (lines, expected) in [
            (vec![], false),
            (vec!["{}".to_owned(), "{}".to_owned()], false),
            (vec![with_id("a"), with_id("b"), with_id("c")], false),
            (vec![with_id("a"), with_id("b"), with_id("a")], true),
            (vec![without("a"), without("b"), without("a")], false),
            (vec![without("a"), with_id("b"), without("a"), with_id("b")], true),
            (vec![one.clone(), other.clone()], false),
            (vec![one.clone(), other, one], true),
        ] {
            let parts: Vec<&[u8]> = lines.iter().map(String::as_bytes).collect();
            assert_eq!(has_copies(parts.iter().copied()), expected, "{lines:?}");
        }
    }

    #[test]
    fn signs_are_found_wherever_they_stand() {
        let (other_format, brackets) = (true, true);
        let other = Signs { other_format, ..Signs::default() };
        let bracket = Signs { brackets, ..Signs::default() };
        for (sign, expected) in [
            (r#""acpx"#, other),
            (r#""acpx/1"#, other),
            (r#""dir""#, other),
            (r#""direction""#, other),
            (r#""<"#, bracket),
            (r#""["#, bracket),
            (r#""\u"#, bracket),
            (r#""\n<["#, Signs::default()),
            (r#""directory" "acp" "agent" "data" dir" direction" acpx"#, Signs::default()),
        ] {
            for before in 0..40 {
                for behind in [0, 1, 2, 15, 16, 40] {
                    let text = format!("{}{sign}{}", "x".repeat(before), "x".repeat(behind));
                    assert_eq!(Signs::of(text.as_bytes()), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn the_long_way_is_taken_where_there_may_be_more_to_it() {
        let lines: Vec<&str> = HEAD.lines().collect();
        let merged: String = lines.iter().map(|line| format!("{line}\n{line}\n")).collect();
        for text in [
            "",
            CHUNK,
            lines[0],
            &lines[..2].join("\n"),
            &merged,
            &format!("{HEAD}{merged}"),
            &format!("{HEAD} {CHUNK}"),
            &format!("{HEAD}[{CHUNK}]"),
            &format!("{HEAD}```\n{CHUNK}\n```"),
            &format!("{}\n{HEAD}", r#"{"schema":"acpx.event.v1"}"#),
            &HEAD.replace(r#""2.0""#, r#""2.0","direction":"out""#),
            &HEAD.replace(r#""2.0""#, r#""2.0","trace":1"#),
            &HEAD.replace(r#""result":{"protocolVersion":1}"#, r#""result":{}"#),
            &HEAD.replacen('}', "", 1),
            &format!("{HEAD}{}", r#"{"jsonrpc":"2.0","error":{"data":{"acpxCode":1}}}"#),
        ] {
            assert!(!is_plain(text.as_bytes()), "{text}");
        }
    }
}
