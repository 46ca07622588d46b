//! Methods of [`Text`] that read a long string segment by segment, without a copy, and tell where a
//! part of it stands.

use std::ops::Range;

use super::document::Text;
use super::strings::{Segment, Segments};
use crate::source::Span;

impl<'t> Text<'t> {
    /// The parts of the string in order: plain characters and escape sequences. Reads the string
    /// without decoding it whole. One pass, no allocation.
    pub fn segments(self) -> Segments<'t> {
        Segments::of(self.raw_inner())
    }

    /// Whether the decoded text consists of white space only, or is empty.
    pub fn is_blank(self) -> bool {
        self.segments().all(|segment| match segment {
            Segment::Plain(text) => text.trim_start().is_empty(),
            Segment::Escape(character) => character.is_whitespace(),
        })
    }

    /// The number of lines of the decoded text. Only `\n` ends a line; after one at the end of the
    /// text no further line begins. One pass, no allocation.
    pub fn lines(self) -> u64 {
        let (mut breaks, mut is_open) = (0, false);
        for segment in self.segments() {
            is_open = segment != Segment::Escape('\n');
            breaks += u64::from(!is_open);
        }
        breaks + u64::from(is_open)
    }

    /// Length of the decoded text in bytes. One pass, no allocation.
    pub fn len_bytes(self) -> usize {
        self.segments().map(Segment::len).sum()
    }

    /// The place in the file of a part of the string. `range` counts bytes of the decoded text.
    /// Takes a pass over the text before it.
    pub fn place(self, range: Range<usize>) -> Span {
        let token = self.node().token();
        let (first, last) = (token.start as usize + 1, (token.end as usize).saturating_sub(1));
        let written = |offset: usize| {
            let (mut decoded, mut rest) = (0, self.segments());
            loop {
                let at = last - rest.rest().len().min(last - first);
                match rest.next() {
                    Some(Segment::Plain(text)) if offset < decoded + text.len() => {
                        return at + offset.saturating_sub(decoded);
                    }
                    Some(segment) if offset >= decoded + segment.len() => decoded += segment.len(),
                    _ => return at,
                }
            }
        };
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(token.end);
        let (start, end) = (written(range.start), written(range.end));
        self.node().doc().origin().span(narrow(start), narrow(end.max(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    fn with(json: &str, check: impl FnOnce(Text<'_>)) {
        let mut tape = Tape::new();
        tape.parse(json).expect("the test's text is JSON");
        let doc = Doc::new(json, &tape, Origin::START);
        check(doc.root().text().expect("the test's text is a string"));
    }

    #[test]
    fn stretches_make_up_the_decoded_text() {
        for json in [
            r#""""#,
            r#""plain""#,
            r#"" \n\u3000 ""#,
            r#"" \n.""#,
            r#""a\nbé\u00e9\"\/\\""#,
            r#""\ud83d\ude00x""#,
            r#""\u0041""#,
            r#""one\\n\ntwo\u000Athree\u000a""#,
            r#""\n\n\u000b\\u000a""#,
            r#""as long as what is looked through at once, and then as long again, and more\nend""#,
            r#""sixteen of bytes\nseventeen bytes..\n""#,
        ] {
            with(json, |text| {
                let decoded: String = serde_json::from_str(json).expect("it is a string");
                assert_eq!(text.as_cow(), decoded);
                assert_eq!(crate::json::decoded(text.raw_inner()), decoded);
                assert_eq!(text.len_bytes(), decoded.len());
                assert_eq!(text.lines(), decoded.split_inclusive('\n').count() as u64);
                assert_eq!(text.is_blank(), decoded.trim().is_empty());
            });
        }
    }

    #[test]
    fn places_are_those_of_the_written_text() {
        let json = r#""ab\ncd\u00e9f""#;
        with(json, |text| {
            let written = |range: Range<usize>| {
                let span = text.place(range);
                &json[usize::try_from(span.start).expect("small")..][..span.len as usize]
            };
            assert_eq!(written(0..2), "ab");
            assert_eq!(written(1..4), r"b\nc");
            assert_eq!(written(2..3), r"\n");
            assert_eq!(written(3..5), "cd");
            assert_eq!(written(5..7), r"\u00e9");
            assert_eq!(written(7..8), "f");
            assert_eq!(written(8..8), "");
        });
    }
}
