//! The working directory and the additional directories that a request names.

use std::borrow::Cow;

use crate::{
    event::Call,
    json::{Node, Text},
    model::anchor::{Anchor, Pointer},
};

/// The directories of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The `cwd` that names the first one.
    pub at: Anchor,
    /// The directories as [`key`] writes them, sorted, without those that are in another one.
    directories: Vec<Box<str>>,
}

impl Roots {
    /// The directories that a request names; `None` without a working directory.
    pub(in crate::model) fn of(call: &Call<'_>) -> Option<Self> {
        let cwd = call.param("cwd")?;
        let additional = call.param("additionalDirectories");
        let additional = additional.into_iter().flat_map(Node::elements).filter_map(Node::text);
        let directories = cwd.text().into_iter().chain(additional).map(Text::as_cow);
        let directories = outermost(directories.map(|directory| key(&directory)).collect());
        Some(Self { at: Anchor::of(cwd, Pointer::ParamsCwd), directories })
    }

    /// Whether a normalised absolute path is in one of the directories, or is one. Windows paths are
    /// compared without regard to case.
    pub fn contain(&self, path: &str) -> bool {
        is_within(&self.directories, path)
    }
}

/// Sorts directories, and drops those that are in another one.
fn outermost(mut directories: Vec<Box<str>>) -> Vec<Box<str>> {
    directories.sort_unstable();
    directories.dedup_by(|inner, outer| inner.starts_with(&**outer));
    directories
}

/// Whether a path is in one of the directories that [`outermost`] returned.
fn is_within(directories: &[Box<str>], path: &str) -> bool {
    let path = key(path);
    // What stands between a directory and a path in it is in the directory, too.
    let behind = directories.partition_point(|directory| **directory <= *path);
    let before = behind.checked_sub(1).map(|last| &*directories[last]);
    before.is_some_and(|directory| path.starts_with(directory))
}

/// A path with a slash at its end; a Windows path with slashes and in lower case. A path is in a
/// directory when its key begins with that of the directory.
fn key(path: &str) -> Box<str> {
    let is_windows = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let path: Cow<'_, str> =
        if is_windows { path.replace('\\', "/").to_ascii_lowercase().into() } else { path.into() };
    [path.trim_end_matches('/'), "/"].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(path: &str, directories: &[&str]) -> bool {
        is_within(&outermost(directories.iter().map(|it| key(it)).collect()), path)
    }

    #[test]
    fn a_path_is_in_a_directory_or_not() {
        assert!(is_in("/srv/plan.md", &["/srv"]) && is_in("/srv/plan.md", &["/srv/"]));
        assert!(is_in("/srv/plan.md", &["/"]) && is_in("/srv", &["/srv"]));
        assert!(!is_in("/srv2/plan.md", &["/srv"]) && !is_in("/etc/plan.md", &["/srv"]));
        assert!(is_in("C:/Work/plan.md", &["c:\\work"]));
        assert!(!is_in("/Work/plan.md", &["/work"]) && !is_in("/srv/plan.md", &[]));
    }

    #[test]
    fn one_of_many_directories_is_found() {
        let many = ["/a", "/a-b", "/a/b", "/a/b/c", "/a.d/e", "/b/c", "/b", "/a/b-c", "/z/y/"];
        for path in
            ["/a/x", "/a-b/x", "/a/b/x", "/a.d/e/f", "/a.d/f", "/b-c", "/z/y", "/z", "/b/c/d"]
        {
            let alone = many.iter().any(|directory| is_in(path, &[directory]));
            assert_eq!(is_in(path, &many), alone, "{path}");
        }
    }
}
