//! The text around places in a transcript, made safe and short enough to show.
//!
//! A line of a transcript can be megabytes long and hold control characters that a terminal obeys. So
//! miette, which draws the snippets, is given [`Excerpts`] instead of the file. They consist of
//! *windows*, one for places that stand close together. The bytes of all windows are numbered one after
//! the other, with a gap of one between two windows. Miette asks for the text between two places; when
//! the gap is between them, the answer is an error, and miette draws two snippets.

use std::io;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::{
    locate::Locator,
    printable::{printable, push_printable},
    span::{Span, narrow},
};

/// Limits on how much of a long line an excerpt shows. They are in bytes: a line has at least as
/// many bytes as characters, so that it fits a terminal of that many columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Most bytes that are shown before, and behind, a marked place.
    around: u32,
    /// How many bytes of a place are shown at most. Of a longer place, the beginning and end are
    /// shown.
    within: u32,
    /// About how many bytes of a line one excerpt shows in all.
    room: u32,
    /// Most bytes from the beginning of an excerpt to the middle of its last place, so that the
    /// note below that place has room at its right.
    lead: u32,
}

impl Reach {
    /// The limits for output of any width, such as a file.
    pub const WIDE: Self = Self { around: 48, within: 96, room: 192, lead: u32::MAX };

    /// The limits for a terminal with this number of columns.
    pub fn fitting(columns: usize) -> Self {
        /// Least number of columns that are kept free for the note of a label.
        const LABEL: u32 = 24;
        /// Least number of bytes that are shown before a marked place.
        const LEAST: u32 = 8;
        // Line number, frame, and marks where the text goes on.
        let room = narrow(columns).saturating_sub(12);
        let lead = room.saturating_sub(LABEL).max(LEAST);
        let room = room.clamp(LABEL, Self::WIDE.room);
        let within = Self::WIDE.within.min(room / 2).min(lead * 2);
        Self { around: Self::WIDE.around, within, room, lead }
    }

    /// How many bytes are shown on either side of places that take `bytes` together.
    fn around(self, bytes: u64) -> u64 {
        let rest = u64::from(self.room).saturating_sub(bytes) / 2;
        rest.clamp(u64::from(self.around / 4), u64::from(self.around))
    }

    fn shown(self, span: Span) -> u64 {
        u64::from(span.len.min(self.within))
    }
}

/// One excerpt: its line, from 1, and its text cut into parts. Each part has the index of the place
/// that it shows; `None` for text between places.
pub type Pieces<'e> = (u64, Vec<(&'e str, Option<usize>)>);

/// Windows of one transcript around the places of one diagnostic, as source code for miette. Bytes
/// are numbered through all windows, not by the file.
#[derive(Clone, Debug)]
pub struct Excerpts {
    name: String,
    windows: Vec<Window>,
}

/// A part of one line of the transcript, made printable, in which one or more places are marked.
#[derive(Clone, Debug)]
struct Window {
    /// Number of the window's first byte, where the bytes of all windows of one diagnostic are
    /// numbered through, from 0.
    base: usize,
    text: String,
    /// The line in the transcript, from 0 as the crate `miette` counts.
    line: usize,
    places: Vec<Place>,
}

/// The position of a marked place of the diagnostic in the shown text and in the transcript.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Number of the place's first byte, where the bytes of all windows of one diagnostic are
    /// numbered through, from 0.
    start: usize,
    /// Column of the place in the transcript, counted from 0, in characters.
    column: usize,
}

/// The sign that stands in an excerpt for text that is left out.
const CUT: &str = "…";

impl Excerpts {
    /// Reads the windows around the spans from the transcript. Returns them, and for each span its
    /// range in the numbering of the windows. `name` is the file's name; fails when reading fails.
    pub fn read(
        name: &str,
        spans: &[Span],
        reach: Reach,
        locator: &mut Locator<'_>,
    ) -> io::Result<(Self, Vec<SourceSpan>)> {
        let mut order: Vec<usize> = (0..spans.len()).collect();
        order.sort_by_key(|index| (spans[*index].start, spans[*index].len));

        let mut excerpts = Self { name: printable(name).into_owned(), windows: Vec::new() };
        let mut numbers = vec![SourceSpan::from(0); spans.len()];
        let mut base = 0;
        for group in order.chunk_by(neighbours(spans, reach)) {
            let members: Vec<_> = group.iter().map(|index| (*index, spans[*index])).collect();
            let window = Window::read(base, &members, reach, locator, &mut numbers)?;
            base += window.text.len() + 1;
            excerpts.windows.push(window);
        }
        Ok((excerpts, numbers))
    }

