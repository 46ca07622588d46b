//! Decompresses files and decodes UTF-16.
//!
//! Both are detected by the first bytes of a file. File names do not matter.

use std::{
    error::Error,
    io::{self, BufRead, BufReader, Chain, Cursor, Read},
};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

use super::{bounded::Unpacking, temporary::is_unkept};

/// The compression of a file, recognized by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstandard,
    /// A compression that acpcheck does not read: its name, and a command that decompresses it.
    Other(&'static str, &'static str),
}

/// How many bytes at the start of a file are needed to recognize its compression.
pub(super) const MAGIC: usize = 6;

/// A reader of a file from its beginning, after the first bytes were already read to examine them.
type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

impl Compression {
    /// The compression of a file, recognized by its first bytes.
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            // The magic numbers of a frame, and of frames that are skipped.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstandard,
            [b'P', b'K', 3, 4, ..] => Self::Other("zip", "unzip"),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Other("xz", "xz -d"),
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', ..] => Self::Other("bzip2", "bzip2 -d"),
            [0x04, 0x22, 0x4d, 0x18, ..] => Self::Other("lz4", "lz4 -d"),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Self::Other("7-Zip", "7z x"),
            _ => Self::None,
        }
    }

    /// The compression that the first bytes of a file show. For one that acpcheck does not read,
    /// the error says how to decompress the file.
    pub(super) fn known(magic: &[u8]) -> io::Result<Self> {
        let compression = Self::of(magic);
        if let Self::Other(name, command) = compression {
            let reason = format!("a {name} archive; unpack it first, for example with `{command}`");
            return Err(io::Error::new(io::ErrorKind::Unsupported, reason));
        }
        Ok(compression)
    }

    fn name(self) -> &'static str {
        match self {
            Self::None => "file",
            Self::Gzip => "gzip",
            Self::Zstandard => "Zstandard",
            Self::Other(name, _) => name,
        }
    }

    /// A sentence on why a file cannot be read to its end. `is_empty` says that none of it could be
    /// read.
    pub(super) fn failure(self, error: &io::Error, is_empty: bool) -> String {
        let what = match (self, error.kind()) {
            _ if is_unkept(error) => error.to_string(),
            (Self::None, _) if is_empty => return error.to_string(),
            (Self::None, _) => format!("reading fails: {error}"),
            (_, io::ErrorKind::FileTooLarge) => format!(
                "the {} file unpacks to more than {error} (`--max-unpacked` sets the limit)",
                self.name()
            ),
            (_, io::ErrorKind::UnexpectedEof) => {
                format!("the {} file is cut off before its end", self.name())
            }
            _ => format!("the {} file is damaged: {error}", self.name()),
        };
        if is_empty {
            format!("{what}; nothing can be read")
        } else {
            format!("{what}; only what came before was read")
        }
    }
}

/// Finds out how a file is compressed by its first bytes. Returns a reader of the file from its
/// beginning. Fails for a compression that acpcheck does not read.
pub(super) fn detect_compression<R: Read>(mut from: R) -> io::Result<(Compression, Peeked<R>)> {
    let mut magic = Vec::new();
    from.by_ref().take(MAGIC as u64).read_to_end(&mut magic)?;
    Ok((Compression::known(&magic)?, Cursor::new(magic).chain(from)))
}

/// A reader of the decompressed file, which fails when the contents exceed the limit in
/// `unpacking`. Without compression, reads the file as it is.
pub(super) fn decompress(
    compression: Compression,
    from: impl Read + Send + 'static,
    unpacking: Unpacking,
) -> Box<dyn Read + Send> {
    match compression {
        Compression::Gzip => {
            unpacking.bound(from, |from| Box::new(flate2::read::MultiGzDecoder::new(from)))
        }
        Compression::Zstandard => unpacking.bound(from, |from| Box::new(Frames::new(from))),
        Compression::None | Compression::Other(..) => Box::new(from),
    }
}

/// A reader that decompresses all frames of a Zstandard file, one after the other.
struct Frames<R> {
    from: BufReader<R>,
    decoder: FrameDecoder,
    /// Whether a frame has begun whose contents have not all been read.
    is_open: bool,
    /// The error in the current frame. All contents before the error are returned first; `None`
    /// while there is none.
    failure: Option<io::Error>,
    /// Whether all contents of the file have been read, or reading has failed.
    is_over: bool,
}

impl<R: Read> Frames<R> {
    fn new(from: R) -> Self {
        Self {
            from: BufReader::new(from),
            decoder: FrameDecoder::new(),
            is_open: false,
            failure: None,
            is_over: false,
        }
    }

