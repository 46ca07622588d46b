//! The working directory and the additional directories that a request names.

use crate::{
    event::{
        Call,
        path::{self, PathFamily},
    },
    json::{Node, Text},
    model::anchor::Anchor,
    source::narrow,
};

/// The comparison keys of directories, sorted, without those that lie in another one. Kept in one
/// string, since a message may have a hundred thousand.
#[derive(Clone, Debug, Default)]
struct Directories {
    joined: String,
    /// For each directory, the byte range of its comparison key in `joined`; sorted by key.
    ranges: Vec<(u32, u32)>,
}

/// The directories of a session, `cwd` and `additionalDirectories`. Rules ask whether a path lies
/// in one.
#[derive(Clone, Debug)]
pub struct Roots {
    /// Place of the `cwd` in the request that names the directories, so that a finding can point at
    /// it.
    pub at: Anchor,
    directories: Directories,
    /// The directories in lower case, to notice paths that differ in case only.
    folded: Directories,
    /// Whether one of the directories is relative or a placeholder, so that it is unknown what lies
    /// in it.
    is_partial: bool,
    /// Whether any of the directories is a POSIX path, such as `/srv`.
    has_posix: bool,
    has_windows: bool,
}

impl Roots {
    /// The directories that a request names; `None` without a `cwd`.
    pub(in crate::model) fn of(call: &Call<'_>) -> Option<Self> {
        let cwd = call.param("cwd")?;
        let additional = call.param("additionalDirectories");
        let additional = additional.into_iter().flat_map(Node::elements).filter_map(Node::text);
        let directories = cwd.text().into_iter().chain(additional).map(Text::as_cow);
        let directories: Vec<_> = directories.collect();
        let has = |family| directories.iter().any(|path| PathFamily::of(path) == Some(family));
        Some(Self {
            at: Anchor::of(cwd, &"/params/cwd"),
            folded: Directories::of(directories.iter().map(|path| path.to_lowercase())),
            is_partial: directories.iter().any(|path| PathFamily::of(path).is_none()),
            has_posix: has(PathFamily::Posix),
            has_windows: has(PathFamily::Windows),
            directories: Directories::of(directories.iter()),
        })
    }

    /// Whether a path is one of the directories or lies in one, as its text shows. The path must be
    /// absolute.
    pub fn contain(&self, path: &str) -> bool {
        self.directories.contain(path)
    }

    /// Whether a path lies in one of the directories, as its text shows. `None` when that is
    /// unknown: a path is relative or masked, they are of different systems, or differ just in
    /// case.
    pub fn hold(&self, path: &str) -> Option<bool> {
        let has_alike = match PathFamily::of(path)? {
            PathFamily::Posix => self.has_posix,
            PathFamily::Windows => self.has_windows,
        };
        if self.contain(path) {
            return Some(true);
        }
        let is_unsure = self.is_partial || !has_alike || self.folded.contain(&path.to_lowercase());
        (!is_unsure).then_some(false)
    }
}

impl Directories {
    fn of<P: AsRef<str>>(paths: impl Iterator<Item = P>) -> Self {
        let (mut joined, mut ranges) = (String::new(), Vec::new());
        for path in paths {
            let start = narrow(joined.len());
            joined.push_str(&key(path.as_ref()));
            ranges.push((start, narrow(joined.len())));
        }
        let text = |range: &(u32, u32)| &joined[range.0 as usize..range.1 as usize];
        ranges.sort_unstable_by(|one, other| text(one).cmp(text(other)));
        ranges.dedup_by(|inner, outer| text(inner).starts_with(text(outer)));
        Self { joined, ranges }
    }

    fn text(&self, (start, end): (u32, u32)) -> &str {
        &self.joined[start as usize..end as usize]
    }

    /// Whether a path is one of the directories or lies in one. Takes a binary search.
    fn contain(&self, path: &str) -> bool {
        let path = key(path);
        // What stands between a directory and a path in it is in the directory, too.
        let behind = self.ranges.partition_point(|range| *self.text(*range) <= *path);
        let before = behind.checked_sub(1).map(|last| self.text(self.ranges[last]));
        before.is_some_and(|directory| path.starts_with(directory))
    }
}

/// The form of a path for comparing: the key by `path::key`, with a `/` at its end. A path lies in
/// a directory exactly when its form begins with the directory's form.
fn key(path: &str) -> String {
    let mut key = path::key(path);
    if !key.ends_with('/') {
        key.push('/');
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(path: &str, directories: &[&str]) -> bool {
        Directories::of(directories.iter()).contain(path)
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
