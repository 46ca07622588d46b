//! Chooses a file's format by the messages in its beginning, so that no other line decides it.
//!
//! Agents print whatever they like, and a recording of their output has all of it. So a format is
//! judged by the messages that it reads. Messages that stand on lines of their own are what crossed
//! the wire: no recorder writes such lines beside its own. They count against every format that does
//! not explain why they stand there, as the code blocks of Markdown do.

use std::ops::Range;

use crate::{
    json::{Doc, Node, Tape},
    map::{IndexSet, Set},
    source::Origin,
    transcript::{
        self, Beginning, Body, FORMATS, Format, Likelihood, Read, Record,
        joiner::Joiner,
        multiline::is_beginning,
        text::{is_bare_message, lsp_header},
        wrapper::looks_like_message,
    },
};

/// Names of formats in which each line is a message without anything of the recorder around it.
const OF_BARE_LINES: [&str; 3] = ["acpx-journal", "inline-direction", "ndjson"];

/// Messages that were found by reading a file's beginning in one way, to compare formats.
#[derive(Debug, Default)]
struct Evidence {
    /// The different messages that were found, as written in the file.
    messages: IndexSet<Box<str>>,
    /// Number of requests for which an answer was found.
    pairs: usize,
    /// Ids of requests without an answer so far, as written in the file.
    open: Set<Box<str>>,
    /// Number of messages of other protocols, such as MCP.
    foreign: usize,
}

impl Evidence {
    fn add(&mut self, message: Node<'_>) {
        if !self.messages.insert(message.raw().into()) {
            return;
        }
        let Some(id) = message.get("id").map(Node::raw) else { return };
        if message.get("method").is_some() {
            self.open.insert(id.into());
        } else if self.open.remove(id) {
            self.pairs += 1;
        }
    }

    fn count(&self) -> usize {
        self.messages.len() + self.foreign
    }
}

/// The most likely format of a file with this beginning, and how likely it is.
pub(super) fn choose(beginning: &Beginning<'_>) -> (Likelihood, &'static Format) {
    let bare = bare_lines(beginning);
    let is_mostly_bare = bare.len() * 2 > beginning.lines().count() && !beginning.is_fenced();
    let found = if is_mostly_bare { None } else { find_wrapped(beginning, &bare) };
    match found {
        Some((likelihood, format)) => (likelihood, format),
        None if bare.is_empty() => (Likelihood::No, transcript::PLAIN),
        None => (Likelihood::Sure, find_bare(beginning)),
    }
}

/// The format of a file whose lines are messages without anything of a recorder around them.
fn find_bare(beginning: &Beginning<'_>) -> &'static Format {
    let is_own = |format: &&&'static Format| {
        OF_BARE_LINES.contains(&format.name) && (format.detect)(beginning) == Likelihood::Sure
    };
    let found = FORMATS.iter().find(is_own).copied().unwrap_or(transcript::PLAIN);
    // Nobody but acpx writes to its journal, and it writes no other lines.
    let is_foreign = found.name == "acpx-journal" && beginning.text.lines().any(is_noise);
    if is_foreign { transcript::PLAIN } else { found }
}

