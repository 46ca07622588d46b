//! The report as one page: no scripts, nothing from outside, everything escaped by the template.

use std::io::{self, Write};

use askama::Template;

use super::{
    super::template_filters as filters,
    Compliance,
    verdict::Status,
    view::{Page, SubjectRow},
};

const STYLE: &str = include_str!("../templates/compliance.css");

/// All that the page's security policy admits; a test keeps it in step with the style.
const STYLE_HASH: &str = "sha256-dfOxbTzjTpMsfamIM5qNatXgHub9wwKTy4/szeyJDms=";

#[derive(Template)]
#[template(path = "compliance.html", config = "src/report/askama.toml")]
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

#[cfg(test)]
mod tests {
    use crate::report::template_filters::tests::assert_admits_style;

    #[test]
    fn the_policy_admits_the_style_and_nothing_else() {
        assert_admits_style(super::STYLE_HASH, super::STYLE);
    }
}
