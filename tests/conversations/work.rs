//! The course of work: turns on version 1, the foreground state on version 2.

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    agent::{Act, Deed, Inserted, Life, Session, State},
    tools::Tool,
    world::{Crossings, World},
};

const AGENT: Side = Side::Agent;

impl World<'_> {
    /// What the agent may do in a session.
    pub(crate) fn deeds(&self, id: &str, session: &Session, acts: &mut Vec<Act>) {
        let mut add = |deed: Deed, weight: usize| {
            acts.extend((0..weight).map(|_| Act::In(id.into(), deed.clone())));
        };
        if !session.script.is_empty() {
            return add(Deed::Recite, 4);
        }
        if session.life != Life::Open {
            return;
        }
        let is_working = self.works(id, session);
        if is_working {
            self.outputs(id, session, &mut add);
        }
        if self.is_v1() {
            self.turn_deeds(id, session, &mut add);
        } else {
            self.state_deeds(id, session, &mut add);
        }
        if session.parent.is_none() && !session.is_closing {
            add(Deed::Extra, 1);
        }
    }

    /// Whether the agent does something in the foreground that may go on.
    fn works(&self, id: &str, session: &Session) -> bool {
        if session.is_cancelling || session.is_closing {
            return false;
        }
        if !self.is_v1() {
            return session.state == State::Running;
        }
        match &session.parent {
            Some(parent) => self.turn(parent).is_some() && !self.sessions[parent].is_cancelling,
            None => self.turn(id).is_some(),
        }
    }

    fn outputs(&self, id: &str, session: &Session, add: &mut impl FnMut(Deed, usize)) {
        add(Deed::Say, 6);
        add(Deed::Think, 3);
        add(Deed::NewTool, 4);
        for (name, tool) in &session.tools {
            if World::may_step(tool) {
                add(Deed::StepTool(name.clone()), 2);
                if tool.status == "pending" && session.parent.is_none() {
                    add(Deed::Ask(name.clone()), 4);
                }
            }
            add(Deed::Embellish(name.clone()), 1);
        }
        add(Deed::Plan, usize::from(self.is_v1()) * 3);
        let [may_name, may_remove] = self.may_name_plans();
        add(Deed::NamedPlan, usize::from(may_name) * 2);
        for plan in session.plans.keys().flatten().filter(|_| may_remove) {
            add(Deed::RemovePlan(plan.clone()), 1);
        }
        if session.parent.is_some() {
            return;
        }
        let is_local = self.is_v1();
        add(Deed::Echo, usize::from(is_local));
        add(Deed::ReadFile, usize::from(self.has("fs.read")) * 2);
        add(Deed::WriteFile, usize::from(self.has("fs.write")) * 2);
        add(Deed::CreateTerminal, usize::from(self.has("terminal")) * 2);
        for (name, terminal) in session.terminals.iter().filter(|it| !it.1.is_released) {
            add(Deed::UseTerminal(name.clone()), 4);
            if !self.uses_terminal(name) {
                add(Deed::ReleaseTerminal(name.clone()), 1 + usize::from(terminal.is_waited_for));
            }
        }
        add(Deed::Elicit, usize::from(self.has("form") || self.has("url")) * 2);
        for server in &session.servers {
            add(Deed::Mcp(server.clone()), 2);
        }
        if self.is_unstable() && self.has("subagents") {
            add(Deed::Announce, 1);
            let has_child = self.sessions.values().any(|it| it.parent.as_deref() == Some(id));
            add(Deed::Message, usize::from(has_child));
        }
    }

    /// Whether something other than its end is asked about a terminal.
    fn uses_terminal(&self, terminal: &str) -> bool {
        self.agent.open.iter().any(|open| {
            open.params["terminalId"] == terminal && open.method != "terminal/wait_for_exit"
        })
    }

    pub(crate) fn extras(&self, session: &Session) -> Vec<Deed> {
        let mut deeds = vec![Deed::Commands, Deed::Info, Deed::Usage];
        let mut add = |is_there: bool, deed: Deed| deeds.extend(is_there.then_some(deed));
        add(!session.modes.is_empty(), Deed::Mode);
        add(!session.options.is_empty(), Deed::Options);
        add(self.has("notices"), Deed::Notice);
        add(self.has("compaction"), Deed::Compact);
        deeds
    }

    fn turn_deeds(&self, id: &str, session: &Session, add: &mut impl FnMut(Deed, usize)) {
        if self.turn(id).is_none() {
            return;
        }
        let is_quiet = self.asks_in(id).next().is_none();
        if session.is_cancelling {
            add(Deed::Say, 1);
            for name in unfinished(session) {
                add(Deed::StopTool(name), 2);
            }
            // An agent need not wait for answers that come anyhow.
            let may_hurry = self.crossings == Crossings::All;
            add(Deed::EndCancelled, if is_quiet { 4 } else { usize::from(may_hurry) });
            return;
        }
        let is_done = session.tools.values().all(Tool::is_final);
        if is_quiet && session.has_busy_plan() {
            add(Deed::CalmPlans, 2);
        } else if is_quiet && is_done {
            add(Deed::End, 3);
        }
    }

    fn state_deeds(&self, id: &str, session: &Session, add: &mut impl FnMut(Deed, usize)) {
        for doomed in &session.doomed {
            add(Deed::Reject(doomed.clone()), 3);
        }
        add(Deed::Owe, usize::from(session.owes()) * 4);
        let has_questions = self.asks_in(id).next().is_some();
        if session.is_cancelling {
            if session.state == State::Running {
                add(Deed::Say, 1);
            }
            let foreground: Vec<_> =
                unfinished(session).filter(|it| session.must_stop(it)).collect();
            let is_stopped = foreground.is_empty() && !session.owes();
            for name in foreground {
                add(Deed::StopTool(name), 3);
            }
            if is_stopped {
                add(Deed::IdleCancelled, 4);
            }
            return;
        }
        for held in self.held(id) {
            if session.state != State::Waiting && !session.is_closing {
                add(Deed::Insert(held.clone()), 4);
            }
            add(Deed::Reject(held), 1);
        }
        match session.state {
            State::Idle => {
                let is_prompted = !self.held(id).is_empty() || session.is_fresh;
                if !session.is_closing {
                    add(Deed::Start, if is_prompted { 5 } else { 1 });
                }
                add(Deed::Repeat, usize::from(!session.is_fresh));
            }
            State::Running => {
                add(Deed::Launch, usize::from(session.parent.is_none()));
                add(Deed::Repeat, 1);
                if !has_questions && !session.owes() && may_rest(session) {
                    add(if session.has_busy_plan() { Deed::CalmPlans } else { Deed::Idle }, 4);
                }
            }
            State::Waiting if !has_questions => {
                add(Deed::Resume, 4);
                if may_rest(session) && !session.owes() && !session.has_busy_plan() {
                    add(Deed::Idle, 1);
                }
            }
            State::Waiting => {}
        }
        background_deeds(session, add);
    }

    pub(crate) fn agent_does_in(&mut self, id: &str, deed: Deed) {
        match deed {
            Deed::Recite => self.recite(id),
            Deed::Say => self.speak(id, 0),
            Deed::Think => self.speak(id, 1),
            Deed::Echo => {
                let content = self.block();
                self.update(id, json!({"sessionUpdate": "user_message_chunk", "content": content}));
            }
            Deed::NewTool
            | Deed::StepTool(_)
            | Deed::Embellish(_)
            | Deed::StopTool(_)
            | Deed::Launch
            | Deed::Output(_)
            | Deed::Exit(_) => self.do_tool(id, &deed),
            Deed::Plan | Deed::NamedPlan | Deed::RemovePlan(_) | Deed::CalmPlans => {
                self.do_plan(id, &deed);
            }
            Deed::Ask(_)
            | Deed::ReadFile
            | Deed::WriteFile
            | Deed::CreateTerminal
            | Deed::UseTerminal(_)
            | Deed::ReleaseTerminal(_)
            | Deed::Elicit
            | Deed::Mcp(_) => self.do_ask(id, &deed),
            Deed::End | Deed::EndCancelled => self.end_turn(id),
            Deed::Start | Deed::Resume => self.start(id),
            Deed::Repeat => self.repeat(id),
            Deed::Insert(request) => self.insert(id, &request),
            Deed::Owe => self.pay(id),
            Deed::Reject(request) => self.reject(id, &request),
            Deed::Idle | Deed::IdleCancelled => self.idle(id),
            _ => self.do_extra(id, &deed),
        }
    }

    /// A piece of a message or a thought.
    fn speak(&mut self, id: &str, voice: usize) {
        let names = ["agent_message", "agent_thought"];
        let block = self.block();
        let is_new = self.sessions[id].voices[voice].is_none() || self.once_in(3);
        if is_new {
            let message = format!("m{}", self.serial());
            self.session(id).voices[voice] = Some(message);
        }
        let message = self.sessions[id].voices[voice].clone().unwrap();
        let name = names[voice];
        let mut chunk = json!({"sessionUpdate": format!("{name}_chunk"), "content": block});
        if self.is_v1() {
            if self.has("message.ids") {
                chunk["messageId"] = json!(message);
            }
            self.session(id).history.push(chunk.clone());
            return self.update(id, chunk);
        }
        chunk["messageId"] = json!(message);
        let is_whole = self.once_in(4);
        let whole = json!({"sessionUpdate": name, "messageId": message, "content": [block]});
        let history = &mut self.session(id).history;
        match history
            .iter_mut()
            .rfind(|it| it["messageId"] == message && it["sessionUpdate"] == name)
        {
            None => history.push(whole.clone()),
            Some(known) if is_whole => *known = whole.clone(),
            Some(known) => known["content"].as_array_mut().unwrap().push(block),
        }
        self.update(id, if is_whole { whole } else { chunk });
    }

    // Version 1.

    fn end_turn(&mut self, id: &str) {
        if self.crossings == Crossings::Clear {
            self.deliver_to(AGENT);
        }
        let is_cancelled = self.sessions[id].is_cancelling;
        if is_cancelled && self.sessions[id].compaction.is_some() {
            return self.end_compaction(id);
        }
        let request = self.turn(id).unwrap().id.clone();
        let is_withdrawn = self.take_duty(AGENT, &request).withdrawn;
        let session = self.session(id);
        session.is_cancelling = false;
        session.voices = [None, None];
        if is_cancelled {
            // Clients see for themselves that these are over.
            session.tools.retain(|_, tool| tool.is_final());
            return self.answer(AGENT, &request, json!({"stopReason": "cancelled"}));
        }
        if is_withdrawn && self.once_in(2) {
            return self.refuse(AGENT, &request, -32800, "Request cancelled");
        }
        if self.once_in(12) {
            return self.refuse(AGENT, &request, -32603, "No model");
        }
        let reason = if is_withdrawn {
            "cancelled"
        } else {
            self.pick(&["end_turn", "end_turn", "max_tokens", "max_turn_requests", "refusal"])
        };
        let mut result = json!({"stopReason": reason});
        if self.is_unstable() && self.once_in(3) {
            result["usage"] = usage();
        }
        self.answer(AGENT, &request, result);
    }

    // Version 2.

    fn start(&mut self, id: &str) {
        self.session(id).state = State::Running;
        let update = self.state_update(id, State::Running);
        self.tell_state(id, update);
    }

    /// A snapshot of what was told before.
    fn repeat(&mut self, id: &str) {
        let state = self.sessions[id].state;
        let mut update = self.state_update(id, state);
        let reason = self.sessions[id].reason.clone();
        if let (State::Idle, Some(reason), true) = (state, reason, self.once_in(2)) {
            update["stopReason"] = reason;
        }
        self.tell_state(id, update);
    }

    fn insert(&mut self, id: &str, request: &Value) {
        let duty = self.agent.duties.iter().find(|duty| duty.id == *request).unwrap();
        let content = duty.params["prompt"].clone();
        let message = format!("u{}", self.serial());
        let inserted = Inserted {
            request: request.clone(),
            message,
            content,
            is_answered: false,
            is_shown: false,
        };
        let session = self.session(id);
        session.inserted.push(inserted);
        session.is_fresh = true;
        session.voices = [None, None];
        self.pay(id);
    }

    /// Answers an accepted prompt, or shows its message.
    fn pay(&mut self, id: &str) {
        let answers = self.once_in(2);
        let session = self.session(id);
        let owed = session.inserted.iter_mut().find(|it| !it.is_answered || !it.is_shown).unwrap();
        if !owed.is_answered && (owed.is_shown || answers) {
            owed.is_answered = true;
            let (request, message) = (owed.request.clone(), owed.message.clone());
            self.take_duty(AGENT, &request);
            return self.answer(AGENT, &request, json!({"messageId": message}));
        }
        owed.is_shown = true;
        let mut update = json!({"sessionUpdate": "user_message", "messageId": owed.message, "content": owed.content});
        session.history.push(update.clone());
        if self.once_in(4) {
            // In pieces.
            let blocks = update["content"].take();
            let lines = blocks.as_array().unwrap().iter().map(|block| {
                let chunk = json!({"sessionUpdate": "user_message_chunk", "messageId": update["messageId"], "content": block});
                super::agent::Line::Update(chunk)
            });
            let lines: Vec<_> = lines.collect();
            self.session(id).script.extend(lines);
            return self.recite(id);
        }
        self.update(id, update);
    }

    fn reject(&mut self, id: &str, request: &Value) {
        if self.crossings == Crossings::Clear {
            self.deliver_to(AGENT);
        }
        let duty = self.take_duty(AGENT, request);
        let doomed = &mut self.session(id).doomed;
        let is_doomed = doomed.contains(request);
        doomed.retain(|it| it != request);
        if is_doomed || duty.withdrawn {
            self.refuse(AGENT, request, -32800, "Request cancelled");
        } else {
            self.refuse(AGENT, request, -32603, "No model");
        }
    }

    fn idle(&mut self, id: &str) {
        if self.crossings == Crossings::Clear {
            self.deliver_to(AGENT);
        }
        let is_cancelled = self.sessions[id].is_cancelling;
        let session = &self.sessions[id];
        if is_cancelled && unfinished(session).any(|it| session.must_stop(&it)) {
            // There is something to stop first.
            return;
        }
        let questions: Vec<_> =
            self.asks_in(id).filter(|open| !open.withdrawn).map(|open| open.id.clone()).collect();
        if let (Some(question), true) = (questions.first(), is_cancelled) {
            return self.withdraw(AGENT, question);
        }
        if is_cancelled && self.sessions[id].compaction.is_some() {
            return self.end_compaction(id);
        }
        let mut update = self.state_update(id, State::Idle);
        let reason = if is_cancelled {
            json!("cancelled")
        } else {
            let reasons = [
                "end_turn",
                "end_turn",
                "max_tokens",
                "max_turn_requests",
                "refusal",
                "error",
                "_vendor_stop",
            ];
            json!(self.pick(&reasons))
        };
        if reason == "error" {
            update["error"] = json!({"code": -32603, "message": "No model"});
        }
        if self.is_unstable() && self.once_in(3) {
            update["usage"] = usage();
        }
        update["stopReason"] = reason.clone();
        let session = self.session(id);
        session.state = State::Idle;
        session.is_cancelling = false;
        session.is_fresh = false;
        session.voices = [None, None];
        session.reason = if reason == "error" { None } else { Some(reason) };
        self.tell_state(id, update);
    }

    /// What is left to do in a session before the conversation can end.
    pub(crate) fn last_deed(&self, id: &str) -> Option<Deed> {
        let session = &self.sessions[id];
        if !session.script.is_empty() {
            return Some(Deed::Recite);
        }
        if session.life != Life::Open {
            return None;
        }
        if let Some(doomed) = session.doomed.first() {
            return Some(Deed::Reject(doomed.clone()));
        }
        if session.owes() {
            return Some(Deed::Owe);
        }
        let must_stop = session.is_cancelling || session.is_closing;
        if let Some(name) = unfinished(session).find(|it| must_stop && session.must_stop(it)) {
            return Some(Deed::StopTool(name));
        }
        let ready = |it: &(&String, &Tool)| World::may_step(it.1);
        if session.state != State::Waiting
            && !must_stop
            && let Some((name, _)) = session.tools.iter().find(ready)
        {
            return Some(Deed::StepTool(name.clone()));
        }
        let live = |it: &(&String, &super::tools::Terminal)| !it.1.is_released;
        if let Some((name, _)) = session.terminals.iter().find(live)
            && !self.uses_terminal(name)
        {
            return Some(Deed::ReleaseTerminal(name.clone()));
        }
        if session.compaction.is_some() {
            return Some(Deed::Compact);
        }
        self.last_step(id, session)
    }

    fn last_step(&self, id: &str, session: &Session) -> Option<Deed> {
        let has_questions = self.asks_in(id).next().is_some();
        if self.is_v1() {
            self.turn(id)?;
            if has_questions {
                return None;
            }
            return Some(match (session.is_cancelling, session.has_busy_plan()) {
                (false, true) => Deed::CalmPlans,
                _ => Deed::End,
            });
        }
        match session.state {
            _ if has_questions && !session.is_cancelling => None,
            State::Waiting if !session.is_cancelling => Some(Deed::Resume),
            State::Running if !session.is_cancelling && session.has_busy_plan() => {
                Some(Deed::CalmPlans)
            }
            State::Running | State::Waiting => Some(Deed::Idle),
            State::Idle => {
                if let Some(held) = self.held(id).first() {
                    return Some(Deed::Insert(held.clone()));
                }
                if session.is_fresh {
                    return Some(Deed::Start);
                }
                let running = session.displays.iter().find(|it| !it.1.has_exited);
                running.map(|it| Deed::Exit(it.0.clone()))
            }
        }
    }
}

