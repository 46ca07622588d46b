//! Compares directories by their paths, without access to a file system.

use crate::rules::paths;

/// How similar the paths of two directories are, from different to equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// The paths name different directories.
    Different,
    /// Only the last names are equal. One path may lead through a symbolic link, so that both may
    /// mean the same directory.
    SameName,
    /// The paths differ only in case, or in how they write letters such as `é`. Some file systems ignore
    /// that.
    SameButCase,
    /// The paths are equal in their normal spelling.
    Same,
}

/// Compares two paths of any operating system, by their texts alone.
pub(super) fn compare(one: &str, other: &str) -> Likeness {
    let (one, other) = (folded(one), folded(other));
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    if one == other {
        Likeness::Same
    } else if one.to_lowercase() == other.to_lowercase() || is_same_but_letters(&one, &other) {
        Likeness::SameButCase
    } else if name(&one) == name(&other) {
        Likeness::SameName
    } else {
        Likeness::Different
    }
}

/// Whether the paths differ only in names that both write with letters beyond ASCII, which may be two
/// spellings of one name.
fn is_same_but_letters(one: &str, other: &str) -> bool {
    let is_alike =
        |(one, other): (&str, &str)| one == other || !one.is_ascii() && !other.is_ascii();
    one.split('/').count() == other.split('/').count()
        && one.split('/').zip(other.split('/')).all(is_alike)
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
        assert_eq!(compare("/a/B", "/a/b"), Likeness::SameButCase);
        assert_eq!(compare("/private/tmp", "/tmp"), Likeness::SameName);
        assert_eq!(compare("/a", "/b"), Likeness::Different);
    }
}
