//! The report as one page: no scripts, nothing from outside, everything escaped by the template.

use std::io::{self, Write};

use askama::Template;

use super::{
    Compliance,
    verdict::Status,
    view::{Page, SubjectRow},
};

const STYLE: &str = include_str!("../../../templates/compliance.css");

/// All that the page's security policy admits; a test keeps it in step with the style.
const STYLE_HASH: &str = "sha256-P+u7d/r+AsvGRDhJdWQ9LfjYY3MuM7pRPqiT9jvP2vI=";

#[derive(Template)]
#[template(path = "compliance.html")]
struct Html<'c> {
    page: Page<'c>,
    statuses: [Status; 6],
    style: &'static str,
    style_hash: &'static str,
}

pub(super) fn write(compliance: &Compliance, out: &mut dyn Write) -> io::Result<()> {
    let page = Html {
        page: Page::of(compliance),
        statuses: SubjectRow::STATUSES,
        style: STYLE,
        style_hash: STYLE_HASH,
    };
    page.write_into(out)
}

/// A text whose passages between backticks are code.
#[derive(Template)]
#[template(
    ext = "html",
    source = "{% for (is_code, passage) in self.passages() %}{% if is_code %}<code>{{ passage }}\
              </code>{% else %}{{ passage }}{% endif %}{% endfor %}"
)]
struct Prose<'t> {
    text: &'t str,
}

impl Prose<'_> {
    fn passages(&self) -> impl Iterator<Item = (bool, &str)> {
        super::words::passages(self.text)
    }
}

#[expect(
    unreachable_pub,
    clippy::inline_always,
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    reason = "the macro makes of them what it needs"
)]
mod filters {
    use askama::{Result, Template, Values, filters::Safe};

    use super::{super::words, Prose};
    use crate::rule::Rule;

    /// Passages between backticks are code; all is escaped.
    #[askama::filter_fn]
    pub(super) fn prose(text: impl std::fmt::Display, _: &dyn Values) -> Result<Safe<String>> {
        Prose { text: &text.to_string() }.render().map(Safe)
    }

    /// With a capital letter at its beginning.
    #[askama::filter_fn]
    pub(super) fn sentence(text: impl std::fmt::Display, _: &dyn Values) -> Result<String> {
        Ok(words::capitalized(&text.to_string()))
    }

    /// A path or another text that is not ours, on one line and in the order of its letters.
    #[askama::filter_fn]
    pub(super) fn plain(text: impl std::fmt::Display, _: &dyn Values) -> Result<String> {
        Ok(crate::source::printable(&text.to_string()).into_owned())
    }

    /// Digits in groups.
    #[askama::filter_fn]
    pub(super) fn number(count: &u64, _: &dyn Values) -> Result<String> {
        Ok(words::grouped(*count))
    }

    /// The name of the place where a rule's findings are.
    #[askama::filter_fn]
    pub(super) fn anchor(rule: &'static Rule, _: &dyn Values) -> Result<String> {
        Ok(format!("rule-{}", rule.id.replace('/', "--")))
    }
}

#[cfg(test)]
mod tests {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_HASH, format!("sha256-{hash}"));
    }

    #[test]
    fn what_stands_in_backticks_is_escaped_like_the_rest() {
        let prose = Prose { text: "a < `<b>&\"'` > b" };
        let expected = "a &#60; <code>&#60;b&#62;&#38;&#34;&#39;</code> &#62; b";
        assert_eq!(prose.render().expect("in memory"), expected);
        let torn = Prose { text: "one ` <i>" };
        assert_eq!(torn.render().expect("in memory"), "one ` &#60;i&#62;");
    }
}
