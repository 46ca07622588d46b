//! The reports for other programs, as those programs read them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::OnceLock,
};

use acpcheck::report::{FORMATS, OutputFormat};
use serde_json::Value;
use tempfile::TempDir;

use super::{
    effort,
    run::{self, Run, run},
    support::OPENING,
};

/// The formats that are for programs or for pages.
fn formats() -> impl Iterator<Item = &'static OutputFormat> {
    FORMATS.iter().copied().filter(|format| !format.is_text)
}

fn acpcheck(folder: &Path, arguments: &[&str]) -> (String, String, i32) {
    let Run { stdout, stderr, status } = run(folder, &[&["check"], arguments].concat(), b"");
    (stdout, stderr, status)
}

/// Every report of one run by the name of its format, and the status.
fn reports(folder: &Path, arguments: &[&str]) -> (BTreeMap<&'static str, String>, i32) {
    let out = TempDir::new().unwrap();
    let path = |format: &OutputFormat| out.path().join(format.name);
    let wanted: Vec<_> =
        formats().map(|format| format!("--report={format}={}", path(format).display())).collect();
    let wanted: Vec<_> = wanted.iter().map(String::as_str).collect();
    let (_, _, status) = acpcheck(folder, &[arguments, &wanted].concat());
    let read =
        |format: &'static OutputFormat| (format.name, fs::read_to_string(path(format)).unwrap());
    (formats().map(read).collect(), status)
}

/// The reports about the fixtures and an input that is not there.
fn of_fixtures() -> &'static BTreeMap<&'static str, String> {
    static REPORTS: OnceLock<BTreeMap<&'static str, String>> = OnceLock::new();
    REPORTS.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let arguments = ["--select=all", "--statistics", "no such file.ndjson"];
        let (reports, status) = reports(root, &[&arguments, run::fixtures()].concat());
        assert_eq!(status, 3);
        reports
    })
}

/// A folder with `t.ndjson`, which holds this behind an opening.
fn folder(messages: &str) -> TempDir {
    run::folder(&[("t.ndjson", &(OPENING.to_owned() + messages))])
}

/// A title update, which is at fault where the title is no text.
fn title(title: &str) -> String {
    run::title("s", title)
}

/// Answers to nothing, each of which is an error.
fn stray_answers(count: usize) -> String {
    let answer = |id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{{}}}}\n", id + 100);
    (0..count).map(answer).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The diagnostics of a JSON report with their files.
fn diagnostics(report: &Value) -> Vec<(&str, &Value)> {
    let files = list(&report["files"]).iter();
    let diagnostics = |file: &'_ Value| list(&file["diagnostics"]).to_vec().len();
    let total: usize = files.clone().map(diagnostics).sum();
    let all: Vec<_> = files
        .flat_map(|file| {
            list(&file["diagnostics"]).iter().map(|found| (text(&file["path"]), found))
        })
        .collect();
    assert_eq!(all.len(), total);
    all
}

/// How many inputs were not judged: one is not there, others are fixtures that hold no message.
fn unread(report: &Value) -> usize {
    let unread = list(&report["unread"]).len();
    assert!(unread > 1);
    unread
}

fn assert_valid(schema: &str, document: &Value) {
    run::assert_valid(&json(schema), document);
}

/// The official schema. It has one pattern that only JavaScript takes for a regular expression.
fn sarif_schema() -> String {
    let schema = include_str!("schemas/sarif-2.1.0.json");
    let patched = schema.replace("[a-zA-Z]{2}]?$", r"[a-zA-Z]{2}\\]?$");
    assert_ne!(schema, patched);
    patched
}

const RDJSON: &str = include_str!("schemas/rdjson.json");
const GITLAB: &str = include_str!("schemas/gitlab-code-quality.json");

