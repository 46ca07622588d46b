//! The JSON report of every fixture: it keeps to its schema, and says where things really are.

use std::{fs, path::Path, sync::LazyLock};

use serde_json::Value;

use super::run::{assert_valid, fixtures, run};

/// The report about the fixtures, and its text.
fn report(arguments: &[&str]) -> (Value, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = ["check", "--format=json", "--select=all"];
    let text = run(root, &[&check, fixtures(), arguments].concat(), b"").stdout;
    (serde_json::from_str(&text).unwrap(), text)
}

/// The report that most tests read, made once.
static REPORT: LazyLock<(Value, String)> = LazyLock::new(|| report(&["--statistics"]));

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn reports_keep_to_their_schema() {
    let schema = serde_json::from_str(include_str!("../schema/report.schema.json")).unwrap();
    for arguments in [&[] as &[&str], &["--statistics"], &["--surface=v2", "--edition=2026-05"]] {
        let (report, _) = report(arguments);
        assert_valid(&schema, &report);
    }
}

#[test]
fn the_schema_knows_every_member() {
    // Readers may not count on it, but the schema is also the documentation.
    let mut schema: Value =
        serde_json::from_str(include_str!("../schema/report.schema.json")).unwrap();
    close(&mut schema);
    let (report, _) = report(&["--statistics", "missing.ndjson"]);
    assert!(list(&report["unread"]).iter().any(|unread| unread["path"] == "missing.ndjson"));
    assert_valid(&schema, &report);
}

fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            if members.get("type") == Some(&"object".into()) {
                members.insert("additionalProperties".to_owned(), false.into());
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(close),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn reports_are_the_same_every_time() {
    assert!(report(&["--statistics"]).1 == REPORT.1);
}

#[test]
fn the_summary_counts_what_is_listed() {
    let (report, _) = &*REPORT;
    let files = list(&report["files"]);
    let counted = |severity: &str| {
        let diagnostics = files.iter().flat_map(|file| list(&file["diagnostics"]));
        diagnostics.filter(|diagnostic| diagnostic["severity"] == severity).count()
    };
    let summary = &report["summary"];
    assert_eq!(number(&summary["files"]), files.len());
    assert_eq!(number(&summary["errors"]), counted("error"));
    assert_eq!(number(&summary["warnings"]), counted("warning"));
    assert_eq!(number(&summary["infos"]), counted("info"));
    let messages: usize = files.iter().map(|file| number(&file["messages"])).sum();
    assert_eq!(number(&summary["messages"]), messages);
}

#[test]
fn places_are_where_they_are_said_to_be() {
    let (report, _) = &*REPORT;
    let mut places = 0;
    for file in list(&report["files"]) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file["path"].as_str().unwrap());
        let bytes = fs::read(path).unwrap();
        for diagnostic in list(&file["diagnostics"]) {
            let labels = list(&diagnostic["labels"]);
            assert_eq!(labels.iter().filter(|label| label["primary"] == true).count(), 1);
            for label in labels {
                let (start, end) = (number(&label["start"]), number(&label["end"]));
                assert!(start <= end && end <= bytes.len(), "{label}");
                let said = (number(&label["line"]), number(&label["column"]));
                let said_behind = (number(&label["end_line"]), number(&label["end_column"]));
                let (Some(from), Some(to)) = (place(&bytes[..start]), place(&bytes[..end])) else {
                    continue;
                };
                assert_eq!((said, said_behind), (from, to), "{label}");
                places += 1;
            }
        }
    }
    assert!(places > 0);
}

/// Line and column behind a text, counted the plain way; `None` where characters are no certain
/// thing.
fn place(before: &[u8]) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(before).ok()?;
    let line = text.matches('\n').count() + 1;
    let mut last = text.rsplit('\n').next().unwrap();
    // The mark at the beginning of a file is no character of its first line.
    if line == 1 {
        last = last.trim_start_matches('\u{feff}');
    }
    Some((line, last.chars().count() + 1))
}
