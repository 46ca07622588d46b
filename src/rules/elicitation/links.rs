//! Where a question sends the user.

use crate::{event::Call, json::Text};

/// The URL of a question in the mode `url`.
pub(super) fn of<'t>(call: &Call<'t>) -> Option<Text<'t>> {
    call.param("mode").filter(|mode| mode.is("url"))?;
    call.param("url")?.text()
}

/// Whether a host of a URL is this machine.
pub(super) fn is_this_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "[::1]"
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}
