//! A number that equal JSON values share, whatever the order of their members; `_meta` does not
//! count.

use std::hash::{BuildHasher, Hasher};

use crate::{
    json::{Kind, Node},
    map,
};

/// The digest of a value.
pub fn of(node: Node<'_>) -> u64 {
    let mut hasher = map::hasher().build_hasher();
    hasher.write_u8(node.kind() as u8);
    match node.kind() {
        Kind::Null | Kind::True | Kind::False => {}
        Kind::Number => hasher.write_u64(node.number().unwrap_or_default().to_bits()),
        Kind::String => {
            if let Some(text) = node.text() {
                hasher.write(text.as_cow().as_bytes());
            }
        }
        Kind::Array => node.elements().for_each(|element| hasher.write_u64(of(element))),
        Kind::Object => {
            let members = node.members().filter(|(name, _)| !name.is("_meta"));
            let digests = members.map(|(name, value)| {
                let mut hasher = map::hasher().build_hasher();
                hasher.write_u64(of(name));
                hasher.write_u64(of(value));
                hasher.finish()
            });
            hasher.write_u64(digests.fold(0, u64::wrapping_add));
        }
    }
    hasher.finish()
}
