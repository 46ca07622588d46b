//! Whether a path is absolute, on whichever platform it was written.

/// Whether the path begins at a root: `/`, a drive, or a network share; or with a placeholder, such as
/// `<HOME>`, which whoever published the recording has put in place of one.
pub(crate) fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] | [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => true,
        _ => path.split(['/', '\\']).next().is_some_and(is_placeholder),
    }
}

/// Whether the first part of a path stands for a directory that is not shown: a name in brackets, a
/// variable of a shell, a word that says that something is left out.
fn is_placeholder(part: &str) -> bool {
    /// What stands around names.
    const AROUND: [(&str, &str); 7] =
        [("<", ">"), ("[", "]"), ("{{", "}}"), ("{", "}"), ("${", "}"), ("%", "%"), ("__", "__")];
    let is_named = |(before, after): (&str, &str)| {
        let name = part.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        name.is_some_and(|name| !name.trim().is_empty())
    };
    let variable = part.strip_prefix('$').and_then(|name| name.chars().next());
    AROUND.into_iter().any(is_named)
        || variable.is_some_and(|letter| letter.is_ascii_alphabetic() || letter == '_')
        || matches!(part, "REDACTED" | "redacted" | "MASKED" | "masked" | "***" | "…")
}

/// What to do about a path that is not.
pub(crate) fn advice(path: &str) -> &'static str {
    if path.starts_with("file:") {
        "write the path itself, not a URI"
    } else if path.starts_with('~') {
        "expand `~` before sending: the reader may have another home"
    } else {
        "join it with the working directory before sending: the reader resolves nothing"
    }
}

/// A path without what does not change its meaning: repeated and trailing separators, `.` parts,
/// parts that a `..` takes back, the kind of separator.
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
            "REDACTED/a",
            "…/a",
        ] {
            assert!(is_absolute(path), "{path}");
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
