//! Lets nothing of a run stay behind, however it ends.
//!
//! The [`Guard`] knows the process groups of agents and clients, and the temporary folders. It cleans up before a
//! signal ends the program. A process of its own knows them too, and cleans up when the program is ended
//! by a signal that cannot be caught: then the pipe between the two closes.
#![expect(clippy::disallowed_methods, reason = "a process of its own cleans up")]

use std::{
    env, fs,
    io::{self, Read, Write},
    os::unix::{ffi::OsStrExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use super::exit_status::ExitStatus;

/// The hidden argument by which acpcheck starts itself as the cleaning process of a [`Guard`].
pub(super) const PART: &str = "process-guard";
/// The beginning of the names of temporary folders. The cleaning process deletes no other folders.
const FOLDER: &str = "acpcheck-";

/// The folder in which the recordings of a run are written.
#[derive(Debug)]
pub(super) enum Folder {
    /// A folder that the user has named; the run does not delete it.
    Named(PathBuf),
    /// A temporary folder of the run, which is removed at the end.
    Own(TempDir),
}

impl Folder {
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Named(path) => path,
            Self::Own(folder) => folder.path(),
        }
    }
}

/// The process groups and temporary folders that must not outlive the run.
#[derive(Debug, Default)]
struct Held {
    groups: Vec<Pid>,
    folders: Vec<PathBuf>,
}

impl Held {
    fn clean(&self) {
        for group in &self.groups {
            // A group that is gone needs no signal.
            let _ = kill_process_group(*group, Signal::KILL);
        }
        for folder in &self.folders {
            // A process that has just been ended may still have written into it.
            let _ = fs::remove_dir_all(folder).or_else(|_| fs::remove_dir_all(folder));
        }
    }
}

/// Ends the process groups of a run and removes its temporary folders, however the run ends. A
/// second process cleans up when this one is killed.
#[derive(Debug)]
pub(super) struct Guard {
    held: Mutex<Held>,
    /// The cleaning process; `None` when it could not be started. Then only signals that can be
    /// caught clean up.
    process: Option<Child>,
}

impl Guard {
    pub(super) fn new() -> Self {
        let start = || {
            let mut command = Command::new(env::current_exe()?);
            command.arg(PART).current_dir("/");
            // A signal to the group of this program does not reach it.
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            command.process_group(0).spawn()
        };
        Self { held: Mutex::default(), process: start().ok() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the cleaning process about a process group or folder. `kind` says what to do with it;
    /// `bytes` is its number or path.
    fn tell(&self, kind: u8, bytes: &[u8]) {
        if let Some(mut pipe) = self.process.as_ref().and_then(|process| process.stdin.as_ref()) {
            // When it has gone, nobody can be told.
            let _ = pipe.write_all(&[&[kind], bytes, b"\0"].concat());
        }
    }

    /// Starts a process as the leader of a process group, which is ended at the end of the run at
    /// the latest. Fails when the process cannot be started.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<Child> {
        let mut held = self.held();
        let child = command.spawn()?;
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            held.groups.push(group);
            self.tell(b'+', child.id().to_string().as_bytes());
        }
        Ok(child)
    }

    /// Stops guarding a process group, because all its processes have ended.
    pub(super) fn forget(&self, group: Option<Pid>) {
        let Some(group) = group else { return };
        self.held().groups.retain(|held| *held != group);
        self.tell(b'-', group.as_raw_nonzero().to_string().as_bytes());
    }

    /// Makes a temporary folder that is removed with the run at the latest. An error is a sentence
    /// without a full stop.
    pub(super) fn folder(&self, name: &str) -> Result<TempDir, String> {
        // Until it is known, nothing is cleaned up, and the program does not end.
        let mut held = self.held();
        let made = tempfile::Builder::new().prefix(&format!("{FOLDER}{name}-")).tempdir();
        let folder = made.map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        held.folders.push(folder.path().to_owned());
        self.tell(b'f', folder.path().as_os_str().as_bytes());
        Ok(folder)
    }

    /// Keeps a temporary folder beyond the end of the run. Returns its path.
    pub(super) fn keep_folder(&self, folder: TempDir) -> PathBuf {
        let path = folder.keep();
        self.held().folders.retain(|held| *held != path);
        self.tell(b'k', path.as_os_str().as_bytes());
        path
    }

    /// Kills all guarded process groups and removes all guarded folders. For use right before the
    /// program ends.
    pub(super) fn clean(&self) {
        self.held().clean();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            let _ = process.wait();
        }
    }
}

/// Runs as the cleaning process of a guard: reads what it reports until the pipe closes, and then
/// cleans up.
pub(super) fn run() -> ExitStatus {
    let mut told = Vec::new();
    let mut held = Held::default();
    let mut chunk = [0; 4096];
    let mut stdin = io::stdin().lock();
    while let Ok(count @ 1..) = stdin.read(&mut chunk) {
        told.extend_from_slice(&chunk[..count]);
        while let Some(end) = memchr::memchr(0, &told) {
            let record: Vec<u8> = told.drain(..=end).collect();
            held.take(&record[..end]);
        }
    }
    held.clean();
    ExitStatus::Clean
}

impl Held {
    fn take(&mut self, record: &[u8]) {
        let Some((kind, rest)) = record.split_first() else { return };
        let group = || Pid::from_raw(std::str::from_utf8(rest).ok()?.parse().ok()?);
        let folder = PathBuf::from(std::ffi::OsStr::from_bytes(rest));
        let is_own =
            folder.file_name().is_some_and(|name| name.as_bytes().starts_with(FOLDER.as_bytes()));
        match kind {
            b'+' => self.groups.extend(group()),
            b'-' => self.groups.retain(|held| Some(*held) != group()),
            b'f' if is_own => self.folders.push(folder),
            b'k' => self.folders.retain(|held| *held != folder),
            _ => {}
        }
    }
}
