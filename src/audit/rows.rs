//! Makes the rows of entries that are known for good: one for each action on one target.

use std::collections::BTreeMap;

use super::{
    Action, ActionKind, ActionResult, AuditEvent, Decision, Doubt, Join, Order, Outside, Proof,
    describe::Target,
    entry::{Deed, Entry, Moment, Question},
    ledger::{ConnectionLedger, Gaps, SessionLedger},
};
use crate::{event::target::ToolKind, model::session::tool_calls::ToolCallStatus};

impl ConnectionLedger {
    /// Writes the rows of complete entries to the log, and forgets these entries. `is_last` writes
    /// all entries.
    pub(super) fn tell(
        &mut self,
        id: &str,
        session: &mut SessionLedger,
        lost: u64,
        is_last: bool,
        tell: &mut impl FnMut(AuditEvent),
    ) {
        let is_told = |entry: &Entry| is_last || entry.is_complete(&session.deeds);
        let told = session.entries.iter().filter(|(_, entry)| is_told(entry));
        let mut told: Vec<_> = told.map(|(number, entry)| (entry.first.line, *number)).collect();
        told.sort_unstable();
        for (_, number) in told {
            let Some(entry) = session.forget(number) else { continue };
            self.count_not_followed(entry.description.more);
            let rows = Rows { entry: &entry, deeds: &session.deeds, gaps: self.gaps, lost };
            for row in rows.all() {
                tell(AuditEvent::Action(Box::new(Action {
                    connection: self.number,
                    session: Some(id).filter(|id| !id.is_empty()).map(str::to_owned),
                    agent: self.agent.as_deref().map(str::to_owned),
                    client: self.client.as_deref().map(str::to_owned),
                    ..row
                })));
            }
            for deed in &entry.deeds {
                session.deeds.remove(deed);
            }
        }
    }
}

/// Makes the rows of the audit log from one entry: one row for each action on each target.
struct Rows<'a> {
    entry: &'a Entry,
    deeds: &'a BTreeMap<u64, Deed>,
    gaps: Gaps,
    /// Number of messages of the connection that the recording lacks up to now. When this was lower
    /// as the entry began, messages were lost in between, and its result may be unclear.
    lost: u64,
}

/// The result of an action in a row of the log, and the messages that show when it began and ended.
struct Evidence {
    result: ActionResult,
    proof: Proof,
    /// When the action began, to tell whether it came before the answer to its permission request;
    /// `None` when that is not on record.
    begun: Option<Moment>,
    shown: Option<Moment>,
}

