//! Names that peers choose, cut to a length that is safe to keep.

use std::sync::Arc;

/// A name that a peer chose, cut to its first 200 characters, so that hostile names take little
/// memory.
pub(crate) fn short_name(name: &str) -> Arc<str> {
    const CHARACTERS: usize = 200;
    // No more characters than bytes.
    if name.len() <= CHARACTERS {
        return Arc::from(name);
    }
    let end = name.char_indices().nth(CHARACTERS).map_or(name.len(), |(end, _)| end);
    Arc::from(&name[..end])
}
