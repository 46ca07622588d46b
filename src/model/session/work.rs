//! The prompts of a session and the work on them: which prompts were accepted and shown, what was
//! cancelled, what the agent has sent since the last work ended.

use std::collections::hash_map::Entry;

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::{IndexMap, Map},
    model::{
        anchor::Anchor,
        digest,
        request::{facts::RequestFacts, question::Question, submission::PromptRequest},
        response::Answer,
        session::{
            activity::{self, Activity, AgentState},
            messages::{KnownMessages, MessageKind},
            on_demand::{self, OnDemand},
            permissions::Refusal,
            tool_calls::ToolCalls,
        },
    },
    protocol::{Side, Version},
};

/// Most user messages with one content, or accepted prompts not yet shown, that are looked at;
/// others are skipped, so that hostile input does not take long.
const LOOKED_AT: usize = 256;

/// How work goes on in one session: what began it, what stopped it, what was asked meanwhile. For
/// rules on states, prompts and cancellation.
#[derive(Clone, Debug, Default)]
pub struct Work {
    /// What the client cancelled or closed in the session, and which turns ended by that.
    pub stops: OnDemand<Stops>,
    /// Message number of the last sign that the user or client stopped the work, such as a
    /// cancellation, a dismissed question or the end of the session; 0 without one. A refused
    /// permission does not count.
    pub stopped: u64,
    /// Message number of the last `session/prompt`; 0 before the first.
    pub prompted: u64,
    /// Place of the idle state that ended the last work with its own stop reason, though the agent
    /// must have known that the session was to be closed; `None` otherwise.
    pub ended_despite_close: Option<Anchor>,
    /// Whether work went on when the client last asked to close the session.
    pub was_active_at_close: bool,
    /// Place of the answer that accepted a prompt sent after a cancellation, as long as the
    /// cancelled work has not ended.
    pub next_accepted: Option<Anchor>,
    /// Place of the last `state_update`; `None` before the first.
    pub state: Option<Anchor>,
    /// The state `requires_action` while it lasts; `None` in other states.
    pub episode: Option<Episode>,
    /// Message number of the last `session/update` of any kind; 0 before the first.
    pub updated: u64,
    /// The stop reason of the last idle state that gave one; `None` while none did.
    pub last_reason: Option<Box<str>>,
    /// Place of the last answer that accepted a prompt since work ended; `None` without one.
    pub accepted: Option<Anchor>,
    /// Place of the first new message of the agent, while no state reports work, since work ended;
    /// `None` without one.
    pub output: Option<Anchor>,
    /// Place of the first new message or tool call of the agent, while no state reports work, since
    /// the last state or prompt; `None` without one.
    pub idle_output: Option<Anchor>,
    /// Message number of the state that began the last work; 0 before that.
    began: u64,
    /// Number of permission requests and elicitations that wait for their answer.
    pub open_questions: u32,
    /// Place and message number of the last answer to a permission request or elicitation; `None`
    /// without one.
    pub answered: Option<(Anchor, u64)>,
    /// The tool call that the last answered permission request was about; `None` for other
    /// questions.
    asked_about: Option<Box<str>>,
    /// Place of the first update of the tool call in `asked_about` since the answer to its
    /// permission request, while the state is still `requires_action`; `None` without one.
    pub resumed: Option<Anchor>,
    /// Message number of the last permission request, elicitation or extension call, which may be a
    /// question; 0 before the first.
    pub asked: u64,
    /// Message number of the last request of the agent, or question or extension call of either
    /// side; 0 before the first.
    pub called: u64,
    /// Message number of the last extension call, which may be a question to the user; 0 before the
    /// first.
    hinted: u64,
    /// Whether the user has agreed to open a web page, by accepting an elicitation in mode `url`.
    pub has_link: bool,
    fates: OnDemand<Fates>,
}

