//! Hashes of JSON values. They ignore `_meta`, the order of members, and members that are null.

use std::hash::{BuildHasher, Hash, Hasher};

use crate::{
    json::{Kind, Node},
    map,
};

/// Number of levels beyond which the order of members counts for the hash, to limit the cost.
const DEPTH: usize = 64;

/// A hash of a JSON value, to compare it with a later one. The order of members, `_meta` and null
/// members do not count. Differs in each run of the program.
pub fn of(node: Node<'_>) -> u64 {
    below(node, DEPTH)
}

fn below(node: Node<'_>, depth: usize) -> u64 {
    let mut hasher = map::hasher().build_hasher();
    hasher.write_u8(node.kind() as u8);
    let Some(depth) = depth.checked_sub(1) else {
        node.hash(&mut hasher);
        return hasher.finish();
    };
    match node.kind() {
        Kind::Null | Kind::True | Kind::False => {}
        Kind::Number => hasher.write_u64(node.number().unwrap_or_default().to_bits()),
        Kind::String => write_text(node, &mut hasher),
        Kind::Array => node.elements().for_each(|it| hasher.write_u64(below(it, depth))),
        Kind::Object => {
            let members = node.members().filter(|(name, value)| {
                // Official readers read null as an absent member.
                !value.is_null() && !name.is("_meta")
            });
            let digests = members.map(|(name, value)| {
                let mut hasher = map::hasher().build_hasher();
                write_text(name, &mut hasher);
                hasher.write_u64(below(value, depth));
                hasher.finish()
            });
            hasher.write_u64(digests.fold(0, u64::wrapping_add));
        }
    }
    hasher.finish()
}

fn write_text(node: Node<'_>, hasher: &mut impl Hasher) {
    if let Some(text) = node.text() {
        hasher.write(text.as_cow().as_bytes());
    }
}
