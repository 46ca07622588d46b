//! What is counted of requirements: that it adds up, and that it is said only of what was exercised.

use std::{fs, path::Path};

use acpcheck::{
    check::{
        Exercise, Fulfilment, RequirementCounts, RequirementStatus, Settings, Status, Tail, shares,
    },
    protocol::{Edition, Side, Surface},
    requirements,
    rule::{Opening, opening::opening},
    rules::CATALOGUE,
};

use crate::{fixtures, support::OPENING};

/// How a side fared in a transcript.
fn fulfilment(side: Side, transcript: &str, settings: &Settings) -> Fulfilment {
    let (diagnostics, outcome) = crate::effort::check(transcript.as_bytes(), settings);
    let mut exercise = Exercise::of(Some(side));
    exercise.add(&outcome, &diagnostics, &settings.severities);
    Fulfilment::of(&exercise)
}

fn status(fulfilment: &Fulfilment, id: &str) -> Option<RequirementStatus> {
    fulfilment.rows.iter().find(|row| row.requirement.id == id).map(|row| row.status)
}

#[test]
fn counts_add_up() {
    for (rule, path) in fixtures::fixtures() {
        let settings = fixtures::settings(&path);
        if !rule.starts_with("session/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for side in [Side::Client, Side::Agent] {
            let fulfilment = fulfilment(side, &text, &settings);
            let Fulfilment { rows, must, should, .. } = &fulfilment;
            for counts in [must, should] {
                let RequirementCounts { apply, checked, no_rule, .. } = *counts;
                let judged = counts.exercised() + counts.not_assessable + counts.not_exercised;
                assert_eq!((checked + no_rule, judged), (apply, checked), "{counts:?}");
            }
            let count = |wanted: fn(RequirementStatus) -> bool| {
                rows.iter().filter(|row| wanted(row.status)).count()
            };
            let outside = count(|it| it == RequirementStatus::Outside);
            let shapes = count(|it| it == RequirementStatus::Schema);
            assert_eq!(outside, must.outside + should.outside);
            assert_eq!(rows.len(), must.apply + should.apply + outside + shapes);
            for row in rows {
                let other = if side == Side::Client { "agent" } else { "client" };
                assert_ne!(row.requirement.binds, other);
            }
        }
    }
}

