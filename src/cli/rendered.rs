//! Keeps the rendered diagnostics of one file in one format until they are written.
//!
//! Text goes in, a little at a time, and comes out again from its beginning. Long texts are kept in an
//! unnamed file.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek, Write},
};

use tempfile::{SpooledData, SpooledTempFile};

use super::temporary::temp_error;

/// How many bytes the texts of a file keep in memory, all formats together.
const IN_MEMORY: usize = 512 << 10;
/// How many bytes are read from an unnamed file at a time.
const AT_ONCE: usize = 64 << 10;

/// Takes the text of a file in one format.
#[derive(Debug)]
pub(super) struct Rendering(BufWriter<SpooledTempFile>);

/// The text, to be read from its beginning.
pub(super) type Rendered = Box<dyn BufRead + Send>;

impl Rendering {
    /// For a file that is rendered in `formats` formats.
    pub(super) fn of_one_in(formats: usize) -> Self {
        Self(BufWriter::new(SpooledTempFile::new(IN_MEMORY / formats.max(1))))
    }

    /// Ends the text, and returns it to be read.
    pub(super) fn finish(self) -> io::Result<Rendered> {
        let mut text = self.0.into_inner().map_err(|error| temp_error(error.into_error()))?;
        text.rewind().map_err(temp_error)?;
        Ok(match text.into_inner() {
            SpooledData::InMemory(text) => Box::new(text),
            SpooledData::OnDisk(file) => Box::new(BufReader::with_capacity(AT_ONCE, Spool(file))),
        })
    }
}

impl Write for Rendering {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.write(buffer).map_err(temp_error)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(temp_error)
    }
}

/// An unnamed file, whose failures are those of the temporary folder.
struct Spool(File);

impl io::Read for Spool {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(temp_error)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn texts_of_any_length_are_kept() {
        for count in [0, 1, IN_MEMORY / 10, IN_MEMORY] {
            let mut rendering = Rendering::of_one_in(3);
            for number in 0..count {
                writeln!(rendering, "{number}").expect("there is room");
            }
            let mut text = String::new();
            let mut rendered = rendering.finish().expect("there is room");
            rendered.read_to_string(&mut text).expect("it was kept");
            assert!(text.lines().map(str::to_owned).eq((0..count).map(|it| it.to_string())));
        }
    }
}
