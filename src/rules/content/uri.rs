//! Checks that a text is a URI of RFC 3986, which has a scheme.

use fluent_uri::Uri;

/// The reason why a text is not a URI, for the finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The text has no scheme: it is a path or a relative reference.
    Relative,
    /// The scheme is a single letter, so that the text is a Windows path with a drive.
    Drive,
    /// The character at this byte offset is not allowed in URIs.
    Character(usize),
}

/// Checks that a text is an absolute URI by its syntax. Fails with the reason otherwise.
pub(crate) fn check(text: &str) -> Result<(), Fault> {
    match scheme(text) {
        None => Err(Fault::Relative),
        Some(scheme) if scheme.len() == 1 => Err(Fault::Drive),
        Some(_) => Uri::parse(text).map(drop).map_err(|error| Fault::Character(error.index())),
    }
}

/// Scheme of a URI, before the first colon; `None` when the text has none.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let begins = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins && scheme.bytes().all(is_part)).then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_have_a_scheme_and_few_characters() {
        for good in
            ["file:///a/b%20c", "urn:tray:7", "zed:///agent?x=1#y", "data:,x", "https://[::1]/"]
        {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check("/a/b"), Err(Fault::Relative));
        assert_eq!(check("notes/a:b"), Err(Fault::Relative));
        assert_eq!(check(""), Err(Fault::Relative));
        assert_eq!(check(r"C:\a"), Err(Fault::Drive));
        assert_eq!(check("file:///a b"), Err(Fault::Character(9)));
        assert_eq!(check("file:///é"), Err(Fault::Character(8)));
    }
}