    /// Begins the next frame of compressed data that has contents. Returns `false` at the end of
    /// the file. Fails for broken data.
    fn begin(&mut self) -> io::Result<bool> {
        loop {
            if self.from.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.from) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped =
                        io::copy(&mut self.from.by_ref().take(length.into()), &mut io::sink())?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(reason(error)),
            }
        }
    }

    /// Decompresses until some contents can be read, or the frame ends.
    fn advance(&mut self) {
        while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
            let step = || BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.decoder.decode_blocks(&mut self.from, step()) {
                self.failure = Some(reason(error));
                // The decoder returns its last bytes only at the end of a frame. So it gets one: an
                // empty last block, and a checksum.
                let end: &[u8] = &[1, 0, 0, 0, 0, 0, 0];
                if self.decoder.decode_blocks(end, step()).is_err() {
                    self.is_over = true;
                    return;
                }
            }
        }
    }

    /// Ends the current frame of compressed data. Fails with the error in the frame, or when its
    /// checksum is wrong.
    fn end(&mut self) -> io::Result<()> {
        self.is_open = false;
        if let Some(failure) = self.failure.take() {
            self.is_over = true;
            return Err(failure);
        }
        match self.decoder.get_checksum_from_data() {
            Some(stored) if self.decoder.get_calculated_checksum() != Some(stored) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum does not match"))
            }
            _ => Ok(()),
        }
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !self.is_over && !buffer.is_empty() {
            if !self.is_open && !self.begin()? {
                break;
            }
            self.is_open = true;
            self.advance();
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            self.end()?;
        }
        self.failure.take().map_or(Ok(0), Err)
    }
}

/// Converts an error of the decoder to an I/O error, keeping its kind, so that a file that ends too
/// early can be told from a broken one.
fn reason(error: FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(inner) = cause {
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            return io::Error::new(inner.kind(), error);
        }
        cause = inner.source();
    }
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// How many bytes at the start of a file are needed to recognize compression or UTF-16.
pub(super) const BEGINNING: usize = 64;

/// Recognizes a UTF-16 file by its byte order mark. Returns the byte order and the file behind the
/// mark; for any other file, `None` and the whole file. Fails when reading fails.
pub(super) fn detect_utf16<R: Read>(mut from: R) -> io::Result<(Option<ByteOrder>, Peeked<R>)> {
    let mut beginning = Vec::new();
    from.by_ref().take(BEGINNING as u64).read_to_end(&mut beginning)?;
    let order = ByteOrder::of(&beginning);
    if order.is_some() {
        beginning.drain(..2);
    }
    Ok((order, Cursor::new(beginning).chain(from)))
}

/// The byte order of a UTF-16 file, as its byte order mark shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    /// The index, 0 or 1, of the high byte within the two bytes of a unit.
    fn high(self) -> usize {
        match self {
            Self::Little => 1,
            Self::Big => 0,
        }
    }

    /// The byte order of a file by its byte order mark. `None` without a mark, and when text
    /// without any ASCII character follows it, since that is not UTF-16 with messages.
    pub(super) fn of(beginning: &[u8]) -> Option<Self> {
        let (order, rest) = match beginning {
            [0xff, 0xfe, rest @ ..] => (Self::Little, rest),
            [0xfe, 0xff, rest @ ..] => (Self::Big, rest),
            _ => return None,
        };
        // Texts with messages in them have characters of ASCII. The mark alone is what a program may
        // have printed into a text of single bytes.
        let has_ascii = rest.chunks_exact(2).any(|unit| unit[order.high()] == 0);
        (has_ascii || rest.len() < 2).then_some(order)
    }
}

/// A reader that decodes UTF-16 to UTF-8. What is not valid becomes the replacement character.
pub(super) struct Utf16Decoder<R> {
    from: R,
    order: ByteOrder,
    /// Bytes that were read and cannot be decoded yet: half a unit, or half of a surrogate pair.
    rest: Vec<u8>,
    decoded: Cursor<Vec<u8>>,
}

impl<R: Read> Utf16Decoder<R> {
    pub(super) fn new(from: R, order: ByteOrder) -> Self {
        Self { from, order, rest: Vec::new(), decoded: Cursor::default() }
    }