#[test]
fn sarif_is_what_its_schema_says() {
    let reports = of_fixtures();
    let (sarif, report) = (json(&reports["sarif"]), json(&reports["json"]));
    assert_valid(&sarif_schema(), &sarif);

    let run = &sarif["runs"][0];
    let rules = list(&run["tool"]["driver"]["rules"]);
    let ids: Vec<_> = rules.iter().map(|rule| text(&rule["id"])).collect();
    let catalogue: Vec<_> = acpcheck::rules::CATALOGUE.iter().map(|rule| rule.id).collect();
    assert_eq!(ids, catalogue);
    for rule in rules {
        let help = text(&rule["help"]["markdown"]);
        assert!(help.contains("Sources:") && help.contains("acpcheck explain"), "{help}");
        let is_level = |level| ["error", "warning", "note"].contains(&text(level));
        assert!(is_level(&rule["defaultConfiguration"]["level"]), "{rule}");
    }

    let (results, found) = (list(&run["results"]), diagnostics(&report));
    assert_eq!(results.len(), found.len());
    let mut identities = BTreeSet::new();
    for (result, (path, diagnostic)) in results.iter().zip(found) {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(result["ruleId"], rule["id"]);
        assert_eq!(result["ruleId"], diagnostic["rule"]);
        let labels = list(&diagnostic["labels"]);
        let none = Vec::new();
        let related = result["relatedLocations"].as_array().unwrap_or(&none);
        let locations: Vec<_> = list(&result["locations"]).iter().chain(related).collect();
        assert_eq!(locations.len(), labels.len());
        for (location, label) in locations.iter().zip(labels) {
            let physical = &location["physicalLocation"];
            assert_eq!(text(&physical["artifactLocation"]["uri"]), path.replace(' ', "%20"));
            let region = &physical["region"];
            for (own, other) in [
                ("startLine", "line"),
                ("startColumn", "column"),
                ("endLine", "end_line"),
                ("endColumn", "end_column"),
            ] {
                assert_eq!(region[own], label[other], "{region}");
            }
            if let Some(pointer) = label["pointer"].as_str().filter(|pointer| !pointer.is_empty()) {
                assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], pointer);
            }
        }
        let prints = &result["partialFingerprints"];
        assert_eq!(prints["acpcheck/v1"], diagnostic["fingerprint"]);
        assert!(identities.insert(text(&prints["primaryLocationLineHash"]).to_owned()), "{prints}");
        let more = diagnostic["repeats"].as_u64().unwrap_or_default();
        assert_eq!(result["occurrenceCount"].as_u64().unwrap_or(1), more + 1);
    }

    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let unread = &invocation["toolExecutionNotifications"][0];
    assert_eq!(unread["level"], "error");
    let uri = &unread["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "no%20such%20file.ndjson");
}

#[test]
fn sarif_shows_the_text_of_short_places() {
    let folder = folder(&title("7"));
    let (reports, _) = reports(folder.path(), &["t.ndjson"]);
    let sarif = json(&reports["sarif"]);
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["snippet"]["text"], "7");
    assert_eq!(result["properties"]["agent"], "kettle");
    assert_eq!(result["properties"]["method"], "session/update");
}

#[test]
fn code_hosts_see_the_same_finding_in_another_recording() {
    let later = OPENING.replace("\"s\"", "\"t\"") + &title("\"fine\"").repeat(3) + &title("8");
    let first = folder(&title("7"));
    let second = folder("");
    fs::write(
        second.path().join("t.ndjson"),
        later.replace("\"sessionId\":\"s\"", "\"sessionId\":\"t\""),
    )
    .unwrap();
    let of = |folder: &TempDir| {
        let (reports, _) = reports(folder.path(), &["./t.ndjson"]);
        let sarif = json(&reports["sarif"]);
        let results = list(&sarif["runs"][0]["results"]);
        assert_eq!(results.len(), 1, "{results:?}");
        let gitlab = json(&reports["gitlab"]);
        assert_eq!(gitlab[0]["location"]["path"], "t.ndjson");
        (results[0]["partialFingerprints"].clone(), gitlab[0]["fingerprint"].clone())
    };
    assert_eq!(of(&first), of(&second));
}

#[test]
fn gitlab_reports_have_the_shape_that_gitlab_reads() {
    let reports = of_fixtures();
    let (issues, report) = (json(&reports["gitlab"]), json(&reports["json"]));
    assert_valid(GITLAB, &issues);
    let issues = list(&issues);
    let prints: BTreeSet<_> = issues.iter().map(|issue| text(&issue["fingerprint"])).collect();
    assert_eq!(prints.len(), issues.len(), "fingerprints are unique");
    let (unread, issues): (Vec<_>, Vec<_>) =
        issues.iter().partition(|issue| issue["check_name"] == "acpcheck/unread");
    assert_eq!(unread.len(), self::unread(&report));
    let found = diagnostics(&report);
    assert_eq!(issues.len(), found.len());
    for (issue, (path, diagnostic)) in issues.iter().zip(found) {
        assert_eq!(text(&issue["location"]["path"]), path);
        assert_eq!(issue["check_name"], diagnostic["rule"]);
        assert_eq!(issue["location"]["lines"]["begin"], diagnostic["labels"][0]["line"]);
        assert_repeats(text(&issue["description"]), diagnostic);
    }
}

