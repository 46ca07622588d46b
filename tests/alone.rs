//! Every rule alone, and all rules together: what a rule says alone is said when all run, or another
//! finding there explains its value. Rules neither need each other nor silence each other otherwise.

use std::{collections::BTreeSet, fs, sync::LazyLock};

use acpcheck::{
    check::{self, Settings},
    diagnostic::Diagnostic,
    rule::{By, Severity},
    rules::CATALOGUE,
};

use crate::{effort, fixtures, labelled};

/// The severities by which one rule runs and no other, by the rule's index.
static ALONE: LazyLock<Vec<check::Severities>> = LazyLock::new(|| {
    let none = (0..CATALOGUE.len()).fold(check::Severities::default(), |mut all, rule| {
        all.set_default(rule, By::both(Severity::Off));
        all
    });
    let alone = |rule| {
        let mut one = none.clone();
        one.set_default(rule, Settings::default().severities.of(rule).severity);
        one
    };
    (0..CATALOGUE.len()).map(alone).collect()
});

/// A rule and the bytes of the transcript that a finding of it is about.
type Place = (&'static str, u64, u64);

fn place(found: &Diagnostic) -> Place {
    let span = found.finding.labels[0].span;
    (found.rule.id, span.start, span.end())
}

/// Whether a finding explains what another one is about: see `Finding::claims`.
fn explains(cause: &Diagnostic, found: &Diagnostic) -> bool {
    let place = found.finding.labels[0].span;
    cause.finding.claims.iter().any(|claim| {
        let (start, end) = (claim.within.start, claim.within.end());
        start <= place.start && place.end() <= end
    })
}

/// Rules that speak once for each connection, with those whose later findings they have told: the
/// first finding cannot name the later values.
const TOLD_ONCE: [(&str, &str); 1] = [("plan/legacy-id-field", "schema/params")];

/// Whether a rule that speaks once has told a finding.
fn is_told_once(told: &Diagnostic, found: &Diagnostic) -> bool {
    TOLD_ONCE.contains(&(told.rule.id, found.rule.id)) && told.connection == found.connection
}

/// What is wrong with the rules on this transcript.
fn differences(name: &str, bytes: &[u8], settings: &Settings, every: usize) -> Vec<String> {
    let together = effort::check(bytes, settings).0;
    let said: BTreeSet<Place> = together.iter().map(place).collect();
    let speaks = |rule: usize| said.iter().any(|(id, ..)| *id == CATALOGUE[rule].id);
    let mut wrong = Vec::new();
    for (rule, severities) in ALONE.iter().enumerate() {
        // Those that speak are few, and each of them is tried.
        if !speaks(rule) && !(rule + bytes.len()).is_multiple_of(every) {
            continue;
        }
        let id = CATALOGUE[rule].id;
        let alone = Settings { severities: severities.clone(), ..settings.clone() };
        let found = effort::check(bytes, &alone).0;
        let own: BTreeSet<Place> = found.iter().map(place).collect();
        for lost in said.iter().filter(|said| said.0 == id && !own.contains(*said)) {
            wrong.push(format!("{name}: {id} is silent alone about {}..{}", lost.1, lost.2));
        }
        let is_told = |found: &&Diagnostic| {
            said.contains(&place(found))
                || together.iter().any(|told| explains(told, found) || is_told_once(told, found))
        };
        for untold in found.iter().filter(|found| !is_told(found)) {
            let (_, start, end) = place(untold);
            wrong.push(format!("{name}: {id} speaks only alone, about {start}..{end}"));
        }
    }
    wrong
}

#[test]
fn a_rule_says_alone_what_it_says_among_all() {
    let every = effort::times(60, 30);
    let mut wrong = Vec::new();
    for (_, path) in effort::one_in(12, fixtures::fixtures()) {
        let settings = fixtures::settings(&path);
        let name = path.display().to_string();
        wrong.extend(differences(&name, &fs::read(&path).unwrap(), &settings, every));
    }
    for case in effort::one_in(20, labelled::all()) {
        let settings = Settings { severities: check::Severities::default(), ..case.settings };
        wrong.extend(differences(&case.file, &case.bytes, &settings, every));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
