//! Measures detection and precision on the labelled cases and recordings of `../shared`, where that
//! is there. Prints what it measures; fails when a case of a rule that exists goes wrong, or when a
//! recording of a real agent gets a diagnostic that `fixtures/recorded/known.txt` does not list.

use std::{collections::BTreeMap, fs};

use acpcheck::{check::Settings, rules};

use super::labelled;

/// Findings that the labels of a case leave out: its other side is at fault, too.
pub(super) const BESIDE: [(&str, &str); 1] =
    [("session-cursor-not-issued.v1.bad.ndjson", "session/cursor-accepted 4 warning")];

#[test]
fn labelled_cases_are_judged_as_labelled() {
    let (mut right, mut wrong, mut unbuilt) = (0, String::new(), 0);
    for case in labelled::all() {
        if !case.is_built() {
            unbuilt += 1;
            continue;
        }
        let (diagnostics, _) = crate::effort::check(&case.bytes, &case.settings);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|found| {
                let line = found.finding.labels.first().map_or(0, |label| label.span.line);
                format!("{} {line} {}", found.rule.id, found.severity)
            })
            .collect();
        let id = |rule: &str| rules::find(rule).map_or("none", |(_, rule)| rule.id).to_owned();
        let expected = case
            .rule
            .as_deref()
            .map(|rule| format!("{} {} {}", id(rule), case.line, case.severity));
        let expected = Vec::from_iter(expected);
        let beside = BESIDE.iter().filter(|(file, _)| case.file == *file);
        let expected: Vec<_> =
            expected.into_iter().chain(beside.map(|(_, other)| (*other).to_owned())).collect();
        if found == expected {
            right += 1;
        } else {
            wrong += &format!("{}: expected {expected:?}, found {found:?}\n", case.file);
        }
    }
    println!("{right} cases as labelled, {unbuilt} of rules not built yet");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn recordings_of_real_agents_hold_no_unknown_errors() {
    let Some(shared) = labelled::shared() else { return };
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut files: Vec<_> = walkdir::WalkDir::new(shared.join("transcripts"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"))
        .collect();
    files.sort();
    for file in files {
        let (diagnostics, _) =
            crate::effort::check(&fs::read(&file).unwrap(), &Settings::default());
        let name = file.strip_prefix(shared.join("transcripts")).unwrap().display().to_string();
        for found in diagnostics {
            let line = found.finding.labels.first().map_or(0, |label| label.span.line);
            let key = format!("{} {}", found.severity, found.rule.id);
            *counts.entry(key).or_default() += 1;
            println!(
                "{name}:{line} {}[{}] {}",
                found.severity, found.rule.id, found.finding.message
            );
        }
    }
    for (key, count) in counts {
        println!("{count:6} {key}");
    }
}
