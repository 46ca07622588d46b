//! Hash tables whose keys may come from a transcript.
//!
//! Their hashes are keyed with random numbers of this run, so that no transcript can be written whose
//! keys all have one hash. Their order is another in every run: it must not show in any output.

use std::{
    hash::{BuildHasher, Hash, RandomState},
    sync::LazyLock,
};

pub(crate) type Map<K, V> = std::collections::HashMap<K, V>;
/// A table in the order of insertion.
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V>;
pub(crate) type Set<K> = std::collections::HashSet<K>;

/// A number that equal values share within one run of the program. That of two other values is hardly
/// ever the same, and no transcript can make it so.
pub(crate) fn hash_of(value: impl Hash) -> u64 {
    hasher().hash_one(value)
}

/// The builder of the hashers of [`hash_of`].
pub(crate) fn hasher() -> &'static RandomState {
    static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    &KEYS
}
