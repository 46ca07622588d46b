//! Checks and compares file paths of any platform, without access to a file system.

pub(crate) use crate::event::path::{is_absolute, is_masked};
use crate::{
    event::path,
    json::Text,
    model::Session,
    protocol::Version,
    rule::{Citation, Finding, SourceText, Verdict},
};

/// Citation: work stays within the directories of its session, on version 1.
pub(crate) const WITHIN_ROOTS: Citation = Citation {
    version: Some(Version::V1),
    source: SourceText::Page("protocol/v1/session-setup#working-directory"),
    requires: "tools work within the session's working directory and additional directories",
};

/// Message about a path that is not absolute. `what` names the path, with the article, such as `the
/// working directory`.
pub(crate) fn not_absolute(what: &str, path: &str) -> String {
    if path.is_empty() {
        format!("{what} is empty, not an absolute path")
    } else {
        format!("{what} `{path}` is not absolute")
    }
}

/// The finding for a path that is not absolute; `None` for an absolute one. It explains the value
/// to rules about the schema.
pub(crate) fn relative(path: Text<'_>, message: impl Fn(&str) -> String) -> Option<Finding> {
    let text = path.as_cow();
    (!is_absolute(&text)).then(|| {
        Finding::new(message(&text))
            .at(path, "not absolute")
            .help(advice(&text))
            .explains(path.node())
            .unless_masked(is_masked(&text))
    })
}

/// Whether a path, as written, is outside of the session's directories and no permission request
/// that names it was allowed. `None` when the directories are unknown.
pub(crate) fn is_outside(path: &str, session: &Session) -> Option<bool> {
    let is_inside = session.roots.as_ref()?.hold(path)?;
    Some(!is_inside && !session.authority.has_allowed(path))
}

/// The verdict on a path that must be within the session's directories; `None` where that is
/// unknown, and in replayed history.
pub(crate) fn outside(
    path: Text<'_>,
    session: &Session,
    message: impl Fn(&str) -> String,
) -> Option<Verdict> {
    let text = path.as_cow();
    if session.is_replaying() {
        return None;
    }
    if !is_outside(&text, session)? {
        return Some(Verdict::Pass);
    }
    let roots = session.roots.as_ref()?;
    let spelled = path::spelled(&text);
    Some(
        Finding::new(message(&spelled))
            .at(path, "not in any of them")
            .at(roots.at, "the directories are set here")
            .help("work in the session's directories, or ask for this path first")
            .once_per((session.first_number, spelled))
            .into(),
    )
}

/// The help text of a finding about a path that is not absolute, by the form of the path.
pub(crate) fn advice(path: &str) -> &'static str {
    if path.starts_with("file:") {
        "write the path itself, not a URI"
    } else if path.starts_with('~') {
        "expand `~` before sending: the reader may have another home directory"
    } else {
        "send the absolute path: join it with the working directory first"
    }
}

/// A path in a normal spelling: `/` as separator, none repeated or at the end, without `.`, and
/// without parts that `..` cancels.
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
    fn spellings_of_one_path_are_equal() {
        assert_eq!(normalised("/a//b/./c/"), "/a/b/c");
        assert_eq!(normalised(r"C:\a\b"), normalised("C:/a/b"));
        assert_eq!(normalised("/a/../b"), "/b");
        assert_eq!(normalised("../../a"), "../../a");
        assert_eq!(normalised("/"), "/");
        assert_ne!(normalised("/a"), normalised("a"));
    }
}
