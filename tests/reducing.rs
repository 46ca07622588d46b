//! `acpcheck reduce`: what it writes, says, and how it ends.

use std::fs;

use super::run::{Run, folder, run};

/// A conversation with two faults of the agent: an unknown tool call, and a status that is none.
const FAULTY: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"orchard","version":"2.1.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"beehive","version":"0.4.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/home/ada/orchard","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"apples-of-ada"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"apples-of-ada","prompt":[{"type":"text","text":"The key is swordfish"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"apples-of-ada","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"I see"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"apples-of-ada","update":{"sessionUpdate":"tool_call_update","toolCallId":"axe","title":"Cut `wood`","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"apples-of-ada","update":{"sessionUpdate":"plan","entries":[{"content":"Ask ada","priority":"high","status":"half_done"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"#;
const CLEAN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"orchard","version":"2.1.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"beehive","version":"0.4.0"}}}
"#;

fn reduce(arguments: &[&str]) -> (Run, tempfile::TempDir) {
    let folder =
        folder(&[("faulty.ndjson", FAULTY), ("clean.ndjson", CLEAN), ("not.txt", "hello")]);
    let run = run(folder.path(), &[&["reduce"], arguments].concat(), FAULTY.as_bytes());
    (run, folder)
}

#[test]
fn the_recording_is_written_where_the_user_says() {
    let finding = ["--finding", "tool-call/unknown-id"];
    let (shown, _) = reduce(&[&["faulty.ndjson"], &finding[..]].concat());
    assert_eq!((shown.status, shown.stdout.lines().count()), (0, 5), "{}", shown.stderr);
    assert!(shown.stderr.contains("5 of 9 messages"), "{}", shown.stderr);
    let (from_stdin, _) = reduce(&[&["-"], &finding[..]].concat());
    assert_eq!(from_stdin.stdout, shown.stdout);
    let (file, folder) =
        reduce(&[&["faulty.ndjson", "-o", "new/small.ndjson"], &finding[..]].concat());
    assert_eq!(fs::read_to_string(folder.path().join("new/small.ndjson")).unwrap(), shown.stdout);
    assert_eq!(
        file.stdout,
        format!(
            "new/small.ndjson: 5 of 9 messages, {} of {} bytes; tool-call/unknown-id (warning, agent) \
             is at line 5.\n",
            shown.stdout.len(),
            "1,158"
        )
    );
    let checked = run(folder.path(), &["check", "--format=concise", "new/small.ndjson"], b"");
    assert!(checked.stdout.starts_with("new/small.ndjson:5:"), "{}", checked.stdout);
    assert!(checked.stdout.contains("tool-call/unknown-id"), "{}", checked.stdout);
}

#[test]
fn the_finding_is_chosen() {
    let (run, _) = reduce(&["faulty.ndjson"]);
    assert_eq!((run.status, run.stdout.as_str()), (2, ""));
    for said in ["2 causes", "tool-call/unknown-id:7 (warning, agent)", "plan/closed-enum-value:8"]
    {
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
    for (finding, status) in [
        ("plan/closed-enum-value", 0),
        ("plan/closed-enum-value:8", 0),
        ("plan/closed-enum-value:7", 2),
        ("plan/closed-enum-value:0", 2),
        ("plan/missing-id", 2),
        ("plan", 2),
        ("plan/closed-enum-valu", 2),
    ] {
        assert_eq!(reduce(&["faulty.ndjson", "--finding", finding]).0.status, status, "{finding}");
    }
    // With one rule, there is one cause.
    let (one, _) = reduce(&["faulty.ndjson", "--select", "plan"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    let (none, _) = reduce(&["clean.ndjson"]);
    assert!(none.status == 2 && none.stderr.contains("no finding"), "{}", none.stderr);
}

#[test]
fn what_users_wrote_is_taken_out() {
    let (run, _) = reduce(&["faulty.ndjson", "--finding", "tool-call/unknown-id", "--redact"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    for secret in ["ada", "apples", "axe", "wood", "swordfish"] {
        assert!(!run.stdout.contains(secret), "{}", run.stdout);
    }
    assert!(run.stderr.contains("replaced, 0 left"), "{}", run.stderr);
}

/// Neither names of members nor of files reach a terminal as they are.
#[test]
fn what_is_said_is_printable() {
    let initialize = |capability: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1}}}}
{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"agentCapabilities":{{"{capability}":true}}}}}}
"#
        )
    };
    let hostile = initialize(r"a\n::error::b\u001b[31m##vso[c]\u202e");
    let folder = folder(&[("hostile.ndjson", &hostile)]);
    let reduce = ["reduce", "hostile.ndjson", "--finding", "capability/unknown-key"];
    let kept = run(folder.path(), &[&reduce[..], &["--redact"]].concat(), b"");
    assert_eq!(kept.status, 1, "{}", kept.stderr);
    assert!(kept.stderr.contains("a rule reads this string"), "{}", kept.stderr);
    let named = run(folder.path(), &[&reduce[..], &["-o", "a\u{1b}[31m##vso[b]"]].concat(), b"");
    assert_eq!(named.status, 0, "{}", named.stderr);
    let issue = run(folder.path(), &[&reduce[..], &["--issue"]].concat(), b"");
    assert_eq!(issue.status, 0, "{}", issue.stderr);
    for said in [kept.stderr, named.stdout, issue.stdout] {
        for obeyed in ["\n::error", "\u{1b}", "##vso[", "\u{202e}"] {
            assert!(!said.contains(obeyed), "{obeyed:?}: {said}");
        }
    }
}

#[test]
fn an_issue_says_what_is_wrong() {
    let arguments = ["faulty.ndjson", "--finding", "tool-call/unknown-id", "--issue"];
    let (run, folder) = reduce(&[&arguments[..], &["-o", "axe.ndjson"]].concat());
    assert_eq!(run.status, 0, "{}", run.stderr);
    let small = fs::read_to_string(folder.path().join("axe.ndjson")).unwrap();
    let parts = [
        "**",
        "`beehive 0.4.0` (agent), `orchard 2.1.0` (client), protocol 1\n",
        "Rule `tool-call/unknown-id` (warning): ",
        "Protocol: https://agentclientprotocol.com/",
        "```jsonc\n",
        "`acpcheck check axe.ndjson`",
        &small,
        "5 of 9 messages.",
    ];
    let mut rest = run.stdout.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{part} is missing in {}", run.stdout));
        rest = &rest[at + part.len()..];
    }
    assert!(!run.stdout.contains("placeholders"));
    let (redacted, _) = reduce(&[&arguments[..], &["--redact"]].concat());
    assert!(redacted.stdout.contains("Strings are placeholders."), "{}", redacted.stdout);
    assert!(!redacted.stdout.contains("ada"), "{}", redacted.stdout);
}

