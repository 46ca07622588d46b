//! Hash tables whose keys may come from a transcript.
//!
//! Their hashes are keyed with random numbers of this run, so that no transcript can be written whose
//! keys all have one hash. Their order is another in every run: it must not show in any output.

use std::{
    hash::{BuildHasher, Hash, RandomState},
    sync::LazyLock,
};

use foldhash::quality;

/// A hash table without an order, safe against keys that collide on purpose.
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, quality::RandomState>;
/// A hash table that iterates in the order in which keys were added.
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V, quality::RandomState>;
/// A hash set that iterates in the order in which values were added.
pub(crate) type IndexSet<K> = indexmap::IndexSet<K, quality::RandomState>;
/// A set without an order, safe against keys that collide on purpose.
pub(crate) type Set<K> = std::collections::HashSet<K, quality::RandomState>;

/// A hash with secret keys that differ in each run of the program, so that no transcript can be
/// written whose values collide on purpose. Equal values have equal hashes.
pub(crate) fn hash_of(value: impl Hash) -> u64 {
    hasher().hash_one(value)
}

/// Builds hashers with the secret keys of this run, for hashes that are made in several steps.
pub(crate) fn hasher() -> &'static RandomState {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    &KEYS
}
