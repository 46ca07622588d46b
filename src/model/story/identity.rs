//! Whether two connections may be parts of one session's story: by its id, and by the agent.

use std::sync::Arc;

use crate::json::Node;

/// Most bytes of a session id by which a session is recognized on another connection. Sessions with
/// longer ids are not compared across connections.
pub(super) const LONGEST: usize = 256;

/// Whether a session id looks random, so that equal ids on two connections mean the same session:
/// at least 16 letters and digits, of many kinds and in no series. A prefix such as `sess_` does
/// not count.
pub fn is_drawn(id: &str) -> bool {
    /// The least number of letters and digits of a random id.
    const LENGTH: usize = 16;
    /// The least number of different letters and digits of a random id.
    const DIFFERENT: u32 = 8;
    /// Well-known UUIDs of documentation, which mocks and examples take over.
    const EXAMPLES: [&str; 5] = [
        "3fa85f64-5717-4562-b3fc-2c963f66afa6",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    ];
    if id.len() > LONGEST || EXAMPLES.iter().any(|example| id.eq_ignore_ascii_case(example)) {
        return false;
    }
    let drawn = id.split_once('_').map_or(id, |(_, drawn)| drawn);
    let signs: Vec<u8> = drawn.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let different = signs.iter().fold(0_u128, |seen, sign| seen | 1 << sign).count_ones();
    let is_series = |signs: &[u8]| {
        let step = |pair: &[u8]| i16::from(pair[1]) - i16::from(pair[0]);
        let first = step(signs);
        (-1..=1).contains(&first) && signs.windows(2).all(|pair| step(pair) == first)
    };
    signs.len() >= LENGTH
        && different >= DIFFERENT
        && signs.iter().any(u8::is_ascii_digit)
        && signs.iter().any(u8::is_ascii_alphabetic)
        && !signs.windows(4).any(is_series)
}

/// Name and version of the agent from a result of `initialize`, joined by NUL, to compare the
/// agents of two connections. `None` when either is missing or empty.
pub(in crate::model) fn agent(result: Node<'_>) -> Option<Arc<str>> {
    let info = ["agentInfo", "info"].into_iter().find_map(|name| result.get(name))?;
    let [name, version] = ["name", "version"].map(|name| info.get(name).and_then(Node::text));
    let (name, version) = (name?.as_cow(), version?.as_cow());
    let is_said = !name.is_empty() && !version.is_empty();
    is_said.then(|| format!("{name}\0{version}").into())
}

#[cfg(test)]
mod tests {
    use super::is_drawn;

    #[test]
    fn ids_are_drawn_or_not() {
        for id in [
            "06852c2b-b8bd-4855-92d1-ff9229253226",
            "sess_06852c2bb8bd485592d1",
            "01JB8Z5T3K9W7QXN2M4RD6CVHA",
        ] {
            assert!(is_drawn(id), "{id}");
        }
        for id in [
            "s",
            "sess-1",
            "1234567890123456",
            "abcdefgh-ijkl-mnop-qrst-uvwxyz012345",
            "06852c2b-b8bd-4855-92d1-000000000001",
            "550e8400-e29b-41d4-a716-446655440000",
            "123e4567-e89b-12d3-a456-426614174000",
            "f47ac10b-58cc-4372-a567-0e02b2c3d479",
            "aaaaaaaabbbbbbbb1111",
            "session_about_the_red_barn",
        ] {
            assert!(!is_drawn(id), "{id}");
        }
        assert!(!is_drawn(&"06852c2bb8bd485592d1".repeat(20)));
    }
}
