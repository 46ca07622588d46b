//! Rewrites a recording: every string that users may have written becomes a placeholder.
//!
//! Bytes go in and come out, with a list of the strings that were replaced. All other bytes stay.

use std::{borrow::Cow, ops::Range};

use serde_json::json;

use super::placeholder::{Fallback, Placeholders, shape, shape_of};
use crate::{
    json::{Doc, Node, Tape, Text},
    map::{IndexMap, Map, Set},
    protocol::Side,
    source::Origin,
    transcript::{Flaw, FlawKind, Format, MADE_UP_SESSION, Passage, Reader, looks_like_message},
    vocabulary::is_word,
};

/// The two ways in which a recording is rewritten; the second is tried where the first changes
/// findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The recording keeps its form (lines of JSON, or one JSON text); only strings in it change.
    InPlace,
    /// Each message is written on a new line with its sender and time, so that the recorder's own
    /// format is lost.
    Messages,
}

/// How a string is treated that cannot become a placeholder because a finding would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Treatment {
    /// Letters and digits of the string are replaced; length and punctuation stay.
    Shape,
    Keep,
}

/// How each string is treated that does not become a placeholder.
pub(super) type Treatments = Map<Box<str>, Treatment>;

/// A recording in which strings are replaced, and where its lines and strings came from.
#[derive(Debug, Default)]
pub(super) struct Rewritten {
    pub(super) bytes: Vec<u8>,
    /// The strings that should be replaced, each with its first place. Those with
    /// [`Treatment::Keep`] are among them although they stay.
    pub(super) replaced: IndexMap<Box<str>, StringPlace>,
    pub(super) lines: Lines,
}

/// Where the lines of a recording stand after it was rewritten.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Pairs of a line of the recording and the new line that it became, both ascending. Empty when
    /// all lines stay where they were.
    moved: Vec<(u32, u32)>,
}

impl Lines {
    /// The new line that a line of the recording has become.
    pub fn new_line(&self, line: u32) -> u32 {
        let behind = self.moved.partition_point(|(own, _)| *own <= line);
        self.moved[..behind].last().map_or(line, |(_, new)| *new)
    }
}

/// The place of a string in a recording, to show users where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringPlace {
    pub line: u32,
    /// JSON Pointer to the string in the JSON text on its line.
    pub pointer: String,
}

/// One of the ways in which a recording is rewritten.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) form: Form,
    /// Whether what is said is replaced letter by letter, see [`speech`](super::speech).
    pub(super) by_letters: bool,
}

/// How a recording is rewritten: in which way, from which format, and what its strings become.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner<'a> {
    pub(super) way: Way,
    /// The format of the recording; `None` when it is detected.
    pub(super) format: Option<&'static Format>,
    pub(super) treatments: &'a Treatments,
}

/// Rewrites a recording in the given manner. Strings that have no placeholder yet get one, which is
/// added to `placeholders`.
pub(super) fn rewrite(
    recording: &[u8],
    manner: Manner<'_>,
    placeholders: &mut Placeholders,
) -> Rewritten {
    if !manner.way.by_letters {
        return Rewriter::new(placeholders, manner, Said::Nothing).run(recording, manner).out;
    }
    let chunks = Said::Heard(Vec::new());
    let heard = Rewriter::new(placeholders, manner, chunks).run(recording, manner).said;
    let spoken = match heard {
        Said::Heard(chunks) => spoken(chunks, placeholders),
        said => said,
    };
    Rewriter::new(placeholders, manner, spoken).run(recording, manner).out
}

/// One text of what is said in a session, in the order of the recording.
#[derive(Debug)]
struct Chunk {
    of: Speaker,
    text: Box<str>,
}

/// Whose text a message has, to join the chunks of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Speaker {
    session: Box<str>,
    /// The kind of the session update, or the method of the prompt.
    kind: Box<str>,
    message: Option<Box<str>>,
    /// How many reports of tool calls stand before it. They end a message.
    calls: u64,
}