    /// The excerpts in the order of the file, each cut at those of `places` that it shows. `places`
    /// are ranges that `Excerpts::read` returned.
    pub fn pieces(&self, places: &[SourceSpan]) -> Vec<Pieces<'_>> {
        let mut all = Vec::new();
        for window in &self.windows {
            let mut inside: Vec<usize> =
                (0..places.len()).filter(|index| window.contains(&places[*index])).collect();
            inside.sort_by_key(|index| (places[*index].offset(), places[*index].len()));
            let text = |from: usize, to: usize| {
                window.text.get(from - window.base..to - window.base).unwrap_or_default()
            };
            let mut parts = Vec::new();
            let mut end = window.base;
            for index in inside {
                let place = places[index];
                parts.push((text(end, place.offset()), None));
                end = place.offset() + place.len();
                parts.push((text(place.offset(), end), Some(index)));
            }
            parts.push((text(end, window.base + window.text.len()), None));
            parts.retain(|(text, place)| !text.is_empty() || place.is_some());
            all.push((window.line as u64 + 1, parts));
        }
        all
    }

    /// Number of characters from the beginning of the excerpt to the middle of a place, where its
    /// mark is drawn; 0 for an unknown place.
    pub fn indent(&self, place: SourceSpan) -> usize {
        let Some(window) = self.windows.iter().find(|window| window.contains(&place)) else {
            return 0;
        };
        let text = |to: usize| window.text.get(..to - window.base).unwrap_or_default();
        let before = text(place.offset()).chars().count();
        let through = text(place.offset() + place.len()).chars().count();
        usize::midpoint(before, through)
    }
}

/// Decides whether a place is shown in the same excerpt as the one before: on the same line, near,
/// and not overlapping, since their marks would cover each other.
fn neighbours(spans: &[Span], reach: Reach) -> impl FnMut(&usize, &usize) -> bool {
    let mut begun = None;
    move |left, right| {
        let (left, right) = (spans[*left], spans[*right]);
        let first = *begun.get_or_insert(left.start);
        let near = left.line_start() == right.line_start()
            && left.end() <= right.start
            && right.end() - first <= u64::from(reach.room) * 2 / 3
            && u64::midpoint(right.start, right.end()) - first <= u64::from(reach.lead / 2)
            && left.len <= reach.within
            && right.len <= reach.within;
        if !near {
            begun = Some(right.start);
        }
        near
    }
}

impl Window {
    fn read(
        base: usize,
        spans: &[(usize, Span)],
        reach: Reach,
        locator: &mut Locator<'_>,
        numbers: &mut [SourceSpan],
    ) -> io::Result<Self> {
        // Bytes of the places together, and from the first one's beginning to the last one's middle.
        let (bytes, lead) = match spans {
            [(_, only)] => (reach.shown(*only), reach.shown(*only) / 2),
            [(_, first), .., (_, last)] => {
                (last.end() - first.start, u64::midpoint(last.start, last.end()) - first.start)
            }
            [] => (0, 0),
        };
        let around = reach.around(bytes);
        let before = around.min(u64::from(reach.lead).saturating_sub(lead));
        let mut window = Self { base, text: String::new(), line: 0, places: Vec::new() };
        let mut end = None;
        for &(index, span) in spans {
            match end {
                None => window.push_before(span, before, locator)?,
                Some(end) => push_printable(&mut window.text, &locator.bytes(end, span.start)?),
            }
            let start = base + window.text.len();
            window.push_span(span, reach, locator)?;
            numbers[index] = (start, base + window.text.len() - start).into();
            let column = usize::try_from(locator.column(span)? - 1).unwrap_or(usize::MAX);
            window.places.push(Place { start, column });
            end = Some(span.end());
        }
        let places_end = window.text.len();
        window.push_after(end.unwrap_or_default(), around, locator)?;
        if window.text.len() == places_end {
            // What a mark can stand under, where the place is the end of the line.
            window.text.push(' ');
        }
        Ok(window)
    }

