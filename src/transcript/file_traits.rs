//! Tells from some messages of a file what holds for all: what labels mean, which messages are
//! copies, what the recorder leaves out.

use crate::{
    json::{Doc, Node, Part, Tape, Text},
    protocol::{ENVELOPE_MEMBERS, Side},
    source::Origin,
    transcript::{
        self, Body, Fidelity, Format, Read, Record, RecordingTraits, SenderLabel, apparent,
        copies::Copies,
        doubled::{self, Doubling},
        foreign,
        labels::{Labels, method_sender},
        lanes::{self, Frame, LaneLabel},
        limits::{Limit, MASKED},
        message_labels, mixed,
        one_sided::{first_side, only_side},
        pieces::{self, Pieces, Source},
        redaction,
        text::is_message_like,
    },
};

/// Most records at the beginning of a file that are searched for names of connections.
const LANES: usize = 400;

/// What the first messages of a file show about the recorder, for reading and judging all messages.
#[derive(Debug)]
pub(super) struct FileTraits {
    /// What checks need to know about the recorder; passed on with `Passage::Traits`.
    pub(super) recording: RecordingTraits,
    /// The meaning of the recorder's labels of senders, such as `out`.
    pub(super) labels: Labels,
    pub(super) copies: Copies,
    /// Whether the recorder writes messages twice: index 0 for those of the client, 1 for those of
    /// the agent.
    pub(super) doubled: [Doubling; 2],
    /// Where a record holds the name of the connection that its message belongs to, when recorder
    /// and file hold several connections. `None` when the format itself says it, or no name was
    /// found.
    pub(super) lane: Option<LaneLabel>,
    /// Name of the connection whose messages are repeated under another name, and so are left out;
    /// `None` where there is none.
    pub(super) repeated_lane: Option<&'static str>,
    /// The limit of recordings that mix several connections without naming them; `None` for others.
    mixed: Option<Limit>,
    /// Whether labels of senders contradict methods so often that the recorder is at fault. Methods
    /// then decide who sent a message.
    pub(super) mislabels: bool,
    /// Whether strings in the records have line breaks between messages, since the recorder writes
    /// what it received at once, not line by line.
    pub(super) has_breaks: bool,
    /// Labels that records with messages have. A record with another label, or none, is a note of
    /// the logger. `None` when all records are messages.
    message_labels: Option<Vec<Box<str>>>,
    /// Name of another protocol, such as MCP, whose messages the file has instead of ACP's; `None`
    /// for ACP.
    pub(super) protocol: Option<&'static str>,
    /// Further remarks about the recording: sentences without a full stop.
    pub(super) notes: Vec<String>,
}