/// The best of the formats in which a recorder writes something around messages. `None` where each
/// of them explains fewer messages than the number that stand bare on their lines, or as many.
fn find_wrapped(
    beginning: &Beginning<'_>,
    bare: &[(usize, Node<'_>)],
) -> Option<(Likelihood, &'static Format)> {
    let has_bare = !bare.is_empty();
    let lines = beginning.lines().count();
    let mut best: Option<(Likelihood, &'static Format, usize)> = None;
    for format in FORMATS.iter().copied() {
        if has_bare && OF_BARE_LINES.contains(&format.name) {
            continue;
        }
        let likelihood = (format.detect)(beginning);
        if likelihood == Likelihood::No {
            continue;
        }
        let count = match format.read {
            Read::Document(_) if !is_document(beginning.text) => {
                if has_bare {
                    continue;
                }
                0
            }
            // What is one JSON text throughout holds no lines of anybody else.
            Read::Document(_) if likelihood == Likelihood::Sure => {
                return Some((likelihood, format));
            }
            Read::Document(_) => 1,
            Read::Refused(_) | Read::Messages { .. } if has_bare => continue,
            read => {
                let (evidence, unexplained) = evidence(read, beginning, bare);
                if !stands_against(&evidence, &unexplained, read) {
                    continue;
                }
                evidence.count()
            }
        };
        let is_better = match best {
            None => true,
            Some((own, _, most)) if likelihood > own => count * 2 >= most,
            Some((_, _, most)) => count > most * 2,
        };
        if is_better {
            best = Some((likelihood, format, count));
        }
        // No other reads more than twice as many messages.
        if best.is_some_and(|(own, _, most)| own == Likelihood::Sure && most * 2 >= lines) {
            break;
        }
    }
    best.map(|(likelihood, format, _)| (likelihood, format))
}

/// Number of messages that the format `format` does not find but another one does, if requests with
/// answers are among them: two programs wrote into one log. 0 otherwise.
pub(super) fn contested(format: &'static Format, beginning: &Beginning<'_>) -> u64 {
    if OF_BARE_LINES.contains(&format.name) || matches!(format.read, Read::Document(_)) {
        return 0;
    }
    let is_log = |read: Read| {
        matches!(read, Read::Values(_) | Read::Lines(_) | Read::Joined(_) | Read::Text(_))
    };
    let (own, _) = evidence(format.read, beginning, &[]);
    if own.messages.is_empty() {
        return 0;
    }
    // What the format reads from a value, it may write otherwise than others.
    let is_unread = |value: &Node<'_>| {
        let record = if let Read::Values(read) = format.read { Some(read(*value)) } else { None };
        record.is_none_or(|record| matches!(record.body, Body::Nothing))
    };
    let values: Vec<Node<'_>> = beginning.values.iter().copied().filter(is_unread).collect();
    let unread = Beginning { values: &values, ..*beginning };
    let own: Set<String> = own.messages.iter().map(|message| without_spaces(message)).collect();
    let others = FORMATS.iter().filter(|other| {
        !OF_BARE_LINES.contains(&other.name)
            && other.name != format.name
            && is_log(other.read)
            && (other.detect)(beginning) != Likelihood::No
    });
    let rest = others.map(|other| {
        let (evidence, _) = evidence(other.read, &unread, &[]);
        let (mut rest, mut tape) = (Evidence::default(), Tape::default());
        for message in &evidence.messages {
            if !own.contains(&without_spaces(message)) && tape.parse(message).is_ok() {
                rest.add(Doc::new(message, &tape, Origin::START).root());
            }
        }
        if rest.pairs > 0 { rest.messages.len() } else { 0 }
    });
    rest.max().unwrap_or(0) as u64
}

/// Text of a message without spaces that printers add, to compare copies.
fn without_spaces(message: &str) -> String {
    message.chars().filter(|character| !character.is_whitespace()).collect()
}

/// Whether a format may read a file that also has bare messages (lines without a record around
/// them). `evidence` is what the format finds, `bare` what it leaves out.
fn stands_against(evidence: &Evidence, bare: &Evidence, read: Read) -> bool {
    /// Least number of bare messages (lines without a record around them) that make a file a
    /// recording of those.
    const ENOUGH: usize = 3;
    if bare.count() == 0 {
        return true;
    }
    // In what a program writes as JSON, nobody else writes a line: an exchange on bare lines was on
    // the wire. Into a log of text others may write.
    let is_exchange =
        if read.is_of_values() { bare.pairs > 0 } else { bare.pairs > evidence.pairs };
    let is_one_sided = evidence.pairs == 0 && bare.pairs == 0 && bare.count() >= ENOUGH;
    !is_exchange && !is_one_sided && evidence.count() > bare.count()
}

/// The messages of a file that have a line to themselves, each with the byte offset of its line.
fn bare_lines<'s>(beginning: &Beginning<'s>) -> Vec<(usize, Node<'s>)> {
    let start = beginning.text.as_ptr().addr();
    let range = start..=start + beginning.text.len();
    let values = beginning.values.iter().copied().filter(|value| is_bare_message(*value));
    values
        .map(|value| {
            // The text of a value is a part of the file's.
            let at = value.doc().text().as_ptr().addr();
            (if range.contains(&at) { at - start } else { 0 }, value)
        })
        .collect()
}

/// The messages that a format finds in the file, and the messages on lines of their own that the
/// format does not explain.
fn evidence(
    read: Read,
    beginning: &Beginning<'_>,
    bare: &[(usize, Node<'_>)],
) -> (Evidence, Evidence) {
    let (mut evidence, mut unexplained) = (Evidence::default(), Evidence::default());
    let mut explained: Vec<usize> = Vec::new();
    let text = beginning.text;
    match read {
        Read::Values(read) => {
            for value in beginning.values {
                let record = read(*value);
                let is_itself =
                    matches!(&record.body, Body::Message(node) if node.range() == value.range());
                if !(is_itself && is_bare_message(*value)) {
                    add(&mut evidence, &record, value.doc().text());
                }
            }
        }
        Read::Lines(read) => {
            let mut at = 0;
            for line in text.split_inclusive('\n') {
                if bare.binary_search_by_key(&at, |(start, _)| *start).is_err() {
                    add(&mut evidence, &read(line.trim_end_matches(['\r', '\n'])), line);
                }
                at += line.len();
            }
        }
        Read::Joined(read) => {
            let is_fenced = beginning.is_fenced();
            for text in Joiner::texts(text) {
                let record = read(&text);
                let is_whole = matches!(&record.body, Body::Text(range) if range.start == 0);
                if is_fenced || !is_whole {
                    add(&mut evidence, &record, &text);
                }
            }
            if is_fenced {
                return (evidence, unexplained);
            }
        }
        Read::Text(read) => {
            let mut records = Vec::new();
            read(text, &mut records);
            for record in &records {
                if let Body::Text(Range { start, .. }) = record.body {
                    explained.push(start);
                }
                add(&mut evidence, record, text);
            }
        }
        Read::Messages { .. } | Read::Document(_) | Read::Refused(_) => {}
    }
    for (at, message) in bare {
        if explained.binary_search(at).is_err() {
            unexplained.add(*message);
        }
    }
    (evidence, unexplained)
}

/// Adds the message of a record to the evidence, if the record has one.
fn add(evidence: &mut Evidence, record: &Record<'_>, source: &str) {
    match &record.body {
        Body::Message(node) if looks_like_message(*node) => evidence.add(*node),
        Body::Foreign(_) => evidence.foreign += 1,
        body => {
            let Some(decoded) = body.decoded(source) else { return };
            let mut tape = Tape::default();
            if tape.parse(&decoded.text).is_err() {
                return;
            }
            let doc = Doc::new(&decoded.text, &tape, Origin::START);
            if looks_like_message(doc.root()) {
                evidence.add(doc.root());
            }
        }
    }
}

/// Whether a text is JSON, or the beginning of JSON.
fn is_document(text: &str) -> bool {
    let mut tape = Tape::default();
    tape.parse(text).map_or_else(|fault| is_beginning(text, fault), |()| true)
}

/// Whether a line is neither JSON nor the beginning of JSON, such as a log line.
fn is_noise(line: &str) -> bool {
    if line.trim().is_empty() || lsp_header(line).is_some() {
        return false;
    }
    Tape::default().parse(line).is_err_and(|fault| !is_beginning(line, fault))
}
