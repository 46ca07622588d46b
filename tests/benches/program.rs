//! How long `acpcheck check` takes beside P: a plain parse of every line to a `serde_json::Value`, in a
//! program that does nothing else.
//!
//! `cargo bench --bench program` prints three figures, for the wall time of each program on the same
//! file. Each is the least of several runs, which take turns:
//!
//! - mix: 100 MB with long texts, on one thread. The goal is 1.0.
//! - chat: 100 MB with short texts, on one thread. The goal is 1.3.
//! - gigabyte: 1 GB as in mix, on two threads. The goal is 0.75.
//!
//! The files are written to the folder for temporary files of the build, and removed.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]
#![expect(clippy::disallowed_methods, reason = "the file of P is read here, not by the core")]
#![expect(clippy::print_stdout, reason = "the figures are for whoever runs it")]

use std::{
    env,
    fs::File,
    hint::black_box,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use acpcheck::protocol::Surface;

#[expect(dead_code, reason = "other benches damage transcripts, too")]
mod transcripts;

/// The variable that makes this program P. It names the file.
const PARSE: &str = "ACPCHECK_BENCH_PARSE";

/// A file, and how it is checked.
struct Measure {
    name: &'static str,
    megabytes: usize,
    /// Bytes of each text in its messages.
    text: usize,
    threads: usize,
    /// How often each program runs.
    runs: usize,
}

const MEASURES: [Measure; 3] = [
    Measure { name: "mix", megabytes: 100, text: 1200, threads: 1, runs: 7 },
    Measure { name: "chat", megabytes: 100, text: 180, threads: 1, runs: 7 },
    Measure { name: "gigabyte", megabytes: 1000, text: 1200, threads: 2, runs: 3 },
];

fn main() {
    if let Some(file) = env::var_os(PARSE) {
        return parse(Path::new(&file));
    }
    // `-- --test` shows that everything works: one small file each.
    let is_test = env::args().any(|argument| argument == "--test");
    for measure in MEASURES {
        let (megabytes, runs) = if is_test { (1, 1) } else { (measure.megabytes, measure.runs) };
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program.ndjson");
        write(&file, megabytes, measure.text);
        let mut plain = Command::new(env::current_exe().unwrap());
        plain.env(PARSE, &file);
        let mut check = Command::new(env!("CARGO_BIN_EXE_acpcheck"));
        check.args(["check", "--isolated", "-q", "--jobs", &measure.threads.to_string()]);
        check.arg(&file);
        let (mut parsed, mut checked) = (Duration::MAX, Duration::MAX);
        for _ in 0..runs {
            parsed = parsed.min(time(&mut plain));
            checked = checked.min(time(&mut check));
        }
        std::fs::remove_file(&file).unwrap();
        println!(
            "{}: {:.2} of P ({:.2} s of {:.2} s, {megabytes} MB, threads: {})",
            measure.name,
            checked.as_secs_f64() / parsed.as_secs_f64(),
            checked.as_secs_f64(),
            parsed.as_secs_f64(),
            measure.threads
        );
    }
}

/// P.
fn parse(file: &Path) {
    let mut reader = BufReader::with_capacity(256 * 1024, File::open(file).unwrap());
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).unwrap() > 0 {
        black_box(serde_json::from_slice::<serde_json::Value>(&line).unwrap());
        line.clear();
    }
}

/// Writes a correct transcript of this size.
fn write(file: &Path, megabytes: usize, text: usize) {
    let sample = transcripts::transcript(Surface::V1, text, 1000).len() / 1000;
    let transcript = transcripts::transcript(Surface::V1, text, megabytes * 1_000_000 / sample);
    File::create(file).unwrap().write_all(transcript.as_bytes()).unwrap();
}

/// How long the program runs. It must succeed.
fn time(command: &mut Command) -> Duration {
    let begun = Instant::now();
    assert!(command.status().unwrap().success(), "{command:?}");
    begun.elapsed()
}
