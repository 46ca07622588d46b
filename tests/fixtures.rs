//! Every rule's fixtures: bad ones report their rule and nothing else, and what they report is
//! kept; good ones report nothing. `fixtures/<family>/<rule>/{bad,good}-<what>[.<surface>]
//! [.<edition>][.closed].ndjson`: the parts of the name say how to judge.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use acpcheck::{
    check::{Settings, Tail},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface, Version},
    rule::Severity,
    rules::{self, CATALOGUE},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Fixtures with the rule they belong to, in order.
pub(crate) fn fixtures() -> Vec<(String, PathBuf)> {
    let mut fixtures = Vec::new();
    for entry in walkdir::WalkDir::new(root()).sort_by_file_name().min_depth(3).max_depth(3) {
        let path = entry.unwrap().into_path();
        let rule = path.parent().unwrap().strip_prefix(root()).unwrap().display().to_string();
        if !rule.starts_with("recorded/") && !rule.starts_with("formats/") {
            fixtures.push((rule, path));
        }
    }
    fixtures
}

/// How a fixture is checked, as its name says.
pub(crate) fn settings(path: &Path) -> Settings {
    let name = path.file_name().unwrap().to_str().unwrap();
    let mut settings = Settings { tail: Tail::Open, ..Settings::default() };
    for part in name.trim_end_matches(".ndjson").split('.').skip(1) {
        if let Some(surface) = Surface::ALL.into_iter().find(|known| known.name() == part) {
            settings.surface = Some(surface);
        } else if let Some(edition) = Edition::ALL.into_iter().find(|known| known.name() == part) {
            settings.edition = Some(edition);
        } else if part == "closed" {
            settings.tail = Tail::Closed;
        } else {
            panic!("{name}: what does `{part}` mean?");
        }
    }
    settings
}

pub(crate) fn judge(rule: &str, path: &Path) -> Vec<Diagnostic> {
    let mut settings = settings(path);
    let (index, rule) = rules::find(rule).unwrap_or_else(|| panic!("{rule} is no rule"));
    let off = |version| rule.severity.of(version) == Severity::Off;
    if off(Version::V1) || off(Version::V2) {
        settings.severities.set(index, Severity::Info);
    }
    let mut found = crate::effort::check(&fs::read(path).unwrap(), &settings).0;
    let beside = |id| rule.examples.iter().any(|example| example.beside.contains(&id));
    found.retain(|found| !beside(found.rule.id));
    found
}

fn line(found: &Diagnostic) -> String {
    let label = &found.finding.labels[0];
    let (line, column) = (label.span.line, label.span.column + 1);
    let message = &found.finding.message;
    format!("  {line}:{column} {}[{}] {message}\n", found.severity, found.rule.id)
}

#[test]
fn good_fixtures_are_silent() {
    let mut wrong = String::new();
    for (rule, path) in fixtures() {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("good-") {
            let found: String = judge(&rule, &path).iter().map(line).collect();
            if !found.is_empty() {
                wrong += &format!("{rule}/{name}\n{found}");
            }
        } else {
            assert!(name.starts_with("bad-"), "{rule}/{name} is neither bad nor good");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What `rules` and `explain` say about severities is so.
#[test]
fn findings_have_a_severity_that_their_rule_states() {
    let mut wrong = std::collections::BTreeSet::new();
    let mut judge = |text: &[u8], settings: &Settings| {
        for found in crate::effort::check(text, settings).0 {
            let rule = found.rule;
            let own = [rule.severity.v1, rule.severity.v2];
            let stated = own.into_iter().chain(rule.variants.iter().map(|(severity, _)| *severity));
            if !stated.into_iter().any(|severity| severity == found.severity) {
                wrong.insert(format!("{}: {}\n", rule.id, found.severity));
            }
        }
    };
    for entry in walkdir::WalkDir::new(root()).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            judge(&fs::read(entry.path()).unwrap(), &Settings::default());
        }
    }
    for rule in CATALOGUE {
        for example in rule.examples {
            let before = acpcheck::rule::opening::opening(example.surface, example.opening);
            let text = format!("{before}{}", example.bad.trim());
            let settings = Settings {
                surface: example.pinned(),
                edition: example.edition,
                tail: if example.closed { Tail::Closed } else { Tail::Open },
                ..Settings::default()
            };
            judge(text.as_bytes(), &settings);
        }
        for (severity, when) in rule.variants {
            let is_own = rule.severity.v1 == *severity && rule.severity.v2 == *severity;
            assert!(!is_own, "{}: {severity} {when}", rule.id);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<String>());
}

#[test]
fn bad_fixtures_report_their_rule_alone() {
    let mut wrong = String::new();
    let mut families: BTreeMap<String, String> = BTreeMap::new();
    for (rule, path) in fixtures() {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("bad-") {
            continue;
        }
        let found = judge(&rule, &path);
        let lines: String = found.iter().map(line).collect();
        if found.is_empty() || found.iter().any(|found| found.rule.id != rule) {
            wrong += &format!("{rule}/{name}\n{lines}");
        }
        let family = rule.split('/').next().unwrap().to_owned();
        *families.entry(family).or_default() += &format!("{rule}/{name}\n{lines}");
    }
    assert!(wrong.is_empty(), "{wrong}");
    for (family, text) in families {
        insta::assert_snapshot!(family, text);
    }
}

#[test]
fn every_rule_has_fixtures_of_both_kinds() {
    let mut kinds: BTreeMap<String, [bool; 2]> = BTreeMap::new();
    for (rule, path) in fixtures() {
        let is_good = path.file_name().unwrap().to_str().unwrap().starts_with("good-");
        kinds.entry(rule).or_default()[usize::from(is_good)] = true;
    }
    let lacking: Vec<_> = CATALOGUE
        .iter()
        .filter(|rule| kinds.get(rule.id) != Some(&[true, true]))
        .map(|rule| rule.id)
        .collect();
    assert!(lacking.is_empty(), "no bad or no good fixture: {lacking:?}");
}
