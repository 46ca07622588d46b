//! Applies calls, answers and updates to the stories of sessions: what their turns leave to be
//! replayed, and what comes back.

use crate::{
    event::{Call, Message, Update},
    json::{Node, Text},
    model::{
        anchor::Anchor,
        connection::Connection,
        request::facts::RequestFacts,
        response::Answer,
        story::{
            AcceptedPrompt, Items, Origin, When, identity,
            item::TurnEnd,
            shelf::{ReplayRequest, SessionFacts},
        },
    },
    protocol::{Side, Version, methods},
    source::Span,
};

/// Most sessions of a connection whose turns are kept to compare them with later replays; further
/// sessions are not compared.
const SESSIONS: usize = 10_000;
/// Most bytes of the `messageId` of an accepted prompt that is kept; longer ones are not compared
/// with replays.
const LONGEST_ID: usize = 256;
/// Most bytes of a session's working directory that is kept for other connections; a longer one is
/// not compared.
const LONGEST_PATH: usize = 4096;

/// Members of `_meta` that say nothing of what a request asks for.
const TRACE: [&str; 3] = ["traceparent", "tracestate", "baggage"];

/// Whether the name of an extension tells that it changes the history of a session.
fn is_about_history(name: &str) -> bool {
    const WORDS: [&str; 12] = [
        "clear", "compact", "delete", "history", "prune", "reset", "revert", "rewind", "rollback",
        "summar", "truncat", "undo",
    ];
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

impl Connection {
    fn when(&self, message: &Message<'_>) -> When {
        self.stories.when(message.node.span().start, message.at)
    }

    /// Whether the recorder puts words in place of texts, so that a replay cannot be compared with
    /// what was sent.
    fn masks_texts(&self) -> bool {
        self.stories.is_lossy || self.recording().is_masked
    }

    /// How another connection of the recording created the session that a call attaches; `None`
    /// when this connection created it, or when that is not proven.
    pub fn origin(&self, call: &Call<'_>) -> Option<Origin> {
        let id = call.session_id()?;
        if self.session(id).is_some_and(|session| session.born.is_some()) {
            return None;
        }
        self.stories.origin(&id.as_cow(), self.when(call))
    }

    /// The history of a session for comparing later replays, created on demand. `None` for an
    /// unknown session, and when too many are kept.
    fn story(&mut self, id: Text<'_>) -> Option<&mut Items> {
        let session = self.sessions.named_mut(id)?;
        if session.story.is_none() {
            if self.told >= SESSIONS {
                return None;
            }
            self.told += 1;
        }
        Some(session.story.get_or_insert_default())
    }

    /// Remembers what a request of the client means for later replays of its session, such as the
    /// text of a prompt. Call this after the session has applied the request.
    pub(super) fn tell_call(&mut self, method: &str, call: &Call<'_>) {
        let Some(id) = call.session_id() else { return };
        let (now, is_masked) = (self.when(call), self.masks_texts());
        let is_asked = call.id.is_some() && call.sender != Some(Side::Agent);
        // What a client asks for by an extension may change the history.
        if method.starts_with('_') && (is_asked || is_about_history(method)) {
            self.may_clear(id, now, !is_asked);
        }
        if !is_asked {
            return;
        }
        if method != "session/delete"
            && let Some(story) = self.story(id)
        {
            story.used = Some(now);
        }
        match method {
            "session/prompt" => {
                if let Some(story) = self.story(id) {
                    story.opened = story.opened.or(Some(now));
                    story.prompt(call, now, is_masked);
                }
            }
            _ if methods::attaches_session(method) => {
                let Some(session) = self.session(id) else { return };
                if !session.wants_history {
                    if let Some(story) = self.story(id) {
                        story.opened = story.opened.or(Some(now));
                    }
                    return;
                }
                let request = ReplayRequest {
                    session_id: &id.as_cow(),
                    now,
                    own: session.story.as_deref(),
                    is_birth: session.born.is_some(),
                };
                let prompts = self.stories.prompts(request);
                let plan = self.stories.plan(request);
                let mut owed = self.stories.owed(request);
                let is_live = session.open_prompts > 0
                    || session.activity.is_active()
                    || session.story.as_ref().is_some_and(|story| story.is_open());
                let from = call.param("replayFrom").and_then(|from| from.get("type"));
                let mut extensions = call.param("_meta").into_iter().flat_map(Node::members);
                let is_part = method != "session/load" && !from.is_some_and(|it| it.is("start"))
                    || extensions.any(|(name, _)| !TRACE.iter().any(|own| name.is(own)));
                let is_shared = session.replays > 1;
                let is_changed = self.stories.changed.contains(&*id.as_cow());
                let is_waived = is_changed && owed.is_owed()
                    || session.story.as_ref().is_some_and(|story| story.is_waived);
                if is_masked || is_live || is_part || is_shared || is_changed {
                    owed.spoil();
                }
                owed.believes_masks = self.recording().may_mask();
                let is_birth = request.is_birth;
                self.stories.note_replay(&id.as_cow(), is_birth, is_waived);
                let lost = self.lost_to(Some(Side::Agent));
                let is_begun = is_birth || self.origin(call).is_some();
                if let Some(session) = self.sessions.named_mut(id)
                    && let Some(attachment) = &mut session.attachment
                {
                    attachment.owed = owed.is_owed().then(|| Box::new(owed));
                    attachment.prompts = prompts;
                    attachment.plan = plan;
                    attachment.is_begun = is_begun;
                    attachment.lost = lost;
                }
                if let Some(story) = self.story(id) {
                    story.opened = story.opened.or(Some(now));
                    story.excuse();
                }
            }
            _ => {}
        }
    }

    /// Notes that an extension may have changed the history of a session, so that nothing of before
    /// is owed. `is_claim`: no request of the client asked for it.
    fn may_clear(&mut self, id: Text<'_>, now: When, is_claim: bool) {
        /// Most sessions unknown to the connection of which this is noted.
        const MOST: usize = 1024;
        if self.session(id).is_none() {
            if self.stories.changed.len() < MOST {
                self.stories.changed.insert(id.to_boxed());
            }
            return;
        }
        if let Some(story) = self.story(id) {
            if is_claim { story.waive(now) } else { story.clear(now) }
        }
    }

    /// Remembers what an answer means for later replays of its session: an accepted prompt, the end
    /// of a turn or replay. Call this before the session applies the answer.
    pub(super) fn tell_answer(&mut self, answer: &Answer<'_>) {
        let request = answer.request;
        if &*request.method == "initialize"
            && let Some(result) = answer.result()
        {
            self.stories.agent = identity::agent(result);
        }
        let (now, lost) = (self.when(answer), self.lost_to(Some(Side::Agent)));
        let has_lost = lost > 0 || self.stories.has_lost();
        let version = self.version();
        let Some(session) = self.sessions.of(request) else { return };
        if &*request.method == "session/delete"
            && answer.result().is_some()
            && !answer.ambiguous
            && (session.story.is_some() || self.told < SESSIONS)
        {
            self.told += usize::from(session.story.is_none());
            let story = session.story.get_or_insert_default();
            story.deleted = Some((now, Anchor::of(answer.node, &"")));
        }
        let (is_last, replay) = (
            session.open_prompts <= 1,
            session.attachment.as_ref().map(|attachment| (attachment.number, attachment.lost)),
        );
        let Some(story) = &mut session.story else { return };
        match &*request.method {
            "session/prompt" => {
                if answer.ambiguous || has_lost {
                    story.excuse();
                }
                let Some(result) = answer.result() else {
                    story.refuse(request.at);
                    if version != Some(Version::V2) && is_last {
                        story.end(TurnEnd::Excused, now);
                    }
                    return;
                };
                if let RequestFacts::Prompt(prompt) = &request.facts
                    && let Some(id) = result.get("messageId").and_then(Node::text)
                    && !answer.ambiguous
                    && id.as_cow().len() <= LONGEST_ID
                {
                    let at = Anchor::of(id.node(), &"/result/messageId");
                    let (content, id) = (prompt.content(), id.to_boxed());
                    story.accept(request.at, AcceptedPrompt { content, id, at });
                }
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
                // A request that its sender cancelled may be answered with a part.
                let is_whole = replay == Some((request.number, lost)) && !request.may_be_cancelled;
                let is_sound = answer.result().is_some() && !answer.ambiguous && is_whole;
                story.end_replay(now, is_sound && !has_lost);
                if answer.result().is_some() && !answer.ambiguous {
                    story.shown = Some(now);
                }
                if !is_whole && let Some(attachment) = &mut session.attachment {
                    attachment.owed = None;
                }
            }
            _ => {}
        }
    }

    /// Copies the history of the source session to the session that a `session/fork` has created,
    /// since a replay of it has to repeat that too.
    pub(super) fn tell_fork(&mut self, answer: &Answer<'_>) {
        if &*answer.request.method != "session/fork" {
            return;
        }
        let id = answer.result().and_then(|result| result.get("sessionId")?.text());
        let Some(source) = self.sessions.of(answer.request) else { return };
        let Some(story) = &mut source.story else { return };
        let is_whole = match &answer.request.facts {
            RequestFacts::Creation(creation) => creation.cursor.is_none(),
            _ => false,
        };
        let fork = story.of_fork(is_whole);
        if let Some(id) = id
            && self.told < SESSIONS
            && let Some(session) = self.sessions.named_mut(id)
            && session.story.is_none()
        {
            self.told += 1;
            session.story = Some(Box::new(fork));
        }
    }

    /// Notes that the agent still has the sessions of a `session/list` answer. Only in a run of
    /// `drive` or with `--story one`, where all connections lead to one agent.
    pub(super) fn tell_list(&mut self, answer: &Answer<'_>) {
        let listed = answer.result().and_then(|result| result.get("sessions"));
        if self.stories.run.is_none() && !self.stories.is_said || answer.ambiguous {
            return;
        }
        let now = self.when(answer);
        for entry in listed.into_iter().flat_map(Node::elements) {
            if let Some(id) = entry.get("sessionId").and_then(Node::text)
                && let Some(story) = self.story(id)
            {
                story.shown = Some(now);
            }
        }
    }

    /// Counts an update of a subagent's session as part of the replay, when the history of its
    /// parent is being replayed.
    fn tell_child(&mut self, kind: &str, update: &Update<'_>) {
        let id = update.session_id.as_cow();
        let parent = self.sessions.get(&id).and_then(|session| session.parent.as_ref());
        let parent = parent.map(|parent| parent.session_id.clone());
        if let Some(parent) = parent
            && let Some(parent) = self.sessions.get_mut(&parent)
            && parent.is_replaying()
            && let Some(attachment) = &mut parent.attachment
        {
            attachment.apply_child(&id, kind, update);
        }
    }

    /// Remembers what a session update adds to the history, or compares it with the history during
    /// a replay. Call this before the session applies the update.
    pub(super) fn tell_update(&mut self, update: &Update<'_>) {
        let (now, is_masked, lost) =
            (self.when(update), self.masks_texts(), self.lost_to(Some(Side::Agent)));
        let has_lost = lost > 0 || self.stories.has_lost();
        let version = self.version();
        let Some(session) = self.sessions.named_mut(update.session_id) else { return };
        let is_replaying = session.is_replaying();
        let wants_history = session.wants_history;
        let kind = update.kind.as_cow();
        if is_replaying
            && wants_history
            && kind == "subagent_update"
            && let Some(id) = update.update.get("sessionId").and_then(Node::text)
            && let Some(attachment) = &mut session.attachment
        {
            attachment.name_child(&id.as_cow());
        }
        let is_child = session.parent.is_some();
        // An idle state without a reason does not end work that has not begun.
        let is_waiting = session.open_prompts > 0 && !session.activity.is_active();
        if let Some(story) = &mut session.story {
            story.used = Some(now);
        }
        if is_replaying
            && let Some(owed) = session.attachment.as_mut().and_then(|it| it.owed.as_mut())
        {
            owed.apply(&kind, update);
        }
        let names = update.update.get("_meta").into_iter().flat_map(Node::members);
        let mut names = names.filter_map(|(name, _)| name.text());
        let tells_change = kind.starts_with('_') && is_about_history(&kind)
            || names.any(|name| name.as_cow().contains("compact"));
        if let Some(story) = &mut session.story {
            match &*kind {
                "compaction_update" | "compaction_summary_chunk" => story.clear(now),
                _ if tells_change && !is_replaying => story.waive(now),
                _ if is_replaying && wants_history => story.replay(&kind, update, is_masked),
                _ if is_replaying => {}
                "usage_update" => {
                    let number = |name| update.update.get(name).and_then(Node::integer);
                    if let (Some(used), Some(size)) = (number("used"), number("size")) {
                        story.note_context(used, size, now);
                    }
                }
                "state_update" if version == Some(Version::V2) => {
                    let is_idle = update.update.get("state").is_some_and(|state| state.is("idle"));
                    let reason = update.update.get("stopReason").filter(|reason| !reason.is_null());
                    let ends = is_idle && !(is_waiting && reason.is_none());
                    if ends && story.is_open() {
                        if has_lost {
                            story.excuse();
                        }
                        story.end(TurnEnd::of(reason), now);
                    }
                }
                _ => story.update(&kind, update, is_masked),
            }
        }
        if is_child {
            self.tell_child(&kind, update);
        }
    }

    /// Notes what was lost since this message, which is the last one.
    pub fn note_lost_since(&mut self, last: Span) {
        let (lost, at) = (self.lost_to(Some(Side::Agent)), self.previous_at);
        self.stories.note_lost(lost, last.start, at);
    }

    /// Hands the stories of all sessions to later connections of the file, since this connection
    /// has ended. `number` is the connection's; `last` is its last message.
    pub fn shelve(&mut self, number: u32, last: Span) {
        self.note_lost_since(last);
        let last = self.stories.when(last.start, self.previous_at);
        for (id, session) in self.sessions.iter_mut() {
            let facts = SessionFacts {
                born: session.born,
                home: session.home.clone().filter(|home| home.path.len() <= LONGEST_PATH),
                instructions: session.instructions,
                plan: session.plans.last(),
            };
            let story = session.story.take();
            if story.is_some() || facts.born.is_some() {
                let items = story.map(|story| *story).unwrap_or_default();
                self.stories.shelve(id, number, facts, items, last);
            }
        }
    }
}