/// What became of the prompts of a session on version 2: accepted, shown as user messages, or
/// refused.
#[derive(Clone, Debug, Default)]
pub struct Fates {
    /// Idle states that ended work with the stop reason `error`: place and message number, in
    /// order.
    failures: Vec<(Anchor, u64)>,
    /// Accepted prompts by the `messageId` that the answer gave to each.
    accepted: Map<Box<str>, Prompt>,
    /// Accepted prompts that no user message has shown since, by message id, until the work on them
    /// has ended.
    unshown: IndexMap<Box<str>, Prompt>,
    /// For each `idempotencyKey`, the first prompt that had this key, to notice other prompts with
    /// it.
    keys: Map<Box<str>, Keyed>,
    /// How often the session was loaded or resumed since the first prompt with an `idempotencyKey`.
    attachments: u32,
    /// Whole messages of the user in the order in which updates showed them. The key is the digest
    /// of the content, to match them with prompts.
    shown: Map<u64, Vec<UserMessage>>,
    /// Prompts that were refused and have not been sent again. The key is the digest of the
    /// content, to recognize them.
    rejected: Map<u64, Vec<RejectedPrompt>>,
    /// Whether any prompt was refused.
    has_rejected: bool,
}

/// The cancellations of a session, and the turns and the work that they ended.
#[derive(Clone, Debug, Default)]
pub struct Stops {
    /// The last `session/cancel` of the client, even if there was nothing to cancel; `None` without
    /// one.
    pub cancel: Option<Cancel>,
    /// On version 1: the last turn, if it ended with the stop reason `cancelled` after a
    /// `session/cancel`, until the next prompt.
    pub cancelled_turn: Option<Cancelled>,
    /// On version 1, the number of the answer that ended the last turn as `cancelled`; 0 without
    /// one.
    pub last_cancelled: u64,
    /// On version 2: the `session/cancel` of work that has not ended since; `None` without one.
    pub cancelled_work: Option<Cancel>,
    /// On version 2: the idle state that ended cancelled work as `cancelled`, until the next work
    /// begins.
    pub cancelled_idle: Option<Cancelled>,
    /// On version 2: the `session/close` of work that has not ended since; `None` without one.
    closing: Option<Cancel>,
}

/// A `session/cancel` or `session/close`, and what the agent sent after it.
#[derive(Clone, Copy, Debug)]
pub struct Cancel {
    pub at: Anchor,
    pub number: u64,
    /// Time of the message, in seconds on the recorder's clock; `None` without a time.
    pub time: Option<f64>,
    /// Place of the first update after the message that is not a state, and so shows that work went
    /// on; `None` without one.
    pub after: Option<Anchor>,
    /// Whether an update came more than a second after the message, so that the agent had time to
    /// stop.
    pub is_old: bool,
}

/// A turn (version 1), or work (version 2), that ended as cancelled.
#[derive(Clone, Copy, Debug)]
pub struct Cancelled {
    /// Place of the answer or the idle state that ended the turn or work.
    pub at: Anchor,
    pub number: u64,
    /// Place of the `session/cancel` that led to this end.
    pub cancel: Anchor,
    /// Place of the client's first answer after this end to a question from before it; `None` without one.
    pub late_answer: Option<Anchor>,
}

/// The state `requires_action` while it lasts, for rules that ask what the user has to do.
#[derive(Clone, Copy, Debug)]
pub struct Episode {
    pub at: Anchor,
    pub number: u64,
    /// Message number of the first `requires_action` since the last other state: `number`, unless
    /// the agent has reported the state again.
    pub first: u64,
    /// Whether a question may have waited for an answer when the state was reported.
    pub was_asked: bool,
}

/// A prompt of version 2 that the agent has accepted.
#[derive(Clone, Copy, Debug)]
pub struct Prompt {
    /// Place of the `messageId` in the answer that accepted the prompt.
    pub at: Anchor,
    /// Message number of the answer that accepted the prompt.
    pub number: u64,
    /// Message number of the `session/prompt` request itself.
    asked: u64,
    /// Whether other work has ended since the prompt was accepted, so that its own work should have
    /// begun.
    has_waited: bool,
}

/// A whole message of the user, by a `user_message` update.
#[derive(Clone, Debug)]
pub struct UserMessage {
    pub at: Anchor,
    pub number: u64,
    /// The `messageId` of the message; `None` without one.
    id: Option<Box<str>>,
}

/// A prompt of version 2 that the agent answered with an error: places of both messages.
#[derive(Clone, Copy, Debug)]
pub struct RejectedPrompt {
    pub request: Anchor,
    pub answer: Anchor,
}

