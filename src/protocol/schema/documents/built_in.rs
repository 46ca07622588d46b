//! The built-in schema documents: the files in `schema/`, compiled into the program.

use crate::protocol::Surface;

/// The built-in schema document of a surface, which is that of the current edition.
pub(super) fn text(surface: Surface) -> &'static str {
    match surface {
        Surface::V1 => include_str!("../../../../schema/v1/schema.json"),
        Surface::V1Unstable => include_str!("../../../../schema/v1/schema.unstable.json"),
        Surface::V2 => include_str!("../../../../schema/v2/schema.json"),
        Surface::V2Unstable => include_str!("../../../../schema/v2/schema.unstable.json"),
    }
}
