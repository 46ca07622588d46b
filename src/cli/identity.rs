//! What a file is, whatever it is called: by links, hard links, and other spellings of its path.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A file or folder, which is the same by all its names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Identity {
    /// Device and number of its node.
    #[cfg(unix)]
    Node(u64, u64),
    Path(PathBuf),
}

impl Identity {
    /// What a path leads to. Returns `None` where nothing can be seen there.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Self::told(path, &path.metadata().ok()?)
    }

    /// What a path leads to, or the place where it would be.
    pub(super) fn of_future(path: &Path) -> Self {
        Self::of(path).unwrap_or_else(|| Self::Path(place(path)))
    }

    /// `metadata`: that of what the path leads to.
    #[cfg(unix)]
    pub(super) fn told(_: &Path, metadata: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::Node(metadata.dev(), metadata.ino()))
    }

    /// `metadata`: that of what the path leads to.
    #[cfg(not(unix))]
    pub(super) fn told(path: &Path, _: &fs::Metadata) -> Option<Self> {
        path.canonicalize().ok().map(Self::Path)
    }
}

/// The absolute path of a file that may not exist yet, with all symbolic links of its folder resolved.
fn place(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = whole.ancestors().find_map(|ancestor| {
        Some((ancestor.canonicalize().ok()?, whole.strip_prefix(ancestor).ok()?))
    });
    known.map_or(whole.clone(), |(folder, rest)| folder.join(rest))
}

/// What a link leads to at its end, also where nothing is there; any other path as it is. Fails where
/// links go in circles.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    /// As many as systems follow.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(next);
    }
    Err(io::Error::other("links go in circles"))
}