fn assert_repeats(message: &str, diagnostic: &Value) {
    match diagnostic["repeats"].as_u64() {
        Some(more) => assert!(message.contains(&format!("(and {more} more like it)")), "{message}"),
        None => assert!(!message.contains("more like it)"), "{message}"),
    }
}

#[test]
fn reviewdog_finds_the_bytes() {
    let reports = of_fixtures();
    let (result, report) = (json(&reports["rdjson"]), json(&reports["json"]));
    assert_valid(RDJSON, &result);
    let (unread, rows): (Vec<_>, Vec<_>) = list(&result["diagnostics"])
        .iter()
        .partition(|row| row["code"]["value"] == "acpcheck/unread");
    assert_eq!(unread.len(), self::unread(&report));
    let found = diagnostics(&report);
    assert_eq!(rows.len(), found.len());
    let mut places = 0;
    for (row, (path, diagnostic)) in rows.iter().zip(found) {
        assert_eq!(row["code"]["value"], diagnostic["rule"]);
        assert_repeats(text(&row["message"]), diagnostic);
        let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        // Offsets in UTF-16 count as if it were UTF-8.
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            continue;
        }
        let range = &row["location"]["range"];
        let offset = |position: &Value| {
            let number = |name: &str| Some(usize::try_from(position[name].as_u64()?).unwrap());
            let lines = bytes.split_inclusive(|byte| *byte == b'\n');
            let before: usize = lines.take(number("line")? - 1).map(<[u8]>::len).sum();
            Some(before + number("column")? - 1)
        };
        let label = &diagnostic["labels"][0];
        if let (Some(start), Some(end)) = (offset(&range["start"]), offset(&range["end"])) {
            assert_eq!((&label["start"], &label["end"]), (&start.into(), &end.into()), "{path}");
            places += 1;
        }
    }
    assert!(places > 100);
}

#[test]
fn lines_say_what_the_document_says() {
    let reports = of_fixtures();
    let report = json(&reports["json"]);
    let schema = json(include_str!("../schema/report-line.schema.json"));
    let shared = json(include_str!("../schema/report.schema.json"));
    let shared = jsonschema::Resource::from_contents(shared);
    let registry = jsonschema::Registry::new()
        .add("https://acpcheck.invalid/schema/report.schema.json", shared)
        .unwrap()
        .prepare()
        .unwrap();
    let validator = jsonschema::options()
        .with_base_uri("https://acpcheck.invalid/schema/report-line.schema.json")
        .with_registry(&registry)
        .build(&schema)
        .unwrap();

    let lines: Vec<Value> = reports["ndjson"].lines().map(json).collect();
    for line in &lines {
        if let Err(error) = validator.validate(line) {
            panic!("{error} at {}: {line}", error.instance_path());
        }
    }
    let of_type =
        |name: &str| -> Vec<_> { lines.iter().filter(|line| line["type"] == name).collect() };
    assert_eq!(lines[0]["type"], "run");
    assert_eq!(lines.last().unwrap()["type"], "summary");
    assert_eq!(lines.last().unwrap()["unread"], unread(&report));
    assert_eq!(of_type("unread").len(), unread(&report));
    assert_eq!(of_type("unread")[0]["path"], "no such file.ndjson");

    let without = |value: &Value, names: &[&str]| {
        let mut members = value.as_object().unwrap().clone();
        members.retain(|name, _| !names.contains(&name.as_str()));
        members
    };
    let found = diagnostics(&report);
    assert_eq!(of_type("diagnostic").len(), found.len());
    for (line, (path, diagnostic)) in of_type("diagnostic").iter().zip(found) {
        assert_eq!(line["path"], path);
        assert_eq!(without(line, &["type", "path"]), without(diagnostic, &[]));
    }
    for (line, file) in of_type("file").iter().zip(list(&report["files"])) {
        let counts = ["type", "errors", "warnings", "infos"];
        assert_eq!(without(line, &counts), without(file, &["diagnostics"]));
    }
}

#[test]
fn test_results_add_up() {
    for format in ["junit", "junit-all"] {
        test_results_of_format_add_up(format);
    }
}

