//! Files as other tools write them, with any conversation in them.

use std::{fmt::Write as _, time::Duration};

use acpcheck::{json::Tape, protocol::Side, record::Recording};
use serde_json::{Value, json};

/// A line that one side sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) by_client: bool,
    pub(crate) text: String,
}

impl Sent {
    pub(crate) fn new(by_client: bool, message: &Value) -> Self {
        Self { by_client, text: message.to_string() }
    }

    /// The line as JSON.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    /// Whether nothing is lost when the line is read and written again.
    pub(crate) fn is_plain(&self) -> bool {
        serde_json::from_str::<Value>(&self.text)
            .is_ok_and(|value| value.is_object() && value == self.text)
    }

    fn is_update(&self) -> bool {
        self.value()["method"] == "session/update"
    }

    fn word(&self, client: &'static str, agent: &'static str) -> &'static str {
        if self.by_client { client } else { agent }
    }
}

/// What a writer can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carries {
    /// Lines of any kind.
    Lines,
    /// JSON texts as they are.
    Texts,
    /// Messages that are written again.
    Messages,
    /// Session updates.
    Updates,
    /// Calls of the client with what comes of them.
    Calls,
}

/// How the text of a message stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As JSON, or so that quotes and escapes are all that differs.
    Plain,
    /// Inside a JSON string.
    Escaped,
    /// So that it cannot be read.
    Hidden,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    pub(crate) name: &'static str,
    pub(crate) carries: Carries,
    pub(crate) spelling: Spelling,
    /// Whether it tells who sent a message.
    pub(crate) has_labels: bool,
    write: Write,
}

#[derive(Clone, Copy, Debug)]
enum Write {
    /// A line for each message, between other lines.
    Lines {
        head: &'static str,
        /// What the client's messages are labelled with, and the agent's.
        words: [&'static str; 2],
        /// `$word` stands for the label, `$at` for the number of the message, `$message` for its
        /// text, and `$string` for a JSON string with its text.
        line: &'static str,
        tail: &'static str,
    },
    /// An element of a document for each message.
    Elements {
        head: &'static str,
        entry: fn(usize, &Sent) -> Value,
        tail: &'static str,
    },
    Any(fn(&[Sent], &mut File)),
}

/// A file, and where the messages are in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) text: String,
    /// First and last line of each message; `None` for those that are not there.
    pub(crate) lines: Vec<Option<(u32, u32)>>,
}

impl File {
    fn line(&self) -> u32 {
        u32::try_from(self.text.matches('\n').count()).unwrap() + 1
    }

    /// Adds what holds the next message, behind and before something else.
    fn message(&mut self, before: &str, text: &str, behind: &str) {
        self.text += before;
        let first = self.line();
        self.text += text;
        self.lines.push(Some((first, self.line())));
        self.text += behind;
    }

    fn line_of(&mut self, text: &str) {
        self.message("", text, "\n");
    }

    /// The number of the message in this line.
    pub(crate) fn index(&self, line: u32) -> Option<usize> {
        let is_here = |range: &Option<(u32, u32)>| {
            range.is_some_and(|(first, last)| first <= line && line <= last)
        };
        self.lines.iter().position(is_here)
    }
}

impl Writer {
    pub(crate) fn file(&self, sent: &[Sent]) -> File {
        let mut file = File::default();
        match self.write {
            Write::Lines { head, words, line, tail } => {
                file.text += head;
                for (at, sent) in sent.iter().enumerate() {
                    file.line_of(&filled(line, sent.word(words[0], words[1]), at, &sent.text));
                }
                file.text += tail;
            }
            Write::Elements { head, entry, tail } => {
                file.text += head;
                for (at, sent) in sent.iter().enumerate() {
                    let comma = if at == 0 { "" } else { ",\n" };
                    file.message(comma, &pretty(&entry(at, sent)), "");
                }
                file.text += tail;
            }
            Write::Any(write) => write(sent, &mut file),
        }
        file
    }

    /// Whether the writer keeps a line.
    pub(crate) fn takes(&self, sent: &Sent) -> bool {
        match self.carries {
            Carries::Lines => true,
            // However deep it is.
            Carries::Texts => Tape::default().parse(&sent.text).is_ok(),
            Carries::Messages => sent.is_plain(),
            Carries::Updates | Carries::Calls => sent.is_plain() && sent.is_update(),
        }
    }
}