/// What is known of the texts that are said in the recording.
#[derive(Debug)]
enum Said {
    /// They are replaced as other texts are.
    Nothing,
    /// The texts so far.
    Heard(Vec<Chunk>),
    /// Their placeholders that are still to be written, the next one last.
    Spoken(Vec<Box<str>>),
}

/// Finds the placeholders of texts by the messages that they are chunks of: texts of one session that
/// the same side says with nothing but thoughts between them.
fn spoken(chunks: Vec<Chunk>, placeholders: &mut Placeholders) -> Said {
    let mut open: IndexMap<(Box<str>, bool), (Speaker, Vec<usize>)> = IndexMap::default();
    let mut spoken: Vec<Box<str>> = chunks.iter().map(|chunk| chunk.text.clone()).collect();
    let mut say = |indices: &[usize]| {
        let texts: Vec<Box<str>> = indices.iter().map(|index| spoken[*index].clone()).collect();
        for (index, new) in indices.iter().zip(placeholders.say(&texts)) {
            spoken[*index] = new;
        }
    };
    for (index, Chunk { of, .. }) in chunks.into_iter().enumerate() {
        let key = (of.session.clone(), of.kind.contains("thought"));
        let (own, indices) = open.entry(key).or_insert_with(|| (of.clone(), Vec::new()));
        if *own != of {
            say(indices);
            indices.clear();
            *own = of;
        }
        indices.push(index);
    }
    for (_, indices) in open.values() {
        say(indices);
    }
    spoken.reverse();
    Said::Spoken(spoken)
}

/// Whose text a message of the protocol has; `None` for messages that are no texts.
fn speaker(message: Node<'_>) -> Option<Speaker> {
    let params = message.get("params")?;
    let text = |node: Node<'_>| node.text().map(Text::to_boxed);
    let session = params.get("sessionId").and_then(text).unwrap_or_default();
    if message.get("method").is_some_and(|method| method.is("session/prompt")) {
        // Two prompts are two messages.
        let id = message.get("id").map(|id| id.raw().into());
        return Some(Speaker { session, kind: "session/prompt".into(), message: id, calls: 0 });
    }
    let update = params.get("update")?;
    let kind = update.get("sessionUpdate").and_then(text)?;
    Some(Speaker { session, kind, message: update.get("messageId").and_then(text), calls: 0 })
}

/// What surrounds a value in the recording, which decides which of its strings are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    /// What the recorder wrote beside the messages of the protocol.
    Recorder,
    Message,
    /// The contents of `_meta`. Programs write the names of members there, so they are kept.
    Extension,
    /// The contents of `properties`, the fields of a form. Users write the names of members there,
    /// so they are replaced.
    FormFields,
    /// The schema of one field of a form. Its numbers are replaced.
    FormField,
    /// Values in a message that the protocol does not define: data of errors, params of extensions,
    /// unknown members. No value of a member is kept there.
    Foreign,
    /// The contents of `rawInput`, `env` and the like, which tools and processes get. Users write
    /// everything there.
    Free,
}

/// A value of a message or of a recorder's line that is still to be rewritten.
struct Place<'t> {
    node: Node<'t>,
    region: Region,
    /// The name of the member that has the value, or that has the list with the value.
    name: Cow<'t, str>,
    /// The name of the member around the member `name`.
    parent: Cow<'t, str>,
}

/// Names of members in which recorders write a time.
const TIMES: [&str; 10] =
    ["ts", "at", "timestamp", "t_utc", "t_ms", "t", "time", "recordedAt", "ts_ms", "at_ms"];