/// The first prompt with an `idempotencyKey`, to compare later prompts with the same key.
#[derive(Clone, Debug)]
pub struct Keyed {
    /// Place of the `idempotencyKey` in the request, so that a finding can point at it.
    pub at: Anchor,
    /// Message number of the `session/prompt` request.
    pub number: u64,
    /// The answer by which the agent took this prompt into its history; `None` while none has.
    /// Later answers do not replace it.
    pub inserted: Option<Insertion>,
    /// How often the session had been loaded or resumed when the prompt was sent, or accepted last.
    attachments: u32,
    content: u64,
}

/// The answer by which the agent accepted a prompt with an `idempotencyKey`.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// The `messageId` that the answer gives to the prompt as a user message.
    pub id: Box<str>,
    /// Place of `messageId` in the answer, so that a finding can point at it.
    pub at: Anchor,
    /// Message number of the answer that accepted the prompt.
    number: u64,
}

on_demand::empty!(Fates, Stops, Work);

impl Work {
    /// The accepted prompt with this `messageId`; `None` when no answer named it.
    pub fn prompt(&self, id: Text<'_>) -> Option<&Prompt> {
        self.fates.accepted.get(&*id.as_cow())
    }

    /// The first prompt with the `idempotencyKey` of this prompt, if their content is equal, so
    /// that it is sent again; `None` otherwise.
    pub fn keyed(&self, prompt: &PromptRequest) -> Option<&Keyed> {
        let keyed = self.fates.keys.get(prompt.key.as_deref()?)?;
        (keyed.content == prompt.content).then_some(keyed)
    }

    /// The first prompt with the `idempotencyKey` of this prompt, if its content differs, so that
    /// the key is used for two prompts; `None` otherwise.
    pub fn other_keyed(&self, prompt: &PromptRequest) -> Option<&Keyed> {
        let keyed = self.fates.keys.get(prompt.key.as_deref()?)?;
        (keyed.content != prompt.content).then_some(keyed)
    }

    /// Whether a prompt was sent, and accepted, before the session was attached again. The agent
    /// may have forgotten a message that it never stored.
    pub fn is_past(&self, keyed: &Keyed) -> bool {
        keyed.attachments < self.fates.attachments
    }

    /// Whether an answer with message number `number` only repeats an earlier one, by which the
    /// prompt became the user message `id`.
    pub fn repeats_acceptance(&self, prompt: &PromptRequest, id: &str, number: u64) -> bool {
        let inserted = self.keyed(prompt).and_then(|keyed| keyed.inserted.as_ref());
        inserted.is_some_and(|inserted| *inserted.id == *id && inserted.number < number)
    }

    /// Accepted prompts that no user message has shown since, with their message ids, in no order.
    pub fn unshown(&self) -> impl Iterator<Item = (&str, &Prompt)> {
        self.fates.unshown.iter().map(|(id, prompt)| (&**id, prompt))
    }

    /// The unshown prompts whose work ends with the current work, with their message ids. A prompt
    /// that was sent during other work may have to wait for its end.
    pub fn unshown_at_end(&self) -> impl Iterator<Item = (&str, &Prompt)> {
        self.unshown().filter(|(_, prompt)| prompt.has_waited || prompt.asked < self.began)
    }

    /// Some of the accepted, not yet shown prompts whose work had begun before the prompt with
    /// message number `sent`, with their message ids.
    pub fn unshown_before(&self, sent: u64) -> impl Iterator<Item = (&str, &Prompt)> {
        let has_begun = move |prompt: &Prompt| prompt.asked < self.began && self.began < sent;
        self.unshown().take(LOOKED_AT).filter(move |(_, prompt)| {
            prompt.number < sent && (prompt.has_waited || has_begun(prompt))
        })
    }

    /// Whether an update goes on with the tool call that the user was asked about, while the state
    /// is still `requires_action` although all questions are answered.
    pub fn is_asked_about(&self, update: &Update<'_>, activity: &Activity) -> bool {
        let Some(id) = update.tool_call_id else { return false };
        self.asked_about.as_deref().is_some_and(|asked| id == *asked)
            && self.is_resumed_by(update, activity)
    }

