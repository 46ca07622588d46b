//! What the ledger keeps until it is told: a tool call with its questions, and what was done.

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    audit::{
        ActionKind, Decision, Doubt, Outside, Proof,
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

/// Most permission requests about one tool call that are kept: the first ones, and the last one.
const QUESTIONS: usize = 64;
/// Most options of a permission request whose names are kept; the name of a further option is not
/// shown.
const OPTIONS: usize = 64;

/// Place and time of a message: its line, and its number in the connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) line: u32,
    pub(super) number: u64,
    /// Seconds on the recorder's clock; `None` where the recording has no times.
    pub(super) time: Option<f64>,
}

/// What held in a session when an action began, for the rows of the audit log: turn, mode,
/// directories, grants.
#[derive(Clone, Debug, Default)]
pub(super) struct Circumstances {
    pub(super) turn: u32,
    pub(super) mode: Option<Arc<str>>,
    pub(super) roots: Option<Arc<Roots>>,
    pub(super) is_replayed: bool,
    /// Line of the last answer so far that chose an `allow_always` option, so that later actions
    /// may need no question; `None` without one.
    pub(super) always: Option<u32>,
    /// Number of messages that the recording had lost when the entry began. More later means that
    /// parts of the action may be missing.
    pub(super) lost: u64,
}

/// A tool call with its permission requests and the actions of the client that belong to it; or an
/// action or permission request without a tool call. Makes one or more rows of the log.
#[derive(Debug)]
pub(super) struct Entry {
    /// Id of the tool call; `None` for an entry without one.
    pub(super) id: Option<Box<str>>,
    pub(super) first: Moment,
    pub(super) at: Circumstances,
    /// Whether a session update has named the tool call; `false` when only a permission request has
    /// named it.
    pub(super) is_reported: bool,
    /// Whether the recording has the beginning of the tool call. If not, a permission request may
    /// be missing too.
    pub(super) is_announced: bool,
    pub(super) description: Description,
    pub(super) questions: Vec<Question>,
    pub(super) status: Option<(ToolCallStatus, Moment)>,
    /// Numbers of the client's actions that belong to this entry, in their order; keys of
    /// `SessionLedger::deeds`.
    pub(super) deeds: Vec<u64>,
    /// Whether the entry has a permission request for another `toolCallId`, which was matched by
    /// its target.
    pub(super) is_asked_by_target: bool,
    /// Lines of a permission request that may be about this tool call, and of its answer (0 for
    /// none). Both 0 when several requests may be. `None` when no request may be.
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

    /// Number of the message with the final status of the tool call; `None` while it has none.
    pub(super) fn ended(&self) -> Option<u64> {
        self.status.filter(|(status, _)| status.is_final()).map(|(_, at)| at.number)
    }

    /// Whether the tool call was under way when the message with this number came.
    pub(super) fn is_open_at(&self, number: u64) -> bool {
        self.first.number <= number && self.ended().is_none_or(|ended| ended > number)
    }

    /// Whether the tool call was under way at some time between a permission request and its
    /// answer.
    pub(super) fn is_open_during(&self, span: &Span) -> bool {
        let has_begun = span.answered.is_none_or(|at| self.first.number < at.number);
        has_begun && self.ended().is_none_or(|ended| ended > span.asked.number)
    }

    pub(super) fn is_allowed(&self) -> bool {
        let last = self.questions.last().and_then(|question| question.reply.as_ref());
        let decision = last.map(|reply| reply.decision);
        matches!(decision, Some(Decision::AllowedOnce | Decision::AllowedAlways))
    }

    /// What the client answered to the last permission request; `None` without a request.
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

    /// Whether no message can change the entry any more: all permission requests are answered, and
    /// the tool call and the client's actions have ended.
    pub(super) fn is_complete(&self, deeds: &BTreeMap<u64, Deed>) -> bool {
        let is_answered = self.questions.iter().all(|question| question.reply.is_some());
        let is_over = self.ended().is_some() || !self.is_reported;
        let are_over = |number: &u64| deeds.get(number).is_none_or(|deed| deed.is_over);
        is_answered && is_over && self.deeds.iter().all(are_over)
    }
}

/// A permission request, or another request that asks the user to decide.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) asked: Moment,
    pub(super) reply: Option<Reply>,
    /// Id and name of each offered option, to show the chosen one.
    options: Vec<(Box<str>, Box<str>)>,
}

/// Message numbers of a permission request and of its answer (`None` while it is open), to tell
/// what happened between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) asked: Moment,
    pub(super) answered: Option<Moment>,
}

#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) at: Moment,
    pub(super) decision: Decision,
    /// Why the decision is unclear; `None` for other decisions.
    pub(super) unclear: Option<Doubt>,
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

    /// Reads the ids and names of the options of a permission request. `asked` is the place and
    /// time of the request.
    pub(super) fn of(call: &Call<'_>, asked: Moment) -> Self {
        let options = call.param("options").into_iter().flat_map(Node::elements);
        let option = |option: Node<'_>| {
            let text = |name| option.get(name).and_then(Node::text).map(Text::to_boxed);
            Some((text("optionId")?, text("name")?))
        };
        Self { options: options.filter_map(option).take(OPTIONS).collect(), ..Self::new(asked) }
    }

    /// Notes how the client answered the permission request. `at` is the place and time of the
    /// answer.
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
        let doubt = if answer.ambiguous { Doubt::AmbiguousAnswer } else { Doubt::UnknownOption };
        let unclear = (decision == Decision::Unclear).then_some(doubt);
        let is_refusal = is_refusal && !answer.ambiguous;
        self.reply = Some(Reply { at, decision, unclear, option, is_refusal });
    }
}

/// Something that was done or asked of the client, as a message other than a tool call shows: a
/// file or terminal request, an opened URL, a login, a terminal of the agent.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
pub(super) struct Deed {
    pub(super) kind: ActionKind,
    pub(super) target: Target,
    /// The message with the request to the client. For a terminal of the agent: with its first
    /// output or its exit.
    pub(super) begun: Moment,
    pub(super) at: Circumstances,
    pub(super) outside: Outside,
    pub(super) proof: Proof,
    /// Whether the action succeeded, and the message that shows it. `None` while no end is on
    /// record.
    pub(super) result: Option<(bool, Moment)>,
    /// Whether no more messages about the action are expected, such as after the answer to its
    /// request.
    pub(super) is_over: bool,
    /// Id of the terminal of the action; `None` for an action without a terminal.
    pub(super) terminal: Option<Box<str>>,
    /// Numbers of the entries of the tool calls of a fitting kind that were under way when the
    /// action began, at most `FITTING`.
    pub(super) fitting: Box<[u64]>,
    /// Whether the action is a file or terminal request of the agent to the client.
    pub(super) is_request: bool,
    /// Whether the action may belong to a tool call; `false` for logins, opened URLs and the like.
    pub(super) is_joined: bool,
    /// Whether the recording shows that the action has really begun, not only that it was
    /// requested.
    pub(super) has_begun: bool,
    pub(super) join: super::Join,
    /// Why the permission request of its tool call may be about something else; `None` without doubt.
    pub(super) doubt: Option<Doubt>,
}
