//! Lists of options, wherever a message carries one.

use crate::{
    event::Call,
    json::Text,
    model::{Connection, session::config::OptionList},
    protocol::Side,
};

/// Requests whose answers may carry a list.
pub(super) const METHODS: &[&str] =
    &["session/new", "session/load", "session/resume", "session/fork", "session/set_config_option"];
/// Updates that carry a list.
pub(super) const UPDATES: &[&str] = &["config_option_update"];

/// The option that a client's call names, the list that the client goes by, and a later one by which
/// it may go as well.
pub(super) fn asked<'t, 'c>(
    call: &Call<'t>,
    connection: &'c Connection,
) -> Option<(Text<'t>, &'c OptionList, Option<&'c OptionList>)> {
    let id = call.param("configId")?.text()?;
    let session = connection.session(call.session_id()?).filter(|it| !it.is_replaying())?;
    let last = connection.last_of(Side::Client);
    Some((id, session.config.known_to(last)?, session.config.crossing(last)))
}

/// Some of the ids, for a help text.
pub(super) fn named<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 6;
    let mut ids: Vec<_> = ids.map(|id| format!("`{id}`")).collect();
    if ids.len() > MOST {
        ids.truncate(MOST);
        ids.push("…".to_owned());
    }
    ids.join(", ")
}