fn test_results_of_format_add_up(format: &str) {
    let reports = of_fixtures();
    let document = roxmltree::Document::parse(&reports[format]).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let count = |node: roxmltree::Node<'_, '_>, name: &str| -> usize {
        node.attribute(name).unwrap().parse().unwrap()
    };
    let elements = |node: roxmltree::Node<'_, '_>, name: &'static str| {
        node.descendants().filter(|node| node.has_tag_name(name)).count()
    };
    let sums = [
        ("tests", "testcase"),
        ("failures", "failure"),
        ("errors", "error"),
        ("skipped", "skipped"),
    ];
    for (sum, element) in sums {
        assert_eq!(count(root, sum), elements(root, element), "{sum}");
    }
    let mut names = BTreeSet::new();
    for suite in root.children().filter(roxmltree::Node::is_element) {
        assert!(names.insert(suite.attribute("name").unwrap()));
        for (sum, element) in sums {
            assert_eq!(count(suite, sum), elements(suite, element), "{sum} of {suite:?}");
        }
    }
    assert_eq!(elements(root, "error"), unread(&json(&reports["json"])));
    assert_eq!(elements(root, "skipped") > 0, format == "junit-all");

    // Every error that was found has made a case fail.
    let failed: BTreeSet<_> = root
        .descendants()
        .filter(|node| node.has_tag_name("failure"))
        .map(|failure| {
            let case = failure.parent().unwrap();
            let suite = case.parent().unwrap().attribute("name").unwrap();
            (suite.to_owned(), case.attribute("name").unwrap().to_owned())
        })
        .collect();
    let report = json(&reports["json"]);
    let wrong: BTreeSet<_> = diagnostics(&report)
        .into_iter()
        .filter(|(_, diagnostic)| diagnostic["severity"] == "error")
        .map(|(path, diagnostic)| {
            let side = match text(&diagnostic["bound"]) {
                "either" => "either side",
                side => side,
            };
            (format!("{path} ({side})"), text(&diagnostic["rule"]).to_owned())
        })
        .collect();
    assert_eq!(failed, wrong);
}

#[test]
fn a_case_passes_fails_or_is_skipped() {
    let folder = folder(&(title("7") + &title("\"fine\"") + &title("[]")));
    let states = |arguments: &[&str], suite: &str, rule: &str| {
        let (reports, _) = reports(folder.path(), &[arguments, &["t.ndjson"]].concat());
        let document = roxmltree::Document::parse(&reports["junit-all"]).unwrap();
        let cases = document.descendants().filter(|node| {
            node.has_tag_name("testcase")
                && node.attribute("name") == Some(rule)
                && node.attribute("classname") == Some(suite)
        });
        let states = cases.map(|case| {
            let results = case.children().filter(roxmltree::Node::is_element);
            let results: Vec<_> = results.map(|result| result.tag_name().name()).collect();
            results.join(" ")
        });
        states.collect::<Vec<_>>()
    };
    let case = |arguments: &[&str], suite: &str, rule: &str| {
        let states = states(arguments, suite, rule);
        assert_eq!(states.len(), 1, "{suite} {rule}");
        states.concat()
    };
    assert_eq!(case(&[], "t.ndjson (agent)", "schema/params"), "failure");
    assert_eq!(case(&[], "t.ndjson (client)", "schema/params"), "");
    assert_eq!(case(&[], "t.ndjson (agent)", "session/unknown-id"), "");
    assert_eq!(case(&[], "t.ndjson (agent)", "plan/duplicate-entry"), "skipped");
    // What does not bind a side, does not apply or is off, is no case.
    let none: [String; 0] = [];
    assert_eq!(states(&[], "t.ndjson (client)", "plan/duplicate-entry"), none);
    assert_eq!(states(&[], "t.ndjson (agent)", "plan/v1-update-in-v2"), none);
    assert_eq!(states(&["--ignore=plan"], "t.ndjson (agent)", "plan/duplicate-entry"), none);
    // What a failure is, is the user's choice.
    let mild = ["--severity=schema=warning"];
    assert_eq!(case(&mild, "t.ndjson (agent)", "schema/params"), "system-out");
    let strict = ["--severity=schema=warning", "--fail-on=warning"];
    assert_eq!(case(&strict, "t.ndjson (agent)", "schema/params"), "failure");
}

/// A workflow command as the runner reads it.
#[derive(Debug)]
struct Annotation {
    kind: String,
    properties: BTreeMap<String, String>,
    message: String,
}

fn annotations(commands: &str) -> Vec<Annotation> {
    let unescaped = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n");
        text.replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    };
    commands
        .lines()
        .map(|line| {
            let rest = line.strip_prefix("::").unwrap_or_else(|| panic!("no command: {line}"));
            let (head, message) = rest.split_once("::").unwrap();
            let (kind, properties) = head.split_once(' ').unwrap();
            let pair = |pair: &str| {
                let (name, value) = pair.split_once('=').unwrap();
                (name.to_owned(), unescaped(value))
            };
            Annotation {
                kind: kind.to_owned(),
                properties: properties.split(',').map(pair).collect(),
                message: unescaped(message),
            }
        })
        .collect()
}

