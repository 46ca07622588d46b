//! What recorders drop, rewrite, mask, cut off or write twice is nobody's fault: rules that depend
//! on it stay silent and are named.

use std::collections::BTreeSet;

use acpcheck::check::{Outcome, Unassessed};
use serde_json::{Value, json};

use super::judge;

/// What is found, without what nobody gets wrong by accident.
fn found(text: &str) -> (Vec<&'static str>, Outcome) {
    let (diagnostics, outcome) = judge(text.as_bytes());
    (diagnostics.iter().map(|found| found.rule.id).collect(), outcome)
}

/// A conversation of two turns: who says what.
fn garden() -> Vec<(bool, Value)> {
    let info = json!({"name": "patio", "version": "1"});
    let ask = |id: Value, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let answer = |id: Value, result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
    let update = |update: Value| {
        json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": "bed", "update": update}})
    };
    let prompt = || json!({"sessionId": "bed", "prompt": [{"type": "text", "text": "Water it"}]});
    let offered = json!([{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]);
    vec![
        (
            true,
            ask(
                json!(0),
                "initialize",
                json!({"protocolVersion": 1, "clientInfo": info,
            "clientCapabilities": {"fs": {"readTextFile": true}}}),
            ),
        ),
        (
            false,
            answer(
                json!(0),
                json!({"protocolVersion": 1, "agentInfo": info,
            "agentCapabilities": {}, "authMethods": []}),
            ),
        ),
        (true, ask(json!(1), "session/new", json!({"cwd": "/garden", "mcpServers": []}))),
        (false, answer(json!(1), json!({"sessionId": "bed"}))),
        (true, ask(json!(2), "session/prompt", prompt())),
        (
            false,
            update(json!({"sessionUpdate": "tool_call", "toolCallId": "hose", "title": "Hose",
            "kind": "execute", "status": "pending"})),
        ),
        (
            false,
            ask(
                json!(0),
                "session/request_permission",
                json!({"sessionId": "bed",
            "toolCall": {"toolCallId": "hose"}, "options": offered}),
            ),
        ),
        (true, answer(json!(0), json!({"outcome": {"outcome": "selected", "optionId": "yes"}}))),
        (
            false,
            ask(json!(1), "fs/read_text_file", json!({"sessionId": "bed", "path": "/garden/a"})),
        ),
        (true, answer(json!(1), json!({"content": "dry"}))),
        (
            false,
            update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "hose",
            "status": "completed"})),
        ),
        (false, answer(json!(2), json!({"stopReason": "end_turn"}))),
        (true, ask(json!(3), "session/prompt", prompt())),
        (
            false,
            update(json!({"sessionUpdate": "agent_message_chunk",
            "content": {"type": "text", "text": "wet \"😀\"\n"}})),
        ),
        (false, answer(json!(3), json!({"stopReason": "end_turn"}))),
    ]
}

const SENT: [u64; 3] = [6, 9, 0];

/// A line for each message.
fn lines(sent: &[(bool, Value)], line: impl Fn(bool, &Value) -> Value) -> String {
    sent.iter().map(|(by_client, message)| format!("{}\n", line(*by_client, message))).collect()
}

fn bare(sent: &[(bool, Value)]) -> String {
    lines(sent, |_, message| message.clone())
}

fn word(by_client: bool, words: [&str; 2]) -> &str {
    words[usize::from(!by_client)]
}

fn silenced(outcome: &Outcome) -> BTreeSet<&'static str> {
    outcome.unassessed.iter().flat_map(|limit: &Unassessed| limit.rules.iter().copied()).collect()
}

fn has_note(outcome: &Outcome, part: &str) -> bool {
    outcome.notes.iter().any(|note| note.contains(part))
}

/// The same with other ids, as clients draw them that begin no count.
fn with_drawn_ids(sent: &[(bool, Value)], lot: u32) -> Vec<(bool, Value)> {
    let mut sent = sent.to_vec();
    for (by_client, message) in &mut sent {
        let is_asked_by_client = *by_client == message.get("method").is_some();
        if let Some(id) = message.get("id").and_then(Value::as_u64).filter(|_| is_asked_by_client) {
            message["id"] = json!(format!("{lot:08x}-0000-4000-8000-{id:012x}"));
        }
    }
    sent
}

