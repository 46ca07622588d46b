//! Finds transcripts and reads them: once from beginning to end, and again at the places of diagnostics.
//!
//! Paths go in, and an [`Input`] comes out for each transcript; opened, it is a [`Transcript`]. What
//! is compressed or UTF-16 is decoded to UTF-8.
#![expect(clippy::disallowed_methods, reason = "this is where files are opened")]

use std::{
    collections::HashSet,
    ffi::OsStr,
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    mem,
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};
use tempfile::SpooledTempFile;
use walkdir::{DirEntry, WalkDir};

use super::{
    checksum::{Checksum, Sum, Summed},
    decompress::{self, ByteOrder, Compression, Utf16Decoder},
    open_recording::{self, read_at},
    temporary::unkept,
};
use crate::{report::Unread, source::Reread};

/// Endings of transcripts in folders.
const CERTAIN: [&str; 5] = ["ndjson", "jsonl", "jsons", "traffic", "hydra"];
/// Endings of transcripts, and of other files.
const POSSIBLE: [&str; 3] = ["json", "log", "txt"];

/// Endings of compressed files.
const COMPRESSED: [&str; 2] = ["gz", "zst"];

/// A transcript to be judged.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Standard { name: String },
    File { path: PathBuf, certainty: Certainty },
}

/// Whether an input must be a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// It must: the user named it, or its name ends as only those of transcripts do.
    Sure,
    /// It may be another file: it was found in a folder, and its name ends as many do.
    Perhaps,
}

/// An input that cannot be read, with the error as the reason.
pub(super) fn unread(path: String, error: &io::Error) -> Unread {
    Unread { path, reason: error.to_string() }
}

impl Input {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard { name } => name.clone(),
            Self::File { path, .. } => {
                let name = path.to_string_lossy().into_owned();
                // Reports made on one system are read on others.
                if cfg!(windows) { name.replace('\\', "/") } else { name }
            }
        }
    }

    /// The file it is read from.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard { .. } => None,
            Self::File { path, .. } => Some(path),
        }
    }

    /// Size in bytes, where it is known beforehand.
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

    /// Opens it, to be read from its beginning.
    pub(super) fn open(&self) -> io::Result<Transcript> {
        match self {
            Self::Standard { .. } => Transcript::once(io::stdin()),
            Self::File { path, .. } => match Opened::at(path)? {
                Opened::Plain(file) => Ok(Transcript::again(file)),
                Opened::Other(file, size) => Ok(Transcript { size, ..Transcript::once(file)? }),
            },
        }
    }

    /// Opens it with the checksum of the bytes as they are stored, see [`Transcript::checksum`].
    pub(super) fn open_summed(&self) -> io::Result<Transcript> {
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
        let transcript = Transcript::once(raw.clone())?;
        Ok(Transcript { size, sum: Sum::Below(raw), ..transcript })
    }
}

/// An open file, at its beginning.
enum Opened {
    /// A file that is read as it is, and more than once.
    Plain(Plain),
    /// A compressed file, a pipe or a device, and its size in bytes; 0 where it has none.
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
        let mut beginning = [0; decompress::MAGIC];
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

/// A file that is read as it is, and its size in bytes.
#[derive(Debug)]
struct Plain {
    file: File,
    size: u64,
    /// `acpcheck record` is still writing it. It is read to the end of its last whole line, which is
    /// then its size.
    is_open: bool,
}

/// What the paths stand for, in their order, each once, however it is spelled; folders stand for the
/// transcripts in them, by name.
pub(super) fn gather(paths: &[PathBuf], stdin_name: &str) -> Vec<Result<Input, Unread>> {
    let mut named = HashSet::new();
    let mut files = HashSet::new();
    let mut inputs = Vec::new();
    for path in paths.iter().filter(|path| named.insert(real(path))) {
        if path.as_os_str() == "-" {
            inputs.push(Ok(Input::Standard { name: stdin_name.to_owned() }));
            continue;
        }
        let mut found: Vec<_> = if path.is_dir() {
            walk(path).collect()
        } else {
            vec![Ok(Input::File { path: path.clone(), certainty: Certainty::Sure })]
        };
        if found.is_empty() {
            inputs.push(Err(without_transcripts(path)));
            continue;
        }
        if paths.len() > 1 {
            // What an earlier path stands for is there already.
            let real = |input: &Result<Input, Unread>| input.as_ref().ok()?.path().map(real);
            found.retain(|input| real(input).is_none_or(|path| !files.contains(&path)));
            files.extend(found.iter().filter_map(real));
        }
        inputs.extend(found);
    }
    inputs
}

/// The path by which a file is the same however it is spelled, where there is one.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// A folder as an input that cannot be judged.
fn without_transcripts(folder: &Path) -> Unread {
    let path = folder.display().to_string();
    Unread { path, reason: "no transcript in this folder".to_owned() }
}

/// The folders among the paths that have no transcript. `judged`, `skipped`: the names of the inputs
/// that were judged, and of those that need not be transcripts and are not; `unread`: the number of
/// those that could not be read.
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

/// Like [`gather`], without the files of `reports`, which are to be written: earlier ones may stand
/// among the transcripts. An error where the user names one of them as a transcript, as a sentence
/// without a full stop.
pub(super) fn gather_beside<'r>(
    paths: &[PathBuf],
    stdin_name: &str,
    reports: impl IntoIterator<Item = &'r Path>,
) -> Result<Vec<Result<Input, Unread>>, String> {
    let mut inputs = gather(paths, stdin_name);
    let reports: Vec<_> = reports.into_iter().filter_map(|path| path.canonicalize().ok()).collect();
    if reports.is_empty() {
        return Ok(inputs);
    }
    let is_report = |path: &Path| path.canonicalize().is_ok_and(|path| reports.contains(&path));
    if let Some(path) = paths.iter().find(|path| path.is_file() && is_report(path)) {
        return Err(format!(
            "`{}` is an input and an output; write to another file",
            path.display()
        ));
    }
    inputs.retain(|input| match input {
        Ok(input) => !input.path().is_some_and(is_report),
        Err(_) => true,
    });
    Ok(inputs)
}

