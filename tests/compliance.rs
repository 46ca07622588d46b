//! The compliance report: what it says follows from what was judged, however the work was divided.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use regex::Regex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::{
    effort,
    run::{Run, assert_valid, fixtures, run},
};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn acpcheck(folder: &Path, arguments: &[&str]) -> Run {
    run(folder, arguments, b"")
}

fn report(arguments: &[&str]) -> Value {
    let arguments = [&["report", "--format=json"], arguments].concat();
    let run = acpcheck(Path::new(ROOT), &arguments);
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stderr))
}

/// The report on the fixtures, which takes a while.
fn of_fixtures() -> &'static Value {
    static REPORT: OnceLock<Value> = OnceLock::new();
    REPORT.get_or_init(|| report(fixtures()))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../schema/compliance.schema.json")).unwrap()
}

/// The same schema, with no member allowed that it does not name.
fn closed(mut schema: Value) -> Value {
    fn close(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                members.values_mut().for_each(close);
                if members.contains_key("properties") && members.contains_key("type") {
                    members.insert("additionalProperties".to_owned(), false.into());
                }
            }
            Value::Array(elements) => elements.iter_mut().for_each(close),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    close(&mut schema);
    schema
}

#[test]
fn documents_keep_to_their_schema_and_the_schema_knows_every_member() {
    let schema = closed(schema());
    assert_valid(&schema, of_fixtures());
    for arguments in [
        &["fixtures/recorded", "missing.ndjson"][..],
        &["fixtures/session", "--select=all", "--redact", "--surface=v2", "--edition=2026-05"],
        &["fixtures/plan", "--head=truncated", "--tail=closed", "--input-format=ndjson"],
        &["missing.ndjson"],
    ] {
        assert_valid(&schema, &report(arguments));
    }
}

#[test]
fn verdicts_follow_from_the_findings_of_check() {
    let compliance = of_fixtures();
    let arguments = [&["check", "--format=json", "--statistics"], fixtures()].concat();
    let check = acpcheck(Path::new(ROOT), &arguments);
    let check: Value = serde_json::from_str(&check.stdout).unwrap();
    for count in ["files", "messages", "errors", "warnings", "infos"] {
        // `check` counts diagnostics, and the report what they stand for, too.
        let repeats: u64 = list(&check["files"])
            .iter()
            .flat_map(|file| list(&file["diagnostics"]))
            .filter(|diagnostic| count.starts_with(diagnostic["severity"].as_str().unwrap()))
            .map(|diagnostic| number(&diagnostic["repeats"]))
            .sum();
        let expected = number(&check["summary"][count]) + repeats;
        assert_eq!(number(&compliance["summary"][count]), expected, "{count}");
    }
    let mut paths: Vec<_> = list(&check["files"]).iter().map(|file| &file["path"]).collect();
    paths.sort_by_key(|path| path.as_str());
    let own: Vec<_> = list(&compliance["files"]).iter().map(|file| &file["path"]).collect();
    assert_eq!(own, paths);

    // Whoever violates a rule is the one that some error is about.
    let mut blamed = BTreeSet::new();
    for diagnostic in list(&check["files"]).iter().flat_map(|file| list(&file["diagnostics"])) {
        if diagnostic["severity"] == "error" {
            blamed.insert((diagnostic["bound"].to_string(), diagnostic["rule"].to_string()));
        }
    }
    let mut violated = BTreeSet::new();
    for verdict in list(&compliance["verdicts"]) {
        for rule in list(&verdict["violated"]) {
            violated.insert((verdict["side"].to_string(), rule.to_string()));
        }
        let has_violations = !list(&verdict["violated"]).is_empty();
        assert_eq!(verdict["verdict"] == "violates", has_violations);
    }
    assert_eq!(violated, blamed);

    // Each time a rule was met is somebody's.
    let by_path: BTreeMap<_, _> =
        list(&check["files"]).iter().map(|file| (file["path"].as_str(), file)).collect();
    for file in list(&compliance["files"]) {
        let own = by_path[&file["path"].as_str()];
        let mut exercised = BTreeMap::<&str, [u64; 2]>::new();
        for row in list(&file["encounters"]).iter().flat_map(|it| list(&it["rules"])) {
            let counts = exercised.entry(row["rule"].as_str().unwrap()).or_default();
            counts[0] += number(&row["exercised"]);
            counts[1] += number(&row["failed"]);
        }
        for statistic in list(&own["statistics"]) {
            let counts = [number(&statistic["exercised"]), number(&statistic["failed"])];
            let rule = statistic["rule"].as_str().unwrap();
            assert_eq!(exercised.get(rule).copied().unwrap_or_default(), counts, "{rule}");
        }
    }
}

