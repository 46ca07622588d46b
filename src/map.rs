//! Hash tables whose keys the transcript chooses.
//!
//! Seeded anew in every run, so that nobody can write a transcript of keys that all fall together;
//! and quick, since every message looks up its session.

use foldhash::fast::RandomState;

pub(crate) type Map<K, V> = std::collections::HashMap<K, V, RandomState>;
pub(crate) type Set<K> = std::collections::HashSet<K, RandomState>;
