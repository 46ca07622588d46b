//! Files that are packed: what is found in them is what is found in the same files unpacked, and
//! what is left of a broken one is checked.

use std::{fs, io::Write, path::Path};

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::json;
use tempfile::TempDir;

use super::run::{Run, run};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstandard(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// A conversation at whose end so many messages are about sessions that do not exist.
fn conversation(faults: usize) -> Vec<serde_json::Value> {
    let mut messages = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": 1,
            "clientCapabilities": {}, "clientInfo": {"name": "editor", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {},
            "authMethods": [], "agentInfo": {"name": "agent", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "session/new",
            "params": {"cwd": "/work", "mcpServers": []}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "s"}}),
    ];
    messages.extend((0..faults).map(|number| {
        json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": format!("other \"ü\" {number}"),
            "update": {"sessionUpdate": "session_info_update", "title": "Tidy"}}})
    }));
    messages
}

fn plain(faults: usize) -> Vec<u8> {
    conversation(faults).iter().map(|message| format!("{message}\n")).collect::<String>().into()
}

/// The same as ACP-inspector writes it: each message is a string.
fn escaped(faults: usize) -> Vec<u8> {
    let line = |message: &serde_json::Value| {
        let direction =
            if message.get("params").is_some_and(|params| params.get("update").is_some())
                || message.get("result").is_some()
            {
                "fromAgent"
            } else {
                "fromClient"
            };
        let line = json!({"ts": 1, "direction": direction, "json": message.to_string()});
        format!("{line}\n")
    };
    conversation(faults).iter().map(line).collect::<String>().into()
}

struct Checked {
    /// Line, column and rule of each finding, without the names of files.
    found: Vec<String>,
    stdout: String,
    stderr: String,
    status: i32,
}

fn check(folder: &Path, arguments: &[&str], input: &[u8]) -> Checked {
    let arguments = [&["check", "--format", "concise"], arguments].concat();
    let Run { stdout, stderr, status } = run(folder, &arguments, input);
    let found = stdout
        .lines()
        .filter_map(|line| Some(line.split_once(':')?.1.split_once("] ")?.0.to_owned()))
        .collect();
    Checked { found, stdout, stderr, status }
}

/// Checks one file.
fn check_one(name: &str, bytes: &[u8]) -> Checked {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    check(folder.path(), &[name], b"")
}

#[test]
fn packing_changes_no_finding() {
    for text in [plain(3), escaped(3)] {
        let expected = check_one("trace.ndjson", &text);
        assert_eq!((expected.found.len(), expected.status), (3, 1), "{}", expected.stdout);
        // Cut in the middle of a line, as rotated logs are packed one by one.
        let (one, two) = text.split_at(text.len() / 2);
        for bytes in [
            gzip(&text),
            [gzip(one), gzip(two)].concat(),
            zstandard(&text),
            [zstandard(one), zstandard(two)].concat(),
        ] {
            let run = check_one("trace", &bytes);
            assert_eq!((&run.found, run.status), (&expected.found, 1), "{}", run.stderr);
            let run = check(TempDir::new().unwrap().path(), &["-"], &bytes);
            assert_eq!((&run.found, run.status), (&expected.found, 1), "{}", run.stderr);
        }
    }
}

#[test]
fn excerpts_show_what_was_packed() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("trace.ndjson.gz"), gzip(&plain(1))).unwrap();
    let shown = run(folder.path(), &["check", "trace.ndjson.gz"], b"").stdout;
    assert!(
        shown.contains("[trace.ndjson.gz:5:") && shown.contains(r#""sessionId":"other \"ü\" 0""#),
        "{shown}"
    );
}

#[test]
fn folders_hold_packed_and_rotated_files() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("a.ndjson.gz", &gzip(&plain(1)));
    write("b.log.zst", &zstandard(&plain(1)));
    write("c.jsonl.1", &plain(1));
    write("d.log.2.gz", &gzip(&plain(1)));
    write("e.log.gz", &gzip(b"nothing of interest\n"));
    write("f.tar.gz", &gzip(&plain(1)));
    write("g.1", &plain(1));
    let run = check(folder.path(), &["."], b"");
    let mut names: Vec<&str> =
        run.stdout.lines().filter_map(|line| line.strip_prefix("./")?.split(':').next()).collect();
    names.dedup();
    assert_eq!(names, ["a.ndjson.gz", "b.log.zst", "c.jsonl.1", "d.log.2.gz"], "{}", run.stderr);
    assert!(run.stderr.contains("skipped, no messages found: `./e.log.gz`"), "{}", run.stderr);
    assert_eq!(run.status, 1);
}

