//! What a check costs, stage by stage, beside a plain `serde_json` parse of the same lines.
//!
//! `cargo bench`. Compare ratios within one run: the machine may be shared. For the program as a whole,
//! `cargo run --release --example corpus` writes transcripts of any size (see `corpus.rs`), to be
//! checked in turn with a plain parse of the same file. How quick the program is depends by some per
//! cent on where the compiler happens to put its functions: builds that differ by less cannot be told
//! apart by time. Files of a folder have to differ: many copies of one take a third less, since the
//! processor comes to foresee what is in them.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::{fmt, hint::black_box};

use acpcheck::{
    check::{self, Check, Settings},
    json::{Doc, Tape},
    plans,
    protocol::{Edition, Surface, schema::Protocol},
    report::{self, File, Options, RuleCounts, Summary, TextStyle, plans::TimelineWriter},
    rule::{Opening, Severity, opening::opening},
    source::{Locator, Origin},
};
use divan::{Bencher, counter::BytesCount};

mod repeats;
mod transcripts;

use repeats::Repeat;
use transcripts::{damaged, transcript};

/// Messages in a transcript that is long enough for its start-up not to matter.
const MESSAGES: usize = 10_000;

fn main() {
    divan::main();
}

const SHAPES: [(Surface, usize); 4] =
    [(Surface::V1, 60), (Surface::V1, 1200), (Surface::V2, 60), (Surface::V2, 1200)];

fn with_transcript(bencher: Bencher<'_, '_>, shape: (Surface, usize), run: impl Fn(&str) + Sync) {
    let transcript = transcript(shape.0, shape.1, MESSAGES);
    bencher.counter(BytesCount::of_str(&transcript)).bench(|| run(black_box(&transcript)));
}

#[divan::bench(args = SHAPES)]
fn a_parse_to_serde_json_values(bencher: Bencher<'_, '_>, shape: (Surface, usize)) {
    with_transcript(bencher, shape, |transcript| {
        for line in transcript.lines() {
            black_box(serde_json::from_str::<serde_json::Value>(line).unwrap());
        }
    });
}

#[divan::bench(args = SHAPES)]
fn b_tape(bencher: Bencher<'_, '_>, shape: (Surface, usize)) {
    with_transcript(bencher, shape, |transcript| {
        let mut tape = Tape::new();
        for line in transcript.lines() {
            tape.parse(line).unwrap();
            black_box(&tape);
        }
    });
}

/// The tape, and the walk over the params of each notification by their definition.
#[divan::bench(args = SHAPES)]
fn b_tape_and_walk(bencher: Bencher<'_, '_>, shape: (Surface, usize)) {
    let protocol = Protocol::of(shape.0, Edition::CURRENT);
    let method = protocol.method("session/update").unwrap();
    let definition = method.notification.unwrap().params;
    with_transcript(bencher, shape, |transcript| {
        let mut tape = Tape::new();
        for line in transcript.lines() {
            tape.parse(line).unwrap();
            let doc = Doc::new(line, &tape, Origin::START);
            if let Some(params) = doc.root().get("params") {
                let _ = black_box(definition.walk(params, &mut |_| {}));
            }
        }
    });
}

#[divan::bench(args = SHAPES)]
fn c_whole_check(bencher: Bencher<'_, '_>, shape: (Surface, usize)) {
    let settings = Settings { surface: Some(shape.0), ..Settings::default() };
    with_transcript(bencher, shape, |transcript| {
        let (diagnostics, _) = check::check(transcript.as_bytes(), &settings);
        black_box(diagnostics);
    });
}

/// Every hundredth message lacks a member.
#[divan::bench(args = SHAPES)]
fn d_whole_check_with_findings(bencher: Bencher<'_, '_>, shape: (Surface, usize)) {
    let settings = Settings { surface: Some(shape.0), ..Settings::default() };
    let damaged = damaged(&transcript(shape.0, shape.1, MESSAGES), 100);
    bencher.counter(BytesCount::of_str(&damaged)).bench(|| {
        let (diagnostics, _) = check::check(black_box(damaged.as_bytes()), &settings);
        assert!(!diagnostics.is_empty());
    });
}

