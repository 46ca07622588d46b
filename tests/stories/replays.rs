//! Whole replays in any cut are clean, and each part that is dropped, swapped, changed or doubled is found.

use std::collections::BTreeSet;

use acpcheck::check::Settings;
use serde_json::{Value, json};

use crate::effort;

const SESSION: &str = "4d8e1f72-9a3b-4c60-b5d7-2e9f0a6c8b13";

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((number >> 33) % limit as u64).unwrap()
    }

    /// A text of some words that no other text has.
    fn text(&mut self) -> String {
        let words = 5 + self.below(60);
        let mut text = String::new();
        for _ in 0..words {
            for _ in 0..5 + self.below(6) {
                text.push(char::from(b'a' + u8::try_from(self.below(26)).unwrap()));
            }
            text.push_str([" ", ", ", ".\n", " – "][self.below(4)]);
        }
        text
    }

    /// The text in pieces.
    fn pieces(&mut self, text: &str) -> Vec<String> {
        let letters: Vec<char> = text.chars().collect();
        let mut rest = letters.as_slice();
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((1 + self.below(60)).min(rest.len()));
            pieces.push(piece.iter().collect());
            rest = behind;
        }
        pieces
    }
}

#[derive(Clone)]
struct ToolCall {
    id: String,
    title: String,
    path: String,
    is_failed: bool,
}

#[derive(Clone)]
struct Turn {
    prompt: Option<String>,
    tool_calls: Vec<ToolCall>,
    text: Option<String>,
}

/// Messages of two connections, one a line.
struct Lines {
    text: String,
    id: u32,
}

impl Lines {
    fn push(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.text += &format!("{message}\n");
    }

    fn call(&mut self, method: &str, params: &Value) {
        self.push(json!({"id": self.id, "method": method, "params": params}));
    }

    fn answer(&mut self, result: &Value) {
        self.push(json!({"id": self.id, "result": result}));
        self.id += 1;
    }

    fn update(&mut self, update: &Value) {
        let params = json!({"sessionId": SESSION, "update": update});
        self.push(json!({"method": "session/update", "params": params}));
    }

    fn say(&mut self, kind: &str, text: &str, random: &mut Random) {
        for text in random.pieces(text) {
            let content = json!({"type": "text", "text": text});
            self.update(&json!({"sessionUpdate": kind, "content": content}));
        }
    }

    fn tool_call(&mut self, call: &ToolCall, random: &mut Random) {
        let status = if call.is_failed { "failed" } else { "completed" };
        let mut update = json!({
            "sessionUpdate": "tool_call", "toolCallId": call.id, "title": call.title, "kind": "read",
            "status": status, "locations": [{"path": call.path}],
        });
        if random.below(2) == 0 {
            update["status"] = "pending".into();
            self.update(&update);
            update = json!({
                "sessionUpdate": "tool_call_update", "toolCallId": call.id, "status": status,
            });
        }
        self.update(&update);
    }

    fn connect(&mut self) {
        self.id = 0;
        let info = |name: &str| json!({"name": name, "version": "1.0.0"});
        let params = json!({
            "protocolVersion": 1, "clientCapabilities": {}, "clientInfo": info("editor"),
        });
        let capabilities = json!({"loadSession": true});
        self.call("initialize", &params);
        self.answer(&json!({
            "protocolVersion": 1, "agentCapabilities": capabilities, "agentInfo": info("kettle"),
            "authMethods": [],
        }));
    }

    /// A turn as it happens, or as it is replayed.
    fn turn(&mut self, turn: &Turn, is_live: bool, random: &mut Random) {
        if let Some(prompt) = &turn.prompt {
            if is_live {
                let prompt = json!([{"type": "text", "text": prompt}]);
                self.call("session/prompt", &json!({"sessionId": SESSION, "prompt": prompt}));
            } else {
                self.say("user_message_chunk", prompt, random);
            }
        }
        if random.below(3) == 0 {
            let thought = random.text();
            self.say("agent_thought_chunk", &thought, random);
        }
        for call in &turn.tool_calls {
            self.tool_call(call, random);
        }
        if let Some(text) = &turn.text {
            self.say("agent_message_chunk", text, random);
        }
        if is_live {
            self.answer(&json!({"stopReason": "end_turn"}));
        }
    }
}

