//! Applies calls, answers and updates to the stories of sessions: what their turns leave to be
//! replayed, and what comes back.

use crate::{
    event::{Call, Message, Update},
    model::{
        connection::Connection,
        response::Answer,
        story::{When, identity, item::TurnEnd, shelf::ReplayRequest},
    },
    protocol::{Side, Version, methods},
    source::Span,
};

/// Sessions of a connection whose turns are kept.
const SESSIONS: usize = 10_000;

impl Connection {
    fn when(&self, message: &Message<'_>) -> When {
        self.stories.when(message.node.span().start, message.at)
    }

    /// Whether the recorder puts words in place of texts, so that they cannot be compared.
    fn masks_texts(&self) -> bool {
        self.stories.is_lossy || self.recording().is_masked
    }

    /// Applies a call other than an update. Called after the session has taken it.
    pub(super) fn tell_call(&mut self, method: &str, call: &Call<'_>) {
        if call.id.is_none() || call.sender == Some(Side::Agent) {
            return;
        }
        let Some(id) = call.session_id() else { return };
        let (now, is_masked) = (self.when(call), self.masks_texts());
        match method {
            "session/prompt" => {
                let is_known = self.session(id).is_some_and(|session| session.story.is_some());
                if !is_known {
                    if self.told >= SESSIONS {
                        return;
                    }
                    self.told += 1;
                }
                if let Some(session) = self.sessions.named_mut(id) {
                    let story = session.story.get_or_insert_default();
                    story.opened = story.opened.or(Some(now));
                    story.prompt(call, now, is_masked);
                }
            }
            _ if methods::attaches_session(method) => {
                let Some(session) = self.session(id) else { return };
                if !session.wants_history {
                    if let Some(session) = self.sessions.named_mut(id)
                        && (session.story.is_some() || self.told < SESSIONS)
                    {
                        self.told += usize::from(session.story.is_none());
                        let story = session.story.get_or_insert_default();
                        story.opened = story.opened.or(Some(now));
                    }
                    return;
                }
                let mut owed = self.stories.owed(ReplayRequest {
                    session_id: &id.as_cow(),
                    now,
                    own: session.story.as_deref(),
                    is_birth: session.born.is_some(),
                });
                let is_live = session.open_prompts > 0
                    || session.activity.is_active()
                    || session.story.as_ref().is_some_and(|story| story.is_open());
                if is_masked || is_live {
                    owed.spoil();
                }
                let lost = self.lost();
                if let Some(session) = self.sessions.named_mut(id) {
                    if let Some(attachment) = &mut session.attachment {
                        attachment.owed = owed.is_owed().then(|| Box::new(owed));
                        attachment.lost = lost;
                    }
                    if session.story.is_none() && self.told >= SESSIONS {
                        return;
                    }
                    self.told += usize::from(session.story.is_none());
                    let story = session.story.get_or_insert_default();
                    story.opened = story.opened.or(Some(now));
                    story.excuse();
                }
            }
            _ => {}
        }
    }

    /// Applies an answer. Called before the session takes it.
    pub(super) fn tell_answer(&mut self, answer: &Answer<'_>) {
        let request = answer.request;
        if &*request.method == "initialize"
            && let Some(result) = answer.result()
        {
            self.stories.agent = identity::agent(result);
        }
        let (now, lost) = (self.when(answer), self.lost());
        let version = self.version();
        let Some(session) = self.sessions.of(request) else { return };
        let (is_last, replay) = (
            session.open_prompts <= 1,
            session.attachment.as_ref().map(|attachment| (attachment.number, attachment.lost)),
        );
        let Some(story) = &mut session.story else { return };
        match &*request.method {
            "session/prompt" => {
                if answer.ambiguous || lost > 0 {
                    story.excuse();
                }
                let Some(result) = answer.result() else {
                    story.refuse(request.at);
                    if version != Some(Version::V2) && is_last {
                        story.end(TurnEnd::Excused, now);
                    }
                    return;
                };
                if version != Some(Version::V2) {
                    let end = TurnEnd::of(result.get("stopReason"));
                    if end == TurnEnd::Excused {
                        story.excuse();
                    }
                    if is_last {
                        story.end(end, now);
                    }
                }
            }
            method if methods::attaches_session(method) => {
                let is_whole = replay == Some((request.number, lost));
                let is_sound = answer.result().is_some() && !answer.ambiguous && is_whole;
                story.end_replay(now, is_sound && lost == 0);
                if !is_whole && let Some(attachment) = &mut session.attachment {
                    attachment.owed = None;
                }
            }
            _ => {}
        }
    }

    /// Gives a fork what its source owes.
    pub(super) fn tell_fork(&mut self, answer: &Answer<'_>) {
        if &*answer.request.method != "session/fork" {
            return;
        }
        let id = answer.result().and_then(|result| result.get("sessionId")?.text());
        let Some(source) = self.sessions.of(answer.request) else { return };
        let Some(story) = &mut source.story else { return };
        let fork = story.of_fork();
        if let Some(id) = id
            && self.told < SESSIONS
            && let Some(session) = self.sessions.named_mut(id)
            && session.story.is_none()
        {
            self.told += 1;
            session.story = Some(Box::new(fork));
        }
    }

    /// Applies an update. Called before the session takes it.
    pub(super) fn tell_update(&mut self, update: &Update<'_>) {
        let (now, is_masked, lost) = (self.when(update), self.masks_texts(), self.lost());
        let version = self.version();
        let Some(session) = self.sessions.named_mut(update.session_id) else { return };
        let is_replaying = session.is_replaying();
        let wants_history = session.wants_history;
        let kind = update.kind.as_cow();
        if is_replaying
            && let Some(owed) = session.attachment.as_mut().and_then(|it| it.owed.as_mut())
        {
            owed.apply(&kind, update);
        }
        let Some(story) = &mut session.story else { return };
        match &*kind {
            "compaction_update" | "compaction_summary_chunk" => story.clear(now),
            _ if is_replaying && wants_history => story.replay(&kind, update, is_masked),
            _ if is_replaying => {}
            "state_update" if version == Some(Version::V2) => {
                let is_idle = update.update.get("state").is_some_and(|state| state.is("idle"));
                let reason = update.update.get("stopReason").filter(|reason| !reason.is_null());
                if is_idle && story.is_open() {
                    if lost > 0 {
                        story.excuse();
                    }
                    story.end(TurnEnd::of(reason), now);
                }
            }
            _ => story.update(&kind, update, is_masked),
        }
    }

    /// Puts all sessions on the shelf, since the connection has ended with this message.
    pub fn shelve(&mut self, number: u32, last: Span) {
        let last = self.stories.when(last.start, self.previous_at);
        for (id, session) in self.sessions.iter_mut() {
            let is_birth = session.born.is_some();
            let story = session.story.take();
            if story.is_some() || is_birth {
                let items = story.map(|story| *story).unwrap_or_default();
                self.stories.shelve(id, number, is_birth, items, last);
            }
        }
    }
}