#[test]
fn annotations_tell_of_those_that_are_not_shown() {
    let reports = of_fixtures();
    let annotations = annotations(&reports["github"]);
    let kinds: Vec<_> = annotations.iter().map(|it| it.kind.as_str()).collect();
    assert_eq!(kinds, [["error"; 10], ["warning"; 10], ["notice"; 10]].concat());
    assert_eq!(annotations[0].properties["file"], "no such file.ndjson");

    let summary = &json(&reports["json"])["summary"];
    let count = |name: &str| summary[name].as_u64().unwrap();
    let unread = unread(&json(&reports["json"])) as u64;
    let (errors, warnings, notes) = (count("errors") + unread, count("warnings"), count("infos"));
    let said = format!(
        "not annotated: {} more errors, {} more warnings, {} more infos; GitHub shows 10 of each \
         kind a step",
        errors - 10,
        warnings - 10,
        notes - 9
    );
    assert_eq!(annotations.last().unwrap().message, said);
}

#[test]
fn few_annotations_are_all_shown() {
    let folder = folder(&title("7").repeat(2));
    let (stdout, _, status) =
        acpcheck(folder.path(), &["t.ndjson", "--format=concise", "--report=github"]);
    assert_eq!(status, 1);
    let (text, commands): (Vec<_>, Vec<_>) =
        stdout.lines().partition(|line| !line.starts_with("::"));
    assert!(text[0].starts_with("t.ndjson:5:126: error[schema/params]"), "{text:?}");
    assert!(text.last().unwrap().starts_with("Found "), "{text:?}");
    let annotations = annotations(&commands.join("\n"));
    assert!(stdout.ends_with(&(commands.join("\n") + "\n")), "the text goes before");
    assert_eq!(annotations.len(), text.len() - 1);
    let first = &annotations[0];
    assert_eq!(first.kind, "error");
    let properties: Vec<_> = ["file", "line", "col", "endColumn", "title"]
        .map(|name| first.properties[name].as_str())
        .into();
    assert_eq!(properties, ["t.ndjson", "5", "126", "127", "schema/params"]);
}

