//! One cause, one diagnostic: what several rules could speak of is told by the one that knows most.

use std::slice;

use acpcheck::{
    check::Settings,
    protocol::Surface,
    rule::{Bound, Opening, Severity, opening::opening},
    rules,
};

/// What is found in a conversation: the rule and the text it points at, or "" for a place where
/// something is missing.
fn found(surface: Surface, before: &str, lines: &str) -> Vec<(&'static str, String)> {
    let settings = Settings { surface: Some(surface), ..Settings::default() };
    found_by(&settings, before, lines)
}

fn found_by(settings: &Settings, before: &str, lines: &str) -> Vec<(&'static str, String)> {
    let text = format!("{before}{lines}\n");
    let (diagnostics, _) = crate::effort::check(text.as_bytes(), settings);
    diagnostics
        .iter()
        .map(|found| {
            let span = found.finding.labels[0].span;
            let (start, end) = (span.start.try_into().unwrap(), span.end().try_into().unwrap());
            (found.rule.id, text.get::<std::ops::Range<usize>>(start..end).unwrap().to_owned())
        })
        .collect()
}

fn update(update: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#
    )
}

#[track_caller]
fn assert_found(found: &[(&'static str, String)], expected: &[(&str, &str)]) {
    let found: Vec<_> = found.iter().map(|(rule, text)| (*rule, text.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn an_unknown_status_and_a_missing_priority_are_two_causes() {
    let entries = r#"[{"content":"Sweep","priority":"high","status":"doing"},{"content":"Mop","status":"pending"}]"#;
    let plan = update(&format!(r#"{{"sessionUpdate":"plan","entries":{entries}}}"#));
    let found = found(Surface::V1, &opening(Surface::V1, Opening::Turn), &plan);
    assert_found(&found, &[("plan/closed-enum-value", r#""doing""#), ("schema/params", "")]);
}

#[test]
fn an_operation_without_capability_hides_nothing_else() {
    let plan = update(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[{"content":"Sweep","priority":"high","status":"todo"}]}}"#,
    );
    for surface in [Surface::V1, Surface::V1Unstable] {
        let found = found(surface, &opening(surface, Opening::Bare), &plan);
        assert_found(
            &found,
            &[
                ("plan/operation-without-capability", r#""plan_update""#),
                ("plan/closed-enum-value", r#""todo""#),
                ("plan/missing-id", ""),
            ],
        );
    }
}

#[test]
fn nobody_is_blamed_for_believing_a_malformed_capability() {
    let before = opening(Surface::V1Unstable, Opening::Bare)
        .replace(r#""clientCapabilities":{}"#, r#""clientCapabilities":{"plan":true}"#);
    let removal = update(r#"{"sessionUpdate":"plan_removed","planId":"tidy"}"#);
    let plan = update(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}"#,
    );
    let found = found(Surface::V1Unstable, &before, &format!("{plan}\n{removal}"));
    assert_found(&found, &[("plan/malformed-capability", "true")]);
}

#[test]
fn an_update_of_version_1_on_version_2_is_one_fault_whatever_is_in_it() {
    let plan = update(
        r#"{"sessionUpdate":"plan","planId":"tidy","entries":[{"id":1,"content":"","status":"done"},null],"_meta":7}"#,
    );
    let found = found(Surface::V2, &opening(Surface::V2, Opening::Turn), &plan);
    assert_found(&found, &[("plan/v1-update-in-v2", r#""plan""#)]);
}

#[test]
fn a_switch_of_the_spelling_is_not_an_old_spelling_as_well() {
    let before = opening(Surface::V1Unstable, Opening::Turn);
    let plan = |name: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"plan_update","plan":{{"type":"items","{name}":"tidy","entries":[]}}}}"#
        ))
    };
    let [old, new] = ["id", "planId"].map(plan);
    let switched = |lines: &[&str]| found(Surface::V1Unstable, &before, &lines.join("\n"));
    assert_found(&switched(&[&new, &old, &old]), &[("plan/mixed-id-spelling", r#""id""#)]);
    assert_found(
        &switched(&[&old, &old, &new, &new, &old]),
        &[("plan/legacy-id-field", r#""id""#), ("plan/mixed-id-spelling", r#""planId""#)],
    );
}

#[test]
fn a_reserved_value_is_not_an_unprefixed_one_as_well() {
    let plan = update(
        r#"{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"urgent","status":"blocked"}]}}"#,
    );
    let gantt =
        update(r#"{"sessionUpdate":"plan_update","plan":{"type":"gantt","planId":"chart"}}"#);
    let found =
        found(Surface::V2, &opening(Surface::V2, Opening::Turn), &format!("{plan}\n{gantt}"));
    assert_found(
        &found,
        &[
            ("plan/reserved-priority", r#""urgent""#),
            ("plan/reserved-status", r#""blocked""#),
            ("plan/reserved-type", r#""gantt""#),
        ],
    );
}

/// What the policies of the audit find in a turn of version 1.
fn audited(updates: &[String]) -> Vec<(&'static str, String)> {
    let mut settings = Settings { surface: Some(Surface::V1), ..Settings::default() };
    for rule in [
        "fs/write-outside-roots",
        "tool-call/outside-roots",
        "permission/never-asked",
        "permission/target-changed",
    ] {
        settings.severities.set(rules::find(rule).unwrap().0, Severity::Warning);
    }
    found_by(&settings, &opening(Surface::V1, Opening::Turn), &updates.join("\n"))
}

const WRITE: [&str; 2] = [
    r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/etc/pond","content":"new"}}"#,
    r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
];

#[test]
fn a_file_outside_is_told_once_whoever_changes_it_first() {
    let call = update(
        r#"{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit","status":"completed","content":[{"type":"diff","path":"/etc/pond","oldText":"old","newText":"new"}]}"#,
    );
    let write = WRITE.map(str::to_owned);
    let path = r#""/etc/pond""#;
    let lines = [&write[..], slice::from_ref(&call)].concat();
    let unasked = ("permission/never-asked", path);
    assert_found(&audited(&lines), &[unasked, ("fs/write-outside-roots", path)]);
    let lines = [slice::from_ref(&call), &write].concat();
    let completed = ("permission/never-asked", r#""completed""#);
    assert_found(&audited(&lines), &[completed, ("tool-call/outside-roots", path)]);
}

#[test]
fn an_id_that_is_announced_again_has_no_other_target_than_was_allowed() {
    let call = |command: &str| {
        update(&format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"Run","status":"pending","rawInput":{{"command":"{command}"}}}}"#
        ))
    };
    let done =
        update(r#"{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}"#);
    let asked = r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow","kind":"allow_once"}]}}"#;
    let answer =
        r#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}"#;
    let lines = [call("ls"), asked.into(), answer.into(), done.clone(), call("drain pond"), done];
    let found = audited(&lines);
    let rules: Vec<_> = found.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, ["tool-call/duplicate-create", "permission/never-asked"]);
}

#[test]
fn a_newer_answer_and_a_client_that_goes_on_are_faults_of_two_sides() {
    let lines = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#;
    let (diagnostics, _) = crate::effort::check(lines.as_bytes(), &Settings::default());
    let found: Vec<_> = diagnostics.iter().map(|found| (found.rule.id, found.rule.binds)).collect();
    let expected = [
        ("lifecycle/version-above-request", Bound::Agent),
        ("lifecycle/version-mismatch-continue", Bound::Client),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_request_left_open_and_its_late_approval_are_faults_of_two_sides() {
    let ask = r#"{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}"#;
    let cancel =
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#.to_owned();
    let approve =
        r#"{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}"#;
    let call = |more: &str| {
        update(&format!(r#"{{"sessionUpdate":"tool_call_update","toolCallId":"c1",{more}}}"#))
    };
    let state = |more: &str| update(&format!(r#"{{"sessionUpdate":"state_update",{more}}}"#));
    let begun = [call(r#""title":"Run the tests""#), ask.to_owned(), cancel.clone()];
    let ended = [
        call(r#""status":"failed""#),
        state(r#""state":"idle","stopReason":"cancelled""#),
        approve.to_owned(),
    ];
    let lines = [begun, ended].concat().join("\n");
    let late = found(Surface::V2, &opening(Surface::V2, Opening::Turn), &lines);
    let rules: Vec<_> = late.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, ["permission/not-withdrawn", "permission/selected-after-cancel"]);

    // Work that goes on in the background may have asked.
    let background = r#""state":"idle","stopReason":"cancelled","background":[{"type":"tool_call","toolCallId":"c1"}]"#;
    let begun = [call(r#""title":"Run the tests""#), ask.to_owned(), cancel];
    let lines = [&begun[..], &[state(background), approve.to_owned()]].concat().join("\n");
    let found = found(Surface::V2, &opening(Surface::V2, Opening::Turn), &lines);
    assert!(found.iter().all(|(rule, _)| *rule != "permission/selected-after-cancel"), "{found:?}");
}