    /// Whether an update goes on with the work, while the state is still `requires_action` although
    /// all questions are answered.
    pub fn is_resumed_by(&self, update: &Update<'_>, activity: &Activity) -> bool {
        let goes_on = match (update.tool_call_id, update.status) {
            (Some(id), Some(status)) => {
                let is_background =
                    activity.background().is_some_and(|background| background.lists(&id.as_cow()));
                (status.is("in_progress") || status.is("completed")) && !is_background
            }
            (Some(_), None) => false,
            (None, _) => true,
        };
        // Questions before the state count as well: agents use both orders.
        let is_answered =
            self.answered.zip(self.episode).is_some_and(|((_, answered), episode)| {
                self.open_questions == 0 && answered >= episode.first
            });
        goes_on && is_answered
    }

    /// User messages that show the content of this prompt and no accepted prompt. `number` is that
    /// of the prompt's message, which they follow; of hundreds, the first ones.
    pub fn shown(&self, prompt: &PromptRequest, number: u64) -> impl Iterator<Item = &UserMessage> {
        let shown = self.fates.shown.get(&prompt.content).map_or(&[][..], Vec::as_slice);
        let later = shown.partition_point(|shown| shown.number <= number);
        let later = shown[later..].iter().take(LOOKED_AT);
        later.filter(|shown| {
            !shown.id.as_deref().is_some_and(|id| self.fates.accepted.contains_key(id))
        })
    }

    /// Place of the first idle state with the stop reason `error` after the message with this
    /// number; `None` without one.
    pub fn failure_since(&self, number: u64) -> Option<Anchor> {
        let later = self.fates.failures.partition_point(|(_, failed)| *failed <= number);
        self.fates.failures.get(later).map(|(at, _)| *at)
    }

    /// Whether prompts were accepted.
    pub fn has_accepted(&self) -> bool {
        !self.fates.accepted.is_empty()
    }

    /// Whether any prompt was refused.
    pub fn has_rejected(&self) -> bool {
        self.fates.has_rejected
    }

    /// Refused prompts whose content a user message with this `content` would show.
    pub fn rejected(&self, content: Node<'_>) -> impl Iterator<Item = &RejectedPrompt> {
        self.fates.rejected.get(&digest::of(content)).into_iter().flatten()
    }

    pub(super) fn attach(&mut self) {
        self.stops.if_made(|stops| *stops = Stops { cancel: stops.cancel, ..Stops::default() });
        self.ended_despite_close = None;
        self.episode = None;
        self.resumed = None;
        self.output = None;
        self.idle_output = None;
        self.accepted = None;
        self.fates.if_made(|fates| fates.attachments += 1);
    }

    pub(super) fn apply_call(
        &mut self,
        method: &str,
        call: &Call<'_>,
        activity: &Activity,
        number: u64,
    ) {
        if call.id.is_some() && call.sender == Some(Side::Agent) {
            self.called = number;
        }
        match method {
            "session/cancel" if call.sender != Some(Side::Agent) => {
                let at = Anchor::of(call.node, &"");
                let cancel = Cancel { at, number, time: call.at, after: None, is_old: false };
                self.stops.cancel = Some(cancel);
                self.stopped = number;
                if activity.is_active() {
                    self.stops.cancelled_work.get_or_insert(cancel);
                }
            }
            "session/close" | "session/delete" | "session/archive" => {
                self.stopped = number;
                self.was_active_at_close = method == "session/close" && activity.is_active();
                if self.was_active_at_close {
                    let at = Anchor::of(call.node, &"");
                    let closing = Cancel { at, number, time: call.at, after: None, is_old: false };
                    self.stops.closing = Some(closing);
                }
            }
            "session/prompt" if call.id.is_some() => {
                self.stops.if_made(|stops| stops.cancelled_turn = None);
                self.prompted = number;
                self.idle_output = None;
                self.key(call, number);
                if !self.fates.rejected.is_empty()
                    && let Some(prompt) = PromptRequest::of(call)
                {
                    self.fates.rejected.remove(&prompt.content);
                }
            }
            "session/request_permission" | "elicitation/create" if call.id.is_some() => {
                self.open_questions += 1;
                (self.asked, self.called) = (number, number);
            }
            _ if method.starts_with('_') => {
                (self.asked, self.called) = (number, number);
                self.hinted = number;
                if call.sender != Some(Side::Agent) && may_stop(method) {
                    self.stopped = number;
                }
            }
            _ => {}
        }
    }

