//! Places in a transcript: [`Span`], and how a place in a message's text becomes one.

use std::ops::Range;

/// A range of bytes in a transcript, as the user's file has it. Carries its line and its distance
/// from the line's start, so that it can be shown without reading the file from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte in the file, from 0.
    pub start: u64,
    /// Length in bytes; 0 for a place between two bytes, such as where a member is missing.
    pub len: u32,
    /// Line of the span's first byte in the transcript, from 1.
    pub line: u32,
    /// Bytes from the beginning of the first byte's line to that byte.
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

/// Where in the file the text of a message is, so that a place in the message can be converted to a
/// place in the file.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'t> {
    /// Bytes from the beginning of the file to the text's first byte.
    pub start: u64,
    /// Line of the text's first byte, counted from 1.
    pub line: u32,
    /// Bytes from the beginning of the text's first line in the file to the text's first byte.
    pub column: u32,
    /// How offsets in the text correspond to offsets in the file.
    pub layout: Layout<'t>,
}

/// How the text of a message relates to the bytes of the file.
#[derive(Clone, Copy, Debug)]
pub enum Layout<'t> {
    /// The text is a part of one line of the file, byte for byte.
    Line,
    /// The text is the bytes of the file but for the line breaks, over several lines. The value has
    /// the offsets in the text at which lines after the first begin, ascending.
    Lines(&'t [u32]),
    /// The text was put together from parts of the file, for example from a string whose escapes
    /// were decoded.
    Mapped {
        /// Pairs of an offset in the text and the offset in the file (from `Origin::start`) where
        /// it comes from; both ascending. Between two pairs, both advance alike, but no further in
        /// the file than to the next pair. Two pairs with one offset in the text end one part and
        /// begin the next.
        steps: &'t [(u32, u32)],
        /// Offsets, in bytes from `Origin::start`, at which the second and later lines of the text begin
        /// in the file.
        starts: &'t [u32],
    },
}

/// A copy of an `Origin` that borrows nothing, to keep it for a part of a text.
#[derive(Clone, Debug)]
pub(crate) struct OwnedOrigin {
    start: u64,
    line: u32,
    column: u32,
    is_mapped: bool,
    steps: Box<[(u32, u32)]>,
    starts: Box<[u32]>,
}

impl OwnedOrigin {
    pub(crate) fn as_origin(&self) -> Origin<'_> {
        let Self { start, line, column, is_mapped, ref steps, ref starts } = *self;
        let layout = match (is_mapped, starts.is_empty()) {
            (true, _) => Layout::Mapped { steps, starts },
            (false, false) => Layout::Lines(starts),
            (false, true) => Layout::Line,
        };
        Origin { start, line, column, layout }
    }
}

impl Origin<'_> {
    /// The origin of a text that is a whole file, on one line.
    pub const START: Self = Self { start: 0, line: 1, column: 0, layout: Layout::Line };

    /// The place in the file of the text's bytes `from..to`. Costs nothing for `Layout::Line`, a
    /// binary search or two for the others.
    pub fn span(&self, from: u32, to: u32) -> Span {
        let Self { start, line, column, layout } = *self;
        match layout {
            Layout::Line => {
                let start = start + u64::from(from);
                Span { start, len: to - from, line, column: column + from }
            }
            Layout::Lines(starts) => self.place(from, to, starts),
            Layout::Mapped { steps, starts } => self.mapped(from, to, steps, starts),
        }
    }

    /// The origin of a part of the text, as if that part were a text by itself. Takes time by the
    /// number of lines and steps in the part.
    pub(crate) fn part(&self, part: Range<u32>) -> OwnedOrigin {
        let (steps, starts) = match self.layout {
            Layout::Line => (&[][..], &[][..]),
            Layout::Lines(starts) => (&[][..], starts),
            Layout::Mapped { steps, starts } => (steps, starts),
        };
        let from = beginning(steps, part.start);
        let Span { start, line, column, .. } = self.place(from, from, starts);
        // The step behind the part limits how far its last bytes may reach.
        let first = steps.partition_point(|&(text, _)| text <= part.start);
        let behind = steps.partition_point(|&(text, _)| text < part.end).max(first);
        let last = (behind + 1).min(steps.len());
        let to = end(steps, part.end).max(from);
        let lines = starts.partition_point(|&start| start <= from)
            ..starts.partition_point(|&start| start <= to);
        OwnedOrigin {
            start,
            line,
            column,
            is_mapped: matches!(self.layout, Layout::Mapped { .. }),
            steps: steps[first..last]
                .iter()
                .map(|&(text, file)| (text - part.start, file.saturating_sub(from)))
                .collect(),
            starts: starts[lines].iter().map(|start| start - from).collect(),
        }
    }

    /// The place in the file of the bytes `from..to` of a text with `Layout::Mapped`.
    fn mapped(&self, from: u32, to: u32, steps: &[(u32, u32)], starts: &[u32]) -> Span {
        let begin = beginning(steps, from);
        self.place(begin, if to > from { end(steps, to).max(begin) } else { begin }, starts)
    }

    /// The place of the bytes of the file from `start + from` to `start + to`. `starts` are offsets
    /// from `start` at which lines after the first begin.
    fn place(&self, from: u32, to: u32, starts: &[u32]) -> Span {
        let before = starts.partition_point(|&start| start <= from);
        let column = match before.checked_sub(1).map(|last| starts[last]) {
            Some(start) => from - start,
            None => self.column + from,
        };
        Span {
            start: self.start + u64::from(from),
            len: to - from,
            line: self.line.saturating_add(narrow(before)),
            column,
        }
    }
}

/// Offset in the file, from `Origin::start`, at which the part begins that the text from `offset`
/// on was made of.
fn beginning(steps: &[(u32, u32)], offset: u32) -> u32 {
    along(steps, steps.partition_point(|&(text, _)| text <= offset), offset)
}

/// Maps the end of a span from the text to the file. `steps` holds, for each part of the text, its
/// offset in the text and in the file. Offsets are in bytes; those in the file count from
/// `Origin::start`.
fn end(steps: &[(u32, u32)], offset: u32) -> u32 {
    let next = steps.partition_point(|&(text, _)| text < offset);
    match steps.get(next) {
        Some(&(text, file)) if text == offset => file,
        _ => along(steps, next, offset),
    }
}

/// Offset in the file, from `Origin::start`, that corresponds to `offset` in the text, which stands
/// before the step with index `next`.
fn along(steps: &[(u32, u32)], next: usize, offset: u32) -> u32 {
    let (text, file) = next.checked_sub(1).map_or((0, 0), |last| steps[last]);
    let place = file.saturating_add(offset - text);
    steps.get(next).map_or(place, |&(_, limit)| place.min(limit.max(file)))
}

/// A number of bytes or lines as a `u32`; `u32::MAX` when it does not fit.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
