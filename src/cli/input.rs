//! Finds transcripts and reads them: once from beginning to end, and again at the places of diagnostics.
//!
//! Paths go in, and an [`Input`] comes out for each transcript; opened, it is a [`Transcript`]. What
//! is compressed or UTF-16 is decoded to UTF-8.
#![expect(clippy::disallowed_methods, reason = "this is where files are opened")]

use std::{
    ffi::OsStr,
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    mem,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use tempfile::SpooledTempFile;

use super::{
    bounded::Unpacking,
    checksum::{Checksum, Sum, Summed},
    decompress::{self, ByteOrder, Compression, Utf16Decoder},
    folders::{self, Finder, LeftOut},
    open_recording::{self, read_at},
    temporary::temp_error,
};
use crate::{report::Unread, source::Reread};

/// Endings of file names by which a file in a folder certainly is a transcript.
const CERTAIN: [&str; 5] = ["ndjson", "jsonl", "jsons", "traffic", "hydra"];
/// Endings of file names in folders that transcripts share with other files. Such a file is read,
/// and left out without a message if it has no ACP message.
const POSSIBLE: [&str; 3] = ["json", "log", "txt"];

/// Endings of compressed files, which may follow the ending of a transcript, as in `a.json.gz`.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// A transcript to be read and checked: standard input or a file.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Standard { name: String },
    File { path: PathBuf, certainty: Certainty },
}

/// Whether an input must be a transcript, so that it is an error when it has no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The input must be a transcript: the user has named it, or its name has an ending that only
    /// transcripts have.
    Sure,
    /// The input may be another kind of file: it was found in a folder, and its ending is one of
    /// many kinds of files.
    Perhaps,
}

/// An input that cannot be read, with the I/O error as the reason.
pub(super) fn unread(path: String, error: &io::Error) -> Unread {
    Unread { path, reason: error.to_string() }
}

impl Input {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard { name } => name.clone(),
            Self::File { path, .. } => folders::name(path),
        }
    }

    /// The path of the file that the input is read from; `None` for standard input.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard { .. } => None,
            Self::File { path, .. } => Some(path),
        }
    }

    /// Size of the stored file in bytes; 0 where it is not known before reading.
    pub(super) fn size(&self) -> u64 {
        match self {
            Self::Standard { .. } => 0,
            Self::File { path, .. } => path.metadata().map_or(0, |metadata| metadata.len()),
        }
    }

    pub(super) fn certainty(&self) -> Certainty {
        match self {
            Self::Standard { .. } => Certainty::Sure,
            Self::File { certainty, .. } => *certainty,
        }
    }

    /// Opens the input to be read from its beginning. `unpacking` limits the bytes that a
    /// compressed input may unpack to. Fails when the input cannot be opened.
    pub(super) fn open(&self, unpacking: Unpacking) -> io::Result<Transcript> {
        match self {
            Self::Standard { .. } => Transcript::once(io::stdin(), unpacking),
            Self::File { path, .. } => match Opened::at(path)? {
                Opened::Plain(file) => Ok(Transcript::again(file)),
                Opened::Other(file, size) => {
                    Ok(Transcript { size, ..Transcript::once(file, unpacking)? })
                }
            },
        }
    }

    /// Opens the input like `open`, and computes the checksum of its stored bytes while it is read;
    /// see [`Transcript::checksum`].
    pub(super) fn open_summed(&self, unpacking: Unpacking) -> io::Result<Transcript> {
        let (raw, size) = match self {
            Self::Standard { .. } => (Summed::new(io::stdin()), 0),
            Self::File { path, .. } => match Opened::at(path)? {
                Opened::Plain(file) => {
                    let sum = Sum::Here(Sha256::new());
                    return Ok(Transcript { sum, ..Transcript::again(file) });
                }
                Opened::Other(file, size) => (Summed::new(file), size),
            },
        };
        let transcript = Transcript::once(raw.clone(), unpacking)?;
        Ok(Transcript { size, sum: Sum::Below(raw), ..transcript })
    }
}

/// An open input file at its beginning: plain, or to be unpacked.
enum Opened {
    /// A file that is not compressed, so that any part of it can be read again.
    Plain(Plain),
    /// A compressed or UTF-16 file, a pipe or a device, which can be read once; and its size in
    /// bytes, 0 where it has none.
    Other(Box<dyn Read + Send>, u64),
}