    pub(super) fn apply_answer(
        &mut self,
        answer: &Answer<'_>,
        open_prompts: u32,
        version: Option<Version>,
        number: u64,
    ) {
        match &answer.request.facts {
            RequestFacts::Permission(ask) => {
                self.answer(answer, number);
                self.asked_about.clone_from(&ask.tool_call);
                let is_refused_step = matches!(
                    Refusal::of(answer, ask),
                    Some(Refusal::Rejected | Refusal::NotOffered)
                );
                // What the client selected is about one step.
                if answer.result().is_some() && !is_refused_step && !is_selection(answer) {
                    self.stopped = number;
                }
            }
            RequestFacts::Question(question) => {
                self.answer(answer, number);
                let action = answer.result().and_then(|result| result.get("action"));
                let is_accepted = action.is_some_and(|action| action.is("accept"));
                self.has_link |= is_accepted && matches!(**question, Question::Link { .. });
                // The user declines one question, or dismisses all.
                if action.is_some_and(|action| !is_accepted && !action.is("decline")) {
                    self.stopped = number;
                }
            }
            RequestFacts::Prompt(prompt) if version == Some(Version::V2) => {
                self.answer_prompt(answer, prompt, number);
            }
            RequestFacts::Prompt(_) | RequestFacts::Turn => {
                let reason = answer.result().and_then(|result| result.get("stopReason"));
                let is_cancelled = reason.is_some_and(|reason| reason.is("cancelled"));
                let cancel = self.stops.cancel;
                if let Some(cancel) = cancel.filter(|it| it.number > answer.request.number)
                    && is_cancelled
                    && open_prompts <= 1
                {
                    let at = Anchor::of(answer.node, &"");
                    let turn = Cancelled { at, number, cancel: cancel.at, late_answer: None };
                    self.stops.cancelled_turn = Some(turn);
                    self.stops.last_cancelled = number;
                }
            }
            _ => {}
        }
    }

    /// Keeps the first prompt with an `idempotencyKey`. One from before the session was attached
    /// again may be replaced.
    fn key(&mut self, call: &Call<'_>, number: u64) {
        let Some(key) = call.param("idempotencyKey").filter(|key| key.is_string()) else { return };
        let Some(prompt) = PromptRequest::of(call) else { return };
        let Some(name) = prompt.key else { return };
        let at = Anchor::of(key, &"/params/idempotencyKey");
        let content = prompt.content;
        let fates = &mut *self.fates;
        let attachments = fates.attachments;
        let keyed = Keyed { at, number, inserted: None, attachments, content };
        let known = fates.keys.entry(name).or_insert_with(|| keyed.clone());
        if known.attachments < attachments && (known.content != content || known.inserted.is_none())
        {
            *known = keyed;
        }
    }

    fn answer(&mut self, answer: &Answer<'_>, number: u64) {
        let at = Anchor::of(answer.node, &"");
        if let Some(idle) = self.stops.made().and_then(|stops| stops.cancelled_idle.as_mut())
            && answer.request.number < idle.number
        {
            idle.late_answer.get_or_insert(at);
        }
        self.settle(at, number);
    }

    /// Notes that a question is answered, by a result or an error at this place with this message
    /// number.
    pub(super) fn settle(&mut self, answer: Anchor, number: u64) {
        self.asked_about = None;
        self.resumed = None;
        self.open_questions = self.open_questions.saturating_sub(1);
        self.answered = Some((answer, number));
    }

