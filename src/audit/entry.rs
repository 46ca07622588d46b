//! What the ledger keeps until it is told: a tool call with its questions, and what was done.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    audit::{
        ActionKind, Decision, Outside, Proof,
        describe::{Description, Target},
    },
    event::Call,
    json::{Node, Text},
    model::{
        Answer, RequestFacts, Roots,
        request::permission::OptionKind,
        session::{permissions::Refusal, tool_calls::ToolCallStatus},
    },
    rules::codes,
};

/// How many questions about one tool call are kept: the first ones, and the last one.
const QUESTIONS: usize = 64;
/// How many options of a question are kept by name.
const OPTIONS: usize = 64;

/// When something happened: the line, and the number of the message in its connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) line: u32,
    pub(super) number: u64,
    /// Seconds on the recorder's clock.
    pub(super) time: Option<f64>,
}

/// What holds in a session when something begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Circumstances {
    pub(super) turn: u32,
    pub(super) mode: Option<Arc<str>>,
    pub(super) roots: Option<Arc<Roots>>,
    pub(super) is_replayed: bool,
    /// The line of the last answer that allowed something always.
    pub(super) always: Option<u32>,
    /// How many messages were lost before.
    pub(super) lost: u64,
}

/// A tool call with its questions, or what stands alone.
#[derive(Debug)]
pub(super) struct Entry {
    /// The id of the tool call; `None` where there is none.
    pub(super) id: Option<Box<str>>,
    pub(super) first: Moment,
    pub(super) at: Circumstances,
    /// Whether an update has named it.
    pub(super) is_reported: bool,
    /// Whether its beginning is on record.
    pub(super) is_announced: bool,
    pub(super) description: Description,
    pub(super) questions: Vec<Question>,
    pub(super) status: Option<(ToolCallStatus, Moment)>,
    /// The numbers of its deeds, in their order.
    pub(super) deeds: Vec<u64>,
    /// Whether a question under another id belongs to it.
    pub(super) is_asked_by_target: bool,
    /// A question that may be about it.
    pub(super) possible: Option<(u32, u32)>,
}

impl Entry {
    pub(super) fn new(id: Option<Box<str>>, first: Moment, at: Circumstances) -> Self {
        Self {
            id,
            first,
            at,
            is_reported: false,
            is_announced: true,
            description: Description::default(),
            questions: Vec::new(),
            status: None,
            deeds: Vec::new(),
            is_asked_by_target: false,
            possible: None,
        }
    }

    /// The message that ended it.
    pub(super) fn ended(&self) -> Option<u64> {
        self.status.filter(|(status, _)| status.is_final()).map(|(_, at)| at.number)
    }

    /// Whether it had begun and not ended when message `number` came.
    pub(super) fn is_open_at(&self, number: u64) -> bool {
        self.first.number <= number && self.ended().is_none_or(|ended| ended > number)
    }

    /// Whether it was under way while a question was open.
    pub(super) fn is_open_during(&self, span: &Span) -> bool {
        let has_begun = span.answered.is_none_or(|at| self.first.number < at.number);
        has_begun && self.ended().is_none_or(|ended| ended > span.asked.number)
    }

    pub(super) fn is_allowed(&self) -> bool {
        let last = self.questions.last().and_then(|question| question.reply.as_ref());
        let decision = last.map(|reply| reply.decision);
        matches!(decision, Some(Decision::AllowedOnce | Decision::AllowedAlways))
    }

    /// What the last answer was.
    pub(super) fn last_decision(&self) -> Option<Decision> {
        let last = self.questions.last()?;
        Some(last.reply.as_ref().map_or(Decision::Unanswered, |reply| reply.decision))
    }

    pub(super) fn ask(&mut self, question: Question) {
        if self.questions.len() == QUESTIONS {
            self.questions.pop();
        }
        self.questions.push(question);
    }

    /// Whether all that the recording may still say of it has been said.
    pub(super) fn is_complete(&self, deeds: &BTreeMap<u64, Deed>) -> bool {
        let is_answered = self.questions.iter().all(|question| question.reply.is_some());
        let is_over = self.ended().is_some() || !self.is_reported;
        let are_over = |number: &u64| deeds.get(number).is_none_or(|deed| deed.is_over);
        is_answered && is_over && self.deeds.iter().all(are_over)
    }
}

