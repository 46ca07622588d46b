//! Breaks up what CI servers and terminals obey in formats that keep texts as they are.
//!
//! Servers look for `##[…]`, `##vso[…]` and `##teamcity[…]` in all that a job prints, also in the middle
//! of a document. So no two `#` stand side by side in such formats: the second one is written as an
//! escape, which readers of the format read as `#`. JSON escapes the colon of `travis_fold:` and the
//! like, too. Terminals obey some control characters that JSON allows in its strings: these are written
//! as escapes as well.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{File, Report, Summary, Unread};
use crate::{
    diagnostic::Diagnostic,
    source::{COLON_WORDS, Locator, is_plain},
};

/// The escape for a `#` in HTML and XML that would complete a command for a CI server.
const HASH: &str = "&#35;";

/// Makes a JSON text harmless for terminals and CI servers that show it: control characters, each
/// second `#`, and the colon of `travis_fold:` and the like become escapes. Its strings keep their
/// meaning.
pub(crate) fn json(text: String) -> String {
    let is_harmless = |character| is_plain(character) || character == '\n';
    let may_command = ["##"].iter().chain(&COLON_WORDS).any(|part| text.contains(part));
    if !may_command && text.chars().all(is_harmless) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let completes_command = match character {
            '#' => out.ends_with('#'),
            ':' => COLON_WORDS.iter().any(|word| out.ends_with(word)),
            _ => false,
        };
        if is_harmless(character) && !completes_command {
            out.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Writes HTML or XML to `out`, and escapes the second of two `#`, so that a CI server finds no
/// command such as `##[…]` in the text.
pub(super) struct CommandEscaper<'w> {
    out: &'w mut dyn Write,
    /// Whether the last byte that was written is a `#`, so that a next one is escaped.
    is_behind: bool,
}

impl<'w> CommandEscaper<'w> {
    pub(super) fn new(out: &'w mut dyn Write) -> Self {
        Self { out, is_behind: false }
    }
}

impl Write for CommandEscaper<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for at in memchr::memchr_iter(b'#', buffer) {
            let is_behind = if at == 0 { self.is_behind } else { buffer[at - 1] == b'#' };
            if is_behind {
                self.out.write_all(&buffer[from..at])?;
                self.out.write_all(HASH.as_bytes())?;
                from = at + 1;
            }
        }
        self.out.write_all(&buffer[from..])?;
        if let Some(last) = buffer.last() {
            self.is_behind = *last == b'#';
        }
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A report in HTML or XML whose text is written through [`CommandEscaper`].
#[derive(Debug)]
pub(super) struct EscapedReport {
    pub(super) report: Box<dyn Report>,
}

impl Report for EscapedReport {
    fn begin(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.report.begin(summary, &mut CommandEscaper::new(out))
    }

    fn file(
        &mut self,
        file: &File<'_>,
        diagnostics: &[Diagnostic],
        locator: &mut Locator<'_>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.report.file(file, diagnostics, locator, &mut CommandEscaper::new(out))
    }

    fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        self.report.unread(unread, &mut CommandEscaper::new(out))
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.report.end(summary, &mut CommandEscaper::new(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_stand_side_by_side() {
        for pieces in [&["a##b###"][..], &["a#", "#b", "##", "#"], &["", "a##", "", "b###"]] {
            let mut out = Vec::new();
            let mut writer = CommandEscaper::new(&mut out);
            for piece in pieces {
                writer.write_all(piece.as_bytes()).expect("in memory");
            }
            let text = String::from_utf8(out).expect("a text");
            assert_eq!(text.replace("#&#35;", "##").replace("&#35;", "#"), pieces.concat());
            assert!(!text.contains("##"), "{text}");
        }
    }

    #[test]
    fn json_says_the_same() {
        for text in ["###", "a\u{9b}31m\u{85}\u{2028}", "\u{e0041}\u{202e}\u{7f}é😀", "plain\n"]
        {
            let json = json(serde_json::to_string(text).expect("a string"));
            assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
            assert!(!json.contains("##") && json.chars().all(is_plain), "{json}");
        }
        assert_eq!(json("\"###\"".to_owned()), "\"#\\u0023#\"");
        let folds = r#"{"travis_fold":"travis_fold:a section_start:1"}"#;
        let shown = r#"{"travis_fold":"travis_fold\u003aa section_start\u003a1"}"#;
        assert_eq!(json(folds.to_owned()), shown);
    }
}
