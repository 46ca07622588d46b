//! Fingerprints: keys by which a finding is recognized in another recording.
//!
//! A [`Diagnostic`] goes in, a [`Fingerprint`] or its digest comes out.
//!
//! Recordings of one scenario differ in ids, texts and the order of messages, so neither the place
//! in the file nor the message's wording tells findings apart. The rule, the method, the place in
//! the message and the implementation at fault do.

use std::{fmt, sync::Arc};

use sha2::{Digest, Sha256};

use crate::{diagnostic::Diagnostic, map::Map};

/// The parts of a finding that are equal in other recordings of the same fault.
///
/// Configuration and reports of earlier runs keep fingerprints: what goes into one, and into its
/// [`digest`](Self::digest), never changes for a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint {
    pub rule: &'static str,
    /// The method of the message that the finding is about: of the call, or of the request that was
    /// answered or left open. `None` for a message without a request.
    pub method: Option<Arc<str>>,
    /// The JSON Pointer of the first label, with `*` for array indices; `None` for a finding
    /// outside messages.
    pub shape: Option<String>,
    /// The name of the implementation at fault, of the agent where the side is unknown; see
    /// [`Diagnostic::implementation`]. `None` when it has given no name.
    pub implementation: Option<Arc<str>>,
}

impl Fingerprint {
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { rule, method, .. } = diagnostic;
        let shape = pointer(diagnostic).map(|pointer| shape(pointer).collect());
        let implementation = diagnostic.implementation().cloned();
        Self { rule: rule.id, method: method.clone(), shape, implementation }
    }

    /// The digest of the fingerprint, by which reports and code hosts recognize the finding: the
    /// first 16 bytes of the SHA-256 of its four parts.
    pub fn digest(&self) -> FingerprintDigest {
        let Self { rule, method, shape, implementation } = self;
        let shape = shape.as_deref().map(|shape| [shape]);
        FingerprintDigest::of_parts(rule, method.as_deref(), shape, implementation.as_deref())
    }
}

/// The digest of a [`Fingerprint`], written as 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FingerprintDigest([u8; 16]);

impl FingerprintDigest {
    /// The digest of a diagnostic's [`Fingerprint`], without allocating the fingerprint.
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { rule, method, .. } = diagnostic;
        let shape = pointer(diagnostic).map(shape);
        let implementation = diagnostic.implementation().map(|name| &**name);
        Self::of_parts(rule.id, method.as_deref(), shape, implementation)
    }

    /// The digest of the four parts of a finding's fingerprint. `shape` is the pointer to the place
    /// without indices, and may come in parts that are joined; `None` for a part that the finding
    /// lacks.
    fn of_parts<'p>(
        rule: &str,
        method: Option<&str>,
        shape: Option<impl IntoIterator<Item = &'p str>>,
        implementation: Option<&str>,
    ) -> Self {
        /// The initial capacity in bytes, enough for most fingerprints.
        const USUAL: usize = 256;
        // Put together first: to hash a few bytes at a time takes longer than to hash them.
        let mut bytes = Vec::with_capacity(USUAL);
        add(Some([rule]), &mut bytes);
        add(method.map(|method| [method]), &mut bytes);
        add(shape, &mut bytes);
        add(implementation.map(|name| [name]), &mut bytes);
        Self::beginning(Sha256::new_with_prefix(bytes))
    }

    fn beginning(hash: Sha256) -> Self {
        let mut bytes = [0; 16];
        let whole = hash.finalize();
        for (byte, of_whole) in bytes.iter_mut().zip(whole) {
            *byte = of_whole;
        }
        Self(bytes)
    }

    /// The digest as 32 hexadecimal digits in ASCII.
    pub fn digits(self) -> [u8; 32] {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let mut written = [0; 32];
        for (digits, byte) in written.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *digits = [byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]);
        }
        written
    }

    /// The digest of this digest and a text, such as the path of a file. Makes keys that differ
    /// from file to file.
    #[must_use]
    pub fn within(self, file: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(file);
        Self::beginning(hash)
    }
}

