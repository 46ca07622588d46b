//! `acpcheck play`: a client that conforms, and clients with faults, over pipes, and runs that start clients.
#![cfg(unix)]

#[path = "play/client.rs"]
mod client;
#[path = "play/clients.rs"]
mod clients;
#[path = "play/faults.rs"]
mod faults;

use acpcheck::{check::Settings, play::SCENARIOS};
use client::Client;
use serde_json::{Value, json};

/// The rules that a recording breaks. `both`: also those that bind the agent.
pub(crate) fn broken(recording: &str, both: bool) -> Vec<String> {
    let (start, rest) = recording.split_once('\n').unwrap();
    let mut start: Value = serde_json::from_str(start).unwrap();
    assert_eq!(start["driven"]["plays"], "agent");
    if both {
        start.as_object_mut().unwrap().remove("driven");
    }
    let (found, outcome) =
        crate::effort::check(format!("{start}\n{rest}").as_bytes(), &Settings::default());
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
        let mut client = Client::start(version, &[], &["--timeout", "20"]);
        let session = client.session();
        let is_there = |number: u64| number == version;
        let scenarios: Vec<_> = SCENARIOS
            .iter()
            .filter(|it| it.version.is_none_or(|only| is_there(only as u64 + 1)))
            .collect();
        for scenario in &scenarios {
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
fn neither_side_breaks_a_rule_beside_the_turns() {
    for version in [1, 2] {
        let mut client = Client::start(version, &[], &["--timeout", "20"]);
        let session = client.session();
        client.prompt(&session, "turn");
        let mut ask = |method: &str, params: Value| {
            let answer = client.request(method, &params);
            assert!(answer["error"].is_null(), "version {version}, {method}: {answer}");
            answer["result"].clone()
        };
        let mut listed = Vec::new();
        let mut cursor = json!({});
        loop {
            let page = ask("session/list", cursor);
            listed.extend(page["sessions"].as_array().unwrap().clone());
            if page["nextCursor"].is_null() {
                break;
            }
            cursor = json!({ "cursor": page["nextCursor"] });
        }
        assert_eq!(listed.len(), 4);
        let servers = if version == 1 { json!([]) } else { Value::Null };
        let attach = |entry: &Value, more: Value| {
            let mut params = more;
            params["sessionId"] = entry["sessionId"].clone();
            params["cwd"] = entry["cwd"].clone();
            if version == 1 {
                params["mcpServers"] = servers.clone();
            }
            params
        };
        let (load, whole) = match version {
            1 => ("session/load", json!({})),
            _ => ("session/resume", json!({ "replayFrom": { "type": "start" } })),
        };
        // One of this process, and stored ones.
        for entry in &listed[..3] {
            ask(load, attach(entry, whole.clone()));
        }
        ask("session/resume", attach(&listed[0], json!({})));
        ask("session/resume", attach(&listed[3], json!({})));
        let mut option = json!({ "sessionId": session, "configId": "style", "value": "fancy" });
        if version == 2 {
            option["type"] = "id".into();
        }
        ask("session/set_config_option", option);
        if version == 1 {
            ask("session/set_mode", json!({ "sessionId": session, "modeId": "code" }));
        }
        client.prompt(&listed[1]["sessionId"], "turn");
        let answer = client.request("session/close", &json!({ "sessionId": session }));
        assert!(answer["error"].is_null(), "{answer}");
        let recording = client.close();
        assert_eq!(broken(&recording, true), Vec::<String>::new(), "version {version}");
    }
}

#[test]
fn a_refusal_has_the_words_of_the_finding() {
    let mut client = Client::start(1, &[], &[]);
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

#[test]
fn a_client_logs_in_before_its_first_session() {
    for version in [1, 2] {
        let mut client = Client::start(version, &[], &["--scenario", "login"]);
        assert_eq!(client.session(), Value::Null, "version {version}");
        let (login, logout) = match version {
            1 => ("authenticate", "logout"),
            _ => ("auth/login", "auth/logout"),
        };
        let params = json!({ "cwd": "/tmp", "mcpServers": [] });
        let login = client.request(login, &json!({ "methodId": "key" }));
        assert_eq!(login["result"], json!({}), "version {version}");
        let session = client.request("session/new", &params)["result"]["sessionId"].clone();
        client.prompt(&session, "turn");
        client.request(logout, &json!({}));
        let refused = client.request("session/new", &params);
        assert_eq!(refused["error"]["code"], -32000, "version {version}: {refused}");
        let recording = client.close();
        assert_eq!(broken(&recording, true), Vec::<String>::new(), "version {version}");
        assert_eq!(states(&recording), [("turn".to_owned(), "done".to_owned())]);
    }
}

#[test]
fn an_older_version_is_answered_and_held_to() {
    let hello = json!({ "protocolVersion": 2, "info": { "name": "new", "version": "1" } });
    let start = || {
        let mut client = Client::start(1, &[], &["--scenario", "older-version"]);
        let mut hello = hello.clone();
        hello["capabilities"] = json!({});
        let answer = client.request("initialize", &hello);
        assert_eq!(answer["result"]["protocolVersion"], 1);
        client
    };
    // A client without version 1 closes the connection.
    assert_eq!(broken(&start().close(), true), Vec::<String>::new());
    let mut client = start();
    let params = json!({ "cwd": "/tmp", "mcpServers": [] });
    let session = client.request("session/new", &params)["result"]["sessionId"].clone();
    client.prompt(&session, "turn");
    assert_eq!(broken(&client.close(), true), Vec::<String>::new());
    // A client that goes on with version 2.
    let mut client = start();
    let refused = client.request("session/new", &json!({ "cwd": "/tmp" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    client.request("auth/logout", &json!({}));
    let found = broken(&client.close(), false);
    let rules: Vec<_> = found.iter().filter_map(|it| it.split(' ').next()).collect();
    assert_eq!(rules, ["schema/params", "surface/method-from-other-version"], "{found:?}");
}

/// The texts of the agent in a recording, joined.
fn said(recording: &str) -> String {
    let lines = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |line: Value| {
        line["msg"]["params"]["update"]["content"]["text"].as_str().map(str::to_owned)
    };
    lines.filter(|line| line["dir"] == "a2c").filter_map(text).collect()
}

#[test]
fn the_chat_tells_each_cause_once() {
    let mut client = Client::start(1, &[], &[]);
    let session = client.session();
    for mode in ["wild", "wild"] {
        client.request("session/set_mode", &json!({ "sessionId": session, "modeId": mode }));
    }
    for prompt in ["verdict", "turn", "turn"] {
        client.prompt(&session, prompt);
    }
    let said = said(&client.close());
    let told: Vec<_> = said.match_indices("\n\n- error session/mode-not-available").collect();
    assert_eq!(told.len(), 2, "{said}");
    assert!(said.contains("\n\nThe recording: /"), "{said}");
    assert!(said.contains("\n\nturn: done. Your client broke a rule:\n\n- error"), "{said}");
    assert!(said.contains("\n\nturn: done. No rule was broken.\n\n"), "{said}");
}

#[test]
fn a_bare_agent_has_no_modes() {
    let mut client = Client::start(1, &[], &["--scenario", "bare"]);
    let session = client.session();
    let mode = json!({ "sessionId": session, "modeId": "ask" });
    let option = json!({ "sessionId": session, "configId": "model", "value": "large" });
    for (method, params) in [("session/set_mode", mode), ("session/set_config_option", option)] {
        let answer = client.request(method, &params);
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    client.end();
}

#[test]
fn a_message_is_understood_however_deep_it_is() {
    let mut client = Client::start(1, &[], &[]);
    client.session();
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    client.write(&format!(
        r#"{{"jsonrpc":"2.0","id":700,"method":"session/list","params":{{"_meta":{{"deep":{deep},"large":1e999}}}}}}{}"#,
        "\n"
    ));
    let answer = client.until(|message| message["id"] == 700);
    assert!(answer["result"]["sessions"].is_array(), "{answer}");
    client.end();
}

#[test]
fn a_name_that_no_scenario_has_is_told() {
    let mut client = Client::start(1, &[], &[]);
    let session = client.session();
    for prompt in ["permision", "Turn"] {
        client.prompt(&session, prompt);
    }
    let recording = client.close();
    assert!(
        said(&recording)
            .starts_with("There is no scenario `permision`. Did you mean `/permission`?")
    );
    assert_eq!(states(&recording), [("turn".to_owned(), "done".to_owned())]);
}
