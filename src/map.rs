//! Hash tables whose keys the transcript chooses.
//!
//! Seeded anew in every run, so that nobody can write a transcript of keys that all fall together;
//! and quick, since every message looks up its session.

use std::{
    hash::{BuildHasher, Hash},
    sync::LazyLock,
};

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
/// In the order of insertion, close together: for what is many and large.
pub(crate) type IndexMap<K, V> = indexmap::IndexMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;

/// A number that equal values share within one run of the program, and hardly any others.
pub(crate) fn hash_of(value: impl Hash) -> u64 {
    hasher().hash_one(value)
}

/// What makes such numbers, piece by piece.
pub(crate) fn hasher() -> &'static RandomState {
    static SEED: LazyLock<RandomState> = LazyLock::new(RandomState::default);
    &SEED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_a_seed_of_its_own() {
        let hashes: std::collections::BTreeSet<u64> =
            (0..16).map(|_| RandomState::default().hash_one("session")).collect();
        assert!(hashes.len() > 1, "{hashes:?}");
        assert_eq!(hash_of("session"), hash_of("session"));
    }
}
