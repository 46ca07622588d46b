//! What the registry of agents demands beyond the protocol: off, but for those who ask.

pub(super) mod no_auth_method;
pub(super) mod version_not_integer;
