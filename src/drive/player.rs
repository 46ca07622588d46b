//! Speaks the client's part: sends requests, waits for their answers, and meanwhile answers what the
//! agent asks.

use std::{
    fmt,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    drive::{Agent, PlayOptions, Received, Stop, answers::Answers, history::History},
    protocol::Version,
    transcript::MADE_UP_SESSION,
};

/// The client of one scenario.
pub struct Player<'a> {
    agent: &'a mut dyn Agent,
    pub options: &'a PlayOptions,
    pub(super) answers: Answers,
    /// The id of the next request.
    next_id: u64,
    /// The protocol version of the agent's answer to `initialize`; the offered one until then.
    version: Version,
    /// Whether `initialize` was answered.
    is_answered: bool,
    /// The result of `initialize`; null before it.
    initialized: Value,
    /// The prompts of this connection, oldest first.
    turns: Vec<PromptTurn>,
    /// The ids of the requests that were not answered yet.
    open: Vec<Value>,
    /// Answers to requests that are waited for elsewhere.
    early: Vec<Value>,
    /// The sessions that this run has created and not deleted.
    created: Vec<String>,
    /// The kinds of session updates that have come, each once.
    seen: Vec<String>,
    history: History,
}

/// A prompt, and how far its turn has come.
#[derive(Debug)]
struct PromptTurn {
    id: Value,
    session: String,
    /// Whether the agent works on it, for sure: its answer has come, or `running` behind it.
    is_begun: bool,
    /// Whether the agent has shown work of it.
    is_shown: bool,
    /// Whether it has ended: `idle` has come once it had begun.
    is_over: bool,
    /// The first tool call that the client may cancel.
    tool_call: Option<String>,
}

/// The session updates by which an agent shows the work of a turn. Others, such as the list of its
/// commands, come at any time.
const WORK: [&str; 10] = [
    "agent_message",
    "agent_message_chunk",
    "agent_thought",
    "agent_thought_chunk",
    "tool_call",
    "tool_call_update",
    "tool_call_content_chunk",
    "plan",
    "plan_update",
    "plan_removed",
];

impl fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("version", &self.version).finish_non_exhaustive()
    }
}

/// The answer to a request.
#[derive(Debug)]
pub enum Reply {
    Result(Value),
    /// The code and the message of the error.
    Error(i64, String),
}

impl Reply {
    /// The result; an error as a sentence, with the method that it answers.
    pub fn result(self, method: &str) -> Result<Value, String> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Error(AUTH_REQUIRED, _) => Err(format!("{method}: authentication required")),
            Self::Error(code, message) => Err(format!("{method}: error {code}, {message}")),
        }
    }
}

/// The error code of an agent that wants a login first.
pub(super) const AUTH_REQUIRED: i64 = -32000;

/// A request that has been sent.
#[derive(Clone, Debug)]
pub struct Open {
    id: Value,
    method: String,
}

impl Open {
    /// The id of the request.
    pub fn id(&self) -> &Value {
        &self.id
    }
}

impl<'a> Player<'a> {
    pub fn new(agent: &'a mut dyn Agent, options: &'a PlayOptions) -> Self {
        Self {
            agent,
            options,
            answers: Answers::new(options.allows),
            next_id: 0,
            version: options.version,
            is_answered: false,
            initialized: Value::Null,
            turns: Vec::new(),
            open: Vec::new(),
            early: Vec::new(),
            created: Vec::new(),
            seen: Vec::new(),
            history: History::default(),
        }
    }

    /// The version that both sides speak.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Sends `initialize` with these capabilities, and takes the version of the answer.
    pub fn initialize(&mut self, capabilities: Value) -> Result<(), Stop> {
        let version = self.options.version;
        let (mut params, name) = match version {
            Version::V1 => {
                (json!({ "protocolVersion": 1, "clientInfo": info() }), "clientCapabilities")
            }
            Version::V2 => (json!({ "protocolVersion": 2, "info": info() }), "capabilities"),
        };
        params[name] = capabilities;
        match self.initialize_with(params)? {
            Reply::Result(result) => {
                self.version = match result["protocolVersion"].as_u64() {
                    Some(1) => Version::V1,
                    Some(2) if version == Version::V2 => Version::V2,
                    _ => {
                        let answered = &result["protocolVersion"];
                        return Err(Stop::NotInitialized(format!("answered version {answered}")));
                    }
                };
                Ok(())
            }
            Reply::Error(code, message) => {
                Err(Stop::NotInitialized(format!("initialize: error {code}, {message}")))
            }
        }
    }

