//! What other writers record: each format is recognised, each message has its sender, and findings
//! point at the bytes of the file, whatever they are wrapped in.

#[path = "formats/recorders.rs"]
mod recorders;
#[path = "formats/rewrapped.rs"]
mod rewrapped;
#[path = "formats/strays.rs"]
mod strays;
#[path = "formats/traps.rs"]
mod traps;
#[path = "formats/variants.rs"]
mod variants;
#[path = "formats/writers.rs"]
pub(crate) mod writers;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use acpcheck::{
    check::{Outcome, Settings, Tail},
    diagnostic::Diagnostic,
    transcript::{FORMATS, Read},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{effort, generate};

/// What all fixtures break, once.
const RULE: &str = "plan/closed-enum-value";
/// The value that breaks it.
const VALUE: &str = "doing";

fn judge(bytes: &[u8]) -> (Vec<Diagnostic>, Outcome) {
    effort::check(bytes, &Settings { tail: Tail::Open, ..Settings::default() })
}

fn fixtures() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats");
    walkdir::WalkDir::new(&root)
        .sort_by_file_name()
        .min_depth(2)
        .into_iter()
        .map(|entry| {
            let path = entry.unwrap().into_path();
            let name = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
            (name, path)
        })
        .collect()
}

/// How many messages the client and the agent send in the fixtures of a format.
fn senders(format: &str) -> [u64; 3] {
    match format {
        "kandev-raw" | "sdk-updates" | "hydra" | "hydra-bundle" | "vibe-kanban" => [0, 2, 0],
        "avante" | "toad" | "acp-el-log" => [3, 6, 0],
        "sdk-calls" => [3, 5, 0],
        _ => [4, 6, 0],
    }
}

#[test]
fn every_readable_format_has_a_fixture() {
    let own: BTreeSet<String> = fixtures().into_iter().map(|(name, _)| name).collect();
    let readable = FORMATS.iter().filter(|format| !matches!(format.read, Read::Refused(_)));
    let all: BTreeSet<String> = readable.map(|format| format.name.to_owned()).collect();
    assert_eq!(own, all);
}

