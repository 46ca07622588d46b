//! The written diagnostics of one file, until it is their turn.

use std::{
    fs::File,
    io::{self, BufReader, BufWriter, Read, Seek, Write},
    mem,
};

use super::temporary::unkept;
use crate::report::Format;

/// How much all sheets of a file keep in memory; what goes beyond is kept in unnamed files.
const IN_MEMORY: usize = 1 << 19;
/// How much of that is taken at first.
const FIRST: usize = 4 << 10;
/// How much goes into such a file at a time.
const AT_ONCE: usize = 64 << 10;

/// Diagnostics in writing.
///
/// How many others a diagnostic stands for is known only at the end of its file, so the sheet
/// remembers where that is to be added.
#[derive(Debug)]
pub(super) struct Sheet {
    /// What is not in the file.
    text: Vec<u8>,
    /// How much of it is kept in memory, in bytes, before there is a file.
    room: usize,
    file: Option<BufWriter<File>>,
    /// That of all of it.
    length: u64,
    /// (Number of the diagnostic, offset in the text), ascending.
    gaps: Vec<(u64, u64)>,
}

impl Sheet {
    /// One of so many for a file.
    pub(super) fn one_of(sheets: usize) -> Self {
        let room = IN_MEMORY / sheets.max(1);
        Self { text: Vec::new(), room, file: None, length: 0, gaps: Vec::new() }
    }

    /// Adds what is written; returns what comes of that.
    pub(super) fn add<T>(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.text.capacity() == 0 {
            self.text.reserve(FIRST);
        }
        let before = self.text.len();
        let written = write(&mut self.text)?;
        self.length += (self.text.len() - before) as u64;
        if self.file.is_some() || self.text.len() > self.room {
            self.put_away().map_err(unkept)?;
        }
        Ok(written)
    }

    /// Puts the text into the file.
    fn put_away(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::with_capacity(AT_ONCE, tempfile::tempfile()?)),
        };
        file.write_all(&self.text)?;
        self.clear();
        Ok(())
    }

    /// Remembers that something may have to be added about a diagnostic, so many bytes before the
    /// end of the text.
    pub(super) fn leave_gap(&mut self, index: u64, before_end: usize) {
        self.gaps.push((index, self.length.saturating_sub(before_end as u64)));
    }

    /// Writes everything, with what is to be said of the diagnostics that stand for others. There is
    /// nothing on the sheet then.
    pub(super) fn write(
        &mut self,
        format: Format,
        repeats: &[(u64, u64)],
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let gaps = mem::take(&mut self.gaps);
        self.length = 0;
        let Some(file) = self.file.take() else {
            write(&mut self.text.as_slice(), &gaps, format, repeats, out)?;
            self.clear();
            return Ok(());
        };
        let mut file = file.into_inner().map_err(|error| unkept(error.into_error()))?;
        file.rewind()?;
        let mut file = BufReader::with_capacity(AT_ONCE, file);
        write(&mut file, &gaps, format, repeats, out)
    }

    /// Forgets what is not in the file, and keeps some room.
    fn clear(&mut self) {
        self.text.clear();
        self.text.shrink_to(AT_ONCE);
    }
}

fn write(
    mut text: &mut dyn Read,
    gaps: &[(u64, u64)],
    format: Format,
    repeats: &[(u64, u64)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut written = 0;
    let mut gaps = gaps.iter();
    for (index, more) in repeats {
        let Some((_, offset)) = gaps.find(|(gap, _)| gap == index) else { continue };
        io::copy(&mut (&mut text).take(offset - written), out)?;
        written = *offset;
        out.write_all(format.repeats(*more).as_bytes())?;
    }
    io::copy(text, out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_added_where_they_belong() {
        // All of it in memory, half of it, or next to nothing.
        for sheets in [1, IN_MEMORY / 25, IN_MEMORY] {
            let mut sheet = Sheet::one_of(sheets);
            let mut out = Vec::new();
            // The second time on what is as good as new.
            for _ in 0..2 {
                for (index, is_keyed) in [(0, true), (1, false), (2, true), (3, true)] {
                    let line = format!("finding {index}\n");
                    let added = sheet.add(|text| {
                        text.extend_from_slice(line.as_bytes());
                        Ok(())
                    });
                    added.expect("it can be kept");
                    if is_keyed {
                        sheet.leave_gap(index, 1);
                    }
                }
                sheet.write(Format::Concise, &[(0, 41), (3, 1)], &mut out).expect("it was kept");
                let text = String::from_utf8(mem::take(&mut out)).expect("only text was pushed");
                let expected = "finding 0 (and 41 more like it)\nfinding 1\nfinding 2\n\
                                finding 3 (and 1 more like it)\n";
                assert_eq!(text, expected, "for {sheets}");
            }
            sheet.write(Format::Concise, &[(0, 41)], &mut out).expect("there is nothing");
            assert!(out.is_empty(), "for {sheets}");
        }
    }
}