    fn answer_prompt(&mut self, answer: &Answer<'_>, prompt: &PromptRequest, number: u64) {
        let at = Anchor::of(answer.node, &"");
        if answer.request.may_be_cancelled {
            self.stopped = number;
        }
        let Some(result) = answer.result() else {
            let request = answer.request.at;
            let rejected = self.fates.rejected.entry(prompt.content).or_default();
            rejected.push(RejectedPrompt { request, answer: at });
            self.fates.has_rejected = true;
            return;
        };
        let id = result.get("messageId").and_then(Node::text);
        if let Some((id, key)) = id.zip(prompt.key.as_deref()) {
            if self.repeats_acceptance(prompt, &id.as_cow(), number) {
                return;
            }
            let attachments = self.fates.attachments;
            if let Some(keyed) =
                self.fates.keys.get_mut(key).filter(|it| it.content == prompt.content)
            {
                let at = Anchor::of(id.node(), &"/result/messageId");
                if keyed.attachments < attachments {
                    keyed.attachments = attachments;
                    keyed.inserted = None;
                }
                keyed.inserted.get_or_insert(Insertion { id: id.to_boxed(), at, number });
            }
        }
        let begun: Vec<Box<str>> =
            self.unshown_before(answer.request.number).map(|(id, _)| id.into()).collect();
        for id in begun {
            self.fates.unshown.swap_remove(&id);
        }
        self.accepted = Some(at);
        if self.stops.cancelled_work.is_some_and(|cancel| answer.request.number > cancel.number) {
            self.next_accepted = Some(at);
        }
        if let Some(id) = id {
            let at = Anchor::of(id.node(), &"/result/messageId");
            let asked = answer.request.number;
            let prompt = Prompt { at, number, asked, has_waited: false };
            let fates = &mut *self.fates;
            if let Entry::Vacant(entry) = fates.accepted.entry(id.to_boxed()) {
                entry.insert(prompt);
                fates.unshown.insert(id.to_boxed(), prompt);
            }
        }
    }

