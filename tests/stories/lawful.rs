//! What agents, clients and recorders may do to a history: nothing is reported then, and a loss beside
//! it is.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Value, json};

use super::{FIRST, LOST, Recording, SECOND, SESSION, birth, check, folder, found, is_lost};

/// The rules on replays that are broken in `b.ndjson`, where `a.ndjson` is an earlier recording.
fn broken(first: &str, load: &str) -> Vec<String> {
    let files = folder(&[("a.ndjson", first), ("b.ndjson", load)]);
    let found = found(&files, &["."]);
    let found = found.iter().filter_map(|found| found.split_once('[')?.1.strip_suffix(']'));
    found.filter(|rule| rule.contains("replay")).map(str::to_owned).collect()
}

const INCOMPLETE: [&str; 1] = ["session/replay-incomplete"];
const NOTHING: [&str; 0] = [];

/// A recording with one turn, of these blocks, and what the agent does in it.
fn with_turn(prompt: &Value, act: impl FnOnce(&mut Recording)) -> Recording {
    let mut recording = Recording::at("09:00:00").born(SESSION);
    recording.call("session/prompt", &json!({"sessionId": SESSION, "prompt": prompt}));
    act(&mut recording);
    recording.answer(&json!({"stopReason": "end_turn"}));
    recording
}

/// A recording in which the session is loaded, with these updates as its replay.
fn loading(replay: impl FnOnce(&mut Recording)) -> Recording {
    let mut recording = Recording::at("10:30:00");
    let params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
    recording.call("session/load", &params);
    replay(&mut recording);
    recording.answer(&json!({}));
    recording
}

const USER: &str = "user_message_chunk";
const AGENT: &str = "agent_message_chunk";

#[test]
fn something_may_stand_between_the_parts_of_a_text() {
    let link = json!({"type": "resource_link", "name": "a.rs", "uri": "file:///work/a.rs"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let prompt = json!([text("Explain "), link, text(" briefly")]);
    let asked = with_turn(&prompt, |turn| turn.chunk(SESSION, AGENT, FIRST[1]));
    let replayed = |prompt: &str| {
        let load = loading(|load| {
            load.chunk(SESSION, USER, prompt);
            load.chunk(SESSION, AGENT, FIRST[1]);
        });
        broken(asked.text(), load.text())
    };
    assert_eq!(replayed("Explain [@a.rs](file:///work/a.rs) briefly"), NOTHING);
    assert_eq!(replayed("What is all this"), INCOMPLETE);

    let call = json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Paint", "status": "completed"});
    let said = with_turn(&json!([text(FIRST[0])]), |turn| {
        turn.chunk(SESSION, AGENT, "Let me see.");
        turn.update(SESSION, &call);
        turn.chunk(SESSION, AGENT, "All is done.");
    });
    let replayed = |last: &str| {
        let load = loading(|load| {
            load.chunk(SESSION, USER, FIRST[0]);
            load.chunk(SESSION, AGENT, "Let me see.");
            load.update(SESSION, &call);
            load.chunk(SESSION, AGENT, "[painted]");
            load.chunk(SESSION, AGENT, last);
        });
        broken(said.text(), load.text())
    };
    assert_eq!(replayed("All is done."), NOTHING);
    assert_eq!(replayed("Good night"), INCOMPLETE);
}

#[test]
fn a_tool_call_may_end_after_the_turn() {
    let call = |status: &str| {
        json!({
            "sessionUpdate": "tool_call", "toolCallId": "c1", "title": "Paint", "kind": "execute",
            "rawInput": {"color": "red"}, "status": status,
        })
    };
    let prompt = json!([{"type": "text", "text": FIRST[0]}]);
    let happened = |late: Option<&str>| {
        let mut recording = with_turn(&prompt, |turn| turn.update(SESSION, &call("failed")));
        if let Some(status) = late {
            let update =
                json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": status});
            recording.update(SESSION, &update);
        }
        recording
    };
    let load = |status: &str| {
        loading(|load| {
            load.chunk(SESSION, USER, FIRST[0]);
            load.update(SESSION, &call(status));
        })
    };
    let differs = ["session/replay-differs"];
    assert_eq!(broken(happened(None).text(), load("completed").text()), differs);
    assert_eq!(broken(happened(Some("completed")).text(), load("completed").text()), NOTHING);
}

#[test]
fn two_requests_for_one_replay_may_wait_at_once() {
    let params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
    let mut load = Recording::at("10:30:00");
    load.call("session/load", &params);
    load.id += 1;
    load.call("session/load", &params);
    for id in [1, 2] {
        load.id = id;
        for [prompt, text] in [FIRST, SECOND] {
            load.chunk(SESSION, USER, prompt);
            load.chunk(SESSION, AGENT, text);
        }
        load.answer(&json!({}));
    }
    let files = folder(&[("a.ndjson", birth().text()), ("b.ndjson", load.text())]);
    assert_eq!(found(&files, &["."]), BTreeSet::new());
    // A later load is judged again.
    let load = load.load(SESSION, &[FIRST]);
    assert_eq!(broken(birth().text(), load.text()), INCOMPLETE);
}

#[test]
fn an_extension_may_change_the_history() {
    let named = json!({"sessionId": SESSION});
    let asked = |method: &str| {
        let mut first = birth();
        first.ask(method, &named, &json!({}));
        first
    };
    let told = |method: &str| {
        let mut first = birth();
        first.line("a2c", &json!({"method": method, "params": named}));
        first
    };
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST]);
    assert_eq!(broken(asked("_kettle/go_back").text(), load.text()), NOTHING);
    let unjudged = |first: &str, load: &str| {
        let files = folder(&[("a.ndjson", first), ("b.ndjson", load)]);
        check(&files, &["--fail-on", "error,unjudged", "."]).status == 1
    };
    assert_eq!(broken(told("_kettle/compaction_done").text(), load.text()), NOTHING);
    // Only the agent says so: it does not pass for judged.
    assert!(unjudged(told("_kettle/compaction_done").text(), load.text()));
    assert!(!unjudged(asked("_kettle/go_back").text(), load.text()));
    // An agent tells many other things.
    assert_eq!(broken(told("_kettle/usage").text(), load.text()), INCOMPLETE);
    let mut meta = birth();
    let update = json!({"sessionUpdate": "session_info_update", "title": "Seeds", "_meta": {"kettle/compacted": 2}});
    meta.update(SESSION, &update);
    assert_eq!(broken(meta.text(), load.text()), NOTHING);
    assert!(unjudged(meta.text(), load.text()));
    let mut usage = birth();
    for used in [120_000, 30_000] {
        let update = json!({"sessionUpdate": "usage_update", "used": used, "size": 200_000});
        usage.update(SESSION, &update);
    }
    assert_eq!(broken(usage.text(), load.text()), NOTHING);
    assert!(unjudged(usage.text(), load.text()));
    // No other agent draws this id: it is the same one under another name.
    let renamed = load.text().replace("kettle", "teapot");
    assert_eq!(broken(birth().text(), &renamed), NOTHING);
    assert!(unjudged(birth().text(), &renamed));
    // Before the load, or with it.
    let mut asking = Recording::at("10:30:00");
    asking.ask("_kettle/go_back", &named, &json!({}));
    assert_eq!(broken(birth().text(), asking.load(SESSION, &[FIRST]).text()), NOTHING);
    let mut telling = Recording::at("10:30:00");
    telling.line("a2c", &json!({"method": "_kettle/compaction_done", "params": named}));
    let telling = telling.load(SESSION, &[FIRST]);
    assert_eq!(broken(birth().text(), telling.text()), NOTHING);
    assert!(unjudged(birth().text(), telling.text()));
    let with_meta = |meta: &str| {
        let params = "\"mcpServers\":[]";
        load.text().replace(params, &format!("{params},\"_meta\":{{\"{meta}\":\"1\"}}"))
    };
    assert_eq!(broken(birth().text(), &with_meta("kettle/lastTurns")), NOTHING);
    assert_eq!(broken(birth().text(), &with_meta("traceparent")), INCOMPLETE);
}

