//! The index of requirements, and what rules say of it.

use std::collections::{BTreeMap, BTreeSet};

use acpcheck::{
    protocol::{Surface, Version},
    requirements::{self, Keyword, Requirement},
    rule::{Bound, Rule},
    rules::CATALOGUE,
};

/// The words with which a reason begins that no rule checks a requirement.
const REASONS: [&str; 7] = ["unseen", "permission", "schema", "hops", "probe", "open", "gone"];

/// The rules that check each requirement.
fn checked_by() -> BTreeMap<&'static str, Vec<&'static Rule>> {
    let mut out: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for rule in CATALOGUE {
        for id in rule.requirements {
            out.entry(*id).or_default().push(*rule);
        }
    }
    out
}

#[test]
fn every_sentence_is_placed_and_every_requirement_is_stated() {
    let mut wrong = String::new();
    let mut stated = BTreeSet::new();
    for sentence in requirements::sentences() {
        stated.insert(sentence.requirement);
        let is_duty = matches!(sentence.keyword, Keyword::Must | Keyword::MustNot)
            || matches!(sentence.keyword, Keyword::Should | Keyword::ShouldNot);
        let is_placed = requirements::find(sentence.requirement).is_some();
        if !is_placed && (is_duty || sentence.requirement != "-") {
            let (requirement, place) = (sentence.requirement, sentence.place);
            wrong += &format!("{place}: {requirement} is no requirement\n");
        }
    }
    for requirement in requirements::all() {
        if !stated.contains(requirement.id) && !requirement.none.starts_with("gone ") {
            wrong += &format!("{}: no sentence states it\n", requirement.id);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_row_is_read_and_found() {
    let lines = |text: &str| text.lines().count() - 1;
    let all: Vec<_> = requirements::all().collect();
    assert_eq!(all.len(), lines(include_str!("../schema/requirements.tsv")));
    let sentences: Vec<_> = requirements::sentences().collect();
    assert_eq!(sentences.len(), lines(include_str!("../schema/sentences.tsv")));
    for requirement in &all {
        assert_eq!(requirements::find(requirement.id).as_ref(), Some(requirement));
        let own = sentences.iter().filter(|it| it.requirement == requirement.id);
        assert!(own.copied().eq(requirement.sentences()), "{}", requirement.id);
    }
    for id in ["", "a", "auth", "auth.", "auth.after-logouts", "zz"] {
        assert_eq!(requirements::find(id), None, "{id}");
    }
}

#[test]
fn ids_are_sorted_and_of_one_form() {
    let ids: Vec<_> = requirements::all().map(|it| it.id).collect();
    assert!(ids.is_sorted_by(|one, next| one < next));
    for id in ids {
        let is_word = |word: &str| {
            word.starts_with(|it: char| it.is_ascii_lowercase())
                && word
                    .chars()
                    .all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-')
        };
        assert!(id.split('.').count() == 2 && id.split('.').all(is_word), "{id}");
    }
    for requirement in requirements::all() {
        let bound = [Bound::Client, Bound::Agent, Bound::Either, Bound::Sender, Bound::Responder];
        assert!(bound.iter().any(|it| it.name() == requirement.binds), "{}", requirement.id);
        assert!(!requirement.text.is_empty() && !requirement.text.ends_with('.'));
        for version in [Version::V1, Version::V2] {
            let reason = requirement.unchecked(version).unwrap_or("open");
            let word = reason.split([' ', ':']).next().unwrap();
            assert!(REASONS.contains(&word), "{}: {reason}", requirement.id);
        }
    }
}

#[test]
fn a_requirement_has_rules_or_a_reason_on_each_surface_that_states_it() {
    let checked_by = checked_by();
    let mut wrong = String::new();
    for id in checked_by.keys().filter(|id| requirements::find(id).is_none()) {
        wrong += &format!("{id}: a rule checks it, but the index does not have it\n");
    }
    for requirement in requirements::all() {
        let rules = checked_by.get(requirement.id).map_or(&[][..], Vec::as_slice);
        for version in [Version::V1, Version::V2] {
            if let Some(fault) = fault(&requirement, version, rules) {
                wrong += &format!("{} on version {version}: {fault}\n", requirement.id);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What is wrong about the rules of a requirement on a version.
fn fault(requirement: &Requirement, version: Version, rules: &[&Rule]) -> Option<&'static str> {
    let (stable, draft) = match version {
        Version::V1 => (Surface::V1, Surface::V1Unstable),
        Version::V2 => (Surface::V2, Surface::V2Unstable),
    };
    let is_checked = |surface| rules.iter().any(|rule| rule.surfaces.contains(surface));
    let reason = requirement.unchecked(version);
    let is_stated = requirement.level(version, true).is_some();
    let is_stable = requirement.level(version, false).is_some();
    match reason {
        None if is_stated && !is_checked(draft) => Some("neither a rule nor a reason"),
        None if is_stable && !is_checked(stable) => Some("no rule of the stable surface"),
        Some(_) if is_stated && is_checked(draft) => Some("both a rule and a reason"),
        _ => None,
    }
}

#[test]
fn rules_bind_the_side_that_the_requirement_binds() {
    let mut wrong = String::new();
    for rule in CATALOGUE {
        for id in rule.requirements {
            let Some(requirement) = requirements::find(id) else { continue };
            let is_other = match rule.binds {
                Bound::Client => requirement.binds == "agent",
                Bound::Agent => requirement.binds == "client",
                Bound::Either | Bound::Sender | Bound::Responder => false,
            };
            if is_other {
                wrong += &format!("{}: {id} binds the {}\n", rule.id, requirement.binds);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
