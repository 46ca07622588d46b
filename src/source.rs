//! Where something stands in a transcript, and how to read it again.

/// A range of bytes in a transcript, as the user's file has it: the only way to say "where".
///
/// It carries the line and the distance from the line's start, so that a place in an earlier,
/// long gone message can be shown without reading the file from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Bytes from the beginning of the file to the first byte.
    pub start: u64,
    /// Length in bytes; 0 for a place between two bytes, such as where a member is missing.
    pub len: u32,
    /// Line of the first byte, counted from 1.
    pub line: u32,
    /// Bytes from the beginning of that line to the first byte.
    pub column: u32,
}

impl Span {
    /// Bytes from the beginning of the file to just behind the last byte.
    pub fn end(self) -> u64 {
        self.start + u64::from(self.len)
    }

    /// Bytes from the beginning of the file to the beginning of the first byte's line.
    pub fn line_start(self) -> u64 {
        self.start - u64::from(self.column)
    }
}

/// Where the text of a message stands in the file, so that a place in the message becomes a place
/// in the file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'t> {
    /// Place of the text's first byte in the file.
    pub start: u64,
    /// Line of the text's first byte, counted from 1.
    pub line: u32,
    /// Bytes from the beginning of that line to the text's first byte.
    pub column: u32,
    pub layout: Layout<'t>,
}

/// How a message's text relates to the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'t> {
    /// Byte for byte, on one line.
    Line,
    /// Byte for byte but for the line breaks, over several lines: the offsets in the text at which
    /// those after the first begin, ascending.
    Lines(&'t [u32]),
    /// The text was unescaped from a string of the file: steps of (offset in the text, offset from
    /// `Origin::start` in the file), ascending; between two steps both advance alike.
    Escaped(&'t [(u32, u32)]),
}

impl Origin<'_> {
    /// A text that begins at the beginning of a file.
    pub const START: Self = Self { start: 0, line: 1, column: 0, layout: Layout::Line };

    /// The place of the text's bytes `from..to` in the file. Costs nothing for [`Layout::Line`], a
    /// binary search for the others.
    pub fn span(&self, from: u32, to: u32) -> Span {
        let at = |from: u32, len: u32| Span {
            start: self.start + u64::from(from),
            len,
            line: self.line,
            column: self.column + from,
        };
        match self.layout {
            Layout::Line => at(from, to - from),
            Layout::Lines(starts) => {
                let before = starts.partition_point(|&start| start <= from);
                let column = match before.checked_sub(1).map(|last| starts[last]) {
                    Some(start) => from - start,
                    None => self.column + from,
                };
                Span {
                    start: self.start + u64::from(from),
                    len: to - from,
                    line: self.line.saturating_add(u32::try_from(before).unwrap_or(u32::MAX)),
                    column,
                }
            }
            Layout::Escaped(steps) => {
                let outer = |inner: u32| {
                    let step = steps.partition_point(|&(text, _)| text <= inner);
                    match step.checked_sub(1).map(|step| steps[step]) {
                        Some((text, file)) => file + (inner - text),
                        None => inner,
                    }
                };
                let start = outer(from);
                at(start, outer(to).saturating_sub(start))
            }
        }
    }
}

mod excerpt;
mod reread;

pub use excerpt::{Excerpts, Reach, printable};
pub use reread::{Locator, Position, Reread};