/// The lines of a recording as another program writes them, with the time in each.
fn enveloped(recording: &Recording, day: &str, zone: &str) -> String {
    let mut text = String::new();
    for (number, line) in recording.lines.lines().skip(1).enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        let ts = format!("{day}:00:{number:02}.000{zone}");
        writeln!(text, "{}", json!({"ts": ts, "dir": line["dir"], "msg": line["msg"]})).unwrap();
    }
    text
}

#[test]
fn recorders_may_take_texts_out() {
    let first = enveloped(&birth(), "2026-10-05T09", "Z");
    for stand_in in
        ["xxxx xxxxx xxxxxx", "…", "****", "<elided>", "[content hidden]", "41 characters"]
    {
        let load = Recording::at("10:30:00").load(SESSION, &[[stand_in; 2]; 2]);
        assert_eq!(broken(&first, &enveloped(&load, "2026-10-05T10", "Z")), NOTHING, "{stand_in}");
        // `acpcheck record` takes nothing out.
        assert_eq!(broken(birth().text(), load.text()), INCOMPLETE, "{stand_in}");
    }
    let load = Recording::at("10:30:00").load(SESSION, &[["Hello", "Who is there"]]);
    assert_eq!(broken(&first, &enveloped(&load, "2026-10-05T10", "Z")), INCOMPLETE);
}

#[test]
fn a_time_without_a_zone_tells_no_order() {
    let first = enveloped(&birth(), "2026-10-05T09", "");
    let load = Recording::at("10:30:00").load(SESSION, &[FIRST]);
    assert_eq!(broken(&first, load.text()), NOTHING);
    assert_eq!(broken(&enveloped(&birth(), "2026-10-05T09", "Z"), load.text()), INCOMPLETE);
    // Half an hour later than the load.
    let first = enveloped(&birth(), "2026-10-05T16", "+0530");
    let load = Recording::at("10:15:00").load(SESSION, &[FIRST]);
    assert_eq!(broken(&first, load.text()), NOTHING);
}

