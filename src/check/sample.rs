//! What the beginning of a file tells of the whole: its format, what its labels mean, and what the
//! recorder has done to the messages.

use std::{borrow::Cow, cell::LazyCell};

use crate::{
    check::{
        limits::Unassessed,
        mask,
        open::{Depth, array_head, is_beginning},
        schemas::Schemas,
    },
    event::Envelope,
    json::{Doc, Node, Part, Tape, Text},
    map::Map,
    model::{Recording, connection::rpc::ResponseFit},
    protocol::{Edition, Side, Version},
    source::Origin,
    transcript::{
        self, Beginning, Body, FORMATS, Fidelity, Format, Likelihood, Read, Record, apparent,
        labels::{Labels, method_sender},
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
    /// `is_whole`: the sample is the file. `chosen`: the format, when it is known.
    pub(super) fn of(bytes: &[u8], is_whole: bool, chosen: Option<&'static Format>) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
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
    /// `records`, each with the text of which its body is a part.
    pub(super) fn of(format: &'static Format, records: &[(&str, Record<'_>)]) -> Self {
        let inner = Inner::of(records);
        let inner_docs = inner.docs();
        let labelled = messages(records, &inner_docs);
        // What a terminal echoes bears the label of the other side.
        let is_copy = |(index, (node, _)): &(usize, &(Node<'_>, &Record<'_>))| {
            index.checked_sub(1).is_some_and(|before| labelled[before].0.raw() == node.raw())
        };
        let other_hops = labelled.iter().enumerate().filter(|entry| !is_copy(entry));
        let labels = Labels::calibrate(
            other_hops.filter_map(|(_, (node, record))| Some((*node, record.label.clone()?))),
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
                        schemas.iter().any(|all| all.fits(&method, result) >= ResponseFit::Perhaps)
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
