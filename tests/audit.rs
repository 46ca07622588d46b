//! The audit log: each row of small conversations, and what must hold for every recording.

use std::{collections::BTreeSet, fs, path::Path};

use acpcheck::{
    audit::{
        self, Action, ActionKind, ActionResult, AuditEvent, Decision, Doubt, Join, Order, Outside,
        Proof,
    },
    check::{EventKind, Settings},
    report::{
        TextStyle,
        audit::{AnyWord, AuditFormat, AuditWriter},
    },
};

/// A conversation of version 1 in a session `oven` below `/home/ann/kiln`, in its first turn.
struct Talk(Vec<String>);

impl Talk {
    fn new() -> Self {
        Self::begun(r#""result":{"sessionId":"oven"}"#)
    }

    /// The answer to `session/new` has this result.
    fn begun(result: &str) -> Self {
        let mut talk = Self(Vec::new());
        talk.line(
            r#""id":"a","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true},"clientInfo":{"name":"shelf","version":"4.1"}}"#,
        );
        talk.line(
            r#""id":"a","result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"potter","version":"0.9"}}"#,
        );
        talk.line(
            r#""id":"b","method":"session/new","params":{"cwd":"/home/ann/kiln","mcpServers":[]}"#,
        );
        talk.line(&format!(r#""id":"b",{result}"#));
        talk.line(
            r#""id":"c","method":"session/prompt","params":{"sessionId":"oven","prompt":[{"type":"text","text":"Glaze it."}]}"#,
        );
        talk
    }

    fn line(&mut self, members: &str) -> usize {
        self.0.push(format!(r#"{{"jsonrpc":"2.0",{members}}}"#));
        self.0.len()
    }

    /// A tool call, with more members.
    fn call(&mut self, id: &str, kind: &str, title: &str, members: &str) -> usize {
        self.update(&format!(
            r#""sessionUpdate":"tool_call","toolCallId":"{id}","kind":"{kind}","title":"{title}","status":"pending"{members}"#
        ))
    }

    fn status(&mut self, id: &str, status: &str) -> usize {
        self.update(&format!(
            r#""sessionUpdate":"tool_call_update","toolCallId":"{id}","status":"{status}""#
        ))
    }

    fn update(&mut self, update: &str) -> usize {
        self.line(&format!(
            r#""method":"session/update","params":{{"sessionId":"oven","update":{{{update}}}}}"#
        ))
    }

    /// A question about a tool call.
    fn ask(&mut self, request: u32, tool_call: &str) -> usize {
        self.line(&format!(
            r#""id":{request},"method":"session/request_permission","params":{{"sessionId":"oven","toolCall":{{"toolCallId":{tool_call}}},"options":[{{"optionId":"y","name":"Yes","kind":"allow_once"}},{{"optionId":"a","name":"Yes, all day","kind":"allow_always"}},{{"optionId":"n","name":"No","kind":"reject_once"}},{{"optionId":"x","name":"Later","kind":"_later"}}]}}"#
        ))
    }

    fn choose(&mut self, request: u32, option: &str) -> usize {
        self.line(&format!(
            r#""id":{request},"result":{{"outcome":{{"outcome":"selected","optionId":"{option}"}}}}"#
        ))
    }

    fn request(&mut self, request: u32, method: &str, params: &str) -> usize {
        self.line(&format!(
            r#""id":{request},"method":"{method}","params":{{"sessionId":"oven",{params}}}"#
        ))
    }

    /// A file that the client writes.
    fn write(&mut self, request: u32, path: &str) -> usize {
        let params = format!(r#""path":"{path}","content":"ash""#);
        self.request(request, "fs/write_text_file", &params);
        self.answer(request, "{}")
    }

    fn answer(&mut self, request: u32, result: &str) -> usize {
        self.line(&format!(r#""id":{request},"result":{result}"#))
    }

    fn end(&mut self) {
        self.line(r#""id":"c","result":{"stopReason":"end_turn"}"#);
    }

    fn rows(&self) -> Vec<Action> {
        audit::actions(self.text().as_bytes())
    }

    fn text(&self) -> String {
        self.0.join("\n") + "\n"
    }

    /// The only row.
    fn row(&mut self) -> Action {
        self.end();
        let mut rows = self.rows();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        rows.remove(0)
    }
}

const GLAZE: &str = r#","locations":[{"path":"/home/ann/kiln/glaze.txt"}]"#;

#[test]
fn a_write_after_its_answer() {
    let mut talk = Talk::new();
    let first = talk.call("p", "edit", "Glaze", GLAZE);
    let asked = talk.ask(7, r#""p""#);
    let answered = talk.choose(7, "y");
    let done = talk.write(8, "/home/ann/kiln/bowls/../glaze.txt");
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((row.kind, &*row.target), (ActionKind::Write, "/home/ann/kiln/glaze.txt"));
    assert_eq!((row.decision, row.option.as_deref()), (Decision::AllowedOnce, Some("Yes")));
    assert_eq!((row.result, row.proof), (ActionResult::Done, Proof::Client));
    assert_eq!((row.order, row.outside), (Order::AfterAnswer, Outside::No));
    assert_eq!((row.join, row.call.as_deref()), (Join::Target, Some("p")));
    let lines = [row.first, row.asked, row.answered, row.done].map(|line| line as usize);
    assert_eq!(lines, [first, asked, answered, done]);
    assert_eq!(row.agent.as_deref(), Some("potter 0.9"));
    assert_eq!(row.client.as_deref(), Some("shelf 4.1"));
}

#[test]
fn a_refused_write_that_fails_and_happens_all_the_same() {
    let mut talk = Talk::new();
    talk.call("p", "edit", "Glaze", GLAZE);
    talk.ask(7, r#""p""#);
    talk.choose(7, "n");
    talk.write(8, "/home/ann/kiln/glaze.txt");
    talk.status("p", "failed");
    let row = talk.row();
    assert_eq!((row.decision, row.order), (Decision::RejectedOnce, Order::AfterRefusal));
    assert_eq!((row.result, row.proof), (ActionResult::Done, Proof::Client));
}

#[test]
fn in_progress_proves_nothing() {
    for (status, result) in [
        ("in_progress", ActionResult::Unfinished),
        ("failed", ActionResult::Failed),
        ("pending", ActionResult::NotStarted),
    ] {
        let mut talk = Talk::new();
        talk.call("p", "execute", "`fire --low`", "");
        talk.status("p", "in_progress");
        talk.ask(7, r#""p""#);
        talk.choose(7, "n");
        talk.status("p", status);
        let row = talk.row();
        assert_eq!((&*row.target, row.order), ("fire --low", Order::NotDone), "{status}");
        assert_eq!(row.result, result, "{status}");
    }
}

#[test]
fn what_is_done_while_the_question_is_open_comes_before_the_answer() {
    let mut talk = Talk::new();
    talk.call("p", "edit", "Glaze", GLAZE);
    talk.ask(7, r#""p""#);
    talk.write(8, "/home/ann/kiln/glaze.txt");
    talk.choose(7, "y");
    talk.status("p", "completed");
    assert_eq!(talk.row().order, Order::BeforeAnswer);
}

#[test]
fn a_question_that_was_withdrawn_or_unknown_is_no_refusal() {
    let mut talk = Talk::new();
    talk.call("p", "edit", "Glaze", GLAZE);
    talk.ask(7, r#""p""#);
    talk.line(r#""id":7,"error":{"code":-32601,"message":"no"}"#);
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((row.decision, row.order), (Decision::Error, Order::AfterAnswer));
    let mut talk = Talk::new();
    talk.call("p", "edit", "Glaze", GLAZE);
    talk.ask(7, r#""p""#);
    talk.choose(7, "x");
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((row.decision, row.order), (Decision::Other, Order::AfterAnswer));
}

#[test]
fn commands_are_recognised_in_a_shell() {
    let mut talk = Talk::new();
    talk.call("p", "execute", "Fire", r#","rawInput":{"command":["fire","--low"]}"#);
    talk.request(8, "terminal/create", r#""command":"/bin/sh","args":["-lc","fire  --low"]"#);
    let done = talk.answer(8, r#"{"terminalId":"t"}"#);
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((&*row.target, row.join), ("fire --low", Join::Target));
    assert_eq!((row.decision, row.order), (Decision::NotAsked, Order::Unasked));
    assert_eq!((row.done as usize, row.outside), (done, Outside::Unknown));
}

#[test]
fn commands_are_recognised_without_their_quotes() {
    let joined = |written: &str, program: &str, arguments: &str| {
        let mut talk = Talk::new();
        talk.call("p", "execute", "Fire", &format!(r#","rawInput":{{"command":"{written}"}}"#));
        talk.call("q", "execute", "Glaze", r#","rawInput":{"command":"glaze"}"#);
        talk.request(
            8,
            "terminal/create",
            &format!(r#""command":"{program}","args":[{arguments}]"#),
        );
        talk.answer(8, r#"{"terminalId":"t"}"#);
        talk.status("p", "completed");
        talk.status("q", "completed");
        talk.rows().iter().any(|row| row.join == Join::Target)
    };
    assert!(joined(r#"fire --note \"two pots\""#, "/usr/bin/fire", r#""--note","two pots""#));
    assert!(!joined(r#"fire --note \"two pots\""#, "fire", r#""--note","two","pots""#));
    assert!(!joined(r#"fire --note \"$POTS\""#, "fire", r#""--note","$POTS""#));
}

#[test]
fn a_terminal_that_a_tool_call_shows_later_belongs_to_it() {
    let mut talk = Talk::new();
    talk.request(8, "terminal/create", r#""command":"fire","args":[],"cwd":"/home/ann/kilns""#);
    talk.answer(8, r#"{"terminalId":"t"}"#);
    talk.call("p", "execute", "Something", r#","content":[{"type":"terminal","terminalId":"t"}]"#);
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((&*row.target, row.join, row.outside), ("fire", Join::Id, Outside::Yes));
}

#[test]
fn time_joins_only_where_one_call_fits() {
    for (others, join) in [(1, Join::Time), (2, Join::None)] {
        let mut talk = Talk::new();
        for number in 0..others {
            talk.call(&format!("p{number}"), "edit", "Glaze", "");
        }
        talk.write(8, "/home/ann/kiln/glaze.txt");
        talk.end();
        let rows = talk.rows();
        let row = rows.iter().find(|row| row.proof == Proof::Client).unwrap();
        assert_eq!(row.join, join, "{rows:#?}");
    }
    // A file that is read is not given to a tool call that happens to run.
    let mut talk = Talk::new();
    talk.call("p", "other", "List", "");
    talk.request(8, "fs/read_text_file", r#""path":"/home/ann/kiln/AGENTS.md""#);
    talk.answer(8, r#"{"content":""}"#);
    talk.status("p", "completed");
    talk.end();
    let rows = talk.rows();
    let joins: Vec<_> = rows.iter().map(|row| (row.kind, row.join)).collect();
    assert_eq!(joins, [(ActionKind::Tool, Join::Id), (ActionKind::Read, Join::None)]);
}

/// Where the client allowed all calls under way, an action was allowed, whichever call it is of.
#[test]
fn calls_that_were_all_allowed_leave_nothing_unasked() {
    let mut talk = Talk::new();
    for (id, request) in [("p", 6), ("q", 7)] {
        talk.call(id, "edit", "Glaze", "");
        talk.ask(request, &format!(r#""{id}""#));
        talk.choose(request, "y");
    }
    for (request, file) in [(8, "a"), (9, "b"), (10, "c")] {
        talk.write(request, &format!("/home/ann/kiln/{file}.txt"));
    }
    talk.status("p", "completed");
    talk.status("q", "completed");
    talk.end();
    let told: Vec<_> = talk.rows().iter().map(|row| (row.decision, row.join)).collect();
    assert_eq!(told, [(Decision::AllowedOnce, Join::Time); 3]);
}

#[test]
fn two_calls_with_other_answers_leave_a_write_unclear() {
    let mut talk = Talk::new();
    for (id, request, option) in [("p", 7, "n"), ("q", 8, "x")] {
        talk.call(id, "edit", "Glaze", GLAZE);
        talk.ask(request, &format!(r#""{id}""#));
        talk.choose(request, option);
    }
    talk.write(9, "/home/ann/kiln/glaze.txt");
    talk.end();
    let rows = talk.rows();
    let done = rows.iter().find(|row| row.result == ActionResult::Done).unwrap();
    assert_eq!((done.decision, done.order), (Decision::Unclear, Order::Unclear), "{rows:#?}");
    assert_eq!(done.unclear, Some(Doubt::SeveralCalls));
}

#[test]
fn a_question_under_another_id_is_joined_by_its_target() {
    let mut talk = Talk::new();
    talk.ask(7, r#""approval-1","rawInput":{"command":"fire --low"}"#);
    talk.choose(7, "a");
    talk.call("p", "execute", "Fire", r#","rawInput":{"command":"fire --low"}"#);
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((row.decision, row.join), (Decision::AllowedAlways, Join::Target));
    assert_eq!(row.order, Order::AfterAnswer);
}

#[test]
fn a_question_under_another_id_without_target_leaves_open_calls_unclear() {
    let mut talk = Talk::new();
    talk.call("p", "execute", "fire", "");
    talk.status("p", "completed");
    talk.call("q", "execute", "glaze", "");
    let asked = talk.ask(7, r#""batch""#);
    talk.choose(7, "y");
    talk.status("q", "completed");
    talk.end();
    let rows = talk.rows();
    let told: Vec<_> = rows.iter().map(|row| (&*row.target, row.decision, row.join)).collect();
    assert_eq!(
        told,
        [("fire", Decision::NotAsked, Join::Id), ("glaze", Decision::Unclear, Join::Time)]
    );
    assert_eq!(rows[1].asked as usize, asked);
    assert_eq!((rows[0].unclear, rows[1].unclear), (None, Some(Doubt::OtherId)));
}

/// A sentence in the title is no command, so that nothing is joined by it.
#[test]
fn a_title_for_people_names_no_command() {
    for (title, unclear) in [("fire the oven", None), ("Fire the oven", Some(Doubt::OtherId))] {
        let mut talk = Talk::new();
        talk.call("p", "execute", title, "");
        talk.ask(7, &format!(r#""approval-1","kind":"execute","title":"{title}""#));
        talk.choose(7, "y");
        talk.status("p", "completed");
        let row = talk.row();
        assert_eq!((row.unclear, &*row.target), (unclear, title));
        assert_eq!(row.decision == Decision::AllowedOnce, unclear.is_none());
    }
}

#[test]
fn a_call_without_its_beginning_is_unclear() {
    let mut talk = Talk(Vec::new());
    talk.status("p", "completed");
    let rows = talk.rows();
    assert_eq!(rows[0].unclear, Some(Doubt::NoBeginning), "{rows:#?}");
}

#[test]
fn what_was_refused_and_never_reported_has_a_row() {
    let mut talk = Talk::new();
    talk.ask(7, r#""p","kind":"execute","rawInput":{"command":"fire --high"}"#);
    talk.choose(7, "n");
    let row = talk.row();
    assert_eq!((&*row.target, row.decision), ("fire --high", Decision::RejectedOnce));
    assert_eq!((row.result, row.order), (ActionResult::NotStarted, Order::NotDone));
}

#[test]
fn modes_and_grants_are_told() {
    let mut talk = Talk::begun(
        r#""result":{"sessionId":"oven","modes":{"currentModeId":"careful","availableModes":[{"id":"careful","name":"Careful"},{"id":"free","name":"Free"}]}}"#,
    );
    talk.call("p", "execute", "fire", "");
    talk.ask(7, r#""p""#);
    let answered = talk.choose(7, "a");
    talk.status("p", "completed");
    talk.line(
        r#""id":"m","method":"session/set_mode","params":{"sessionId":"oven","modeId":"free"}"#,
    );
    talk.line(r#""id":"m","result":{}"#);
    talk.call("q", "execute", "fire", "");
    talk.status("q", "completed");
    talk.end();
    let rows = talk.rows();
    let told: Vec<_> = rows.iter().map(|row| (row.mode.as_deref(), row.always)).collect();
    let answered = u32::try_from(answered).unwrap();
    assert_eq!(told, [(Some("careful"), None), (Some("free"), Some(answered))]);
    let (mut check, events) = audit::watched(crate::effort::begin(&Settings::default()));
    check.feed(talk.text().as_bytes());
    check.finish();
    let session = events.into_iter().find_map(|event| match event {
        AuditEvent::Session(session) => Some(session),
        _ => None,
    });
    let session = session.unwrap();
    assert_eq!(session.directories, ["/home/ann/kiln"]);
    assert_eq!(session.grants, [(answered, "Yes, all day".to_owned())]);
    assert_eq!(session.modes.len(), 2);
}

#[test]
fn paths_are_outside_by_their_names_only_where_that_is_known() {
    for (path, outside) in [
        ("/home/ann/kiln/a/../glaze.txt", Outside::No),
        ("/home/ann/kiln", Outside::No),
        ("/home/ann/kiln2/glaze.txt", Outside::Yes),
        ("/home/ann/kiln/../glaze.txt", Outside::Yes),
        ("/home/ann/Kiln/glaze.txt", Outside::Unknown),
        ("glaze.txt", Outside::Unknown),
        ("<HOME>/glaze.txt", Outside::Unknown),
        ("C:/kiln/glaze.txt", Outside::Unknown),
    ] {
        let mut talk = Talk::new();
        talk.write(8, path);
        assert_eq!(talk.row().outside, outside, "{path}");
    }
}

#[test]
fn links_and_logins_are_actions() {
    let mut talk = Talk::new();
    talk.request(
        8,
        "elicitation/create",
        r#""mode":"url","elicitationId":"e","url":"https://ann:pw@shop.test/pay?card=1","message":"Pay""#,
    );
    talk.answer(8, r#"{"action":"decline"}"#);
    let row = talk.row();
    assert_eq!((row.kind, &*row.target), (ActionKind::Open, "https://shop.test/pay"));
    assert_eq!((row.decision, row.result), (Decision::Declined, ActionResult::NotStarted));
    let mut talk = Talk::new();
    talk.line(r#""id":"l","method":"authenticate","params":{"methodId":"badge"}"#);
    talk.line(r#""id":"l","result":{}"#);
    let row = talk.row();
    assert_eq!((row.kind, &*row.target), (ActionKind::Login, "badge"));
    assert_eq!(row.result, ActionResult::Done);
}

#[test]
fn an_id_that_is_announced_again_after_its_end_is_another_call() {
    let mut talk = Talk::new();
    for _ in 0..2 {
        talk.call("p", "execute", "fire", "");
        talk.status("p", "completed");
    }
    talk.end();
    assert_eq!(talk.rows().len(), 2);
}

/// A command that fits a tool call only by its time, while the client was asked about another one.
#[test]
fn a_question_about_another_command_leaves_a_command_unclear() {
    let mut talk = Talk::new();
    talk.call("p", "execute", "Fire", r#","rawInput":{"command":"fire --low"}"#);
    talk.ask(7, r#""p""#);
    talk.choose(7, "y");
    talk.request(8, "terminal/create", r#""command":"fire","args":["--high"]"#);
    talk.answer(8, r#"{"terminalId":"t"}"#);
    talk.status("p", "completed");
    let row = talk.row();
    assert_eq!((row.decision, row.order), (Decision::Unclear, Order::Unclear));
    assert_eq!((row.unclear, row.join), (Some(Doubt::OtherTarget), Join::Time));
}

#[test]
fn of_two_open_questions_the_newer_counts_unless_it_was_answered_first() {
    for (answers, expected) in [
        ([(7, "n"), (8, "y")], Decision::AllowedOnce),
        ([(7, "y"), (8, "n")], Decision::RejectedOnce),
        ([(8, "y"), (7, "y")], Decision::AllowedOnce),
        ([(8, "y"), (7, "n")], Decision::Unclear),
        ([(8, "n"), (7, "y")], Decision::Unclear),
    ] {
        let mut talk = Talk::new();
        talk.call("p", "edit", "Glaze", GLAZE);
        talk.ask(7, r#""p""#);
        talk.ask(8, r#""p""#);
        for (request, option) in answers {
            talk.choose(request, option);
        }
        talk.write(9, "/home/ann/kiln/glaze.txt");
        let row = talk.row();
        assert_eq!(row.decision, expected, "{answers:?}");
        let is_unclear = expected == Decision::Unclear;
        assert_eq!(row.unclear, is_unclear.then_some(Doubt::DifferentAnswers));
    }
}

/// The text of all rows in a format.
fn written(text: &str, format: AuditFormat, only: &[&str], is_redacted: bool) -> String {
    let only = only.iter().map(|words| AnyWord::read(words).unwrap()).collect();
    let writer = AuditWriter::new(format, TextStyle::PLAIN).only(only).redacted(is_redacted);
    written_by(text, writer)
}

fn written_by(text: &str, mut writer: AuditWriter) -> String {
    let (mut check, events) = audit::watched(crate::effort::begin(&Settings::default()));
    check.feed(text.as_bytes());
    check.finish();
    let mut text = String::new();
    for event in events {
        writer.event("kiln.ndjson", event, &mut text);
    }
    writer.finish(&mut text);
    text
}

/// A conversation with an action of most kinds.
fn busy() -> Talk {
    let mut talk = Talk::new();
    talk.call("p", "edit", "Glaze", GLAZE);
    talk.ask(7, r#""p""#);
    talk.choose(7, "n");
    talk.write(8, "/home/ann/kiln/glaze.txt");
    talk.status("p", "failed");
    talk.call("q", "execute", "=fire, \\\"high\\\"", "");
    talk.status("q", "completed");
    talk.write(9, "/home/bob/shelf.txt");
    talk.end();
    talk
}

#[test]
fn rows_are_written_for_programs() {
    let text = busy().text();
    let lines = written(&text, AuditFormat::Ndjson, &[], false);
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["format_version"], 1);
    let schema = include_str!("../schema/audit.schema.json");
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in &lines[1..] {
        assert!(schema.is_valid(line), "{line}");
    }
    let csv = written(&text, AuditFormat::Csv, &[], false);
    assert_eq!(csv.lines().count(), lines.len());
    assert!(csv.contains("\"'=fire, \"\"high\"\"\""), "{csv}");
    let count = |only: &[&str]| written(&text, AuditFormat::Csv, only, false).lines().count() - 1;
    assert_eq!(count(&["write,run"]), 3);
    assert_eq!(count(&["write,run", "not_asked"]), 2);
    assert_eq!(count(&["after_refusal"]), 1);
    assert!(AnyWord::read("write,wrote").unwrap_err().contains("`wrote`"));
}

#[test]
fn the_text_fits_a_narrow_terminal() {
    let text = |columns| {
        let style = TextStyle { color: false, columns };
        written_by(&busy().text(), AuditWriter::new(AuditFormat::Text, style))
    };
    let narrow = text(Some(60));
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&narrow), words(&text(None)));
}

#[test]
fn the_text_shows_the_remarkable_first() {
    insta::assert_snapshot!("audit_text", written(&busy().text(), AuditFormat::Text, &[], false));
}

/// Failed, refused and unfinished actions may have begun; the log says only what is on record.
#[test]
fn what_is_not_on_record_is_called_so() {
    let mut talk = Talk::new();
    for (id, status) in [("p", "failed"), ("q", "in_progress"), ("r", "pending")] {
        talk.call(id, "execute", "fire", "");
        talk.status(id, status);
    }
    talk.call("s", "execute", "glaze", "");
    talk.ask(7, r#""s""#);
    talk.choose(7, "n");
    talk.call("t", "execute", "melt", "");
    talk.ask(8, r#""t""#);
    talk.choose(8, "y");
    talk.end();
    let text = written(&talk.text(), AuditFormat::Text, &[], false);
    for said in [
        "no completion on record: 1 rejected once; 1 allowed, no start on record; 1 failed; \
         1 no start on record; 1 no end on record\n",
        "Refusals ignored: none on record.\n",
        "\nno completion on record\n",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    // Rows that `--only` leaves out may be after a refusal.
    let text = written(&busy().text(), AuditFormat::Text, &["read,run"], false);
    assert!(!text.contains("Refusals ignored"), "{text}");
    let text = written(&busy().text(), AuditFormat::Text, &[], false);
    assert!(text.contains("Refusals ignored: 1 action done after a refusal.\n"), "{text}");
    // A row says why it is unclear.
    let mut talk = Talk::new();
    talk.call("p", "execute", "fire", "");
    talk.ask(7, r#""batch""#);
    talk.choose(7, "y");
    talk.status("p", "completed");
    talk.end();
    let text = written(&talk.text(), AuditFormat::Text, &[], false);
    assert!(text.contains("unclear (a question under an id that no tool call has"), "{text}");
    assert!(text.contains("none on record; of 1 more it is unclear what was answered."), "{text}");
}

#[test]
fn a_redacted_log_has_no_string_of_the_recording() {
    for format in [AuditFormat::Text, AuditFormat::Ndjson, AuditFormat::Csv] {
        let text = written(&busy().text(), format, &[], true);
        for word in ["ann", "glaze", "Glaze", "fire", "oven", "shelf.txt"] {
            assert!(!text.contains(word), "{word}: {text}");
        }
        assert!(text.contains("potter"), "{text}");
    }
}

/// Each request to the client that does something is in exactly one row, in all fixtures.
#[test]
fn each_request_is_in_one_row() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files = walkdir::WalkDir::new(root).sort_by_file_name();
    let mut count = 0;
    let files = files.into_iter().map(Result::unwrap).filter(|file| file.file_type().is_file());
    for file in crate::effort::one_in(4, files) {
        let bytes = fs::read(file.path()).unwrap();
        let (sender, requests) = std::sync::mpsc::channel();
        let mut check = crate::effort::begin(&Settings::default()).with_observer(move |event| {
            let EventKind::Call { call, .. } = event.kind else { return };
            let methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create"];
            if call.id.is_some() && methods.iter().any(|method| call.method == *method) {
                sender.send((event.number, call.node.span().line)).unwrap();
            }
        });
        check.feed(&bytes);
        check.finish();
        let requests: Vec<_> = requests.into_iter().collect();
        let rows = audit::actions(&bytes);
        let mut in_rows: Vec<_> = rows
            .iter()
            .flat_map(|row| row.requests.iter().map(|line| (row.connection, *line)))
            .collect();
        in_rows.sort_unstable();
        count += requests.len();
        let mut requests = requests;
        requests.sort_unstable();
        assert_eq!(in_rows, requests, "{}", file.path().display());
        let lines: BTreeSet<_> = rows.iter().map(|row| row.first).collect();
        assert!(lines.first().is_none_or(|line| *line > 0), "{}", file.path().display());
    }
    assert!(count > crate::effort::times(12, 50), "{count}");
}