impl fmt::Display for FingerprintDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(str::from_utf8(&self.digits()).map_err(|_| fmt::Error)?)
    }
}

/// Numbers the findings of one file that have equal fingerprints, from 1, so that reports can tell
/// them apart. Takes a few bytes for each fingerprint.
#[derive(Clone, Debug, Default)]
pub struct Occurrences(Map<FingerprintDigest, u64>);

impl Occurrences {
    /// The number, from 1, of the next finding with this fingerprint.
    pub fn next(&mut self, digest: FingerprintDigest) -> u64 {
        let count = self.0.entry(digest).or_default();
        *count += 1;
        *count
    }
}

/// Adds one part of a fingerprint to the bytes to be hashed. Its length goes first, so that two
/// parts cannot be confused; an absent part (`None`) differs from an empty one.
fn add<'p>(part: Option<impl IntoIterator<Item = &'p str>>, bytes: &mut Vec<u8>) {
    let Some(pieces) = part else { return bytes.push(0) };
    bytes.push(1);
    let start = bytes.len();
    bytes.extend_from_slice(&0_u64.to_be_bytes());
    pieces.into_iter().for_each(|piece| bytes.extend_from_slice(piece.as_bytes()));
    if let Some((length, part)) = bytes[start..].split_first_chunk_mut() {
        *length = (part.len() as u64).to_be_bytes();
    }
}

/// The JSON Pointer of the first label; `None` for a finding outside messages.
fn pointer(diagnostic: &Diagnostic) -> Option<&str> {
    diagnostic.finding.labels.first()?.pointer.as_deref()
}

/// A JSON pointer with `*` for each array index, in pieces to be joined. Every part of digits
/// counts as an index: members of objects with such names differ from message to message as indices
/// do.
fn shape(pointer: &str) -> impl Iterator<Item = &str> {
    pointer.split('/').skip(1).flat_map(|part| {
        let is_index = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        ["/", if is_index { "*" } else { part }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint() -> Fingerprint {
        Fingerprint {
            rule: "plan/duplicate-id",
            method: Some("session/update".into()),
            shape: Some(shape("/params/update/entries/3/status").collect()),
            implementation: Some("kettle".into()),
        }
    }

    #[test]
    fn indices_do_not_count() {
        let shape = |pointer| shape(pointer).collect::<String>();
        assert_eq!(shape("/params/update/entries/3/status"), "/params/update/entries/*/status");
        assert_eq!(shape("/params/0/12/a0/~1/"), "/params/*/*/a0/~1/");
        assert_eq!(shape(""), "");
    }

    #[test]
    fn a_digest_stays_what_it_is() {
        // Baselines and the alerts of code hosts hold this; it is no snapshot to be updated.
        assert_eq!(fingerprint().digest().to_string(), "b184804119b049a5b37d3032024ceb47");
    }

    #[test]
    fn every_part_counts() {
        let whole = fingerprint();
        let others = [
            Fingerprint { rule: "plan/removed-twice", ..whole.clone() },
            Fingerprint { method: None, ..whole.clone() },
            Fingerprint { method: Some("".into()), ..whole.clone() },
            Fingerprint { shape: None, ..whole.clone() },
            Fingerprint { shape: Some(String::new()), ..whole.clone() },
            Fingerprint { implementation: None, ..whole.clone() },
            // The same characters, cut elsewhere.
            Fingerprint {
                method: Some("session/update/params".into()),
                shape: Some("/update/entries/*/status".to_owned()),
                ..whole.clone()
            },
        ];
        let mut digests: Vec<_> = others.iter().map(Fingerprint::digest).collect();
        digests.push(whole.digest());
        digests.push(whole.digest().within("a.ndjson"));
        digests.push(whole.digest().within("b.ndjson"));
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), others.len() + 3);
    }

    #[test]
    fn occurrences_are_counted_apart() {
        let (one, other) = (fingerprint().digest(), fingerprint().digest().within("x"));
        let mut occurrences = Occurrences::default();
        assert_eq!([one, one, other, one].map(|digest| occurrences.next(digest)), [1, 2, 1, 3]);
    }
}
