//! Decides by the beginning of a file in which format it is, and how its lines belong together.
//!
//! Each format says how likely a beginning is its own. What holds for all messages of the file is
//! told in [`file_traits`](super::file_traits).

use crate::{
    json::{Doc, Node, Part, Tape},
    source::Origin,
    transcript::{
        self, Beginning, Body, Fidelity, Format, Likelihood, Read, Record,
        choose::{choose, contested},
        file_traits::FileTraits,
        joiner::Joiner,
        multiline::{Depth, array_head, is_beginning},
        text::{BYTE_ORDER_MARK, is_message_like, lsp_header},
    },
};

/// How many messages at the beginning of a file are examined to recognize the format and the
/// recorder's habits, such as labels of senders. Later messages do not change these.
const MESSAGES: usize = 400;

/// What the beginning of a file shows: its format, how messages are spread over lines, and the
/// recorder's habits.
#[derive(Debug)]
pub(super) struct Detected {
    pub(super) format: &'static Format,
    pub(super) grouping: Grouping,
    pub(super) traits: FileTraits,
}

/// How the texts of messages are spread over the lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    /// Each message is on one line of the file.
    Lines,
    /// Each message on several lines throughout, because the recorder prints so. The peers are not
    /// to blame.
    Pretty,
    /// All messages are in one JSON array, which is the whole file.
    List,
}

impl Detected {
    /// Examines the beginning of a file. `is_whole` says that `bytes` are the whole file; `chosen`
    /// is the format if the user has named it.
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
            let is_spread =
                unread > 1 && (filled == 0 || filled == 1 && opens_array(text) && ends_array(text));
            let found = find(&Beginning { bytes, text, values: &values }, chosen);
            is_guess = chosen.is_none() && found.0 < Likelihood::Sure;
            let is_open = found.0 < Likelihood::Sure || filled == 1 && found.1.read.is_of_values();
            if is_open && is_spread { None } else { Some(found.1) }
        };
        if found.is_none() {
            tape.clear();
            let (spread, is_open, headed) = values(text, &mut tape);
            if spread.is_empty() && !is_open {
                (parts, _) = lines(text, &mut tape);
            } else if chosen.is_none() && spread.len() > 1 && headed * 2 > spread.len() {
                // Lines of a log stand between the messages.
                found = Some(transcript::LOG);
                parts = spread;
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
            roots = only.elements().take(MESSAGES).collect();
            grouping = Grouping::List;
            found = None;
        }
        let format =
            found.unwrap_or_else(|| find(&Beginning { bytes, text, values: &roots }, chosen).1);
        let texts = match format.read {
            Read::Joined(_) => Joiner::texts(text),
            _ => Vec::new(),
        };
        let mut holders: Vec<Node<'_>> = Vec::new();
        let records: Vec<(&str, Record<'_>)> = match format.read {
            Read::Joined(read) => texts
                .iter()
                .map(|text| (text.as_str(), read(text)))
                .filter(|(_, record)| {
                    !matches!(record.body, Body::Nothing | Body::Start(_) | Body::Scenario(_))
                })
                .take(MESSAGES)
                .collect(),
            Read::Lines(read) => text
                .lines()
                .map(|line| (line, read(line)))
                .filter(|(_, record)| {
                    !matches!(record.body, Body::Nothing | Body::Start(_) | Body::Scenario(_))
                })
                .take(MESSAGES)
                .collect(),
            read => roots
                .iter()
                .filter(|root| is_filled_object(**root) || root.is_array())
                .filter_map(|root| {
                    let record = read.record(*root)?;
                    holders.push(*root);
                    Some(("", record))
                })
                .take(MESSAGES)
                .collect(),
        };
        let is_bare = records.iter().any(|(_, record)| is_bare(format, record));
        let is_recorded = format.fidelity == Fidelity::Recorded;
        let is_raw = is_recorded || grouping == Grouping::Lines && is_bare;
        let mut traits = FileTraits::of(format, &records, &holders).with_lines_kept(is_raw, format);
        if chosen.is_none() {
            let beginning = Beginning { bytes, text, values: &roots };
            traits.recording.contested = contested(format, &beginning);
        }
        Self { format, grouping, traits }
    }
}

/// Whether a record is a line as it was sent, with nothing else around it.
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

/// The lines that are JSON texts, and the number of lines that are not.
fn lines<'t>(text: &'t str, tape: &mut Tape) -> (Vec<(&'t str, Part)>, usize) {
    let mut parts = Vec::new();
    let mut unread = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
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

/// The JSON objects that are spread over several lines; whether the text ends in the middle of one;
/// and how many stand right behind other text.
fn values<'t>(text: &'t str, tape: &mut Tape) -> (Vec<(&'t str, Part)>, bool, usize) {
    let mut parts = Vec::new();
    let (mut headed, mut is_behind_text) = (0, false);
    let mut open: Option<(usize, Depth)> = None;
    let mut at = text.split_inclusive('\n').next().and_then(array_head).unwrap_or(0);
    let text = text.trim_end();
    let text = text.strip_suffix(']').filter(|_| opens_array(text)).unwrap_or(text);
    for line in text[at..].split_inclusive('\n') {
        let (start, depth) = match open {
            Some(open) if !line.starts_with('{') => open,
            _ if line.trim_start().starts_with('{') => {
                headed += usize::from(std::mem::take(&mut is_behind_text));
                (at, Depth::default())
            }
            _ => {
                is_behind_text |= line.contains(char::is_alphanumeric);
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
    }
    let rest = open.map(|(start, _)| &text[start..]).filter(|rest| rest.trim().contains('\n'));
    let is_open =
        rest.is_some_and(|rest| tape.append(rest).is_err_and(|fault| is_beginning(rest, fault)));
    (parts, is_open, headed)
}

/// Whether a text begins with an array of objects that goes on over several lines.
fn opens_array(text: &str) -> bool {
    let text = text.trim_start();
    let is_list = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    is_list && text.lines().next().is_some_and(|line| !Depth::default().after(line).is_closed())
}

/// Whether the last line of a text is by itself JSON, such as the last element of an array.
fn ends_array(text: &str) -> bool {
    let text = text.trim_end();
    let last = text.strip_suffix(']').unwrap_or(text).trim_end().lines().next_back();
    last.is_some_and(|line| Tape::default().parse(line).is_ok())
}

fn docs<'t>(parts: &[(&'t str, Part)], tape: &'t Tape) -> Vec<Doc<'t>> {
    parts.iter().map(|(text, part)| Doc::of_part(text, tape, *part, Origin::START)).collect()
}

fn is_filled_object(node: Node<'_>) -> bool {
    node.is_object() && !node.is_empty()
}

/// Whether an array is a recording rather than a batch of the protocol: no peer sends `initialize`
/// with further messages, or objects of a recorder.
fn is_list(array: Node<'_>) -> bool {
    /// Least number of messages in an array for which the array counts as a recording.
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

/// The format of a file, as the user chose it or the most likely one, and how likely it is.
fn find(
    beginning: &Beginning<'_>,
    chosen: Option<&'static Format>,
) -> (Likelihood, &'static Format) {
    let Some(chosen) = chosen else { return choose(beginning) };
    let is_certain = !chosen.read.is_of_values();
    (if is_certain { Likelihood::Sure } else { Likelihood::Possible }, chosen)
}