#[test]
fn t1_words_mean_what_the_methods_say() {
    for words in [["in", "out"], ["out", "in"], [">>>", "<<<"], ["<<<", ">>>"], ["up", "down"]] {
        let text = lines(
            &garden(),
            |by_client, message| json!({"ts": 1, "dir": word(by_client, words), "msg": message}),
        );
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT), "{words:?}");
    }
}

#[test]
fn t2_each_side_counts_its_own_requests() {
    let (rules, outcome) = found(&bare(&garden()));
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
}

#[test]
fn t3_what_only_one_side_says_answers_nothing_in_the_file() {
    for by_client in [false, true] {
        let part: Vec<_> = garden().into_iter().filter(|(by, _)| *by == by_client).collect();
        let (rules, outcome) = found(&bare(&part));
        assert!(rules.is_empty(), "{rules:?}");
        assert_eq!(outcome.senders[usize::from(by_client)], 0);
        assert!(has_note(&outcome, "messages are recorded"), "{:?}", outcome.notes);
        assert!(silenced(&outcome).contains("jsonrpc/unmatched-response"));
    }
}

#[test]
fn t3_the_other_side_may_come_further_on() {
    // More than is looked at before anything is judged.
    let turn = garden().split_off(12);
    let mut long = garden();
    for id in 4..600_u32 {
        let mut turn = turn.clone();
        for place in [0, 2] {
            turn[place].1["id"] = json!(id);
        }
        long.extend(turn);
    }
    let of = |side: bool| long.iter().filter(move |(by, _)| *by == side).cloned();
    let parts: [Vec<_>; 4] = [
        of(false).chain(of(true)).collect(),
        of(true).chain(of(false)).collect(),
        of(false).chain(long.clone()).collect(),
        // Short ones, one behind the other.
        garden()
            .into_iter()
            .filter(|(by, _)| *by)
            .chain(garden().into_iter().filter(|(by, _)| !by))
            .collect(),
    ];
    for (number, part) in parts.iter().enumerate() {
        let (rules, outcome) = found(&bare(part));
        assert!(rules.is_empty(), "{number}: {rules:?}");
        assert!(has_note(&outcome, "at first only"), "{number}: {:?}", outcome.notes);
    }
}

#[test]
fn t4_connections_in_one_file_are_judged_each() {
    let marker = "{\"schema\":\"acpx.session.journal.v1\",\"type\":\"segment\"}\n";
    let journal = [marker, &bare(&garden()), marker, &bare(&garden())].concat();
    let log = |sent: &[(bool, Value)]| {
        lines(sent, |by_client, message| {
            json!({"ts": "2026-06-01T08:00:00+00:00", "dir": word(by_client, ["in", "out"]),
                "msg": message})
        })
    };
    let drawn = |lot| with_drawn_ids(&garden(), lot);
    let actors: String = garden()
        .iter()
        .flat_map(|(by_client, message)| {
            ["Actor_a", "Actor_b"].map(|actor| {
                let line = json!({"timestamp": "2026-06-01T08:00:00Z", "runner": "r",
                    "direction": word(*by_client, ["send", "recv"]), "event_kind": "notification",
                    "identity": actor, "payload": message});
                format!("{line}\n")
            })
        })
        .collect();
    let files = [
        ("ids begin anew", journal),
        ("ids are drawn", [bare(&drawn(1)), bare(&drawn(2))].concat()),
        ("a log goes on", [log(&garden()), log(&drawn(7))].concat()),
        ("a log begins in a turn", [log(&garden()[10..]), log(&garden())].concat()),
        ("actors take turns", actors),
    ];
    for (name, text) in files {
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.connections), (&[][..], 2), "{name}");
    }
}