/// Words by which recorders mark directions and kinds of lines; they are kept.
const RECORDER_WORDS: [&str; 55] = [
    "acp",
    "c2a",
    "a2c",
    "client",
    "agent",
    "editor",
    "server",
    "proxy",
    "client->agent",
    "agent->client",
    "client_to_agent",
    "agent_to_client",
    "clientToAgent",
    "agentToClient",
    "to_agent",
    "from_agent",
    "toAgent",
    "fromAgent",
    "to_client",
    "from_client",
    "toClient",
    "fromClient",
    "in",
    "out",
    "inbound",
    "outbound",
    "incoming",
    "outgoing",
    "send",
    "recv",
    "sent",
    "received",
    "receive",
    "read",
    "write",
    "→",
    "←",
    ">>>",
    "<<<",
    "->",
    "<-",
    "stdin",
    "stdout",
    "stderr",
    "request",
    "response",
    "notification",
    "update",
    "wire",
    "message",
    "start",
    "eof",
    "reader-gone",
    "IN",
    "OUT",
];
/// Names of members whose values say what kind of thing an object is; such values are kept when
/// they look like names in programs.
const DISCRIMINATORS: [&str; 16] = [
    "type",
    "kind",
    "status",
    "category",
    "currency",
    "role",
    "priority",
    "stopReason",
    "outcome",
    "sessionUpdate",
    "level",
    "action",
    "mode",
    "state",
    "event",
    "format",
];
/// Media types that are kept as they are; others become placeholders.
const MIME_TYPES: [&str; 18] = [
    "text/plain",
    "text/markdown",
    "text/html",
    "text/css",
    "text/csv",
    "text/xml",
    "text/javascript",
    "text/x-python",
    "text/x-rust",
    "application/json",
    "application/pdf",
    "application/octet-stream",
    "application/xml",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/wav",
];

/// Members of acpcheck's own records whose values are words of acpcheck.
const OWN_MEMBERS: [&str; 9] =
    ["format", "tool", "run", "scenario", "plays", "ends", "event", "name", "state"];

struct Rewriter<'a> {
    placeholders: &'a mut Placeholders,
    treatments: &'a Treatments,
    /// Names of commands that the agent has announced. A prompt that begins with one keeps it.
    commands: Set<Box<str>>,
    /// Whether the recording is one of `acpcheck record`, `drive` or `play`, whose first line says so.
    is_acpchecks: bool,
    /// Who speaks in the message that is rewritten now; `None` when it has no texts.
    speaker: Option<Speaker>,
    /// How many reports of tool calls were read so far.
    calls: u64,
    said: Said,
    /// The line of the recording that is rewritten now, counted from 1.
    line: u32,
    out: Rewritten,
}

impl<'a> Rewriter<'a> {
    fn new(placeholders: &'a mut Placeholders, manner: Manner<'a>, said: Said) -> Self {
        Self {
            placeholders,
            treatments: manner.treatments,
            commands: Set::default(),
            is_acpchecks: false,
            speaker: None,
            calls: 0,
            said,
            line: 1,
            out: Rewritten::default(),
        }
    }

    fn run(mut self, recording: &[u8], manner: Manner<'_>) -> Self {
        match manner.way.form {
            Form::InPlace => self.in_place(recording),
            Form::Messages => self.messages(recording, manner.format),
        }
        self
    }

    fn in_place(&mut self, recording: &[u8]) {
        let text = str::from_utf8(recording).ok();
        let is_one = |text: &&str| {
            let first = text.trim_start().lines().next().unwrap_or_default();
            Tape::new().parse(first).is_err() && Tape::new().parse(text).is_ok()
        };
        if let Some(new) = text.filter(is_one).and_then(|text| self.json(text, Region::Recorder)) {
            self.out.bytes = new.into_bytes();
            return;
        }
        let mut lines = recording.split(|byte| *byte == b'\n').peekable();
        while let Some(line) = lines.next() {
            let new = self.line(line);
            self.out.bytes.extend_from_slice(&new);
            if lines.peek().is_some() {
                self.out.bytes.push(b'\n');
            }
            self.line = self.line.saturating_add(1);
        }
    }