#[test]
fn a_requirement_applies_where_what_it_needs_was_offered_or_used() {
    let settings = Settings::default();
    // No capability was offered.
    let blank = fulfilment(Side::Agent, OPENING, &settings);
    assert_eq!(status(&blank, "session.replay"), None);
    let offered =
        OPENING.replace(r#""agentCapabilities":{}"#, r#""agentCapabilities":{"loadSession":true}"#);
    let offered = fulfilment(Side::Agent, &offered, &settings);
    let not_exercised = Some(RequirementStatus::Judged(Status::NotExercised));
    assert_eq!(status(&offered, "session.replay"), not_exercised);
    assert!(offered.must.apply > blank.must.apply);
    // Nothing is known of what was offered.
    let session = OPENING.lines().skip(2).collect::<Vec<_>>().join("\n");
    let unknown = fulfilment(Side::Agent, &session, &settings);
    assert!(status(&unknown, "session.replay").is_some());
    // A requirement of version 2 does not apply here.
    assert_eq!(status(&unknown, "state.idle"), None);
    assert_eq!(status(&fulfilment(Side::Client, OPENING, &settings), "session.replay"), None);
}

#[test]
fn only_what_was_exercised_is_upheld() {
    let upheld = Some(RequirementStatus::Judged(Status::Upheld));
    let settings = Settings::default();
    let blank = fulfilment(Side::Agent, OPENING, &settings);
    assert_eq!(status(&blank, "lifecycle.agent-answers"), upheld);
    assert_ne!(status(&blank, "prompt.answered"), upheld);
    let prompt = format!(
        r#"{OPENING}{{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"Water the garden"}}]}}}}
{{"jsonrpc":"2.0","id":2,"result":{{"stopReason":"end_turn"}}}}
"#
    );
    let settings = Settings { tail: Tail::Closed, ..settings };
    let answered = fulfilment(Side::Agent, &prompt, &settings);
    assert_eq!(status(&answered, "prompt.answered"), upheld);
    // The same rule checks the answers to custom requests; none was sent.
    assert_ne!(status(&answered, "ext.answer-request"), upheld);
}

/// A session of each version with one prompt, one plan update, one permission and a close of the idle
/// session: nothing is cancelled, loaded, custom or left out of the capabilities.
const PLAIN: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"quill","version":"2.1.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{}}},"authMethods":[],"agentInfo":{"name":"lantern","version":"1.4.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/srv/garden","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"bed-47"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"bed-47","prompt":[{"type":"text","text":"Prune the roses by the wall"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-47","update":{"sessionUpdate":"tool_call","toolCallId":"k1","title":"Cut the rose","kind":"read","rawInput":{"command":"Cut the rose"},"status":"pending"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-47","update":{"sessionUpdate":"tool_call_update","toolCallId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"bed-47","options":[{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"y","name":"Yes","kind":"allow_once"}],"toolCall":{"toolCallId":"k1"}}}
{"jsonrpc":"2.0","id":900,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-47","update":{"sessionUpdate":"tool_call_update","toolCallId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-47","update":{"sessionUpdate":"plan","entries":[{"content":"x","priority":"high","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-47","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"All roses are pruned"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"bed-47","cwd":"/srv/garden"}]}}
{"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"bed-47"}}
{"jsonrpc":"2.0","id":4,"result":{}}
"#,
    r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"quill","version":"2.1.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"delete":{}}},"info":{"name":"lantern","version":"1.4.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/srv/garden"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"bed-82"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"bed-82","prompt":[{"type":"text","text":"Prune the roses by the wall"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"um1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"user_message","messageId":"um1","content":[{"type":"text","text":"Prune the roses by the wall"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"tool_call_update","toolCallId":"k1","title":"Cut the rose","kind":"read","rawInput":{"command":"Cut the rose"},"status":"pending"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"tool_call_update","toolCallId":"k1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"bed-82","options":[{"optionId":"n","name":"No","kind":"reject_once"},{"optionId":"y","name":"Yes","kind":"allow_once"}],"title":"Cut?","subject":{"type":"tool_call","toolCall":{"toolCallId":"k1"}}}}
{"jsonrpc":"2.0","id":900,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"tool_call_update","toolCallId":"k1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"x","priority":"high","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"agent_message","messageId":"04bc415e-43bc-4e23-b4ec-b6e098459166","content":[{"type":"text","text":"All roses are pruned"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"bed-82","cwd":"/srv/garden"}]}}
{"jsonrpc":"2.0","id":4,"method":"session/close","params":{"sessionId":"bed-82"}}
{"jsonrpc":"2.0","id":4,"result":{}}
"#,
];

#[test]
fn a_plain_session_upholds_nothing_that_it_does_not_show() {
    let settings = Settings { tail: Tail::Closed, ..Settings::default() };
    let upheld = |side, transcript| {
        let rows = fulfilment(side, transcript, &settings).rows;
        let is_upheld = |status| status == RequirementStatus::Judged(Status::Upheld);
        let rows = rows.into_iter().filter(|row| is_upheld(row.status));
        rows.map(|row| row.requirement.id).collect::<Vec<_>>()
    };
    // Of the agent and of the client alike.
    let common = [
        "jsonrpc.id-not-null",
        "jsonrpc.same-id",
        "lifecycle.name-and-version",
        "path.absolute",
        "transport.one-line",
        "transport.only-messages",
        "transport.utf8",
    ];
    let of_version = [
        ["jsonrpc.id-type", "plan.fallback-update", "prompt.answered"].as_slice(),
        &[
            "jsonrpc.id-unique",
            "permission.unique-option",
            "plan.id-required",
            "prompt.accepted",
            "prompt.reported",
            "session.close-succeeds",
            "session.message-ids",
            "state.requires-action",
            "state.resumed",
            "state.running",
            "state.stop-reason",
            "tool-call.title",
        ],
    ];
    let of_agents = [
        "capability.baseline-methods",
        "content.baseline",
        "ext.no-custom-fields",
        "lifecycle.agent-answers",
        "lifecycle.agree",
    ];
    for (transcript, own) in PLAIN.into_iter().zip(of_version) {
        let mut shown = [&common, own, &of_agents].concat();
        shown.sort_unstable();
        assert_eq!(upheld(Side::Agent, transcript), shown);
        let of_clients = ["capability.agent-methods", "lifecycle.initialize-first"];
        let ids = own.iter().copied().filter(|id| id.starts_with("jsonrpc.")).collect::<Vec<_>>();
        let mut shown = [&common, ids.as_slice(), &of_clients].concat();
        shown.sort_unstable();
        assert_eq!(upheld(Side::Client, transcript), shown);
    }
    // What the condition needs is shown here: work goes on when the session is closed.
    let running =
        PLAIN[1].replace(r#""state":"idle","stopReason":"end_turn""#, r#""state":"running""#);
    let idle = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"bed-82","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
"#;
    let (before, answer) = running.trim_end().rsplit_once('\n').unwrap();
    let closed = upheld(Side::Agent, &format!("{before}\n{idle}{answer}\n"));
    assert!(closed.contains(&"session.close-idle") && closed.contains(&"session.close-cancels"));
}

#[test]
fn an_older_edition_has_only_what_its_rules_check() {
    let settings = Settings { edition: Some(Edition::May2026), ..Settings::default() };
    let old = fulfilment(Side::Agent, OPENING, &settings);
    let new = fulfilment(Side::Agent, OPENING, &Settings::default());
    assert_eq!((old.edition, new.edition), (Some(Edition::May2026), None));
    assert!(old.must.apply < new.must.apply, "{:?} {:?}", old.must, new.must);
    assert_eq!(old.must.no_rule, 0);
}

#[test]
fn every_requirement_of_a_rule_has_a_place() {
    for (index, rule) in CATALOGUE.iter().enumerate() {
        for id in rule.requirements {
            let place = shares::place(index, id).unwrap();
            let of = shares::at(place).map_or((index, *id), |it| (it.rule, it.requirement));
            assert_eq!(of, (index, *id));
            assert!(requirements::find(id).is_some());
        }
        assert_eq!(shares::place(index, "no.such-requirement"), None);
    }
}

#[test]
fn only_the_answer_to_an_unknown_notification_shows_that_unknown_ones_are_not_ignored() {
    let settings = Settings::default();
    let answered = |method: &str, answer: &str| {
        let notification =
            format!(r#"{{"jsonrpc":"2.0","method":"{method}","params":{{"sessionId":"s"}}}}"#);
        let answer = format!(r#"{{"jsonrpc":"2.0","id":null,{answer}}}"#);
        let opening = opening(Surface::V2, Opening::Session);
        let lines =
            opening.lines().chain([&*notification, &*answer]).zip(["c2a", "a2c"].iter().cycle());
        let transcript: String =
            lines.map(|(line, side)| format!("{{\"dir\":\"{side}\",\"msg\":{line}}}\n")).collect();
        let agent = fulfilment(Side::Agent, &transcript, &settings);
        ["ext.ignore-notifications", "jsonrpc.no-answer-to-notification"]
            .map(|id| status(&agent, id).unwrap())
    };
    let violated = RequirementStatus::Judged(Status::Violated);
    let unknown = answered("_acme/focus", r#""result":{}"#);
    assert_eq!(unknown, [violated; 2]);
    let known = answered("session/cancel", r#""result":{}"#);
    assert_eq!(known, [RequirementStatus::Judged(Status::NotExercised), violated]);
    let unreadable = answered("_acme/focus", r#""error":{"code":-32700,"message":"Parse error"}"#);
    assert_eq!(unreadable, [RequirementStatus::Judged(Status::NotExercised); 2]);
}

#[test]
fn only_what_follows_a_late_answer_shows_whether_late_answers_are_ignored() {
    let settings = Settings::default();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/state");
    let statuses = |fixture: &str| {
        let transcript = fs::read_to_string(folder.join(fixture)).unwrap();
        let agent = fulfilment(Side::Agent, &transcript, &settings);
        ["cancel.ignore-late-answers", "cancel.updates-first"].map(|id| status(&agent, id).unwrap())
    };
    let [broken, kept, not_exercised] =
        [Status::NotFollowed, Status::Upheld, Status::NotExercised].map(RequirementStatus::Judged);
    assert_eq!(
        statuses("output-while-idle/bad-tool-call-after-a-late-answer.ndjson"),
        [broken, kept]
    );
    assert_eq!(
        statuses("output-while-idle/bad-tool-call-after-cancelled-work.ndjson"),
        [not_exercised, kept]
    );
    let continued = statuses("update-after-cancelled-idle/bad-tool-call.ndjson");
    assert_eq!(continued[0], not_exercised);
    assert_ne!(continued[1], kept);
}
