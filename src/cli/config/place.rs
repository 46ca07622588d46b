//! Patterns of paths, counted from the folder of the file that they stand in.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The folder that patterns count from.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(folder: &Path) -> Self {
        Self(whole(folder))
    }

    /// The path from here, with slashes. What lies elsewhere begins with `..`.
    pub(super) fn relative(&self, path: &Path) -> String {
        let path = whole(path);
        let common = path
            .components()
            .zip(self.0.components())
            .take_while(|(one, other)| one == other)
            .count();
        let up = self.0.components().skip(common).map(|_| "..".into());
        let down = path.components().skip(common);
        let parts = up.chain(down.map(|part| part.as_os_str().to_string_lossy()));
        parts.collect::<Vec<_>>().join("/")
    }
}

/// The path from the root of the file system, without `.` and `..`. Links are not followed: a path
/// means what it says.
fn whole(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut whole = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            component => whole.push(component),
        }
    }
    whole
}

/// A set of paths.
#[derive(Clone, Debug)]
pub(super) struct Patterns(GlobSet);

impl Patterns {
    /// `*` stands for any characters within a folder, `**` for any folders. A pattern without a
    /// slash is a name in any folder, and what names a folder stands for all in it.
    ///
    /// Fails with the index of the first text that is no pattern, and the reason.
    pub(super) fn new<'p>(
        patterns: impl IntoIterator<Item = &'p str>,
    ) -> Result<Self, (usize, String)> {
        let mut set = GlobSetBuilder::new();
        for (index, pattern) in patterns.into_iter().enumerate() {
            let reason = |error: globset::Error| (index, error.kind().to_string());
            let mut add = |pattern: &str| {
                let glob = GlobBuilder::new(pattern).literal_separator(true).build();
                glob.map(|glob| {
                    set.add(glob);
                })
            };
            let path = pattern.strip_prefix("./").unwrap_or(pattern);
            let folder = path.trim_end_matches('/');
            let place = if path.starts_with('/') {
                folder.trim_start_matches('/').to_owned()
            } else if folder.contains('/') {
                folder.to_owned()
            } else {
                format!("**/{folder}")
            };
            if folder.len() == path.len() {
                add(&place).map_err(reason)?;
            }
            add(&format!("{place}/**")).map_err(reason)?;
        }
        set.build().map(Self).map_err(|error| (0, error.kind().to_string()))
    }

    /// `path`: from the folder of the patterns, with slashes.
    pub(super) fn contain(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Patterns::new([pattern]).expect("a pattern").contain(path)
    }

    #[test]
    fn names_match_in_any_folder() {
        for path in ["a.ndjson", "x/a.ndjson", "x/y/a.ndjson", "../x/a.ndjson"] {
            assert!(matches("a.ndjson", path), "{path}");
            assert!(matches("*.ndjson", path), "{path}");
        }
        assert!(!matches("a.ndjson", "b.ndjson") && !matches("*.json", "x/a.ndjson"));
    }

    #[test]
    fn paths_count_from_the_folder() {
        assert!(matches("x/a.ndjson", "x/a.ndjson") && matches("./x/a.ndjson", "x/a.ndjson"));
        assert!(!matches("x/a.ndjson", "y/x/a.ndjson") && matches("**/x/*", "y/x/a.ndjson"));
        assert!(matches("/a.ndjson", "a.ndjson") && !matches("/a.ndjson", "x/a.ndjson"));
        assert!(matches("x/*", "x/a") && matches("x/**", "x/y/a"));
        // One star stays in its folder, but what it stands for may be a folder.
        assert!(matches("x/*", "x/y/a") && !matches("x/*.ndjson", "x/y/a.ndjson"));
    }

    #[test]
    fn folders_stand_for_what_is_in_them() {
        for pattern in ["old", "old/", "/old", "old/**", "**/old/**"] {
            assert!(matches(pattern, "old/x/a.ndjson"), "{pattern}");
        }
        assert!(matches("old", "new/old/a.ndjson") && !matches("/old", "new/old/a.ndjson"));
        assert!(!matches("old/", "old") && !matches("old", "older/a.ndjson"));
    }

    #[test]
    fn what_is_no_pattern_is_told() {
        let (index, reason) = Patterns::new(["a", "[b"]).expect_err("not closed");
        assert_eq!(index, 1);
        assert!(reason.contains("class"), "{reason}");
    }

    #[test]
    fn paths_are_seen_from_the_root() {
        let root = Root::new(Path::new("/work/project"));
        let relative = |path: &str| root.relative(Path::new(path));
        assert_eq!(relative("/work/project/a/b.ndjson"), "a/b.ndjson");
        assert_eq!(relative("/work/project/a/../c/./b.ndjson"), "c/b.ndjson");
        assert_eq!(relative("/work/other/b.ndjson"), "../other/b.ndjson");
        assert_eq!(relative("/work/project2/b.ndjson"), "../project2/b.ndjson");
    }
}
