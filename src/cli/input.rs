//! Which transcripts are meant, and how they are read: in blocks, and again in places.
#![expect(clippy::disallowed_methods, reason = "this is where files are opened")]

use std::{
    collections::HashSet,
    fmt,
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest, Sha256};
use tempfile::SpooledTempFile;
use walkdir::{DirEntry, WalkDir};

use crate::source::Reread;

/// Endings of transcripts in folders.
const CERTAIN: [&str; 4] = ["ndjson", "jsonl", "jsons", "traffic"];
/// Endings of transcripts and of much else.
const POSSIBLE: [&str; 3] = ["json", "log", "txt"];

/// Endings of packed files.
const PACKED: [&str; 2] = ["gz", "zst"];

/// Something to be judged.
#[derive(Clone, Debug)]
pub(super) enum Input {
    Standard { name: String },
    File { path: PathBuf, claim: Claim },
}

/// Why a file is held to be a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// The user named it, or its name ends as only transcripts do.
    Sure,
    /// It was found in a folder, and its name ends as many do.
    Perhaps,
}

/// An input that is not there.
#[derive(Clone, Debug)]
pub(super) struct Missing {
    pub(super) name: String,
    pub(super) reason: String,
}

impl Input {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard { name } => name.clone(),
            Self::File { path, .. } => {
                let name = path.display().to_string();
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

    pub(super) fn claim(&self) -> Claim {
        match self {
            Self::Standard { .. } => Claim::Sure,
            Self::File { claim, .. } => *claim,
        }
    }

    pub(super) fn open(&self) -> io::Result<Transcript> {
        let bytes = match self {
            Self::Standard { .. } => Bytes::of(io::stdin())?,
            Self::File { path, .. } => {
                let mut file = File::open(path)?;
                match packing(&mut file)? {
                    Some(Packing::None) => Bytes::Again(file),
                    Some(packing) => Bytes::once(packing.unpack(file)?),
                    None => Bytes::of(file)?,
                }
            }
        };
        Ok(Transcript { bytes, read: 0, is_elsewhere: false, sum: Sum::None })
    }

    /// The same, and it can tell the checksum of the bytes as they are stored.
    pub(super) fn open_summed(&self) -> io::Result<Transcript> {
        let (bytes, sum) = match self {
            Self::Standard { .. } => {
                let raw = Summed::new(io::stdin());
                (Bytes::of(raw.clone())?, Sum::Below(raw))
            }
            Self::File { path, .. } => {
                let mut file = File::open(path)?;
                match packing(&mut file)? {
                    Some(Packing::None) => (Bytes::Again(file), Sum::Here(Sha256::new())),
                    Some(packing) => {
                        let raw = Summed::new(file);
                        (Bytes::once(packing.unpack(raw.clone())?), Sum::Below(raw))
                    }
                    None => {
                        let raw = Summed::new(file);
                        (Bytes::of(raw.clone())?, Sum::Below(raw))
                    }
                }
            }
        };
        Ok(Transcript { bytes, read: 0, is_elsewhere: false, sum })
    }
}

/// What the paths stand for, in their order, each once; folders stand for the transcripts in them,
/// by name.
pub(super) fn gather(paths: &[PathBuf], stdin_name: &str) -> Vec<Result<Input, Missing>> {
    let mut seen = HashSet::new();
    let mut inputs = Vec::new();
    for path in paths.iter().filter(|path| seen.insert((*path).clone())) {
        if path.as_os_str() == "-" {
            inputs.push(Ok(Input::Standard { name: stdin_name.to_owned() }));
        } else if path.is_dir() {
            inputs.extend(walk(path));
        } else {
            inputs.push(Ok(Input::File { path: path.clone(), claim: Claim::Sure }));
        }
    }
    let mut files = HashSet::new();
    inputs.retain(|input| match input {
        Ok(Input::File { path, .. }) => files.insert(path.clone()),
        Ok(Input::Standard { .. }) | Err(_) => true,
    });
    inputs
}

fn walk(folder: &Path) -> impl Iterator<Item = Result<Input, Missing>> {
    let is_shown = |entry: &DirEntry| entry.depth() == 0 || !is_hidden(entry);
    WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_shown)
        .filter_map(|entry| match entry {
            Ok(entry) if entry.file_type().is_file() => {
                let claim = claim(entry.path())?;
                Some(Ok(Input::File { path: entry.into_path(), claim }))
            }
            Ok(_) => None,
            // What a link leads back to is visited anyway.
            Err(error) if error.loop_ancestor().is_some() => None,
            Err(error) => {
                let name = error.path().unwrap_or(Path::new("?")).display().to_string();
                let reason = match error.io_error() {
                    Some(error) => error.to_string(),
                    None => error.to_string(),
                };
                Some(Err(Missing { name, reason }))
            }
        })
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}