    /// Sends `initialize` with these params. The answer is the scenario's to read.
    pub fn initialize_with(&mut self, params: Value) -> Result<Reply, Stop> {
        let open = self.send_request("initialize", params);
        let answer = self.answer(&open, Instant::now() + self.options.start_timeout)?;
        self.is_answered = true;
        if let Reply::Result(result) = &answer {
            self.initialized = result.clone();
        }
        Ok(answer)
    }

    /// Whether the agent has answered `initialize`, also with an error.
    pub fn is_answered(&self) -> bool {
        self.is_answered
    }

    /// The name and version of the agent, if it says them.
    pub fn agent_info(&self) -> Option<(String, String)> {
        let info = self.initialized.get("agentInfo").or_else(|| self.initialized.get("info"))?;
        let text = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
        Some((text("name"), text("version")))
    }

    /// Logs in, if the user wants that. Returns why the agent refuses.
    pub fn log_in(&mut self) -> Result<Result<(), String>, Stop> {
        let Some(wanted) = &self.options.auth else { return Ok(Ok(())) };
        let id = match self.version {
            Version::V1 => "id",
            Version::V2 => "methodId",
        };
        let methods = self.initialized["authMethods"].as_array();
        let offered: Vec<_> =
            methods.into_iter().flatten().filter_map(|it| it[id].as_str()).collect();
        if !offered.contains(&wanted.as_str()) {
            return Ok(Err(match offered.as_slice() {
                [] => format!("the agent offers no authentication, so not `{wanted}`"),
                offered => format!("the agent offers {}, not `{wanted}`", offered.join(", ")),
            }));
        }
        let method = match self.version {
            Version::V1 => "authenticate",
            Version::V2 => "auth/login",
        };
        let answer = self.request(method, json!({ "methodId": wanted }))?;
        Ok(answer.result(method).map(|_| ()))
    }

    /// The authentication methods that the agent offers.
    pub fn auth_methods(&self) -> Vec<&str> {
        let methods = self.initialized["authMethods"].as_array();
        let ids = methods
            .into_iter()
            .flatten()
            .filter_map(|method| method["id"].as_str().or_else(|| method["methodId"].as_str()));
        ids.collect()
    }

    /// Whether the agent advertises a capability: its path on version 1, and on version 2. An empty
    /// path stands for what every agent of the version has.
    pub fn offers(&self, v1: &str, v2: &str) -> bool {
        let (capabilities, path) = match self.version {
            Version::V1 => (&self.initialized["agentCapabilities"], v1),
            Version::V2 => (&self.initialized["capabilities"], v2),
        };
        if path.is_empty() {
            return true;
        }
        let found = path.split('.').try_fold(capabilities, |value, name| value.get(name));
        found.is_some_and(|value| value.is_object() || value == &Value::Bool(true))
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let open = self.send_request(method, params);
        self.answer_to(&open)
    }

    /// Sends a request.
    pub fn send_request(&mut self, method: &str, params: Value) -> Open {
        let id = Value::from(self.next_id);
        self.next_id += 1;
        self.send_request_with(id, method, params)
    }

    /// Sends a request with an id of its own.
    pub fn send_request_with(&mut self, id: Value, method: &str, params: Value) -> Open {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.open.push(id.clone());
        self.agent.send(&message.to_string());
        Open { id, method: method.to_owned() }
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.agent.send(&message.to_string());
    }

    /// Sends a line that need not be a message.
    pub fn send_line(&mut self, line: &str) {
        self.agent.send(line);
    }

    /// Waits for the answer to a request.
    pub fn answer_to(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer(open, Instant::now() + self.options.timeout)
    }

    /// Waits for the answer to a request until a time.
    pub fn answer(&mut self, open: &Open, deadline: Instant) -> Result<Reply, Stop> {
        loop {
            if let Some(place) = self.early.iter().position(|answer| answer["id"] == open.id) {
                return Ok(read(&self.early.swap_remove(place)));
            }
            if !self.step(deadline)? {
                return Err(Stop::Unanswered(open.method.clone()));
            }
        }
    }

    /// Waits until the agent shows work of the turn of a prompt, or the turn ends. Returns whether the
    /// agent is at work.
    pub fn work_on(&mut self, prompt: &Open) -> Result<bool, Stop> {
        self.while_at_work(prompt, |player| player.turn(prompt).is_some_and(|it| it.is_shown))
    }

    /// Waits until the agent asks for a permission in the turn of a prompt, or the turn ends. Returns
    /// whether the question is open. It waits for [`Player::answer_held`].
    pub fn permission_of(&mut self, prompt: &Open) -> Result<bool, Stop> {
        self.answers.holds = true;
        let is_open = self.while_at_work(prompt, |player| !player.answers.held.is_empty());
        self.answers.holds = is_open == Ok(true);
        is_open
    }