    fn line(&mut self, line: &[u8]) -> Vec<u8> {
        let json = str::from_utf8(line).ok().and_then(|text| self.json(text, Region::Recorder));
        json.map_or_else(|| masked(line), String::into_bytes)
    }

    /// Rewrites the recording with each message on a line by itself, at its old line number if
    /// there is room. A message without time, sender and connection gets no record around it.
    fn messages(&mut self, recording: &[u8], format: Option<&'static Format>) {
        let mut lane: Option<String> = None;
        let mut next = 1_u32;
        let mut is_bare = true;
        let mut reader = Reader::new(format);
        let mut on = |passage: Passage<'_>| {
            let (line, record, end) = match passage {
                Passage::Connection(name) => {
                    lane = name.map(|name| self.placeholders.of(name, Fallback::Id("id")).into());
                    return;
                }
                Passage::Message(message) => {
                    self.line = message.node.span().line;
                    let text = message.node.raw();
                    let Some(new) = self.json(text, Region::Message) else { return };
                    let at = message.at.map(|at| self.moved(at));
                    let members = members_before(at, message.sender, lane.as_deref());
                    is_bare = members.is_empty();
                    let new = new.replace(['\n', '\r'], " ");
                    let record = if is_bare { new } else { format!("{{{members}\"msg\":{new}}}") };
                    (self.line, record, "\n")
                }
                Passage::Flaw(flaw) => {
                    let from = usize::try_from(flaw.span.start).unwrap_or(usize::MAX);
                    let to = usize::try_from(flaw.span.end()).unwrap_or(usize::MAX);
                    let bytes = masked(recording.get(from..to).unwrap_or_default());
                    let (record, end) = flawed(flaw, &bytes, is_bare);
                    (flaw.span.line, record, end)
                }
                _ => return,
            };
            while next < line {
                self.out.bytes.push(b'\n');
                next += 1;
            }
            self.out.lines.moved.push((line, next));
            self.out.bytes.extend_from_slice(record.as_bytes());
            self.out.bytes.extend_from_slice(end.as_bytes());
            next += u32::from(!end.is_empty());
        };
        reader.feed(recording, &mut on);
        reader.finish(&mut on);
        self.out.lines.moved.sort_unstable();
        self.out.lines.moved.dedup_by_key(|(line, _)| *line);
    }

    /// A time of the recorder in seconds, moved as time stamps are and rounded to microseconds.
    fn moved(&mut self, at: f64) -> f64 {
        #[expect(clippy::cast_possible_truncation, reason = "a time has fewer digits")]
        let whole = at.floor() as i64;
        let moved = self.placeholders.moved_seconds(whole, 1).unwrap_or(whole);
        #[expect(clippy::cast_precision_loss, reason = "a time has fewer digits")]
        let moved = moved as f64 + at - at.floor();
        (moved * 1e6).round() / 1e6
    }

    /// Rewrites a JSON text. `None` when the text is not JSON.
    fn json(&mut self, text: &str, region: Region) -> Option<String> {
        let mut tape = Tape::new();
        tape.parse(text).ok()?;
        let doc = Doc::new(text, &tape, Origin::START);
        let mut new = String::with_capacity(text.len());
        let mut done = 0;
        for (range, by) in self.replacements(doc.root(), region) {
            new += &text[done..range.start];
            new += &by;
            done = range.end;
        }
        Some(new + &text[done..])
    }

    /// The ranges of a JSON text that change, in bytes and ascending, each with its new JSON text.
    fn replacements(&mut self, root: Node<'_>, region: Region) -> Vec<(Range<usize>, String)> {
        let mut found = Vec::new();
        if region == Region::Message {
            self.hear(root);
        }
        let root = Place { node: root, region, name: Cow::Borrowed(""), parent: Cow::Borrowed("") };
        // As deep as they are nested, values would end the stack.
        let mut waiting = vec![root];
        while let Some(mut place) = waiting.pop() {
            let node = place.node;
            if place.region == Region::Recorder && looks_like_message(node) {
                place.region = Region::Message;
                self.hear(node);
                (place.name, place.parent) = (Cow::Borrowed(""), Cow::Borrowed(""));
            }
            if let Some(text) = node.text() {
                let text = text.as_cow();
                if let Some(new) = self.string(&place, &text) {
                    self.replace(node, &text, &new, &mut found);
                }
            } else if node.is_number()
                && let Some(new) = self.number(&place)
            {
                if matches!(place.region, Region::Free | Region::FormField) {
                    self.replace(node, node.raw(), &new, &mut found);
                } else {
                    found.push((node.range(), new));
                }
            }
            let behind = waiting.len();
            for element in node.elements() {
                let (name, parent) = (place.name.clone(), place.parent.clone());
                waiting.push(Place { node: element, region: place.region, name, parent });
            }
            let is_recorders = place.region == Region::Recorder;
            self.is_acpchecks |= is_recorders
                && self.line == 1
                && node.get("format").is_some_and(|format| format.is("acpcheck-record"));
            let is_own = is_recorders && self.is_acpchecks;
            for (name, value) in node.written_members() {
                let name_text = name.text().map(Text::as_cow).unwrap_or_default();
                if !keeps_name(place.region, &name_text) {
                    let new = self.placeholders.of(&name_text, Fallback::Key);
                    self.replace(name, &name_text, &new, &mut found);
                }
                let keeps_value = is_own
                    && OWN_MEMBERS.contains(&&*name_text)
                    && value.text().is_some_and(|text| is_own_text(&text.as_cow()));
                if keeps_value {
                    continue;
                }
                let region = region_of(&place, &name_text, value);
                let parent = place.name.clone();
                waiting.push(Place { node: value, region, name: name_text, parent });
            }
            waiting[behind..].reverse();
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    }

    /// Notes that a string or number `text` becomes `new`, or what its [`Treatment`] demands, and
    /// remembers its first place. Does nothing when the two are equal.
    fn replace(
        &mut self,
        node: Node<'_>,
        text: &str,
        new: &str,
        found: &mut Vec<(Range<usize>, String)>,
    ) {
        if new == text {
            return;
        }
        let written = match self.treatments.get(text) {
            None if node.is_number() => new.to_owned(),
            None => json!(new).to_string(),
            Some(Treatment::Shape) => match node.text() {
                Some(text) => format!("\"{}\"", shape(text.raw_inner())),
                // No number begins with a 0 that another digit follows.
                None => node.raw().replace(|it: char| it.is_ascii_digit(), "1"),
            },
            Some(Treatment::Keep) => node.raw().to_owned(),
        };
        if !self.out.replaced.contains_key(text) {
            let place = StringPlace { line: self.line, pointer: node.pointer() };
            self.out.replaced.insert(text.into(), place);
        }
        found.push((node.range(), written));
    }

    /// The new JSON text of a number; `None` when it stays. Times of a recorder move, and numbers
    /// in free values become 0.
    fn number(&mut self, place: &Place<'_>) -> Option<String> {
        /// The number above which a time is taken for milliseconds instead of seconds.
        const MILLISECONDS: i64 = 100_000_000_000;
        let raw = place.node.raw();
        match place.region {
            Region::Free | Region::FormField => Some("0".to_owned()),
            Region::Recorder if TIMES.contains(&&*place.name) => {
                let (whole, fraction) = raw.split_at(raw.find('.').unwrap_or(raw.len()));
                let whole: i64 = whole.parse().ok()?;
                let is_in_milliseconds = place.name.ends_with("_ms") || whole > MILLISECONDS;
                let unit = if is_in_milliseconds { 1000 } else { 1 };
                let moved = self.placeholders.moved_seconds(whole, unit)?;
                Some(format!("{moved}{fraction}"))
            }
            _ => None,
        }
    }

    /// The new text of a string; `None` when the string stays as it is.
    fn string(&mut self, place: &Place<'_>, text: &str) -> Option<String> {
        let Place { region, ref name, ref parent, .. } = *place;
        let name: &str = name;
        if region == Region::Message
            && name == "text"
            && matches!(&**parent, "prompt" | "content")
            && self.speaker.as_ref().is_some_and(|of| is_said(&of.kind))
            && self.command(text).is_none()
            && let Some(new) = self.spoken(text)
        {
            return Some(new);
        }
        if is_word(text) || text.trim().is_empty() || is_made_up(text) {
            return None;
        }
        if region == Region::Recorder {
            if RECORDER_WORDS.contains(&text) {
                return None;
            }
            if text.trim_start().starts_with(['{', '['])
                && let Some(new) = self.json(text, region)
            {
                return Some(new);
            }
            if name == "base64" {
                return Some(base64(text));
            }
            if name == "text" {
                return Some(String::from_utf8_lossy(&masked(text.as_bytes())).into_owned());
            }
        }
        let is_named = matches!(region, Region::Message | Region::Recorder | Region::FormField);
        if is_named && is_kept(name, parent, text) {
            if name == "name" {
                self.commands.insert(text.into());
            }
            return None;
        }
        if is_named && name == "method" {
            return (!is_program_name(text)).then(|| shape(text));
        }
        if is_named && name == "jsonrpc" {
            return Some(shape(text));
        }
        if matches!(name, "data" | "blob") && is_base64(text) {
            return Some(base64(text));
        }
        if let Some(command) = self.command(text) {
            let (head, rest) = text.split_at(1 + command.len());
            return Some(format!("{head}{}", self.placeholders.of(rest, Fallback::Text)));
        }
        let fallback = match name {
            "mimeType" if MIME_TYPES.contains(&text) => return None,
            "mimeType" => Fallback::MimeType,
            "sessionId" => Fallback::Id("session"),
            "toolCallId" => Fallback::Id("tool"),
            "messageId" => Fallback::Id("message"),
            "terminalId" => Fallback::Id("terminal"),
            name if name == "id" || name.ends_with("Id") || name.ends_with("_id") => {
                Fallback::Id("id")
            }
            _ => Fallback::Text,
        };
        // A replay may show as one text what was another.
        if fallback == Fallback::Text
            && matches!(self.said, Said::Spoken(_))
            && let Some(new) = self.placeholders.say_text(text)
        {
            return Some(new.into());
        }
        Some(self.placeholders.of(text, fallback).into())
    }

    /// Notes who speaks in a message.
    fn hear(&mut self, message: Node<'_>) {
        self.speaker = speaker(message).map(|of| {
            self.calls += u64::from(of.kind.starts_with("tool_call"));
            Speaker { calls: self.calls, ..of }
        });
    }

    /// The announced command that a text begins with.
    fn command<'t>(&self, text: &'t str) -> Option<&'t str> {
        let command = text.strip_prefix('/').and_then(|rest| rest.split_whitespace().next());
        command.filter(|command| self.commands.contains(*command))
    }

    /// The placeholder of what is said. `None` when that is replaced as other texts are.
    fn spoken(&mut self, text: &str) -> Option<String> {
        match (&mut self.said, &self.speaker) {
            (Said::Spoken(spoken), _) => spoken.pop().map(String::from),
            (Said::Heard(chunks), Some(of)) => {
                chunks.push(Chunk { of: of.clone(), text: text.into() });
                None
            }
            _ => None,
        }
    }
}