#[test]
fn t5_what_came_before_or_after_the_recording_is_not_asked_for() {
    let flow = lines(&garden()[4..], |by_client, message| {
        json!({"seq": 1, "at": "2026-06-01T08:00:00Z",
            "direction": word(by_client, ["outbound", "inbound"]), "message": message})
    });
    let (rules, outcome) = found(&flow);
    assert_eq!((rules.as_slice(), outcome.format), (&[][..], Some("acpx-flow")));
    for (from, to) in [(5, 15), (7, 15), (0, 7), (6, 10)] {
        let (rules, _) = found(&bare(&garden()[from..to]));
        assert!(rules.is_empty(), "{from}..{to}: {rules:?}");
    }
    // The ring buffer has dropped what came before.
    let header = json!({"type": "header", "format": "acp-inspector-trace", "version": 1,
        "at": 1, "frames": 9, "dropped": 4});
    let frames = lines(&garden()[6..], |by_client, message| {
        json!({"type": "frame", "at": 1, "connection": 1, "encoding": "utf8",
            "direction": word(by_client, ["client -> agent", "agent -> client"]),
            "frame": message.to_string()})
    });
    let (rules, outcome) = found(&format!("{header}\n{frames}"));
    assert!(rules.is_empty() && has_note(&outcome, "1 gap"), "{rules:?} {:?}", outcome.notes);
}

#[test]
fn t6_members_that_a_writer_drops_or_renames_are_not_missed() {
    let trace = lines(&garden(), |by_client, message| {
        let (from, to) = if by_client { ("Client", "Agent") } else { ("Agent", "Client") };
        let asker = by_client == message.get("method").is_some();
        let id = format!("{asker}-{}", message["id"]);
        match message.get("method") {
            Some(method) => {
                let kind = if message.get("id").is_some() { "request" } else { "notification" };
                let mut line = json!({"type": kind, "ts": 0.5, "protocol": "acp", "from": from,
                    "to": to, "method": method, "params": message.get("params")});
                if kind == "request" {
                    line["id"] = json!(id);
                }
                line
            }
            None => json!({"type": "response", "ts": 0.5, "from": from, "to": to, "id": id,
                "is_error": false, "payload": message["result"]}),
        }
    });
    let (rules, outcome) = found(&trace);
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    assert!(
        silenced(&outcome).is_superset(&BTreeSet::from(["jsonrpc/version", "jsonrpc/id-reuse"]))
    );
    // Both write `null` where there were no params.
    let extension = [
        json!({"type": "request", "ts": 1, "protocol": "acp", "from": "Client", "to": "Agent",
            "id": "x", "method": "session/list", "params": null}),
        json!({"timestamp": "2026-06-01T08:00:00Z", "direction": "downstream",
            "message": {"id": 1, "method": "session/list", "params": null}}),
    ];
    for line in extension {
        let (rules, outcome) = found(&format!("{line}\n"));
        let expected = ["lifecycle/initialize-first"];
        assert_eq!((rules.as_slice(), outcome.messages), (&expected[..], 1), "{line}");
    }
}

#[test]
fn t7_what_a_log_has_twice_is_read_once() {
    let mut text = "=== Conductor Debug Log ===\nComponents:\n  0: agent\n====\n".to_owned();
    for (by_client, message) in garden() {
        let hops = if by_client { ["C →", "0 →"] } else { ["0 ←", "C ←"] };
        for hop in hops {
            text += &format!("{hop} +3ms {message}\n");
        }
    }
    let (rules, outcome) = found(&text);
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    let pieces: String = garden()
        .iter()
        .filter(|(by_client, _)| !by_client)
        .map(|(_, message)| {
            let line = message.to_string();
            format!("INCOMING TEXT >\n\n{}\n\nINCOMING LINE >\n\n{line}\n\n", &line[..20])
        })
        .collect();
    assert_eq!(found(&pieces).1.senders, [0, 9, 0]);
}

