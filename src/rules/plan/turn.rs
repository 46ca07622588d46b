//! The turns of a session, for rules about plans: what they leave behind, which list precedes a list
//! in the same turn, and which entries are in progress.

use crate::{
    event::{Call, Update},
    json::Text,
    model::{
        Answer, Connection, PlanUpdated, Session,
        session::plans::{Content, EntryStatus, Item, ItemList, PlanEntry, Suspicion},
    },
    protocol::{Side, Version},
    rule::{Finding, Verdict},
};

/// Methods of requests that attach a session. Plans are replayed after them, so that earlier lists
/// of entries prove nothing any more.
pub(super) const ATTACHMENTS: &[&str] = &["session/load", "session/resume"];

/// The session that a request names, if it is known, for rules on `session/load` and
/// `session/resume`.
pub(super) fn attached<'c>(
    call: &Call<'_>,
    connection: &'c Connection,
) -> impl Iterator<Item = &'c Session> {
    call.session_id().and_then(|id| connection.session(id)).into_iter()
}

/// All sessions in the order in which messages first named them, for checks at the end of the
/// connection.
pub(super) fn left_open(connection: &Connection) -> impl Iterator<Item = &Session> {
    connection.sessions().map(|(_, session)| session)
}

/// The findings about plan updates of these sessions that may have left out entries, where no later
/// update has proven it; `None` without any.
pub(super) fn verdict<'c>(
    sessions: impl Iterator<Item = &'c Session>,
    finding: impl Fn(&Suspicion) -> Option<Finding>,
) -> Option<Verdict> {
    let findings: Vec<_> =
        sessions.flat_map(|session| session.plans.suspicions()).filter_map(finding).collect();
    Verdict::failed(findings)
}

/// The findings about plan updates of earlier turns that may have left out entries, where after
/// this update no later one can prove it; `None` without any.
pub(super) fn settled(
    updated: &PlanUpdated<'_>,
    connection: &Connection,
    finding: impl Fn(&Suspicion) -> Option<Finding>,
) -> Option<Verdict> {
    let session = connection.session(updated.session_id)?;
    let settled = session.plans.settled_by(updated, session.turn.number);
    Verdict::failed(settled.filter_map(finding).collect())
}

/// The preceding list of the plan in the turn, and those of its entries that the update lists
/// again, each with its new state. `None` for the first list of a turn.
pub(super) fn steps<'u, 't: 'u, 'c: 'u>(
    updated: &'u PlanUpdated<'t>,
    connection: &'c Connection,
) -> Option<(&'c ItemList, impl Iterator<Item = (&'u Item, &'u PlanEntry<'t>)>)> {
    let diff = updated.diff.as_ref().filter(|diff| !diff.is_first)?;
    let session = connection.session(updated.session_id)?;
    let listing = session.plans.of(updated.snapshot.key)?.listing()?;
    let entries = updated.snapshot.entries();
    let kept = diff.kept(Some(listing)).zip(entries);
    Some((listing, kept.filter_map(|(old, entry)| Some((old?, entry)))))
}

/// The session whose turn a response to `session/prompt` ends on version 1, and the stop reason;
/// `None` for other responses.
pub(super) fn stopped<'c, 't>(
    answer: &Answer<'t>,
    connection: &'c Connection,
) -> Option<(&'c Session, Text<'t>)> {
    let reason = answer.result()?.get("stopReason")?.text()?;
    let id = answer.request.session_id.as_deref()?;
    // With another prompt in progress, the plan may belong to either.
    let mut others = connection.rpc.perhaps_open_in(id, Side::Client, "session/prompt");
    if others.next().is_some() || connection.version() == Some(Version::V2) {
        return None;
    }
    Some((connection.session_named(id)?, reason))
}

/// The session whose turn a `state_update` ends on version 2, and the stop reason. Returns `None`
/// while work goes on in the background, which may continue the plan.
pub(super) fn idle<'c, 't>(
    update: &Update<'t>,
    connection: &'c Connection,
) -> Option<(&'c Session, Text<'t>)> {
    let state = update.update;
    let reason =
        state.get("stopReason").filter(|_| state.get("state").is_some_and(|it| it.is("idle")))?;
    if state.get("background").is_some_and(|background| !background.is_empty()) {
        return None;
    }
    let session = connection.session(update.session_id)?;
    (!session.is_replaying()).then_some((session, reason.text()?))
}

/// The lists of entries of those plans that the current turn has updated. A plan that the agent
/// seems to have sent again with another id is left out; `plan/id-per-update` reports it.
pub(super) fn session_lists(session: &Session) -> impl Iterator<Item = &ItemList> {
    let turn = session.turn.number;
    let plans = session.plans.shown_in(turn).into_iter();
    let current = plans.filter(move |plan| !session.plans.is_left_behind(plan, turn));
    current.filter_map(move |plan| match plan.content_of(turn)? {
        Content::Items(listing) => Some(&**listing),
        Content::Markdown(_) | Content::File(_) | Content::Other(_) => None,
    })
}

/// The entries in progress of plans that the current turn has updated: the plan's list, and the
/// entry's index in it (from 0). `None` when the turn has updated no plan.
pub(super) fn running(session: &Session) -> Option<impl Iterator<Item = (&ItemList, usize)>> {
    let mut session_lists = session_lists(session).peekable();
    session_lists.peek()?;
    Some(session_lists.flat_map(|listing| {
        let items = listing.items().iter().enumerate();
        let running = items.filter(|(_, item)| item.status == EntryStatus::InProgress);
        running.map(move |(position, _)| (listing, position))
    }))
}
