//! The report as one page: no scripts, nothing from outside, everything escaped by the template.

use std::io::{self, Write};

use askama::Template;

use super::{
    super::{
        page_style::{STYLE, STYLE_HASH},
        template_filters as filters,
    },
    Compliance,
    verdict::Status,
    view::{Page, SubjectRow},
};

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
