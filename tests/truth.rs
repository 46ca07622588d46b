//! What must hold of all findings together: more rules never hide a fault, and a finding that stands
//! for others stands for those of its own side only.

use std::{fs, path::Path};

use acpcheck::{
    check::{Settings, Severities, Tail},
    diagnostic::Diagnostic,
    protocol::Side,
    rule::{By, Severity, opening::opening},
    rules::CATALOGUE,
    source::Span,
};

use super::{effort, labelled};

/// Transcripts of all kinds, each with how to judge it.
fn transcripts() -> Vec<(String, Vec<u8>, Settings)> {
    let mut all = Vec::new();
    for rule in CATALOGUE {
        for example in rule.examples {
            let settings = Settings {
                surface: example.pinned(),
                edition: example.edition,
                tail: if example.closed { Tail::Closed } else { Tail::Open },
                ..Settings::default()
            };
            let text = opening(example.surface, example.opening) + example.bad;
            all.push((format!("example of {}", rule.id), text.into_bytes(), settings));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let path = entry.unwrap().into_path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            all.push((path.display().to_string(), bytes, Settings::default()));
        }
    }
    for case in labelled::all() {
        let settings = Settings { severities: Severities::default(), ..case.settings };
        all.push((case.file, case.bytes, settings));
    }
    all
}

/// Whether two places have something in common. An empty one has what stands on either side of it.
fn touch(one: Span, other: Span) -> bool {
    one.start <= other.end() && other.start <= one.end()
}

/// Whether one finding covers another: a place of it is there, and it is as grave.
fn covers(one: &Diagnostic, other: &Diagnostic) -> bool {
    let place = other.finding.labels[0].span;
    one.severity >= other.severity
        && one.finding.labels.iter().any(|label| touch(label.span, place))
}

/// All rules: those that are off on both versions as infos, the others as they are.
fn everything() -> Severities {
    let mut severities = Severities::default();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        if rule.severity == By::both(Severity::Off) {
            severities.set(index, Severity::Info);
        }
    }
    severities
}

#[test]
fn more_rules_hide_no_fault() {
    let mut wrong = String::new();
    for (name, bytes, settings) in effort::one_in(7, transcripts()) {
        let few = effort::check(&bytes, &settings).0;
        let all = Settings { severities: everything(), ..settings };
        let many = effort::check(&bytes, &all).0;
        for found in &few {
            if !many.iter().any(|one| covers(one, found)) {
                let line = found.finding.labels[0].span.line;
                let (rule, message) = (found.rule.id, &found.finding.message);
                wrong += &format!("{name}:{line} {}[{rule}] {message}\n", found.severity);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn folding_changes_no_verdict() {
    let mut wrong = String::new();
    for (name, bytes, settings) in effort::one_in(7, transcripts()) {
        let (found, outcome) = effort::check(&bytes, &settings);
        for (rule, tallies) in CATALOGUE.iter().zip(&outcome.sides) {
            for (side, tally) in [Some(Side::Client), Some(Side::Agent), None].iter().zip(tallies) {
                // What blames neither side may repeat what one of them has said.
                let is_told = |it: &Diagnostic| {
                    it.rule.id == rule.id && (side.is_none() || it.bound == *side)
                };
                if tally.failed > 0 && !found.iter().any(is_told) {
                    wrong += &format!("{name}: {} by {side:?} is told of nobody\n", rule.id);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
