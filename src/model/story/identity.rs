//! Whether two connections may be parts of one session's story: by its id, and by the agent.

use std::sync::Arc;

use crate::json::Node;

/// Most bytes of a session id by which a session is recognized on another connection. Sessions with
/// longer ids are not compared across connections.
pub(super) const LONGEST: usize = 256;

/// Random ids that documentation gives as examples. Programs that were written after it have the same
/// ones.
const EXAMPLES: [&str; 24] = [
    "01arz3ndektsv4rrffq69g5fav",
    "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    "110ec58a-a0f2-4ac4-8393-c866d813b8d1",
    "16fd2706-8baf-433b-82eb-8c7fada847da",
    "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
    "1ec9414c-232a-6b00-b3c8-9f6bdeced846",
    "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6",
    "5df41881-3aed-3515-88a7-2f4a814cf09e",
    "67e55044-10b1-426f-9247-bb680e5fe0c8",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
    "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
    "6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "7d444840-9dc0-11d1-b245-5ffdce74fad2",
    "886313e1-3b8a-5372-9b90-0c9aee199e5d",
    "919108f7-52d1-4320-9bac-f847db4148a8",
    "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
    "9c5b94b1-35ad-49bb-b118-8e8fc24abf80",
    "c232ab00-9414-11ec-b3c8-9f6bdeced846",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
];

/// Whether a session id looks random, so that equal ids on two connections mean the same session:
/// at least 16 letters and digits, of many kinds and in no series, and no known example. A prefix
/// such as `sess_` or `v2_` does not count; it has no letter behind a digit, as random ids have.
pub fn is_drawn(id: &str) -> bool {
    /// The least number of letters and digits of a random id.
    const LENGTH: usize = 16;
    /// The least number of different letters and digits of a random id.
    const DIFFERENT: u32 = 8;
    if id.len() > LONGEST {
        return false;
    }
    let is_prefix = |prefix: &str| {
        let mut behind_digits = prefix.bytes().skip_while(|sign| !sign.is_ascii_digit());
        !behind_digits.any(|sign| sign.is_ascii_alphabetic())
    };
    let parts = id.split_once('_').filter(|(prefix, _)| is_prefix(prefix));
    let drawn = parts.map_or(id, |(_, drawn)| drawn);
    let signs: Vec<u8> = drawn.bytes().filter(u8::is_ascii_alphanumeric).collect();
    let different = signs.iter().fold(0_u128, |seen, sign| seen | 1 << sign).count_ones();
    let is_series = |signs: &[u8]| {
        let step = |pair: &[u8]| i16::from(pair[1]) - i16::from(pair[0]);
        let first = step(signs);
        (-1..=1).contains(&first) && signs.windows(2).all(|pair| step(pair) == first)
    };
    let every_second = |signs: &[u8], from: usize| -> Vec<u8> {
        signs.iter().copied().skip(from).step_by(2).collect()
    };
    // `a1b2c3d4` has two of them.
    let has_two_series = |signs: &[u8]| (0..2).all(|from| is_series(&every_second(signs, from)));
    signs.len() >= LENGTH
        && different >= DIFFERENT
        && signs.iter().any(u8::is_ascii_digit)
        && signs.iter().any(u8::is_ascii_alphabetic)
        && !signs.windows(4).any(is_series)
        && !signs.windows(8).any(has_two_series)
        && !EXAMPLES.iter().any(|example| example.eq_ignore_ascii_case(drawn))
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
            "V1StGXR8_Z5jdHi6B-myT",
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
            "aaaaaaaabbbbbbbb1111",
            "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d",
            "3fa85f64-5717-4562-b3fc-2c963f66afa6",
            "sess_F47AC10B-58CC-4372-A567-0E02B2C3D479",
            "session_about_the_red_barn",
            "my-agent-session_1a2b",
        ] {
            assert!(!is_drawn(id), "{id}");
        }
        assert!(!is_drawn(&"06852c2bb8bd485592d1".repeat(20)));
    }
}
