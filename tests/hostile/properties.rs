//! What holds for every transcript.

use std::sync::LazyLock;

use acpcheck::{
    check::{Settings, Tail},
    report::TextStyle,
    rule::{On, Severity},
    source::Span,
    transcript::FORMATS,
};
use proptest::prelude::*;
use serde_json::Value;

use super::{
    changes::{conversations, mutation, settings},
    outputs,
    places::{everything, judge},
    update,
};
use crate::{effort, support::OPENING};

/// A conversation with some changes.
fn changed() -> impl Strategy<Value = Vec<u8>> {
    static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(conversations);
    mutated(&FILES, 6)
}

/// A recording of any format with some changes.
fn changed_recording() -> impl Strategy<Value = Vec<u8>> {
    static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats");
        let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
        let files = files.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
        files.map(|path| std::fs::read(path).unwrap()).collect()
    });
    mutated(&FILES, 4)
}

/// One of the files, with fewer than so many changes.
fn mutated(
    files: &'static LazyLock<Vec<Vec<u8>>>,
    changes: usize,
) -> impl Strategy<Value = Vec<u8>> {
    let mutations = prop::collection::vec(mutation(), 0..changes);
    (any::<prop::sample::Index>(), mutations).prop_map(|(file, mutations)| {
        let mut bytes = file.get(files).clone();
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        bytes
    })
}

/// What is found: rule, severity, message, places.
type Found = Vec<(&'static str, Severity, String, Vec<Span>)>;

fn find(text: &str) -> Found {
    let settings = Settings { tail: Tail::Open, severities: everything(), ..Settings::default() };
    let (diagnostics, _) = effort::check(text.as_bytes(), &settings);
    let all = diagnostics.into_iter().map(|it| {
        let spans = it.finding.labels.iter().map(|label| label.span).collect();
        (it.rule.id, it.severity, it.finding.message.into_owned(), spans)
    });
    all.collect()
}

/// Whether the rule speaks when the transcript has ended.
fn speaks_at_the_end(id: &str) -> bool {
    let (_, rule) = acpcheck::rules::find(id).unwrap();
    rule.on.iter().any(|on| matches!(on, On::End(_) | On::LeftOpen(_)))
}

/// The beginning of a transcript that decides how the rest of it is read: more than what is looked
/// at for that, so that whatever follows is read in one way.
static BEGINNING: LazyLock<String> = LazyLock::new(|| {
    let text = "x".repeat(256 * 1024);
    let chunk = format!(r#""content":{{"type":"text","text":"{text}"}}"#);
    format!("{OPENING}{}\n", update("agent_message_chunk", &chunk))
});

/// A text with the members of all objects turned around, and blanks between all tokens.
fn turned(value: &Value, out: &mut String) {
    let list = |all: Vec<String>| all.join(" \t, ");
    let inner = |value: &Value| {
        let mut out = String::new();
        turned(value, &mut out);
        out
    };
    match value {
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{} : {}", Value::from(name.as_str()), inner(value))
            };
            let members = list(members.iter().rev().map(member).collect());
            *out += &format!("{{ {members} }}");
        }
        Value::Array(elements) => {
            *out += &format!("[ {} ]", list(elements.iter().map(inner).collect()));
        }
        other => *out += &other.to_string(),
    }
}

/// Rule, severity and line of all that is found.
fn lines_of(text: &str, settings: &Settings) -> Vec<(u32, &'static str, Severity)> {
    let (diagnostics, _) = effort::check(text.as_bytes(), settings);
    let mut lines: Vec<_> = diagnostics
        .iter()
        .map(|it| (it.finding.labels[0].span.line, it.rule.id, it.severity))
        .collect();
    // Where two findings of one rule stand is in the order of the members.
    lines.sort();
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(effort::cases(1000)))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), settings in settings()) {
        judge(&bytes, &settings);
    }

    #[test]
    fn any_bytes_of_json(
        bytes in prop::collection::vec(prop::sample::select(b"{}[]:,\"\\\n\r u019e.-nultrefasid".to_vec()), 0..200),
        settings in settings(),
    ) {
        judge(&bytes, &settings);
    }

    #[test]
    fn conversations_with_changes(bytes in changed(), settings in settings()) {
        judge(&bytes, &settings);
    }

    /// Whatever format it is said to be.
    #[test]
    fn recordings_with_changes(
        bytes in changed_recording(),
        format in prop::option::of(prop::sample::select(FORMATS.to_vec())),
    ) {
        judge(&bytes, &Settings { format, severities: everything(), ..Settings::default() });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(effort::cases(200)))]

    /// The findings of a beginning are among those of the whole, but for what is said of its end by rules
    /// that speak there. That is so where the beginning ends with a line, has no message
    /// that goes on over several, and is long enough to decide how the rest is read.
    #[test]
    fn a_beginning_has_findings_of_the_whole(bytes in changed(), cut: prop::sample::Index) {
        let body = String::from_utf8_lossy(&bytes).replace("Content-", "content-");
        let lines: Vec<&str> = body.split_inclusive('\n').collect();
        let is_open = |line: &&str| {
            line.trim_start().starts_with(['{', '[']) && serde_json::from_str::<Value>(line).is_err()
        };
        prop_assume!(!lines.is_empty() && !lines.iter().any(is_open));
        let count = cut.index(lines.len() + 1);
        let beginning = format!("{}{}", *BEGINNING, lines[..count].concat());
        prop_assume!(beginning.ends_with('\n'));
        let (begun, mut whole) = (find(&beginning), find(&format!("{}{body}", *BEGINNING)));
        for finding in &begun {
            if let Some(place) = whole.iter().position(|other| other == finding) {
                whole.remove(place);
            } else {
                let (id, _, message, _) = finding;
                prop_assert!(speaks_at_the_end(id), "{id} says `{message}` only without what follows");
            }
        }
    }

    /// Findings stay at their messages, whatever order members have, and whatever blanks are between.
    #[test]
    fn blanks_and_the_order_of_members_mean_nothing(bytes in changed(), settings in settings()) {
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let values: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
        prop_assume!(values.is_ok());
        let values = values.unwrap();
        let plain: String = values.iter().map(|value| format!("{value}\n")).collect();
        let mut other = String::new();
        for value in &values {
            turned(value, &mut other);
            other.push('\n');
        }
        prop_assert_eq!(lines_of(&plain, &settings), lines_of(&other, &settings));
    }
}

proptest! {
    // Some outputs tell of every rule.
    #![proptest_config(ProptestConfig::with_cases(effort::cases(30)))]

    #[test]
    fn every_output_can_be_read(
        bytes in prop_oneof![changed(), changed_recording()],
        settings in settings(),
        columns in prop::option::of(0_usize..200),
        color: bool,
    ) {
        outputs::write(&bytes, &settings, TextStyle { color, columns }, None);
    }
}
