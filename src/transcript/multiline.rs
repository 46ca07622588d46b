//! Lines that may together be one message.

use crate::{
    json::{Fault, Reason},
    source::{Layout, Origin, Span, narrow},
};

/// Lines that one message may be spread over before it is given up.
pub(super) const JOINED_LINES: usize = 200;
/// Bytes that such lines may have together.
pub(super) const JOINED_BYTES: usize = 8 * 1024 * 1024;

/// Where a line stands in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    /// Offset of its first byte.
    pub(super) start: u64,
    /// Its number, counted from 1.
    pub(super) line: u32,
}

impl LineStart {
    /// Where a text stands that begins at this offset in the line.
    pub(super) fn origin(self, from: usize) -> Origin<'static> {
        let Span { start, line, column, .. } = self.span(from, 0);
        Origin { start, line, column, layout: Layout::Line }
    }

    /// The place of a part of the line.
    pub(super) fn span(self, from: usize, len: usize) -> Span {
        Span {
            start: self.start + from as u64,
            len: narrow(len),
            line: self.line,
            column: narrow(from),
        }
    }
}

/// The beginning of a message whose end is not there yet.
#[derive(Debug)]
pub(super) struct OpenMessage {
    /// The lines, each at the offset at which it stands in the file; what is between them is blank.
    pub(super) text: String,
    /// Offsets in the text at which the lines after the first begin.
    starts: Vec<u32>,
    /// Where the first line's text begins.
    first: Span,
    depth: Depth,
}

impl OpenMessage {
    /// Begins with a line whose text stands at `skipped` in it.
    pub(super) fn new(body: &str, at: LineStart, skipped: usize) -> Self {
        Self {
            text: body.to_owned(),
            starts: Vec::new(),
            first: at.span(skipped, body.trim_end().len()),
            depth: Depth::default().after(body),
        }
    }

    /// Begins with a line in which a value begins at `start`.
    pub(super) fn behind(body: &str, at: LineStart, skipped: usize, start: usize) -> Self {
        Self { depth: Depth::default().after(&body[start..]), ..Self::new(body, at, skipped) }
    }

    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.starts.len() + 1
    }

    /// The length of the text after another line; `None` when it would be too long for a text.
    pub(super) fn len_with(&self, body: &str, at: LineStart, skipped: usize) -> Option<usize> {
        let len = at.start - self.first.start + (skipped + body.len()) as u64;
        u32::try_from(len).ok().map(|len| len as usize)
    }

    /// Adds the next line of a message that is written over several lines. The caller has asked
    /// [`Self::len_with`] whether the line fits. `skipped`: bytes between the start of the line and
    /// `body`.
    pub(super) fn push(&mut self, body: &str, at: LineStart, skipped: usize) {
        let offset = usize::try_from(at.start - self.first.start).unwrap_or(usize::MAX);
        let gap = (offset + skipped).saturating_sub(self.text.len());
        self.starts.push(narrow(offset));
        self.text.extend(std::iter::repeat_n(' ', gap));
        self.text.push_str(body);
        self.depth = self.depth.after(body);
    }

    /// Takes the last line away again; there is no way on but to give up.
    pub(super) fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.text.truncate(start as usize);
        }
    }

    /// Whether the brackets that were opened are closed.
    pub(super) fn is_closed(&self) -> bool {
        self.depth.is_closed()
    }

    /// Where the first line's text stands.
    pub(super) fn first(&self) -> Span {
        self.first
    }

    /// Where the last line stands.
    pub(super) fn last(&self) -> Span {
        self.starts.last().map_or(self.first, |&start| {
            self.origin().span(start, narrow(self.text.trim_end().len()).max(start))
        })
    }

    pub(super) fn origin(&self) -> Origin<'_> {
        let Span { start, line, column, .. } = self.first;
        Origin { start, line, column, layout: Layout::Lines(&self.starts) }
    }

    /// The lines one by one, with their places.
    pub(super) fn split(&self) -> impl Iterator<Item = (&str, Origin<'static>)> {
        let starts = std::iter::once(0).chain(self.starts.iter().copied());
        let ends = self.starts.iter().map(|&start| start as usize).chain([self.text.len()]);
        starts.zip(ends).map(|(start, end)| {
            let span = self.origin().span(start, start);
            let Span { start: place, line, column, .. } = span;
            let origin = Origin { start: place, line, column, layout: Layout::Line };
            (self.text.get(start as usize..end).unwrap_or_default().trim_end(), origin)
        })
    }
}

/// Brackets open at the end of a text, and whether it ends inside a string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth {
    brackets: i64,
    in_string: bool,
}

impl Depth {
    /// The depth behind a further line. A string goes on over a line break that stands in it
    /// unescaped, which is what some senders do.
    pub(super) fn after(mut self, line: &str) -> Self {
        let mut escaped = false;
        for byte in line.bytes() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if self.in_string => escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.brackets += 1,
                b'}' | b']' if !self.in_string => self.brackets -= 1,
                _ => {}
            }
        }
        self
    }

    /// Whether brackets are closed that were not opened.
    pub(super) fn is_below(self) -> bool {
        self.brackets < 0
    }

    /// Whether all is closed that was opened.
    pub(super) fn is_closed(self) -> bool {
        self.brackets <= 0 && !self.in_string
    }
}

/// The bytes before an object with which a line begins that opens the array around it.
pub(super) fn array_head(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix('[')?.trim_start();
    let is_open = rest.starts_with('{') && !Depth::default().after(line).is_closed();
    is_open.then(|| line.len() - rest.len())
}

/// Whether a text that is not JSON could become it by going on: nothing in it is wrong but its end.
pub(super) fn is_beginning(text: &str, fault: Fault) -> bool {
    let text = text.trim_end();
    let Some(rest) = text.get(fault.at as usize..) else { return true };
    match fault.reason {
        Reason::Literal => ["true", "false", "null"].iter().any(|word| word.starts_with(rest)),
        Reason::LowSurrogate => rest.is_empty() || rest == "\\",
        _ => rest.is_empty(),
    }
}