#[test]
fn messages_are_counted_by_method_and_sender() {
    let compliance = of_fixtures();
    for file in list(&compliance["files"]) {
        let methods = list(&file["encounters"]).iter().flat_map(|it| list(&it["methods"]));
        let counted: u64 = methods
            .map(|row| {
                ["requests", "notifications", "results", "errors"]
                    .iter()
                    .map(|count| number(&row[count]))
                    .sum::<u64>()
            })
            .sum();
        // What is neither call nor answer has no method.
        assert!(counted <= number(&file["messages"]) + 1, "{}", file["path"]);
    }
    let recorded = report(&["fixtures/recorded/kettle-agent-0.3.0/plan.ndjson"]);
    let encounter = &recorded["files"][0]["encounters"][0];
    assert_eq!(encounter["agent"], json!({"name": "kettle-agent", "version": "0.3.0"}));
    assert_eq!(encounter["client"], json!({"name": "kettle-editor", "version": "1.2.0"}));
    assert_eq!((&encounter["offered"], &encounter["answered"]), (&json!(1), &json!(1)));
    let row = |method: &str, side: &str| {
        let is_row = |row: &&Value| row["method"] == method && row["side"] == side;
        list(&encounter["methods"]).iter().find(is_row).unwrap_or(&Value::Null).clone()
    };
    let expected = json!({"method": "session/prompt", "side": "client", "requests": 1});
    assert_eq!(row("session/prompt", "client"), expected);
    let expected = json!({"method": "session/prompt", "side": "agent", "results": 1});
    assert_eq!(row("session/prompt", "agent"), expected);
    let text = fs::read_to_string(
        Path::new(ROOT).join("fixtures/recorded/kettle-agent-0.3.0/plan.ndjson"),
    );
    let updates = text.unwrap().matches("\"sessionUpdate\"").count() as u64;
    assert_eq!(number(&row("session/update", "agent")["notifications"]), updates);
    let kinds = list(&encounter["updates"]).iter().map(|update| number(&update["count"]));
    assert_eq!(kinds.sum::<u64>(), updates);
}

/// A transcript with these messages after an `initialize` between the two.
fn transcript(agent: &str, client: &str, messages: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{}},"clientInfo":{{"name":"{client}","version":"1.0.0"}}}}}}
{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":1,"agentCapabilities":{{}},"authMethods":[],"agentInfo":{{"name":"{agent}","version":"2.0.0"}}}}}}
{messages}"#
    )
}

const SESSION: &str = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;

fn update(session: &str, update: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{update}}}}}"#
    ) + "\n"
}

fn verdict<'v>(compliance: &'v Value, name: &str) -> &'v Value {
    let is_own = |verdict: &&Value| verdict["name"] == name;
    list(&compliance["verdicts"]).iter().find(is_own).unwrap()
}

fn has(rules: &Value, rule: &str) -> bool {
    list(rules).iter().any(|other| other == rule)
}

#[test]
fn each_implementation_answers_for_its_own_connections() {
    let folder = TempDir::new().unwrap();
    let good = transcript("good-agent", "client", SESSION);
    let bad = transcript("bad-agent", "client", &(SESSION.to_owned() + &update("ghost", "{}")));
    // Two connections, one file.
    fs::write(folder.path().join("both.ndjson"), good + &bad).unwrap();
    let run = acpcheck(folder.path(), &["report", "--format=json", "both.ndjson"]);
    assert_eq!(run.status, 1);
    let compliance: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(list(&compliance["files"][0]["encounters"]).len(), 2);
    assert_eq!(verdict(&compliance, "good-agent")["verdict"], "conforms_where_exercised");
    let bad = verdict(&compliance, "bad-agent");
    assert!(has(&bad["violated"], "session/unknown-id"), "{bad}");
    let client = verdict(&compliance, "client");
    assert_eq!(number(&client["connections"]), 2);
    assert_eq!(number(&client["transcripts"]), 1);
    assert_eq!(client["verdict"], "conforms_where_exercised");
    for finding in list(&compliance["files"][0]["findings"]) {
        assert_eq!(finding["encounter"], 1);
    }
}