fn walk(folder: &Path) -> impl Iterator<Item = Result<Input, Unread>> {
    files(folder).filter_map(|path| match path {
        Ok(path) => {
            let certainty = certainty(path.file_name()?)?;
            Some(Ok(Input::File { path, certainty }))
        }
        Err(unread) => Some(Err(unread)),
    })
}

/// The files in a folder whose names end in `.ending`, by name.
pub(super) fn files_in(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, Unread> {
    let is_meant = |path: &PathBuf| path.extension().is_some_and(|it| it == ending);
    files(folder).filter(|path| path.as_ref().map_or(true, is_meant)).collect()
}

/// All files in a folder, by name.
fn files(folder: &Path) -> impl Iterator<Item = Result<PathBuf, Unread>> {
    WalkDir::new(folder)
        .follow_links(true)
        // By name; what precedes the names in a folder is the same.
        .sort_by(|one, other| one.path().as_os_str().cmp(other.path().as_os_str()))
        .into_iter()
        .filter_entry(is_shown)
        .filter_map(|entry| match entry {
            Ok(entry) if entry.file_type().is_file() => Some(Ok(entry.into_path())),
            Ok(_) => None,
            // What a link leads back to is visited anyway.
            Err(error) if error.loop_ancestor().is_some() => None,
            Err(error) => {
                let name = error.path().unwrap_or(Path::new("?")).display().to_string();
                let reason = match error.io_error() {
                    Some(error) => error.to_string(),
                    None => error.to_string(),
                };
                Some(Err(Unread { path: name, reason }))
            }
        })
}

/// Whether an entry is looked at: not if it is hidden, unless it is the folder that was named.
fn is_shown(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Whether a file in a folder is a transcript, as its name tells: without the endings of packed
/// files, and the numbers of older parts of logs.
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

/// The bytes of an input: read once from beginning to end, and again wherever a diagnostic points.
#[derive(Debug)]
pub(super) struct Transcript {
    bytes: Bytes,
    /// As it is stored, where that is known.
    size: u64,
    /// How far it has been read.
    read: u64,
    compression: Compression,
    is_utf16: bool,
    /// Why it could not be read to its end, as a sentence without a full stop.
    failure: Option<String>,
    sum: Sum,
}

enum Bytes {
    Again(Plain),
    /// What can be read but once, and what has been read of it.
    Once {
        from: Box<dyn Read + Send>,
        kept: SpooledTempFile,
        /// Whether that stands somewhere else than at its end.
        is_elsewhere: bool,
    },
}

/// What is said of a file that `acpcheck record` is still writing.
pub(super) const STILL_RECORDED: &str =
    "the connection is still being recorded; the messages so far are judged";

/// How much of an input that can be read but once is kept in memory; what goes beyond is kept in an
/// unnamed file.
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

    /// What can be read but once, or not as it is: decompressed, and as UTF-8.
    fn once(from: impl Read + Send + 'static) -> io::Result<Self> {
        let (compression, from) = decompress::detect_compression(from)?;
        let decompressed = decompress::decompress(compression, from);
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

    /// Size in bytes as it is stored, where that is known beforehand.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Whether `acpcheck record` is still writing it.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.bytes, Bytes::Again(Plain { is_open: true, .. }))
    }

    /// Why it could not be read to its end, as a sentence without a full stop.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// What is to be said about it, as a sentence without a full stop.
    pub(super) fn note(&self) -> Option<String> {
        let wide = "the file is UTF-16, as Windows PowerShell writes it; acpcheck reads it as \
                    UTF-8 and counts bytes in UTF-8; the shell may have changed characters beyond \
                    ASCII";
        if self.is_open() {
            return Some(STILL_RECORDED.to_owned());
        }
        self.is_utf16.then(|| wide.to_owned())
    }

    /// Reads the next bytes; none at the end, and none where reading fails later than at the
    /// beginning.
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
                kept.write_all(&buffer[..count]).map_err(unkept)?;
                count
            }
        };
        if let Sum::Here(sum) = &mut self.sum {
            sum.update(&buffer[..count]);
        }
        self.read += count as u64;
        Ok(count)
    }

    /// The checksum of the bytes as they are stored, when all have been read; `None` where it was
    /// not asked for.
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

/// Fills the buffer, less only at the end, and returns how many bytes are in it. `read` reads into the
/// rest of the buffer, and is told how many bytes come before that.
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

    /// The bytes of a file, the size that it is held to have, and whether it is read as it is.
    fn read(path: &Path) -> (Vec<u8>, u64, bool) {
        let input = Input::File { path: path.to_owned(), certainty: Certainty::Sure };
        let mut transcript = input.open().expect("the file is there");
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

    /// Files of the system tell no size, and give less than is asked for.
    #[test]
    #[cfg(target_os = "linux")]
    fn files_of_the_system_are_read_to_their_end() {
        let path = Path::new("/proc/self/smaps");
        let (bytes, ..) = read(path);
        let last = String::from_utf8(bytes).expect("a text").lines().last().map(str::to_owned);
        assert!(last.is_some_and(|line| line.starts_with("VmFlags")));
    }
}
