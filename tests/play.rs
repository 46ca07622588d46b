//! `acpcheck play`: a client that conforms, and clients with one fault each, over pipes.
#![cfg(unix)]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use acpcheck::{
    check::{Settings, check},
    play::SCENARIOS,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");

/// A client that answers what it is asked, and goes wrong in the way that `fault` names.
struct Client {
    agent: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
    folder: TempDir,
    version: u64,
    fault: &'static str,
    next_id: u64,
    held: Vec<Value>,
    is_cancelled: bool,
    terminals: u32,
}

const V1: &str = r#"{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"plan":{},"elicitation":{"form":{}}}"#;
const V2: &str = r#"{"elicitation":{"form":{}}}"#;

impl Client {
    fn start(version: u64, fault: &'static str, options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut agent = Command::new(PROGRAM)
            .args(["play", "--timeout", "3", "-o"])
            .arg(folder.path().join("recordings"))
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (agent.stdin.take().unwrap(), agent.stdout.take().unwrap());
        let (hand_on, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let message = serde_json::from_str(&line.unwrap()).unwrap();
                if hand_on.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            agent,
            stdin,
            lines,
            folder,
            version,
            fault,
            next_id: 0,
            held: Vec::new(),
            is_cancelled: false,
            terminals: 0,
        }
    }

