//! The sessions whose replay is over, with what it owed.

use crate::{
    model::{
        Anchor, Session,
        session::attachment::Attachment,
        story::{OwedReplay, Place},
    },
    rule::prelude::*,
};

/// Where the sources say what the replay of a session has to contain.
pub(super) const CITES: [Citation; 2] = [
    Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
        requires: "loading replays the whole conversation",
    },
    Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
        requires: "`replayFrom` asks for the history that the agent has stored",
    },
];

/// A replay that has ended, with what rules need to compare it with the session's history.
pub(super) struct Replayed<'c> {
    pub(super) id: &'c str,
    pub(super) attachment: &'c Attachment,
    pub(super) owed: &'c OwedReplay,
    /// Place of the response to the request that asked for the replay.
    pub(super) answer: Anchor,
}

/// The last replay of a session; `None` where there was none, where nothing was expected of it, or
/// where history still came after the response.
pub(super) fn of<'c>(id: &'c str, session: &'c Session) -> Option<Replayed<'c>> {
    let attachment = session.attachment.as_deref().filter(|_| session.wants_history)?;
    let (answer, owed) = (attachment.answer?, attachment.owed.as_deref()?);
    (!attachment.is_followed && !attachment.is_judged && attachment.history.is_some())
        .then_some(Replayed { id, attachment, owed, answer })
}

/// Checks the last replay of a session when the client sends a further call for it, by which time
/// the replay has ended.
pub(super) fn before(
    call: &Call<'_>,
    connection: &Connection,
    check: impl FnOnce(&Replayed<'_>) -> Option<Finding>,
) -> Option<Verdict> {
    let id = call.session_id()?;
    let session = connection.session(id)?;
    check(&of(&id.as_cow(), session)?).map(Verdict::from)
}

/// Checks the last replay of each session at the end of the connection.
pub(super) fn at_end(
    connection: &Connection,
    check: impl Fn(&Replayed<'_>) -> Option<Finding>,
) -> Option<Verdict> {
    let replayed = connection.sessions().filter_map(|(id, session)| of(id, session));
    Verdict::failed(replayed.filter_map(|replayed| check(&replayed)).collect())
}

/// Passes when a replay ends that had to repeat something known; `NotAssessable` when it is unknown
/// what it had to repeat.
pub(super) fn attached(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, attachment) = super::attached::attachment(answer, connection)?;
    if !session.wants_history || attachment.history.is_none() {
        return None;
    }
    if attachment.is_unknown() {
        return Some(Verdict::NotAssessable);
    }
    attachment.owed.as_ref().is_some_and(|owed| owed.has_proven()).then_some(Verdict::Pass)
}

/// Adds places to a finding, each with the word of the same index as its note.
pub(super) fn with_places(finding: Finding, places: &[Place], words: [&'static str; 3]) -> Finding {
    let labels = places.iter().zip(words);
    labels.fold(finding, |finding, (place, word)| finding.at(place.clone(), word))
}
