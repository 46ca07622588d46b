//! Rules about the file methods of the client, which only version 1 has.

pub(super) mod limit_exceeded;
pub(super) mod line_zero;
pub(super) mod read_outside_roots;
pub(super) mod relative_path;
pub(super) mod write_not_created;
pub(super) mod write_outside_roots;
