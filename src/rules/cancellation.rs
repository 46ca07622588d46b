//! Checks of the cancellation of a tool call or a terminal on version 2. The requirements for both
//! are alike: [`tool_call`](super::tool_call) and [`terminal`](super::terminal) each build a
//! [`Target`] and use it in their rules.

use crate::{
    event::Update,
    model::{
        Anchor, Answer, Connection, RequestFacts, Session,
        session::cancellation::{self, Cancellation},
    },
    protocol::Side,
    rule::{Finding, Verdict},
};

/// A tool call or terminal that a request asks to cancel, for rules that tool calls and terminals
/// share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// The word for the cancelled thing in messages: `tool call` or `terminal`.
    pub(crate) what: &'static str,
    pub(crate) id: &'a str,
    /// Place of the last report about the tool call or terminal.
    pub(crate) last: Anchor,
    /// Place and message number of the report that the tool call or terminal has ended; `None`
    /// while it has not.
    pub(crate) end: Option<(Anchor, u64)>,
    /// What was offered, asked and accepted about cancelling the target.
    pub(crate) cancellation: &'a Cancellation,
}

impl Target<'_> {
    /// Checks that the target could be cancelled when the request was accepted: it had not ended
    /// before the request, and cancellation was offered. Ignores updates between request and
    /// response.
    fn accepted(&self, answer: &Answer<'_>, is_fully_recorded: bool) -> Verdict {
        let Self { what, id, last, end, cancellation } = *self;
        let asked = answer.request.number;
        if let Some((at, _)) = end.filter(|(_, number)| *number < asked) {
            return Finding::new(format!(
                "the agent accepts the cancellation of {what} `{id}`, which has already ended"
            ))
            .at(answer.node, "accepted here")
            .at(at, "the end")
            .at(answer.request.at, "the cancellation")
            .help("answer with error -32602 if there is nothing to cancel")
            .into();
        }
        if is_fully_recorded && cancellation.offered.is_none() && cancellation.changed < asked {
            return Finding::new(format!(
                "the agent accepts the cancellation of {what} `{id}`, but did not offer it"
            ))
            .at(answer.node, "accepted here")
            .at(last, format!("the {what} does not offer `cancel`"))
            .at(answer.request.at, "the cancellation")
            .help("advertise `capabilities.cancel` for what can be cancelled, and answer with error -32602 for the rest")
            .into();
        }
        Verdict::Pass
    }

    /// Checks that a tool call or terminal ended after the agent accepted its cancellation. `None`
    /// when no cancellation was accepted.
    pub(crate) fn confirmed(&self) -> Option<Verdict> {
        let Self { what, id, last, end, cancellation } = *self;
        let accepted = cancellation.accepted?;
        if end.is_some() {
            return Some(Verdict::Pass);
        }
        Some(
            Finding::new(format!("{what} `{id}` never ends, but its cancellation was accepted"))
                .at(accepted, "accepted here")
                .at(last, "the last report")
                .help("report the end with an update: until then clients show it as running")
                .into(),
        )
    }

    /// Checks that an update after the end withdraws the offer to cancel. `None` when the target
    /// has not ended, or did not offer that.
    pub(crate) fn offer(&self, update: &Update<'_>) -> Option<Verdict> {
        let Self { end, cancellation, .. } = *self;
        let (ended, _) = end?;
        let offered = cancellation.offered?;
        if cancellation.asked {
            return None; // The rules about the response apply.
        }
        let capabilities = update.update.get("capabilities");
        if !capabilities.is_none_or(cancellation::offers) {
            return Some(Verdict::Pass);
        }
        Some(self.still_offers(ended, offered).into())
    }

    /// The finding for a tool call or terminal that still offers to be cancelled after it has
    /// ended.
    pub(crate) fn still_offers(&self, ended: Anchor, offered: Anchor) -> Finding {
        let Self { what, id, .. } = *self;
        Finding::new(format!("{what} `{id}` has ended but still offers `cancel`"))
            .at(ended, "the end")
            .at(offered, "`cancel` is offered here")
            .help("set `capabilities` to null when it ends")
            .once_per((what, id))
    }
}

/// Checks that an accepted cancellation was of something that could be cancelled. `target` finds it
/// in a session by id; `what` is the word for it. `None` for refused cancellations.
pub(crate) fn accepted(
    answer: &Answer<'_>,
    connection: &Connection,
    what: &str,
    target: impl for<'a> Fn(&'a Session, &'a str) -> Option<Target<'a>>,
) -> Option<Verdict> {
    let RequestFacts::CancelOne { id } = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if answer.result().is_none() {
        return Some(Verdict::Pass);
    }
    if session.is_replaying() {
        return None;
    }
    let is_fully_recorded =
        session.is_fully_recorded() && connection.lost_to(Some(Side::Agent)) == 0;
    match target(session, id) {
        Some(target) => Some(target.accepted(answer, is_fully_recorded)),
        None => is_fully_recorded.then(|| unknown(answer, what, id).into()),
    }
}

/// The finding for a cancellation that is accepted although no message has reported the target.
fn unknown(answer: &Answer<'_>, what: &str, id: &str) -> Finding {
    Finding::new(format!(
        "the agent accepts the cancellation of {what} `{id}`, which was never reported"
    ))
    .at(answer.node, "accepted here")
    .at(answer.request.at, "the cancellation")
    .help("answer with error -32602 if the session does not have the id")
}
