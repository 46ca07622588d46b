//! Reads the URL of an elicitation request.

use crate::{event::Call, json::Text};

/// The URL that an elicitation asks the user to open; `None` for elicitations of another mode.
pub(super) fn of<'t>(call: &Call<'t>) -> Option<Text<'t>> {
    call.param("mode").filter(|mode| mode.is("url"))?;
    call.param("url")?.text()
}

/// Whether the host in a URL is the machine itself, such as `localhost`.
pub(super) fn is_this_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "[::1]"
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}
