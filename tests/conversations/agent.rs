//! What the agent does: by what it was told so far.

use std::collections::{BTreeMap, VecDeque};

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    plans::Plan,
    tools::{Display, Terminal, Tool},
    world::{Open, World},
};

/// Where a session is in its life, as the agent knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// Nobody uses it.
    Stored,
    Open,
    Deleted,
}

/// What goes on in the foreground, on version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Idle,
    Running,
    /// `requires_action`
    Waiting,
}

/// Something that is said next in a session, before anything else is.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    Update(Value),
    Answer(Value, Value),
}

/// A prompt that has become a message, on version 2.
#[derive(Clone, Debug)]
pub(crate) struct Inserted {
    pub(crate) request: Value,
    pub(crate) message: String,
    pub(crate) content: Value,
    pub(crate) is_answered: bool,
    pub(crate) is_shown: bool,
}

/// A session as the agent knows it.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent of each other")]
pub(crate) struct Session {
    pub(crate) cwd: String,
    pub(crate) directories: Value,
    pub(crate) title: Option<String>,
    /// Whether the client has set the title.
    pub(crate) is_titled: bool,
    pub(crate) is_archived: bool,
    pub(crate) life: Life,
    /// For a subagent.
    pub(crate) parent: Option<String>,
    /// Whether the parent tells what a subagent does.
    pub(crate) is_mirrored: bool,
    pub(crate) modes: Vec<String>,
    pub(crate) mode: String,
    pub(crate) options: Vec<Value>,
    /// Whether an option stands for the modes.
    pub(crate) is_synced: bool,
    /// What a replay tells.
    pub(crate) history: Vec<Value>,
    pub(crate) script: VecDeque<Line>,
    pub(crate) cost: u64,
    pub(crate) plans: BTreeMap<Option<String>, Plan>,
    pub(crate) tools: BTreeMap<String, Tool>,
    /// The client's terminals, on version 1.
    pub(crate) terminals: BTreeMap<String, Terminal>,
    /// The agent's own, on version 2.
    pub(crate) displays: BTreeMap<String, Display>,
    pub(crate) compaction: Option<String>,
    /// The message and the thought that go on.
    pub(crate) voices: [Option<String>; 2],
    /// MCP servers over the connection.
    pub(crate) servers: Vec<String>,
    /// A cancellation or the end of the session was asked for, and work goes on.
    pub(crate) is_cancelling: bool,
    pub(crate) is_closing: bool,
    pub(crate) state: State,
    pub(crate) reason: Option<Value>,
    pub(crate) inserted: Vec<Inserted>,
    /// Prompts that a cancellation keeps out.
    pub(crate) doomed: Vec<Value>,
    /// What goes on in the background, once it was told.
    pub(crate) background: Option<Vec<Value>>,
    /// Whether anything was said or accepted since the last idle state.
    pub(crate) is_fresh: bool,
}

impl Session {
    pub(crate) fn new(cwd: &str, life: Life) -> Self {
        Self {
            cwd: cwd.into(),
            directories: json!([]),
            title: None,
            is_titled: false,
            is_archived: false,
            life,
            parent: None,
            is_mirrored: false,
            modes: Vec::new(),
            mode: String::new(),
            options: Vec::new(),
            is_synced: false,
            history: Vec::new(),
            script: VecDeque::new(),
            cost: 0,
            plans: BTreeMap::new(),
            tools: BTreeMap::new(),
            terminals: BTreeMap::new(),
            displays: BTreeMap::new(),
            compaction: None,
            voices: [None, None],
            servers: Vec::new(),
            is_cancelling: false,
            is_closing: false,
            state: State::Idle,
            reason: None,
            inserted: Vec::new(),
            doomed: Vec::new(),
            background: None,
            is_fresh: false,
        }
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state != State::Idle
    }

    /// Whether an answer or a message of the user is still to come for an accepted prompt.
    pub(crate) fn owes(&self) -> bool {
        self.inserted.iter().any(|it| !it.is_answered || !it.is_shown)
    }
}

/// What the agent may do next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    Answer(Value),
    /// One of those that follow.
    Misc,
    Extend,
    /// `auth/status_update`
    TellWhoIsIn,
    /// `elicitation/complete`
    CompleteLink,
    Withdraw(Value),
    In(String, Deed),
}

