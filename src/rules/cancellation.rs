//! The cancellation of one tool call or terminal, on version 2: the same duties for both.

use crate::{
    event::Update,
    model::{
        Anchor, Answer,
        session::cancellation::{self, Cancellation},
    },
    rule::{Finding, Verdict},
};

/// What a request wants to be cancelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    /// "tool call" or "terminal".
    pub(crate) what: &'static str,
    pub(crate) id: &'a str,
    /// The last message about it.
    pub(crate) last: Anchor,
    /// What ended it, and that message's number.
    pub(crate) end: Option<(Anchor, u64)>,
    pub(crate) cancellation: &'a Cancellation,
}

impl Target<'_> {
    /// Whether an accepted cancellation had something to cancel. Updates between request and
    /// answer may have crossed the request and prove nothing.
    pub(crate) fn accepted(&self, answer: &Answer<'_>, is_fully_recorded: bool) -> Verdict {
        let Self { what, id, last, end, cancellation } = *self;
        let asked = answer.request.number;
        if let Some((at, _)) = end.filter(|(_, number)| *number < asked) {
            return Finding::new(format!(
                "the cancellation of {what} `{id}` is accepted after its end"
            ))
            .at(answer.node, "accepted here")
            .at(at, "ended here")
            .at(answer.request.at, "the cancellation")
            .help("answer -32602 when there is nothing left to cancel")
            .into();
        }
        if is_fully_recorded && cancellation.offered.is_none() && cancellation.changed < asked {
            return Finding::new(format!(
                "the cancellation of {what} `{id}` is accepted, which was not offered"
            ))
            .at(answer.node, "accepted here")
            .at(last, format!("the {what} does not offer `cancel`"))
            .at(answer.request.at, "the cancellation")
            .help("advertise `capabilities.cancel` on what can be cancelled, answer -32602 for all else")
            .into();
        }
        Verdict::Pass
    }

    /// Whether an accepted cancellation was followed by an end; `None` when none was accepted.
    pub(crate) fn confirmed(&self) -> Option<Verdict> {
        let Self { what, id, last, end, cancellation } = *self;
        let accepted = cancellation.accepted?;
        if end.is_some() {
            return Some(Verdict::Pass);
        }
        Some(
            Finding::new(format!(
                "{what} `{id}` never ends although its cancellation was accepted"
            ))
            .at(accepted, "accepted here")
            .at(last, "reported last here")
            .help("confirm the end with an update: until then clients show it as running")
            .into(),
        )
    }

    /// Whether an update after the end takes the offer to cancel back; `None` where there is
    /// nothing to take back.
    pub(crate) fn offer(&self, update: &Update<'_>) -> Option<Verdict> {
        let Self { end, cancellation, .. } = *self;
        let (ended, _) = end?;
        let offered = cancellation.offered?;
        if cancellation.asked {
            return None; // The answer is what is judged.
        }
        let capabilities = update.update.get("capabilities");
        if !capabilities.is_none_or(cancellation::offers) {
            return Some(Verdict::Pass);
        }
        Some(self.still_offers(ended, offered).into())
    }

    /// The finding for a target that has ended and still offers to be cancelled.
    pub(crate) fn still_offers(&self, ended: Anchor, offered: Anchor) -> Finding {
        let Self { what, id, .. } = *self;
        Finding::new(format!("{what} `{id}` has ended and still offers to be cancelled"))
            .at(ended, "ended here")
            .at(offered, "offered here")
            .help("set `capabilities` to null with the end")
            .once_per((what, id))
    }
}

/// The finding for the cancellation of something that no message has named.
pub(crate) fn unknown(answer: &Answer<'_>, what: &str, id: &str) -> Finding {
    Finding::new(format!("the cancellation of {what} `{id}` is accepted, which was never reported"))
        .at(answer.node, "accepted here")
        .at(answer.request.at, "the cancellation")
        .help("answer -32602 for ids that the session does not have")
}