#[test]
fn what_was_not_exercised_is_told_from_what_could_not_be_assessed() {
    let folder = TempDir::new().unwrap();
    // A request that is never answered, and nothing about the end.
    let open = r#"{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}"#;
    fs::write(folder.path().join("t.ndjson"), transcript("a", "c", open) + "\n").unwrap();
    let judged = |arguments: &[&str]| -> Value {
        let arguments = [&["report", "--format=json", "t.ndjson"], arguments].concat();
        serde_json::from_str(&acpcheck(folder.path(), &arguments).stdout).unwrap()
    };
    let open = judged(&[]);
    let agent = verdict(&open, "a");
    assert!(has(&agent["not_assessable"], "jsonrpc/unanswered-request"), "{agent}");
    assert!(has(&agent["not_exercised"], "permission/no-options"), "{agent}");
    let closed = judged(&["--tail=closed"]);
    let agent = verdict(&closed, "a");
    assert!(!has(&agent["not_assessable"], "jsonrpc/unanswered-request"), "{agent}");
    let statuses =
        ["violated", "not_followed", "noted", "upheld", "not_assessable", "not_exercised"];
    for verdict in list(&closed["verdicts"]).iter().chain(list(&open["verdicts"])) {
        let mut seen = BTreeSet::new();
        for rule in statuses.iter().flat_map(|status| list(&verdict[status])) {
            assert!(seen.insert(rule.as_str()), "{rule} has two statuses");
        }
    }
    // A rule that is switched off is no rule that was upheld.
    let ignored = judged(&["--ignore=jsonrpc", "--tail=closed"]);
    let agent = verdict(&ignored, "a");
    for rule in statuses.iter().flat_map(|status| list(&agent[status])) {
        assert!(!rule.as_str().unwrap().starts_with("jsonrpc/"), "{rule}");
    }
}

#[test]
fn checksums_are_those_of_the_files_as_they_are_stored() {
    let folder = TempDir::new().unwrap();
    let text = transcript("a", "c", SESSION);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    fs::write(folder.path().join("plain.ndjson"), &text).unwrap();
    fs::write(folder.path().join("packed.ndjson.gz"), &packed).unwrap();
    let paths = ["report", "--format=json", "plain.ndjson", "packed.ndjson.gz", "-"];
    for (stdin, expected) in [(text.as_bytes(), text.len()), (&packed[..], packed.len())] {
        let run = run(folder.path(), &paths, stdin);
        let compliance: Value = serde_json::from_str(&run.stdout).unwrap();
        let files = list(&compliance["files"]);
        assert_eq!(files.len(), 3, "{}", run.stderr);
        for file in files {
            let bytes = match file["path"].as_str().unwrap() {
                "<stdin>" => stdin.to_vec(),
                path => fs::read(folder.path().join(path)).unwrap(),
            };
            let sum: String =
                Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(
                (&file["sha256"], number(&file["bytes"])),
                (&json!(sum), bytes.len() as u64)
            );
            assert_eq!(file["messages"], 4);
        }
        assert_eq!(number(&files[0]["bytes"]), expected as u64);
    }
}

/// Pseudo-random numbers: the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }
}