/// Two connections: in the first one these turns happen, in the second one those are replayed.
fn story(happened: &[Turn], replayed: &[Turn], random: &mut Random) -> String {
    let mut lines = Lines { text: String::new(), id: 0 };
    lines.connect();
    lines.call("session/new", &json!({"cwd": "/work", "mcpServers": []}));
    lines.answer(&json!({"sessionId": SESSION}));
    for turn in happened {
        lines.turn(turn, true, random);
    }
    lines.connect();
    let params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
    lines.call("session/load", &params);
    for turn in replayed {
        lines.turn(turn, false, random);
    }
    lines.answer(&json!({}));
    lines.text
}

fn history(random: &mut Random) -> Vec<Turn> {
    let mut number = 0;
    let mut turns = Vec::new();
    for _ in 0..2 + random.below(5) {
        let mut tool_calls = Vec::new();
        for _ in 0..random.below(4) {
            number += 1;
            let (id, path) = (format!("call-{number}"), format!("/work/{number}.txt"));
            let is_failed = random.below(4) == 0;
            tool_calls.push(ToolCall { id, title: random.text(), path, is_failed });
        }
        let (prompt, text) = (Some(random.text()), Some(random.text()));
        turns.push(Turn { prompt, tool_calls, text });
    }
    turns
}

/// The rules that are broken, however the text is cut into blocks.
fn broken(text: &str, random: &mut Random) -> BTreeSet<&'static str> {
    let read = |mut cut: Box<dyn FnMut(usize) -> usize + '_>| {
        let mut check = effort::begin(&Settings::default());
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (block, behind) = rest.split_at(cut(rest.len()));
            check.feed(block);
            rest = behind;
        }
        let (diagnostics, outcome) = check.finish();
        assert_eq!(outcome.connections, 2);
        diagnostics
    };
    let whole = read(Box::new(|length| length));
    let longest = 1 + random.below(3000);
    let in_blocks = read(Box::new(|length| (1 + random.below(longest)).min(length)));
    assert_eq!(format!("{whole:?}"), format!("{in_blocks:?}"));
    whole.iter().map(|found| found.rule.id).collect()
}

/// Changes the turns that are replayed.
type Change<'a> = &'a dyn Fn(&mut Vec<Turn>);

const INCOMPLETE: &str = "session/replay-incomplete";
const DIFFERS: &str = "session/replay-differs";

#[test]
fn every_loss_is_found_and_other_cuts_are_none() {
    for seed in 0..effort::times(4, 125) {
        let mut random = Random(seed as u64);
        let happened = history(&mut random);
        let chosen = random.below(happened.len());
        let cases: [(&str, Option<&str>, Change<'_>); 6] = [
            ("whole", None, &|_| ()),
            ("a prompt is dropped", Some(INCOMPLETE), &|turns| turns[chosen].prompt = None),
            ("a text is dropped", Some(INCOMPLETE), &|turns| turns[chosen].text = None),
            ("two turns are swapped", Some(DIFFERS), &|turns| {
                let first = chosen.min(turns.len() - 2);
                turns.swap(first, first + 1);
            }),
            ("all comes twice", Some(DIFFERS), &|turns| turns.extend(turns.clone())),
            ("calls have other ids", None, &|turns| {
                let calls = turns.iter_mut().flat_map(|turn| &mut turn.tool_calls);
                calls.for_each(|call| call.id = format!("again-{}", call.id));
            }),
        ];
        let check = |why: &str, expected: Option<&str>, replayed: &[Turn], random: &mut Random| {
            let text = story(&happened, replayed, random);
            let found: Vec<_> = broken(&text, random).into_iter().collect();
            assert_eq!(found, Vec::from_iter(expected), "{seed}: {why}\n{text}");
        };
        for (why, expected, change) in cases {
            let mut replayed = happened.clone();
            change(&mut replayed);
            check(why, expected, &replayed, &mut random);
        }
        if let Some(turn) = happened.iter().position(|turn| !turn.tool_calls.is_empty()) {
            let mut replayed = happened.clone();
            replayed[turn].tool_calls.pop();
            check("a tool call is dropped", Some(INCOMPLETE), &replayed, &mut random);
            let mut replayed = happened.clone();
            replayed[turn].tool_calls[0].is_failed ^= true;
            check("a tool call ends otherwise", Some(DIFFERS), &replayed, &mut random);
        }
    }
}