/// A line with what stands for its parts.
fn filled(line: &str, word: &str, at: usize, text: &str) -> String {
    let (before, behind) = line.split_once("$message").unwrap_or_else(|| {
        line.split_once("$string").unwrap_or_else(|| panic!("{line} holds no message"))
    });
    let fill = |part: &str| part.replace("$word", word).replace("$at", &at.to_string());
    let text = if line.contains("$string") { escaped(text) } else { text.to_owned() };
    format!("{}{text}{}", fill(before), fill(behind))
}

/// A JSON string that spells many characters otherwise than it must.
fn escaped(text: &str) -> String {
    let mut out = String::from("\"");
    for (at, unit) in text.char_indices() {
        match unit {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '/' if at % 2 == 0 => out += "\\/",
            'e' if at % 3 == 0 => out += "\\u0065",
            other if other < ' ' || !other.is_ascii() && at % 4 != 0 => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}").unwrap();
                }
            }
            other => out.push(other),
        }
    }
    out + "\""
}

fn base64(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| char::from(DIGITS[(bits & 63) as usize]);
    text.as_bytes()
        .chunks(3)
        .map(|chunk| {
            let bits = chunk.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            let digits: String = [18, 12, 6, 0].map(|shift| digit(bits >> shift)).iter().collect();
            let kept = chunk.len() + 1;
            format!("{}{}", &digits[..kept], "=".repeat(4 - kept))
        })
        .collect()
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

/// A value as Emacs prints what it has read from JSON.
fn lisp(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Bool(true) => "t".to_owned(),
        Value::Bool(false) => ":false".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => lisp_string(text),
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(lisp).collect();
            format!("[{}]", elements.join(" "))
        }
        Value::Object(members) if members.is_empty() => "nil".to_owned(),
        Value::Object(_) => format!("({})", lisp_members(value)),
    }
}

fn lisp_members(value: &Value) -> String {
    let member = |(name, value): (&String, &Value)| {
        let is_list = value.as_object().is_some_and(|members| !members.is_empty());
        match value {
            // A pair whose second half is a list is one list.
            Value::Object(_) if is_list => format!("({name}\n {})", lisp_members(value)),
            Value::Null | Value::Object(_) => format!("({name})"),
            value => format!("({name} . {})", lisp(value)),
        }
    };
    value.as_object().unwrap().iter().map(member).collect::<Vec<_>>().join(" ")
}

fn lisp_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A value as `vim.inspect` prints what Neovim has read from JSON.
fn lua(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    match value {
        Value::Null => "vim.NIL".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => lua_string(text),
        Value::Array(elements) if elements.is_empty() => "{}".to_owned(),
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(|element| lua(element, depth + 1)).collect();
            format!("{{ {} }}", elements.join(", "))
        }
        Value::Object(members) if members.is_empty() => "vim.empty_dict()".to_owned(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    && !name.starts_with(|c: char| c.is_ascii_digit());
                let name = if is_name { name.clone() } else { format!("[{}]", lua_string(name)) };
                format!("{indent}{name} = {}", lua(value, depth + 1))
            };
            let members: Vec<_> = members.iter().map(member).collect();
            format!("{{\n{}\n{}}}", members.join(",\n"), "  ".repeat(depth))
        }
    }
}

fn lua_string(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    if escaped.contains('"') && !escaped.contains('\'') {
        format!("'{escaped}'")
    } else {
        format!("\"{}\"", escaped.replace('"', "\\\""))
    }
}

/// A value as Python prints it.
fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(value) => if *value { "True" } else { "False" }.to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => python_string(text),
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(python).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}: {}", python_string(name), python(value))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
    }
}

fn python_string(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t");
    if escaped.contains('\'') && !escaped.contains('"') {
        format!("\"{escaped}\"")
    } else {
        format!("'{}'", escaped.replace('\'', "\\'"))
    }
}

/// What kind of message it is, as many recorders call it.
fn kind(message: &Value) -> &'static str {
    match (message.get("method"), message.get("id")) {
        (Some(_), Some(_)) => "request",
        (Some(_), None) => "notification",
        (None, _) => "response",
    }
}

fn trace(sent: &[Sent], file: &mut File) {
    for (at, sent) in sent.iter().enumerate() {
        file.line_of(&traced(at, sent));
    }
}

