//! What is counted of requirements: that it adds up, and that it is said only of what was exercised.

use std::fs;

use acpcheck::{
    check::{
        Exercise, Fulfilment, RequirementCounts, RequirementStatus, Settings, Status, Tail, shares,
    },
    protocol::{Edition, Side},
    requirements,
    rules::CATALOGUE,
};

use crate::{fixtures, support::OPENING};

/// How a side fared in a transcript.
fn fulfilment(side: Side, transcript: &str, settings: &Settings) -> Fulfilment {
    let (diagnostics, outcome) = crate::effort::check(transcript.as_bytes(), settings);
    let mut exercise = Exercise::of(Some(side));
    exercise.add(&outcome, &diagnostics, &settings.severities);
    Fulfilment::of(&exercise)
}

fn status(fulfilment: &Fulfilment, id: &str) -> Option<RequirementStatus> {
    fulfilment.rows.iter().find(|row| row.requirement.id == id).map(|row| row.status)
}

#[test]
fn counts_add_up() {
    for (rule, path) in fixtures::fixtures() {
        let settings = fixtures::settings(&path);
        if !rule.starts_with("session/") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for side in [Side::Client, Side::Agent] {
            let fulfilment = fulfilment(side, &text, &settings);
            let Fulfilment { rows, must, should, .. } = &fulfilment;
            for counts in [must, should] {
                let RequirementCounts { apply, checked, no_rule, .. } = *counts;
                let judged = counts.exercised() + counts.not_assessable + counts.not_exercised;
                assert_eq!((checked + no_rule, judged), (apply, checked), "{counts:?}");
            }
            let count = |wanted: fn(RequirementStatus) -> bool| {
                rows.iter().filter(|row| wanted(row.status)).count()
            };
            let outside = count(|it| it == RequirementStatus::Outside);
            let shapes = count(|it| it == RequirementStatus::Schema);
            assert_eq!(outside, must.outside + should.outside);
            assert_eq!(rows.len(), must.apply + should.apply + outside + shapes);
            for row in rows {
                let other = if side == Side::Client { "agent" } else { "client" };
                assert_ne!(row.requirement.binds, other);
            }
        }
    }
}

#[test]
fn a_requirement_applies_where_what_it_needs_was_offered_or_used() {
    let settings = Settings::default();
    // No capability was offered.
    let blank = fulfilment(Side::Agent, OPENING, &settings);
    assert_eq!(status(&blank, "session.replay"), None);
    let offered =
        OPENING.replace(r#""agentCapabilities":{}"#, r#""agentCapabilities":{"loadSession":true}"#);
    let offered = fulfilment(Side::Agent, &offered, &settings);
    let not_exercised = Some(RequirementStatus::Judged(Status::NotExercised));
    assert_eq!(status(&offered, "session.replay"), not_exercised);
    assert!(offered.must.apply > blank.must.apply);
    // Nothing is known of what was offered.
    let session = OPENING.lines().skip(2).collect::<Vec<_>>().join("\n");
    let unknown = fulfilment(Side::Agent, &session, &settings);
    assert!(status(&unknown, "session.replay").is_some());
    // A requirement of version 2 does not apply here.
    assert_eq!(status(&unknown, "state.idle"), None);
    assert_eq!(status(&fulfilment(Side::Client, OPENING, &settings), "session.replay"), None);
}

#[test]
fn only_what_was_exercised_is_upheld() {
    let upheld = Some(RequirementStatus::Judged(Status::Upheld));
    let settings = Settings::default();
    let blank = fulfilment(Side::Agent, OPENING, &settings);
    assert_eq!(status(&blank, "lifecycle.agent-answers"), upheld);
    assert_ne!(status(&blank, "prompt.answered"), upheld);
    let prompt = format!(
        r#"{OPENING}{{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"Water the garden"}}]}}}}
{{"jsonrpc":"2.0","id":2,"result":{{"stopReason":"end_turn"}}}}
"#
    );
    let settings = Settings { tail: Tail::Closed, ..settings };
    let answered = fulfilment(Side::Agent, &prompt, &settings);
    assert_eq!(status(&answered, "prompt.answered"), upheld);
    // The same rule checks the answers to custom requests; none was sent.
    assert_ne!(status(&answered, "ext.answer-request"), upheld);
}

#[test]
fn an_older_edition_has_only_what_its_rules_check() {
    let settings = Settings { edition: Some(Edition::May2026), ..Settings::default() };
    let old = fulfilment(Side::Agent, OPENING, &settings);
    let new = fulfilment(Side::Agent, OPENING, &Settings::default());
    assert_eq!((old.edition, new.edition), (Some(Edition::May2026), None));
    assert!(old.must.apply < new.must.apply, "{:?} {:?}", old.must, new.must);
    assert_eq!(old.must.no_rule, 0);
}

#[test]
fn every_requirement_of_a_rule_has_a_place() {
    for (index, rule) in CATALOGUE.iter().enumerate() {
        for id in rule.requirements {
            let place = shares::place(index, id).unwrap();
            let of = shares::at(place).map_or((index, *id), |it| (it.rule, it.requirement));
            assert_eq!(of, (index, *id));
            assert!(requirements::find(id).is_some());
        }
        assert_eq!(shares::place(index, "no.such-requirement"), None);
    }
}