/// Whether an update of this kind, or a call of this method, is something that is said.
fn is_said(kind: &str) -> bool {
    kind == "session/prompt" || kind.contains("_message") || kind.contains("_thought")
}

/// The members before the message in a line of `acpcheck record`: time, sender and connection, each
/// with a comma behind it. Empty when all are `None`.
pub(crate) fn members_before(at: Option<f64>, sender: Option<Side>, lane: Option<&str>) -> String {
    let mut members = String::new();
    if let Some(at) = at {
        members += &format!("\"t\":{at},");
    }
    if let Some(side) = sender {
        members += &format!("\"dir\":\"{}\",", side.direction());
    }
    if let Some(lane) = lane {
        members += &format!("\"connection\":{},", json!(lane));
    }
    members
}

/// The line that stands for text which is not a message, and its line ending. `bytes` is the masked
/// text; `is_bare` says that the recording has messages without a record around them.
fn flawed(flaw: &Flaw, bytes: &[u8], is_bare: bool) -> (String, &'static str) {
    let text = String::from_utf8_lossy(bytes);
    let line = text.replace(['\n', '\r'], " ");
    match flaw.kind {
        FlawKind::ByteOrderMark => (line, ""),
        // The last line of a message, which has become the only one.
        FlawKind::CutTail => (format!("{{{}", line.trim_start_matches('{')), ""),
        _ if is_bare && flaw.sender.is_none() => (line, "\n"),
        _ => {
            let mut record = json!({ "text": text });
            if let Some(side) = flaw.sender {
                record["dir"] = side.direction().into();
            }
            (record.to_string(), "\n")
        }
    }
}

