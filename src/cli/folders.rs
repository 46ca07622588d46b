//! Finds files: those that paths name, and those in folders, each once whatever it is called.
//!
//! Links in a folder are followed to what lies in one of the named folders. What they lead to is found
//! by its own name where it has one. So folders of links cost no more than what is in them.

use std::{
    collections::{HashSet, VecDeque},
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use walkdir::{DirEntry, WalkDir};

use super::identity::Identity;
use crate::report::Unread;

/// Finds the files that the paths of a run stand for. Each file is found once, even by several
/// names or links.
#[derive(Debug)]
pub(super) struct Finder {
    /// The folders that the user names, as absolute paths without links, to see whether links lead
    /// out of them.
    roots: Vec<PathBuf>,
    /// The paths that the user gives on the command line. A file that is reached by one of them a
    /// second time does not count as left out.
    named: HashSet<PathBuf>,
    folders: HashSet<Identity>,
    files: HashSet<Identity>,
    left_out: LeftOut,
}

/// How many names and links in folders were left out, for a note to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// The number of names that lead to files which are read by another name.
    names: usize,
    /// The number of links that were left out because they lead out of the named folders.
    links: usize,
}

impl LeftOut {
    /// A sentence, without a full stop, on what was left out; `None` when there was nothing.
    pub(super) fn note(self) -> Option<String> {
        let name = |count| match count {
            0 => None,
            1 => Some("1 more path to a file that is read anyway".to_owned()),
            count => Some(format!("{count} more paths to files that are read anyway")),
        };
        let link = |count| match count {
            0 => None,
            1 => Some("1 link that leads out of the folder (to follow it, name it)".to_owned()),
            count => Some(format!(
                "{count} links that lead out of the folder (to follow them, name them)"
            )),
        };
        let parts: Vec<_> = [name(self.names), link(self.links)].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("left out: {}", parts.join(", ")))
    }
}

/// The path of a file to be read, or why a path cannot be read.
pub(super) type Found = Result<PathBuf, Unread>;

impl Finder {
    /// Prepares to find the transcripts in these files and folders.
    pub(super) fn new(paths: &[PathBuf]) -> Self {
        let folders = paths.iter().filter(|path| path.is_dir());
        Self {
            roots: folders.filter_map(|folder| folder.canonicalize().ok()).collect(),
            named: paths.iter().cloned().collect(),
            folders: HashSet::new(),
            files: HashSet::new(),
            left_out: LeftOut::default(),
        }
    }

    pub(super) fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// Whether a file that the user names is to be read: `false` when it was found by another name
    /// before.
    pub(super) fn is_new(&mut self, path: &Path) -> bool {
        let is_new = Identity::of(path).is_none_or(|identity| self.files.insert(identity));
        let is_respelled = || {
            let mut above = path.ancestors().skip(1).filter(|it| it.as_os_str() != "");
            !above.any(|folder| self.named.contains(folder))
        };
        if !is_new && is_respelled() {
            self.left_out.names += 1;
        }
        is_new
    }

    /// The files in a folder whose file names `is_meant` accepts, sorted by path. `None` when all
    /// of them were found before.
    pub(super) fn files_in(
        &mut self,
        folder: &Path,
        is_meant: impl Fn(&OsStr) -> bool,
    ) -> Option<Vec<Found>> {
        let is_meant = |path: &Path| path.file_name().is_some_and(&is_meant);
        let mut found = Vec::new();
        let mut has_known = false;
        let mut files_behind_links = Vec::new();
        let mut queue = VecDeque::from([folder.to_owned()]);
        while let Some(top) = queue.pop_front() {
            let mut links = Vec::new();
            let mut entries = WalkDir::new(&top)
                // By name; what precedes the names in a folder is the same.
                .sort_by(|one, other| one.path().as_os_str().cmp(other.path().as_os_str()))
                .into_iter()
                .filter_entry(is_shown);
            while let Some(entry) = entries.next() {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        let path = error.path().unwrap_or(Path::new("?")).to_owned();
                        found.push((path, Some(reason(error))));
                        continue;
                    }
                };
                let (path, kind) = (entry.path(), entry.file_type());
                if entry.depth() == 0 || kind.is_dir() {
                    if !Identity::of(path).is_none_or(|identity| self.folders.insert(identity)) {
                        has_known = true;
                        entries.skip_current_dir();
                    }
                } else if kind.is_symlink() {
                    links.push(entry.into_path());
                } else if kind.is_file() && is_meant(path) {
                    let identity = entry.metadata().ok();
                    let identity = identity.and_then(|it| Identity::told(path, &it));
                    if self.takes(path, identity) {
                        found.push((entry.into_path(), None));
                    } else {
                        has_known = true;
                    }
                }
            }
            for link in links {
                match link.metadata() {
                    Err(error) => found.push((link, Some(error.to_string()))),
                    Ok(metadata) if metadata.is_dir() || metadata.is_file() && is_meant(&link) => {
                        if !self.is_inside(&link) {
                            self.left_out.links += 1;
                        } else if metadata.is_dir() {
                            queue.push_back(link);
                        } else {
                            files_behind_links.push((link, metadata));
                        }
                    }
                    Ok(_) => {}
                }
            }
        }
        let has_links = !files_behind_links.is_empty();
        for (link, metadata) in files_behind_links {
            let identity = Identity::told(&link, &metadata);
            if self.takes(&link, identity) {
                found.push((link, None));
            } else {
                has_known = true;
            }
        }
        if has_links || found.iter().any(|(_, reason)| reason.is_some()) {
            found.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        if found.is_empty() && has_known {
            return None;
        }
        let found = found.into_iter().map(|(path, reason)| match reason {
            Some(reason) => Err(Unread { path: name(&path), reason }),
            None => Ok(path),
        });
        Some(found.collect())
    }

    /// Records that a file was found in a folder. Returns `false` when the file was found before by
    /// another name.
    fn takes(&mut self, path: &Path, identity: Option<Identity>) -> bool {
        let is_new = identity.is_none_or(|identity| self.files.insert(identity));
        if !is_new && !self.named.contains(path) {
            self.left_out.names += 1;
        }
        is_new
    }

    /// Whether a symbolic link leads into one of the folders that the user names.
    fn is_inside(&self, link: &Path) -> bool {
        link.canonicalize().is_ok_and(|path| self.roots.iter().any(|root| path.starts_with(root)))
    }
}

fn reason(error: walkdir::Error) -> String {
    let text = error.to_string();
    error.into_io_error().map_or(text, |error: io::Error| error.to_string())
}

/// Whether an entry of a folder is looked at. Hidden ones are not, except the folder that the user
/// names.
pub(super) fn is_shown(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// The name of a file in messages and reports, with slashes. Bytes that are not UTF-8 are spelled
/// out as `\xNN`, so that different files have different names.
pub(super) fn name(path: &Path) -> String {
    use std::fmt::Write as _;

    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        let text = chunk.valid();
        // Reports made on one system are read on others.
        name.push_str(&if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() });
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(name, "\\x{byte:02X}");
        }
    }
    name
}

/// Whether a path leads to a regular file, and not to a folder, pipe or device. Links are followed.
pub(super) fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}
