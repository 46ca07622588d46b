//! Rules about the commands that an agent lists for a session.

pub(super) mod duplicate_name;
pub(super) mod leading_slash;
mod names;
pub(super) mod whitespace_name;