    /// Notes an update that tells of the work in the session. `before` has other parts of the
    /// session as they were before the update; `number` is its message number.
    pub(super) fn apply_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        before: &Before<'_>,
        number: u64,
    ) {
        let &Before { activity, messages, .. } = before;
        let at = || Anchor::of(update.update, &"/params/update");
        self.updated = number;
        if kind == "state_update" {
            self.apply_state(update, at(), activity, number);
            return;
        }
        if let Some(Stops { cancel, cancelled_work, closing, .. }) = self.stops.made() {
            for cancel in [cancel, cancelled_work, closing].into_iter().flatten() {
                cancel.after = cancel.after.or_else(|| Some(at()));
                let (Some(then), Some(now)) = (cancel.time, update.at) else { continue };
                cancel.is_old |= now - then > 1.0;
            }
        }
        if !activity.is_active() && self.idle_output.is_none() && before.is_new_output(kind, update)
        {
            self.idle_output = Some(at());
        }
        if self.is_asked_about(update, activity) {
            self.resumed.get_or_insert_with(at);
        }
        if MessageKind::of(kind) == Some(MessageKind::User)
            && let Some(id) = update.message_id
        {
            self.fates.if_made(|fates| _ = fates.unshown.swap_remove(&*id.as_cow()));
        }
        match MessageKind::of(kind) {
            Some(MessageKind::User) if kind == "user_message" => self.show(update, at(), number),
            Some(message_kind @ (MessageKind::Agent | MessageKind::Thought))
                if !activity.is_active() && self.output.is_none() =>
            {
                let id = update.message_id;
                if id.is_none_or(|id| messages.get(message_kind, id).is_none()) {
                    self.output = Some(at());
                }
            }
            // The next work has begun, which was not cancelled.
            Some(message_kind @ (MessageKind::Agent | MessageKind::Thought))
                if self.next_accepted.is_some() =>
            {
                let id = update.message_id;
                if id.is_some_and(|id| messages.get(message_kind, id).is_none()) {
                    self.next_accepted = None;
                    self.stops.if_made(|stops| stops.cancelled_work = None);
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, message: &Update<'_>, at: Anchor, number: u64) {
        if let Some(content) = message.update.get("content").filter(|it| it.is_array()) {
            let id = message.message_id;
            let id = id.map(Text::to_boxed);
            let shown = self.fates.shown.entry(digest::of(content)).or_default();
            shown.push(UserMessage { at, number, id });
        }
    }

    fn apply_state(&mut self, update: &Update<'_>, at: Anchor, activity: &Activity, number: u64) {
        self.state = Some(at);
        let state = update.update.get("state").and_then(Node::text).map(Text::as_cow);
        // A state that the protocol does not define neither begins nor ends work.
        if state.as_deref().is_some_and(|state| !activity::is_defined(state)) {
            return;
        }
        let earlier = self.episode.take();
        let resumed = self.resumed.take();
        self.idle_output = None;
        match state.as_deref() {
            Some("idle") => {
                let reason = update.update.get("stopReason").and_then(Node::text);
                if activity.is_active() {
                    let is_own = reason.is_some_and(|it| it != "cancelled" && it != "error");
                    let closing = self.stops.made().and_then(|stops| stops.closing.take());
                    let closing = closing.filter(|closing| {
                        let seconds = closing.time.zip(update.at).map(|(then, now)| now - then);
                        closing.after.is_some() || seconds.is_some_and(|seconds| seconds >= 1.0)
                    });
                    self.ended_despite_close = closing.filter(|_| is_own).map(|_| at);
                    self.end(reason, at, number);
                }
                if let Some(reason) = reason {
                    self.last_reason = Some(reason.to_boxed());
                }
                // Without a reason, it ends nothing.
                if reason.is_some() || activity.is_active() {
                    self.accepted = None;
                    self.output = None;
                }
            }
            Some("requires_action") => {
                self.stops.if_made(|stops| stops.cancelled_idle = None);
                self.output = None;
                self.begin(activity, number);
                let was_asked = self.open_questions > 0 || self.hinted > activity.changed;
                let first = earlier.map_or(number, |earlier| earlier.first);
                self.episode = Some(Episode { at, number, first, was_asked });
                self.resumed = resumed;
            }
            _ => {
                self.stops.if_made(|stops| stops.cancelled_idle = None);
                self.output = None;
                if state.as_deref() == Some("running") {
                    self.begin(activity, number);
                }
            }
        }
    }

    /// Notes a state in which work goes on. The work begins with it unless it was under way.
    fn begin(&mut self, activity: &Activity, number: u64) {
        if !activity.is_active() {
            self.began = number;
        }
    }

    /// Notes that an idle state ends the work. `reason` is its stop reason, `at` its place,
    /// `number` its message number.
    fn end(&mut self, reason: Option<Text<'_>>, at: Anchor, number: u64) {
        let is = |name: &str| reason.is_some_and(|reason| reason == *name);
        if is("error") {
            self.fates.failures.push((at, number));
        }
        if let Some(stops) = self.stops.made() {
            let cancelled = stops.cancelled_work.take().filter(|_| is("cancelled"));
            let cancelled = cancelled.map(|cancel| Cancelled {
                at,
                number,
                cancel: cancel.at,
                late_answer: None,
            });
            stops.cancelled_idle = cancelled;
        }
        self.next_accepted = None;
        let began = self.began;
        self.fates.if_made(|fates| {
            fates.unshown.retain(|_, prompt| {
                let is_over = prompt.has_waited || prompt.asked < began;
                prompt.has_waited = true;
                !is_over
            });
        });
    }
}

/// Parts of a session in the state before an update is applied, which decide what the update means.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    pub(super) activity: &'a Activity,
    pub(super) messages: &'a KnownMessages,
    pub(super) tool_calls: &'a ToolCalls,
    /// Whether the update belongs to the replay of the session's history.
    pub(super) is_replayed: bool,
}

impl Before<'_> {
    /// Whether an update begins a message of the agent or a tool call, and is not replayed.
    fn is_new_output(&self, kind: &str, update: &Update<'_>) -> bool {
        if self.is_replayed {
            return false;
        }
        match (MessageKind::of(kind), update.tool_call_id) {
            (Some(kind @ (MessageKind::Agent | MessageKind::Thought)), _) => {
                update.message_id.is_none_or(|id| self.messages.get(kind, id).is_none())
            }
            // Before its first state, a session may report its tool calls again.
            (None, Some(id)) if kind == "tool_call_update" => {
                self.activity.state == AgentState::Idle && self.tool_calls.get(id).is_none()
            }
            _ => false,
        }
    }
}

/// Whether the name of an extension method suggests that it stops or replaces the work, such as
/// "abort" or "queue".
fn may_stop(method: &str) -> bool {
    const SIGNS: [&str; 14] = [
        "abort",
        "cancel",
        "clear",
        "halt",
        "interrupt",
        "kill",
        "pause",
        "prompt",
        "queue",
        "reset",
        "rewind",
        "steer",
        "stop",
        "turn",
    ];
    let method = method.to_ascii_lowercase();
    SIGNS.iter().any(|sign| method.contains(sign))
}

/// Whether the answer to a permission request selects an option: a decision about one step, which
/// does not stop the work.
fn is_selection(answer: &Answer<'_>) -> bool {
    let outcome = answer.result().and_then(|result| result.get("outcome"));
    let option = outcome.and_then(|outcome| outcome.get("optionId"));
    option.is_some_and(Node::is_string)
}
