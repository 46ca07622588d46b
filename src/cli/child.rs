//! Processes that lead a group of their own: how they are waited for and ended, and the end of what they
//! print.

use std::{
    io::Read,
    os::unix::process::ExitStatusExt,
    process::{Child, ExitStatus},
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::interrupts::Interrupts;

/// How often the end of a process is looked for.
const TICK: Duration = Duration::from_millis(20);
/// How much of the end of what a process prints is kept, in bytes.
const KEPT: usize = 64 << 10;

/// Reads to the end, and keeps the last bytes.
pub(super) fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 8 << 10];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        let mut kept = lock(kept);
        kept.extend_from_slice(&chunk[..count]);
        let beyond = kept.len().saturating_sub(KEPT);
        kept.drain(..beyond);
    }
}

/// The last lines of what was kept.
pub(super) fn last_lines(kept: &Mutex<Vec<u8>>, most: usize) -> Vec<String> {
    let kept = lock(kept);
    let text = String::from_utf8_lossy(&kept);
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].iter().map(|&line| line.to_owned()).collect()
}

/// Waits for the end of a process. Returns `None` when it runs at the deadline, or when the user
/// interrupts the run.
pub(super) fn wait(
    child: &mut Child,
    deadline: Instant,
    interrupts: Option<&Interrupts>,
) -> Option<ExitStatus> {
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline || interrupts.is_some_and(Interrupts::is_asked) {
            return None;
        }
        thread::sleep(TICK);
    }
}

/// How a process has ended: `status 0` or `signal 15`.
pub(super) fn named(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

/// Sends a signal to all processes of a group.
pub(super) fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // A group that is gone needs none.
        let _ = kill_process_group(group, signal);
    }
}

/// Ends the processes that a group still has.
pub(super) fn sweep(group: Option<Pid>) {
    signal(group, Signal::KILL);
}

/// What a lock holds.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
