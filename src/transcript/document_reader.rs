//! Reads files whose format takes them as a whole: documents, and logs whose messages go over lines.
//!
//! All bytes of a file go in; its records go to the [`Unwrapper`].

use crate::{
    json::{Doc, Tape},
    source::{Layout, Origin, narrow},
    transcript::{
        Body, Fidelity, Read, Record,
        file_traits::FileTraits,
        passage::OnPassage,
        text::BYTE_ORDER_MARK,
        unwrapper::{Ending, Unwrapper},
    },
};

/// Reads a whole file that is one document. Fails with the reason why nothing can be read: a
/// sentence without a full stop.
pub(super) fn read(
    bytes: Vec<u8>,
    unwrapper: &mut Unwrapper,
    on: OnPassage<'_>,
) -> Result<(), String> {
    let format = unwrapper.format();
    let text = decoded(bytes);
    let (text, skipped) = match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, narrow(BYTE_ORDER_MARK.len())),
        None => (text.as_str(), 0),
    };
    let starts: Vec<u32> =
        memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| narrow(at + 1)).collect();
    let layout = Layout::Lines(&starts);
    let origin = Origin { start: u64::from(skipped), line: 1, column: skipped, layout };
    let mut tape = Tape::default();
    if let Read::Document(_) = format.read {
        tape.parse(text).map_err(|fault| {
            let line = origin.span(fault.at, fault.at).line;
            let name = format.name;
            format!("no format fits; it looks like `{name}`, but line {line}: {fault}")
        })?;
    }
    let document = Doc::new(text, &tape, origin);
    let mut records = Vec::new();
    match format.read {
        Read::Document(read) => read(document.root(), &mut records),
        Read::Text(read) => read(text, &mut records),
        Read::Values(_)
        | Read::Messages { .. }
        | Read::Lines(_)
        | Read::Joined(_)
        | Read::Refused(_) => {}
    }
    let sourced: Vec<(&str, Record<'_>)> =
        records.into_iter().map(|record| (text, record)).collect();
    let is_raw = format.fidelity == Fidelity::Wire && !sourced.is_empty();
    if let Read::Text(_) = format.read {
        outside(text, &sourced).for_each(|line| unwrapper.pass_over(line));
    }
    unwrapper.learn(FileTraits::of(format, &sourced, &[]).with_lines_kept(is_raw, format), on);
    for (_, record) in sourced {
        unwrapper.take(record, &document, Ending::Break, on);
    }
    Ok(())
}

/// The lines of a text outside of all records, to notice messages that the recorder's format does
/// not cover.
fn outside<'t>(text: &'t str, records: &[(&str, Record<'_>)]) -> impl Iterator<Item = &'t str> {
    let ranges = records.iter().filter_map(|(_, record)| match &record.body {
        Body::Text(range) => Some(range.clone()),
        _ => None,
    });
    let mut ranges: Vec<_> = ranges.collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut start = 0;
    text.split_inclusive('\n').filter(move |line| {
        let own = start..start + line.len();
        start = own.end;
        let before = ranges.partition_point(|range| range.start < own.end);
        let last = before.checked_sub(1).map(|last| &ranges[last]);
        last.is_none_or(|last| last.end <= own.start)
    })
}

/// Text of a file, with `?` for each byte that is not UTF-8, so that all offsets stay the same.
fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.into_bytes();
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
        }
        text
    })
}
