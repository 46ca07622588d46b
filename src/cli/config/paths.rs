//! Patterns of paths, and paths relative to the folder that the patterns start from.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The folder from which the patterns of paths in the configuration start.
#[derive(Clone, Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(folder: &Path) -> Self {
        Self(normalized(folder))
    }

    /// The path relative to the root, with slashes, for [`Patterns::contains`]. A path outside of
    /// the root begins with `..`.
    pub(super) fn relative(&self, path: &Path) -> String {
        let path = normalized(path);
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

/// The absolute path without `.` and `..`. Symbolic links are not followed.
fn normalized(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normalized = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            component => normalized.push(component),
        }
    }
    normalized
}

/// The glob patterns of one `paths` entry of the configuration.
#[derive(Clone, Debug)]
pub(super) struct Patterns(GlobSet);

impl Patterns {
    /// Compiles glob patterns. `*` matches any characters within a folder, `**` any folders. A
    /// pattern without a slash matches a name in any folder; one that matches a folder matches all
    /// files in it. Fails with the index of the first invalid pattern and the reason.
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
            let anchored = if path.starts_with('/') {
                folder.trim_start_matches('/').to_owned()
            } else if folder.contains('/') {
                folder.to_owned()
            } else {
                format!("**/{folder}")
            };
            if folder.len() == path.len() {
                add(&anchored).map_err(reason)?;
            }
            add(&format!("{anchored}/**")).map_err(reason)?;
        }
        set.build().map(Self).map_err(|error| (0, error.kind().to_string()))
    }

    /// Whether a pattern matches `path`, which is relative to the root and has slashes.
    pub(super) fn contains(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        Patterns::new([pattern]).expect("a pattern").contains(path)
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
    fn patterns_with_a_slash_start_from_the_root() {
        assert!(matches("x/a.ndjson", "x/a.ndjson") && matches("./x/a.ndjson", "x/a.ndjson"));
        assert!(!matches("x/a.ndjson", "y/x/a.ndjson") && matches("**/x/*", "y/x/a.ndjson"));
        assert!(matches("/a.ndjson", "a.ndjson") && !matches("/a.ndjson", "x/a.ndjson"));
        assert!(matches("x/*", "x/a") && matches("x/**", "x/y/a"));
        // A star matches no slash, but what it matches may be a folder.
        assert!(matches("x/*", "x/y/a") && !matches("x/*.ndjson", "x/y/a.ndjson"));
    }

    #[test]
    fn a_pattern_of_a_folder_matches_all_in_it() {
        for pattern in ["old", "old/", "/old", "old/**", "**/old/**"] {
            assert!(matches(pattern, "old/x/a.ndjson"), "{pattern}");
        }
        assert!(matches("old", "new/old/a.ndjson") && !matches("/old", "new/old/a.ndjson"));
        assert!(!matches("old/", "old") && !matches("old", "older/a.ndjson"));
    }

    #[test]
    fn an_invalid_pattern_is_named() {
        let (index, reason) = Patterns::new(["a", "[b"]).expect_err("not closed");
        assert_eq!(index, 1);
        assert!(reason.contains("class"), "{reason}");
    }

    #[test]
    fn paths_are_relative_to_the_root() {
        let root = Root::new(Path::new("/work/project"));
        let relative = |path: &str| root.relative(Path::new(path));
        assert_eq!(relative("/work/project/a/b.ndjson"), "a/b.ndjson");
        assert_eq!(relative("/work/project/a/../c/./b.ndjson"), "c/b.ndjson");
        assert_eq!(relative("/work/other/b.ndjson"), "../other/b.ndjson");
        assert_eq!(relative("/work/project2/b.ndjson"), "../project2/b.ndjson");
    }
}
