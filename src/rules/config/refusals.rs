//! Which requirement is met by refusing a change of an option.

use crate::model::{
    Answer, Connection, RequestFacts, request::setting::ConfigValue, session::config::Choice,
};

/// The requirement that a change of an option breaks where it is accepted. `None` without a known change.
pub(super) fn requirements(
    answer: &Answer<'_>,
    connection: &Connection,
) -> Option<&'static [&'static str]> {
    let RequestFacts::Setting(setting) = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let option = session.config.last()?.named(&setting.id);
    Some(match (option.map(|option| &option.choice), &setting.value) {
        (Some(Choice::Select { .. }), ConfigValue::Boolean(_))
        | (Some(Choice::Boolean), ConfigValue::Id(_)) => &["config.reject-other-type"],
        _ => &["config.reject-invalid"],
    })
}
