//! Hash tables whose keys the transcript chooses.
//!
//! Seeded anew in every run, so that nobody can write a transcript of keys that all fall together;
//! and quick, since every message looks up its session.

use std::{hash::BuildHasher, sync::LazyLock};

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;

/// A number that equal texts share within one run of the program, and hardly any others.
pub(crate) fn hash(text: &str) -> u64 {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    SEED.hash_one(text)
}
