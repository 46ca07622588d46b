//! File paths of any platform, without access to a file system.

use std::borrow::Cow;

/// Whether a path begins at a root: `/`, a drive or a network share.
pub fn is_absolute(path: &str) -> bool {
    PathFamily::of(path).is_some()
}

/// Whether a path, or a URI of a file, begins with a placeholder such as `<HOME>`, so that the
/// original is unknown. Rules pass this to [`Finding::unless_masked`](crate::rule::Finding::unless_masked).
pub fn is_masked(path: &str) -> bool {
    let path = path.strip_prefix("file:").map_or(path, |path| path.trim_start_matches('/'));
    path.split(['/', '\\']).next().is_some_and(is_placeholder)
}

/// Whether the first part of a path is a placeholder for a directory: a name in brackets, a shell
/// variable, or a word such as `REDACTED`.
fn is_placeholder(part: &str) -> bool {
    /// The brackets around the names of placeholders.
    const AROUND: [(&str, &str); 6] =
        [("[", "]"), ("{{", "}}"), ("{", "}"), ("${", "}"), ("%", "%"), ("__", "__")];
    let within = |(before, after): (&str, &str)| {
        part.strip_prefix(before).and_then(|rest| rest.strip_suffix(after))
    };
    // Directories have no names in angle brackets.
    let is_angled = within(("<", ">")).is_some_and(|name| !name.trim().is_empty());
    let is_variable = |name: &str| !name.starts_with(|first: char| first.is_ascii_digit());
    is_angled
        || AROUND.into_iter().filter_map(within).any(is_mask)
        || part.strip_prefix('$').is_some_and(|name| is_variable(name) && is_mask(name))
        || matches!(part, "REDACTED" | "redacted" | "MASKED" | "masked" | "***" | "…")
}

/// Whether a name in brackets is that of a placeholder: in capitals, or ending in a word such as
/// `home`. Names of real directories, such as `[id]` and `__tests__`, are not.
fn is_mask(name: &str) -> bool {
    const MEANT: [&str; 9] =
        ["home", "cwd", "pwd", "dir", "directory", "workspace", "folder", "redacted", "masked"];
    let has_letter = name.contains(|letter: char| letter.is_alphabetic());
    let is_upper = !name.contains(|letter: char| letter.is_lowercase());
    has_letter && (is_upper || MEANT.iter().any(|end| name.to_lowercase().trim().ends_with(end)))
}

/// The kind of file system that an absolute path belongs to, by its form: POSIX or Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathFamily {
    Posix,
    Windows,
}

impl PathFamily {
    /// The kind of file system of an absolute path, by how the path begins; `None` for relative
    /// paths and placeholders.
    pub fn of(path: &str) -> Option<Self> {
        match path.as_bytes() {
            [b'\\', b'\\', ..] => Some(Self::Windows),
            [b'/', ..] => Some(Self::Posix),
            [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => Some(Self::Windows),
            _ => None,
        }
    }
}

/// A path in its normal spelling, by its text alone: without repeated or final separators, `.`, or
/// parts that a `..` cancels (`..` above a root is the root). Windows paths get `/` and lose the
/// prefix `\\?\`.
pub fn spelled(path: &str) -> String {
    let share = |head: &str| head.eq_ignore_ascii_case(r"UNC\");
    let (path, is_windows): (Cow<'_, str>, bool) = match path.strip_prefix(r"\\?\") {
        Some(rest) if rest.get(..4).is_some_and(share) => {
            (format!("//{}", rest[4..].replace('\\', "/")).into(), true)
        }
        Some(rest) => (rest.replace('\\', "/").into(), true),
        None if PathFamily::of(path) == Some(PathFamily::Windows) => {
            (path.replace('\\', "/").into(), true)
        }
        None => (path.into(), false),
    };
    let root = match path.as_bytes() {
        [b'/', b'/', ..] if is_windows => "//",
        [b'/', ..] => "/",
        [_, b':', b'/', ..] if is_windows => &path[..3],
        _ => "",
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path[root.len()..].split('/').filter(|part| !part.is_empty() && *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." => _ = parts.pop(),
            None if part == ".." && !root.is_empty() => {}
            _ => parts.push(part),
        }
    }
    [root, &parts.join("/")].concat()
}

/// A key that is equal for paths which name the same file: the path as `spelled`, in lower case on
/// Windows, and without the `/private` that macOS puts before some directories.
pub fn key(path: &str) -> String {
    let mut spelled = spelled(path);
    if PathFamily::of(&spelled) == Some(PathFamily::Windows) || spelled.starts_with("//") {
        spelled.make_ascii_lowercase();
    }
    let own = |rest: &str| {
        ["/var", "/tmp", "/etc"].iter().any(|directory| {
            rest.strip_prefix(directory).is_some_and(|end| end.is_empty() || end.starts_with('/'))
        })
    };
    match spelled.strip_prefix("/private") {
        Some(rest) if own(rest) => rest.to_owned(),
        _ => spelled,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_make_paths_absolute() {
        for path in ["/", "/a", "//a", r"C:\a", "c:/a", r"\\host\share"] {
            assert!(is_absolute(path), "{path}");
        }
        for path in
            ["", "a", "./a", "~/a", "C:a", "C:", r"\a", "file:///a", "1:/a", "<a", "<>/a", "<a/b>"]
        {
            assert!(!is_absolute(path), "{path}");
        }
    }

    #[test]
    fn placeholders_stand_for_roots() {
        for path in [
            "<HOME>/a",
            "<work dir>",
            "[HOME]/a",
            "{HOME}/a",
            "{{cwd}}",
            "$HOME/a",
            "${HOME}/a",
            r"%USERPROFILE%\a",
            "__HOME__/a",
            "${workspaceFolder}/a",
            "[home]/a",
            "REDACTED/a",
            "…/a",
        ] {
            assert!(is_masked(path) && !is_absolute(path), "{path}");
        }
        for path in ["[id]/a", "__tests__/a", "{{name}}/a", "$lib/a", "[...all]/a"] {
            assert!(!is_masked(path), "{path}");
        }
        for path in ["[]/a", "{a/b}", "$/a", "$1", "%a/b%", "____/a", "REDACTEDLY", "...", "__a/b"]
        {
            assert!(!is_masked(path), "{path}");
        }
    }

    #[test]
    fn one_file_has_one_key() {
        for (one, other) in [
            ("/a//b/./c/", "/a/b/c"),
            ("/a/../b", "/b"),
            ("/../a", "/a"),
            (r"C:\Work\..\a", "c:/a"),
            (r"\\?\C:\a", "c:/A"),
            (r"\\?\UNC\host\share\a", r"\\host\share\a"),
            ("/private/tmp/a", "/tmp/a"),
        ] {
            assert_eq!(key(one), key(other), "{one} {other}");
        }
        for (one, other) in [
            ("/a/b", "/A/b"),
            ("/private/a", "/a"),
            ("/private/tmpfs", "/tmpfs"),
            (r"/a\b", "/a/b"),
            ("../a", "a"),
            ("a", "/a"),
        ] {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
        assert_eq!(spelled("../../a/.."), "../..");
        assert_eq!(spelled("/"), "/");
        assert_eq!(spelled(r"C:\Harbour\Docs\..\pier.toml"), "C:/Harbour/pier.toml");
    }
}