/// A question for permission.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) asked: Moment,
    pub(super) reply: Option<Reply>,
    /// The ids and names of its options.
    options: Vec<(Box<str>, Box<str>)>,
}

/// The time from a question to its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) asked: Moment,
    pub(super) answered: Option<Moment>,
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) at: Moment,
    pub(super) decision: Decision,
    pub(super) option: Option<Box<str>>,
    pub(super) is_refusal: bool,
}

impl Question {
    pub(super) fn new(asked: Moment) -> Self {
        Self { asked, reply: None, options: Vec::new() }
    }

    pub(super) fn span(&self) -> Span {
        Span { asked: self.asked, answered: self.reply.as_ref().map(|reply| reply.at) }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| reply.is_refusal)
    }

    /// The question that a `session/request_permission` asks.
    pub(super) fn of(call: &Call<'_>, asked: Moment) -> Self {
        let options = call.param("options").into_iter().flat_map(Node::elements);
        let option = |option: Node<'_>| {
            let text = |name| option.get(name).and_then(Node::text).map(Text::to_boxed);
            Some((text("optionId")?, text("name")?))
        };
        Self { options: options.filter_map(option).take(OPTIONS).collect(), ..Self::new(asked) }
    }

    /// Takes the answer to a `session/request_permission`.
    pub(super) fn answer(&mut self, answer: &Answer<'_>, at: Moment) {
        let RequestFacts::Permission(ask) = &answer.request.facts else { return };
        let refusal = Refusal::of(answer, ask);
        let chosen = || answer.result()?.get("outcome")?.get("optionId")?.text();
        let (decision, id) = match refusal {
            Some(Refusal::Failed) => (Decision::Error, None),
            Some(Refusal::Cancelled) => (Decision::Cancelled, None),
            Some(Refusal::NotOffered) => (Decision::NotOffered, None),
            Some(Refusal::UnknownOutcome) => (Decision::Other, None),
            Some(Refusal::Rejected) | None => match chosen() {
                Some(id) => match ask.offered(&id.as_cow()) {
                    Some(OptionKind::AllowOnce) => (Decision::AllowedOnce, Some(id)),
                    Some(OptionKind::AllowAlways) => (Decision::AllowedAlways, Some(id)),
                    Some(OptionKind::RejectOnce) => (Decision::RejectedOnce, Some(id)),
                    Some(OptionKind::RejectAlways) => (Decision::RejectedAlways, Some(id)),
                    Some(OptionKind::Custom) => (Decision::Other, Some(id)),
                    None => (Decision::Unclear, None),
                },
                None => (Decision::Unclear, None),
            },
        };
        let is_unknown = answer.error_code() == Some(codes::METHOD_NOT_FOUND);
        let is_refusal = match refusal {
            Some(Refusal::UnknownOutcome) | None => false,
            Some(_) => !is_unknown && !answer.request.may_be_cancelled,
        };
        let name = |id: Text<'_>| {
            let own = self.options.iter().find(|(own, _)| id == **own);
            own.map(|(_, name)| name.clone())
        };
        let option = id.and_then(name);
        let decision = if answer.ambiguous { Decision::Unclear } else { decision };
        self.reply =
            Some(Reply { at, decision, option, is_refusal: is_refusal && !answer.ambiguous });
    }
}

/// Something that was done, or asked of the client.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(super) struct Deed {
    pub(super) kind: ActionKind,
    pub(super) target: Target,
    /// The request to the client; of a terminal of the agent, its first output or its exit.
    pub(super) begun: Moment,
    pub(super) at: Circumstances,
    pub(super) outside: Outside,
    pub(super) proof: Proof,
    /// Whether it succeeded, and what shows it. `None`: no end is on record.
    pub(super) result: Option<(bool, Moment)>,
    /// Whether its request was answered.
    pub(super) is_over: bool,
    /// The id of the terminal.
    pub(super) terminal: Option<Box<str>>,
    /// The only tool call that was under way and of a fitting kind when it began.
    pub(super) only: Option<u64>,
    /// Whether it is a request of the agent to the client.
    pub(super) is_request: bool,
    /// Whether it may belong to a tool call.
    pub(super) is_joined: bool,
    /// Whether the recording shows that it has begun.
    pub(super) has_begun: bool,
    pub(super) join: super::Join,
}