fn traced(at: usize, sent: &Sent) -> String {
    let message = sent.value();
    let (from, to) = (sent.word("Client", "Agent"), sent.word("Agent", "Client"));
    // Ids of both sides become unique.
    let asker = (message.get("method").is_some()) == sent.by_client;
    let id = message.get("id").map(|id| format!("u{}-{id}", u8::from(asker)));
    let is_error = message.get("error").is_some();
    let payload = message.get("error").or(message.get("result"));
    match kind(&message) {
        "response" => json!({"type": "response", "ts": at, "from": from, "to": to, "id": id,
            "is_error": is_error, "payload": payload}),
        kind => {
            let mut line = json!({"type": kind, "ts": at, "protocol": "acp", "from": from, "to": to,
                "method": message["method"]});
            if let Some(id) = id {
                line["id"] = json!(id);
            }
            if let Some(params) = message.get("params") {
                line["params"] = params.clone();
            }
            line
        }
    }
    .to_string()
}

fn tee(sent: &[Sent], file: &mut File) {
    for sent in sent {
        file.line_of(&teed(sent));
    }
}

fn teed(sent: &Sent) -> String {
    let mut message = sent.value();
    let is_answer = kind(&message) == "response";
    let asker = is_answer != sent.by_client;
    if let Some(id) = message.get("id").map(ToString::to_string) {
        message["id"] = json!(format!("t{}-{id}", u8::from(asker)));
    }
    let members = message.as_object_mut().unwrap();
    members.remove("jsonrpc");
    if let Some(error) = members.remove("error") {
        let text = error["message"].as_str().unwrap_or("Internal error");
        members.insert("result".to_owned(), json!({"error": text}));
    }
    let direction = if is_answer { "upstream" } else { "downstream" };
    json!({"timestamp": "2026-06-01T08:00:00Z", "direction": direction, "message": message})
        .to_string()
}

fn zed(_: usize, sent: &Sent) -> Value {
    let message = sent.value();
    let answer = message.get("result").or(message.get("error"));
    json!({"_direction": sent.word("outgoing", "incoming"), "_type": kind(&message),
        "id": message.get("id"), "method": message.get("method").unwrap_or(&json!("asked")),
        "params": answer.or(message.get("params"))})
}

fn el(sent: &[Sent], file: &mut File) {
    file.text += "(";
    for (at, sent) in sent.iter().enumerate() {
        let message = sent.value();
        let entry = format!(
            "((:direction . {})\n  (:kind . {})\n  (:object {}))",
            sent.word("outgoing", "incoming"),
            kind(&message),
            lisp_members(&message)
        );
        file.message(if at == 0 { "" } else { "\n " }, &entry, "");
    }
    file.text += ")\n";
}

fn el_log(sent: &[Sent], file: &mut File) {
    for sent in sent {
        if !sent.by_client {
            // Pieces as they came, which the lines repeat.
            let half = sent.text.char_indices().nth(9).map_or(0, |(at, _)| at);
            write!(file.text, "INCOMING TEXT >\n\n{}\n\n", &sent.text[..half]).unwrap();
            file.message("INCOMING LINE >\n\n", &sent.text, "\n\n↳ Routing as notification\n\n");
        } else if serde_json::from_str::<Value>(&sent.text)
            .is_ok_and(|message| message.get("method").is_some())
        {
            file.text += "OUTGOING OBJECT >\n\n((jsonrpc . 2.0))\n\n";
            file.message("OUTGOING TEXT >\n\n", &sent.text, "\n\n\n");
        } else {
            file.lines.push(None);
        }
    }
}

fn avante(sent: &[Sent], file: &mut File) {
    let rule = "=".repeat(100);
    for sent in sent {
        let message = sent.value();
        match (sent.by_client, kind(&message)) {
            (true, "notification") => {
                file.message("notification: ", &sent.text, &format!("{rule}\n"));
            }
            (true, "response") => {
                write!(file.text, "request: {}\n{rule}\n", sent.text).unwrap();
                file.lines.push(None);
            }
            (true, _) => file.message("request: ", &sent.text, &format!("\n{rule}\n")),
            (false, "response") => {
                file.message("response: ", &lua(&message, 0), &format!("\n{rule}\n"));
            }
            (false, _) => {
                let params = message.get("params").cloned().unwrap_or(json!({}));
                let call = format!("{}\n{}", message["method"].as_str().unwrap(), lua(&params, 0));
                file.message("method: ", &call, &format!("\n{rule}\n"));
            }
        }
    }
}

