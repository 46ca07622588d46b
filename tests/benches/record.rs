//! What `acpcheck record` costs, beside the agent alone and the agent between two `tee`s: a round trip,
//! the start, and memory.
//!
//! ```text
//! cargo bench --bench record
//! ```
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measures")]
#![expect(clippy::disallowed_methods, reason = "a benchmark may read files and start programs")]
#![cfg_attr(not(unix), expect(unused, reason = "recordings are made on Unix alone"))]

use std::{
    env,
    io::{Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_acpcheck");
/// What is measured: a name, and a shell line that starts an agent which says what it hears.
const WAYS: [(&str, &str); 3] = [
    ("direct", "exec cat"),
    ("tee", "tee client.ndjson | cat | tee agent.ndjson"),
    ("record", "exec \"$0\" record -o recordings/ -- cat"),
];

/// The longest message that a pipe holds for sure, in bytes.
const SHORT: usize = 16_000;

fn main() {
    #[cfg(unix)]
    measure();
}

fn measure() {
    let is_test = env::args().any(|argument| argument == "--test");
    let rounds = if is_test { 3 } else { 20_000 };
    let folder = tempfile::tempdir().unwrap();
    let start = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line, PROGRAM]).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    };
    // Each way in turn, so that the noise of the machine meets all.
    let turns = if is_test { 1 } else { 5 };
    for length in [220, 10_000] {
        let mut times = [const { Vec::new() }; WAYS.len()];
        for _ in 0..turns {
            for ((_, line), times) in WAYS.iter().zip(&mut times) {
                let mut agent = start(line);
                times.extend(round_trips(&mut agent, length, rounds / turns + 1));
                end(agent);
            }
        }
        for ((name, _), times) in WAYS.iter().zip(&mut times) {
            show(&format!("round trip of {length} bytes"), name, times);
        }
    }
    for (name, line) in WAYS {
        let begin = |_| {
            let begun = Instant::now();
            let mut agent = start(line);
            round_trips(&mut agent, 10, 1);
            let time = begun.elapsed();
            end(agent);
            time
        };
        let mut times: Vec<_> = (0..if is_test { 1 } else { 200 }).map(begin).collect();
        show("start and one round trip", name, &mut times);
    }
    #[cfg(target_os = "linux")]
    for length in [220, 32 << 20] {
        let mut agent = start(WAYS[2].1);
        round_trips(&mut agent, length, 2);
        println!("memory with lines of {length} bytes: {} kB", peak_of_side_process());
        end(agent);
    }
}

/// The times of round trips of messages of this length in bytes.
fn round_trips(agent: &mut Child, length: usize, count: usize) -> Vec<Duration> {
    let mut message = vec![b'x'; length];
    (message[0], message[length - 2], message[length - 1]) = (b'"', b'"', b'\n');
    let (stdin, stdout) = (agent.stdin.as_mut().unwrap(), agent.stdout.as_mut().unwrap());
    let mut answer = vec![0; length];
    let mut trip = |_| {
        let begun = Instant::now();
        thread::scope(|scope| {
            // What no pipe holds is read while it is written. A thread would cost more than short
            // messages.
            if length > SHORT {
                scope.spawn(|| stdin.write_all(&message).unwrap());
            } else {
                stdin.write_all(&message).unwrap();
            }
            stdout.read_exact(&mut answer).unwrap();
        });
        assert!(answer == message);
        begun.elapsed()
    };
    (0..count).map(&mut trip).collect()
}

fn end(mut agent: Child) {
    drop(agent.stdin.take());
    agent.wait().unwrap();
}

fn show(what: &str, name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let (median, last) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("{what}, {name}: median {median:?}, 99 % within {last:?}");
}

/// The most memory that the last side process has had, in kB.
#[cfg(target_os = "linux")]
fn peak_of_side_process() -> usize {
    let output = Command::new("pgrep").args(["-nf", "record-side cat"]).output().unwrap();
    let id = String::from_utf8(output.stdout).unwrap();
    let status = std::fs::read_to_string(format!("/proc/{}/status", id.trim())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}