/// All transcripts of some families, and what else may be among the inputs.
fn inputs(families: &[&str]) -> Vec<String> {
    let mut inputs = vec!["missing.ndjson".to_owned(), "README.md".to_owned()];
    for family in families {
        for entry in walkdir::WalkDir::new(Path::new(ROOT).join("fixtures").join(family)) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(ROOT).unwrap();
                inputs.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    inputs
}

#[test]
fn parts_merge_into_the_report_of_one_run() {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let root = Path::new(ROOT);
    let inputs = inputs(&[
        "permission/proceeded-without-approval",
        "plan/removed-unknown",
        "plan/type-changed",
        "recorded",
        "session/unknown-id",
        "transport",
    ]);
    let mut random = Random(7);
    for (round, options) in [&[][..], &["--redact", "--select=plan,jsonrpc"]].iter().enumerate() {
        let whole = place(&format!("whole-{round}/"));
        let arguments: Vec<_> = ["report", "-o", &whole]
            .into_iter()
            .chain(options.iter().copied())
            .chain(inputs.iter().map(String::as_str))
            .collect();
        let one_run = acpcheck(root, &arguments);
        assert_eq!(one_run.status, 3, "{}", one_run.stderr);

        for count in [1, 2, 5] {
            let mut shards = vec![Vec::new(); count];
            for input in &inputs {
                shards[random.below(count)].push(input.as_str());
            }
            let mut parts = Vec::new();
            for (index, shard) in shards.iter().enumerate().filter(|(_, shard)| !shard.is_empty()) {
                let part = place(&format!("{round}-{count}-{index}.json"));
                let arguments =
                    [&["report", "-o", &part][..], options, &["--jobs=1"], shard].concat();
                acpcheck(root, &arguments);
                parts.insert(random.below(parts.len() + 1), part);
            }
            // Some of them are put together first.
            if parts.len() > 2 {
                let some: Vec<_> = parts.drain(..2).collect();
                let both = place(&format!("{round}-{count}-both.json"));
                acpcheck(root, &["report", "--merge", &some[0], &some[1], "-o", &both]);
                parts.push(both);
            }
            let merged = place(&format!("merged-{round}-{count}/"));
            let arguments: Vec<_> = ["report", "--merge", "-o", &merged]
                .into_iter()
                .chain(parts.iter().map(String::as_str))
                .collect();
            let merge = acpcheck(root, &arguments);
            assert_eq!(merge.status, one_run.status, "{}", merge.stderr);
            assert_eq!(errors(&merge.stderr), errors(&one_run.stderr));
            for ending in ["html", "md", "json"] {
                let read = |folder: &str| {
                    fs::read_to_string(Path::new(folder).join("compliance").with_extension(ending))
                };
                assert!(read(&merged).unwrap() == read(&whole).unwrap(), "{ending} of {count}");
            }
        }
    }
}

/// What is said of inputs that are not in the report, in any order.
fn errors(stderr: &str) -> Vec<&str> {
    let mut errors: Vec<_> = stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    errors.sort_unstable();
    assert!(!errors.is_empty(), "{stderr}");
    errors
}

/// A report to merge may be written by anybody.
#[test]
fn pages_of_merged_reports_are_printable() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("t.ndjson"), transcript("gardener", "c", SESSION)).unwrap();
    assert_eq!(acpcheck(path, &["report", "t.ndjson", "-o", "t.json", "--quiet"]).status, 0);
    let report = fs::read_to_string(path.join("t.json")).unwrap();
    let changed = report.replace("\"gardener\"", r#""a\u001b]0;b\u0007\n::error::c\u202e""#);
    assert_ne!(report, changed);
    fs::write(path.join("t.json"), changed).unwrap();
    let page = acpcheck(path, &["report", "--merge", "t.json", "--format=html"]).stdout;
    assert!(page.contains("]0;b"), "the name is there");
    let odd = page.chars().find(|letter| *letter != '\n' && !acpcheck::source::is_plain(*letter));
    assert_eq!(odd, None);
    assert!(!page.contains("\n::error"));
}

#[test]
fn what_cannot_be_merged_is_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let write = |name: &str, text: &str| fs::write(path.join(name), text).unwrap();
    write("t.ndjson", &transcript("a", "c", SESSION));
    write("u.ndjson", &transcript("a", "c", SESSION));
    for (name, transcript, option) in [
        ("t.json", "t.ndjson", "--quiet"),
        ("again.json", "t.ndjson", "--quiet"),
        ("u.json", "u.ndjson", "--quiet"),
        ("closed.json", "u.ndjson", "--tail=closed"),
        ("strict.json", "u.ndjson", "--severity=plan/no-op-update=error"),
    ] {
        assert_eq!(acpcheck(path, &["report", transcript, "-o", name, option]).status, 0);
    }
    let good = fs::read_to_string(path.join("t.json")).unwrap();
    write("next.json", &good.replace("\"format_version\":1", "\"format_version\":2"));
    write(
        "older.json",
        &good.replace(
            "\"name\":\"acpcheck\",\"version\":\"",
            "\"name\":\"acpcheck\",\"version\":\"0.0.",
        ),
    );
    write("damaged.json", &good.replace("\"bytes\":", "\"butes\":"));
    write(
        "rule.json",
        &good.replace("\"rule\":\"jsonrpc/version\"", "\"rule\":\"jsonrpc/vision\""),
    );
    write("cut.json", &good[..good.len() / 2]);
    write("other.json", "[1, 2]");
    write("empty.json", "");
    let check = acpcheck(path, &["check", "t.ndjson", "--format=json"]);
    write("check.json", &check.stdout);

    let mut told = String::new();
    for names in [
        &["missing.json"][..],
        &["empty.json"],
        &["cut.json"],
        &["other.json"],
        &["check.json"],
        &["next.json"],
        &["older.json"],
        &["damaged.json"],
        &["rule.json"],
        &["t.json", "again.json"],
        &["t.json", "t.json"],
        &["t.json", "closed.json"],
        &["closed.json", "strict.json"],
    ] {
        let run = acpcheck(path, &[&["report", "--merge", "-o", "out.json"], names].concat());
        assert_eq!(run.status, 2, "{names:?}: {}", run.stderr);
        assert!(!path.join("out.json").exists(), "{names:?}");
        told += &run.stderr;
    }
    // Columns move with each rule.
    let told = Regex::new("column [0-9]+").unwrap().replace_all(&told, "column …");
    insta::assert_snapshot!(told.replace(env!("CARGO_PKG_VERSION"), "[version]"));
    let run = acpcheck(path, &["report", "--merge", "t.json", "u.json", "-o", "out.json"]);
    assert_eq!((run.status, &*run.stderr), (0, "note: wrote `out.json`\n"));
    // Options of judging come too late.
    let run = acpcheck(path, &["report", "--merge", "t.json", "--tail=closed"]);
    assert_eq!(run.status, 2);
}

