//! Breaks up what CI servers obey in formats that keep texts as they are.
//!
//! Servers look for `##[…]`, `##vso[…]` and `##teamcity[…]` in all that a job prints, also in the middle
//! of a JSON document. So no two `#` stand side by side in such formats: the second one is written as an
//! escape, which readers of the format read as `#`.

use std::io::{self, BufRead, Write};

use super::{File, Report, Summary, Unread};

/// How a `#` is written in JSON where it must not be one.
pub(super) const IN_JSON: &str = "\\u0023";
/// How a `#` is written in HTML and XML where it must not be one.
pub(super) const IN_HTML: &str = "&#35;";

/// A JSON text without commands of CI servers.
pub(super) fn json(text: &str) -> String {
    text.replace("##", &format!("#{IN_JSON}"))
}

/// Takes a text in pieces, and writes it with each second `#` as an escape.
pub(super) struct Unobeyed<'w> {
    out: &'w mut dyn Write,
    escape: &'static str,
    /// Whether the last piece ended with `#`.
    is_behind: bool,
}

impl<'w> Unobeyed<'w> {
    pub(super) fn new(out: &'w mut dyn Write, escape: &'static str) -> Self {
        Self { out, escape, is_behind: false }
    }
}

impl Write for Unobeyed<'_> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let mut from = 0;
        for at in memchr::memchr_iter(b'#', buffer) {
            let is_behind = if at == 0 { self.is_behind } else { buffer[at - 1] == b'#' };
            if is_behind {
                self.out.write_all(&buffer[from..at])?;
                self.out.write_all(self.escape.as_bytes())?;
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

/// A report whose text is written through [`Unobeyed`].
#[derive(Debug)]
pub(super) struct UnobeyedReport {
    pub(super) report: Box<dyn Report>,
    pub(super) escape: &'static str,
}

impl Report for UnobeyedReport {
    fn begin(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.report.begin(summary, &mut Unobeyed::new(out, self.escape))
    }

    fn file(
        &mut self,
        file: &File<'_>,
        rendered: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        self.report.file(file, rendered, &mut Unobeyed::new(out, self.escape))
    }

    fn unread(&mut self, unread: &Unread, out: &mut dyn Write) -> io::Result<()> {
        self.report.unread(unread, &mut Unobeyed::new(out, self.escape))
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.report.end(summary, &mut Unobeyed::new(out, self.escape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_stand_side_by_side() {
        for pieces in [&["a##b###"][..], &["a#", "#b", "##", "#"], &["", "a##", "", "b###"]] {
            let mut out = Vec::new();
            let mut writer = Unobeyed::new(&mut out, "&#35;");
            for piece in pieces {
                writer.write_all(piece.as_bytes()).expect("in memory");
            }
            let text = String::from_utf8(out).expect("a text");
            assert_eq!(text.replace("#&#35;", "##").replace("&#35;", "#"), pieces.concat());
            assert!(!text.contains("##"), "{text}");
        }
        assert_eq!(json("###"), "#\\u0023#");
    }
}
