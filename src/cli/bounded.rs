//! Bounds of what is read into memory, and of what compressed files unpack to.
#![expect(clippy::disallowed_methods, reason = "files are read here")]

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::arguments::checked;

/// Reads a whole file. Fails when it has more than this number of MiB.
pub(super) fn read(path: &Path, mebibytes: u64) -> io::Result<Vec<u8>> {
    read_from(File::open(path)?, mebibytes)
}

/// Reads to the end. Fails when there are more than this number of MiB.
pub(super) fn read_from(from: impl Read, mebibytes: u64) -> io::Result<Vec<u8>> {
    let most = mebibytes << 20;
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {mebibytes} MiB")));
    }
    Ok(bytes)
}

/// Reads a file that should be a JSON object or array, as [`read_json_from`] does.
pub(super) fn read_json(path: &Path, mebibytes: u64) -> io::Result<Vec<u8>> {
    read_json_from(File::open(path)?, mebibytes)
}

/// Reads what should be a JSON object or array. Fails beyond this number of MiB. When the first
/// character shows that it is neither, only the beginning is read and returned.
pub(super) fn read_json_from(from: impl Read, mebibytes: u64) -> io::Result<Vec<u8>> {
    let mut from = BufReader::new(from);
    let beginning = from.fill_buf()?;
    let first = beginning.trim_ascii_start().first();
    if first.is_some_and(|first| !matches!(first, b'{' | b'[')) {
        return Ok(beginning.to_vec());
    }
    read_from(from, mebibytes)
}

/// The option that says how much a compressed transcript may unpack to.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(super) struct Unpacking {
    /// Read at most this much of what a compressed transcript unpacks to [default: 1GB].
    ///
    /// A number of bytes, or with the unit kB, MB, GB or TB. Without this option, acpcheck also stops
    /// where a file unpacks to more than 200 times its size, and to more than 64 MB.
    #[arg(long, value_name = "SIZE", value_parser = checked(size))]
    max_unpacked: Option<u64>,
}

/// Most bytes that a compressed file may unpack to without `--max-unpacked`, however large the file
/// is; reading fails beyond.
const MOST: u64 = 1_000_000_000;
/// How many bytes any compressed file may unpack to without `--max-unpacked`, however small the
/// file is. Reading fails beyond both this and `RATIO`.
const LEAST: u64 = 64_000_000;
/// How many times its own size a compressed file may unpack to without `--max-unpacked`. Reading
/// fails beyond both this and `LEAST`.
const RATIO: u64 = 200;

fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("k", 1_000),
        ("m", 1_000_000),
        ("g", 1_000_000_000),
        ("t", 1_000_000_000_000),
        ("b", 1),
    ];
    let lower = text.to_ascii_lowercase();
    let known = UNITS.iter().find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?, *factor)));
    let (number, factor) = known.unwrap_or((&lower, 1));
    let number: u64 =
        number.trim().parse().map_err(|_| "expected a size such as 500MB or 2GB".to_owned())?;
    number.checked_mul(factor).ok_or_else(|| "the size is too large".to_owned())
}

impl Unpacking {
    /// How many bytes may be unpacked of a file of which `packed` bytes have been read.
    fn most(self, packed: u64) -> u64 {
        let by_ratio = packed.saturating_mul(RATIO).max(LEAST);
        self.max_unpacked.unwrap_or_else(|| by_ratio.min(MOST))
    }

    /// A reader of the unpacked contents of a file, which fails when they exceed the limit.
    /// `unpack` makes a decompressor from the reader of the packed bytes.
    pub(super) fn bound<R: Read + Send + 'static>(
        self,
        packed: R,
        unpack: impl FnOnce(CountingReader<R>) -> Box<dyn Read + Send>,
    ) -> Box<dyn Read + Send> {
        let count = Arc::new(AtomicU64::new(0));
        let from = unpack(CountingReader { from: packed, count: Arc::clone(&count) });
        Box::new(Bounded { from, limit: self, packed: count, unpacked: 0 })
    }
}

/// A reader that counts the packed bytes of a file, for the limit of what it may unpack to.
pub(super) struct CountingReader<R> {
    from: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.from.read(buffer)?;
        self.count.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// A reader of unpacked contents that fails where they exceed the limit.
struct Bounded {
    from: Box<dyn Read + Send>,
    limit: Unpacking,
    packed: Arc<AtomicU64>,
    unpacked: u64,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = self.limit.most(self.packed.load(Ordering::Relaxed));
        let room = usize::try_from(most.saturating_sub(self.unpacked)).unwrap_or(usize::MAX);
        if room == 0 && !buffer.is_empty() {
            // What is as long as it may be is read to its end.
            return match self.from.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::new(io::ErrorKind::FileTooLarge, in_units(most))),
            };
        }
        let length = buffer.len().min(room);
        let count = self.from.read(&mut buffer[..length])?;
        self.unpacked += count as u64;
        Ok(count)
    }
}

/// A number of bytes as text, such as `64 MB`, in the largest unit of which it is a whole multiple.
fn in_units(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let unit = units.iter().find(|(size, _)| bytes > 0 && bytes.is_multiple_of(*size));
    unit.map_or_else(|| format!("{bytes} bytes"), |(size, name)| format!("{} {name}", bytes / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("0", 0), ("12", 12), ("5kB", 5_000), ("2 GB", 2_000_000_000)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "GB", "-1", "1.5GB", "1PB", "99999999999TB", "x"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(in_units(1_000_000_000), "1 GB");
        assert_eq!(in_units(64_000_001), "64000001 bytes");
    }

    /// For tests: how many bytes can be read when `packed` bytes unpack to `unpacked` ones, and the
    /// kind of the error after them (`None` without an error).
    fn read(limit: Unpacking, packed: u64, unpacked: u64) -> (u64, Option<io::ErrorKind>) {
        let mut from = limit.bound(io::repeat(b'p').take(packed), |mut packed| {
            io::copy(&mut packed, &mut io::sink()).expect("in memory");
            Box::new(io::repeat(b'u').take(unpacked))
        });
        let mut block = vec![0; 1 << 20];
        let mut all = 0;
        loop {
            match from.read(&mut block) {
                Ok(0) => return (all, None),
                Ok(count) => all += count as u64,
                Err(error) => return (all, Some(error.kind())),
            }
        }
    }

    #[test]
    fn what_is_unpacked_is_bounded() {
        let too_large = Some(io::ErrorKind::FileTooLarge);
        let default = Unpacking::default();
        assert_eq!(read(default, 1_000, LEAST), (LEAST, None));
        assert_eq!(read(default, 1_000, LEAST + 1), (LEAST, too_large));
        assert_eq!(read(default, 1_000_000, 90_000_000), (90_000_000, None));
        assert_eq!(read(default, 1_000_000, 300_000_000), (200_000_000, too_large));
        let limit = |bytes| Unpacking { max_unpacked: Some(bytes) };
        assert_eq!(read(limit(5), 1, 6), (5, too_large));
        assert_eq!(read(limit(0), 1, 1), (0, too_large));
        assert_eq!(read(limit(100_000_000), 1, 80_000_000), (80_000_000, None));
    }
}