#[test]
fn the_status_is_that_of_check() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    let warning = update("s", r#"{"sessionUpdate":"tool_call_update","toolCallId":"t"}"#);
    fs::write(path.join("clean.ndjson"), transcript("a", "c", SESSION)).unwrap();
    fs::write(path.join("warning.ndjson"), transcript("a", "c", &(SESSION.to_owned() + &warning)))
        .unwrap();
    let faulty = SESSION.to_owned() + &update("ghost", "{}");
    fs::write(path.join("faulty.ndjson"), transcript("a", "c", &faulty)).unwrap();
    for arguments in [
        &["clean.ndjson"][..],
        &["warning.ndjson"],
        &["warning.ndjson", "--fail-on=warning"],
        &["faulty.ndjson"],
        &["faulty.ndjson", "--fail-on=never"],
        &["faulty.ndjson", "missing.ndjson"],
        &["."],
    ] {
        let status = |command: &str| acpcheck(path, &[&[command], arguments].concat()).status;
        assert_eq!(status("report"), status("check"), "{arguments:?}");
    }
    let run = acpcheck(path, &["report", "clean.ndjson", "-o", "report.pdf"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
    let run = acpcheck(path, &["report", "clean.ndjson", "-o", "clean.ndjson/x.html"]);
    assert_eq!(run.status, 2, "{}", run.stderr);
}

/// Transcripts with findings, a baseline of them with a reason, and its text.
fn accepted() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let message = |number: usize| {
        update(&format!("gone-{number}"), r#"{"sessionUpdate":"plan","entries":[]}"#)
    };
    for (name, faults) in [("a.ndjson", 2), ("b.ndjson", 1)] {
        let faults: String = (0..faults).map(message).collect();
        fs::write(folder.path().join(name), transcript("kettle", "pot", &faults)).unwrap();
    }
    let run = acpcheck(folder.path(), &["check", "--write-baseline=known.toml", "."]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let text = fs::read_to_string(folder.path().join("known.toml")).unwrap();
    let text = text.replace("TODO: why is this accepted?", "<b>old</b> ids, #7");
    fs::write(folder.path().join("known.toml"), &text).unwrap();
    (folder, text)
}

#[test]
fn what_a_baseline_accepts_is_named_and_changes_no_verdict() {
    let (folder, text) = accepted();
    let run = |arguments: &[&str]| acpcheck(folder.path(), &[&["report"], arguments].concat());
    let document = |run: &Run| -> Value { serde_json::from_str(&run.stdout).unwrap() };
    let with = ["a.ndjson", "b.ndjson", "--baseline=known.toml"];
    let json = run(&[&with[..], &["--format=json"]].concat());
    assert_eq!(json.status, 0, "{}", json.stderr);
    let compliance = document(&json);
    assert_valid(&closed(schema()), &compliance);
    let accepted = list(&compliance["settings"]["accepted"]);
    assert_eq!(accepted.len(), 1, "{accepted:?}");
    assert_eq!(accepted[0]["rule"], "session/unknown-id");
    assert_eq!(
        (number(&accepted[0]["count"]), &accepted[0]["implementation"]),
        (3, &json!("kettle"))
    );
    let met = |file: &Value| number(&file["accepted"][0]["errors"]);
    assert_eq!(list(&compliance["files"]).iter().map(met).collect::<Vec<_>>(), [2, 1]);
    // All of it is still there, and held against the agent.
    let plain = document(&run(&["a.ndjson", "b.ndjson", "--format=json"]));
    assert_eq!(compliance["summary"], plain["summary"]);
    assert_eq!(compliance["verdicts"], plain["verdicts"]);
    assert_eq!(verdict(&compliance, "kettle")["verdict"], "violates");

    let html = run(&[&with[..], &["--format=html"]].concat()).stdout;
    assert!(html.contains("A baseline accepts 3 findings"));
    assert!(html.contains("&#60;b&#62;old&#60;/b&#62; ids, #7") && !html.contains("<b>old"));
    let markdown = run(&[&with[..], &["--format=markdown"]].concat()).stdout;
    assert!(markdown.contains("## Accepted by a baseline") && !markdown.contains("<b>old</b> ids"));

    // The configuration may name it, as for `check`.
    fs::write(folder.path().join("acpcheck.toml"), "baseline = \"known.toml\"\n").unwrap();
    let configured = run(&["a.ndjson", "b.ndjson", "--format=json"]);
    assert_eq!((configured.status, &document(&configured)), (0, &compliance));

    // Of more than were accepted, any may be new.
    assert!(text.contains("count = 3"));
    fs::write(folder.path().join("known.toml"), text.replace("count = 3", "count = 2")).unwrap();
    let exceeded = run(&[&with[..], &["--format=markdown"]].concat());
    assert_eq!(exceeded.status, 1);
    assert!(exceeded.stdout.contains("3 (more than accepted; any of them may be new) | 2 |"));
    assert!(!exceeded.stdout.contains("A baseline accepts"));
}

#[test]
fn a_baseline_accepts_over_all_parts_of_a_report() {
    let (folder, text) = accepted();
    let report = |arguments: &[&str]| acpcheck(folder.path(), &[&["report"], arguments].concat());
    let both = |arguments: &[&str]| {
        for name in ["a", "b"] {
            let (from, to) = (format!("{name}.ndjson"), format!("-o={name}.json"));
            report(&[&from, &to, "--baseline=known.toml"]);
        }
        report(&[&["--merge", "a.json", "b.json"], arguments].concat())
    };
    let whole =
        |form: &str| report(&["a.ndjson", "b.ndjson", "--baseline=known.toml", "--format", form]);
    for count in ["count = 2", "count = 3", "count = 4"] {
        fs::write(folder.path().join("known.toml"), text.replace("count = 3", count)).unwrap();
        for form in ["html", "markdown", "json"] {
            let (merged, whole) = (both(&["--format", form]), whole(form));
            assert!(merged.stdout == whole.stdout, "{form}, {count}");
            assert_eq!((merged.status, whole.status == 1), (whole.status, count == "count = 2"));
        }
    }
    report(&["b.ndjson", "-o=b.json"]);
    let unlike = report(&["--merge", "a.json", "b.json"]);
    assert!(unlike.stderr.contains("their baselines differ"), "{}", unlike.stderr);
    assert_eq!(unlike.status, 2);
}

#[test]
fn reports_go_where_they_are_wanted() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    fs::write(path.join("t.ndjson"), transcript("a", "c", SESSION)).unwrap();
    let begins = |name: &str, beginning: &str| {
        let text = fs::read_to_string(path.join(name)).unwrap();
        assert!(text.starts_with(beginning), "{name}: {}", &text[..40]);
    };
    let run = acpcheck(path, &["report", "t.ndjson"]);
    assert!(run.stdout.starts_with("# ACP compliance report"), "{}", run.stdout);
    acpcheck(path, &["report", "t.ndjson", "-o", "new"]);
    begins("new/compliance.html", "<!doctype html>");
    begins("new/compliance.md", "# ");
    begins("new/compliance.json", "{\"document\":");
    acpcheck(path, &["report", "t.ndjson", "-o", "deep/down/r.HTML"]);
    begins("deep/down/r.HTML", "<!doctype html>");
    acpcheck(path, &["report", "t.ndjson", "-o", "r.txt", "--format=markdown"]);
    begins("r.txt", "# ");
    acpcheck(path, &["report", "t.ndjson", "-o", "only/", "--format=json"]);
    let only: Vec<PathBuf> =
        fs::read_dir(path.join("only")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(only, [path.join("only/compliance.json")]);
    // A report among the transcripts is not judged the next time.
    let first = acpcheck(path, &["report", ".", "-o", "compliance.json"]);
    let text = fs::read_to_string(path.join("compliance.json")).unwrap();
    let second = acpcheck(path, &["report", ".", "-o", "compliance.json"]);
    assert_eq!((first.status, second.status), (0, 0));
    assert_eq!(fs::read_to_string(path.join("compliance.json")).unwrap(), text);
}

#[test]
fn a_report_is_no_transcript() {
    let folder = TempDir::new().unwrap();
    let text = transcript("kettle", "pot", "");
    fs::write(folder.path().join("a.json"), &text).unwrap();
    let run = acpcheck(folder.path(), &["report", "./a.json", "-o", "a.json"]);
    assert_eq!(run.stderr, "error: `./a.json` is an input and an output; write to another file\n");
    assert_eq!(run.status, 2);
    assert_eq!(fs::read_to_string(folder.path().join("a.json")).unwrap(), text);
    // An earlier one in the folder is left out, and written anew.
    let report = || acpcheck(folder.path(), &["report", ".", "-o", "compliance.json"]);
    let written = || fs::read_to_string(folder.path().join("compliance.json")).unwrap();
    let first = (report().status, written());
    assert_eq!((report().status, written()), first);
    assert!(!first.1.contains("passed_over"), "{}", first.1);
}

#[test]
fn a_small_report() {
    let root = Path::new(ROOT);
    let path = "fixtures/plan/removed-unknown/bad-named-and-unnamed.v1-unstable.ndjson";
    for format in ["html", "markdown"] {
        let run = acpcheck(root, &["report", path, "--format", format]);
        let style = include_str!("../src/report/templates/page.css");
        let text = run.stdout.replace(style, "…");
        let version = format!("acpcheck {}", env!("CARGO_PKG_VERSION"));
        let text = text.replace(&version, "acpcheck [version]");
        insta::assert_snapshot!(format!("a_small_report_as_{format}"), text);
    }
}

/// `check` counts a finding that repeats once, and says the totals of the report, too.
#[test]
fn outputs_say_what_their_totals_count() {
    let root = Path::new(ROOT);
    let path = "fixtures/capability/auth-status-update/bad-twice.v2-unstable.ndjson";
    let run = |arguments: &[&str]| acpcheck(root, &[arguments, &[path]].concat()).stdout;
    let check = run(&["check"]);
    assert!(check.contains("Found 1 error, 1 warning in 1 file"), "{check}");
    assert!(check.contains(" With each repeat: 2 errors, 2 warnings. "), "{check}");
    let report = run(&["report", "--format=markdown"]);
    assert!(report.contains(", 2 errors, 2 warnings, 0 infos, with each repeat."), "{report}");
    let junit = run(&["check", "--format=junit"]);
    assert!(junit.contains("<!-- A test case is a rule, judged for one side of one transcript"));
    // Without repeats there is one total.
    let path = "fixtures/plan/removed-unknown/bad-named-and-unnamed.v1-unstable.ndjson";
    let check = acpcheck(root, &["check", path]).stdout;
    assert!(check.contains("Found 1 error") && !check.contains("With each repeat"), "{check}");
}

#[test]
fn the_audit_log_of_a_report_is_that_of_audit() {
    let paths = ["fixtures/permission", "fixtures/fs", "fixtures/session", "fixtures/terminal"];
    for option in [&[][..], &["--redact"]] {
        let compliance = report(&[&paths[..], option].concat());
        let arguments = [&["audit", "--format=ndjson"], &paths[..], option].concat();
        let audit = acpcheck(Path::new(ROOT), &arguments);
        let mut by_file: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in audit.stdout.lines().skip(1) {
            let mut row: Value = serde_json::from_str(line).unwrap();
            let members = row.as_object_mut().unwrap();
            let file = members.remove("file").unwrap();
            by_file.entry(file.as_str().unwrap().to_owned()).or_default().push(row);
        }
        assert!(by_file.len() > 40, "{}", by_file.len());
        for file in list(&compliance["files"]) {
            let path = file["path"].as_str().unwrap();
            let mut expected = by_file.remove(path).unwrap_or_default();
            let counts = file["audit"]["counts"].as_array().cloned().unwrap_or_default();
            for count in &counts {
                let is_counted = |row: &&Value| {
                    let members = count.as_object().unwrap().iter();
                    members.filter(|(name, _)| *name != "count").all(|(name, it)| row[name] == *it)
                };
                let rows = expected.iter().filter(is_counted).count() as u64;
                assert_eq!(rows, number(&count["count"]), "{path}: {count}");
            }
            let sum: u64 = counts.iter().map(|count| number(&count["count"])).sum();
            assert_eq!(sum, expected.len() as u64, "{path}");
            expected.retain(|row| row["replayed"] == false);
            let own = file["audit"]["rows"].as_array().cloned().unwrap_or_default();
            assert_eq!(own.len(), expected.len(), "{path}");
            assert!(own.iter().all(|row| expected.contains(row)), "{path}");
        }
        assert!(by_file.is_empty(), "{by_file:?}");
    }
}

#[test]
fn of_many_actions_the_remarkable_are_kept() {
    let folder = TempDir::new().unwrap();
    let mut messages = SESSION.to_owned();
    messages += r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#;
    messages.push('\n');
    for call in 0..700 {
        messages += &update(
            "s",
            &format!(
                r#"{{"sessionUpdate":"tool_call","toolCallId":"c{call}","kind":"read","title":"Read","status":"completed","locations":[{{"path":"/work/{call}"}}]}}"#
            ),
        );
    }
    messages += &update(
        "s",
        r#"{"sessionUpdate":"tool_call","toolCallId":"last","kind":"edit","title":"Edit","status":"completed","locations":[{"path":"/etc/<b>`|x"}]}"#,
    );
    messages += r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#;
    fs::write(folder.path().join("many.ndjson"), transcript("a", "c", &messages)).unwrap();
    acpcheck(folder.path(), &["report", "many.ndjson", "-o", "all"]);
    let read = |ending: &str| {
        fs::read_to_string(folder.path().join("all/compliance").with_extension(ending)).unwrap()
    };
    let json: Value = serde_json::from_str(&read("json")).unwrap();
    let audit = &json["files"][0]["audit"];
    assert_eq!((list(&audit["rows"]).len(), number(&audit["more_rows"])), (500, 201));
    assert_eq!(audit["rows"][0]["target"], "/etc/<b>`|x");
    let html = read("html");
    assert!(html.contains("<code>/<wbr>etc/<wbr>&#60;b&#62;`|x</code>"));
    assert!(html.contains("<p>501 more actions are counted, but not shown"));
    assert!(read("md").contains("661 more are counted, but not listed"));
}

#[test]
fn reports_are_the_same_every_time() {
    let root = Path::new(ROOT);
    for format in ["html", "markdown", "json"] {
        let run = |jobs: &str| {
            acpcheck(
                root,
                &["report", "fixtures/recorded", "fixtures/plan", "--format", format, jobs],
            )
        };
        assert!(run("--jobs=1").stdout == run("--jobs=4").stdout, "{format}");
    }
}

#[test]
fn redacted_reports_give_nothing_away() {
    // Each word of each string that is not the protocol's is given a name of its own.
    let folder = TempDir::new().unwrap();
    let mut count = 0;
    let mut secrets = BTreeSet::new();
    let inputs = inputs(&["plan", "session", "terminal", "config", "permission", "fs"]);
    let inputs = inputs.iter().filter(|input| input.ends_with(".ndjson"));
    for input in effort::one_in(4, inputs) {
        let Ok(text) = fs::read_to_string(Path::new(ROOT).join(input)) else { continue };
        let lines = text.lines().map(|line| match serde_json::from_str::<Value>(line) {
            Ok(mut message) => {
                disguise(&mut message, &mut secrets);
                message.to_string()
            }
            Err(_) => line.to_owned(),
        });
        let lines: Vec<_> = lines.collect();
        fs::write(folder.path().join(format!("{count}.ndjson")), lines.join("\n")).unwrap();
        count += 1;
    }
    assert!(count > 100 && secrets.len() > 100);
    let secret = Regex::new("Zq[0-9]+xk").unwrap();
    for (options, name) in [(&["--redact"][..], "redacted"), (&[], "plain")] {
        let json = format!("{name}.json");
        let arguments = ["report", ".", "-o", &json, "--select=all"];
        acpcheck(folder.path(), &[&arguments, options].concat());
        acpcheck(folder.path(), &["report", "--merge", &json, "-o", name]);
        for ending in ["html", "md", "json"] {
            let path = folder.path().join(name).join("compliance").with_extension(ending);
            let report = fs::read_to_string(path).unwrap();
            let told: BTreeSet<_> = secret.find_iter(&report).map(|told| told.as_str()).collect();
            let told: Vec<_> = told.into_iter().filter(|told| secrets.contains(*told)).collect();
            if name == "redacted" {
                assert_eq!(told, [""; 0], "{ending}");
            } else {
                assert!(told.len() > 20, "{ending}");
            }
        }
    }
}

/// Puts something secret into values that only readers of the payload may know.
fn disguise(value: &mut Value, secrets: &mut BTreeSet<String>) {
    const PRIVATE: [&str; 14] = [
        "sessionId",
        "content",
        "text",
        "planId",
        "id",
        "uri",
        "title",
        "toolCallId",
        "cwd",
        "path",
        "description",
        "message",
        "terminalId",
        "data",
    ];
    match value {
        Value::Array(elements) => elements.iter_mut().for_each(|it| disguise(it, secrets)),
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if PRIVATE.contains(&&**name) && !text.is_empty() => {
                        let secret = format!(
                            "Zq{}xk",
                            text.len() * 7919 + text.bytes().map(usize::from).sum::<usize>()
                        );
                        *text = format!("{text} {secret}");
                        secrets.insert(secret);
                    }
                    _ => disguise(value, secrets),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
