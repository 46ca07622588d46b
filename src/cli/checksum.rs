//! Checksums of inputs, over their bytes as they are stored: before they are decompressed.

use std::{
    fmt,
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use sha2::{Digest, Sha256};

/// Whether and where the checksum of an input's bytes is computed while the input is read.
#[derive(Debug)]
pub(super) enum Sum {
    /// No checksum is computed, because no report needs one.
    None,
    /// The checksum is computed over the bytes that are read, since the input is not compressed.
    Here(Sha256),
    /// The checksum is computed over the compressed bytes, below the decompression.
    Below(Summed),
}

/// The SHA-256 and the length of an input's stored bytes, for reports that name what was checked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Checksum {
    /// The SHA-256 of the stored bytes, as 64 hexadecimal digits.
    pub(super) sha256: String,
    pub(super) bytes: u64,
}

/// A reader that computes the checksum of all bytes read through it. Clones read from the same
/// place.
#[derive(Clone)]
pub(super) struct Summed(Arc<Mutex<Raw>>);

struct Raw {
    from: Box<dyn Read + Send>,
    sum: Sha256,
    read: u64,
}

impl Summed {
    pub(super) fn new(from: impl Read + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Raw { from: Box::new(from), sum: Sha256::new(), read: 0 })))
    }

    /// Reads all remaining bytes, and returns the checksum of all bytes. Fails when reading fails.
    pub(super) fn finish(mut self) -> io::Result<Checksum> {
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
    pub(super) fn of(sum: Sha256, bytes: u64) -> Self {
        let digits = sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Self { sha256: digits, bytes }
    }
}
