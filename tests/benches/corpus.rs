//! Writes a transcript of a given size to standard output, for measurements of the whole program.
//!
//! `cargo run --release --example corpus -- 100 1200 > mix100.ndjson`: 100 MB with texts of 1,200
//! bytes. A third number, `100`, damages one message in a hundred; a fourth, `2`, takes version 2.
#![expect(clippy::unwrap_used, reason = "an example may panic")]

use std::io::Write as _;

use acpcheck::protocol::Surface;

mod transcripts;

fn main() {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|number| number.parse().unwrap()).collect();
    let number = |place: usize, default| numbers.get(place).copied().unwrap_or(default);
    let (megabytes, text, many) = (number(0, 10), number(1, 60), number(2, 0));
    let surface = if number(3, 1) == 2 { Surface::V2 } else { Surface::V1 };
    // The first messages tell how long one is.
    let sample = transcripts::transcript(surface, text, 1000).len() / 1000;
    let transcript = transcripts::transcript(surface, text, megabytes * 1_000_000 / sample);
    let transcript = match many {
        0 => transcript,
        many => transcripts::damaged(&transcript, many),
    };
    std::io::stdout().write_all(transcript.as_bytes()).unwrap();
}
