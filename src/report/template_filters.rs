//! Filters for the askama templates of HTML pages. The templates escape every result that is not
//! marked as safe.
#![expect(
    unreachable_pub,
    clippy::inline_always,
    clippy::unused_self,
    clippy::trivially_copy_pass_by_ref,
    reason = "`filter_fn` generates such code"
)]

use std::fmt::{self, Display, Write};

use askama::{
    Result, Template, Values,
    filters::{Escaper, Html, Safe},
};

use super::text;
use crate::{rule::Rule, source::printable};

/// Escapes texts for HTML, and makes them printable.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct PrintableHtml;

impl Escaper for PrintableHtml {
    fn write_escaped_str<W: Write>(&self, dest: W, text: &str) -> fmt::Result {
        Html.write_escaped_str(dest, &printable(text))
    }
}

/// Template filter: a text as escaped HTML, in which parts between backticks become `code`
/// elements.
#[askama::filter_fn]
pub(in crate::report) fn prose(text: impl Display, _: &dyn Values) -> Result<Safe<String>> {
    Prose { text: &text.to_string() }.render().map(Safe)
}

/// Template filter: the text with a capital letter at its beginning.
#[askama::filter_fn]
pub(in crate::report) fn sentence(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(text::capitalized(&text.to_string()))
}

/// Template filter: a path or another text of the user on one line, with control characters
/// replaced.
#[askama::filter_fn]
pub(in crate::report) fn plain(text: impl Display, _: &dyn Values) -> Result<String> {
    Ok(printable(&text.to_string()).into_owned())
}

/// Template filter: a name or path as HTML that browsers may break behind each slash and space, and
/// nowhere else.
#[askama::filter_fn]
pub(in crate::report) fn name(name: impl Display, _: &dyn Values) -> Result<Safe<String>> {
    Name { name: &name.to_string() }.render().map(Safe)
}

/// Template filter: a number with its digits in groups of three, such as `1,234`.
#[askama::filter_fn]
pub(in crate::report) fn number(count: &u64, _: &dyn Values) -> Result<String> {
    Ok(text::grouped(*count))
}

/// Template filter: the id of the HTML element that holds the findings of a rule.
#[askama::filter_fn]
pub(in crate::report) fn anchor(rule: &'static Rule, _: &dyn Values) -> Result<String> {
    Ok(format!("rule-{}", rule.id.replace('/', "--")))
}

/// The HTML of a text in which the words between backticks are code.
#[derive(Template)]
#[template(
    ext = "html",
    config = "src/report/askama.toml",
    source = "{% for (is_code, passage) in self.passages() %}{% if is_code %}<code>{{ passage }}\
              </code>{% else %}{{ passage }}{% endif %}{% endfor %}"
)]
struct Prose<'t> {
    text: &'t str,
}

impl Prose<'_> {
    fn passages(&self) -> impl Iterator<Item = (bool, &str)> {
        text::passages(self.text)
    }
}

/// The HTML of a name that may be broken behind each slash and space. Browsers also break at
/// hyphens, except in elements of the class `whole`.
#[derive(Template)]
#[template(
    ext = "html",
    config = "src/report/askama.toml",
    source = "{% for part in name.split_inclusive(['/', ' ']) %}{% if self.is_whole(part) %}\
              <span class=\"whole\">{{ part }}</span>{% else %}{{ part }}{% endif %}\
              {% if part.ends_with('/') %}<wbr>{% endif %}{% endfor %}"
)]
struct Name<'n> {
    name: &'n str,
}

impl Name<'_> {
    /// Whether browsers must not break the part of a name at its hyphen. Long parts may be broken.
    fn is_whole(&self, part: &str) -> bool {
        /// Most characters of a part that stays on one line; longer ones would make columns too
        /// wide.
        const SHORT: usize = 40;
        part.contains('-') && part.chars().count() <= SHORT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_at_their_slashes() {
        let name = Name { name: "a/<b>/c-d" };
        let expected = "a/<wbr>&#60;b&#62;/<wbr><span class=\"whole\">c-d</span>";
        assert_eq!(name.render().expect("in memory"), expected);
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