impl Opened {
    fn at(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        let size = metadata.len();
        if !metadata.is_file() {
            return Ok(Self::Other(Box::new(file), size));
        }
        let mut beginning = [0; decompress::BEGINNING];
        let count = fill(&mut beginning, |_, rest| file.read(rest))?;
        let beginning = &beginning[..count];
        file.rewind()?;
        if Compression::known(beginning)? == Compression::None && ByteOrder::of(beginning).is_none()
        {
            let is_open = open_recording::is_open(&file);
            let size = if is_open {
                open_recording::whole_lines(&file, size)
            } else {
                file.metadata()?.len()
            };
            return Ok(Self::Plain(Plain { file, size, is_open }));
        }
        Ok(Self::Other(Box::new(file), size))
    }
}

/// A file that is neither compressed nor UTF-16, with its size in bytes.
#[derive(Debug)]
struct Plain {
    file: File,
    size: u64,
    /// Whether `acpcheck record` is still writing the file. Then it is read to the end of its last
    /// whole line, and `size` is the offset of that end.
    is_open: bool,
}

/// The inputs that the paths of a run stand for, and what was left out in folders.
#[derive(Debug)]
pub(super) struct Gathered {
    /// The inputs in the order of the paths, sorted by name within a folder, or why one cannot be
    /// read.
    pub(super) inputs: Vec<Result<Input, Unread>>,
    pub(super) left_out: LeftOut,
}

/// Finds the inputs that the paths stand for, each file once by whatever names it is reached. A
/// folder stands for the transcripts in it, `-` for standard input.
pub(super) fn gather(paths: &[PathBuf], stdin_name: &str) -> Gathered {
    let mut finder = Finder::new(paths);
    let mut inputs = Vec::new();
    let mut reads_stdin = false;
    for path in paths {
        if path.as_os_str() == "-" {
            if !mem::replace(&mut reads_stdin, true) {
                inputs.push(Ok(Input::Standard { name: stdin_name.to_owned() }));
            }
        } else if !path.is_dir() {
            if finder.is_new(path) {
                inputs.push(Ok(Input::File { path: path.clone(), certainty: Certainty::Sure }));
            }
        } else {
            // Without any where an earlier path stands for all of them.
            let found = finder.files_in(path, |name| certainty(name).is_some());
            match found.as_deref() {
                Some([]) => inputs.push(Err(without_transcripts(path))),
                _ => inputs.extend(found.into_iter().flatten().map(|path| {
                    let path = path?;
                    let certainty = path.file_name().and_then(certainty).unwrap_or(Certainty::Sure);
                    Ok(Input::File { path, certainty })
                })),
            }
        }
    }
    Gathered { inputs, left_out: finder.left_out() }
}

/// The path without links and `..`, by which two paths to one place compare as equal; the path
/// itself when nothing is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// An error for a folder in which no transcript was found.
fn without_transcripts(folder: &Path) -> Unread {
    let path = folders::name(folder);
    Unread { path, reason: "no transcript in this folder".to_owned() }
}

/// The folders among `paths` in which no transcript was found. `judged` and `skipped` are the names
/// of inputs with and without messages; `unread` is the number of those that could not be read.
pub(super) fn empty_folders<'n>(
    paths: &[PathBuf],
    judged: &(impl Iterator<Item = &'n str> + Clone),
    skipped: &[String],
    unread: usize,
) -> Vec<Unread> {
    if judged.clone().next().is_none() && unread == 0 {
        return paths.iter().map(|path| without_transcripts(path)).collect();
    }
    let folders = paths.iter().filter(|path| path.is_dir()).filter(|folder| {
        let is_inside = |name: &str| {
            let path = Path::new(name);
            path.starts_with(folder) || real(path).starts_with(real(folder))
        };
        skipped.iter().any(|name| is_inside(name)) && !judged.clone().any(is_inside)
    });
    folders.map(|folder| without_transcripts(folder)).collect()
}

/// The files in the current folder and below whose names only transcripts have. Looks three folders
/// deep, and at 5000 entries at most.
pub(super) fn transcripts_here() -> Vec<PathBuf> {
    /// How many levels of folders below a named folder are searched for transcripts; deeper ones
    /// are left out.
    const DEPTH: usize = 3;
    const ENTRIES: usize = 5000;
    let entries = walkdir::WalkDir::new(".").max_depth(DEPTH).sort_by_file_name();
    let entries = entries.into_iter().filter_entry(folders::is_shown).take(ENTRIES).flatten();
    let files = entries.filter(|entry| {
        entry.file_type().is_file() && certainty(entry.file_name()) == Some(Certainty::Sure)
    });
    files.map(|entry| entry.path().strip_prefix(".").unwrap_or(entry.path()).to_owned()).collect()
}