/// What surrounds the value of the member `name` of `object`, by which strings are kept or
/// replaced.
fn region_of(object: &Place<'_>, name: &str, value: Node<'_>) -> Region {
    match (object.region, name) {
        // The arguments are those of a tool on an MCP server.
        (Region::Free, _)
        | (_, "rawInput" | "rawOutput" | "env" | "headers")
        | (Region::Message | Region::Foreign, "arguments") => Region::Free,
        // The answer to an elicitation.
        (Region::Message, "content")
            if object.name == "result"
                && value.is_object()
                && (object.node.get("action").is_some() || value.get("type").is_none()) =>
        {
            Region::Free
        }
        (Region::Message | Region::FormField, "properties") => Region::FormFields,
        (_, "_meta") => Region::Extension,
        (Region::FormFields, _) => Region::FormField,
        (Region::Message, "data") if object.name == "error" => Region::Foreign,
        (Region::Message, "params") if object.name == "params" => Region::Foreign,
        (Region::Message, "params") if object.name.is_empty() => {
            let method = object.node.get("method").and_then(Node::text);
            let is_known = method.is_none_or(|method| is_word(&method.as_cow()));
            if is_known { Region::Message } else { Region::Foreign }
        }
        // Implementations introduce themselves in params and results only.
        (Region::Message, "info") if !matches!(&*object.name, "params" | "result") => {
            Region::Foreign
        }
        (Region::Message, name) if !is_word(name) => Region::Foreign,
        (region, _) => region,
    }
}

