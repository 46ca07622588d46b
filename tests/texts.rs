//! All that rules say, in one snapshot to be read in one go: what each finds in its bad examples and
//! bad fixtures. Texts that differ in values and numbers alone are there once.

use std::collections::HashSet;

use acpcheck::{diagnostic::Diagnostic, rules::CATALOGUE};

use super::{catalogue, fixtures};

fn told(diagnostic: &Diagnostic) -> String {
    let finding = &diagnostic.finding;
    let mut text = format!("  {}: {}\n", diagnostic.severity, finding.message);
    for label in &finding.labels {
        text += &format!("    - {}\n", label.message);
    }
    if let Some(help) = &finding.help {
        text += &format!("    help: {help}\n");
    }
    text
}

/// The text without its values and numbers.
fn wording(text: &str) -> String {
    let outside = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.replace(|letter: char| letter.is_ascii_digit(), "")
}

#[test]
fn all_texts_can_be_read_in_one_go() {
    let fixtures = fixtures::fixtures();
    let mut all = String::new();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        let examples = rule.examples.iter();
        let mut found: Vec<_> =
            examples.flat_map(|example| catalogue::judge(index, example, example.bad).0).collect();
        for (_, path) in fixtures.iter().filter(|(owner, _)| owner == rule.id) {
            found.extend(fixtures::judge(rule.id, path));
        }
        all += &format!("{}: {}\n", rule.id, rule.summary);
        let mut known = HashSet::new();
        for text in found.iter().map(told) {
            if known.insert(wording(&text)) {
                all += &text;
            }
        }
        all += "\n";
    }
    insta::assert_snapshot!(all);
}