#[test]
fn what_is_left_of_a_broken_file_is_checked() {
    // Contents that do not compress into a single block.
    let mut text = plain(2);
    let mut state = 1_u32;
    while text.len() < 900_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let content = json!({"type": "text", "text": format!("{state:x}").repeat(3)});
        let update = json!({"jsonrpc": "2.0", "method": "session/update", "params": {
            "sessionId": "s",
            "update": {"sessionUpdate": "agent_message_chunk", "content": content}}});
        text.extend(format!("{update}\n").into_bytes());
    }
    for (name, bytes) in [("gzip", gzip(&text)), ("Zstandard", zstandard(&text))] {
        let cut = &bytes[..bytes.len() * 2 / 3];
        let run = check_one("trace.gz", cut);
        assert_eq!(run.status, 3, "{}", run.stderr);
        let unknown = run.found.iter().filter(|found| found.ends_with("session/unknown-id"));
        assert_eq!(unknown.count(), 2, "{}", run.stdout);
        let told = format!(
            "error: `trace.gz`: the {name} file is cut off before its end; only what came before \
             was read"
        );
        assert!(run.stderr.contains(&told), "{}", run.stderr);

        let mut damaged = bytes.clone();
        damaged[bytes.len() / 2..bytes.len() / 2 + 16].fill(0xa5);
        let run = check_one("trace", &damaged);
        assert_eq!(run.status, 3, "{}", run.stderr);
        assert!(run.stderr.contains(&format!("the {name} file is damaged: ")), "{}", run.stderr);

        let run = check_one("trace", &bytes[..6]);
        assert_eq!((run.status, run.stdout.as_str()), (3, ""), "{}", run.stderr);
        assert!(run.stderr.contains("nothing can be read"), "{}", run.stderr);
    }
}

/// Where the last line begins.
fn before_the_last(text: &[u8]) -> usize {
    let text = text.strip_suffix(b"\n").unwrap();
    text.iter().rposition(|byte| *byte == b'\n').unwrap() + 1
}

#[test]
fn what_a_cut_took_away_is_not_held_against_anyone() {
    let text = plain(0);
    let closed = |bytes: &[u8]| {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("trace"), bytes).unwrap();
        check(folder.path(), &["--tail", "closed", "trace"], b"").found
    };
    // The last answer is missing, and the file ends between two messages.
    let end = before_the_last(&text);
    let unanswered = closed(&text[..end]);
    assert!(unanswered.iter().any(|found| found.ends_with("jsonrpc/unanswered-request")));
    let packed = [gzip(&text[..end]), gzip(&text[end..])].concat();
    let cut = gzip(&text[..end]).len() + 4;
    assert_eq!(closed(&packed[..cut]), [""; 0]);
}

/// Runs a command on one file.
fn run_on(name: &str, bytes: &[u8], arguments: &[&str]) -> (String, String, i32) {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join(name), bytes).unwrap();
    let Run { stdout, stderr, status } = run(folder.path(), arguments, b"");
    (stdout, stderr, status)
}

#[test]
fn compliance_reports_tell_what_a_cut_took_away() {
    const TOLD: &str = "the gzip file is cut off before its end; only what came before was read";
    let text = plain(2);
    let end = before_the_last(&text);
    // Of two packed pieces, the second one is cut to nothing.
    let packed = [gzip(&text[..end]), gzip(&text[end..])].concat();
    let cut = &packed[..gzip(&text[..end]).len() + 4];
    let report = |bytes: &[u8], format: &str| {
        run_on("trace.gz", bytes, &["report", "--format", format, "trace.gz"])
    };
    let (stdout, stderr, status) = report(cut, "json");
    assert_eq!(status, 3, "{stderr}");
    assert_eq!(stderr, format!("error: `trace.gz`: {TOLD}\n"));
    let document: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(document["unread"], json!([{"path": "trace.gz", "reason": TOLD}]));
    assert_eq!(document["files"][0]["messages"], 5);
    // It is the checksum of all that is stored.
    assert_eq!(document["files"][0]["bytes"], cut.len());
    let (_, _, status) = report(&packed, "json");
    assert_eq!(status, 1);

    for format in ["html", "markdown"] {
        let (stdout, _, status) = report(cut, format);
        assert_eq!(status, 3);
        assert!(stdout.contains("One transcript could not be read to its end"), "{stdout}");
        assert!(stdout.contains(TOLD), "{stdout}");
    }

    // What is in a document twice for this reason can be merged.
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("part.json"), &stdout).unwrap();
    let arguments = ["report", "--merge", "part.json", "--format", "json"];
    let merged = run(folder.path(), &arguments, b"");
    assert_eq!(merged.stdout, stdout);
    assert_eq!(merged.status, 3);
}