#[test]
fn t8_masks_are_no_values() {
    let mut garden = garden();
    garden[5].1["params"]["update"]["kind"] = json!("<REDACTED>");
    garden[5].1["params"]["update"]["locations"] = json!("[redacted]");
    garden[13].1["params"]["update"]["content"]["annotations"] = json!("<redacted>");
    let captured = json!({"version": 1, "tool": {"name": "acp-devtools"}, "messages": garden
        .iter()
        .map(|(by_client, message)| {
            json!({"seq": 1, "timestamp": 1, "kind": "request", "payload": message,
                "direction": word(*by_client, ["editor-to-agent", "agent-to-editor"])})
        })
        .collect::<Vec<_>>()});
    // By hand, too.
    for text in [format!("{captured:#}"), bare(&garden)] {
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
        assert!(silenced(&outcome).contains("auth/methods-malformed-dropped"));
        assert!(has_note(&outcome, "<REDACTED>"));
    }
    let kept = |text: Value| {
        json!({"method": "session/update", "recordedAt": 1, "params": {"sessionId": "h", "update":
            {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T",
                "content": [{"type": "diff", "path": "/a", "newText": text}]}}})
    };
    let of = |line: Value| found(&format!("{line}\n")).0;
    assert!(of(kept(json!({"__hydraBlob": "ab", "bytes": 5000}))).is_empty());
    assert_eq!(of(kept(json!({"bytes": 5000}))), ["schema/params"]);
}

#[test]
fn t9_what_a_writer_cuts_off_is_passed_over() {
    let entry = |by_client: bool, raw: &str| json!({"dir": word(by_client, ["sent", "received"]), "t": 7.5, "raw": raw});
    let mut entries: Vec<Value> = garden()
        .iter()
        .map(|(by_client, message)| entry(*by_client, &message.to_string()))
        .collect();
    entries[13] = entry(false, "{\"jsonrpc\":\"2.0\",\"meth...[truncated 900 byte(s)]...");
    entries.insert(12, json!({"dir": "gap", "t": 0.0, "raw": "...[8 entry(ies) omitted]..."}));
    entries.insert(4, entry(false, "<undecodable: UnicodeDecodeError('utf-8')>"));
    let test = json!({"nodeid": "t.py::test_a", "status": "FAIL", "transcript": entries});
    let passed = json!({"nodeid": "t.py::test_b", "status": "PASS", "transcript": null});
    // One test stands under each requirement that it is about.
    let report = json!({"tck_version": "0.1", "requirements": [
        {"id": "A", "tests": [test, passed]}, {"id": "B", "tests": [test]}, {"id": "C", "tests": []}]});
    let (rules, outcome) = found(&format!("{report:#}"));
    assert_eq!((rules.as_slice(), outcome.format), (&[][..], Some("acp-tck")));
    assert_eq!((outcome.senders, outcome.connections), ([6, 8, 0], 1));
    assert!(has_note(&outcome, "3 gaps"), "{:?}", outcome.notes);
    let log: String = garden()
        .iter()
        .map(|(by_client, message)| {
            let word = word(*by_client, ["OUT", "IN"]);
            format!("2026-06-01 08:00:00,000 [ 34]   FINE - AcpTransport - {word}: {message}\n")
        })
        .collect();
    let (rules, outcome) = found(&log[..log.len() - 20]);
    assert!(rules.is_empty() && has_note(&outcome, "cut off"), "{rules:?} {:?}", outcome.notes);
}

