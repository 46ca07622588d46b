//! The tricks, each a value in [`TRICKS`].

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::super::formats::writers::{self, Sent};

/// Something that an agent may write.
pub(super) enum Trick {
    /// Lines between those of the conversation.
    Lines(&'static str, fn(&[Sent]) -> Vec<String>),
    /// One of its lines, written otherwise; `None` where that cannot be.
    Rewrite(&'static str, fn(&str) -> Option<String>),
    /// All of its lines, written otherwise.
    Everywhere(&'static str, fn(&str) -> Option<String>),
}

impl Trick {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Lines(name, _) | Self::Rewrite(name, _) | Self::Everywhere(name, _) => name,
        }
    }
}

/// All tricks. The next one is one line more.
pub(super) const TRICKS: &[Trick] = &[
    Trick::Lines("log of conductor", |_| log("conductor-debug")),
    Trick::Lines("log with arrows", |_| log("arrows")),
    Trick::Lines("log of VS Code", |_| log("vscode-acp")),
    Trick::Lines("log of JetBrains", |_| log("jetbrains")),
    Trick::Lines("log with a prefix", |_| log("prefixed")),
    Trick::Lines("log of Toad", |_| log("toad")),
    Trick::Lines("log of Emacs", |_| log("acp-el-log")),
    Trick::Lines("log of CodeCompanion", |_| log("codecompanion")),
    Trick::Lines("log of Avante", |_| log("avante")),
    Trick::Lines("frames of mistral-vibe", |_| log("mistral-vibe")),
    Trick::Lines("frames of the inspector", |_| log("acp-inspector")),
    Trick::Lines("lines of record", |_| log("acpcheck-record")),
    Trick::Lines("journal of acpx", |_| {
        vec![r#"{"schema":"acpx.session.journal.v1","type":"segment","sequence":0}"#.into()]
    }),
    Trick::Lines("an answer to nothing", |_| {
        vec![r#"{"jsonrpc":"2.0","id":5000,"result":{}}"#.into()]
    }),
    Trick::Lines("an own notification", |_| {
        vec![r#"{"jsonrpc":"2.0","method":"_agent.example/started","params":{}}"#.into()]
    }),
    Trick::Lines("a request of a client", |_| {
        vec![r#"{"jsonrpc":"2.0","id":"x-1","method":"session/list","params":{}}"#.into()]
    }),
    Trick::Lines("words of redaction", |_| {
        vec![
            r#"{"jsonrpc":"2.0","method":"_x/y","params":{"token":"<REDACTED>","home":"~/x"}}"#
                .into(),
        ]
    }),
    Trick::Lines("half a message", |_| vec![r#"{"jsonrpc":"2.0","method":"session/upd"#.into()]),
    Trick::Lines("call and response at once", |_| {
        vec![r#"{"jsonrpc":"2.0","id":"z","method":"_x/y","result":{}}"#.into()]
    }),
    Trick::Lines("result and error at once", |_| {
        vec![r#"{"jsonrpc":"2.0","id":"z","result":{},"error":{"code":1,"message":"x"}}"#.into()]
    }),
    Trick::Lines("responses without an id", |_| {
        vec![r#"{"jsonrpc":"2.0","result":{"sessionId":"z"}}"#.into(); 3]
    }),
    Trick::Lines("an initialize of its own", |_| {
        vec![
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#
                .into(),
        ]
    }),
    Trick::Rewrite("half of a letter in a name", |text| {
        text.strip_prefix('{').map(|rest| format!("{{\"\\ud800\":1,{rest}"))
    }),
    Trick::Everywhere("a trace in each update", |text| {
        let mut message: Value = serde_json::from_str(text).ok()?;
        let update = message.get_mut("params")?.get_mut("update")?.as_object_mut()?;
        let id = text.len();
        update.insert("_meta".into(), json!({"traceparent": format!("00-{id:032x}-{id:016x}-01")}));
        Some(message.to_string())
    }),
    Trick::Everywhere("another parent in each plan", |text| {
        changed(text, |message| {
            let update = message.get_mut("params")?.get_mut("update")?;
            let parent = update.to_string().len().to_string();
            let is_legacy = update.get("entries").is_some();
            let plan = if is_legacy { update } else { update.get_mut("plan")? };
            plan.as_object_mut()?.insert("_meta".into(), json!({"parentId": parent}));
            Some(())
        })
    }),
    Trick::Rewrite("capabilities of version 1 beside the own", |text| {
        changed(text, |message| {
            let result = message.get_mut("result")?.as_object_mut()?;
            result.get("capabilities")?;
            result.insert("agentCapabilities".into(), json!({"loadSession": true}));
            Some(())
        })
    }),
    Trick::Lines("a bracket", |_| vec!["[".into()]),
    Trick::Lines("a brace", |_| vec!["{".into()]),
    Trick::Lines("a fence", |_| vec!["```".into()]),
    Trick::Lines("a header of LSP", |_| vec!["Content-Length: 40".into(), String::new()]),
    Trick::Lines("noise", |_| vec!["starting up...".into()]),
    Trick::Lines("a null", |_| vec!["null".into()]),
    Trick::Lines("many lines of noise", |_| {
        (0..40).map(|number| format!("[{number}] INFO agent: working")).collect()
    }),
    Trick::Lines("traffic of MCP", |_| {
        let mut lines = vec![
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"a","version":"1"}}}"#.to_owned(),
        ];
        lines.extend((1..6).map(|id| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{}}}}"#)
        }));
        lines
    }),
    Trick::Lines("a request with the id of the client's last", |lines| {
        let id = lines
            .iter()
            .rev()
            .filter(|line| line.by_client)
            .find_map(|line| line.value().get("id").cloned());
        let id = id.unwrap_or(json!(1));
        vec![
            json!({"jsonrpc": "2.0", "id": id, "method": "_agent.example/ask", "params": {}})
                .to_string(),
        ]
    }),
    Trick::Lines("many values", |_| {
        let values = "1,".repeat(250_100);
        vec![format!(r#"{{"jsonrpc":"2.0","method":"_x/y","params":{{"x":[{values}1]}}}}"#)]
    }),
    Trick::Lines("lines twice", |lines| {
        lines.iter().rev().take(8).flat_map(|line| [line.text.clone(), line.text.clone()]).collect()
    }),
    Trick::Everywhere("each line twice", |line| Some(format!("{line}\n{line}"))),
    Trick::Everywhere("no `jsonrpc`", |line| {
        changed(line, |message| {
            message.as_object_mut()?.remove("jsonrpc");
            Some(())
        })
    }),
    Trick::Everywhere("a member more", |line| {
        changed(line, |message| {
            message.as_object_mut()?.insert("extra".into(), json!(1));
            Some(())
        })
    }),
    Trick::Rewrite("many values in the message", |line| {
        let values = "1,".repeat(250_100);
        in_members(line, &format!(r#""_meta":{{"x":[{values}1]}}"#))
    }),
    Trick::Rewrite("many levels in the message", |line| {
        let (open, close) = ("[".repeat(50_100), "]".repeat(50_100));
        in_members(line, &format!(r#""_meta":{{"x":{open}{close}}}"#))
    }),
    Trick::Rewrite("unknown members first", |line| {
        let members: Vec<String> = (0..600).map(|number| format!(r#""x{number}":0"#)).collect();
        in_members(line, &members.join(","))
    }),
    Trick::Rewrite("`_meta` that is none, first", |line| {
        let members: Vec<String> = (0..600).map(|_| r#"{"_meta":0}"#.to_owned()).collect();
        in_members(line, &format!(r#""x":[{}]"#, members.join(",")))
    }),
    Trick::Rewrite("in an array", |line| Some(format!("[{line}]"))),
    Trick::Rewrite("in two arrays", |line| Some(format!("[[{line}]]"))),
    Trick::Rewrite("in an array of five", |line| Some(format!("[[[[[{line}]]]],[]]"))),
    Trick::Rewrite("escapes", spelled),
    Trick::Everywhere("escapes everywhere", spelled),
    Trick::Rewrite("spaces", |line| Some(line.replace(':', " \t: ").replace(',', " , "))),
    Trick::Rewrite("over two lines", |line| {
        let (head, rest) = line.split_once(',')?;
        Some(format!("{head},\n{rest}"))
    }),
    Trick::Rewrite("a mark before it", |line| Some(format!("\u{feff}{line}"))),
    Trick::Rewrite("a zero behind it", |line| Some(format!("{line}\0"))),
    Trick::Rewrite("version 0", |line| version(line, &json!(0))),
    Trick::Rewrite("version -1", |line| version(line, &json!(-1))),
    Trick::Rewrite("version 1.5", |line| version(line, &json!(1.5))),
    Trick::Rewrite("version as a text", |line| version(line, &json!("1"))),
    Trick::Rewrite("version 65535", |line| version(line, &json!(65535))),
    Trick::Rewrite("`result` twice, null last", |line| twice(line, "result", "null", false)),
    Trick::Rewrite("`result` twice, null first", |line| twice(line, "result", "null", true)),
    Trick::Rewrite("`params` twice, empty last", |line| twice(line, "params", "{}", false)),
    Trick::Rewrite("`params` twice, empty first", |line| twice(line, "params", "{}", true)),
    Trick::Rewrite("`method` twice, own last", |line| twice(line, "method", r#""_x/y""#, false)),
    Trick::Rewrite("`method` twice, own first", |line| twice(line, "method", r#""_x/y""#, true)),
    Trick::Rewrite("`id` twice, another last", |line| twice(line, "id", "777", false)),
    Trick::Lines("values that are no message", |_| {
        ["[]", "null", "true", "0", "\"\"", "{}", "[[],[]]"].map(str::to_owned).to_vec()
    }),
    Trick::Lines("blocks of Markdown", |_| {
        let own = r#"{"jsonrpc":"2.0","method":"_x/y","params":{}}"#;
        ["```json", own, "```", "~~~", own, "~~~", "> {}", "```"].map(str::to_owned).to_vec()
    }),
    Trick::Lines("an error of acpx", |_| {
        vec![
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x","data":{"acpxCode":"RUNTIME","origin":"cli"}}}"#
                .into(),
        ]
    }),
    Trick::Lines("a file of SQLite", |_| vec!["SQLite format 3\0".into()]),
    Trick::Lines("a document of its own", |_| {
        vec![r#"{"version":1,"exportedAt":1,"history":[],"calls":[],"messages":[]}"#.into()]
    }),
    Trick::Lines("the client's lines in an array", |lines| {
        let own = lines.iter().filter(|line| line.by_client).map(|line| line.text.as_str());
        vec![format!("[{}]", own.collect::<Vec<_>>().join(","))]
    }),
    Trick::Lines("the client's lines again, behind an arrow", |lines| {
        let own = lines.iter().filter(|line| line.by_client);
        own.map(|line| format!("--> {}", line.text)).collect()
    }),
    Trick::Lines("answers in advance", |_| {
        (100..110).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).collect()
    }),
    Trick::Lines("three hundred questions", |_| {
        (0..300)
            .map(|id| {
                format!(r#"{{"jsonrpc":"2.0","id":"q{id}","method":"_x/ask","params":{{}}}}"#)
            })
            .collect()
    }),
    Trick::Lines("withdrawn requests", |lines| {
        let ids = lines
            .iter()
            .filter(|line| line.by_client)
            .filter_map(|line| line.value().get("id").cloned());
        ids.map(|id| {
            json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": id}})
                .to_string()
        })
        .collect()
    }),
    Trick::Lines("a thousand tool calls", |lines| {
        let updates = (0..600).map(|number| {
            json!({"sessionUpdate": "tool_call", "toolCallId": format!("t{number}"), "title": "x"})
        });
        in_first_session(lines, updates)
    }),
    Trick::Lines("a thousand messages", |lines| {
        let updates = (0..600).map(|number| {
            json!({"sessionUpdate": "agent_message_chunk", "messageId": format!("many-{number}"),
                "content": {"type": "text", "text": "x"}})
        });
        in_first_session(lines, updates)
    }),
    Trick::Lines("the state `unknown`", |lines| in_state(lines, "unknown")),
    Trick::Lines("a state of its own", |lines| in_state(lines, "_pondering")),
    Trick::Lines("clocks", |_| {
        vec![
            r#"{"ts":"1970-01-01T00:00:00Z","level":"info","msg":"started"}"#.into(),
            r#"{"ts":99999999999999,"level":"info","msg":"{\"jsonrpc\":\"2.0\"}"}"#.into(),
        ]
    }),
    Trick::Everywhere("behind its name", |line| Some(format!("agent: {line}"))),
    Trick::Everywhere("behind a level", |line| Some(format!("[INFO] sent {line}"))),
    Trick::Everywhere("in an envelope", |line| Some(format!(r#"{{"dir":"a2c","msg":{line}}}"#))),
    Trick::Everywhere("as a string in an envelope", |line| {
        Some(json!({"direction": "fromAgent", "json": line}).to_string())
    }),
    Trick::Everywhere("as a string", |line| Some(json!(line).to_string())),
    Trick::Everywhere("with a sender", |line| {
        Some(format!(r#"{{"direction":"incoming",{}"#, line.strip_prefix('{')?))
    }),
    Trick::Everywhere("printed over lines", |line| {
        let message: Value = serde_json::from_str(line).ok()?;
        serde_json::to_string_pretty(&message).ok()
    }),
    Trick::Rewrite("behind another on the line", |line| {
        Some(format!(r#"{{"jsonrpc":"2.0","method":"_x/y"}}{line}"#))
    }),
    Trick::Rewrite("before another on the line", |line| {
        Some(format!(r#"{line} {{"jsonrpc":"2.0","method":"_x/y"}}"#))
    }),
    Trick::Rewrite("behind a word", |line| Some(format!("ok {line}"))),
    Trick::Rewrite("before a remark", |line| Some(format!("{line} // ok"))),
    Trick::Rewrite("behind a NUL", |line| Some(format!("\0{line}"))),
    Trick::Rewrite("behind a space that is none", |line| Some(format!("\u{a0}{line}"))),
    Trick::Rewrite("behind a carriage return", |line| {
        Some(format!(r#"{{"jsonrpc":"2.0","method":"_x/y"}}{}{line}"#, '\r'))
    }),
    Trick::Rewrite("a mark inside", |line| Some(line.replacen('{', "{\u{feff}", 1))),
    Trick::Rewrite("a comma at the end", |line| Some(format!("{},}}", line.strip_suffix('}')?))),
    Trick::Rewrite("as a note of acpx", |line| {
        changed(line, |message| {
            let members = message.as_object_mut()?;
            members.remove("jsonrpc");
            members.insert("schema".into(), json!("acpx.session.v1"));
            Some(())
        })
    }),
    Trick::Rewrite("ids with a fraction", |line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let id = message.get("id")?.as_u64()?;
        Some(line.replacen(&format!(r#""id":{id}"#), &format!(r#""id":{id}.0"#), 1))
    }),
    Trick::Rewrite("as an answer of MCP", |line| {
        changed(line, |message| {
            let result = message.get_mut("result")?.as_object_mut()?;
            result.get("protocolVersion")?;
            result.insert("serverInfo".into(), json!({"name": "a", "version": "1"}));
            result.entry("capabilities").or_insert(json!({"tools": {}}));
            Some(())
        })
    }),
    Trick::Rewrite("words of redaction in it", |line| masked(line, "<REDACTED>")),
    Trick::Rewrite("`_meta` that names a recorder", |line| {
        in_members(
            line,
            r#""_meta":{"direction":"in","sender":"client","dir":"c2a","schema":"acpx.x","event":"end"}"#,
        )
    }),
    Trick::Rewrite("members of recorders", |line| {
        Some(format!(
            r#"{{"dir":"in","sender":"client","source":"client","ts":1,"seq":1,"event":"end",{}"#,
            line.strip_prefix('{')?
        ))
    }),
    Trick::Rewrite("half a character", |line| {
        in_members(line, r#""_meta":{"\ud800":"\udfff\ud800"}"#)
    }),
    Trick::Rewrite("ids with an exponent", |line| id(line, |id| format!("{id}e0"))),
    Trick::Rewrite("ids as texts", |line| id(line, |id| format!(r#""{id}""#))),
    Trick::Rewrite("ids in an array", |line| id(line, |id| format!("[{id}]"))),
    Trick::Rewrite("version 1.0", |line| {
        let is_answer = line.contains(r#""result""#);
        let rest = Some(line.replacen(r#""protocolVersion":1"#, r#""protocolVersion":1.0"#, 1));
        rest.filter(|rest| is_answer && rest != line)
    }),
    Trick::Rewrite("an error beside the result", |line| {
        beside(line, "result", r#""error":{"code":-32603,"message":"x"}"#)
    }),
    Trick::Rewrite("a result beside the error", |line| beside(line, "error", r#""result":{}"#)),
    Trick::Rewrite("a result beside the method", |line| beside(line, "method", r#""result":{}"#)),
    Trick::Rewrite("a method beside the result", |line| {
        beside(line, "result", r#""method":"_x/y""#)
    }),
    Trick::Rewrite("among three thousand others", |line| {
        let other = r#"{"jsonrpc":"2.0","method":"_x/y"},"#.repeat(3000);
        Some(format!("[{other}{line}]"))
    }),
    Trick::Rewrite("members of a message twice", |line| {
        let (head, rest) = line.split_once(r#""update":{"#)?;
        Some(format!(
            r#"{head}"update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":""}}}},"update":{{{rest}"#
        ))
    }),
    Trick::Rewrite("a session twice, another last", |line| {
        let (head, rest) = line.split_once(r#""params":{"#)?;
        rest.contains(r#""sessionId""#).then_some(())?;
        let rest = rest.strip_suffix("}}")?;
        Some(format!(r#"{head}"params":{{{rest},"sessionId":"another"}}}}"#))
    }),
    Trick::Lines("marks of cuts", |_| {
        [
            r#"{"jsonrpc":"2.0","method":"_x/y","truncated":true}"#,
            r#"{"jsonrpc":"2.0","method":"_x/y","params":{"isTruncated":true}}"#,
            "... [4096 bytes truncated] ...",
            "… 12 lines omitted",
            r#"{"event":"gap","lost":12}"#,
            r#"{"t":1,"event":"lost","count":12}"#,
        ]
        .map(str::to_owned)
        .to_vec()
    }),
    Trick::Everywhere("marked as cut", |line| {
        Some(format!(r#"{{"truncated":true,"incomplete":true,{}"#, line.strip_prefix('{')?))
    }),
    Trick::Everywhere("cut by dots", |line| Some(format!("{line}..."))),
    Trick::Lines("a recording that begins and ends", |_| {
        [
            r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"a","arguments":0,"driven":{"run":"4d1c09a7e2b85f36","scenario":"sessions","process":1,"plays":"agent"}}"#,
            r#"{"t":1,"event":"scenario","name":"sessions","state":"passed","step":"end"}"#,
            r#"{"t":1,"dir":"a2c","event":"end"}"#,
            r#"{"t":1,"dir":"c2a","event":"end"}"#,
        ]
        .map(str::to_owned)
        .to_vec()
    }),
    Trick::Lines("remarks that switch rules off", |_| {
        [
            "# acpcheck: ignore",
            "// acpcheck-disable-next-line",
            r#"{"ignore":["ALL"],"select":[]}"#,
            "[rules]",
            r#"ignore = ["*"]"#,
            r#"{"acpcheck":{"fail-on":"never","suppress":["*"]}}"#,
        ]
        .map(str::to_owned)
        .to_vec()
    }),
    Trick::Lines("a report of acpcheck", |_| {
        [
            r#"{"format_version":1,"tool":"acpcheck","surface":"v1"}"#,
            r#"{"path":"x","format":"ndjson","messages":9,"unjudged":{"messages":0,"rules":0},"diagnostics":[]}"#,
            "No findings in 1 file (9 messages).",
        ]
        .map(str::to_owned)
        .to_vec()
    }),
    Trick::Lines("approvals of its own", |lines| {
        let asked = lines.iter().filter(|line| !line.by_client).map(Sent::value);
        let ids =
            asked.filter(|it| it.get("method").is_some()).filter_map(|it| it.get("id").cloned());
        ids.map(|id| {
            json!({"jsonrpc": "2.0", "id": id,
                "result": {"outcome": {"outcome": "selected", "optionId": "allow"}}})
            .to_string()
        })
        .collect()
    }),
    Trick::Lines("refusals of its own", |lines| {
        let asked = lines.iter().filter(|line| line.by_client).map(Sent::value);
        let ids =
            asked.filter(|it| it.get("method").is_some()).filter_map(|it| it.get("id").cloned());
        ids.map(|id| {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "x"}})
                .to_string()
        })
        .collect()
    }),
    Trick::Everywhere("two carriage returns behind it", |line| Some(format!("{line}\r\r"))),
    Trick::Rewrite("a carriage return inside", |line| Some(line.replacen(',', ",\r", 1))),
    Trick::Rewrite("a NUL inside", |line| Some(line.replacen('{', "{\0", 1))),
    Trick::Rewrite("other separators of lines", |line| {
        Some(format!("{{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}}\u{2028}{line}"))
    }),
    Trick::Rewrite("a form feed before it", |line| Some(format!("\u{c}{line}"))),
    Trick::Rewrite("colours of a terminal around it", |line| {
        Some(format!("\u{1b}[31m{line}\u{1b}[0m"))
    }),
    Trick::Rewrite("a word in place of its session", |line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let session = message.pointer("/result/sessionId")?.as_str()?;
        Some(line.replacen(&format!(r#""sessionId":"{session}""#), r#""sessionId":"***""#, 1))
    }),
];

/// Session updates of the first session that a line names.
fn in_first_session(lines: &[Sent], updates: impl Iterator<Item = Value>) -> Vec<String> {
    let session = lines.iter().find_map(|line| {
        let message = line.value();
        let named = message.pointer("/result/sessionId").or(message.pointer("/params/sessionId"));
        named.cloned()
    });
    let session = session.unwrap_or(json!("s"));
    let message = |update| {
        json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": session, "update": update}})
        .to_string()
    };
    updates.map(message).collect()
}

/// The update of the first session that a line names to a state.
pub(super) fn in_state(lines: &[Sent], state: &str) -> Vec<String> {
    in_first_session(lines, [json!({"sessionUpdate": "state_update", "state": state})].into_iter())
}

/// The line with a word in place of all texts in its params or result.
fn masked(line: &str, word: &str) -> Option<String> {
    fn mask(value: &mut Value, word: &str) {
        match value {
            Value::String(text) => word.clone_into(text),
            Value::Array(values) => values.iter_mut().for_each(|value| mask(value, word)),
            Value::Object(members) => members.values_mut().for_each(|value| mask(value, word)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut message: Value = serde_json::from_str(line).ok()?;
    let part = if message.get("params").is_some() { "params" } else { "result" };
    mask(message.get_mut(part)?, word);
    Some(message.to_string())
}

/// A conversation without fault, as another recorder writes it.
fn log(name: &str) -> Vec<String> {
    static LOGS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
        let of = |by_client, text: Value| Sent::new(by_client, &text);
        let mut sent = vec![
            of(
                true,
                json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1, "clientInfo": {"name": "e", "version": "1"}}}),
            ),
            of(
                false,
                json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentInfo": {"name": "a", "version": "1"}}}),
            ),
        ];
        for id in 1..24 {
            sent.push(of(true, json!({"jsonrpc": "2.0", "id": id, "method": "session/new", "params": {"cwd": "/work", "mcpServers": []}})));
            sent.push(of(
                false,
                json!({"jsonrpc": "2.0", "id": id, "result": {"sessionId": format!("s{id}")}}),
            ));
        }
        writers::all().iter().map(|writer| (writer.name, writer.file(&sent).text)).collect()
    });
    let found = LOGS.iter().find(|(own, _)| *own == name).unwrap_or_else(|| panic!("{name}"));
    found.1.lines().map(str::to_owned).collect()
}

/// The line with its id written otherwise, where it is a number.
fn id(line: &str, write: fn(u64) -> String) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let id = message.get("id")?.as_u64()?;
    let own = format!(r#""id":{id},"#);
    line.contains(&own).then(|| line.replacen(&own, &format!(r#""id":{},"#, write(id)), 1))
}

/// The line with one more member, where it has a member of this name.
fn beside(line: &str, name: &str, member: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    message.get(name)?;
    Some(format!("{{{member},{}", line.trim().strip_prefix('{')?))
}

fn changed(line: &str, change: fn(&mut Value) -> Option<()>) -> Option<String> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    change(&mut message)?;
    Some(message.to_string())
}

/// The line with members at the beginning of its params, its update, or its result.
fn in_members(line: &str, members: &str) -> Option<String> {
    let name = [r#""update":{"#, r#""result":{"#, r#""params":{"#]
        .into_iter()
        .find(|name| line.contains(name))?;
    let (head, rest) = line.split_once(name)?;
    let comma = if rest.starts_with('}') { "" } else { "," };
    Some(format!("{head}{name}{members}{comma}{rest}"))
}

fn version(line: &str, version: &Value) -> Option<String> {
    let mut message: Value = serde_json::from_str(line).ok()?;
    let place = message.get_mut("result")?.get_mut("protocolVersion")?;
    // The trick is to replace a published version.
    place.as_u64().filter(|own| *own > 0)?;
    *place = version.clone();
    Some(message.to_string())
}

/// The line with a member of the message twice.
fn twice(line: &str, name: &str, value: &str, first: bool) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    message.get(name)?;
    let inner = line.trim().strip_prefix('{')?.strip_suffix('}')?;
    let (member, is_first) = (format!(r#""{name}":{value}"#), first);
    let (one, other) = if is_first { (&*member, inner) } else { (inner, &*member) };
    Some(format!("{{{one},{other}}}"))
}

/// The line with escapes in all strings, names included.
fn spelled(line: &str) -> Option<String> {
    if line.contains("\\u") {
        return None;
    }
    let mut out = String::new();
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, unit) in line.char_indices() {
        match unit {
            '"' if !is_escaped => {
                in_string = !in_string;
                out.push(unit);
            }
            unit if in_string && !is_escaped && unit.is_ascii_alphabetic() && at % 2 == 0 => {
                out += &format!("\\u{:04x}", u32::from(unit));
            }
            unit => out.push(unit),
        }
        is_escaped = in_string && unit == '\\' && !is_escaped;
    }
    Some(out)
}
