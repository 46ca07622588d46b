//! Applies calls, answers and updates to the parts of a session that concern its work: prompts,
//! tool calls, terminals, questions, messages.

use crate::{
    event::{Call, Update},
    json::Node,
    model::{
        anchor::Anchor,
        request::facts::RequestFacts,
        response::Answer,
        session::{
            Session,
            activity::{Activity, AgentState, PendingCancel},
            compactions::Compactions,
            permissions::{Denial, Refusal},
            tool_calls::ToolCalls,
            work::Work,
        },
    },
    protocol::{Side, Version, methods},
};

impl Session {
    /// Applies a call to the session's prompts, tool calls and terminals. `number` is the number of
    /// the message.
    pub(super) fn note_call(&mut self, method: &str, call: &Call<'_>, number: u64) {
        match method {
            _ if methods::attaches_session(method) && call.id.is_some() => {
                let from = call.param("replayFrom");
                self.wants_history =
                    method == "session/load" || from.is_some_and(|from| !from.is_null());
                self.activity.if_made(Activity::attach);
                self.work.if_made(Work::attach);
                self.tool_calls.if_made(ToolCalls::age);
                self.compactions.if_made(Compactions::age);
            }
            "session/prompt" if call.id.is_some() => {
                self.open_prompts += 1;
                self.cancelled = None;
            }
            "session/cancel"
                if call.sender != Some(Side::Agent)
                    && (self.open_prompts > 0 || self.activity.is_active()) =>
            {
                self.cancelled = Some(PendingCancel::by(call, number));
            }
            "session/request_permission" => {
                self.tool_calls.apply_request(call, number);
                self.agent_terminals.apply_request(call);
                if let Some(report) = call.param("toolCall") {
                    self.terminals.apply_report(report);
                }
            }
            "elicitation/create" => self.tool_calls.apply_question(call, number),
            "tool_call/cancel" if call.id.is_some() => {
                if let Some(id) = call.param("toolCallId").and_then(Node::text) {
                    self.tool_calls.ask_cancellation(id);
                }
            }
            "terminal/cancel" if call.id.is_some() => {
                if let Some(id) = call.param("terminalId").and_then(Node::text) {
                    self.agent_terminals.ask_cancellation(id);
                }
            }
            method if method.starts_with("terminal/") => self.terminals.apply_call(method, call),
            _ => {}
        }
    }

    /// Applies an answer to the session's prompts, tool calls and terminals. `number` is the number
    /// of the message.
    pub(super) fn note_answer(&mut self, answer: &Answer<'_>, number: u64) {
        let at = Anchor::of(answer.node, &"");
        if &*answer.request.method == "session/prompt" && answer.result().is_some() {
            self.activity.if_made(Activity::note_work);
        }
        match &answer.request.facts {
            RequestFacts::Permission(ask) => {
                let denied = Refusal::of(answer, ask).map(|why| Denial {
                    why,
                    request: answer.request.at,
                    answer: at,
                    number,
                    code: answer.error_code(),
                    was_withdrawn: answer.request.may_be_cancelled,
                    was_running: false,
                });
                let counted = self.authority.apply_answer(answer, ask, denied);
                if let Some(id) = &ask.tool_call {
                    self.tool_calls.decide(id, counted);
                }
                if let Some(id) = &ask.terminal {
                    self.agent_terminals.decide(id, denied);
                }
            }
            RequestFacts::CancelOne { id } if answer.result().is_some() => {
                match &*answer.request.method {
                    "tool_call/cancel" => self.tool_calls.accept_cancellation(id, at),
                    _ => self.agent_terminals.accept_cancellation(id, at),
                }
            }
            _ if &*answer.request.method == "session/prompt" => self.end_prompt(),
            _ if &*answer.request.method == "session/set_mode" => {
                self.authority.apply_mode(answer);
            }
            _ => self.terminals.apply_answer(answer),
        }
    }

    /// Notes an update in the session's tool calls, terminals, state and messages. `number` is the
    /// number of the message.
    pub(super) fn note_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        const WORK: [&str; 5] = [
            "agent_message",
            "agent_message_chunk",
            "agent_thought",
            "agent_thought_chunk",
            "tool_call_update",
        ];
        if WORK.contains(&kind) {
            self.activity.if_made(Activity::note_work);
        }
        match kind {
            // `toolCall` is `tool_call`, misspelt.
            "tool_call" | "toolCall" | "tool_call_update" | "tool_call_content_chunk" => {
                let kind = if kind == "toolCall" { "tool_call" } else { kind };
                self.tool_calls.apply_update(kind, update, version, number);
                match version {
                    Some(Version::V2) => self.agent_terminals.apply_report(update.update),
                    _ => self.terminals.apply_report(update.update),
                }
            }
            "terminal_update" | "terminal_output_chunk" => {
                self.agent_terminals.apply_update(kind, update, number);
            }
            "compaction_update" | "compaction_summary_chunk" => self.compactions.apply(update),
            "notice" => self.notices.apply(update),
            "state_update" => {
                self.activity.apply(update, number);
                if self.activity.state == AgentState::Idle {
                    self.cancelled = None;
                }
            }
            _ => {
                if let Some(id) = update.message_id {
                    self.messages.apply(kind, id, number);
                }
            }
        }
    }
}