/// Whether the name of a member stays, by what surrounds it (`region`). Names that do not stay
/// become placeholders.
fn keeps_name(region: Region, name: &str) -> bool {
    match region {
        Region::Free | Region::FormFields => is_word(name),
        Region::Extension => is_word(name) || is_program_name(name),
        Region::Recorder | Region::Message | Region::FormField | Region::Foreign => {
            // Paths and addresses have these.
            let is_simple = || !name.contains(['/', ':', '.']);
            is_word(name) || is_program_name(name) && is_simple()
        }
    }
}

/// Whether the value `text` of a member stays: a word of the agent such as a mode, or the name of a
/// program. `parent` is the name of the member around `name`.
fn is_kept(name: &str, parent: &str, text: &str) -> bool {
    if DISCRIMINATORS.contains(&name) {
        return is_program_name(text) && text.len() <= 40;
    }
    let is_implementation = matches!(parent, "clientInfo" | "agentInfo" | "info")
        && matches!(name, "name" | "title" | "version");
    let is_of_agent = matches!(
        (parent, name),
        (_, "modeId" | "currentModeId" | "configId" | "methodId" | "modelId" | "currentModelId")
            | ("availableModes" | "configOptions" | "authMethods", "id")
            | ("configOptions", "currentValue")
            | ("options" | "params", "value")
            | ("availableCommands" | "commands", "name")
    );
    let is_user_text = text.len() > 100
        || text.starts_with(['/', '~', '\\'])
        || text.contains("://")
        || text.contains('\n')
        || text.split_once('@').is_some_and(|(_, host)| host.contains('.'))
        || is_key_like(text);
    (is_implementation || is_of_agent) && !is_user_text
}