#[test]
fn compliance_reports_hold_what_a_cut_took_away_against_nobody() {
    let text = plain(0);
    // The last answer is missing, and the file ends between two messages.
    let end = before_the_last(&text);
    let unanswered = |bytes: &[u8]| {
        let arguments = ["report", "--tail", "closed", "--format", "json", "trace"];
        let (stdout, _, _) = run_on("trace", bytes, &arguments);
        let document: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        let findings = document["files"][0]["findings"].as_array().unwrap();
        findings.iter().any(|finding| finding["rule"] == "jsonrpc/unanswered-request")
    };
    assert!(unanswered(&text[..end]));
    let packed = [gzip(&text[..end]), gzip(&text[end..])].concat();
    assert!(!unanswered(&packed[..gzip(&text[..end]).len() + 4]));
}

#[test]
fn plans_are_shown_as_far_as_a_file_can_be_read() {
    let plan = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s",
        "update": {"sessionUpdate": "plan", "entries": [
            {"content": "Sweep", "priority": "low", "status": "pending"}]}}});
    let text = [plain(0), format!("{plan}\n").into_bytes()].concat();
    let packed = [gzip(&text), gzip(&text)].concat();
    let cut = &packed[..gzip(&text).len() + 4];
    let (stdout, stderr, status) = run_on("trace.gz", cut, &["plans", "trace.gz"]);
    assert!(stdout.contains("Sweep"), "{stdout}");
    assert!(stderr.contains("only what came before was read"), "{stderr}");
    assert_eq!(status, 3);
}

#[test]
fn notes_on_the_file_are_in_all_reports() {
    let text = String::from_utf8(plain(1)).unwrap();
    let wide: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for format in ["html", "markdown", "json"] {
        let (stdout, _, _) = run_on("trace", &wide, &["report", "--format", format, "trace"]);
        assert!(stdout.contains("he file is UTF-16"), "{stdout}");
    }
    for faults in [0, 1] {
        let text = String::from_utf8(plain(faults)).unwrap();
        let wide: Vec<u8> =
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        for format in ["json", "ndjson", "sarif", "junit", "markdown", "html"] {
            let (stdout, _, _) = run_on("trace", &wide, &["check", "--format", format, "trace"]);
            assert!(stdout.contains("he file is UTF-16"), "{format}: {stdout}");
        }
    }
    let (_, stderr, status) = run_on("trace", &wide, &["plans", "trace"]);
    assert!(stderr.contains("note: `trace`: the file is UTF-16"), "{stderr}");
    assert_eq!(status, 0);
}

#[test]
fn other_archives_are_refused_with_what_unpacks_them() {
    for (bytes, command) in [
        (&b"PK\x03\x04\x14\0\0\0"[..], "unzip"),
        (b"\xfd7zXZ\0\0\x04", "xz -d"),
        (b"BZh91AY&SY", "bzip2 -d"),
    ] {
        let run = check_one("trace.zip", bytes);
        assert!(run.stderr.contains(&format!("unpack it first, for example with `{command}`")));
        assert_eq!(run.status, 3);
    }
}

#[test]
fn utf_16_is_read_with_a_note() {
    let text = String::from_utf8(plain(2)).unwrap().replace('\n', "\r\n");
    let expected = check_one("trace.ndjson", text.as_bytes());
    let little: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for bytes in [&little, &big, &gzip(&little)] {
        let run = check_one("trace.ndjson", bytes);
        assert_eq!((&run.found, run.status), (&expected.found, 1), "{}", run.stderr);
        let told = run.stderr.contains("note: `trace.ndjson`: the file is UTF-16");
        assert!(told, "{}", run.stderr);
    }
    assert!(!expected.stderr.contains("UTF-16"));
}

#[test]
fn a_note_on_many_files_is_told_once() {
    let folder = TempDir::new().unwrap();
    let text = String::from_utf8(plain(1)).unwrap();
    let wide: Vec<u8> =
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    for number in 0..5 {
        fs::write(folder.path().join(format!("{number}.ndjson")), &wide).unwrap();
    }
    let run = check(folder.path(), &["."], b"");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let told = "note: `./0.ndjson`, `./1.ndjson`, `./2.ndjson` and 2 more: the file is UTF-16";
    assert!(run.stderr.starts_with(told), "{}", run.stderr);
}
