//! Rules that the registry of agents adds to the protocol. All are off until the user enables them,
//! for instance by `--profile registry`.

pub(super) mod no_auth_method;
pub(super) mod version_not_integer;