/// Whether a text may contain a key or a token: a long run of letters and digits.
fn is_key_like(text: &str) -> bool {
    text.split(|character: char| !character.is_ascii_alphanumeric()).any(|run| {
        let has = |is: fn(&u8) -> bool| run.bytes().any(|byte| is(&byte));
        run.len() >= 12
            && has(u8::is_ascii_digit)
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
            || run.len() >= 20 && has(u8::is_ascii_digit)
    })
}

/// Whether a name looks like one that programs give to members and methods: short, of ASCII
/// letters, with few digits.
fn is_program_name(name: &str) -> bool {
    /// Most digits in a name that still counts as a word of software, such as `base64` or
    /// `2026-05`.
    const DIGITS: usize = 4;
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./$:".contains(&byte);
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || "_$".contains(first))
        && name.bytes().all(is_inner)
        && name.bytes().filter(u8::is_ascii_digit).count() <= DIGITS
        && !name.contains("://")
        && !is_key_like(name)
}

/// Whether a text may be one that acpcheck writes into its own recordings, such as its name and
/// version, or the number of a run.
fn is_own_text(text: &str) -> bool {
    let is_run = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_run || is_program_name(text) || text.starts_with("acpcheck ") && text.len() < 40
}

/// Whether a text is the id of a session that `acpcheck drive` makes up.
fn is_made_up(text: &str) -> bool {
    text.strip_prefix(MADE_UP_SESSION).is_some_and(|run| {
        run.len() <= 40 && run.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
    })
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/".contains(&byte);
    text.len().is_multiple_of(4) && text.len() - body.len() <= 2 && body.bytes().all(is_digit)
}

/// Replaces the characters of a Base64 text by `A`, so that it stays Base64 of the same length.
fn base64(text: &str) -> String {
    text.chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() || "+/".contains(character) {
                'A'
            } else {
                shape_of(character)
            }
        })
        .collect()
}

/// Headers of the Language Server Protocol, which are kept at the beginning of a line.
const HEADERS: [&str; 2] = ["Content-Length:", "Content-Type:"];

/// Replaces the letters and digits of a line that is not JSON. Words of the protocol in quotation
/// marks, literals and bytes that are not UTF-8 stay.
fn masked(line: &[u8]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(line.len());
    let header = HEADERS.iter().find(|name| line.starts_with(name.as_bytes()));
    if let Some(name) = header {
        masked.extend_from_slice(name.as_bytes());
    }
    let line = &line[masked.len()..];
    for chunk in line.utf8_chunks() {
        let pieces: Vec<_> = chunk.valid().split('"').collect();
        for (at, piece) in pieces.iter().enumerate() {
            if at > 0 {
                masked.push(b'"');
            }
            let is_quoted = at > 0 && at + 1 < pieces.len();
            if is_quoted && is_word(piece.trim_end_matches('\\')) {
                masked.extend_from_slice(piece.as_bytes());
            } else {
                let new = piece.chars().map(shape_of).collect::<String>();
                // A literal, or the beginning of one where the line is cut off.
                let before = piece.trim_end_matches(|it: char| it.is_ascii_alphabetic());
                let literal = &piece[before.len()..];
                let is_literal = before.ends_with([':', ',', '['])
                    && ["true", "false", "null"].iter().any(|own| own.starts_with(literal));
                let kept = if is_literal { literal } else { "" };
                masked.extend_from_slice(&new.as_bytes()[..new.len() - kept.len()]);
                masked.extend_from_slice(kept.as_bytes());
            }
        }
        masked.extend_from_slice(chunk.invalid());
    }
    masked
}
