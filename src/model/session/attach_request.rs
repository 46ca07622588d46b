//! How calls, answers and updates change whether a session is attached.

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    model::{
        anchor::Anchor,
        request::facts::RequestFacts,
        response::Answer,
        session::{
            Course, Session, SessionOrigin,
            attachment::{Attachment, Inserted, is_history},
            messages::MessageKind,
        },
    },
    protocol::methods,
};

impl Session {
    /// Notes a request or notification for the session: `session/load` and `session/resume` begin
    /// an attachment, a prompt ends the replay. `number` is the number of the message.
    pub(super) fn attach(&mut self, method: &str, call: &Call<'_>, number: u64) {
        self.info.apply_call(method, call, number);
        match method {
            _ if methods::attaches_session(method) && call.id.is_some() => {
                let is_open = self.closed.is_none();
                let is_live = is_open && (self.activity.is_active() || self.open_prompts > 0);
                let mut attachment = Attachment::by(call, number, is_live);
                attachment.is_shared = self.is_replaying();
                self.attachment = Some(Box::new(attachment));
            }
            "session/prompt" => {
                if let Some(attachment) = &mut self.attachment {
                    attachment.work();
                    attachment.is_judged |= attachment.answer.is_some();
                }
            }
            _ => {}
        }
    }

    /// Notes an answer for the session in its attachment and its accepted prompts. `number` is the
    /// number of the message.
    pub(super) fn settle(&mut self, answer: &Answer<'_>, number: u64) {
        let is_attached = self.is_attached();
        self.info.apply_answer(answer, is_attached, number);
        let Some(result) = answer.result() else {
            if methods::attaches_session(&answer.request.method)
                && self.first_number == answer.request.number
            {
                self.origin = SessionOrigin::Assumed;
            }
            return;
        };
        match (&*answer.request.method, &answer.request.facts) {
            (method, _) if methods::attaches_session(method) => {
                self.be_attached(&answer.request.method);
                if let RequestFacts::Attachment(facts) = &answer.request.facts {
                    self.home = facts.home.clone().or(self.home.take());
                }
                let spoken = self.spoken;
                let own = self.attachment.as_mut();
                if let Some(attachment) = own.filter(|own| own.number == answer.request.number) {
                    attachment.answer = Some(Anchor::of(answer.node, &""));
                    attachment.spoken = spoken;
                }
            }
            (_, RequestFacts::Prompt(prompt)) => {
                let id = result.get("messageId").and_then(Node::text);
                let is_new =
                    |id: &Text<'_>| !self.work.repeats_acceptance(prompt, &id.as_cow(), number);
                if let Some(id) = id.filter(is_new) {
                    let inserted = Inserted {
                        id: id.to_boxed(),
                        content: prompt.content(),
                        at: Anchor::of(id.node(), &"/result/messageId"),
                    };
                    let several = |only: &mut Option<_>| *only = None;
                    let of_content = self.inserted.entry(inserted.content);
                    of_content.and_modify(several).or_insert(Some(inserted));
                }
            }
            _ => {}
        }
    }

    /// Notes that this request, `session/load` or `session/resume`, has succeeded. Until then it
    /// may have been unknown where the session came from.
    pub(super) fn be_attached(&mut self, method: &str) {
        if matches!(
            self.origin,
            SessionOrigin::Early | SessionOrigin::Assumed | SessionOrigin::Listed
        ) {
            let is_load = method == "session/load";
            self.origin = if is_load { SessionOrigin::Loaded } else { SessionOrigin::Resumed };
        }
    }

    /// Notes an update of the session in its attachment, as it may be part of a replay. Call this
    /// before other parts of the session apply the update.
    pub(super) fn follow(&mut self, kind: &str, update: &Update<'_>) {
        self.info.apply_update(kind, update);
        if self.is_replaying() {
            if let Some(attachment) = &mut self.attachment {
                attachment.apply(kind, update);
            }
            return;
        }
        // Agents need not keep thoughts in the history.
        let is_kept =
            || !matches!(MessageKind::of(kind), Some(MessageKind::User | MessageKind::Thought));
        if self.spoken.is_none() && is_history(kind) && is_kept() {
            self.spoken = Some(Anchor::of(update.update, &"/params/update"));
        }
        let Course { attachment, messages, .. } = &mut **self;
        if let Some(attachment) = attachment.as_mut().filter(|found| found.answer.is_some()) {
            let id = update.message_id;
            let is_new = id.is_some_and(|id| messages.get(MessageKind::User, id).is_none());
            attachment.follow(kind, update, is_new);
        }
    }
}