fn calls(sent: &[Sent], file: &mut File) {
    const NAMES: [(&str, &str); 3] = [
        ("session/new", "new_session"),
        ("session/prompt", "prompt"),
        ("session/load", "load_session"),
    ];
    file.text += "{\"calls\": [\n";
    file.lines = vec![None; sent.len()];
    let values: Vec<Value> = sent.iter().map(Sent::value).collect();
    let requests: Vec<usize> = (0..sent.len())
        .filter(|at| sent[*at].by_client && values[*at].get("method").is_some())
        .collect();
    for (count, at) in requests.iter().enumerate() {
        let (request, end) = (&values[*at], requests.get(count + 1).copied().unwrap_or(sent.len()));
        let name = request["method"].as_str().unwrap();
        let name = NAMES.iter().find(|(own, _)| *own == name).map_or(name, |(_, name)| name);
        file.text += if count == 0 { "" } else { ",\n" };
        let head =
            format!("{{\"method\": {}, \"request\": {},", json!(name), pretty(&request["params"]));
        let before = file.lines.len();
        file.message("", &head, "\n");
        file.lines[*at] = file.lines.remove(before);
        let is_answer =
            |own: &usize| values[*own].get("id") == request.get("id") && !sent[*own].by_client;
        let answer = (at + 1..end).find(is_answer);
        file.text += "\"notifications\": [\n";
        let updates = (at + 1..end).filter(|own| values[*own]["method"] == "session/update");
        for (count, own) in updates.enumerate() {
            let comma = if count == 0 { "" } else { ",\n" };
            file.message(comma, &pretty(&values[own]["params"]), "");
            file.lines[own] = file.lines.remove(before);
        }
        file.text += "],\n\"response\": ";
        match answer {
            Some(own) => {
                file.message("", &pretty(&values[own]["result"]), "}");
                file.lines[own] = file.lines.remove(before);
            }
            None => file.text += "null}",
        }
    }
    file.text += "\n]}\n";
}

fn updates(sent: &[Sent], file: &mut File, write: impl Fn(&Value) -> Option<String>) {
    for sent in sent {
        let line = if sent.is_update() { write(&sent.value()) } else { None };
        match line {
            Some(line) => file.line_of(&line),
            None => file.lines.push(None),
        }
    }
}

pub(crate) fn kanban(message: &Value) -> Option<String> {
    const NAMES: [(&str, &str); 3] =
        [("plan", "Plan"), ("tool_call", "ToolCall"), ("tool_call_update", "ToolUpdate")];
    let mut update = message["params"]["update"].clone();
    let kind = update["sessionUpdate"].as_str()?.to_owned();
    update.as_object_mut()?.remove("sessionUpdate");
    let is_bare = update.as_object()?.len() == 1;
    if let Some((_, name)) = NAMES.iter().find(|(own, _)| *own == kind) {
        return Some(json!({*name: update}).to_string());
    }
    let content = &update["content"];
    let is_text = content["type"] == "text"
        && content["text"].is_string()
        && content.as_object().is_some_and(|content| content.len() == 2);
    match kind.as_str() {
        _ if !is_bare => None,
        "agent_message_chunk" if is_text => {
            Some(json!({"assistant": update["content"]["text"]}).to_string())
        }
        "agent_thought_chunk" if !is_text => {
            Some(json!({"Thought": update["content"]}).to_string())
        }
        "available_commands_update" if update["availableCommands"].is_array() => {
            Some(json!({"AvailableCommands": update["availableCommands"]}).to_string())
        }
        _ => None,
    }
}

fn debug(sent: &[Sent], file: &mut File) {
    file.text += "=== Conductor Debug Log ===\nStarted: today\nComponents:\n  0: agent\n====\n\n";
    for (at, sent) in sent.iter().enumerate() {
        let (here, there) = if sent.by_client { ("C →", "0 →") } else { ("0 ←", "C ←") };
        if sent.by_client {
            writeln!(file.text, "{here} +{at}ms {}", sent.text).unwrap();
            file.line_of(&format!("{there} +{at}ms {}", sent.text));
        } else {
            file.line_of(&format!("{here} +{at}ms {}", sent.text));
            writeln!(file.text, "{there} +{at}ms {}", sent.text).unwrap();
        }
        file.text += "C ! +9ms INFO a log line {\n";
    }
}