impl Session {
    /// Whether a cancellation, or the end of the session, ends this tool call.
    fn must_stop(&self, tool: &str) -> bool {
        self.is_closing || !self.lists(tool)
    }

    /// Whether something goes on in the background, as it was told.
    pub(crate) fn lists(&self, id: &str) -> bool {
        let listed = self.background.iter().flatten();
        listed.clone().any(|item| item["toolCallId"] == id || item["terminalId"] == id)
    }
}

/// Tool calls that have no final status.
fn unfinished(session: &Session) -> impl Iterator<Item = String> {
    session.tools.iter().filter(|it| !it.1.is_final()).map(|it| it.0.clone())
}

fn usage() -> Value {
    json!({"totalTokens": 30, "inputTokens": 10, "outputTokens": 20})
}

/// What goes on whatever the foreground does.
fn background_deeds(session: &Session, add: &mut impl FnMut(Deed, usize)) {
    for (name, _) in session.displays.iter().filter(|it| !it.1.has_exited) {
        add(Deed::Output(name.clone()), 2);
        add(Deed::Exit(name.clone()), 1);
    }
    if session.is_closing {
        return unfinished(session).for_each(|name| add(Deed::StopTool(name), 2));
    }
    for (name, tool) in &session.tools {
        if session.lists(name) && World::may_step(tool) && session.state == State::Idle {
            add(Deed::StepTool(name.clone()), 1);
        }
    }
}

/// Whether no foreground work is left in the session.
fn may_rest(session: &Session) -> bool {
    session.background.is_some()
        || session.tools.values().all(|tool| tool.is_final() || tool.status == "paused")
}
