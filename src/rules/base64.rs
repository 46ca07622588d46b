//! Checks base64 as in RFC 4648 §4: the standard alphabet, padded, without white space.
//!
//! In: a string of a message. Out: the first fault, or the finding that reports it.

use std::ops::Range;

use crate::{
    json::{Segment, Text},
    model::Mark,
    rule::Finding,
};

/// The first fault of a string that is not base64. `at` is an offset in bytes in the decoded JSON
/// string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A character that no base64 alphabet has, or any character after the padding. `at` is its
    /// offset in bytes.
    Foreign { at: usize, character: char },
    /// The character `-` or `_`, which only the alphabet for URLs and file names has.
    UrlSafe { at: usize },
    /// White space, such as the line breaks of MIME. `at` is its offset in bytes.
    Space { at: usize },
    /// A length that is not a multiple of four; `at` is the end of the string.
    Cut { at: usize },
}

/// What a byte means in base64: a digit, padding, or something else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Digit,
    Padding,
    UrlSafe,
    Space,
    Foreign,
}

/// What each of the 256 byte values means in base64.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let class = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' => Class::Digit,
            b'=' => Class::Padding,
            b'-' | b'_' => Class::UrlSafe,
            b' ' | b'\t' | b'\n' | b'\r' => Class::Space,
            _ => Class::Foreign,
        };
        classes[byte] = class;
        byte += 1;
    }
    classes
};

/// Checks that a string is base64. Fails with its worst fault: a foreign character, else a URL-safe
/// one, else white space, else the wrong length.
pub(crate) fn check(text: Text<'_>) -> Result<(), Fault> {
    let mut reader = Base64Reader::default();
    for segment in text.segments() {
        match segment {
            Segment::Plain(plain) => reader.read_plain(plain)?,
            Segment::Escape(character) => reader.read(character)?,
        }
    }
    reader.end()
}

/// Reads a base64 string byte by byte, and notes its first faults.
#[derive(Default)]
struct Base64Reader {
    /// Number of bytes of the decoded string that were read.
    at: usize,
    /// Number of base64 digits that were read, with URL-safe ones.
    digits: usize,
    /// Number of padding characters (`=`) that were read.
    padding: usize,
    /// Offset of the first URL-safe character; `None` while there is none.
    url_safe: Option<usize>,
    /// Offset of the first white space, and the character; `None` while there is none.
    space: Option<(usize, char)>,
}

impl Base64Reader {
    fn read_plain(&mut self, plain: &str) -> Result<(), Fault> {
        let is_digit = |byte: &u8| CLASSES[usize::from(*byte)] == Class::Digit;
        let digits = match self.padding {
            0 => plain.bytes().position(|byte| !is_digit(&byte)).unwrap_or(plain.len()),
            _ => 0,
        };
        self.at += digits;
        self.digits += digits;
        plain.get(digits..).unwrap_or_default().chars().try_for_each(|next| self.read(next))
    }

    fn read(&mut self, character: char) -> Result<(), Fault> {
        let class =
            u8::try_from(character).map_or(Class::Foreign, |byte| CLASSES[usize::from(byte)]);
        let foreign = Fault::Foreign { at: self.at, character };
        match class {
            Class::Space => self.space = self.space.or(Some((self.at, character))),
            Class::Padding => self.padding += 1,
            Class::Digit | Class::UrlSafe if self.padding > 0 => return Err(foreign),
            Class::Digit => self.digits += 1,
            Class::UrlSafe => {
                self.url_safe = self.url_safe.or(Some(self.at));
                self.digits += 1;
            }
            Class::Foreign => return Err(foreign),
        }
        self.at += character.len_utf8();
        Ok(())
    }

    fn end(self) -> Result<(), Fault> {
        if let Some(at) = self.url_safe {
            return Err(Fault::UrlSafe { at });
        }
        let is_whole = (self.digits + self.padding).is_multiple_of(4) && self.padding <= 2;
        match self.space {
            None if is_whole => Ok(()),
            None => Err(Fault::Cut { at: self.at }),
            Some((at, _)) if is_whole => Err(Fault::Space { at }),
            // Without the spaces it is still not base64: it is text.
            Some((at, character)) => Err(Fault::Foreign { at, character }),
        }
    }
}

/// The finding for a string that is not base64. `what` is the subject of its message.
pub(crate) fn finding(text: Text<'_>, fault: Fault, what: &str) -> Finding {
    let mark = |range: Range<usize>| Mark {
        span: text.place(range),
        pointer: Some(text.node().pointer().into()),
        file: None,
    };
    let one = |at: usize| mark(at..at + 1);
    let finding = match fault {
        Fault::Foreign { at, character: '=' } => Finding::new(format!("{what} is not base64"))
            .at(one(at), "padding is allowed only at the end"),
        Fault::Foreign { at, character } => Finding::new(format!("{what} is not base64"))
            .at(
                mark(at..at + character.len_utf8()),
                format!("`{}` is not allowed here", character.escape_debug()),
            )
            .help(if text.starts_with("data:") {
                "send only the part after the comma of the data URI"
            } else {
                "encode it again; readers cannot decode it and show nothing"
            }),
        Fault::UrlSafe { at } => {
            Finding::new(format!("{what} uses the URL-safe base64 alphabet, not the standard one"))
                .at(one(at), "a character of the URL-safe alphabet")
                .help("write `+` for `-` and `/` for `_`, and pad to a multiple of four")
        }
        Fault::Space { at } => Finding::new(format!("{what} contains whitespace"))
            .at(one(at), "not a base64 character")
            .help("send it without line breaks and spaces: strict readers refuse them"),
        Fault::Cut { at } => {
            Finding::new(format!("the length of {what} is not a multiple of four"))
                .at(mark(at..at), "padding or data is missing here")
                .help("pad it with `=` to a multiple of four characters")
        }
    };
    finding.unless_masked(is_redacted(text))
}

/// Whether a recorder seems to have shortened the string, or replaced it by a note such as
/// `<omitted>`.
fn is_redacted(text: Text<'_>) -> bool {
    let text = text.as_cow();
    let is_bracketed = (text.starts_with('<') && text.ends_with('>'))
        || (text.starts_with('[') && text.ends_with(']'));
    let marks = ["...", "…", "redact", "truncat", "omitted", "elided", "stripped", "***"];
    let lower = text.to_ascii_lowercase();
    is_bracketed || marks.iter().any(|mark| lower.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    fn of(json: &str) -> Result<(), Fault> {
        let mut tape = Tape::new();
        tape.parse(json).expect("the test's text is JSON");
        let doc = Doc::new(json, &tape, Origin::START);
        check(doc.root().text().expect("the test's text is a string"))
    }

    #[test]
    fn only_the_standard_form_is_base64() {
        for json in [r#""""#, r#""AAAA""#, r#""AA==""#, r#""AAA=""#, r#""a\/+\u0041""#] {
            assert_eq!(of(json), Ok(()), "{json}");
        }
        assert_eq!(of(r#""AA""#), Err(Fault::Cut { at: 2 }));
        assert_eq!(of(r#""A===""#), Err(Fault::Cut { at: 4 }));
        assert_eq!(of(r#""A-B_""#), Err(Fault::UrlSafe { at: 1 }));
        assert_eq!(of(r#""AAAA\nAAAA""#), Err(Fault::Space { at: 4 }));
        assert_eq!(of(r#""A=BA""#), Err(Fault::Foreign { at: 2, character: 'B' }));
        assert_eq!(of(r#""AAé=""#), Err(Fault::Foreign { at: 2, character: 'é' }));
    }
}