    fn push_before(
        &mut self,
        span: Span,
        around: u64,
        locator: &mut Locator<'_>,
    ) -> io::Result<()> {
        self.line = span.line.saturating_sub(1) as usize;
        let from = span.line_start().max(span.start.saturating_sub(around));
        let bytes = locator.bytes(from, span.start)?;
        if from > span.line_start() {
            self.text.push_str(CUT);
            push_printable(&mut self.text, without_tail_of_character(&bytes));
        } else {
            push_printable(&mut self.text, &bytes);
        }
        Ok(())
    }

    fn push_span(&mut self, span: Span, reach: Reach, locator: &mut Locator<'_>) -> io::Result<()> {
        if span.len <= reach.within {
            push_printable(&mut self.text, &locator.bytes(span.start, span.end())?);
            return Ok(());
        }
        let tail = u64::from(reach.within / 3);
        let head = u64::from(reach.within) - tail;
        let bytes = locator.bytes(span.start, span.start + head)?;
        push_printable(&mut self.text, without_head_of_character(&bytes));
        self.text.push_str(CUT);
        let bytes = locator.bytes(span.end() - tail, span.end())?;
        push_printable(&mut self.text, without_tail_of_character(&bytes));
        Ok(())
    }

    fn push_after(&mut self, end: u64, around: u64, locator: &mut Locator<'_>) -> io::Result<()> {
        let bytes = locator.bytes(end, end + around + 2)?;
        let around = usize::try_from(around).unwrap_or(usize::MAX);
        if let Some(line) = memchr::memchr(b'\n', &bytes) {
            let line = &bytes[..line];
            push_printable(&mut self.text, line.strip_suffix(b"\r").unwrap_or(line));
        } else if bytes.len() <= around {
            push_printable(&mut self.text, &bytes);
        } else {
            push_printable(&mut self.text, without_head_of_character(&bytes[..around]));
            self.text.push_str(CUT);
        }
        Ok(())
    }

    fn contains(&self, span: &SourceSpan) -> bool {
        self.base <= span.offset() && span.offset() + span.len() <= self.base + self.text.len()
    }
}

/// The bytes without an incomplete UTF-8 character at their beginning.
fn without_tail_of_character(bytes: &[u8]) -> &[u8] {
    let tail = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    &bytes[tail..]
}

/// The bytes without an incomplete UTF-8 character at their end.
fn without_head_of_character(bytes: &[u8]) -> &[u8] {
    match bytes.utf8_chunks().last() {
        Some(chunk) if chunk.invalid().first().is_some_and(|byte| *byte >= 0xC2) => {
            &bytes[..bytes.len() - chunk.invalid().len()]
        }
        _ => bytes,
    }
}

