//! A client that starts `acpcheck play`, does what it is asked, and makes the faults that it is told.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");

/// A client that answers what it is asked, and makes the faults that are named.
pub(crate) struct Client {
    agent: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
    folder: TempDir,
    version: u64,
    faults: Vec<String>,
    next_id: u64,
    held: Vec<Value>,
    is_cancelled: bool,
    /// Whether permissions are left open until the turn is stopped.
    holds: bool,
    terminals: u32,
}

const V1: &str = r#"{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"plan":{},"elicitation":{"form":{}}}"#;
const V2: &str = r#"{"elicitation":{"form":{}}}"#;

impl Client {
    /// A client whose agent is `acpcheck play` with these options.
    pub(crate) fn start(version: u64, faults: &[&str], options: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(PROGRAM);
        command.args(["play", "-o"]).arg(folder.path().join("recordings"));
        command.args(if options.contains(&"--timeout") { &[][..] } else { &["--timeout", "3"] });
        command.args(options);
        Self::of(command, folder, version, faults)
    }

    /// A client with this agent.
    pub(crate) fn of(mut command: Command, folder: TempDir, version: u64, faults: &[&str]) -> Self {
        let mut agent = command
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
            faults: faults.iter().map(|&it| it.to_owned()).collect(),
            next_id: 0,
            held: Vec::new(),
            is_cancelled: false,
            holds: false,
            terminals: 0,
        }
    }

    pub(crate) fn write(&mut self, text: &str) {
        self.stdin.write_all(text.as_bytes()).unwrap();
    }

    pub(crate) fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.write(&format!("{message}\n"));
    }

    pub(crate) fn start_request(&mut self, method: &str, params: &Value) -> u64 {
        self.next_id += 1;
        self.send(json!({ "id": self.next_id, "method": method, "params": params }));
        self.next_id
    }

    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Value {
        let id = self.start_request(method, params);
        self.until(|message| message["method"].is_null() && message["id"] == id)
    }

    /// Serves the agent until a message comes that is waited for.
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.lines.recv_timeout(Duration::from_secs(60)).expect("a message");
            if is_it(&message) {
                return message;
            }
            if message["method"] == "$/cancel_request" {
                self.drop_held();
            }
            if message["method"].is_string() && message.get("id").is_some() {
                self.serve(&message);
            }
        }
    }

    /// Answers the permission requests that wait, because the agent withdraws them.
    fn drop_held(&mut self) {
        let code = if self.has("withdrawn-failed") { -32603 } else { -32800 };
        for held in std::mem::take(&mut self.held) {
            self.send(json!({ "id": held["id"], "error": { "code": code, "message": "aborted" } }));
        }
    }

    /// Whether the client makes this fault.
    fn has(&self, fault: &str) -> bool {
        self.faults.iter().any(|it| it == fault)
    }

    fn serve(&mut self, message: &Value) {
        let (id, params) = (&message["id"], &message["params"]);
        let own_error = |code: i64| json!({ "error": { "code": code, "message": "no" } });
        let result = |result: Value| json!({ "result": result });
        let answer = match message["method"].as_str().unwrap() {
            "session/request_permission"
                if (self.holds || self.has("permission-unanswered")) && !self.is_cancelled =>
            {
                self.held.push(message.clone());
                return;
            }
            "session/request_permission" if self.has("permission-unsupported") => own_error(-32601),
            "session/request_permission" => result(self.outcome(params)),
            "fs/read_text_file" if self.has("reads-nothing") => own_error(-32601),
            "terminal/kill" if self.has("kills-nothing") => own_error(-32601),
            "elicitation/create" if self.has("no-form") => own_error(-32601),
            "fs/write_text_file" => {
                let (path, text) = (params["path"].as_str(), params["content"].as_str());
                fs::write(path.unwrap(), text.unwrap()).unwrap();
                result(json!({}))
            }
            "fs/read_text_file" => match fs::read_to_string(params["path"].as_str().unwrap()) {
                Ok(text) => result(json!({ "content": self.part(&text, params) })),
                Err(_) if self.has("error-without-message") => {
                    json!({ "error": { "code": -32002 } })
                }
                Err(_) => own_error(-32002),
            },
            "terminal/create" => {
                let is_taken = self.has("terminal-twice") && self.terminals > 0;
                self.terminals += u32::from(!is_taken);
                result(json!({ "terminalId": format!("t{}", self.terminals) }))
            }
            "terminal/wait_for_exit" => result(json!({ "exitCode": 0, "signal": null })),
            "terminal/output" if self.has("output-too-long") => result(
                json!({ "output": "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", "truncated": true }),
            ),
            "terminal/output" => {
                let code = u8::from(self.has("exit-changes"));
                let status = json!({ "exitCode": code, "signal": null });
                result(json!({ "output": "17 18\n", "truncated": true, "exitStatus": status }))
            }
            method if method.starts_with("terminal/") => result(json!({})),
            "elicitation/create" => {
                let mut content = json!({ "name": "Ada", "number": 3 });
                if self.has("form-without-name") {
                    content = json!({ "number": 3 });
                }
                if self.has("form-out-of-bounds") {
                    content["number"] = 12.into();
                }
                result(json!({ "action": "accept", "content": content }))
            }
            "_acpcheck/unknown" if self.has("ignores-unknown") => return,
            "_acpcheck/unknown" if self.has("accepts-unknown") => result(json!({})),
            _ => own_error(-32601),
        };
        let mut answer = answer;
        answer["id"] = id.clone();
        let is_permission = message["method"] == "session/request_permission";
        let is_file = message["method"] == "fs/write_text_file";
        if self.has("answers-with-text-id") && is_file {
            answer["id"] = id.to_string().into();
        }
        if self.has("answers-stranger") && is_file {
            self.send(json!({ "id": 987_654, "result": {} }));
        }
        if self.has("result-and-error") && is_file {
            answer["error"] = json!({ "code": 1, "message": "both" });
        }
        if self.has("answers-twice") && is_permission {
            self.send(answer.clone());
        }
        self.send(answer);
    }

    /// The part of a file that is asked for.
    fn part(&self, text: &str, params: &Value) -> String {
        let number = |name: &str| params[name].as_u64().and_then(|it| usize::try_from(it).ok());
        let (first, limit) = (number("line").unwrap_or(1) - 1, number("limit"));
        let lines = text.split_inclusive('\n').skip(first);
        let part: String = lines.take(limit.unwrap_or(usize::MAX)).collect();
        if self.has("reads-all") { text.to_owned() } else { part }
    }

    fn outcome(&self, params: &Value) -> Value {
        let option = if self.has("option-not-offered") {
            json!("allow")
        } else {
            params["options"][0]["optionId"].clone()
        };
        let selected = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        match self.is_cancelled {
            _ if self.has("permission-null") => Value::Null,
            true if !self.has("selected-after-cancel") => {
                json!({ "outcome": { "outcome": "cancelled" } })
            }
            _ => selected,
        }
    }

    /// Initializes the connection and creates a session. Returns its id.
    pub(crate) fn session(&mut self) -> Value {
        let info = json!({ "name": "small-client", "version": "1" });
        let capabilities = |text| serde_json::from_str::<Value>(text).unwrap();
        let hello = match self.version {
            1 => json!({
                "protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities(V1),
            }),
            _ => json!({ "protocolVersion": 2, "info": info, "capabilities": capabilities(V2) }),
        };
        let cwd = self.folder.path().to_str().unwrap().to_owned();
        let mut params = json!({ "cwd": cwd });
        if self.version == 1 {
            params["mcpServers"] = json!([]);
        }
        if self.has("session-before-initialize") {
            self.request("session/new", &params);
        }
        if self.has("plan-not-an-object") {
            let mut faulty = hello.clone();
            faulty["clientCapabilities"]["plan"] = true.into();
            self.request("initialize", &faulty);
        }
        if self.has("session-with-initialize") {
            self.start_request("initialize", &hello);
            self.request("session/new", &params);
        } else {
            let answer = self.request("initialize", &hello);
            assert_eq!(answer["result"]["protocolVersion"], self.version);
        }
        if self.has("initializes-twice") {
            self.request("initialize", &hello);
        }
        let server = json!({ "name": "s", "command": "/bin/cat", "args": [], "env": [] });
        for (fault, name, value) in [
            ("relative-cwd", "cwd", json!("work")),
            ("no-mcp-servers", "mcpServers", Value::Null),
            (
                "sse-server",
                "mcpServers",
                json!([{ "type": "sse", "name": "s", "url": "http://localhost/", "headers": [] }]),
            ),
            ("server-without-type", "mcpServers", json!([server])),
            ("more-folders", "additionalDirectories", json!(["/tmp"])),
        ] {
            if self.has(fault) {
                let mut faulty = params.clone();
                faulty[name] = value;
                if faulty[name].is_null() {
                    faulty.as_object_mut().unwrap().remove(name);
                }
                self.request("session/new", &faulty);
            }
        }
        let session = self.request("session/new", &params)["result"]["sessionId"].clone();
        let named = |more: Value| {
            let mut params = more;
            params["sessionId"] = session.clone();
            params
        };
        for (fault, method, params) in [
            ("unknown-mode", "session/set_mode", named(json!({ "modeId": "yolo" }))),
            (
                "unknown-option",
                "session/set_config_option",
                named(json!({ "configId": "speed", "value": "fast" })),
            ),
            (
                "unknown-value",
                "session/set_config_option",
                named(json!({ "configId": "model", "value": "huge" })),
            ),
            ("deletes", "session/delete", named(json!({}))),
            (
                "lost-session",
                "session/prompt",
                json!({ "sessionId": "lost", "prompt": [{ "type": "text", "text": "?" }] }),
            ),
            ("made-up-cursor", "session/list", json!({ "cursor": "page-9" })),
            ("text-prompt", "session/prompt", named(json!({ "prompt": "hello" }))),
            ("unknown-login", "authenticate", json!({ "methodId": "password" })),
        ] {
            if self.has(fault) {
                self.request(method, &params);
            }
        }
        self.write_faulty_lines();
        if self.has("uses-closed") {
            let closed = self.request("session/new", &params)["result"]["sessionId"].clone();
            self.request("session/close", &json!({ "sessionId": closed }));
            let prompt = json!([{ "type": "text", "text": "/turn" }]);
            self.request("session/prompt", &json!({ "sessionId": closed, "prompt": prompt }));
        }
        session
    }

    /// Writes lines that are no messages, or messages that are not framed as they should be.
    fn write_faulty_lines(&mut self) {
        if self.has("log-line") {
            self.write("client: ready\n");
        }
        if self.has("pretty") {
            let request = json!({
                "jsonrpc": "2.0", "id": "pretty", "method": "session/list", "params": {},
            });
            self.write(&format!("{}\n", serde_json::to_string_pretty(&request).unwrap()));
        }
        if self.has("no-version") {
            self.write("{\"id\":\"n\",\"method\":\"session/list\",\"params\":{}}\n");
        }
        if self.has("batch") {
            self.write(
                "[{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"session/list\",\"params\":{}}]\n",
            );
        }
        if self.has("fraction-id") {
            self.write(
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"session/list\",\"params\":{}}\n",
            );
        }
    }

    /// Plays a scenario to the end of its turn.
    pub(crate) fn prompt(&mut self, session: &Value, name: &str) -> Value {
        self.is_cancelled = false;
        let mut prompt = json!([{ "type": "text", "text": format!("/{name}") }]);
        if self.has("image-prompt") {
            let image = json!({ "type": "image", "mimeType": "image/png", "data": "aGk=" });
            prompt.as_array_mut().unwrap().push(image);
        }
        let id = self
            .start_request("session/prompt", &json!({ "sessionId": session, "prompt": prompt }));
        if self.has("same-id-twice") && name == "permission" {
            self.send(json!({ "id": id, "method": "session/list", "params": {} }));
        }
        if self.has("two-prompts") && name == "cancel" {
            let params = json!({ "sessionId": session, "prompt": prompt });
            self.start_request("session/prompt", &params);
        }
        self.holds = name == "withdraw";
        if name.starts_with("cancel") {
            self.holds = name == "cancel-pending";
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
                if !self.has("unanswered-after-cancel") {
                    self.serve(&held);
                }
            }
            self.holds = false;
        }
        let is_v1 = self.version == 1;
        let is_end = |message: &Value| {
            if is_v1 {
                // A list that was asked for with the same id ends no turn.
                let is_list = message["result"].get("sessions").is_some();
                message["method"].is_null() && message["id"] == id && !is_list
            } else {
                message["params"]["update"]["state"] == "idle"
            }
        };
        let end = self.until(is_end);
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
    pub(crate) fn close(mut self) -> String {
        drop(self.stdin);
        let begun = Instant::now();
        assert!(self.agent.wait().unwrap().success());
        assert!(begun.elapsed() < Duration::from_secs(5));
        let mut entries = fs::read_dir(self.folder.path().join("recordings")).unwrap();
        fs::read_to_string(entries.next().unwrap().unwrap().path()).unwrap()
    }

    /// Closes the connection.
    pub(crate) fn end(mut self) {
        drop(self.stdin);
        self.agent.wait().unwrap();
    }
}