impl FileTraits {
    /// Examines the first records of a file, each with the text that was read. `holders` are the
    /// JSON texts that they were read from; empty where records are not lines of JSON.
    pub(super) fn of(
        format: &'static Format,
        records: &[(&str, Record<'_>)],
        holders: &[Node<'_>],
    ) -> Self {
        let inner = Inner::of(records);
        let inner_docs = inner.docs();
        let all = messages(records, &inner_docs);
        let frame_of = |index: usize, record: &Record<'_>| {
            Frame::of(&record.body, records.get(index)?.0, holders.get(index).copied())
        };
        let mut labelled: Vec<_> = all.iter().map(|(_, node, record)| (*node, *record)).collect();
        let message_labels =
            if format.is(transcript::LOG) { message_labels::of(&labelled) } else { None };
        labelled.retain(|(_, record)| {
            has_message_label(message_labels.as_deref(), record.label.as_ref())
        });
        // What a terminal echoes bears the label of the other side.
        let is_copy = |(index, (node, _)): &(usize, &(Node<'_>, &Record<'_>))| {
            index.checked_sub(1).is_some_and(|before| labelled[before].0.raw() == node.raw())
        };
        let other_hops = labelled.iter().enumerate().filter(|entry| !is_copy(entry));
        let labels = Labels::calibrate(
            other_hops.filter_map(|(_, (node, record))| Some((*node, record.label.clone()?))),
        );
        let lanes = lane_names(labelled.iter().filter_map(|(_, record)| record.lane.as_deref()));
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
        let is_bare =
            format.fidelity == Fidelity::Recorded || matches!(format.read, Read::Messages { .. });
        // What the recorder writes around messages, if it writes any.
        let framed: Vec<_> = if is_bare || !lanes.is_empty() {
            Vec::new()
        } else {
            let framed = all.iter();
            framed.filter_map(|(at, node, own)| Some((*node, frame_of(*at, own)?))).collect()
        };
        let lane = (framed.len() == all.len()).then(|| lanes::find(&framed)).flatten();
        let is_one = lanes.is_empty() && lane.is_none();
        let copies = if is_one { Copies::of(&messages) } else { Copies::None };
        let doubled = if is_one && copies == Copies::None && message_labels.is_none() && !is_bare {
            let side = |record: &Record<'_>| labels.side(record.label.as_ref()?);
            let sent = all.iter().map(|(at, node, own)| (*node, side(own), frame_of(*at, own)));
            let keeps_wire = format.fidelity == Fidelity::Wire;
            doubled::sides(&sent.collect::<Vec<_>>())
                .map(|it| if keeps_wire && it == Doubling::BySpaces { Doubling::None } else { it })
        } else {
            <[Doubling; 2]>::default()
        };
        // Nothing there is the recorder's, and who says nothing has said nothing.
        let is_recorded = format.fidelity == Fidelity::Recorded;
        let mut adds = if is_recorded { Vec::new() } else { added(&messages) };
        if let Fidelity::Adding(names) = format.fidelity {
            adds.extend(names.iter().map(|name| Box::from(*name)));
        }
        let only = only_side(&messages).or_else(|| Some((first_side(&messages)?, false)));
        let (only, is_only_doubtful) = match only {
            Some((side, is_doubtful)) if !is_recorded => (Some(side), is_doubtful),
            _ => (None, false),
        };
        // What records each line as it crossed the wire masks nothing.
        let is_masked = !is_recorded && messages.iter().any(|(node, _)| redaction::is_in(*node));
        let masks = format.fidelity == Fidelity::Masked || is_masked;
        let protocol = foreign::protocol(messages.iter().map(|(node, _)| *node));
        let copies = if is_recorded { Copies::None } else { copies };
        let names = lanes.iter().filter(|name| Some(**name) != repeated_lane).count();
        // Who writes bare lines writes what one connection is made of.
        let is_one = names < 2 && lane.is_none() && copies == Copies::None && !is_bare;
        let mixed = is_one.then(|| mixed::limit(&messages)).flatten();
        let mislabelled = mislabelled(&messages).filter(|_| !is_recorded && copies == Copies::None);
        Self {
            message_labels,
            protocol,
            has_breaks: inner.has_breaks,
            copies,
            doubled,
            lane,
            repeated_lane,
            mixed,
            mislabels: mislabelled.is_some(),
            recording: RecordingTraits {
                apparent: Some(apparent::version(&messages.iter().map(|(node, _)| *node))),
                scatters: format.scatters(&lanes),
                strips_jsonrpc: !is_recorded && strips_jsonrpc(&messages),
                adds,
                is_raw: false,
                is_bare: matches!(format.read, Read::Messages { .. }),
                masks,
                is_masked,
                is_mixed: mixed.is_some(),
                extent: format.extent(),
                no_answers_of: format.lacks_answers_of().or(only.map(Side::peer)),
                only,
                is_only_doubtful,
                mislabelled: mislabelled.unwrap_or(0),
                contested: 0,
                limits: Vec::new(),
            },
            notes: notes(&labels, copies, doubled),
            labels,
        }
    }

    /// Whether a record with this label is a message; labels of notes, such as `info`, were found
    /// at the beginning of the file.
    pub(super) fn has_message_label(&self, label: Option<&SenderLabel<'_>>) -> bool {
        has_message_label(self.message_labels.as_deref(), label)
    }

    /// Adds whether lines are kept as they were sent, and the limits that follow from this and from
    /// the format.
    pub(super) fn with_lines_kept(mut self, is_raw: bool, format: &'static Format) -> Self {
        let recording = &mut self.recording;
        recording.is_raw = is_raw;
        let masked = recording.masks && format.fidelity != Fidelity::Masked;
        let only = recording.only.map(Limit::only);
        let limits = only.into_iter().chain(self.mixed).chain(masked.then_some(MASKED));
        recording.limits = limits.chain(format.limits(is_raw).copied()).collect();
        self
    }
}

/// The different names of connections among the first records, in order.
fn lane_names<'t>(names: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut lanes = Vec::new();
    for lane in names.take(LANES) {
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    lanes
}

fn has_message_label(message_labels: Option<&[Box<str>]>, label: Option<&SenderLabel<'_>>) -> bool {
    message_labels.is_none_or(|words| match label {
        Some(SenderLabel::Word(word)) => words.iter().any(|own| **own == **word),
        Some(SenderLabel::Side(_)) => true,
        None => false,
    })
}

/// Messages that records hold as text inside a string, decoded and parsed.
#[derive(Default)]
struct Inner {
    /// Decoded texts of the records that hold a message in a string. Each comes with the index of
    /// its record, and with its tokens (a part of `tape`).
    texts: Vec<(usize, String, Part)>,
    tape: Tape,
    has_breaks: bool,
}

impl Inner {
    fn of(records: &[(&str, Record<'_>)]) -> Self {
        let is_string = |body: &Body<'_>| matches!(body, Body::Escaped(_) | Body::Base64(_));
        let has_breaks = records.iter().any(|(source, record)| {
            let decoded = is_string(&record.body).then(|| record.body.decoded(source)).flatten();
            decoded.is_some_and(|decoded| pieces::breaks_lines(&decoded.text))
        });
        let mut inner = Self { has_breaks, ..Self::default() };
        let mut pieces = Pieces::default();
        for (index, (source, record)) in records.iter().enumerate() {
            let Some(decoded) = record.body.decoded(source) else { continue };
            if has_breaks && is_string(&record.body) {
                let of = Source { lane: record.lane.as_deref(), label: record.label.as_ref() };
                pieces.take(&decoded.text, Origin::START, of, &mut |text, _, _| {
                    inner.add(index, text);
                });
            } else {
                inner.add(index, &decoded.text);
            }
        }
        inner
    }

    fn add(&mut self, index: usize, text: &str) {
        if let Ok(part) = self.tape.append(text) {
            self.texts.push((index, text.to_owned(), part));
        }
    }

    fn docs(&self) -> Vec<(usize, Doc<'_>)> {
        self.texts
            .iter()
            .map(|(index, text, part)| {
                (*index, Doc::of_part(text, &self.tape, *part, Origin::START))
            })
            .collect()
    }
}

/// All messages of the records, each with its record and the index of the record.
fn messages<'t>(
    records: &'t [(&str, Record<'t>)],
    inner: &'t [(usize, Doc<'t>)],
) -> Vec<(usize, Node<'t>, &'t Record<'t>)> {
    let mut messages = Vec::new();
    let mut rest = inner;
    for (index, (_, record)) in records.iter().enumerate() {
        let count = rest.iter().take_while(|(own, _)| *own == index).count();
        let (own, behind) = rest.split_at(count);
        rest = behind;
        if let Body::Message(node) = &record.body {
            messages.push((index, *node, record));
        }
        messages.extend(own.iter().map(|(_, doc)| (index, doc.root(), record)));
    }
    messages
}

