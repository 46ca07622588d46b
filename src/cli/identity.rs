//! What a file is, whatever it is called: by links, hard links, and other spellings of its path.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// What identifies a file or folder, so that all its names and links compare as equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// Device and inode number, by which a file is the same under several paths.
    #[cfg(unix)]
    Node(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// The identity of what a path leads to; `None` when that does not exist or cannot be looked
    /// at.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Self::told(path, &path.metadata().ok()?)
    }

    /// The identity of what a path leads to, or of the place where a new file would be made.
    pub(super) fn of_future(path: &Path) -> Self {
        Self::of(path).unwrap_or_else(|| Self::Path(place(path)))
    }

    /// The identity of a file by the metadata of what the path leads to. Needs no access to the
    /// file system.
    #[cfg(unix)]
    pub(super) fn told(_: &Path, metadata: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::Node(metadata.dev(), metadata.ino()))
    }

    /// The identity of the file at a path: its path without links, looked up in the file system.
    /// `None` when the file does not exist.
    #[cfg(not(unix))]
    pub(super) fn told(path: &Path, _: &fs::Metadata) -> Option<Self> {
        path.canonicalize().ok().map(Self::Path)
    }
}

/// The absolute path of a file that may not exist yet. Symbolic links in the existing part of the
/// path are resolved.
fn place(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|ancestor| {
        Some((ancestor.canonicalize().ok()?, whole.strip_prefix(ancestor).ok()?))
    });
    known.map_or(whole.clone(), |(folder, rest)| folder.join(rest))
}

/// Follows symbolic links to their end, even when nothing is there. Other paths stay as they are.
/// Fails when links go in circles.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    /// Most symbolic links of a path that are followed, as on most systems. A longer chain counts
    /// as a loop.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("links go in circles"))
}
