//! Compares directories by their paths, without access to a file system.

use crate::{model::letters, rules::paths};

/// How similar the paths of two directories are, from different to equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The paths name different directories.
    Different,
    /// Only the last names are equal. One path may lead through a symbolic link, so that both may
    /// mean the same directory.
    SameName,
    /// The paths differ only in case or accents, which some file systems ignore or write otherwise.
    SameButSpelling,
    /// The paths are equal in their normal spelling.
    Same,
}

/// Compares two paths of any operating system, by their texts alone.
pub(super) fn compare(one: &str, other: &str) -> Likeness {
    let (one, other) = (folded(one), folded(other));
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    if one == other {
        Likeness::Same
    } else if letters::plain(one.chars()).eq(letters::plain(other.chars())) {
        Likeness::SameButSpelling
    } else if name(&one) == name(&other) {
        Likeness::SameName
    } else {
        Likeness::Different
    }
}

/// A path without `..` to compare it; in lower case if it has a drive letter.
fn folded(path: &str) -> String {
    let path = paths::normalised(path);
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let path = if is_drive { path.to_lowercase() } else { path };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            ".." if parts.len() > 1 => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_directory_are_the_same() {
        for (one, other) in
            [("/a", "/a/"), ("/a/b/..", "/a"), (r"C:\a", "c:/A"), ("/a/./b", "/a//b")]
        {
            assert_eq!(compare(one, other), Likeness::Same, "{one} {other}");
        }
        assert_eq!(compare("/a/B", "/a/b"), Likeness::SameButSpelling);
        assert_eq!(compare("/caf\u{e9}", "/cafe\u{301}"), Likeness::SameButSpelling);
        assert_eq!(compare("/private/tmp", "/tmp"), Likeness::SameName);
        assert_eq!(compare("/a", "/b"), Likeness::Different);
    }
}