/// Whether no message has the member `jsonrpc`, because the recorder leaves it out.
fn strips_jsonrpc(messages: &[(Node<'_>, Option<Side>)]) -> bool {
    let mut calls = messages.iter().map(|(node, _)| *node).filter(|node| is_message_like(*node));
    let has_any = calls.clone().next().is_some();
    has_any && calls.all(|message| message.get("jsonrpc").is_none())
}

/// Names of members that every message has although JSON-RPC does not define them, because the
/// recorder adds them.
fn added(messages: &[(Node<'_>, Option<Side>)]) -> Vec<Box<str>> {
    let mut calls = messages.iter().map(|(node, _)| *node).filter(|node| is_message_like(*node));
    let Some(first) = calls.next() else { return Vec::new() };
    if calls.clone().next().is_none() {
        return Vec::new();
    }
    first
        .members()
        .filter_map(|(name, _)| name.text())
        .map(Text::as_cow)
        .filter(|name| !ENVELOPE_MEMBERS.contains(&&**name))
        .filter(|name| calls.clone().all(|message| message.get(name).is_some()))
        .map(Into::into)
        .collect()
}

fn notes(labels: &Labels, copies: Copies, doubled: [Doubling; 2]) -> Vec<String> {
    let labels = labels.contradict_themselves().then_some(
        "nearly every message is labelled with the side that received it; acpcheck reads the \
         labels the other way round",
    );
    let copies = match copies {
        Copies::None => None,
        Copies::Merged => Some(
            "most messages are recorded twice in a row, as in two merged recordings of one \
             connection; acpcheck reads one of each pair",
        ),
        Copies::Echoed => Some(
            "the side that received a message sends it back, as a terminal does that shows its \
             input; acpcheck ignores these copies",
        ),
    };
    let doubled = match doubled.map(|it| it == Doubling::ByFrames) {
        [false, false] => None,
        [true, false] => {
            Some("most messages of the client are recorded twice; acpcheck reads one of each pair")
        }
        [false, true] => {
            Some("most messages of the agent are recorded twice; acpcheck reads one of each pair")
        }
        [true, true] => Some("most messages are recorded twice; acpcheck reads one of each pair"),
    };
    labels.into_iter().chain(copies).chain(doubled).map(str::to_owned).collect()
}

/// The number of messages whose sender label contradicts their method, if that shows a fault of the
/// recorder; `None` when the labels can be trusted. Counts only labels that may be right all the
/// same.
fn mislabelled(messages: &[(Node<'_>, Option<Side>)]) -> Option<u64> {
    /// Least number of contradictions between labels and methods that show a fault of the recorder.
    const ENOUGH: usize = 3;
    let known = messages.iter().filter_map(|(node, said)| Some((method_sender(*node)?, (*said)?)));
    let (wrong, right): (Vec<_>, Vec<_>) = known.partition(|(side, said)| side != said);
    let is_doubtful = |(side, _): &&(Side, Side)| right.iter().any(|(own, _)| own == side);
    (wrong.len() >= ENOUGH && wrong.len() * 10 > right.len())
        .then(|| wrong.iter().filter(is_doubtful).count() as u64)
}