#[test]
fn t10_lines_that_are_no_json_are_a_fault_where_they_crossed_the_wire() {
    let noise = |wrap: fn(&str) -> String| {
        let sent = lines(&garden()[..4], |by_client, message| {
            json!({"direction": word(by_client, ["fromClient", "fromAgent"]),
                "json": message.to_string()})
        });
        found(&(sent + &wrap("listening on 80") + "\n"))
    };
    assert_eq!(found(&format!("listening on 80\n{}", bare(&garden()))).0, ["transport/not-json"]);
    let wrapped = |text: &str| json!({"direction": "fromAgent", "json": text}).to_string();
    assert_eq!(noise(wrapped).0, ["transport/not-json"]);
    let prose: String = garden()
        .iter()
        .map(|(by_client, message)| {
            let word = word(*by_client, ["OUT", "IN"]);
            format!(
                "2026-06-01 08:00:00,000 [ 34]   FINE - AcpTransport - {word}: {message}\n\
                 2026-06-01 08:00:00,001 [ 35] SEVERE - AcpTransport - closed\n\tat a.b(C.kt:1)\n"
            )
        })
        .collect();
    let (rules, outcome) = found(&prose);
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    assert!(silenced(&outcome).contains("transport/not-json"));
    let lost = "{\"t_ms\":3,\"dir\":\"in\",\"frame\":null}\n";
    let recorded = lines(
        &garden(),
        |by_client, message| json!({"t_ms": 1, "dir": word(by_client, ["out", "in"]), "frame": message}),
    );
    let (rules, outcome) = found(&(recorded + lost));
    assert!(rules.is_empty() && has_note(&outcome, "1 gap"), "{rules:?} {:?}", outcome.notes);
    // With the line, where the recorder keeps it.
    let parse_error = |raw: Value| {
        let mut line = json!({"timestamp": "2026-06-01T08:00:00Z", "runner": "r",
            "direction": "recv", "event_kind": "parse_error", "identity": "i", "error": "x"});
        if raw.is_string() {
            line["raw_line"] = raw;
        }
        let sent = lines(&garden()[..4], |by_client, message| {
            json!({"timestamp": "2026-06-01T08:00:00Z", "runner": "r", "identity": "i",
                "direction": word(by_client, ["send", "recv"]), "event_kind": "response",
                "payload": message})
        });
        found(&format!("{sent}{line}\n"))
    };
    assert_eq!(parse_error(json!("listening on 80")).0, ["transport/not-json"]);
    assert!(parse_error(Value::Null).0.is_empty());
    assert!(has_note(&parse_error(Value::Null).1, "1 gap"));
}

#[test]
fn t11_members_of_the_recorder_are_not_the_peers() {
    let log: String = garden()
        .iter()
        .map(|(by_client, message)| {
            let mut message = message.clone();
            if *by_client {
                message["type"] = json!("com.agentclientprotocol.rpc.JsonRpcRequest");
            }
            let word = word(*by_client, ["OUT", "IN"]);
            format!("2026-06-01 08:00:00,000 [ 34]   FINE - AcpTransport - {word}: {message}\n")
        })
        .collect();
    let inline = lines(&garden(), |by_client, message| {
        let mut message = message.clone();
        message["direction"] = json!(word(by_client, ["outgoing", "incoming"]));
        message
    });
    for text in [log, inline] {
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    }
}

#[test]
fn t12_frames_that_nobody_sent_are_not_judged() {
    let own = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": "gone",
        "data": {"acpxCode": "AGENT_GONE", "origin": "cli"}}});
    let (rules, outcome) = found(&format!("{}{own}\n", bare(&garden())));
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    let entries = json!([
        {"_direction": "outgoing", "_type": "request", "id": 7, "method": "session/list",
            "params": null},
        {"_direction": "incoming", "_type": "response", "id": 7, "method": "session/list",
            "params": {"sessions": []}},
        {"_direction": "stderr", "_type": "stderr", "id": null, "method": "stderr",
            "params": "{ not a message"},
        {"_direction": "incoming", "_type": "response", "id": 9,
            "method": "[unrecognized response]", "params": "[unrecognized response]"},
    ]);
    let (rules, outcome) = found(&format!("{entries:#}"));
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], [1, 1, 0]));
    let failed = json!({"timestamp": "2026-06-01T08:00:00Z", "direction": "upstream",
        "message": {"id": 4, "result": {"error": "Internal error"}}});
    let asked = json!({"timestamp": "2026-06-01T08:00:00Z", "direction": "downstream",
        "message": {"id": 4, "method": "session/new", "params": {"cwd": "/a", "mcpServers": []}}});
    let (rules, outcome) = found(&format!("{asked}\n{failed}\n"));
    assert!(rules.is_empty() && silenced(&outcome).contains("jsonrpc/error-object"), "{rules:?}");
    let own = json!({"method": "session/update", "recordedAt": 1, "params": {"sessionId": "h",
        "update": {"sessionUpdate": "prompt_received", "prompt": []}}});
    assert_eq!(found(&format!("{own}\n")).1.messages, 0);
}