    fn write(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).unwrap();
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.write(&format!("{message}\n"));
    }

    fn start_request(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        self.send(json!({ "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.start_request(method, params);
        self.until(|message| message["method"].is_null() && message["id"] == id)
    }

    /// Serves the agent until a message comes that is waited for.
    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.lines.recv_timeout(Duration::from_secs(20)).expect("a message");
            if is_it(&message) {
                return message;
            }
            if message["method"].is_string() && message.get("id").is_some() {
                self.serve(&message);
            }
        }
    }

    fn serve(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let result = match message["method"].as_str().unwrap() {
            "session/request_permission" if self.fault == "holds" && !self.is_cancelled => {
                self.held.push(message.clone());
                return;
            }
            "session/request_permission" => self.outcome(params),
            "fs/write_text_file" => {
                fs::write(params["path"].as_str().unwrap(), params["content"].as_str().unwrap())
                    .unwrap();
                json!({})
            }
            "fs/read_text_file" => {
                if let Ok(text) = fs::read_to_string(params["path"].as_str().unwrap()) {
                    let number =
                        |name: &str| params[name].as_u64().and_then(|it| usize::try_from(it).ok());
                    let (first, limit) = (number("line").unwrap_or(1) - 1, number("limit"));
                    let lines = text.split_inclusive('\n').skip(first);
                    let part: String = lines.take(limit.unwrap_or(usize::MAX)).collect();
                    json!({ "content": if self.fault == "reads-all" { text } else { part } })
                } else {
                    let error = json!({ "code": -32002, "message": "no such file" });
                    return self.send(json!({ "id": id, "error": error }));
                }
            }
            "terminal/create" => {
                self.terminals += 1;
                json!({ "terminalId": format!("t{}", self.terminals) })
            }
            "terminal/wait_for_exit" => json!({ "exitCode": 0, "signal": null }),
            "terminal/output" => json!({ "output": "17 18\n", "truncated": true }),
            method if method.starts_with("terminal/") => json!({}),
            "elicitation/create" => json!({ "action": "accept", "content": { "name": "Ada" } }),
            _ if self.fault == "ignores" => return,
            _ => {
                let error = json!({ "code": -32601, "message": "Method not found" });
                return self.send(json!({ "id": id, "error": error }));
            }
        };
        if self.fault == "answers-twice" {
            self.send(json!({ "id": id, "result": result }));
        }
        self.send(json!({ "id": id, "result": result }));
    }

    fn outcome(&self, params: &Value) -> Value {
        let option = match self.fault {
            "option-not-offered" => json!("allow"),
            _ => params["options"][0]["optionId"].clone(),
        };
        match (self.fault, self.is_cancelled) {
            ("null", _) => Value::Null,
            (_, true) => json!({ "outcome": { "outcome": "cancelled" } }),
            (_, false) => json!({ "outcome": { "outcome": "selected", "optionId": option } }),
        }
    }

    /// Initializes the connection and creates a session. Returns its id.
    fn session(&mut self) -> Value {
        let info = json!({ "name": "small-client", "version": "1" });
        let capabilities = |text| serde_json::from_str::<Value>(text).unwrap();
        let hello = match self.version {
            1 => {
                json!({ "protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities(V1) })
            }
            _ => json!({ "protocolVersion": 2, "info": info, "capabilities": capabilities(V2) }),
        };
        let answer = self.request("initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], self.version);
        let cwd = self.folder.path().to_str().unwrap().to_owned();
        let mut params = json!({ "cwd": cwd });
        if self.version == 1 && self.fault != "no-mcp-servers" {
            params["mcpServers"] = json!([]);
        }
        self.request("session/new", &params)["result"]["sessionId"].clone()
    }

    /// Plays a scenario to the end of its turn.
    fn prompt(&mut self, session: &Value, name: &str) -> Value {
        self.is_cancelled = false;
        let prompt = json!([{ "type": "text", "text": format!("/{name}") }]);
        let id = self
            .start_request("session/prompt", &json!({ "sessionId": session, "prompt": prompt }));
        if name.starts_with("cancel") {
            self.fault = if name == "cancel-pending" { "holds" } else { self.fault };
            self.until(|message| message["method"] == "session/update");
            let soon = Instant::now() + Duration::from_millis(200);
            while let Ok(message) =
                self.lines.recv_timeout(soon.saturating_duration_since(Instant::now()))
            {
                if message["method"].is_string() && message.get("id").is_some() {
                    self.serve(&message);
                }
            }
            self.send(json!({ "method": "session/cancel", "params": { "sessionId": session } }));
            self.is_cancelled = true;
            for held in std::mem::take(&mut self.held) {
                self.serve(&held);
            }
        }
        let is_v1 = self.version == 1;
        let end = self.until(|message| {
            if is_v1 {
                message["method"].is_null() && message["id"] == id
            } else {
                message["params"]["update"]["state"] == "idle"
            }
        });
        if matches!(name, "late" | "out-of-turn" | "states") {
            // What follows is served with the next request.
            let soon = Instant::now() + Duration::from_millis(700);
            while let Ok(message) =
                self.lines.recv_timeout(soon.saturating_duration_since(Instant::now()))
            {
                if message["method"].is_string() && message.get("id").is_some() {
                    self.serve(&message);
                }
            }
        }
        end
    }

    /// Closes the connection. Returns the recording.
    fn close(mut self) -> String {
        drop(self.stdin);
        let begun = Instant::now();
        assert!(self.agent.wait().unwrap().success());
        assert!(begun.elapsed() < Duration::from_secs(5));
        recording(&self.folder.path().join("recordings"))
    }
}

fn recording(folder: &Path) -> String {
    let mut entries = fs::read_dir(folder).unwrap();
    fs::read_to_string(entries.next().unwrap().unwrap().path()).unwrap()
}

/// The rules that a recording breaks. `both`: also those that bind the agent.
fn broken(recording: &str, both: bool) -> Vec<String> {
    let (start, rest) = recording.split_once('\n').unwrap();
    let mut start: Value = serde_json::from_str(start).unwrap();
    assert_eq!(start["driven"]["plays"], "agent");
    if both {
        start.as_object_mut().unwrap().remove("driven");
    }
    let (found, outcome) = check(format!("{start}\n{rest}").as_bytes(), &Settings::default());
    assert_eq!(outcome.format, Some("acpcheck-record"));
    let told =
        |it: &acpcheck::diagnostic::Diagnostic| format!("{} {}", it.rule.id, it.finding.message);
    let mut found: Vec<_> = found.iter().map(told).collect();
    found.dedup();
    found
}

/// The states of the scenarios that a recording tells.
fn states(recording: &str) -> Vec<(String, String)> {
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    lines
        .filter(|line| line["event"] == "scenario")
        .map(|line| (text(&line, "name"), text(&line, "state")))
        .collect()
}

#[test]
fn neither_side_breaks_a_rule_where_the_client_conforms() {
    for version in [1, 2] {
        let mut client = Client::start(version, "", &[]);
        let session = client.session();
        let is_there = |number: u64| number == version;
        let scenarios: Vec<_> = SCENARIOS
            .iter()
            .filter(|it| it.version.is_none_or(|only| is_there(only as u64 + 1)))
            .collect();
        for scenario in &scenarios {
            client.fault = "";
            client.prompt(&session, scenario.name);
        }
        let recording = client.close();
        assert_eq!(broken(&recording, true), Vec::<String>::new(), "version {version}");
        for (name, state) in states(&recording) {
            let is_there = state == "done" || state == "not offered";
            assert!(is_there, "version {version}, {name}: {state}");
        }
        assert_eq!(states(&recording).len(), scenarios.len());
    }
}

#[test]
fn faults_are_found_and_refused() {
    for (fault, scenario, rule) in [
        ("option-not-offered", "permission", "permission/option-not-offered"),
        ("answers-twice", "permission", "jsonrpc/duplicate-response"),
        ("null", "permission", "schema/result"),
        ("ignores", "extensions", "jsonrpc/unanswered-request"),
        ("reads-all", "files", "fs/limit-exceeded"),
    ] {
        let mut client = Client::start(1, fault, &[]);
        let session = client.session();
        client.prompt(&session, scenario);
        let found = broken(&client.close(), false);
        assert!(
            !found.is_empty() && found.iter().all(|it| it.starts_with(rule)),
            "{fault}: {found:?}"
        );
    }
}

#[test]
fn a_refusal_has_the_words_of_the_finding() {
    let mut client = Client::start(1, "", &[]);
    let session = client.session();
    for (method, params, code, rule) in [
        ("session/new", json!({ "cwd": ".", "mcpServers": [] }), -32602, "session/relative-path"),
        ("session/new", json!({ "cwd": "/tmp" }), -32602, "schema/params"),
        (
            "session/set_mode",
            json!({ "sessionId": session, "modeId": "yolo" }),
            -32602,
            "session/mode-not-available",
        ),
        ("session/delete", json!({ "sessionId": session }), -32601, "capability/agent-method"),
    ] {
        // A fault that is made twice is refused twice.
        for _ in 0..2 {
            let error = client.request(method, &params)["error"].clone();
            assert_eq!(
                (&error["code"], &error["data"]["rule"]),
                (&json!(code), &json!(rule)),
                "{error}"
            );
            assert!(!error["message"].as_str().unwrap().is_empty());
        }
    }
    client.write("{\n");
    let error = client.until(|message| message.get("error").is_some());
    assert_eq!((&error["id"], &error["error"]["code"]), (&Value::Null, &json!(-32700)));
    client.close();
}