/// What the finding needs beside the messages stands in the issue.
#[test]
fn an_issue_names_the_options_that_it_needs() {
    let open = FAULTY.lines().take(5).collect::<Vec<_>>().join("\n");
    let folder = folder(&[("open.ndjson", &open)]);
    let arguments = ["reduce", "open.ndjson", "--tail=closed", "--head=complete", "--issue"];
    let issue = run(folder.path(), &arguments, b"");
    assert_eq!(issue.status, 0, "{}", issue.stderr);
    let expected = "`acpcheck check --tail closed small.ndjson`";
    assert!(issue.stdout.contains(expected), "{}", issue.stdout);
}

/// Files that no recorder writes: each gives a clear error, and none is waited for without end.
#[test]
fn files_that_are_no_recordings() {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let deep = "[".repeat(100_000);
    let files = [
        ("empty.ndjson", String::new(), 3),
        ("blank.ndjson", "\n \n\n".to_owned(), 3),
        ("binary.ndjson", text(&[0, 159, 146, 150, 10, 0, 255]), 3),
        ("deep.ndjson", deep.clone(), 3),
        ("deep-behind.ndjson", format!("{FAULTY}{deep}\n"), 2),
        ("cut.ndjson", FAULTY[..FAULTY.len() - 40].to_owned(), 2),
        ("twice.ndjson", FAULTY.replace("\"jsonrpc\"", "\"jsonrpc\":\"2.0\",\"jsonrpc\""), 2),
    ];
    let named: Vec<_> = files.iter().map(|(name, text, _)| (*name, &**text)).collect();
    let folder = folder(&named);
    let mut files: Vec<_> = files.iter().map(|(name, _, status)| (*name, *status)).collect();
    fs::create_dir(folder.path().join("folder.ndjson")).unwrap();
    files.push(("folder.ndjson", 2));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("nowhere", folder.path().join("link.ndjson")).unwrap();
        files.extend([("link.ndjson", 3), ("/dev/null", 3), ("/dev/zero", 3)]);
    }
    for (name, status) in files {
        let run = run(folder.path(), &["reduce", name], b"");
        assert_eq!((run.status, run.stdout.as_str()), (status, ""), "{name}: {}", run.stderr);
        assert!(run.stderr.contains(name) && !run.stderr.contains("panicked"), "{}", run.stderr);
    }
    for name in ["deep-behind.ndjson", "cut.ndjson", "twice.ndjson"] {
        let run = run(folder.path(), &["reduce", name, "--finding=plan/closed-enum-value"], b"");
        assert_eq!(run.status, 0, "{name}: {}", run.stderr);
        assert!(run.stdout.contains("half_done"), "{name}: {}", run.stdout);
    }
}

#[test]
fn what_cannot_be_reduced_is_said() {
    for (arguments, status, said) in [
        (&["not.txt"] as &[&str], 3, "no message found"),
        (&["missing.ndjson"], 3, "missing.ndjson"),
        (&["."], 2, "name one recording"),
        (&["faulty.ndjson", "-o", "faulty.ndjson"], 2, "an input and an output"),
        (&["faulty.ndjson", "--keep-needed"], 2, "--redact"),
        (&["faulty.ndjson", "--budget=0"], 2, "a number of messages"),
        (&["faulty.ndjson", "clean.ndjson"], 2, "clean.ndjson"),
    ] {
        let (run, folder) = reduce(arguments);
        assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(said), "{arguments:?}: {}", run.stderr);
        assert_eq!(fs::read_to_string(folder.path().join("faulty.ndjson")).unwrap(), FAULTY);
    }
}

/// `acpcheck redact` writes all recordings of a run, or none.
#[test]
fn no_redacted_recording_is_written_over() {
    let folder = folder(&[
        ("a/faulty.ndjson", FAULTY),
        ("b/faulty.ndjson", FAULTY),
        ("b/clean.ndjson", CLEAN),
    ]);
    let redact =
        |paths: &[&str]| run(folder.path(), &[&["redact", "-o", "new"], paths].concat(), b"");
    let names = || fs::read_dir(folder.path().join("new")).map_or(0, Iterator::count);
    // Two recordings would have one name.
    let twice = redact(&["a/faulty.ndjson", "b/faulty.ndjson", "b/clean.ndjson"]);
    assert_eq!((twice.status, names()), (2, 0), "{}", twice.stderr);
    assert_eq!(redact(&["a"]).status, 0);
    let again = redact(&["b"]);
    assert_eq!((again.status, names()), (2, 1), "{}", again.stderr);
    assert_eq!(again.stderr.matches("written over").count(), 1, "{}", again.stderr);
}
