//! One page that needs nothing else: what was found in each transcript, with the text around it.
//!
//! The page runs no script and loads nothing. What comes from a transcript is escaped by the
//! template, in whatever place it stands.

use std::io::{self, Write};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Counts, Entry, File, Look, Summary, TOOL, full, like_it, message};
use crate::{
    protocol::{Side, Surface},
    source::{Locator, printable},
};

const STYLE: &str = include_str!("html.css");

#[derive(Debug, Default)]
pub struct Report {
    /// What the page begins with: a row for each file.
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    path: String,
    counts: Counts,
}

impl Report {
    pub(super) fn begin(&self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let (name, version) = TOOL;
        let head = html! {
            (DOCTYPE)
            (PreEscaped("<html lang=\"en\">\n"))
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'";
                meta name="generator" content=(format!("{name} {version}"));
                title { "acpcheck: " (summary) }
                style { (PreEscaped(STYLE)) }
            }
            (PreEscaped("\n<body>\n"))
            main {
                h1 { "acpcheck" }
                p { (summary) }
                @if !summary.unread.is_empty() {
                    h2 { "Not checked" }
                    ul {
                        @for unread in &summary.unread {
                            li { code { (printable(&unread.path)) } ": " (printable(&unread.reason)) }
                        }
                    }
                }
                @if !self.rows.is_empty() {
                    h2 { "Transcripts" }
                    (self.list())
                }
            }
            "\n"
        };
        out.write_all(head.into_string().as_bytes())
    }

    /// What there is on the page.
    fn list(&self) -> Markup {
        html! {
            ol {
                @for (index, row) in self.rows.iter().enumerate() {
                    li {
                        @if row.counts.total() > 0 {
                            a href=(format!("#file-{index}")) { (printable(&row.path)) }
                            ": " (row.counts)
                        } @else {
                            (printable(&row.path)) ": no findings"
                        }
                    }
                    "\n"
                }
            }
        }
    }

    pub(super) fn begin_file(&mut self, file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
        let outcome = file.outcome;
        let surface = outcome.surface.map_or("version unknown", Surface::name);
        let facts = format!("{}, {surface}, {} messages", file.format, outcome.messages);
        let head = html! {
            @if file.counts.total() > 0 {
                h2 id=(format!("file-{}", self.rows.len())) { (printable(file.path)) }
                p { (facts) ": " (file.counts) }
                @for note in &outcome.notes {
                    p { (printable(note)) }
                }
            }
        };
        self.rows.push(Row { path: file.path.to_owned(), counts: file.counts });
        write!(out, "<section>{}", head.into_string())
    }
}

/// How the element of a diagnostic ends: what it stands for besides itself goes before.
const END: &str = "</article>\n";

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let Entry { diagnostic, file, .. } = entry;
    let severity = diagnostic.severity.name();
    let excerpt = full::excerpt(diagnostic, file, Look::PLAIN, locator)?;
    let article = html! {
        h3 {
            span class="severity" { (severity) }
            " "
            @match diagnostic.url() {
                Some(url) => a href=(url) { (diagnostic.rule.id) },
                None => (diagnostic.rule.id),
            }
            @match diagnostic.bound {
                Some(Side::Agent) => " of the agent",
                Some(Side::Client) => " of the client",
                None => "",
            }
        }
        p { (message(diagnostic)) }
        pre { (excerpt) }
    };
    write!(out, "<article class=\"{severity}\">{}{END}", article.into_string())?;
    Ok(END.len())
}

pub(super) fn repeats(more: u64) -> String {
    format!("<p>{}</p>", like_it(more))
}

pub(super) fn end_file(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</section>")
}

pub(super) fn end(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "</body>\n</html>")
}
