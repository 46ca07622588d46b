//! The messages that have lists of configuration options, and the list that a request refers to.

use crate::{
    event::Call,
    json::Text,
    model::{Connection, session::config::OptionList},
    protocol::Side,
};

/// Methods of requests whose results may have a list of config options.
pub(super) const METHODS: &[&str] =
    &["session/new", "session/load", "session/resume", "session/fork", "session/set_config_option"];
/// Kinds of session updates that have a list of config options.
pub(super) const UPDATES: &[&str] = &["config_option_update"];

/// The id of the option that a call of the client names, the list of options that the client had
/// received, and a later list that may have crossed the call. `None` when the call names no option,
/// or no list is known.
pub(super) fn asked<'t, 'c>(
    call: &Call<'t>,
    connection: &'c Connection,
) -> Option<(Text<'t>, &'c OptionList, Option<&'c OptionList>)> {
    let id = call.param("configId")?.text()?;
    let session = connection.session(call.session_id()?).filter(|it| !it.is_replaying())?;
    let last = connection.last_of(Side::Client);
    Some((id, session.config.known_to(last)?, session.config.crossing(last)))
}