/// How sure a file in a folder is a transcript, by the ending of its name; `None` when it is none.
/// Endings of compressed files and the numbers of rotated logs are skipped.
fn certainty(name: &OsStr) -> Option<Certainty> {
    let mut name = name.as_encoded_bytes();
    loop {
        let dot = memchr::memrchr(b'.', name).filter(|dot| *dot > 0)?;
        let ending = &name[dot + 1..];
        name = &name[..dot];
        let is = |other: &&str| ending.eq_ignore_ascii_case(other.as_bytes());
        if CERTAIN.iter().any(is) {
            return Some(Certainty::Sure);
        }
        if POSSIBLE.iter().any(is) {
            return Some(Certainty::Perhaps);
        }
        if !COMPRESSED.iter().any(is) && !ending.iter().all(u8::is_ascii_digit) {
            return None;
        }
    }
}

/// The bytes of an input: read once from beginning to end, and again at the places of diagnostics.
#[derive(Debug)]
pub(super) struct Transcript {
    bytes: Bytes,
    /// Size of the input in bytes as it is stored; 0 where it is not known, as for standard input.
    size: u64,
    /// How many bytes, after unpacking and as UTF-8, have been read so far.
    read: u64,
    compression: Compression,
    is_utf16: bool,
    /// Why the transcript could not be read to its end, as a sentence without a full stop; `None`
    /// while it could.
    failure: Option<String>,
    sum: Sum,
}

enum Bytes {
    Again(Plain),
    /// An input that can be read only once, and a copy of what has been read of it.
    Once {
        from: Box<dyn Read + Send>,
        kept: SpooledTempFile,
        /// Whether the position in `kept` is not at its end, because an earlier place was read
        /// again for a diagnostic.
        is_elsewhere: bool,
    },
}

/// The note on a file that `acpcheck record` is still writing.
pub(super) const STILL_RECORDED: &str =
    "the connection is still being recorded; the messages so far are judged";

/// How many bytes of an input that can be read only once are kept in memory. The rest is kept in an
/// unnamed temporary file.
const IN_MEMORY: usize = 8 << 20;

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Again(_) => "Again",
            Self::Once { .. } => "Once",
        })
    }
}

impl Transcript {
    fn of(bytes: Bytes, compression: Compression) -> Self {
        let (is_utf16, failure) = (false, None);
        Self { bytes, size: 0, read: 0, compression, is_utf16, failure, sum: Sum::None }
    }

    fn again(file: Plain) -> Self {
        let size = file.size;
        Self { size, ..Self::of(Bytes::Again(file), Compression::None) }
    }

    /// A transcript from something that can be read only once, such as standard input:
    /// decompressed, decoded to UTF-8, and kept to be read again. Fails when reading fails.
    fn once(from: impl Read + Send + 'static, unpacking: Unpacking) -> io::Result<Self> {
        let (compression, from) = decompress::detect_compression(from)?;
        let decompressed = decompress::decompress(compression, from, unpacking);
        let said =
            |error: io::Error| io::Error::new(error.kind(), compression.failure(&error, true));
        let (order, decompressed) = decompress::detect_utf16(decompressed).map_err(said)?;
        let from: Box<dyn Read + Send> = match order {
            Some(order) => Box::new(Utf16Decoder::new(decompressed, order)),
            None => Box::new(decompressed),
        };
        let kept = SpooledTempFile::new(IN_MEMORY);
        let transcript = Self::of(Bytes::Once { from, kept, is_elsewhere: false }, compression);
        Ok(Self { is_utf16: order.is_some(), ..transcript })
    }