#[test]
fn t13_places_in_escaped_texts_are_those_of_the_file() {
    let message = garden()[5].1.to_string().replace("pending", "p\\u0065nt");
    let line = json!({"ts": 1, "direction": "fromAgent", "json": message}).to_string();
    let (diagnostics, _) = judge(format!("{line}\n").as_bytes());
    let span = diagnostics.first().map(|found| found.finding.labels[0].span).unwrap();
    let (start, end) = (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
    assert!(line[start..end].contains("p\\\\u0065nt"), "{}", &line[start..end]);
}

#[test]
fn t14_a_word_that_may_mean_several_values_is_none() {
    let lisp = |value: &str| {
        format!(
            "(((:direction . incoming)\n (:kind . notification)\n (:object (jsonrpc . \"2.0\") \
             (method . \"session/update\") (params (sessionId . \"s\") (update (sessionUpdate . \
             \"tool_call\") (toolCallId . \"t\") (title . \"T\") (content . {value}))))))\n"
        )
    };
    assert_eq!(found(&lisp("nil")).0, [] as [&str; 0]);
    assert_eq!(found(&lisp("\"dry\"")).0, ["schema/params"]);
    assert!(silenced(&found(&lisp("nil")).1).contains("schema/null-array"));
    let python = |value: &str| {
        format!(
            "[client] {{'jsonrpc': '2.0', 'id': 0, 'method': 'session/new', 'params': {{'cwd': '/a', 'mcpServers': {value}}}}}\n"
        )
    };
    let own = |value: &str| found(&python(value)).0.contains(&"schema/params");
    assert_eq!([own("[]"), own("{}")], [false, true]);
}

#[test]
fn t15_hops_are_judged_each_and_other_protocols_set_apart() {
    let mut text = String::new();
    let mut tell = |line: Value| text += &format!("{line}\n");
    let hops = [("Client", "Proxy(0)"), ("Proxy(0)", "Agent")];
    for (by_client, message) in garden() {
        let order = if by_client { [0, 1] } else { [1, 0] };
        for hop in order {
            let (near, far) = hops[hop];
            let (from, to) = if by_client { (near, far) } else { (far, near) };
            let asker = by_client == message.get("method").is_some();
            let id = format!("{hop}-{asker}-{}", message["id"]);
            let mut line = match message.get("method") {
                Some(method) => {
                    let is_opening = *method == "initialize" && hop == 0;
                    let method = if is_opening { &json!("_proxy/initialize") } else { method };
                    json!({"type": "request", "ts": 0.5, "protocol": "acp", "from": from, "to": to,
                        "id": id, "method": method, "params": message["params"]})
                }
                None => json!({"type": "response", "ts": 0.5, "from": from, "to": to, "id": id,
                    "is_error": false, "payload": message["result"]}),
            };
            if message.get("id").is_none() {
                line["type"] = json!("notification");
                line.as_object_mut().unwrap().remove("id");
            }
            tell(line);
        }
    }
    let inner = [
        json!({"type": "request", "ts": 1, "protocol": "mcp", "from": "Agent", "to": "Proxy(0)",
            "id": "m", "method": "tools/call", "params": {"name": "echo"}}),
        json!({"type": "response", "ts": 1, "from": "Proxy(0)", "to": "Agent", "id": "m",
            "is_error": false, "payload": {"content": []}}),
        json!({"type": "notification", "ts": 1, "protocol": "mcp", "from": "Proxy(0)",
            "to": "Agent", "method": "notifications/initialized", "params": null}),
    ];
    inner.into_iter().for_each(&mut tell);
    let (rules, outcome) = found(&text);
    assert_eq!((rules.as_slice(), outcome.connections), (&[][..], 2));
    assert_eq!(outcome.senders, [12, 18, 0]);
    assert!(has_note(&outcome, "3 messages of another protocol"), "{:?}", outcome.notes);
    // A fault on one hop is one, and not one on the next.
    let faulty = text.replacen("\"status\":\"completed\"", "\"status\":\"soaked\"", 1);
    assert_eq!(found(&faulty).0, ["schema/params"]);
    // The events of a flow are no messages.
    let event = json!({"seq": 1, "at": "2026-06-01T08:00:00Z", "scope": "run", "type": "started",
        "payload": {"input": {"method": 1}}});
    assert_eq!(found(&format!("{event}\n").repeat(3)).1.messages, 0);
}

#[test]
fn t16_clocks_tell_no_order() {
    let mut clock = 90.0;
    let mut text = String::new();
    for (by_client, message) in garden() {
        clock -= 1.5;
        let line = json!({"ts": clock, "dir": word(by_client, ["c2a", "a2c"]), "msg": message});
        text += &format!("{line}\n");
    }
    let (rules, outcome) = found(&text);
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
}

#[test]
fn t17_members_that_an_envelope_repeats_are_not_the_message() {
    let kit = lines(&garden(), |by_client, message| {
        json!({"kind": "wire", "at": 1, "direction": word(by_client, ["out", "in"]),
            "method": message.get("method"), "id": message.get("id"), "frame": message,
            "redacted": true})
    });
    let unknown = lines(&garden(), |by_client, message| {
        json!({"method": message.get("method"), "id": message.get("id"), "params": {},
            "sender": word(by_client, ["client", "agent"]), "payload": message})
    });
    for text in [kit, unknown] {
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    }
}

#[test]
fn any_list_of_messages_is_read() {
    let entry = |by_client: bool, message: &Value| json!({"dir": word(by_client, ["c2a", "a2c"]), "msg": message});
    let entries: Vec<Value> =
        garden().iter().map(|(by_client, message)| entry(*by_client, message)).collect();
    let messages: Vec<Value> = garden().into_iter().map(|(_, message)| message).collect();
    let texts = [
        json!(entries).to_string(),
        format!("{:#}", json!(entries)),
        json!(messages).to_string(),
        format!("{:#}", json!(messages)),
        format!("{:#}", json!({"name": "garden", "frames": entries})),
        json!({"name": "garden", "frames": messages}).to_string(),
        json!({"name": "garden", "lines": garden().iter().map(|(by_client, message)| {
            json!({"dir": word(*by_client, ["c2a", "a2c"]), "raw": message.to_string()})
        }).collect::<Vec<_>>()})
        .to_string(),
    ];
    for text in texts {
        let (rules, outcome) = found(&text);
        assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT), "{}", &text[..60]);
    }
}

