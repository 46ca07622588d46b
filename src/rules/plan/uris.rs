//! Reads and compares the URIs of plans that are files.

use fluent_uri::{Uri, UriRef};

use crate::{
    json::{Node, Text},
    model::{PlanUpdated, session::plans::PlanBody},
};

/// The `uri` of a plan of type `file`; `None` for other plans.
pub(super) fn of<'t>(updated: &PlanUpdated<'t>) -> Option<Text<'t>> {
    match updated.snapshot.form {
        PlanBody::File(uri) => uri.and_then(Node::text),
        PlanBody::Items(_) | PlanBody::Markdown(_) | PlanBody::Other(_) => None,
    }
}

/// Parses an absolute URI. Fails with a note that says what is wrong.
pub(super) fn absolute(text: &str) -> Result<Uri<&str>, &'static str> {
    if drive_of(text).is_some() {
        return Err("a Windows path, not a URI: `file:///` is missing");
    }
    let Ok(uri) = UriRef::parse(text) else {
        return Err("some characters must be percent-encoded, such as spaces");
    };
    let Ok(uri) = Uri::try_from(uri) else { return Err("no scheme, so it is relative") };
    if is_file(&uri) && !uri.has_authority() && !uri.path().is_absolute() {
        return Err("the path after `file:` is relative");
    }
    Ok(uri)
}

/// Whether a URI has the scheme `file`, and so names a file of the machine.
pub(super) fn is_file(uri: &Uri<&str>) -> bool {
    uri.scheme().as_str().eq_ignore_ascii_case("file")
}

/// Host of a URI; `None` where it has none, and for `localhost`.
pub(super) fn host<'u>(uri: &Uri<&'u str>) -> Option<&'u str> {
    let host = uri.authority()?.host();
    (!host.is_empty() && !host.eq_ignore_ascii_case("localhost")).then_some(host)
}

/// Path of a `file` URI on the local machine: without `.` and `..`, with `/` as separator, and
/// without the first `/` before a drive letter. `None` for another scheme or host.
pub(super) fn path(uri: &Uri<&str>) -> Option<String> {
    if !is_file(uri) || host(uri).is_some() {
        return None;
    }
    let uri = uri.normalize();
    let path = uri.path().decode().to_string().ok()?;
    let is_windows = path.strip_prefix('/').and_then(drive_of).is_some();
    Some(if is_windows { path[1..].to_owned() } else { path.into_owned() })
}

/// Drive letter of a Windows path; `None` for other paths.
fn drive_of(text: &str) -> Option<u8> {
    match text.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => Some(*letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_uris_are_told_from_other_texts() {
        let is_absolute = |text| absolute(text).is_ok();
        for text in [
            "file:///work/plan.md",
            "FILE:/work/plan.md",
            "file://server/plan.md",
            "file:///C:/work/plan.md",
            "file:///work/my%20plan.md",
            "https://example.com/plan",
            "memo:plan",
        ] {
            assert!(is_absolute(text), "{text}");
        }
        for text in [
            "",
            "plan.md",
            "/work/plan.md",
            "C:\\work\\plan.md",
            "c:/work/plan.md",
            "file:plan.md",
            "file:",
            "file:///work/my plan.md",
            "//server/plan.md",
            "file:///work/plän.md",
        ] {
            assert!(!is_absolute(text), "{text}");
        }
    }

    #[test]
    fn paths_are_those_of_local_files() {
        let path = |text| path(&absolute(text).unwrap()).unwrap();
        assert_eq!(path("file:///srv/a/../my%20plan.md"), "/srv/my plan.md");
        assert_eq!(path("file://localhost/C:/Work/plan.md"), "C:/Work/plan.md");
    }
}
