//! Whether a path is absolute, on whichever platform it was written.

/// Whether the path begins at a root: `/`, a drive, or a network share; or with a name in angle
/// brackets, such as `<HOME>`, which whoever published the recording has put in place of one.
pub(crate) fn is_absolute(path: &str) -> bool {
    match path.as_bytes() {
        [b'/', ..] | [b'\\', b'\\', ..] => true,
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        [b'<', name @ ..] => {
            let end = name.iter().position(|byte| matches!(byte, b'>' | b'/' | b'\\'));
            end.is_some_and(|end| end > 0 && name[end] == b'>')
        }
        _ => false,
    }
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
    fn spellings_of_one_path_are_equal() {
        assert_eq!(normalised("/a//b/./c/"), "/a/b/c");
        assert_eq!(normalised(r"C:\a\b"), normalised("C:/a/b"));
        assert_eq!(normalised("/a/../b"), "/b");
        assert_eq!(normalised("../../a"), "../../a");
        assert_eq!(normalised("/"), "/");
        assert_ne!(normalised("/a"), normalised("a"));
    }
}
