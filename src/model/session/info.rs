//! Facts of a session beside its turns: title, modes, cost, and whether it is being closed, archived
//! or deleted.

use crate::{
    event::{Call, Update},
    json::Node,
    model::{
        anchor::Anchor,
        digest,
        name_list::NameList,
        request::setting::ConfigValue,
        response::Answer,
        session::{
            cursors::Cursors,
            on_demand::{self, OnDemand},
        },
    },
    protocol::methods,
};

/// Facts of one session beside its turns: title, modes, cost, cursors, and whether it is being
/// closed, archived or deleted.
#[derive(Clone, Debug, Default)]
pub struct SessionInfo {
    /// Place and number of the last `session/close` request; `None` once it has failed or the
    /// session is attached again.
    pub closing: Option<Occurrence>,
    /// Place and number of the answer that confirmed `session/delete`; `None` once the session is
    /// created or attached again.
    pub deleted: Option<Occurrence>,
    /// The last confirmed `session/archive` or `session/unarchive`; `None` when there is none or
    /// its effect is uncertain.
    pub archived: Option<Archived>,
    /// Place of what last showed the client that the session is archived: a confirmed
    /// `session/archive` or an entry of a list. `None` when the session is not archived, or that is
    /// unknown.
    pub shown_archived: Option<Anchor>,
    /// The title in the last answer to `session/set_title`, and its place; `None` without one.
    pub title: Option<(Box<str>, Anchor)>,
    /// Place of the last result of `session/status` for this session, so that a finding can point
    /// at it.
    pub probed: Option<Anchor>,
    /// The modes that the session offers, from the last result that lists them; `None` without such
    /// a result.
    pub modes: Option<Modes>,
    /// The change of the mode or of an option that the agent has refused; `None` once it answers
    /// another request of the session, or tells of a change.
    pub refused: Option<RefusedChange>,
    /// The cost in the last `usage_update` since the session was attached; `None` without one.
    pub cost: Option<Cost>,
    /// The usage of a turn in the last `state_update`; `None` when it reports none, or a prompt
    /// followed.
    pub idle: Option<Idle>,
    /// The cursors, places in the session's conversation, that the agent has named.
    pub cursors: Cursors,
}

/// A change of the mode or of an option that the agent has refused, so that the value stays.
#[derive(Clone, Debug)]
pub struct RefusedChange {
    /// The id of the option; `None` for the mode of the session.
    pub option: Option<Box<str>>,
    /// The value that stays.
    pub kept: ConfigValue,
    /// Place of the refused value.
    pub at: Anchor,
}

/// Place and number of a message, so that later findings can point at it and compare the order.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Place of the whole message.
    pub at: Anchor,
    /// Number of the message, counted from 1 in the connection.
    pub number: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Archived {
    pub is_archived: bool,
    pub mark: Occurrence,
    /// Whether the session was in use when it was archived, so that archiving has closed it as
    /// well.
    pub was_open: bool,
}

/// The modes that an agent offers for a session (`modes.availableModes`).
#[derive(Clone, Debug)]
pub struct Modes {
    /// Place of `modes.availableModes`, so that a finding can point at it.
    pub at: Anchor,
    pub ids: NameList,
}

#[derive(Clone, Debug)]
pub struct Cost {
    pub amount: f64,
    pub currency: Box<str>,
    /// Place of the amount of the cost.
    pub at: Anchor,
}

/// The usage of a turn in a `state_update` with its stop reason, to notice that a later one repeats
/// it.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    /// Digest of the stop reason, to compare it with the next one; 0 without a stop reason.
    pub reason: u64,
    pub usage: u64,
    pub at: Anchor,
}

impl Modes {
    /// The modes in a result that creates or attaches a session; `None` when it has none.
    fn of(result: Node<'_>) -> Option<Self> {
        let available = result.get("modes")?.get("availableModes")?;
        let ids = available.elements().filter_map(|mode| Some(mode.get("id")?.text()?.as_cow()));
        let at = Anchor::of(available, &"/result/modes/availableModes");
        Some(Self { at, ids: NameList::of(ids) })
    }
}

impl Idle {
    /// The usage in a `state_update`, with its stop reason; `None` when the update has no `usage`
    /// object.
    pub fn of(update: Node<'_>) -> Option<Self> {
        let usage = update.get("usage").filter(|usage| usage.is_object())?;
        Some(Self {
            reason: update.get("stopReason").map_or(0, digest::of),
            usage: digest::of(usage),
            at: Anchor::of(usage, &"/params/update/usage"),
        })
    }
}

on_demand::empty!(SessionInfo);

impl OnDemand<SessionInfo> {
    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>, number: u64) {
        if call.id.is_none() {
            return;
        }
        match method {
            "session/close" => {
                self.closing = Some(Occurrence { at: Anchor::of(call.node, &""), number });
            }
            _ if methods::attaches_session(method) => self.if_made(|info| info.cost = None),
            "session/prompt" => self.if_made(|info| info.idle = None),
            _ => {}
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>, is_open: bool, number: u64) {
        let mark = Occurrence { at: Anchor::of(answer.node, &""), number };
        let Some(result) = answer.result() else {
            if &*answer.request.method == "session/close" {
                self.if_made(|info| info.closing = None);
            }
            return;
        };
        let method = &*answer.request.method;
        // The answer may belong to another request, so its effect is not certain.
        if answer.ambiguous && (method == "session/delete" || methods::changes_archive(method)) {
            return;
        }
        match method {
            _ if methods::attaches_session(method) => {
                self.begin(result);
                self.if_made(|info| {
                    info.closing = None;
                    info.archived = info.archived.filter(|archived| !archived.was_open);
                });
            }
            "session/delete" => self.deleted = Some(mark),
            _ if methods::changes_archive(method) => {
                let is_archived = method == "session/archive";
                let was_open = is_archived && is_open;
                self.archived = Some(Archived { is_archived, mark, was_open });
                self.shown_archived = is_archived.then_some(mark.at);
            }
            "session/set_title" => {
                self.title = result.get("title").and_then(|title| {
                    Some((title.text()?.to_boxed(), Anchor::of(title, &"/result/title")))
                });
            }
            "session/status" => self.probed = Some(mark.at),
            _ => {}
        }
    }

    /// Applies the result that creates or attaches the session: it is not deleted, and may offer
    /// modes.
    pub(super) fn begin(&mut self, result: Node<'_>) {
        self.if_made(|info| info.deleted = None);
        if let Some(modes) = Modes::of(result) {
            self.modes = Some(modes);
        }
    }

    pub(super) fn apply_update(&mut self, kind: &str, update: &Update<'_>) {
        let body = update.update;
        match kind {
            "usage_update" => {
                let Some(cost) = body.get("cost") else { return };
                self.cost = (|| {
                    let amount = cost.get("amount")?;
                    Some(Cost {
                        amount: amount.number()?,
                        currency: cost.get("currency")?.text()?.to_boxed(),
                        at: Anchor::of(amount, &"/params/update/cost/amount"),
                    })
                })();
            }
            "state_update" => self.idle = Idle::of(body),
            _ => {}
        }
    }
}