fn frames(sent: &[Sent], file: &mut File) {
    file.text += "{\"type\":\"header\",\"format\":\"bridge-trace-frames\",\"version\":1}\n";
    for (at, sent) in sent.iter().enumerate() {
        let (encoding, frame) = match at % 2 {
            0 => ("base64", format!("\"{}\"", base64(&sent.text))),
            _ => ("utf8", escaped(&sent.text)),
        };
        let word = sent.word("client -> agent", "agent -> client");
        file.line_of(&format!(
            "{{\"connection\":\"ws-1\",\"direction\":\"{word}\",\"encoding\":\"{encoding}\",\"frame\":{frame}}}"
        ));
    }
}

fn toad(sent: &[Sent], file: &mut File) {
    for sent in sent {
        let value: Option<Value> = serde_json::from_str(&sent.text).ok();
        match value.filter(|_| sent.by_client) {
            Some(message) if message.get("method").is_some() => {
                file.line_of(&format!("[client] {}", python(&message)));
            }
            Some(_) => file.lines.push(None),
            None => file.line_of(&format!("[agent] {}", sent.text.replace('\n', "\n[agent] "))),
        }
    }
}

fn vscode(sent: &[Sent], file: &mut File) {
    for sent in sent {
        let arrow = sent.word(">>> CLIENT → AGENT", "<<< AGENT → CLIENT");
        let head = format!("[2026-06-01T08:00:00.000Z] {arrow} [X] x\n");
        file.message(&head, &pretty(&sent.value()), "\n\n");
    }
}

fn companion(sent: &[Sent], file: &mut File) {
    for sent in sent {
        let head = format!("2026-06-01 08:00:00.000\n{}:\n", sent.word("Sent", "Received"));
        file.message(&head, &sent.text, "\n");
    }
}

fn history(sent: &[Sent], file: &mut File) {
    updates(sent, file, |message| {
        Some(
            json!({"method": "session/update", "params": message["params"], "recordedAt": 1})
                .to_string(),
        )
    });
}

fn bundle(sent: &[Sent], file: &mut File) {
    file.text += "{\"version\": 1, \"exportedAt\": 1, \"history\": [\n";
    let mut comma = "";
    for sent in sent {
        if sent.is_update() {
            let entry = json!({"method": "session/update", "params": sent.value()["params"],
                "recordedAt": 1});
            file.message(comma, &pretty(&entry), "");
            comma = ",\n";
        } else {
            file.lines.push(None);
        }
    }
    file.text += "]}\n";
}

fn params(sent: &[Sent], file: &mut File) {
    updates(sent, file, |message| {
        Some(
            json!({"ts": 1, "protocol": "acp", "agent": "a", "event": "session_notification",
                "data": message["params"]})
            .to_string(),
        )
    });
}

fn arguments(sent: &[Sent], file: &mut File) {
    updates(sent, file, |message| {
        Some(json!({"method": "sessionUpdate", "args": [message["params"]]}).to_string())
    });
}

fn events(sent: &[Sent], file: &mut File) {
    file.text += "{\"user\":\"Tidy up\"}\n{\"SessionStart\":\"s\"}\n";
    updates(sent, file, kanban);
    file.text += "{\"Done\":\"end_turn\"}\n{\"ApprovalResponse\":{\"status\":\"approved\"}}\n";
}

/// The document of acp-devtools has each message twice.
fn captured(at: usize, sent: &Sent) -> Value {
    json!({"seq": at, "timestamp": 1_780_000_000_000_u64,
        "direction": sent.word("editor-to-agent", "agent-to-editor"),
        "kind": kind(&sent.value()), "raw": sent.text, "payload": sent.value()})
}

/// The members of an object follow the direction.
fn inlined(sent: &[Sent], file: &mut File) {
    for sent in sent {
        let word = sent.word("outgoing", "incoming");
        file.line_of(&format!("{{\"direction\":\"{word}\",{}", &sent.text[1..]));
    }
}

/// Two kinds of scripts in one file.
fn scripts(sent: &[Sent], file: &mut File) {
    for (at, sent) in sent.iter().enumerate() {
        let name = ["frame", "rpc"][at % 2];
        let word = sent.word("c2a", "a2c");
        file.line_of(&format!("{{\"t\":{at}.5,\"dir\":\"{word}\",\"{name}\":{}}}", sent.text));
    }
}

