//! Chooses the file of a recording and makes it. Nothing is ever written over.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    process,
    time::SystemTime,
};

/// How many numbered names, such as `name-2`, are tried until one is free.
const NAMES: u32 = 10_000;

/// Makes the file for `-o PATH`. In a folder, the name is made from the time and `agent`, the
/// agent's name; a name that is taken gets `-2`, `-3` and so on. An error is a sentence without a
/// full stop.
pub(in crate::cli) fn make(path: &Path, agent: &str) -> Result<(File, PathBuf), String> {
    let fail = |path: &Path, error: &io::Error| {
        format!("cannot make the recording `{}`: {error}", path.display())
    };
    let path = if is_folder(path) {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|error| fail(path, &error))?;
        path.join(name(SystemTime::now(), agent))
    } else {
        path.to_owned()
    };
    for number in 1..NAMES {
        let path = numbered(&path, number);
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => {
                // From its first byte on, the file is known to be open. Some file systems have no
                // locks; there, an open recording looks like one that is cut off.
                let _ = file.try_lock();
                return Ok((file, path));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if fs::metadata(&path).is_ok_and(|it| !it.is_file()) {
                    return Err(format!("`{}` is not a file or a folder", path.display()));
                }
            }
            Err(error) => return Err(fail(&path, &error)),
        }
    }
    Err(format!("cannot make the recording `{}`: too many have this name", path.display()))
}

/// Whether a path means a folder: a folder exists there, or the path ends in `/`.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// A name for a recording in a folder, made of the time in UTC, the number of this process and the
/// agent's name.
fn name(now: SystemTime, agent: &str) -> String {
    /// Most characters of the agent's name that go into the name of the file.
    const LONGEST: usize = 64;
    let now = humantime::format_rfc3339_seconds(now).to_string().replace(['-', ':'], "");
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let agent = agent.chars().take(LONGEST).map(|it| if is_plain(it) { it } else { '_' });
    format!("{now}-{}-{}.ndjson", process::id(), agent.collect::<String>())
}

/// The path with `-` and the number before its extension, as in `name-2.ndjson`; unchanged for 1.
pub(in crate::cli) fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

/// The name of an agent for recordings: the last part of the path of its program.
pub(in crate::cli) fn agent_name(program: &OsStr) -> String {
    let name = Path::new(program).file_name().map_or(OsString::from(program), OsStr::to_owned);
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn names_say_when_and_what() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_775_464);
        let own = process::id();
        let expected = format!("20261127T103104Z-{own}-my_agent-1.2.ndjson");
        assert_eq!(name(now, "my agent-1.2"), expected);
        assert!(name(now, &"x".repeat(1000)).len() < 120);
    }

    #[test]
    fn numbers_stand_before_the_ending() {
        for (path, expected) in [("a/b.ndjson", "a/b-2.ndjson"), ("b", "b-2"), (".b", ".b-2")] {
            assert_eq!(numbered(Path::new(path), 2), Path::new(expected));
            assert_eq!(numbered(Path::new(path), 1), Path::new(path));
        }
    }

    #[test]
    fn agents_are_called_by_the_last_part_of_their_path() {
        assert_eq!(agent_name(OsStr::new("/home/me/bin/my-agent")), "my-agent");
        assert_eq!(agent_name(OsStr::new("my-agent")), "my-agent");
    }
}