impl SourceCode for Excerpts {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_before: usize,
        context_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let window = self
            .windows
            .iter()
            .find(|window| window.contains(span))
            .ok_or(MietteError::OutOfBounds)?;
        let contents = if context_before == 0 && context_after == 0 {
            let from = span.offset() - window.base;
            let column = window.places.iter().find(|place| place.start == span.offset());
            MietteSpanContents::new_named(
                self.name.clone(),
                &window.text.as_bytes()[from..from + span.len()],
                *span,
                window.line,
                column.map_or(0, |place| place.column),
                1,
            )
        } else {
            MietteSpanContents::new_named(
                self.name.clone(),
                window.text.as_bytes(),
                (window.base, window.text.len()).into(),
                window.line,
                0,
                1,
            )
        };
        Ok(Box::new(contents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For tests: the excerpts around the places of `parts` in the text, with each part in
    /// brackets.
    fn windows(text: &[u8], parts: &[&str]) -> Vec<String> {
        let spans: Vec<Span> = parts.iter().map(|part| span(text, part.as_bytes())).collect();
        let mut bytes = text;
        let reach = Reach { around: 8, within: 12, room: 28, lead: u32::MAX };
        let (excerpts, numbers) =
            Excerpts::read("t", &spans, reach, &mut Locator::new(&mut bytes)).expect("in memory");
        let mut windows = Vec::new();
        for window in &excerpts.windows {
            let mut text = window.text.clone();
            let mut inside: Vec<_> = numbers.iter().filter(|span| window.contains(span)).collect();
            inside.sort_by_key(|span| std::cmp::Reverse(span.offset()));
            for span in inside {
                text.insert(span.offset() + span.len() - window.base, ']');
                text.insert(span.offset() - window.base, '[');
            }
            windows.push(format!("{}: {text}", window.line + 1));
        }
        windows
    }

    fn span(text: &[u8], part: &[u8]) -> Span {
        let start = memchr::memmem::find(text, part).expect("the part is in the text");
        let line_start = memchr::memrchr(b'\n', &text[..start]).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', &text[..start]).count() + 1;
        Span {
            start: start as u64,
            len: u32::try_from(part.len()).expect("short"),
            line: u32::try_from(line).expect("few lines"),
            column: u32::try_from(start - line_start).expect("short"),
        }
    }

    #[test]
    fn a_window_ends_with_its_line() {
        assert_eq!(windows(b"one\ntwo 2\r\nthree", &["two"]), ["2: [two] 2"]);
    }

    #[test]
    fn a_long_line_is_cut_on_both_sides() {
        let text = b"0123456789 abcdefgh value ijklmnopqrst";
        assert_eq!(windows(text, &["value"]), ["1: …bcdefgh [value] ijklmno…"]);
    }

    #[test]
    fn no_character_is_cut_in_two() {
        let text = "äääääääx value xääääääääää".as_bytes();
        assert_eq!(windows(text, &["value"]), ["1: …äääx [value] xäää…"]);
        let text = "→→→→→→→x value →→→→→→→→→→".as_bytes();
        assert_eq!(windows(text, &["value"]), ["1: …→→x [value] →→…"]);
    }

    #[test]
    fn a_wide_place_shows_its_ends() {
        let text = b"{\"a\":\"0123456789012345678901234567890\"}";
        let part = "\"0123456789012345678901234567890\"";
        assert_eq!(windows(text, &[part]), ["1: {\"a\":[\"0123456…890\"]}"]);
    }

    #[test]
    fn near_places_share_a_window() {
        let text = b"{\"a\":1,\"b\":2}\n{\"c\":3}";
        assert_eq!(windows(text, &["2", "1"]), ["1: {\"a\":[1],\"b\":[2]}"]);
        assert_eq!(windows(text, &["3", "1"]), ["1: {\"a\":[1],\"b\":2}", "2: {\"c\":[3]}"]);
    }

    #[test]
    fn nested_places_have_windows_of_their_own() {
        let text = b"{\"a\":{\"b\":2}}";
        assert_eq!(
            windows(text, &["{\"b\":2}", "2"]),
            ["1: {\"a\":[{\"b\":2}]}", "1: …a\":{\"b\":[2]}}"],
        );
    }

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(windows(b"a\x1b[31mb\x07c\xff", &["b"]), ["1: a␛[31m[b]␇c\\xFF"]);
        // Also where a command begins before a place and ends in it.
        assert_eq!(windows(b"a ##vso[x]b", &["so[x"]), ["1: a ##v[so\\u{5b}x]]b"]);
    }

    #[test]
    fn a_place_over_lines_shows_on_one() {
        assert_eq!(windows(b"x {\n1}\ny", &["{\n1}"]), ["1: x [{␊1}] "]);
    }

    #[test]
    fn windows_fall_into_pieces() {
        let text = b"{\"a\":1,\"b\":2}\n{\"c\":3}";
        let spans = [span(text, b"2"), span(text, b"1"), span(text, b"3")];
        let mut bytes: &[u8] = text;
        let mut locator = Locator::new(&mut bytes);
        let (excerpts, places) =
            Excerpts::read("t", &spans, Reach::WIDE, &mut locator).expect("in memory");
        let first =
            vec![("{\"a\":", None), ("1", Some(1)), (",\"b\":", None), ("2", Some(0)), ("}", None)];
        let second = vec![("{\"c\":", None), ("3", Some(2)), ("}", None)];
        assert_eq!(excerpts.pieces(&places), [(1, first), (2, second)]);
    }

    #[test]
    fn the_end_of_the_text_is_a_place() {
        assert_eq!(windows(b"", &[""]), ["1: [] "]);
    }
}
