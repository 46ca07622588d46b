//! What a check costs, stage by stage, beside a plain `serde_json` parse of the same lines.
//!
//! `cargo bench`. Compare ratios within one run: the machine may be shared.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::{fmt::Write as _, hint::black_box};

use acpcheck::{
    check::{self, Settings},
    json::Tape,
    protocol::{Edition, Surface, schema::Protocol},
    rule::{Opening, opening::opening},
};
use divan::{Bencher, counter::BytesCount};

fn main() {
    divan::main();
}

/// Messages in a transcript that is long enough for its start-up not to matter.
const MESSAGES: usize = 10_000;

/// A conversation of one turn: mostly message chunks, some plans and tool calls, as agents send.
fn transcript(surface: Surface, text: usize) -> String {
    let is_v2 = surface.version() == acpcheck::protocol::Version::V2;
    let mut lines = opening(surface, Opening::Turn);
    let words = "The kettle is filled up to the mark and no further. ".repeat(text / 52 + 1);
    let words = &words[..text];
    for number in 0..MESSAGES {
        let update = match number % 20 {
            0 => {
                let entries: Vec<_> = (0..6)
                    .map(|step| {
                        let status = match (number / 20 % 7).cmp(&step) {
                            std::cmp::Ordering::Greater => "completed",
                            std::cmp::Ordering::Equal => "in_progress",
                            std::cmp::Ordering::Less => "pending",
                        };
                        format!(r#"{{"content":"Step {step} of the work","priority":"medium","status":"{status}"}}"#)
                    })
                    .collect();
                let entries = entries.join(",");
                if is_v2 {
                    format!(
                        r#"{{"sessionUpdate":"plan_update","plan":{{"type":"items","planId":"p","entries":[{entries}]}}}}"#
                    )
                } else {
                    format!(r#"{{"sessionUpdate":"plan","entries":[{entries}]}}"#)
                }
            }
            5 => {
                let kind = if is_v2 { "tool_call_update" } else { "tool_call" };
                format!(
                    r#"{{"sessionUpdate":"{kind}","toolCallId":"t{number}","title":"Read","kind":"read","status":"in_progress"}}"#
                )
            }
            6 => {
                let call = number - 1;
                format!(
                    r#"{{"sessionUpdate":"tool_call_update","toolCallId":"t{call}","status":"completed","content":[{{"type":"content","content":{{"type":"text","text":"{words}"}}}}]}}"#
                )
            }
            _ => {
                let id = if is_v2 { r#""messageId":"m","# } else { "" };
                format!(
                    r#"{{"sessionUpdate":"agent_message_chunk",{id}"content":{{"type":"text","text":"{words}"}}}}"#
                )
            }
        };
        writeln!(lines, r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{update}}}}}"#).unwrap();
    }
    lines
}

const SHAPES: [(Surface, usize); 4] =
    [(Surface::V1, 60), (Surface::V1, 1200), (Surface::V2, 60), (Surface::V2, 1200)];

fn with_transcript(bencher: Bencher<'_, '_>, shape: (Surface, usize), run: impl Fn(&str) + Sync) {
    let transcript = transcript(shape.0, shape.1);
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
    let damaged: String = transcript(shape.0, shape.1)
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let line = if number % 100 == 99 {
                line.replace(r#""type":"text","#, "")
            } else {
                line.to_owned()
            };
            line + "\n"
        })
        .collect();
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