#[test]
fn notes_among_messages_are_no_messages() {
    let entry = |by_client: bool, message: &Value| json!({"t": 1, "dir": word(by_client, ["host->agent", "agent->host"]), "payload": message});
    let notes = [
        json!({"_meta": {"backend": "shears"}}),
        json!({"kind": "header", "schema": 1}),
        json!({"dir": "note", "text": "done"}),
        json!({"dir": "stderr", "text": "boo"}),
    ];
    let notes: String = notes.iter().map(|note| format!("{note}\n")).collect();
    let (rules, outcome) = found(&(lines(&garden(), entry) + &notes));
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    let page: String = garden()
        .iter()
        .map(|(_, message)| format!("Then comes\n\n```json\n{message}\n```\n"))
        .collect();
    let (rules, outcome) = found(&format!("# The garden\n\n{page}"));
    assert_eq!((rules.as_slice(), outcome.senders), (&[][..], SENT));
    // What some tools keep of updates, without what JSON-RPC asks for.
    let updates: Vec<Value> = [5, 10, 13]
        .map(|at| json!({"method": "session/update", "params": garden()[at].1["params"]}))
        .to_vec();
    for text in [json!(updates).to_string(), format!("{:#}", json!(updates))] {
        assert_eq!(found(&text).0, ["jsonrpc/version"]);
    }
}
