//! Tells whether `acpcheck record` is still writing a file: as long as it does, it holds a lock on it.
#![expect(clippy::disallowed_methods, reason = "files are opened here to ask for their lock")]

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Duration,
};

/// The bytes with which each file of `acpcheck record` begins.
const HEAD: &[u8] = br#"{"type":"start","format":"acpcheck-record""#;
/// How long a run waits for all recordings together to be completed, in milliseconds. The exit
/// status of an agent comes some milliseconds before its recording is complete.
const PATIENCE: u64 = 500;
/// Milliseconds that [`is_open`] sleeps before it looks a second time.
const PAUSE: u64 = 20;
/// How many bytes are read at a time to find the end of the last whole line.
const BLOCK: usize = 64 * 1024;

/// Whether `acpcheck record` is still writing a file. Waits up to [`PATIENCE`] for its end, counted
/// over all calls.
pub(super) fn is_open(file: &File) -> bool {
    static WAITED: AtomicU64 = AtomicU64::new(0);
    if !is_recording(file) {
        return false;
    }
    while is_locked(file) {
        if WAITED.fetch_add(PAUSE, Ordering::Relaxed) >= PATIENCE {
            return true;
        }
        thread::sleep(Duration::from_millis(PAUSE));
    }
    false
}

/// Whether `acpcheck record` is writing the file at this path at this moment. Does not wait.
pub(super) fn is_open_now(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| is_recording(&file) && is_locked(&file))
}

/// Whether the file at this path is a recording by `acpcheck record`.
pub(super) fn is_recording_at(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| is_recording(&file))
}

/// Whether the file begins as recordings by `acpcheck record` do, as far as it goes. `true` for an
/// empty file.
fn is_recording(file: &File) -> bool {
    let mut head = [0; HEAD.len()];
    read_at(file, &mut head, 0).is_ok_and(|count| HEAD.starts_with(&head[..count]))
}

/// Whether another process holds a lock on the file. `false` where the file system has no locks.
fn is_locked(file: &File) -> bool {
    match file.try_lock_shared() {
        Ok(()) => {
            // Closing the file unlocks it, too.
            let _ = file.unlock();
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
    }
}

/// The offset behind the last line break within the first `size` bytes of a file, up to which a
/// file that is still written can be read; 0 without a line break.
pub(super) fn whole_lines(file: &File, size: u64) -> u64 {
    let mut block = vec![0; BLOCK];
    let mut end = size;
    while end > 0 {
        let start = end.saturating_sub(BLOCK as u64);
        let most = usize::try_from(end - start).unwrap_or(BLOCK);
        let Ok(count) = read_at(file, &mut block[..most], start) else { return size };
        if let Some(last) = memchr::memrchr(b'\n', &block[..count]) {
            return start + last as u64 + 1;
        }
        end = start;
    }
    0
}

/// Reads bytes at the offset `at` without moving the position of the file. Returns the number of
/// bytes read.
#[cfg(unix)]
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, at)
}

/// Reads bytes at the offset `at` without moving the position of the file. Returns the number of
/// bytes read.
#[cfg(not(unix))]
pub(super) fn read_at(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    use std::io::{Read, Seek, SeekFrom};

    let here = file.stream_position()?;
    file.seek(SeekFrom::Start(at))?;
    let read = file.read(buffer);
    file.seek(SeekFrom::Start(here))?;
    read
}