#[test]
fn nothing_to_say_is_said_in_every_format() {
    let folder = TempDir::new().unwrap();
    let (reports, status) = reports(folder.path(), &["."]);
    // The folder is empty, which is an error.
    assert_eq!(status, 3);
    assert_eq!(json(&reports["json"])["files"], Value::Array(Vec::new()));
    assert_valid(&sarif_schema(), &json(&reports["sarif"]));
    assert_eq!(json(&reports["sarif"])["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert_eq!(list(&json(&reports["gitlab"])).len(), 1);
    assert_valid(RDJSON, &json(&reports["rdjson"]));
    assert_eq!(reports["ndjson"].lines().map(json).count(), 3);
    assert!(reports["github"].ends_with("no transcript in this folder\n"));
    let document = roxmltree::Document::parse(&reports["junit"]).unwrap();
    assert_eq!(document.root_element().attribute("errors"), Some("1"));
    assert!(reports["markdown"].contains("No findings in 0 files"));
    assert!(reports["html"].contains("No findings in 0 files"));
}

#[test]
fn places_on_a_page_are_marked_in_text_that_wraps() {
    let (reports, _) = reports(folder(&title("7")).path(), &["t.ndjson"]);
    let page = &reports["html"];
    let articles: Vec<_> = page.split("<article").skip(1).collect();
    assert!(!articles.is_empty());
    for article in articles {
        assert_eq!(article.matches("<mark>7</mark>").count(), 1, "{article}");
        assert_eq!(article.matches("<li>Line 5, column ").count(), 1, "{article}");
        assert!(!article.contains('╭'), "{article}");
    }
}

#[test]
fn thousands_of_findings_are_all_there() {
    let many = 7_000;
    let folder = folder(&stray_answers(many));
    let (reports, status) = reports(folder.path(), &["t.ndjson"]);
    assert_eq!(status, 1);
    let report = json(&reports["json"]);
    let found = diagnostics(&report).len();
    assert!(found >= many);
    assert_eq!(list(&json(&reports["sarif"])["runs"][0]["results"]).len(), found);
    assert_eq!(list(&json(&reports["rdjson"])["diagnostics"]).len(), found);
    assert_eq!(list(&json(&reports["gitlab"])).len(), found);
    assert_eq!(reports["ndjson"].lines().map(json).count(), found + 3);
    assert_eq!(reports["html"].matches("<article").count(), found);
    let document = roxmltree::Document::parse(&reports["junit"]).unwrap();
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert!(failure.text().unwrap().trim_end().ends_with("more"), "{failure:?}");

    let markdown = &reports["markdown"];
    assert!(markdown.len() < 1 << 20, "{} bytes", markdown.len());
    let rows = markdown.lines().filter(|line| line.starts_with("| `t.ndjson:")).count();
    let cut = found - rows;
    assert!(cut > 0);
    let last = markdown.lines().last().unwrap();
    let said = format!("**Cut:** there is no room for {cut} errors");
    assert!(last.starts_with(&said), "{last}");
}

#[test]
fn a_report_does_not_depend_on_the_others_nor_on_threads() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of = |arguments: &[&str]| reports(root, &[arguments, &["fixtures/permission"]].concat()).0;
    let together = of(&["--jobs=4"]);
    assert_eq!(together, of(&["--jobs=1"]));
    for format in formats() {
        let (alone, _, _) = acpcheck(root, &["fixtures/permission", &format!("--format={format}")]);
        assert_eq!(alone, together[format.name], "{format}");
        let (alone, _, _) =
            acpcheck(root, &["fixtures/permission", "-q", &format!("--report={format}=-")]);
        if format.name == "github" {
            assert!(alone.ends_with(&together[format.name]));
        } else {
            assert_eq!(alone, together[format.name], "{format}");
        }
    }
}

/// In folders, short transcripts are parsed before others are judged; between them stand here a long
/// one, one that stops within a line, one that is no file, and formats of all kinds.
#[test]
fn transcripts_are_judged_together_as_alone() {
    let folder = folder(&title("7"));
    let path = |name: &str| folder.path().join(name);
    let recorded = walkdir::WalkDir::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
    let recorded = recorded.sort_by_file_name().into_iter().map(Result::unwrap);
    let files = recorded.filter(|entry| entry.file_type().is_file());
    for (number, file) in effort::one_in(10, files.enumerate()) {
        let name = format!("{number:04}-{}", file.file_name().display());
        fs::copy(file.path(), path(&name)).unwrap();
    }
    let short = fs::read_to_string(path("t.ndjson")).unwrap();
    fs::write(path("0100-cut.ndjson"), short.trim_end()).unwrap();
    fs::write(path("0200-long.ndjson"), OPENING.to_owned() + &title("7").repeat(2000)).unwrap();
    fs::create_dir(path("0300-folder.ndjson")).unwrap();
    fs::write(path("0400-empty.ndjson"), "").unwrap();

    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort_unstable();
    let found = |names: &[&str], jobs: &str| {
        let (stdout, _, _) = acpcheck(folder.path(), &[&["--format=ndjson", jobs], names].concat());
        let lines = stdout.lines().filter(|line| line.starts_with(r#"{"type":"diagnostic""#));
        // Recordings with the same session are judged by what all of them show of it.
        let of_stories = ["replay-", "cwd-mismatch", "system-prompt-", "duplicate-id", "deleted-"]
            .map(|rule| format!(r#""rule":"session/{rule}"#));
        let lines = lines.filter(|line| !of_stories.iter().any(|rule| line.contains(rule)));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    // So few are not put together.
    let alone: Vec<_> = names.chunks(8).flat_map(|names| found(names, "--jobs=1")).collect();
    assert!(alone.len() > 100, "{}", alone.len());
    for jobs in ["--jobs=1", "--jobs=2", "--jobs=5"] {
        assert_eq!(found(&names, jobs), alone, "{jobs}");
    }
}

#[test]
fn texts_go_to_files_without_colors() {
    let folder = folder(&title("7"));
    let arguments = ["t.ndjson", "--color=always", "--report=concise=out/deep/report.txt"];
    let (stdout, _, _) = acpcheck(folder.path(), &arguments);
    assert!(stdout.contains('\x1b'));
    let text = fs::read_to_string(folder.path().join("out/deep/report.txt")).unwrap();
    assert!(text.starts_with("t.ndjson:5:126: error[schema/params]"), "{text}");
    assert!(text.contains("(5 messages). Judged by ACP schemas of "), "{text}");
}

#[test]
fn what_cannot_be_written_does_not_keep_the_others() {
    let folder = folder(&title("7"));
    let arguments = [
        "t.ndjson",
        "--format=concise",
        "--report=json=t.ndjson/report.json",
        "--report=ndjson=t.ndjson/report.ndjson",
        "--report=sarif=.",
        "--report=gitlab=gitlab.json",
    ];
    let (stdout, stderr, status) = acpcheck(folder.path(), &arguments);
    assert_eq!(status, 2);
    assert!(stdout.contains("error[schema/params]"));
    for path in ["t.ndjson/report.json", "t.ndjson/report.ndjson", "."] {
        assert!(stderr.contains(&format!("cannot write `{path}`: ")), "{stderr}");
    }
    let issues = json(&fs::read_to_string(folder.path().join("gitlab.json")).unwrap());
    assert_eq!(list(&issues).len(), 1);
    assert!(!folder.path().join("report.json").exists());
}

#[test]
fn a_report_takes_the_place_of_an_older_one() {
    let folder = folder(&title("7"));
    let path = folder.path().join("report.json");
    fs::write(&path, "x".repeat(1 << 20)).unwrap();
    acpcheck(folder.path(), &["t.ndjson", "--report=json=report.json"]);
    json(&fs::read_to_string(&path).unwrap());
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["report.json", "t.ndjson"], "nothing is left lying about");
}

#[cfg(unix)]
#[test]
fn links_and_modes_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = folder(&title("7"));
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("elsewhere")).unwrap();
    fs::write(path("elsewhere/report.json"), "old").unwrap();
    fs::set_permissions(path("elsewhere/report.json"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("elsewhere/report.json", path("link.json")).unwrap();
    acpcheck(folder.path(), &["t.ndjson", "--report=json=link.json", "--report=sarif=new.sarif"]);
    assert!(path("link.json").is_symlink());
    json(&fs::read_to_string(path("elsewhere/report.json")).unwrap());
    let mode = |name: &str| path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("elsewhere/report.json"), 0o640);
    // As the mask leaves it for any file, not as for a secret.
    fs::write(path("any"), "").unwrap();
    assert_eq!(mode("new.sarif"), mode("any"));
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to() {
    let folder = folder(&title("7"));
    let arguments = ["t.ndjson", "-q", "--format=concise", "--report=gitlab=/dev/stdout"];
    let (stdout, stderr, status) = acpcheck(folder.path(), &arguments);
    assert_eq!((stderr.as_str(), status), ("", 1));
    let issues = stdout.split_once('\n').unwrap().1;
    assert_eq!(list(&json(issues)).len(), 1, "{stdout}");
    assert!(Path::new("/dev/stdout").symlink_metadata().is_ok());
}

#[test]
fn a_report_is_no_transcript() {
    let folder = folder(&title("7"));
    let arguments = [".", "-q", "--format=concise", "--report=ndjson=report.ndjson"];
    let first = acpcheck(folder.path(), &arguments);
    assert_eq!(first.2, 1, "{first:?}");
    assert_eq!(acpcheck(folder.path(), &arguments), first);

    let transcript = fs::read(folder.path().join("t.ndjson")).unwrap();
    let (_, stderr, status) = acpcheck(folder.path(), &["t.ndjson", "--report=ndjson=./t.ndjson"]);
    assert_eq!(status, 2);
    assert_eq!(stderr, "error: `t.ndjson` is an input and an output; write to another file\n");
    assert_eq!(fs::read(folder.path().join("t.ndjson")).unwrap(), transcript);
}

/// Whatever the file is called: by another spelling, a link, a hard link.
#[cfg(unix)]
#[test]
fn nothing_is_written_over_what_is_read() {
    use std::os::unix::fs::symlink;

    let folder = folder(&title("7"));
    let path = |name: &str| folder.path().join(name);
    fs::write(path("acpcheck.toml"), "").unwrap();
    assert_eq!(acpcheck(folder.path(), &["t.ndjson", "--write-baseline=base.toml"]).2, 0);
    for (name, link) in [("t.ndjson", "t"), ("acpcheck.toml", "c"), ("base.toml", "b")] {
        fs::hard_link(path(name), path(&format!("{link}-hard"))).unwrap();
        symlink(name, path(&format!("{link}-link"))).unwrap();
    }
    fs::create_dir(path("sub")).unwrap();
    symlink("..", path("sub/up")).unwrap();
    let names = ["t.ndjson", "acpcheck.toml", "base.toml"];
    let read = || names.map(|name| fs::read(path(name)).unwrap());
    let before = read();
    for output in [
        "t-hard",
        "t-link",
        "./t.ndjson",
        "sub/up/t.ndjson",
        "c-hard",
        "c-link",
        "b-hard",
        "b-link",
    ] {
        for arguments in [
            &["t.ndjson", "--baseline=base.toml", &format!("--report=ndjson={output}")][..],
            &[".", "--baseline=base.toml", &format!("--report=json={output}")],
        ] {
            let (stdout, stderr, status) = acpcheck(folder.path(), arguments);
            assert_eq!((stdout.as_str(), status), ("", 2), "{arguments:?}: {stderr}");
            assert!(stderr.contains(" and an output; write to another file"), "{stderr}");
        }
    }
    let run = run(folder.path(), &["report", ".", "--format=json", "-o", "t-hard"], b"");
    assert_eq!(run.status, 2, "{}", run.stderr);
    let two = ["t.ndjson", "--report=json=new", "--report=sarif=sub/up/new"];
    let (_, stderr, status) = acpcheck(folder.path(), &two);
    assert!(status == 2 && stderr.contains("two reports would go to one file"), "{stderr}");
    assert!(read() == before && !path("new").exists());
}

/// The limit stands for a full disk.
#[cfg(unix)]
#[test]
fn what_cannot_be_written_whole_leaves_what_was_there() {
    let folder = folder(&(title("7") + &stray_answers(200)));
    let baseline = "version = 1\n# ours\n";
    for (name, text) in
        [("base.toml", baseline), ("report.json", "older"), ("summary.md", "step\n")]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let command = r#"ulimit -f 0; export GITHUB_STEP_SUMMARY=summary.md
        "$0" check -q t.ndjson --write-baseline base.toml --format ndjson
        "$0" check -q t.ndjson --report json=report.json --format ndjson
        "$0" check -q t.ndjson --report markdown=summary.md --format ndjson
        "$0" report -q t.ndjson -o report.json; echo $?"#;
    let mut shell = Command::new("sh");
    let shell = shell.args(["-c", command, env!("CARGO_BIN_EXE_acpcheck")]);
    let output = shell.current_dir(folder.path()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.matches("cannot write").count(), 4, "{stderr}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        [read("base.toml"), read("report.json"), read("summary.md")],
        [baseline, "older", "step\n"]
    );
    let names = fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 4, "nothing is left lying about");
}

#[test]
fn two_reports_do_not_share_a_place() {
    let folder = folder("");
    for (arguments, why) in [
        (&["--report=json", "--report=sarif"][..], "only one report can go to standard output"),
        (&["--format=full", "--report=json"], "would both go to standard output"),
        (&["--report=json=a", "--report=sarif=a"], "two reports would go to `a`"),
        (&["--report=sarfi=a"], "did you mean `sarif`?"),
        (&["--report=json="], "the path after `=` is missing"),
    ] {
        let (stdout, stderr, status) =
            acpcheck(folder.path(), &[arguments, &["t.ndjson"]].concat());
        assert_eq!((stdout.as_str(), status), ("", 2));
        assert!(stderr.contains(why), "{stderr}");
    }
}

#[test]
fn who_stops_reading_does_not_stop_the_others() {
    let folder = folder(&stray_answers(3_000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_acpcheck"))
        .current_dir(folder.path())
        .args(["check", "t.ndjson", "--format=concise", "--report=gitlab=gitlab.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*told), (Some(1), "note: wrote `gitlab.json`\n"));
    let issues = json(&fs::read_to_string(folder.path().join("gitlab.json")).unwrap());
    assert!(list(&issues).len() >= 3_000);
}

#[test]
fn an_interrupted_run_leaves_whole_lines() {
    let folder = folder(&title("7").repeat(3));
    let mut child = Command::new(env!("CARGO_BIN_EXE_acpcheck"))
        .current_dir(folder.path())
        .args(["check", "t.ndjson", "-", "--report=ndjson=report.ndjson"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // It waits for its standard input, which never ends.
    let path = folder.path().join("report.ndjson");
    let written = || fs::read_to_string(&path).unwrap_or_default();
    for _ in 0..600 {
        if written().contains("\"type\":\"file\"") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let written = written();
    assert!(written.ends_with('\n'), "{written}");
    let types: Vec<_> = written.lines().map(|line| text(&json(line)["type"]).to_owned()).collect();
    assert_eq!(types, ["run", "diagnostic", "file"]);
}

#[test]
fn rules_may_be_explained_at_another_address() {
    let folder = folder(&title("7"));
    let page = "https://rules.example/acp";
    let (reports, _) = reports(folder.path(), &["--rules-url", page, "t.ndjson"]);
    let log: Value = serde_json::from_str(&reports["sarif"]).unwrap();
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        let expected = format!("{page}#{}", rule["id"].as_str().unwrap());
        assert_eq!(rule["helpUri"], Value::String(expected));
    }
    assert!(reports["html"].contains(&format!("href=\"{page}#")));
    for wrong in ["javascript:alert(1)", "https://x#y", "https://x\"onclick=", "rules.html"] {
        let (_, stderr, status) = acpcheck(folder.path(), &["--rules-url", wrong, "t.ndjson"]);
        assert_eq!(status, 2, "{wrong}");
        assert!(stderr.contains("not an address"), "{stderr}");
    }
}