/// From nothing to the verdict on a conversation of a few messages, once the schemas are loaded.
#[divan::bench]
fn e_small_transcript(bencher: Bencher<'_, '_>) {
    let text = opening(Surface::V1, Opening::Turn);
    bencher.bench(|| check::check(black_box(text.as_bytes()), &Settings::default()));
}

/// The methods of a surface, found by name.
#[divan::bench]
fn f_method_table(bencher: Bencher<'_, '_>) {
    let protocol = Protocol::of(Surface::V1, Edition::CURRENT);
    bencher.bench(|| black_box(protocol.method(black_box("session/update"))));
}

/// The same transcript with a member in one of so many messages that none of them has, each time with
/// another name: a finding each, while faults of one kind are told of once.
fn marked(transcript: &str, many: usize) -> String {
    let lines = transcript.lines().enumerate();
    lines
        .map(|(number, line)| match line.strip_prefix('{') {
            Some(rest) if number % many == many - 1 => format!("{{\"own{number}\":0,{rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect()
}

/// A hundred diagnostics out of a large transcript: found beforehand, located and written here.
#[divan::bench(args = ["full", "json", "sarif"])]
fn g_rendering(bencher: Bencher<'_, '_>, format: &str) {
    let format = report::find(format).unwrap();
    let text = marked(&transcript(Surface::V1, 1200, MESSAGES), 50);
    let settings = Settings::default();
    let (diagnostics, outcome) = check::check(text.as_bytes(), &settings);
    assert!(diagnostics.len() >= 100, "{}", diagnostics.len());
    let rule_counts = RuleCounts::of(&diagnostics[..100]);
    let file = File {
        path: "t.ndjson",
        format: "ndjson",
        outcome: &outcome,
        counts: rule_counts.total(),
        rule_counts: &rule_counts,
        severities: &settings.severities,
        findings: None,
    };
    let options = Options {
        fail_on: Severity::Error,
        style: TextStyle::PLAIN,
        min_severity: None,
        shows_all: true,
        shows_hints: true,
        rules_url: None,
    };
    bencher.bench(|| {
        let (mut bytes, mut out) = (text.as_bytes(), Vec::new());
        let mut locator = Locator::new(&mut bytes);
        let mut report = format.report(options);
        report.file(&file, &diagnostics[..100], &mut locator, &mut out).unwrap();
        report.end(&Summary::default(), &mut out).unwrap();
        out
    });
}

/// What is made for each transcript before its first byte is read, once the schemas are loaded.
#[divan::bench]
fn h_start(bencher: Bencher<'_, '_>) {
    let settings = Settings::default();
    bencher.bench(|| Check::new(black_box(&settings)));
}

/// The same again and again: four times as often takes four times as long.
#[divan::bench(args = often())]
fn i_repeats(bencher: Bencher<'_, '_>, often: &Often) {
    let text = often.0.text(often.1);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let (diagnostics, _) = check::check(black_box(text.as_bytes()), &Settings::default());
        black_box(diagnostics);
    });
}

/// The same of telling how plans develop.
#[divan::bench(args = often_plans())]
fn j_plans(bencher: Bencher<'_, '_>, often: &Often) {
    let text = often.0.text(often.1);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut plans = TimelineWriter::json(None, "plans.ndjson");
        let mut told = String::new();
        let steps = plans::steps(black_box(text.as_bytes())).into_iter();
        steps.for_each(|step| plans.step(step, &mut told));
        plans.finish("ndjson", &mut told);
        black_box(told);
    });
}

struct Often(Repeat, usize);

fn often() -> Vec<Often> {
    often_of(Repeat::all())
}

fn often_plans() -> Vec<Often> {
    often_of(vec![Repeat::Plan, Repeat::Session])
}

fn often_of(repeats: Vec<Repeat>) -> Vec<Often> {
    let counts = [3_000, 12_000];
    repeats.into_iter().flat_map(|repeat| counts.map(|count| Often(repeat, count))).collect()
}

impl fmt::Display for Often {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} times", self.0, self.1)
    }
}