    /// Size in bytes as it is stored; 0 where it is not known before reading.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Whether `acpcheck record` is still writing the file.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.bytes, Bytes::Again(Plain { is_open: true, .. }))
    }

    /// Why the transcript could not be read to its end, as a sentence without a full stop; `None`
    /// when it could. Returns the reason once.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// A note on the file, as a sentence without a full stop: that it is still being recorded, or
    /// UTF-16.
    pub(super) fn note(&self) -> Option<String> {
        let wide = "the file is UTF-16, as Windows PowerShell writes it; acpcheck reads it as \
                    UTF-8 and counts bytes in UTF-8; the shell may have changed characters beyond \
                    ASCII";
        if self.is_open() {
            return Some(STILL_RECORDED.to_owned());
        }
        self.is_utf16.then(|| wide.to_owned())
    }

    /// Reads the next bytes into `buffer`; 0 at the end. An error after the first bytes also ends
    /// the transcript, and [`Transcript::failure`] has it.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.next(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let failure = self.compression.failure(&error, self.read == 0);
                    if self.read == 0 {
                        return Err(io::Error::new(error.kind(), failure));
                    }
                    self.failure = Some(failure);
                    return Ok(0);
                }
                read => return read,
            }
        }
    }

    fn next(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.bytes {
            Bytes::Again(Plain { file, size, is_open }) => {
                let rest = usize::try_from(size.saturating_sub(self.read)).unwrap_or(usize::MAX);
                let most = if *is_open { rest.min(buffer.len()) } else { buffer.len() };
                read_at(file, &mut buffer[..most], self.read)?
            }
            Bytes::Once { from, kept, is_elsewhere } => {
                let count = from.read(buffer)?;
                if mem::take(is_elsewhere) {
                    kept.seek(SeekFrom::Start(self.read))?;
                }
                kept.write_all(&buffer[..count]).map_err(temp_error)?;
                count
            }
        };
        if let Sum::Here(sum) = &mut self.sum {
            sum.update(&buffer[..count]);
        }
        self.read += count as u64;
        Ok(count)
    }

    /// Reads on to the offset `end` and keeps these bytes, so that they can be read again. Reads
    /// nothing when the file allows that anyway. Fails when reading fails.
    pub(super) fn keep_up_to(&mut self, end: u64) -> io::Result<()> {
        if matches!(self.bytes, Bytes::Again(_)) {
            return Ok(());
        }
        let mut block = vec![0; 64 * 1024];
        while self.read < end && self.read(&mut block)? > 0 {}
        Ok(())
    }

    /// The checksum of the stored bytes, after the rest was read. `None` unless the transcript was
    /// opened with [`Input::open_summed`]. Fails when reading fails.
    pub(super) fn checksum(self) -> io::Result<Option<Checksum>> {
        Ok(match self.sum {
            Sum::None => None,
            Sum::Here(sum) => Some(Checksum::of(sum, self.read)),
            Sum::Below(raw) => Some(raw.finish()?),
        })
    }
}

impl Reread for Transcript {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Again(Plain { file, .. }) => {
                fill(buffer, |filled, rest| read_at(file, rest, at + filled as u64))
            }
            Bytes::Once { kept, is_elsewhere, .. } => {
                *is_elsewhere = true;
                kept.seek(SeekFrom::Start(at))?;
                fill(buffer, |_, rest| kept.read(rest))
            }
        }
    }
}

/// Fills the buffer with several reads; fewer bytes only at the end of the file. Returns the number
/// of bytes. `read` gets the number of bytes so far and the rest of the buffer.
fn fill(
    buffer: &mut [u8],
    mut read: impl FnMut(usize, &mut [u8]) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(filled, &mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// For tests: the bytes of a file, the size that its transcript reports, and whether the file
    /// can be read at any place again.
    fn read(path: &Path) -> (Vec<u8>, u64, bool) {
        let input = Input::File { path: path.to_owned(), certainty: Certainty::Sure };
        let mut transcript = input.open(Unpacking::default()).expect("the file is there");
        let mut bytes = Vec::new();
        loop {
            let mut room = vec![0; 100_000];
            match transcript.read(&mut room).expect("the file can be read") {
                0 => break,
                count => bytes.extend_from_slice(&room[..count]),
            }
        }
        (bytes, transcript.size(), matches!(transcript.bytes, Bytes::Again(_)))
    }

    #[test]
    fn files_of_any_size_are_read_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("file");
        for size in (decompress::MAGIC - 1..=decompress::MAGIC + 1).chain([0, 1, 100_000, 300_000])
        {
            let bytes: Vec<u8> = (b'a'..=b'z').cycle().take(size).collect();
            fs::write(&path, &bytes).expect("the file can be written");
            let (read, told, is_plain) = read(&path);
            assert!(read == bytes, "{size} bytes");
            assert_eq!((told, is_plain), (size as u64, true), "{size} bytes");
        }
    }

    #[test]
    fn wide_characters_are_read_as_utf_8() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("file");
        let text = b"some text";
        let wide = text.iter().flat_map(|byte| [*byte, 0]);
        let wide: Vec<u8> = [0xff, 0xfe].into_iter().chain(wide).collect();
        fs::write(&path, &wide).expect("the file can be written");
        assert_eq!(read(&path), (text.to_vec(), wide.len() as u64, false));
    }

    /// For tests: files in `/proc` have no size, and return less than a reader asks for.
    #[test]
    #[cfg(target_os = "linux")]
    fn files_of_the_system_are_read_to_their_end() {
        let path = Path::new("/proc/self/smaps");
        let (bytes, ..) = read(path);
        let last = String::from_utf8(bytes).expect("a text").lines().last().map(str::to_owned);
        assert!(last.is_some_and(|line| line.starts_with("VmFlags")));
    }
}