impl Rows<'_> {
    fn all(&self) -> Vec<Action> {
        let description = &self.entry.description;
        let deeds: Vec<_> =
            self.entry.deeds.iter().filter_map(|number| self.deeds.get(number)).collect();
        let mut groups: Vec<(ActionKind, &Target, Vec<&Deed>)> = Vec::new();
        for deed in deeds {
            let is_same = |group: &&mut (ActionKind, &Target, Vec<&Deed>)| {
                group.0 == deed.kind && group.1.key.is_same(deed.target.key)
            };
            match groups.iter_mut().find(is_same) {
                Some(group) => group.2.push(deed),
                None => groups.push((deed.kind, &deed.target, vec![deed])),
            }
        }
        let is_done = |kind| groups.iter().any(|group| group.0 == kind);
        let kind = description.tool_kind();
        let mut named = description.diffs();
        let is_call = self.entry.id.is_some() || !self.entry.questions.is_empty();
        let is_alone = !is_call || groups.iter().any(|group| !group.2[0].is_joined);
        if named.is_empty()
            && !is_done(ActionKind::Write)
            && let Some(change) = kind.change()
        {
            named = description.by_kind(ActionKind::of(change));
        }
        if kind == ToolKind::Read && !is_done(ActionKind::Read) {
            named.extend(description.by_kind(ActionKind::Read));
        }
        if kind == ToolKind::Execute && !is_done(ActionKind::Run) {
            let command = description.command().cloned().unwrap_or_else(|| description.title());
            named.push((ActionKind::Run, command));
        }
        if named.is_empty() && groups.is_empty() && !is_alone {
            named.push(description.other());
        }
        named.retain(|(kind, target)| {
            !groups.iter().any(|group| group.0 == *kind && group.1.key.is_same(target.key))
        });
        let of_deeds = groups.iter().map(|(kind, target, deeds)| self.done(*kind, target, deeds));
        let of_call = named.iter().map(|(kind, target)| self.reported(*kind, target));
        of_deeds.chain(of_call).collect()
    }

    /// The row of an action that the client was asked for. `deeds` are the client's messages about
    /// it, at least one.
    fn done(&self, kind: ActionKind, target: &Target, deeds: &[&Deed]) -> Action {
        let last = |is_good: bool| {
            let mut ended = deeds.iter().filter_map(|deed| deed.result.map(|it| (deed, it)));
            ended.find(|(_, (is_done, _))| *is_done == is_good)
        };
        let is_refused =
            self.entry.questions.last().is_some_and(|question| {
                question.reply.as_ref().is_some_and(|reply| reply.is_refusal)
            });
        let evidence = match last(true).or_else(|| last(false)) {
            Some((deed, (is_good, at))) => Evidence {
                result: if is_good { ActionResult::Done } else { ActionResult::Failed },
                proof: deed.proof,
                // The question is what asks the client to open a link.
                begun: Some(if kind == ActionKind::Open { at } else { deed.begun }),
                shown: Some(at),
            },
            None => Evidence {
                result: if (kind == ActionKind::Open && is_refused)
                    || deeds.iter().all(|deed| !deed.has_begun)
                {
                    ActionResult::NotStarted
                } else {
                    ActionResult::Unfinished
                },
                proof: deeds[0].proof,
                begun: Some(deeds[0].begun),
                shown: None,
            },
        };
        let outside = deeds.iter().map(|deed| deed.outside).min().unwrap_or(Outside::Unknown);
        let join = deeds.iter().map(|deed| deed.join).max().unwrap_or(Join::None);
        let join = if self.entry.id.is_none() && self.entry.possible.is_none() {
            Join::None
        } else {
            join
        };
        let requests = deeds.iter().filter(|deed| deed.is_request);
        let requests: Vec<_> = requests.map(|deed| deed.begun.line).collect();
        let doubt = deeds.iter().find_map(|deed| deed.doubt);
        let row = self.row(kind, target, &evidence, outside, (join, doubt));
        let first = requests.iter().copied().fold(row.first, u32::min);
        Action { first, requests, ..row }
    }

    /// The row of an action that only the agent's tool call reports, without a request to the
    /// client.
    fn reported(&self, kind: ActionKind, target: &Target) -> Action {
        let (result, at) = match self.entry.status {
            Some((ToolCallStatus::Completed, at)) => (ActionResult::Done, Some(at)),
            Some((ToolCallStatus::Failed, at)) => (ActionResult::Failed, Some(at)),
            Some((ToolCallStatus::Cancelled, at)) => (ActionResult::Cancelled, Some(at)),
            Some((ToolCallStatus::Pending, _)) | None => (ActionResult::NotStarted, None),
            Some(_) => (ActionResult::Unfinished, None),
        };
        let evidence = Evidence { result, proof: Proof::Agent, begun: at, shown: at };
        let is_file = matches!(
            kind,
            ActionKind::Write | ActionKind::Delete | ActionKind::Move | ActionKind::Read
        );
        let roots = self.entry.at.roots.as_ref().filter(|_| is_file);
        let outside = match roots.and_then(|roots| roots.hold(&target.text)) {
            Some(true) => Outside::No,
            Some(false) => Outside::Yes,
            None => Outside::Unknown,
        };
        self.row(kind, target, &evidence, outside, (Join::Id, None))
    }

    fn row(
        &self,
        kind: ActionKind,
        target: &Target,
        evidence: &Evidence,
        outside: Outside,
        (join, doubt): (Join, Option<Doubt>),
    ) -> Action {
        let entry = self.entry;
        let question = self.question(evidence.begun);
        let reply = question.and_then(|question| question.reply.as_ref());
        let unclear = match (question, reply) {
            _ if doubt.is_some() => doubt,
            (Some(question), Some(_)) if self.is_contradicted(question, evidence.begun) => {
                Some(Doubt::DifferentAnswers)
            }
            (_, Some(reply)) => reply.unclear,
            (Some(_), None) => self.gaps.answers.then_some(Doubt::NoAnswers),
            (None, _) => self.doubt_of_unasked(),
        };
        let decision = match (question, reply) {
            _ if unclear.is_some() => Decision::Unclear,
            (_, Some(reply)) => reply.decision,
            (Some(_), None) => Decision::Unanswered,
            (None, _) => Decision::NotAsked,
        };
        let mut join = join;
        if entry.is_asked_by_target {
            join = join.max(Join::Target);
        }
        let possible = entry.possible.filter(|_| question.is_none());
        if possible.is_some_and(|(asked, _)| asked > 0) {
            join = join.max(Join::Time);
        }
        let (asked, answered) = match (question, possible) {
            (Some(question), _) => (question.asked.line, reply.map_or(0, |reply| reply.at.line)),
            (None, Some(lines)) => lines,
            (None, None) => (0, 0),
        };
        let times = question.and_then(|question| question.asked.time);
        let answered_in = times.zip(reply.and_then(|reply| reply.at.time));
        let answered_in = answered_in.map(|(from, to)| ((to - from) * 1000.0).round() / 1000.0);
        Action {
            connection: 0,
            session: None,
            turn: entry.at.turn,
            mode: entry.at.mode.as_deref().map(str::to_owned),
            agent: None,
            client: None,
            kind,
            target: target.text.to_string(),
            call: entry.id.as_deref().map(str::to_owned),
            tool_kind: entry.description.kind.as_deref().map(str::to_owned),
            decision,
            unclear,
            option: reply.and_then(|reply| reply.option.as_deref()).map(str::to_owned),
            result: evidence.result,
            proof: evidence.proof,
            order: order(evidence, question, decision),
            outside,
            join,
            always: entry.at.always,
            answered_in: answered_in.filter(|seconds| *seconds >= 0.0),
            first: entry.first.line,
            asked,
            answered,
            done: evidence.shown.map_or(0, |at| at.line),
            is_replayed: entry.at.is_replayed,
            requests: Vec::new(),
        }
    }

    /// The permission request that belongs to an action: the last before the action began, else the
    /// first after. With `begun` unknown, the last of all. `None` without any.
    fn question(&self, begun: Option<Moment>) -> Option<&Question> {
        let questions = &self.entry.questions;
        let Some(begun) = begun else { return questions.last() };
        let is_before = |question: &&Question| question.asked.number < begun.number;
        let before = questions.iter().filter(is_before).max_by_key(|it| it.asked.number);
        before.or_else(|| questions.iter().min_by_key(|it| it.asked.number))
    }

    /// Whether an earlier permission request about the tool call was answered after this one, but
    /// before the action began, and differently.
    fn is_contradicted(&self, question: &Question, begun: Option<Moment>) -> bool {
        let Some(reply) = &question.reply else { return false };
        self.entry.questions.iter().filter_map(|other| Some((other, other.reply.as_ref()?))).any(
            |(other, late)| {
                other.asked.number < question.asked.number
                    && late.at.number > reply.at.number
                    && begun.is_none_or(|begun| late.at.number < begun.number)
                    && late.is_refusal != reply.is_refusal
            },
        )
    }

    /// Why a permission request may be about the entry, although none is matched with it. `None`
    /// when no request can be about it.
    fn doubt_of_unasked(&self) -> Option<Doubt> {
        let entry = self.entry;
        match entry.possible {
            Some((0, _)) => Some(Doubt::SeveralCalls),
            Some(_) => Some(Doubt::OtherId),
            // Replayed history has no questions.
            None if entry.at.is_replayed => Some(Doubt::Replayed),
            None if self.gaps.requests => Some(Doubt::NoRequests),
            None if self.lost > entry.at.lost => Some(Doubt::LostMessages),
            None if self.gaps.beginning && !entry.is_announced => Some(Doubt::NoBeginning),
            None => None,
        }
    }
}

/// Whether an action began before or after the answer to its permission request, for the log's
/// column on the order.
fn order(evidence: &Evidence, question: Option<&Question>, decision: Decision) -> Order {
    let begun = match (evidence.result, evidence.begun) {
        (ActionResult::Done, Some(begun)) => begun.number,
        _ => return Order::NotDone,
    };
    if decision == Decision::Unclear {
        return Order::Unclear;
    }
    let Some(question) = question else { return Order::Unasked };
    match &question.reply {
        _ if begun < question.asked.number => Order::BeforeAsked,
        None => Order::BeforeAnswer,
        Some(reply) if begun < reply.at.number => Order::BeforeAnswer,
        Some(reply) if reply.is_refusal => Order::AfterRefusal,
        Some(_) => Order::AfterAnswer,
    }
}