/// Whether a file in a folder is a transcript, as its name tells.
fn claim(path: &Path) -> Option<Claim> {
    let ending = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    let own = ending(path)?;
    let inner =
        if PACKED.contains(&own.as_str()) { ending(path.file_stem()?.as_ref())? } else { own };
    let ending = inner.as_str();
    if CERTAIN.contains(&ending) {
        Some(Claim::Sure)
    } else if POSSIBLE.contains(&ending) {
        Some(Claim::Perhaps)
    } else {
        None
    }
}

/// The bytes of an input: read once from beginning to end, and again wherever a diagnostic points.
#[derive(Debug)]
pub(super) struct Transcript {
    bytes: Bytes,
    /// How far it has been read.
    read: u64,
    /// Whether the file stands somewhere else than there.
    is_elsewhere: bool,
    sum: Sum,
}

/// Where the checksum of the stored bytes is made.
#[derive(Debug)]
enum Sum {
    None,
    /// Here: what is read is what is stored.
    Here(Sha256),
    /// Where they are read, to be unpacked.
    Below(Summed),
}

/// SHA-256 and length of bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checksum {
    /// In hexadecimal.
    pub(super) sha256: String,
    pub(super) bytes: u64,
}

/// Reads bytes and sums them up. Copies read the same bytes by turns.
#[derive(Clone)]
struct Summed(Arc<Mutex<Raw>>);

struct Raw {
    from: Box<dyn Read + Send>,
    sum: Sha256,
    read: u64,
}

impl Summed {
    fn new(from: impl Read + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Raw { from: Box::new(from), sum: Sha256::new(), read: 0 })))
    }

    /// Reads what the others have left.
    fn finish(mut self) -> io::Result<Checksum> {
        io::copy(&mut self, &mut io::sink())?;
        let raw = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Checksum::of(raw.sum.clone(), raw.read))
    }
}

impl Read for Summed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut raw = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = raw.from.read(buffer)?;
        raw.sum.update(&buffer[..count]);
        raw.read += count as u64;
        Ok(count)
    }
}

impl fmt::Debug for Summed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Summed")
    }
}

impl Checksum {
    fn of(sum: Sha256, bytes: u64) -> Self {
        let digits = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { sha256: digits, bytes }
    }
}

enum Bytes {
    Again(File),
    /// What can be read but once, and what has been read of it.
    Once {
        from: Box<dyn Read + Send>,
        kept: SpooledTempFile,
    },
}

/// How much of an input that can be read but once is kept in memory; what goes beyond is kept in an
/// unnamed file.
const IN_MEMORY: usize = 8 << 20;

impl Bytes {
    /// The bytes of what can be read but once, unpacked.
    fn of(mut from: impl Read + Send + 'static) -> io::Result<Self> {
        let head = magic(&mut from)?;
        let packing = Packing::of(&head);
        let whole = io::Cursor::new(head).chain(from);
        Ok(Self::once(packing.unpack(whole)?))
    }

    fn once(from: impl Read + Send + 'static) -> Self {
        Self::Once { from: Box::new(from), kept: SpooledTempFile::new(IN_MEMORY) }
    }
}

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    None,
    Gzip,
    Zstandard,
}

impl Packing {
    /// As the first bytes tell; names do not matter.
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, 0x08, ..] => Self::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Self::Zstandard,
            _ => Self::None,
        }
    }

    fn unpack(self, from: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None => Box::new(from),
            Self::Gzip => Box::new(flate2::read::MultiGzDecoder::new(from)),
            Self::Zstandard => {
                let decoder = ruzstd::decoding::StreamingDecoder::new(from);
                Box::new(decoder.map_err(io::Error::other)?)
            }
        })
    }
}

/// How a file is packed; `None` where it can be read but once. It stands at its beginning then.
fn packing(file: &mut File) -> io::Result<Option<Packing>> {
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let packing = Packing::of(&magic(file)?);
    file.seek(SeekFrom::Start(0))?;
    Ok(Some(packing))
}

/// The first bytes, which tell how a file is packed.
fn magic(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut magic = Vec::new();
    from.take(4).read_to_end(&mut magic)?;
    Ok(magic)
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Again(_) => "Again",
            Self::Once { .. } => "Once",
        })
    }
}

impl Transcript {
    /// Reads the next bytes; none at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let go_back = std::mem::take(&mut self.is_elsewhere);
        let count = match &mut self.bytes {
            Bytes::Again(file) => {
                if go_back {
                    file.seek(SeekFrom::Start(self.read))?;
                }
                file.read(buffer)?
            }
            Bytes::Once { from, kept } => {
                let count = from.read(buffer)?;
                if go_back {
                    kept.seek(SeekFrom::Start(self.read))?;
                }
                kept.write_all(&buffer[..count])?;
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
        self.is_elsewhere = true;
        match &mut self.bytes {
            Bytes::Again(file) => fill(file, at, buffer),
            Bytes::Once { kept, .. } => fill(kept, at, buffer),
        }
    }
}

fn fill<R: Read + Seek>(from: &mut R, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    from.seek(SeekFrom::Start(at))?;
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