    /// Takes what comes within a time, and sends nothing but answers.
    pub fn watch(&mut self, time: Duration) -> Result<(), Stop> {
        let deadline = Instant::now() + time.min(self.options.timeout);
        while self.step(deadline)? {}
        Ok(())
    }

    /// Waits until the agent reports a tool call that the client may cancel in the turn of a prompt, or
    /// the turn ends. Returns the id of the tool call.
    pub fn tool_call_of(&mut self, prompt: &Open) -> Result<Option<String>, Stop> {
        let call = |player: &Self| player.turn(prompt)?.tool_call.clone();
        self.while_at_work(prompt, |player| call(player).is_some())?;
        Ok(call(self))
    }

    /// Waits until something holds. Returns false when the turn of the prompt ends before.
    fn while_at_work(
        &mut self,
        prompt: &Open,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<bool, Stop> {
        let deadline = Instant::now() + self.options.timeout;
        loop {
            let answer = self.early.iter().find(|answer| answer["id"] == prompt.id);
            let is_over = match self.version {
                Version::V1 => answer.is_some(),
                Version::V2 => {
                    answer.is_some_and(|it| it.get("error").is_some_and(|it| !it.is_null()))
                        || self.turn(prompt).is_some_and(|turn| turn.is_over)
                }
            };
            if is_over || holds(self) {
                return Ok(!is_over);
            }
            if !self.step(deadline)? {
                return Err(Stop::Unanswered(prompt.method.clone()));
            }
        }
    }

    fn turn(&self, prompt: &Open) -> Option<&PromptTurn> {
        self.turns.iter().find(|turn| turn.id == prompt.id)
    }

    /// Answers the questions that were held back.
    pub fn answer_held(&mut self) {
        self.answers.holds = false;
        for (id, params) in std::mem::take(&mut self.answers.held) {
            let outcome = self.answers.outcome(&params);
            let reply = json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } });
            self.agent.send(&reply.to_string());
        }
    }

    /// Waits until a turn has ended: for the answer to the prompt, and on version 2 for the state
    /// `idle` of the turn.
    pub fn end_of_turn(&mut self, prompt: &Open) -> Result<Reply, Stop> {
        let deadline = Instant::now() + self.options.timeout;
        let answer = self.answer(prompt, deadline)?;
        if self.version == Version::V2 && matches!(answer, Reply::Result(_)) {
            while self.turn(prompt).is_some_and(|turn| !turn.is_over) {
                if !self.step(deadline)? {
                    return Err(Stop::Unanswered("state_update (idle)".to_owned()));
                }
            }
        }
        Ok(answer)
    }

    /// Sends a prompt.
    pub fn prompt(&mut self, session: &str, blocks: Value) -> Open {
        let mut params = json!({ "sessionId": session });
        params["prompt"] = blocks;
        let open = self.send_request("session/prompt", params);
        self.turns.push(PromptTurn {
            id: open.id.clone(),
            session: session.to_owned(),
            is_begun: false,
            is_shown: false,
            is_over: false,
            tool_call: None,
        });
        open
    }

    /// The id of a session that never was, which no agent can know.
    pub fn unknown_session(&self) -> String {
        format!("{MADE_UP_SESSION}{}", self.options.run)
    }

    /// Notes that this run has created a session.
    pub fn note_created(&mut self, session: &str) {
        self.created.push(session.to_owned());
    }

    /// Notes that a session is deleted.
    pub fn note_deleted(&mut self, session: &str) {
        self.created.retain(|created| created != session);
    }

    /// The kinds of session updates that have come, each once.
    pub fn seen(&self) -> &[String] {
        &self.seen
    }

    /// Forgets which session updates have come. Returns what they showed of the conversation.
    pub fn take_history(&mut self) -> History {
        self.seen.clear();
        std::mem::take(&mut self.history)
    }

    /// Deletes the sessions that this run has created, if the agent can do that.
    pub fn delete_sessions(&mut self) -> Result<(), Stop> {
        if !self.offers_delete() {
            return Ok(());
        }
        for session in std::mem::take(&mut self.created) {
            self.request("session/delete", json!({ "sessionId": session }))?;
        }
        Ok(())
    }

    /// Whether the agent advertises `session/delete`.
    pub fn offers_delete(&self) -> bool {
        self.offers("sessionCapabilities.delete", "session.delete")
    }

    /// The params that create a session, or attach one, in this folder.
    pub fn session_params(&self) -> Value {
        json!({ "cwd": self.options.cwd, "mcpServers": [] })
    }

    /// How the agent starts the MCP server of the run; `None` when there is none.
    pub fn mcp_server(&self) -> Option<Value> {
        self.agent.mcp_server()
    }

    /// Waits until an MCP client has connected to that server this many times. Returns false when none
    /// has within this time.
    pub fn mcp_connections(&mut self, count: usize, within: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + within.min(self.options.timeout);
        loop {
            let calls = self.agent.mcp_calls();
            if calls.iter().filter(|method| *method == "initialize").count() >= count {
                return Ok(true);
            }
            let now = Instant::now();
            if now >= deadline {
                return Ok(false);
            }
            self.step(deadline.min(now + Duration::from_millis(50)))?;
        }
    }

    /// The methods that the agent has called on that server, each once.
    pub fn mcp_calls(&self) -> Vec<String> {
        let mut calls: Vec<String> = Vec::new();
        for method in self.agent.mcp_calls() {
            if !calls.contains(&method) {
                calls.push(method);
            }
        }
        calls
    }

    /// Closes the agent's input. Returns how it ended; `None` when it is still there.
    pub fn close_input(&mut self) -> Option<String> {
        self.agent.close_input(self.options.grace)
    }

    /// Ends the agent and starts it again, on a connection of its own.
    pub fn restart(&mut self) -> Result<(), Stop> {
        self.forget_connection();
        self.agent.restart()
    }

    /// Starts the agent once more, on a connection of its own, and leaves the earlier process idle.
    pub fn start_another(&mut self) -> Result<(), Stop> {
        self.forget_connection();
        self.agent.start_another()
    }

    fn forget_connection(&mut self) {
        self.early.clear();
        self.open.clear();
        self.turns.clear();
        self.answers.held.clear();
        self.initialized = Value::Null;
    }

    /// Takes one message. Returns false when none came until the deadline.
    fn step(&mut self, deadline: Instant) -> Result<bool, Stop> {
        // A flood of messages must not keep the deadline away.
        if Instant::now() >= deadline {
            return Ok(false);
        }
        let message = match self.agent.receive(deadline) {
            Received::Message(message) => message,
            Received::Nothing => return Ok(false),
            Received::Ended => return Err(Stop::Ended),
            Received::Interrupted => return Err(Stop::Interrupted),
        };
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                if self.answers.hold(method, id, &message["params"]) {
                    return Ok(true);
                }
                let answer = self.answers.to(method, &message["params"], self.agent);
                let reply = match answer {
                    Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    Err((code, text)) => json!({
                        "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": text },
                    }),
                };
                self.agent.send(&reply.to_string());
            }
            (Some("session/update"), None) => self.take_update(&message["params"]),
            (None, Some(id)) => {
                // Only the first answer to a request counts.
                if let Some(place) = self.open.iter().position(|open| open == id) {
                    self.open.swap_remove(place);
                    if let Some(turn) = self.turns.iter_mut().find(|turn| turn.id == *id) {
                        turn.is_begun = true;
                    }
                    self.early.push(message);
                }
            }
            _ => {}
        }
        Ok(true)
    }

    fn take_update(&mut self, params: &Value) {
        let update = &params["update"];
        self.history.take(update);
        let Some(kind) = update["sessionUpdate"].as_str() else { return };
        if self.seen.len() < MOST_SEEN && !self.seen.iter().any(|seen| seen == kind) {
            self.seen.push(kind.chars().take(MOST_SEEN).collect());
        }
        let session = params["sessionId"].as_str();
        let is_open = |turn: &&mut PromptTurn| Some(&*turn.session) == session && !turn.is_over;
        for turn in self.turns.iter_mut().filter(is_open) {
            match (kind, update["state"].as_str()) {
                // What comes before the turn has begun belongs to something earlier.
                ("state_update", Some("idle")) => turn.is_over = turn.is_begun,
                ("state_update", Some("running")) => turn.is_begun = true,
                _ => turn.is_shown |= WORK.contains(&kind),
            }
            if turn.tool_call.is_none() && update["capabilities"]["cancel"].is_object() {
                turn.tool_call = update["toolCallId"].as_str().map(str::to_owned);
            }
        }
    }
}

/// The most kinds of session updates that are told apart, and the most letters of each.
const MOST_SEEN: usize = 64;

fn info() -> Value {
    json!({ "name": "acpcheck", "version": env!("CARGO_PKG_VERSION") })
}

fn read(message: &Value) -> Reply {
    match message.get("error").filter(|error| !error.is_null()) {
        Some(error) => Reply::Error(
            error["code"].as_i64().unwrap_or_default(),
            error["message"].as_str().unwrap_or_default().to_owned(),
        ),
        None => Reply::Result(message["result"].clone()),
    }
}
