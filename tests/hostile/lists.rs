//! One message with a list of tens of thousands: whoever compares each element with each, or walks
//! over the list for each, is not done with it in minutes.

use acpcheck::{check::Settings, protocol::Surface, rule::Verdict};

use super::places::everything;

const MANY: usize = 10_000;

/// So many elements, and all of them once more from the last to the first.
fn twice(element: impl Fn(usize) -> String) -> String {
    let elements = (0..MANY).chain((0..MANY).rev()).map(element);
    elements.collect::<Vec<_>>().join(",")
}

fn of(element: &str) -> String {
    vec![element; MANY].join(",")
}

fn call(id: u32, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#) + "\n"
}

fn answer(id: u32, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#) + "\n"
}

fn update(kind: &str, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}",{members}}}}}}}"#
    ) + "\n"
}

fn option(id: impl std::fmt::Display, values: &str) -> String {
    format!(
        r#"{{"id":"{id}","configId":"{id}","name":"O","type":"select","currentValue":"v0","options":[{values}]}}"#
    )
}

fn value(number: usize) -> String {
    format!(r#"{{"value":"v{number}","name":"V"}}"#)
}

/// Each with the rule that has something to say about it.
fn of_version_1() -> Vec<(&'static str, String)> {
    let options = |options: &str| {
        let before = update("config_option_update", &format!(r#""configOptions":[{options}]"#));
        // As much again, of which the first list is known.
        before.repeat(2)
    };
    let block = r#"{"type":"text"}"#;
    vec![
        ("config/duplicate-id", options(&twice(|id| option(id, &value(0))))),
        ("config/duplicate-option-value", options(&option("o", &twice(value)))),
        (
            "permission/duplicate-option-id",
            call(
                7,
                "session/request_permission",
                &format!(
                    r#"{{"sessionId":"s","toolCall":{{"toolCallId":"c"}},"options":[{}]}}"#,
                    twice(|id| format!(r#"{{"optionId":"{id}","name":"N","kind":"allow_once"}}"#))
                ),
            ),
        ),
        (
            "auth/duplicate-method-id",
            call(7, "initialize", r#"{"protocolVersion":1}"#)
                + &answer(
                    7,
                    &format!(
                        r#"{{"protocolVersion":1,"authMethods":[{}]}}"#,
                        twice(|id| format!(r#"{{"id":"{id}","name":"N"}}"#))
                    ),
                ),
        ),
        (
            "session/additional-directories-redundant",
            call(
                7,
                "session/new",
                &format!(
                    r#"{{"cwd":"/work","mcpServers":[],"additionalDirectories":[{}]}}"#,
                    twice(|number| format!(r#""/{number}""#))
                ),
            ),
        ),
        (
            "plan/duplicate-entry",
            update(
                "plan",
                &format!(
                    r#""entries":[{}]"#,
                    twice(|number| format!(
                        r#"{{"content":"{number}","priority":"low","status":"pending"}}"#
                    ))
                ),
            )
            .repeat(2),
        ),
        (
            "schema/params",
            update(
                "tool_call",
                &format!(r#""toolCallId":"c","title":"t","locations":[{}]"#, of("7")),
            ),
        ),
        (
            "schema/params",
            call(7, "session/prompt", &format!(r#"{{"sessionId":"s","prompt":[{}]}}"#, of(block))),
        ),
        (
            "elicitation/required-unknown-property",
            call(
                7,
                "elicitation/create",
                &format!(
                    r#"{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{{"type":"object","properties":{{{}}},"required":[{}]}}}}"#,
                    (0..MANY)
                        .map(|name| format!(r#""{name}":{{"type":"string"}}"#))
                        .collect::<Vec<_>>()
                        .join(","),
                    twice(|name| format!(r#""x{name}""#))
                ),
            ),
        ),
    ]
}

fn of_version_2() -> Vec<(&'static str, String)> {
    let change = |path| format!(r#"{{"operation":"modify","path":"/{path}"}}"#);
    let changes: Vec<_> = (0..MANY).map(change).collect();
    let section = |path| format!(r"diff --git a/{path} b/{path}\n--- /{path}\n+++ /{path}\n");
    let patch: String = (0..=MANY).map(section).collect();
    vec![
        (
            "tool-call/diff-patch-inconsistent",
            update(
                "tool_call_update",
                &format!(
                    r#""toolCallId":"c","content":[{{"type":"diff","changes":[{}],"patch":{{"format":"git_patch","text":"{patch}"}}}}]"#,
                    changes.join(",")
                ),
            ),
        ),
        (
            "mcp/duplicate-server-name",
            call(
                7,
                "session/new",
                &format!(
                    r#"{{"cwd":"/work","mcpServers":[{}]}}"#,
                    twice(|name| format!(
                        r#"{{"type":"stdio","name":"{name}","command":"/bin/x","args":[],"env":[]}}"#
                    ))
                ),
            ),
        ),
        (
            "mcp/duplicate-env-name",
            call(
                7,
                "session/new",
                &format!(
                    r#"{{"cwd":"/work","mcpServers":[{{"type":"stdio","name":"x","command":"/bin/x","args":[],"env":[{}]}}]}}"#,
                    twice(|name| format!(r#"{{"name":"{name}","value":""}}"#))
                ),
            ),
        ),
        (
            "state/background-duplicate",
            update(
                "state_update",
                &format!(
                    r#""state":"idle","stopReason":"end_turn","background":[{}]"#,
                    twice(|id| format!(r#"{{"type":"terminal","terminalId":"{id}"}}"#))
                ),
            ),
        ),
    ]
}

#[test]
fn lists_without_end_in_one_message() {
    for (surface, cases) in
        [(Surface::V1Unstable, of_version_1()), (Surface::V2Unstable, of_version_2())]
    {
        let opening = acpcheck::rule::opening::opening(surface, acpcheck::rule::Opening::Turn);
        let severities = everything();
        let settings = Settings { surface: Some(surface), severities, ..Settings::default() };
        for (rule, lines) in cases {
            let (found, outcome) =
                crate::effort::check((opening.clone() + &lines).as_bytes(), &settings);
            let said = found.iter().filter(|found| found.rule.id == rule).count();
            let messages = lines.lines().count();
            assert!((1..=messages * Verdict::MOST).contains(&said), "{rule}: {said} findings");
            let sent = (opening.lines().count() + messages) as u64;
            assert_eq!(outcome.messages, sent, "{rule}");
        }
    }
}

/// More findings than are shown one by one: the others are counted, up to the bound by size. What is
/// behind it counts as not judged.
#[test]
fn findings_without_end_are_counted() {
    const LINES: u64 = 21_000;
    let opening = acpcheck::rule::opening::opening(Surface::V1, acpcheck::rule::Opening::Session);
    let noise: String = (0..LINES).map(|number| format!("noise {number}\n")).collect();
    let (found, outcome) =
        crate::effort::check((opening + &noise).as_bytes(), &Settings::default());
    let all: u64 = found.iter().map(|found| 1 + found.repeats).sum();
    assert!(found.len() < 5_000 && all > 7_000 && all < LINES, "{all}");
    assert!(outcome.unjudged.messages >= LINES - all, "{:?}", outcome.notes);
    assert!(outcome.notes.iter().any(|note| note.contains("acpcheck looks for 4000 findings")));
}

/// The bound of findings is for files made of faults: files with one fault in each message, or two
/// in each of a session's updates, are judged to their end.
#[test]
fn faulty_recordings_are_judged_to_their_end() {
    let opening = acpcheck::rule::opening::opening(Surface::V1, acpcheck::rule::Opening::Turn);
    let entry = r#""entries":[{"content":"x","priority":"urgent","status":"later"}]"#;
    let method = r#"{"jsonrpc":"2.0","method":"session/updates","params":{"sessionId":"s","n":@}}"#;
    let response = r#"{"jsonrpc":"2.0","id":10@,"result":{"outcome":{"outcome":"x"}}}"#;
    for line in [update("plan", entry).trim_end(), method, response] {
        let lines = (0..6_000).map(|number| line.replace('@', &number.to_string()) + "\n");
        let text = opening.clone() + &lines.collect::<String>();
        let (_, outcome) = crate::effort::check(text.as_bytes(), &Settings::default());
        assert_eq!(outcome.unjudged.messages, 0, "{line}: {:?}", outcome.notes);
    }
}

/// The text of an update that shows this number of images, none of which is base64.
fn images(count: usize) -> String {
    let image = |number| format!(r#"{{"type":"image","mimeType":"image/png","data":"!{number}"}}"#);
    let images = (0..count).map(image).collect::<Vec<_>>().join(",");
    update(
        "compaction_update",
        &format!(r#""compactionId":"c","status":"completed","summary":[{images}]"#),
    )
}

/// More findings of one rule on one line than are told one by one: the others are counted.
#[test]
fn findings_of_one_line_are_counted() {
    let opening = acpcheck::rule::opening::opening(Surface::V1, acpcheck::rule::Opening::Turn);
    let settings = Settings { surface: Some(Surface::V1Unstable), ..Settings::default() };
    let (found, _) = crate::effort::check((opening + &images(MANY)).as_bytes(), &settings);
    let own: Vec<_> =
        found.iter().filter(|found| found.rule.id == "content/invalid-base64").collect();
    let more: u64 = own.iter().map(|found| found.repeats).sum();
    assert_eq!((own.len(), own.len() as u64 + more), (Verdict::MOST, MANY as u64));
}

/// A rule that stops at a number of findings says so.
#[test]
fn what_is_judged_in_part_is_told() {
    let opening = acpcheck::rule::opening::opening(Surface::V1, acpcheck::rule::Opening::Turn);
    let told = |entries: usize| {
        let entries = vec!["1"; entries].join(",");
        let lines = opening.clone() + &update("plan", &format!(r#""entries":[{entries}]"#));
        crate::effort::check(lines.as_bytes(), &Settings::default()).1.notes
    };
    assert_eq!(told(Verdict::MOST - 1), Vec::<String>::new());
    let notes = told(MANY);
    assert!(
        matches!(&*notes, [note] if note.starts_with("1 message was judged in part")),
        "{notes:?}"
    );
}

/// What is not judged at all is reported, with the rules that may have spoken.
#[test]
fn what_is_not_judged_is_told() {
    let opening = acpcheck::rule::opening::opening(Surface::V1, acpcheck::rule::Opening::Turn);
    let entries = vec!["1"; 300_000].join(",");
    let lines = opening + &update("plan", &format!(r#""entries":[{entries}]"#)).repeat(2);
    let (found, outcome) = crate::effort::check(lines.as_bytes(), &Settings::default());
    assert!(found.is_empty(), "{found:?}");
    let [unassessed] = &*outcome.unassessed else { panic!("{:?}", outcome.unassessed) };
    assert!(unassessed.is_partial && unassessed.why.starts_with("2 messages were not judged"));
    for rule in ["schema/params", "plan/duplicate-entry", "session/unknown-id"] {
        assert!(unassessed.rules.contains(&rule), "{rule}");
    }
    assert!(!unassessed.rules.contains(&"transport/not-json"));
    assert_eq!(*outcome.notes, *std::slice::from_ref(&unassessed.why));
}
