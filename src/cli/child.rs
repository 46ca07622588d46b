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

/// How often [`wait`] looks whether the process has ended.
const TICK: Duration = Duration::from_millis(20);
/// How many bytes at the end of a process's output are kept; earlier ones are dropped.
const KEPT: usize = 64 << 10;

/// Reads the output of a process to its end, and keeps the last bytes in `kept`, for error
/// messages.
pub(super) fn keep_end(mut stream: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut chunk = [0; 8 << 10];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        let mut kept = lock(kept);
        kept.extend_from_slice(&chunk[..count]);
        let beyond = kept.len().saturating_sub(KEPT);
        kept.drain(..beyond);
    }
}

/// The last lines of the output kept by [`keep_end`], at most `most`, without blank ones.
pub(super) fn last_lines(kept: &Mutex<Vec<u8>>, most: usize) -> Vec<String> {
    let kept = lock(kept);
    let text = String::from_utf8_lossy(&kept);
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(most)..].iter().map(|&line| line.to_owned()).collect()
}

/// Waits for the end of a process and returns how it ended. `None` when the process still runs at
/// the deadline, or the user interrupts the run.
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

/// How a process has ended, in words: `status 0` or `signal 15`.
pub(super) fn named(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown status".to_owned(),
    }
}

/// Sends a signal to all processes of a process group; does nothing for `None`.
pub(super) fn signal(group: Option<Pid>, signal: Signal) {
    if let Some(group) = group {
        // A group that is gone needs none.
        let _ = kill_process_group(group, signal);
    }
}

/// Kills all processes that still run in a process group, such as children that an agent has left.
pub(super) fn sweep(group: Option<Pid>) {
    signal(group, Signal::KILL);
}

/// Locks a mutex, also when a thread has panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