#[test]
fn fixtures_are_recognised_and_faults_found_in_their_places() {
    let mut wrong = String::new();
    for (name, path) in fixtures() {
        let bytes = fs::read(&path).unwrap();
        let (diagnostics, outcome) = judge(&bytes);
        let shown = path.file_name().unwrap().display();
        if outcome.format != Some(&*name) || outcome.senders != senders(&name) {
            let Outcome { format, senders, .. } = &outcome;
            wrong += &format!("{name}/{shown}: {format:?} {senders:?}\n");
        }
        let found: Vec<&str> = diagnostics
            .iter()
            .map(|found| found.rule.id)
            // Excerpts leave out where a tool call was announced.
            .filter(|id| *id != "permission/unannounced-tool-call")
            .collect();
        if found != [RULE] {
            wrong += &format!("{name}/{shown}: {found:?}\n");
            continue;
        }
        let span = diagnostics[0].finding.labels[0].span;
        let (from, to) =
            (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
        let text = String::from_utf8_lossy(&bytes[from..to]);
        let line = String::from_utf8_lossy(&bytes[..from]).matches('\n').count() + 1;
        let is_exact = text.trim_matches(['\\', '"', '\'']) == VALUE;
        if !is_exact || line != span.line as usize {
            wrong += &format!("{name}/{shown}: {span:?} is `{text}` in line {line}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn blocks_and_cuts_change_nothing_and_never_panic() {
    for (name, path) in fixtures() {
        let bytes = fs::read(&path).unwrap();
        let (whole, _) = judge(&bytes);
        let mut check = effort::begin(&Settings { tail: Tail::Open, ..Settings::default() });
        for block in bytes.chunks(37) {
            check.feed(block);
        }
        let (diagnostics, _) = check.finish();
        assert_eq!(format!("{whole:?}"), format!("{diagnostics:?}"), "{name}");
        for cut in (0..bytes.len()).step_by(bytes.len() / 6 + 1) {
            judge(&bytes[..cut]);
            let mut broken = bytes.clone();
            broken[cut] = b"\"\\{}()[]#\n\x80"[cut % 11];
            judge(&broken);
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let cases: [(&[u8], &str); 8] = [
        (b"{\"kind\":\"session.event\",\"sessionId\":\"s\",\"event\":{\"type\":\"message.delta\"}}\n", "includeWire"),
        (b"SQLite format 3\0\x10\0\x01\x01", "acp-devtools export"),
        (
            b"--> initialize (id=0) params={\"protocolVersion\":1}\n<-- initialize (id=0) result={\"pro...\n",
            "gptme",
        ),
        ("08:00:00.000 → request      initialize\n08:00:00.100 ← response initialize\n".as_bytes(), "acp.el"),
        (b"{\"type\":\"prompt_start\",\"timestamp\":1}\n{\"event_type\":\"SessionUpdate\",\"update\":{}}\n", "AutoDev"),
        (MCP, "MCP"),
        (LSP, "LSP"),
        (CODEX, "Codex"),
    ];
    for (bytes, word) in cases {
        let (diagnostics, outcome) = judge(bytes);
        let refusal = outcome.refusal.unwrap_or_default();
        assert!(refusal.contains(word) && outcome.messages == 0, "{word}: {refusal}");
        assert!(diagnostics.is_empty(), "{word}: {diagnostics:?}");
    }
}

const MCP: &[u8] = br#"> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"y","version":"1"},"capabilities":{"tools":{}}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}}
"#;
const LSP: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":1,"rootUri":"file:///mill","capabilities":{}}}
{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"hoverProvider":true}}}
{"jsonrpc":"2.0","method":"initialized","params":{}}
{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a"}}}
"#;
const CODEX: &[u8] = br#"{"id":0,"method":"initialize","params":{"clientInfo":{"name":"x","title":"X","version":"1"}}}
{"id":0,"result":{"userAgent":"x/1"}}
{"method":"initialized"}
{"id":1,"method":"thread/start","params":{"model":"m"}}
{"id":1,"result":{"thread":{"id":"t"}}}
{"method":"turn/started","params":{"threadId":"t"}}
"#;

/// One message of ACP, wherever it stands, and the file is of ACP; one of another protocol among
/// those of ACP changes nothing.
#[test]
fn other_protocols_are_told_only_where_nothing_is_of_acp() {
    let update = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\
                  \"update\":{\"sessionUpdate\":\"plan\",\"entries\":[{\"content\":\"a\",\
                  \"priority\":\"high\",\"status\":\"doing\"}]}}}\n";
    let lsp = String::from_utf8_lossy(LSP);
    let early: Vec<&str> = lsp.lines().collect();
    let texts = [
        format!("{lsp}{update}"),
        format!("{update}{lsp}"),
        // Behind what is looked at before anything is judged.
        format!("{}{update}", lsp.repeat(2000)),
        format!("{update}{}\n{}", early[3], update.replace("doing", "pending")),
    ];
    for text in texts {
        let (diagnostics, outcome) = judge(text.as_bytes());
        let has_error = diagnostics.iter().any(|found| found.rule.id == RULE);
        assert!(has_error && outcome.refusal.is_none(), "{}", &text[..200]);
    }
}

#[test]
fn connections_that_take_turns_are_judged_apart() {
    let start = |connection: u32, id: u32| {
        [
            json!({"connection": connection, "direction": "c2a", "encoding": "utf8", "frame":
                json!({"jsonrpc": "2.0", "id": id, "method": "initialize",
                    "params": {"protocolVersion": 1, "clientCapabilities": {}}}).to_string()}),
            json!({"connection": connection, "direction": "a2c", "encoding": "utf8", "frame":
                json!({"jsonrpc": "2.0", "id": id,
                    "result": {"protocolVersion": 1, "agentCapabilities": {}}}).to_string()}),
        ]
    };
    let ([a, b], [c, d]) = (start(1, 0), start(2, 0));
    let text: String = [a, c, d, b].iter().map(|line| format!("{line}\n")).collect();
    let (diagnostics, outcome) = judge(text.as_bytes());
    let numbers: Vec<u32> = diagnostics.iter().map(|found| found.connection).collect();
    let rules: BTreeSet<&str> = diagnostics.iter().map(|found| found.rule.id).collect();
    // Nobody gives a name, on either connection.
    assert_eq!(rules, BTreeSet::from(["lifecycle/missing-info"]));
    assert_eq!(numbers, [0, 1, 1, 0]);
    assert_eq!((outcome.connections, outcome.senders), (2, [2, 2, 0]));
}

#[test]
fn masked_values_are_not_judged() {
    let line = |value: &str| {
        let message = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": "s", "update": {"sessionUpdate": "plan",
                "entries": [{"content": "x", "priority": value, "status": "pending"}]}}});
        let payload = json!({"runner": "r", "direction": "recv", "event_kind": "notification",
            "identity": "i", "payload": message});
        judge(format!("{payload}\n").as_bytes()).0.len()
    };
    assert_eq!((line("<redacted>"), line("high"), line("***")), (0, 0, 0));
    assert_eq!(line("soon"), 1);
}

#[test]
fn labels_that_contradict_methods_are_noted() {
    let line = |direction: &str, message: Value| {
        format!("{}\n", json!({"ts": 1, "dir": direction, "msg": message}))
    };
    let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s",
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}}}});
    let prompt = json!({"jsonrpc": "2.0", "id": 1, "method": "session/prompt",
        "params": {"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]}});
    let wrong = line("c2a", update.clone()).repeat(4);
    let text = [line("c2a", prompt), wrong, line("a2c", update)].concat();
    let (diagnostics, outcome) = judge(text.as_bytes());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    assert_eq!(outcome.senders, [1, 5, 0]);
    assert!(outcome.notes.iter().any(|note| note.starts_with("4 messages are labelled")));
}

#[test]
fn samples_of_the_field_are_recognised() {
    let shared = std::env::var_os("ACPCHECK_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let Ok(samples) = fs::read_dir(shared.join("formats/samples")) else { return };
    let mut wrong = String::new();
    for sample in samples {
        let path = sample.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let expected = match &name[..name.find('-').unwrap()] {
            "01" | "01b" | "40" => "ndjson",
            "02" => "acpx-journal",
            "03" => "acpx-watch",
            "04" => "acpx-flow",
            "05" => "acpx-export",
            "06" => "conductor-trace",
            "07" => "conductor-debug",
            "08" => "sacp-tee",
            "09" => "arrows",
            "10" => "acp-inspector",
            "11" => "acp-inspector-trace",
            "11b" => "trace-frames",
            "12" => "acp-devtools",
            "13" => "kandev-acpdbg",
            "14" => "kandev-raw",
            "15" => "mistral-vibe",
            "16" => "openhands",
            "17" => "crucible",
            "18" => "openmausbot",
            "19" => "a2acp",
            "20a" | "20b" | "20c" | "20d" | "20e" => "dir-frame",
            "21" => "honeclaw",
            "22" => "stdio-lines",
            "23" => "inline-direction",
            "24" => "zed",
            "25" => "acp-el",
            "26" => "acp-el-log",
            "27" => "toad",
            "28" => "vscode-acp",
            "29" => "codecompanion",
            "30" => "avante",
            "32" => "sdk-calls",
            "33" => "hydra",
            "35" => "vibe-kanban",
            "36" => "jetbrains",
            "37" => "acp-debug",
            "38" => "acp-kit",
            _ => "",
        };
        let (diagnostics, outcome) = judge(&fs::read(&path).unwrap());
        let is_refused = expected.is_empty() && outcome.refusal.is_some();
        if !is_refused && (outcome.format != Some(expected) || outcome.senders[2] > 0) {
            wrong += &format!("{name}: {:?} {:?}\n", outcome.format, outcome.senders);
        }
        for found in diagnostics {
            // Wrappers would break these; one sample is to show stray lines.
            let is_own = !["transport", "jsonrpc", "schema"].contains(&found.rule.family())
                || name.starts_with("40") && found.rule.id == "transport/not-json";
            if !is_own {
                wrong += &format!("{name}: {} {}\n", found.rule.id, found.finding.message);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(12), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_do_harm(
        head in prop::sample::select(vec![
            "", "((", "(((:direction . outgoing) (:object (a . ", "[{\"_direction\":\"", "→ {",
            "[client] {'", "=== Conductor Debug Log ===\nC → +1ms ", "Sent:\n{", "INCOMING LINE >\n{",
            "{\"format_version\":1,\"exported_by\":\"acpx\",\"history\":[", "request: {",
            "{\"connection\":1,\"encoding\":\"base64\",\"frame\":\"",
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        judge(&[head.as_bytes(), &rest].concat());
    }
}