/// What the agent may do in a session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    /// The next line of what is to be said.
    Recite,
    Say,
    Think,
    Echo,
    NewTool,
    StepTool(String),
    Embellish(String),
    StopTool(String),
    Ask(String),
    Plan,
    NamedPlan,
    RemovePlan(String),
    CalmPlans,
    ReadFile,
    WriteFile,
    CreateTerminal,
    UseTerminal(String),
    ReleaseTerminal(String),
    Elicit,
    Mcp(String),
    Announce,
    Message,
    /// One of those that follow.
    Extra,
    Mode,
    Options,
    Commands,
    Info,
    Usage,
    Notice,
    Compact,
    /// Ends the turn, on version 1.
    End,
    EndCancelled,
    // Version 2.
    Start,
    Repeat,
    Insert(Value),
    Owe,
    Reject(Value),
    Resume,
    Idle,
    IdleCancelled,
    Launch,
    Output(String),
    Exit(String),
}

impl World<'_> {
    pub(crate) fn agent_acts(&mut self) -> bool {
        let mut acts = self.agent_options();
        for (id, session) in &self.sessions {
            self.deeds(id, session, &mut acts);
        }
        if acts.is_empty() {
            return false;
        }
        let act = self.pick(&acts);
        self.agent_does(act);
        true
    }

    pub(crate) fn session(&mut self, id: &str) -> &mut Session {
        self.sessions.get_mut(id).unwrap()
    }

    /// The turn that the agent works on, on version 1.
    pub(crate) fn turn(&self, id: &str) -> Option<&Open> {
        self.agent.duties.iter().find(|duty| duty.method == "session/prompt" && duty.is_about(id))
    }

    /// Requests of the agent about a session that wait for the client.
    pub(crate) fn asks_in(&self, id: &str) -> impl Iterator<Item = &Open> {
        let free = |method: &str| method.starts_with('_') || method == "mcp/message";
        self.agent.open.iter().filter(move |open| open.is_about(id) && !free(&open.method))
    }

    fn agent_options(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for duty in &self.agent.duties {
            if self.may_answer(duty) {
                acts.extend((0..3).map(|_| Act::Answer(duty.id.clone())));
            }
        }
        acts.push(Act::Misc);
        acts
    }

    fn agent_misc(&self) -> Vec<Act> {
        let mut acts = vec![Act::Extend];
        if self.has("auth.status") {
            acts.push(Act::TellWhoIsIn);
        }
        if !self.links.is_empty() {
            acts.push(Act::CompleteLink);
        }
        // Versions differ in how sure they are of what a withdrawn question means.
        let may_withdraw = |open: &&Open| {
            let stays = matches!(&*open.method, "terminal/release" | "session/request_permission");
            !open.withdrawn && (!stays || (self.is_v1() && open.method != "terminal/release"))
        };
        if let Some(open) = self.agent.open.iter().rfind(may_withdraw) {
            acts.push(Act::Withdraw(open.id.clone()));
        }
        acts
    }

    /// Whether a request can be answered now; prompts are work of their own.
    pub(crate) fn may_answer(&self, duty: &Open) -> bool {
        let session = duty.params["sessionId"].as_str();
        let session = session.and_then(|id| Some((id, self.sessions.get(id)?)));
        match (&*duty.method, session) {
            ("session/prompt", _) => false,
            // What is open ends first.
            ("session/close" | "session/archive", Some((id, session))) => {
                !session.is_active()
                    && !session.owes()
                    && session.script.is_empty()
                    && (!self.is_v1() || self.turn(id).is_none())
                    && self.asks_in(id).next().is_none()
                    && session.terminals.is_empty()
                    && session.tools.values().all(Tool::is_final)
                    && session.displays.values().all(|display| display.has_exited)
                    && session.compaction.is_none()
                    && !self.has_other_duties(id)
                    && self
                        .children(id)
                        .all(|(_, child)| !child.is_active() && child.script.is_empty())
            }
            (_, Some((_, session))) => session.script.is_empty(),
            _ => true,
        }
    }

    /// Requests about a session that are not about its end.
    fn has_other_duties(&self, id: &str) -> bool {
        let ends = |method: &str| matches!(method, "session/close" | "session/archive");
        let is_other = |duty: &&Open| !ends(&duty.method) && duty.method != "session/prompt";
        self.agent.duties.iter().filter(is_other).any(|duty| duty.is_about(id))
    }

    /// The subagents of a session.
    pub(crate) fn children(&self, id: &str) -> impl Iterator<Item = (&String, &Session)> {
        self.sessions.iter().filter(move |it| it.1.parent.as_deref() == Some(id))
    }

    pub(crate) fn agent_does(&mut self, act: Act) {
        match act {
            Act::Answer(id) => self.agent_answers(&id),
            Act::Misc => {
                let acts = self.agent_misc();
                let act = self.pick(&acts);
                self.agent_does(act);
            }
            Act::Extend => self.extend(Side::Agent),
            Act::TellWhoIsIn => self.tell_who_is_in(),
            Act::CompleteLink => {
                let link = self.links.remove(0);
                self.notify(Side::Agent, "elicitation/complete", json!({"elicitationId": link}));
            }
            Act::Withdraw(id) => self.withdraw(Side::Agent, &id),
            Act::In(id, deed) => self.agent_does_in(&id, deed),
        }
    }

    /// Brings to an end what goes on, and says whether anything did.
    pub(crate) fn agent_finishes(&mut self) -> bool {
        let duty = self.agent.duties.iter().find(|duty| self.may_answer(duty));
        if let Some(id) = duty.map(|duty| duty.id.clone()) {
            self.agent_answers(&id);
            return true;
        }
        let ids: Vec<_> = self.sessions.keys().cloned().collect();
        for id in ids {
            if let Some(deed) = self.last_deed(&id) {
                self.agent_does_in(&id, deed);
                return true;
            }
        }
        false
    }

    // What it hears.

    pub(crate) fn agent_hears(&mut self, asked: &Open, outcome: Result<&Value, &Value>) {
        let session = asked.params["sessionId"].as_str().unwrap_or_default().to_owned();
        match &*asked.method {
            "session/request_permission" => {
                let tool = asked.params["toolCall"]["toolCallId"]
                    .as_str()
                    .or(asked.params["subject"]["toolCall"]["toolCallId"].as_str())
                    .or(asked.params["subject"]["toolCallId"].as_str());
                let outcome = outcome.ok().map(|result| &result["outcome"]);
                let chosen = outcome.and_then(|outcome| outcome["optionId"].as_str());
                let is_allowed = chosen.is_some_and(|chosen| chosen.starts_with("allow"));
                if let Some(tool) = tool
                    && let Some(tool) = self.session(&session).tools.get_mut(tool)
                {
                    tool.is_asked = false;
                    tool.is_denied = !is_allowed;
                }
            }
            "terminal/create" => {
                if let Ok(result) = outcome {
                    let id = result["terminalId"].as_str().unwrap();
                    self.session(&session).terminals.insert(id.into(), Terminal::default());
                }
            }
            "terminal/release" => {
                let terminal = asked.params["terminalId"].as_str().unwrap();
                self.session(&session).terminals.remove(terminal);
            }
            "elicitation/create" => {
                let is_accepted = outcome.is_ok_and(|result| result["action"] == "accept");
                if let Some(link) = asked.params["elicitationId"].as_str().filter(|_| is_accepted) {
                    self.links.push(link.into());
                }
            }
            _ => {}
        }
    }

    pub(crate) fn agent_is_told(&mut self, method: &str, params: &Value) {
        if method != "session/cancel" {
            return;
        }
        let id = params["sessionId"].as_str().unwrap();
        self.stop(id);
    }

    pub(crate) fn agent_is_asked(&mut self, duty: &Open) {
        if matches!(&*duty.method, "session/close" | "session/archive") {
            let id = duty.params["sessionId"].as_str().unwrap();
            self.stop(id);
            let session = self.session(id);
            session.is_closing = session.life == Life::Open;
        }
    }

    /// Work in a session is to stop.
    pub(crate) fn stop(&mut self, id: &str) {
        let children: Vec<_> = self.children(id).map(|it| it.0.clone()).collect();
        for child in children {
            self.stop(&child);
        }
        let has_turn = self.is_v1() && self.turn(id).is_some();
        let held: Vec<_> = self.held(id);
        let session = self.session(id);
        session.is_cancelling = has_turn || session.is_active();
        session.doomed.extend(held);
    }

    /// Prompts that have not become messages, on version 2, without those that are kept out.
    pub(crate) fn held(&self, id: &str) -> Vec<Value> {
        if self.is_v1() {
            return Vec::new();
        }
        let session = &self.sessions[id];
        let is_held = |duty: &&Open| {
            duty.method == "session/prompt"
                && duty.is_about(id)
                && !session.doomed.contains(&duty.id)
                && session.inserted.iter().all(|it| it.is_answered || it.request != duty.id)
        };
        self.agent.duties.iter().filter(is_held).map(|duty| duty.id.clone()).collect()
    }
}