/// As `acpcheck record` writes it.
fn recorded(sent: &[Sent], file: &mut File) {
    let mut start = Vec::new();
    Recording::start("2026-11-27T10:31:04.123Z", "gardener", 0, None, &mut start).unwrap();
    file.text += &String::from_utf8(start).unwrap();
    let mut recording = Recording::default();
    for (at, sent) in sent.iter().enumerate() {
        let side = if sent.by_client { Side::Client } else { Side::Agent };
        let (bytes, at) = (format!("{}\n", sent.text), Duration::from_millis(at as u64));
        let mut line = Vec::new();
        recording.take(side, bytes.as_bytes(), at, &mut line).unwrap();
        file.line_of(String::from_utf8(line).unwrap().trim_end_matches('\n'));
    }
}

/// Every writer whose files can be read.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn all() -> Vec<Writer> {
    use Carries::{Calls, Lines, Messages, Texts, Updates};
    use Spelling::{Escaped, Hidden, Plain};
    let writer = |name, carries, spelling, has_labels, write| Writer {
        name,
        carries,
        spelling,
        has_labels,
        write,
    };
    let any = |name, carries, write| writer(name, carries, Plain, true, Write::Any(write));
    let labelled = |name, words, line| {
        writer(name, Texts, Plain, true, Write::Lines { head: "", words, line, tail: "" })
    };
    let headed = |name, head, words, line, tail| {
        writer(name, Texts, Plain, true, Write::Lines { head, words, line, tail })
    };
    let bare = |name, head, line, tail| {
        writer(name, Texts, Plain, false, Write::Lines { head, words: [""; 2], line, tail })
    };
    let elements = |name, has_labels, head, entry, tail| {
        writer(name, Messages, Plain, has_labels, Write::Elements { head, entry, tail })
    };
    vec![
        Writer { carries: Lines, ..bare("ndjson", "", "$message", "") },
        bare(
            "acpx-journal",
            "{\"schema\":\"acpx.session.journal.v1\",\"type\":\"segment\",\"sequence\":0}\n",
            "$message",
            "{\"schema\":\"acpx.session.journal.v1\",\"type\":\"turn_result\"}\n",
        ),
        bare(
            "acpx-watch",
            "{\"cursor\":\"WyJhIiwxXQ\",\"type\":\"turn_started\",\"requestId\":\"r\"}\n",
            "{\"cursor\":\"$at\",\"type\":\"message\",\"requestId\":null,\"message\":$message}",
            "",
        ),
        labelled(
            "acpx-flow",
            ["outbound", "inbound"],
            "{\"seq\":$at,\"at\":\"2026-06-01T08:00:00Z\",\"direction\":\"$word\",\"message\":$message}",
        ),
        elements(
            "acpx-export",
            false,
            "{\n  \"format_version\": 1,\n  \"exported_by\": \"acpx\",\n  \"history\": [\n",
            |_, sent| sent.value(),
            "\n]}\n",
        ),
        any("conductor-trace", Messages, trace),
        any("conductor-debug", Lines, debug),
        Writer { has_labels: false, ..any("sacp-tee", Messages, tee) },
        Writer { carries: Lines, ..labelled("arrows", ["→", "←"], "$word $message") },
        Writer {
            carries: Lines,
            spelling: Escaped,
            ..labelled(
                "acp-inspector",
                ["fromClient", "fromAgent"],
                "{\"ts\":$at,\"direction\":\"$word\",\"json\":$string}",
            )
        },
        Writer {
            carries: Lines,
            spelling: Escaped,
            ..headed(
                "acp-inspector-trace",
                "{\"type\":\"header\",\"format\":\"acp-inspector-trace\",\"version\":1,\"dropped\":0}\n",
                ["client -> agent", "agent -> client"],
                "{\"type\":\"frame\",\"at\":$at,\"connection\":1,\"direction\":\"$word\",\"encoding\":\"utf8\",\"frame\":$string}",
                "",
            )
        },
        Writer { spelling: Hidden, ..any("trace-frames", Lines, frames) },
        elements(
            "acp-devtools",
            true,
            "{\"version\": 1, \"tool\": {\"name\": \"acp-devtools\"}, \"session\": {},\n\"messages\": [\n",
            captured,
            "]}\n",
        ),
        headed(
            "kandev-acpdbg",
            "{\"ts\":\"2026-06-01T08:00:00Z\",\"direction\":\"meta\",\"event\":\"start\",\"meta\":{}}\n",
            ["sent", "received"],
            "{\"ts\":\"2026-06-01T08:00:00Z\",\"direction\":\"$word\",\"frame\":$message}",
            "{\"ts\":\"2026-06-01T08:00:00Z\",\"direction\":\"stderr\",\"line\":\"{\"}\n",
        ),
        any("acpcheck-record", Lines, recorded),
        any("kandev-raw", Updates, params),
        labelled(
            "mistral-vibe",
            ["in", "out"],
            "{\"ts\":\"2026-06-01T08:00:00+00:00\",\"dir\":\"$word\",\"msg\":$message,\"session\":\"s\"}",
        ),
        labelled(
            "openhands",
            [">>>", "<<<"],
            "{\"ts\": \"2026-06-01T08:00:00+00:00\", \"dir\": \"$word\", \"msg\": $message}",
        ),
        headed(
            "crucible",
            "{\"version\":1,\"agent\":\"a\",\"agent_version\":null,\"recorded_at\":\"x\",\"scenario\":null}\n",
            ["out", "in"],
            "{\"t_ms\":$at,\"dir\":\"$word\",\"frame\":$message}",
            "",
        ),
        labelled(
            "openmausbot",
            ["out", "in"],
            "{\"at\":\"2026-06-01T08:00:00Z\",\"dir\":\"$word\",\"source\":\"native\",\"msg\":$message}",
        ),
        headed(
            "a2acp",
            "{\"_provenance\":\"x\",\"agent\":\"a\",\"version\":\"1\"}\n",
            ["send", "recv"],
            "{\"dir\":\"$word\",\"line\":$message}",
            "",
        ),
        any("dir-frame", Texts, scripts),
        labelled(
            "honeclaw",
            ["send", "recv"],
            "{\"timestamp\":\"2026-06-01T08:00:00Z\",\"runner\":\"r\",\"direction\":\"$word\",\"event_kind\":\"notification\",\"method\":null,\"session_id\":\"i\",\"identity\":\"i\",\"payload\":$message}",
        ),
        elements(
            "stdio-lines",
            true,
            "{\"stdio_lines\": [\n",
            |_, sent| json!({"direction": sent.word("outbound", "inbound"), "message": sent.value()}),
            "]}\n",
        ),
        any("inline-direction", Messages, inlined),
        elements("zed", true, "[\n", zed, "\n]\n"),
        any("acp-el", Messages, el),
        any("acp-el-log", Lines, el_log),
        any("toad", Texts, toad),
        any("vscode-acp", Messages, vscode),
        any("codecompanion", Texts, companion),
        any("avante", Messages, avante),
        any("sdk-calls", Calls, calls),
        any("sdk-updates", Updates, arguments),
        any("hydra", Updates, history),
        any("hydra-bundle", Updates, bundle),
        any("vibe-kanban", Updates, events),
        labelled(
            "jetbrains",
            ["OUT", "IN"],
            "2026-06-01 08:00:00,000 [    $at]   FINE - AcpTransport - $word: $message",
        ),
        labelled(
            "acp-debug",
            ["c2a", "a2c"],
            "{\"ts\": $at.25, \"dir\": \"$word\", \"msg\": $message}",
        ),
        headed(
            "acp-kit",
            "",
            ["out", "in"],
            "{\"kind\":\"wire\",\"at\":$at,\"direction\":\"$word\",\"method\":\"m\",\"id\":1,\"frame\":$message,\"redacted\":false}",
            "{\"kind\":\"observation\",\"at\":9,\"observation\":{\"type\":\"x\"}}\n",
        ),
        Writer {
            carries: Lines,
            spelling: Escaped,
            ..elements(
                "acp-tck",
                true,
                "{\"tck_version\": \"0\", \"requirements\": [{\"id\": \"X\", \"tests\": [{\"nodeid\": \"x\",\n\"transcript\": [\n",
                |at, sent| json!({"dir": sent.word("sent", "received"), "t": at, "raw": sent.text}),
                "]}]}], \"verdict\": {}}\n",
            )
        },
        labelled(
            "envelope",
            ["client", "agent"],
            "{\"when\":$at,\"from\":\"$word\",\"payload\":$message}",
        ),
        headed(
            "prefixed",
            "",
            ["send", "recv"],
            "$at gardener: $word $message",
            "9 gardener: stopped {ok}\n",
        ),
    ]
}
