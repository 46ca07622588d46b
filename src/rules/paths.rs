//! Checks and compares file paths of any platform, without access to a file system.

use crate::{json::Text, rule::Finding};

/// Returns true when the path begins at a root: `/`, a drive or a network share. Also for a path
/// that begins with a placeholder such as `<HOME>`, which replaces a root in a published recording.
pub(crate) fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] | [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => true,
        _ => path.split(['/', '\\']).next().is_some_and(is_placeholder),
    }
}

/// Returns true when a path, or a URI of a file, begins with a placeholder, so that the original is
/// unknown.
pub(crate) fn is_masked(path: &str) -> bool {
    let path = path.strip_prefix("file:").map_or(path, |path| path.trim_start_matches('/'));
    path.split(['/', '\\']).next().is_some_and(is_placeholder)
}

/// Returns true when the first part of a path is a placeholder for a directory: a name in brackets,
/// a shell variable, or a word such as `REDACTED`.
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

/// Returns true when a name in brackets is that of a placeholder: in capitals, or ending in a word
/// such as `home`. Names of real directories, such as `[id]` and `__tests__`, are not.
fn is_mask(name: &str) -> bool {
    const MEANT: [&str; 9] =
        ["home", "cwd", "pwd", "dir", "directory", "workspace", "folder", "redacted", "masked"];
    let has_letter = name.contains(|letter: char| letter.is_alphabetic());
    let is_upper = !name.contains(|letter: char| letter.is_lowercase());
    has_letter && (is_upper || MEANT.iter().any(|end| name.to_lowercase().trim().ends_with(end)))
}

/// The message about a path that is not absolute. `what` is its name with the article, such as `the
/// working directory`.
pub(crate) fn not_absolute(what: &str, path: &str) -> String {
    if path.is_empty() {
        format!("{what} is empty, not an absolute path")
    } else {
        format!("{what} `{path}` is not absolute")
    }
}

/// The finding for a path that is not absolute; `None` for an absolute one. It explains the path.
pub(crate) fn relative(path: Text<'_>, message: impl Fn(&str) -> String) -> Option<Finding> {
    let text = path.as_cow();
    (!is_absolute(&text)).then(|| {
        Finding::new(message(&text))
            .at(path, "not absolute")
            .help(advice(&text))
            .explains(path.node())
    })
}

/// The help text for a path that is not absolute.
pub(crate) fn advice(path: &str) -> &'static str {
    if path.starts_with("file:") {
        "write the path itself, not a URI"
    } else if path.starts_with('~') {
        "expand `~` before sending: the reader may have another home directory"
    } else {
        "send the absolute path: join it with the working directory first"
    }
}

/// Returns the path in one spelling: `/` as the only separator, none repeated or at the end, no
/// `.`, and no part that a following `..` cancels.
pub(crate) fn normalised(path: &str) -> String {
    let mut normalised = String::with_capacity(path.len());
    if path.starts_with(['/', '\\']) {
        normalised.push('/');
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    for part in parts {
        if !normalised.is_empty() && !normalised.ends_with('/') {
            normalised.push('/');
        }
        normalised.push_str(part);
    }
    normalised
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_make_paths_absolute() {
        for path in ["/", "/a", "//a", r"C:\a", "c:/a", r"\\host\share", "<HOME>/a", "<work dir>"] {
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
            assert!(is_absolute(path), "{path}");
        }
        for path in ["[id]/a", "__tests__/a", "{{name}}/a", "$lib/a", "[...all]/a"] {
            assert!(!is_absolute(path), "{path}");
        }
        for path in ["[]/a", "{a/b}", "$/a", "$1", "%a/b%", "____/a", "REDACTEDLY", "...", "__a/b"]
        {
            assert!(!is_absolute(path), "{path}");
        }
    }

    #[test]
    fn spellings_of_one_path_are_equal() {
        assert_eq!(normalised("/a//b/./c/"), "/a/b/c");
        assert_eq!(normalised(r"C:\a\b"), normalised("C:/a/b"));
        assert_eq!(normalised("/a/../b"), "/b");
        assert_eq!(normalised("../../a"), "../../a");
        assert_eq!(normalised("/"), "/");
        assert_ne!(normalised("/a"), normalised("a"));
    }
}
