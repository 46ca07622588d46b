//! Lines that may together be one message.

use crate::{
    json::{Fault, Reason},
    source::{Layout, Origin, Span, narrow},
};

/// Most lines that are joined to one message; a message over more lines is not joined.
pub(super) const JOINED_LINES: usize = 200;
/// Most bytes of lines that are joined to one message; a longer message is not joined.
pub(super) const JOINED_BYTES: usize = 8 * 1024 * 1024;

/// The position of the beginning of a line: offset and number.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    /// Offset of the line's first byte in the file, from 0.
    pub(super) start: u64,
    /// Number of the line in the file, from 1.
    pub(super) line: u32,
}

impl LineStart {
    /// Origin of a text that begins `from` bytes after the line's start.
    pub(super) fn origin(self, from: usize) -> Origin<'static> {
        let Span { start, line, column, .. } = self.span(from, 0);
        Origin { start, line, column, layout: Layout::Line }
    }

    /// Place of `len` bytes that begin `from` bytes after the line's start.
    pub(super) fn span(self, from: usize, len: usize) -> Span {
        Span {
            start: self.start + from as u64,
            len: narrow(len),
            line: self.line,
            column: narrow(from),
        }
    }
}

/// A message that is spread over lines and whose end has not come yet.
#[derive(Debug)]
pub(super) struct OpenMessage {
    /// The lines so far, each at the offset that it has in the file, with blanks between them.
    pub(super) text: String,
    /// Offsets in `text` at which the second and later lines begin.
    starts: Vec<u32>,
    /// Place in the file of the text of the first line.
    first: Span,
    depth: Depth,
}

impl OpenMessage {
    /// Begins a message with a line whose text `body` begins `skipped` bytes after the line's
    /// start.
    pub(super) fn new(body: &str, at: LineStart, skipped: usize) -> Self {
        Self {
            text: body.to_owned(),
            starts: Vec::new(),
            first: at.span(skipped, body.trim_end().len()),
            depth: Depth::default().after(body),
        }
    }

    /// Begins a message with a line in which the JSON value begins at `start`, behind other text.
    pub(super) fn behind(body: &str, at: LineStart, skipped: usize, start: usize) -> Self {
        Self { depth: Depth::default().after(&body[start..]), ..Self::new(body, at, skipped) }
    }

    /// Number of lines that were joined so far, at least 1.
    pub(super) fn lines(&self) -> usize {
        self.starts.len() + 1
    }

    /// Length of `text` if another line is added; `None` when it would be too long.
    pub(super) fn len_with(&self, body: &str, at: LineStart, skipped: usize) -> Option<usize> {
        let len = at.start - self.first.start + (skipped + body.len()) as u64;
        u32::try_from(len).ok().map(|len| len as usize)
    }

    /// Adds a line, for which the caller has checked [`Self::len_with`]. `skipped` is the number of
    /// bytes between the line's start and `body`.
    pub(super) fn push(&mut self, body: &str, at: LineStart, skipped: usize) {
        let offset = usize::try_from(at.start - self.first.start).unwrap_or(usize::MAX);
        let gap = (offset + skipped).saturating_sub(self.text.len());
        self.starts.push(narrow(offset));
        self.text.extend(std::iter::repeat_n(' ', gap));
        self.text.push_str(body);
        self.depth = self.depth.after(body);
    }

    /// Removes the last line again. The brackets are not counted back, so no line can be added
    /// afterwards.
    pub(super) fn pop(&mut self) {
        if let Some(start) = self.starts.pop() {
            self.text.truncate(start as usize);
        }
    }

    /// Whether all brackets in the text are closed, so that it may be complete.
    pub(super) fn is_closed(&self) -> bool {
        self.depth.is_closed()
    }

    /// Place in the file of the text of the first line.
    pub(super) fn first(&self) -> Span {
        self.first
    }

    /// Place in the file of the text of the last line.
    pub(super) fn last(&self) -> Span {
        self.starts.last().map_or(self.first, |&start| {
            self.origin().span(start, narrow(self.text.trim_end().len()).max(start))
        })
    }

    pub(super) fn origin(&self) -> Origin<'_> {
        let Span { start, line, column, .. } = self.first;
        Origin { start, line, column, layout: Layout::Lines(&self.starts) }
    }

    /// The lines that were joined, each with its origin, to read them one by one after all.
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

/// Number of brackets that are open at the end of a text, and whether the text ends inside a
/// string.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Depth {
    brackets: i64,
    in_string: bool,
}

impl Depth {
    /// The depth after a further line. A string may go on over a line break, which some senders
    /// leave unescaped.
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

    /// Whether more brackets are closed than were opened, so that the text is not JSON.
    pub(super) fn is_below(self) -> bool {
        self.brackets < 0
    }

    /// Whether all brackets are closed, and the text does not end inside a string.
    pub(super) fn is_closed(self) -> bool {
        self.brackets <= 0 && !self.in_string
    }
}

/// Number of bytes before the first object of a line that opens an array around it; `None` for
/// other lines.
pub(super) fn array_head(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix('[')?.trim_start();
    let is_open = rest.starts_with('{') && !Depth::default().after(line).is_closed();
    is_open.then(|| line.len() - rest.len())
}

/// Whether a text that is not JSON may be the beginning of JSON: only its end is missing.
pub(super) fn is_beginning(text: &str, fault: Fault) -> bool {
    let text = text.trim_end();
    let Some(rest) = text.get(fault.at as usize..) else { return true };
    match fault.reason {
        Reason::Literal => ["true", "false", "null"].iter().any(|word| word.starts_with(rest)),
        Reason::LowSurrogate => rest.is_empty() || rest == "\\",
        _ => rest.is_empty(),
    }
}
