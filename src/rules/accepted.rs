//! Checks that an agent refuses a request with a value that it has not advertised.

use crate::{
    model::{Anchor, Answer, Connection},
    protocol::Side,
    rule::{Finding, Verdict},
    rules::{
        capability::needs::{self, Need, has_sessions},
        surface::newer_than_known::advertised,
    },
};

/// Values of a request for which the agent may need a capability, such as the types of content
/// blocks. A shared check for rules about accepted requests.
pub(super) struct Values<'a> {
    /// The values that the request gives, such as types of content, each with its place.
    pub(super) all: &'a [(Box<str>, Anchor)],
    /// Returns what the agent must have advertised so that it has to accept a value.
    pub(super) need: fn(&str, &Connection) -> Need,
    /// The note that a finding puts at the value, such as what kind of value it is.
    pub(super) label: &'static str,
    pub(super) help: &'static str,
}

impl Values<'_> {
    /// Checks that the agent refused a request with a value that it does not support. `message`
    /// makes the finding's text from the first such value; its flag says whether the protocol
    /// defines the value. `None` without such values.
    pub(super) fn check(
        &self,
        answer: &Answer<'_>,
        connection: &Connection,
        message: impl FnOnce(&str, bool) -> String,
    ) -> Option<Verdict> {
        if self.all.is_empty() || !has_sessions(connection) {
            return None;
        }
        let agent = needs::advertised_by_agent(connection)?;
        let denied = self.all.iter().find_map(|(kind, at)| {
            let need = (self.need)(kind, connection);
            need.is_denied(kind, agent).then_some((kind, at, need.capability()))
        });
        let (kind, at, capability) = denied?;
        let Some(result) = answer.result() else { return Some(Verdict::Pass) };
        // surface/newer-than-known
        if capability.is_none() && advertised(kind, Side::Agent, connection).is_some() {
            return None;
        }
        let lack = capability.map(|capability| capability.lack(agent));
        Some(
            Finding::new(message(kind, capability.is_some()))
                .at(result, "accepted here")
                .at(*at, self.label)
                .and_at(lack, "not advertised")
                .help(self.help)
                .once_per(&**kind)
                .into(),
        )
    }
}
