//! `--format ndjson`: one JSON object a line, so that the output of an interrupted run can be read.
//!
//! The member `type` tells the lines apart: `run` is the first one, then there is a `diagnostic` for
//! each finding, a `file` after those of each transcript, an `unread` for each input that was not
//! judged, and a `summary` at the end of a run that was not interrupted. The other members are those
//! of the JSON report, and belong to the same contract.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Counts, File, OutputFormat, Report, Summary, Syntax, Unread,
    json::{self, DiagnosticRow, FileHead, FileTail, ToolAndSchema, Totals},
};
use crate::{diagnostic::Diagnostic, source::Locator};

pub(super) static FORMAT: OutputFormat = OutputFormat {
    is_read_along: true,
    ..OutputFormat::new(
        "ndjson",
        "One JSON document on each line, for programs that read along",
        Syntax::JsonLines,
        |_| Box::new(NdjsonReport),
    )
};

#[derive(Debug)]
struct NdjsonReport;

impl Report for NdjsonReport {
    fn begin(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line {
            r#type: &'static str,
            #[serde(flatten)]
            origin: ToolAndSchema,
        }

        line(&Line { r#type: "run", origin: ToolAndSchema::new() }, out)
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        #[derive(Serialize)]
        struct DiagnosticLine<'a> {
            r#type: &'static str,
            path: &'a str,
            #[serde(flatten)]
            row: DiagnosticRow<'a>,
        }

        #[derive(Serialize)]
        struct FileLine<'a> {
            r#type: &'static str,
            #[serde(flatten)]
            head: FileHead<'a>,
            errors: u64,
            warnings: u64,
            infos: u64,
            #[serde(flatten)]
            tail: FileTail<'a>,
        }

        for diagnostic in diagnostics {
            let row = DiagnosticRow::of(diagnostic, locator)?;
            line(&DiagnosticLine { r#type: "diagnostic", path: file.path, row }, out)?;
        }
        let Counts { errors, warnings, infos } = file.counts;
        let (head, tail) = (FileHead::of(file), FileTail::of(file));
        line(&FileLine { r#type: "file", head, errors, warnings, infos, tail }, out)
    }

    fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            r#type: &'static str,
            path: &'a str,
            reason: &'a str,
        }

        line(&Line { r#type: "unread", path: &unread.path, reason: &unread.reason }, out)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line {
            r#type: &'static str,
            #[serde(flatten)]
            totals: Totals,
            unread: usize,
        }

        let totals = Totals::of(summary);
        line(&Line { r#type: "summary", totals, unread: summary.unread.len() }, out)
    }
}

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json::json(value)?)
}
