//! A JSON document a line, each complete in itself: what is written of an interrupted run can be
//! read.
//!
//! The member `type` tells the lines apart: `run` is the first one, then there is a `diagnostic` for
//! each finding, a `file` behind those of each transcript, an `unread` for each input that was not
//! judged, and a `summary` at the end of a run that was not interrupted. The other members are those
//! of the JSON report, and belong to the same contract.

use std::io::{self, Write};

use serde::Serialize;

use super::{
    Counts, Entry, File, Summary, Unread,
    json::{self, Head, Origin, Tail, Totals},
};
use crate::source::Locator;

pub(super) fn begin(out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line {
        r#type: &'static str,
        #[serde(flatten)]
        origin: Origin,
    }

    line(&Line { r#type: "run", origin: Origin::new() }, out)
}

pub(super) fn diagnostic(
    entry: Entry<'_>,
    locator: &mut Locator<'_>,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    write!(out, r#"{{"type":"diagnostic","path":{},"#, json::json(&entry.file)?)?;
    json::members(entry.diagnostic, locator, out)?;
    out.extend_from_slice(b"}\n");
    Ok("}\n".len())
}

pub(super) fn end_file(file: &File<'_>, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        r#type: &'static str,
        #[serde(flatten)]
        head: Head<'a>,
        errors: u64,
        warnings: u64,
        infos: u64,
        #[serde(flatten)]
        tail: Tail<'a>,
    }

    let Counts { errors, warnings, infos } = file.counts;
    let (head, tail) = (Head::of(file), Tail::of(file));
    line(&Line { r#type: "file", head, errors, warnings, infos, tail }, out)
}

pub(super) fn unread(unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a> {
        r#type: &'static str,
        path: &'a str,
        reason: &'a str,
    }

    line(&Line { r#type: "unread", path: &unread.path, reason: &unread.reason }, out)
}

pub(super) fn end(summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
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

fn line(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json::json(value)?)
}
