//! The style sheet of all HTML pages, and the hash by which their security policy admits it.

pub(super) const STYLE: &str = include_str!("templates/page.css");

/// The hash of [`STYLE`], by which the security policy of the pages admits this style and no other.
/// A test compares the two.
pub(super) const STYLE_HASH: &str = "sha256-RUT4Xjie6NKenGhByaqlRfTc0OFLnm2y7oVZvt7WRbY=";

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        let digest = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_HASH, format!("sha256-{digest}"));
    }
}