#[test]
fn accents_may_be_written_otherwise() {
    let prompt = json!([{"type": "text", "text": "Ge\u{301}rez le de\u{301}po\u{302}t fe\u{301}de\u{301}ral"}]);
    let asked = with_turn(&prompt, |turn| turn.chunk(SESSION, AGENT, FIRST[1]));
    let load = Recording::at("10:30:00");
    let load = load.load(SESSION, &[["G\u{e9}rez le d\u{e9}p\u{f4}t f\u{e9}d\u{e9}ral", FIRST[1]]]);
    assert_eq!(broken(asked.text(), load.text()), NOTHING);
}

#[test]
fn a_fork_may_begin_at_a_cursor() {
    const FORK: &str = "c41f7a90-2d6b-4e83-9b57-f0836d1ea25c";
    let forked = |cursor: bool| {
        let mut first = birth();
        let mut params = json!({"sessionId": SESSION, "cwd": "/work", "mcpServers": []});
        if cursor {
            params["cursorId"] = "k1".into();
        }
        first.ask("session/fork", &params, &json!({"sessionId": FORK}));
        first.turn(FORK, ["Who is there", "It is only the wind in the old barn"])
    };
    let turns = [FIRST, ["Who is there", "It is only the wind in the old barn"]];
    let load = Recording::at("10:30:00").load(FORK, &turns);
    assert_eq!(broken(forked(true).text(), load.text()), NOTHING);
    assert_eq!(broken(forked(false).text(), load.text()), INCOMPLETE);
}

#[test]
fn a_cancelled_load_may_end_early() {
    let cancel = |is_cancelled: bool| {
        loading(|load| {
            load.chunk(SESSION, USER, FIRST[0]);
            load.chunk(SESSION, AGENT, FIRST[1]);
            if is_cancelled {
                let params = json!({"requestId": load.id});
                load.line("c2a", &json!({"method": "$/cancel_request", "params": params}));
            }
        })
    };
    assert_eq!(broken(birth().text(), cancel(true).text()), NOTHING);
    let files = folder(&[("a.ndjson", birth().text()), ("b.ndjson", cancel(false).text())]);
    assert!(is_lost(&found(&files, &["."])), "{LOST}");
}

#[test]
fn a_history_keeps_its_order() {
    let load = |parts: &[(&str, &str)]| {
        loading(|load| parts.iter().for_each(|(kind, text)| load.chunk(SESSION, kind, text)))
    };
    let [[ask, answer], [ask_again, answer_again]] = [FIRST, SECOND];
    let differs = ["session/replay-differs"];
    for [one, two, three, four] in [
        [(USER, ask), (AGENT, answer_again), (USER, ask_again), (AGENT, answer)],
        [(USER, ask_again), (AGENT, answer), (USER, ask), (AGENT, answer_again)],
    ] {
        assert_eq!(broken(birth().text(), load(&[one, two, three, four]).text()), differs);
    }
    // A summary may quote what comes later, and an answer may come before its prompt.
    let whole = [(AGENT, answer), (USER, ask), (USER, ask_again), (AGENT, answer_again)];
    assert_eq!(broken(birth().text(), load(&whole).text()), NOTHING);
    let quoting = [&[(USER, answer_again)], &whole[..]].concat();
    assert_eq!(broken(birth().text(), load(&quoting).text()), NOTHING);
}

#[test]
fn a_summary_may_take_the_place_of_a_history() {
    let summary =
        "This session is being continued from a previous conversation. It was about seeds.";
    let load = |prompt| Recording::at("10:30:00").load(SESSION, &[[prompt, SECOND[1]]]);
    assert_eq!(broken(birth().text(), load(summary).text()), NOTHING);
    assert_eq!(broken(birth().text(), load("It was about seeds in the shed").text()), INCOMPLETE);
}

#[test]
fn calls_of_a_subagent_and_colors_need_not_come_back() {
    let prompt = json!([{"type": "text", "text": FIRST[0]}]);
    let call = |id: &str, meta: Value| {
        json!({
            "sessionUpdate": "tool_call", "toolCallId": id, "title": id, "status": "completed",
            "_meta": meta,
        })
    };
    let happened = |meta: &Value| {
        with_turn(&prompt, |turn| {
            turn.update(SESSION, &call("task", json!({})));
            turn.update(SESSION, &call("search", meta.clone()));
            turn.chunk(
                SESSION,
                AGENT,
                "\u{1b}[31mred\u{1b}[0m and \u{1b}[1;32mgreen\u{1b}[0m apples",
            );
        })
    };
    let load = loading(|load| {
        load.chunk(SESSION, USER, FIRST[0]);
        load.update(SESSION, &call("task", json!({})));
        load.chunk(SESSION, AGENT, "red and green apples");
    });
    let nested = json!({"claudeCode": {"parentToolUseId": "task"}});
    assert_eq!(broken(happened(&nested).text(), load.text()), NOTHING);
    assert_eq!(broken(happened(&json!({})).text(), load.text()), INCOMPLETE);
}
