//! The places of a finding, as pages show them.

use std::io;

use super::document::{Excerpt, ExcerptPart, LabelRecord};
use crate::{
    diagnostic::Diagnostic,
    rule::{Elsewhere, Label},
    source::{Excerpts, Locator, Reach},
};

/// The places of a finding for pages: the notes on them, and the text around them.
#[derive(Debug)]
pub(in crate::report) struct Places {
    pub(in crate::report) labels: Vec<LabelRecord>,
    pub(in crate::report) excerpts: Vec<Excerpt>,
}

impl Places {
    /// Reads the text around the places of a diagnostic. `words` returns pointer and note of a
    /// label as the page shows them, masked or not. Fails when the transcript cannot be read again.
    pub(in crate::report) fn read(
        diagnostic: &Diagnostic,
        locator: &mut Locator<'_>,
        words: impl Fn(&Label) -> (Option<String>, String),
    ) -> io::Result<Self> {
        let found = &diagnostic.finding.labels;
        let spans: Vec<_> = found.iter().map(|label| label.span).collect();
        let (excerpts, places) = Excerpts::read("", &spans, Reach::WIDE, locator)?;
        let excerpts = excerpts.pieces(&places).into_iter().map(|(line, pieces)| {
            let part = |(text, label): (&str, _)| ExcerptPart { text: text.to_owned(), label };
            Excerpt { line, parts: pieces.into_iter().map(part).collect() }
        });
        let excerpts = excerpts.collect();
        let mut labels = Vec::with_capacity(found.len());
        for label in found {
            let (pointer, message) = words(label);
            let line = u64::from(label.span.line);
            labels.push(LabelRecord {
                path: None,
                line,
                column: locator.column(label.span)?,
                pointer,
                message,
            });
        }
        for Elsewhere { file, label, position } in &diagnostic.finding.elsewhere {
            let (pointer, message) = words(label);
            labels.push(LabelRecord {
                path: Some((**file).to_owned()),
                line: position.line,
                column: position.column,
                pointer,
                message,
            });
        }
        Ok(Self { labels, excerpts })
    }
}