    /// Decodes the next block of the file into UTF-8. Returns `false` at the end. Fails when
    /// reading fails.
    fn advance(&mut self) -> io::Result<bool> {
        const BLOCK: u64 = 64 * 1024;
        let count = self.from.by_ref().take(BLOCK).read_to_end(&mut self.rest)?;
        let mut units: Vec<u16> = self
            .rest
            .chunks_exact(2)
            .map(|unit| match self.order {
                ByteOrder::Little => u16::from_le_bytes([unit[0], unit[1]]),
                ByteOrder::Big => u16::from_be_bytes([unit[0], unit[1]]),
            })
            .collect();
        let is_end = count == 0;
        let is_half = units.last().is_some_and(|unit| matches!(unit, 0xd800..=0xdbff));
        if is_half && !is_end {
            units.pop();
        }
        self.rest.drain(..units.len() * 2);
        let mut text: String = char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        if is_end && !self.rest.is_empty() {
            self.rest.clear();
            text.push(char::REPLACEMENT_CHARACTER);
        }
        self.decoded = Cursor::new(text.into_bytes());
        Ok(!is_end || !self.decoded.get_ref().is_empty())
    }
}

impl<R: Read> Read for Utf16Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.decoded.read(buffer)?;
            if count > 0 || buffer.is_empty() || !self.advance()? {
                return Ok(count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For tests: a reader of a slice that returns at most three bytes at a time.
    struct Pieces<'b>(&'b [u8]);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = buffer.len().min(self.0.len()).min(3);
            self.0.read(&mut buffer[..count])
        }
    }

    fn zstandard(text: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(text, ruzstd::encoding::CompressionLevel::Fastest)
    }

    /// Unpacks bytes as far as possible: the contents, and the kind of the error that ended them
    /// (`None` at a proper end).
    fn decompressed(bytes: &[u8]) -> (String, Option<io::ErrorKind>) {
        let (compression, whole) = detect_compression(Pieces(bytes)).unwrap();
        let mut text = Vec::new();
        let mut from: Box<dyn Read> = match compression {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(whole)),
            _ => Box::new(Frames::new(whole)),
        };
        let error = from.read_to_end(&mut text).err().map(|error| error.kind());
        (String::from_utf8(text).unwrap(), error)
    }

    #[test]
    fn all_frames_are_read() {
        let skipped = [0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, b'x', b'y', b'z'];
        let bytes = [&skipped, &*zstandard(b"one "), &skipped, &zstandard(b""), &zstandard(b"two")]
            .concat();
        assert_eq!(decompressed(&bytes), ("one two".to_owned(), None));
    }

    #[test]
    fn contents_before_a_cut_are_read() {
        let text: String = (0..60_000).map(|number| format!("{number:08}\n")).collect();
        let bytes = [zstandard(b"first\n"), zstandard(text.as_bytes())].concat();
        let mut most = 0;
        for cut in (20..bytes.len()).step_by(bytes.len() / 40) {
            let (before, error) = decompressed(&bytes[..cut]);
            assert_eq!(error, Some(io::ErrorKind::UnexpectedEof), "{cut}");
            assert!(format!("first\n{text}").starts_with(&before), "{cut}");
            assert!(before.len() >= most, "{cut}");
            most = before.len();
        }
        // Blocks have up to 128 KiB of contents.
        assert!(most > 200_000, "{most}");
        assert_eq!(decompressed(&bytes), (format!("first\n{text}"), None));
    }

    #[test]
    fn damage_is_an_error() {
        let mut bytes = zstandard(b"some contents, some contents, some contents");
        bytes.extend(b"and more");
        assert_eq!(decompressed(&bytes).1, Some(io::ErrorKind::InvalidData));
    }

    #[test]
    fn utf_16_becomes_utf_8() {
        let text = "{\"a\":\"über 😀 日本\"}\r\n".repeat(9000);
        for (order, mark) in [(ByteOrder::Little, [0xff, 0xfe]), (ByteOrder::Big, [0xfe, 0xff])] {
            let bytes = |unit: u16| match order {
                ByteOrder::Little => unit.to_le_bytes(),
                ByteOrder::Big => unit.to_be_bytes(),
            };
            let wide: Vec<u8> =
                mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect();
            let (found, rest) = detect_utf16(wide.as_slice()).unwrap();
            assert_eq!(found, Some(order));
            let mut decoded = String::new();
            Utf16Decoder::new(rest, order).read_to_string(&mut decoded).unwrap();
            assert!(decoded == text);
            let mut decoded = String::new();
            Utf16Decoder::new(&wide[2..wide.len() - 1], order)
                .read_to_string(&mut decoded)
                .unwrap();
            assert!(decoded.ends_with("\r\u{fffd}"), "{order:?}");
        }
    }
}
