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

/// The client that a scenario plays: it sends requests, waits for their answers, and meanwhile
/// answers what the agent asks.
pub struct Player<'a> {
    agent: &'a mut dyn Agent,
    pub options: &'a PlayOptions,
    pub(super) answers: Answers,
    /// The id of the next request that gets its id from the player, counted from 0.
    next_id: u64,
    /// The protocol version of the agent's answer to `initialize`; the offered one until then.
    version: Version,
    /// Whether the agent has answered `initialize`, also with an error.
    is_answered: bool,
    /// The result of `initialize`; null before it, after a restart, and when the answer is an
    /// error.
    initialized: Value,
    /// The prompts of this connection, oldest first, to know when their turns end.
    turns: Vec<PromptTurn>,
    /// The ids of the requests that were not answered yet.
    open: Vec<Value>,
    /// Answers that have come while the player waited for something else. They are taken when
    /// somebody waits for them.
    early: Vec<Value>,
    /// The ids of the sessions that the scenario has created and not deleted, to delete them at its
    /// end.
    created: Vec<String>,
    /// The kinds of session updates that have come, such as `tool_call`, each once; at most
    /// `MOST_SEEN`.
    seen: Vec<String>,
    /// Whether something was sent after whose answer the agent may send more, such as a prompt, and
    /// the player has not watched for that.
    may_follow: bool,
    /// Whether a line of the agent was too long to be read.
    has_skipped: bool,
    history: History,
}

/// A prompt that was sent, and how far the agent has come with its turn.
#[derive(Debug)]
struct PromptTurn {
    id: Value,
    session: String,
    /// Whether the agent certainly works on the prompt: its answer has come, or the state `running`
    /// after it.
    is_begun: bool,
    /// Whether an update has shown work on the prompt, such as a message or a tool call.
    is_shown: bool,
    /// Whether the agent has sent an update or a request that is more than the state of the session.
    is_busy: bool,
    /// The update that ended the turn on version 2: the state `idle`, after the turn had begun.
    end: Option<Value>,
    /// The id of the first tool call in the turn that the client may cancel; `None` while there is
    /// none.
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

/// The session updates that tell of the session and of its turns, and so show no work.
const STATE: [&str; 9] = [
    "available_commands_update",
    "config_option_update",
    "current_mode_update",
    "cursor_update",
    "session_info_update",
    "state_update",
    "usage_update",
    "user_message",
    "user_message_chunk",
];

/// The methods after whose answer an agent may send more, which belongs to the recording.
const FOLLOWED: [&str; 5] =
    ["session/cancel", "session/close", "session/load", "session/prompt", "session/resume"];

/// How long the player waits for what an agent sends late.
const LATE: Duration = Duration::from_millis(200);

impl fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("version", &self.version).finish_non_exhaustive()
    }
}

/// The agent's answer to a request of the player.
#[derive(Debug)]
pub enum Reply {
    Result(Value),
    /// The `code` and `message` of the error that the agent answered.
    Error(i64, String),
}

impl Reply {
    /// The result of a successful answer. An error becomes a sentence for the user that begins with
    /// `method`, the method of the request.
    pub fn result(self, method: &str) -> Result<Value, String> {
        match self {
            Self::Result(result) => Ok(result),
            Self::Error(AUTH_REQUIRED, _) => Err(format!("{method}: authentication required")),
            Self::Error(code, message) => Err(format!("{method}: error {code}, {message}")),
        }
    }
}

/// The JSON-RPC error code of an agent that requires a login first.
pub(super) const AUTH_REQUIRED: i64 = -32000;

/// A request that the player has sent, to wait for its answer.
#[derive(Clone, Debug)]
pub struct Open {
    id: Value,
    method: String,
}

impl Open {
    /// The JSON-RPC id of the request, for example to cancel it.
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
            may_follow: false,
            has_skipped: false,
            history: History::default(),
        }
    }

    /// The protocol version of the connection: the one that the agent answered, else the offered
    /// one.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Sends `initialize` with these client capabilities. Fails when the agent answers with an
    /// error, or with a version other than 1 and 2 or higher than the offered one.
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

    /// Sends `initialize` with these params and returns the answer as it is; its version is not
    /// checked.
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

    /// The name and version in the agent's answer to `initialize`; `None` when it names no
    /// implementation. A missing part is empty.
    pub fn agent_info(&self) -> Option<(String, String)> {
        let info = self.initialized.get("agentInfo").or_else(|| self.initialized.get("info"))?;
        let text = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
        Some((text("name"), text("version")))
    }

    /// Logs in with the method that the user has named; does nothing without one. The inner error
    /// says why that failed: the method is not offered, or the agent's answer.
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

    /// The ids of the authentication methods in the agent's answer to `initialize`.
    pub fn auth_methods(&self) -> Vec<&str> {
        let methods = self.initialized["authMethods"].as_array();
        let ids = methods
            .into_iter()
            .flatten()
            .filter_map(|method| method["id"].as_str().or_else(|| method["methodId"].as_str()));
        ids.collect()
    }

    /// Whether the agent advertises a capability. `v1` and `v2` are its dotted path on version 1
    /// and on version 2; an empty path stands for what every agent of that version has.
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

    /// Sends a request and waits for its answer, for as long as the user's timeout. A result and an
    /// error of the agent are a `Reply`; a timeout, or an agent that has ended, is a `Stop`.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Reply, Stop> {
        let open = self.send_request(method, params);
        self.answer_to(&open)
    }

    /// Sends a request with the next free id, and does not wait for the answer.
    pub fn send_request(&mut self, method: &str, params: Value) -> Open {
        let id = Value::from(self.next_id);
        self.next_id += 1;
        self.send_request_with(id, method, params)
    }

    /// Sends a request with the given JSON-RPC id, and does not wait for the answer.
    pub fn send_request_with(&mut self, id: Value, method: &str, params: Value) -> Open {
        let mut message = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        message["params"] = params;
        self.open.push(id.clone());
        self.may_follow |= FOLLOWED.contains(&method);
        self.agent.send(&message.to_string());
        Open { id, method: method.to_owned() }
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        message["params"] = params;
        self.may_follow |= FOLLOWED.contains(&method);
        self.agent.send(&message.to_string());
    }

    /// Sends a line as it is, which may be malformed.
    pub fn send_line(&mut self, line: &str) {
        self.agent.send(line);
    }

    /// Waits for the answer to a request that was sent, for as long as the user's timeout.
    pub fn answer_to(&mut self, open: &Open) -> Result<Reply, Stop> {
        self.answer(open, Instant::now() + self.options.timeout)
    }

    /// Waits until `deadline` for the answer to a request that was sent; `Stop::Unanswered` after
    /// that.
    pub fn answer(&mut self, open: &Open, deadline: Instant) -> Result<Reply, Stop> {
        loop {
            if let Some(place) = self.early.iter().position(|answer| answer["id"] == open.id) {
                return Ok(read(&self.early.swap_remove(place)));
            }
            if !self.step(deadline)? {
                return Err(self.unanswered(&open.method));
            }
        }
    }

    fn unanswered(&self, what: &str) -> Stop {
        let why = if self.has_skipped { "; a line was too long to be read" } else { "" };
        Stop::Unanswered(format!("{what}{why}"))
    }

    /// Waits until the agent shows work on a prompt, such as a message, or the turn ends. Returns
    /// false when the turn has ended.
    pub fn work_on(&mut self, prompt: &Open) -> Result<bool, Stop> {
        self.while_at_work(prompt, |player| player.turn(prompt).is_some_and(|it| it.is_shown))
    }

    /// Waits until the agent asks for permission, or the turn of a prompt ends. Returns true when a
    /// question is open; [`Player::answer_held`] answers it.
    pub fn permission_of(&mut self, prompt: &Open) -> Result<bool, Stop> {
        self.answers.holds = true;
        let is_open = self.while_at_work(prompt, |player| !player.answers.held.is_empty());
        self.answers.holds = is_open == Ok(true);
        is_open
    }

    /// Receives messages for as long as `time`, or as the user's timeout if that is shorter. Sends
    /// only answers to the agent's requests.
    pub fn watch(&mut self, time: Duration) -> Result<(), Stop> {
        let deadline = Instant::now() + time.min(self.options.timeout);
        while self.step(deadline)? {}
        Ok(())
    }

    /// Receives what the agent sends late, such as an update after the end of a turn, so that it is in
    /// the recording. Does nothing where nothing may follow.
    pub fn watch_for_late(&mut self) -> Result<(), Stop> {
        if std::mem::take(&mut self.may_follow) { self.watch(LATE) } else { Ok(()) }
    }

    /// Whether the turn of a prompt, which has ended, shows work: an update that is more than the
    /// state of the session, or a request. Waits a moment for what comes late.
    pub fn has_worked(&mut self, prompt: &Open) -> Result<bool, Stop> {
        let is_busy = |player: &Self| player.turn(prompt).is_some_and(|turn| turn.is_busy);
        if !is_busy(self) {
            self.watch(LATE)?;
        }
        Ok(is_busy(self))
    }

    /// Waits until the agent reports a tool call that the client may cancel, or the turn of the
    /// prompt ends. Returns the id of the tool call; `None` when the turn ended without one.
    pub fn tool_call_of(&mut self, prompt: &Open) -> Result<Option<String>, Stop> {
        let call = |player: &Self| player.turn(prompt)?.tool_call.clone();
        self.while_at_work(prompt, |player| call(player).is_some())?;
        Ok(call(self))
    }

    /// Waits until `holds` returns true. Returns false when the turn of the prompt ends before;
    /// fails after the user's timeout.
    fn while_at_work(
        &mut self,
        prompt: &Open,
        holds: impl Fn(&Self) -> bool,
    ) -> Result<bool, Stop> {
        let deadline = Instant::now() + self.options.timeout;
        loop {
            let is_over = self.is_over(prompt);
            if is_over || holds(self) {
                return Ok(!is_over);
            }
            if !self.step(deadline)? {
                return Err(self.unanswered(&prompt.method));
            }
        }
    }

    /// Waits for the end of a prompt's turn for as long as `time`, or as the user's timeout if that is
    /// shorter. Returns whether the turn has ended.
    pub fn ends_within(&mut self, prompt: &Open, time: Duration) -> Result<bool, Stop> {
        let deadline = Instant::now() + time.min(self.options.timeout);
        while !self.is_over(prompt) {
            if !self.step(deadline)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the turn of a prompt has ended, or the prompt was refused.
    fn is_over(&self, prompt: &Open) -> bool {
        let answer = self.early.iter().find(|answer| answer["id"] == prompt.id);
        match self.version {
            Version::V1 => answer.is_some(),
            Version::V2 => {
                answer.is_some_and(|it| it.get("error").is_some_and(|it| !it.is_null()))
                    || self.turn(prompt).is_some_and(|turn| turn.end.is_some())
            }
        }
    }

    fn turn(&self, prompt: &Open) -> Option<&PromptTurn> {
        self.turns.iter().find(|turn| turn.id == prompt.id)
    }

    /// Answers the permission requests that [`Player::permission_of`] has left open, and answers
    /// later ones at once.
    pub fn answer_held(&mut self) {
        self.answers.holds = false;
        for (id, params) in std::mem::take(&mut self.answers.held) {
            let outcome = self.answers.outcome(&params);
            let reply = json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } });
            self.agent.send(&reply.to_string());
        }
    }

    /// Waits until the turn of a prompt has ended: for the answer, and on version 2 also for the
    /// state `idle`. Returns the answer to the prompt; on version 2, the stop reason or error of the state.
    pub fn end_of_turn(&mut self, prompt: &Open) -> Result<Reply, Stop> {
        let deadline = Instant::now() + self.options.timeout;
        let answer = self.answer(prompt, deadline)?;
        if self.version == Version::V2 && matches!(answer, Reply::Result(_)) {
            while self.turn(prompt).is_some_and(|turn| turn.end.is_none()) {
                if !self.step(deadline)? {
                    return Err(self.unanswered("state_update (idle)"));
                }
            }
        }
        let end = self.turn(prompt).and_then(|turn| turn.end.as_ref());
        Ok(match end {
            Some(end) if end["stopReason"] == "error" => {
                let why = end["error"]["message"].as_str().unwrap_or("the turn ended with it");
                Reply::Error(end["error"]["code"].as_i64().unwrap_or_default(), why.to_owned())
            }
            Some(end) => Reply::Result(json!({ "stopReason": end["stopReason"] })),
            None => answer,
        })
    }

    /// Sends a prompt to a session, and does not wait for the answer. `blocks` is the list of
    /// content blocks.
    pub fn prompt(&mut self, session: &str, blocks: Value) -> Open {
        let mut params = json!({ "sessionId": session });
        params["prompt"] = blocks;
        let open = self.send_request("session/prompt", params);
        self.turns.push(PromptTurn {
            id: open.id.clone(),
            session: session.to_owned(),
            is_begun: false,
            is_shown: false,
            is_busy: false,
            end: None,
            tool_call: None,
        });
        open
    }

    /// A session id that no agent can know, because the run's random number is in it.
    pub fn unknown_session(&self) -> String {
        format!("{MADE_UP_SESSION}{}", self.options.run)
    }

    /// Notes that the scenario has created a session, so that it is deleted at the end.
    pub fn note_created(&mut self, session: &str) {
        self.created.push(session.to_owned());
    }

    /// Notes that a session is deleted, so that it is not deleted again at the end.
    pub fn note_deleted(&mut self, session: &str) {
        self.created.retain(|created| created != session);
    }

    /// The kinds of session updates that have come since [`Player::take_history`], such as
    /// `tool_call`, each once.
    pub fn seen(&self) -> &[String] {
        &self.seen
    }

    /// Returns what session updates have shown of the conversation so far, and begins anew with an
    /// empty history.
    pub fn take_history(&mut self) -> History {
        self.seen.clear();
        std::mem::take(&mut self.history)
    }

    /// Deletes the sessions that the scenario has created, if the agent advertises
    /// `session/delete`.
    pub fn delete_sessions(&mut self) -> Result<(), Stop> {
        if !self.offers_delete() {
            return Ok(());
        }
        for session in std::mem::take(&mut self.created) {
            self.request("session/delete", json!({ "sessionId": session }))?;
        }
        Ok(())
    }

    /// Whether the agent advertises that sessions can be deleted.
    pub fn offers_delete(&self) -> bool {
        self.offers("sessionCapabilities.delete", "session.delete")
    }

    /// The params `cwd` and `mcpServers` with which sessions are created and attached.
    pub fn session_params(&self) -> Value {
        json!({ "cwd": self.options.cwd, "mcpServers": [] })
    }

    /// The entry for `mcpServers` by which the agent starts the run's MCP server; `None` when the
    /// run has no such server.
    pub fn mcp_server(&self) -> Option<Value> {
        self.agent.mcp_server()
    }

    /// Waits until MCP clients have sent `initialize` to the run's MCP server `count` times.
    /// Returns false when that does not happen within `within`.
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

    /// The methods that were called on the run's MCP server, each once, in the order of the first
    /// calls.
    pub fn mcp_calls(&self) -> Vec<String> {
        let mut calls: Vec<String> = Vec::new();
        for method in self.agent.mcp_calls() {
            if !calls.contains(&method) {
                calls.push(method);
            }
        }
        calls
    }

    /// Closes the agent's standard input and waits for it to end. Returns how it ended, such as
    /// `status 0`; `None` when it still runs after the grace period.
    pub fn close_input(&mut self) -> Option<String> {
        self.agent.close_input(self.options.grace)
    }

    /// Ends the agent and starts it again, with a new connection and recording. The new agent is
    /// not initialized yet.
    pub fn restart(&mut self) -> Result<(), Stop> {
        self.watch_for_late()?;
        self.forget_connection();
        self.agent.restart()
    }

    /// Starts a second process of the agent with a new connection and recording, and leaves the
    /// first one idle. The new agent is not initialized yet.
    pub fn start_another(&mut self) -> Result<(), Stop> {
        self.watch_for_late()?;
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

    /// Waits for one message and handles it: answers a request, notes an update, keeps an answer.
    /// Returns false when none came until the deadline.
    fn step(&mut self, deadline: Instant) -> Result<bool, Stop> {
        // A flood of messages must not keep the deadline away.
        if Instant::now() >= deadline {
            return Ok(false);
        }
        let message = match self.agent.receive(deadline) {
            Received::Message(message) => message,
            Received::TooLong => {
                self.has_skipped = true;
                return Ok(true);
            }
            Received::Nothing => return Ok(false),
            Received::Ended => return Err(Stop::Ended),
            Received::Interrupted => return Err(Stop::Interrupted),
        };
        let method = message["method"].as_str();
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                self.note_work(&message["params"]);
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

    /// Notes that the agent works in the session that `params` name.
    fn note_work(&mut self, params: &Value) {
        let session = params["sessionId"].as_str();
        for turn in self.turns.iter_mut().filter(|turn| Some(&*turn.session) == session) {
            turn.is_busy = true;
        }
    }

    fn take_update(&mut self, params: &Value) {
        let update = &params["update"];
        self.history.take(update);
        let Some(kind) = update["sessionUpdate"].as_str() else { return };
        if self.seen.len() < MOST_SEEN && !self.seen.iter().any(|seen| seen == kind) {
            self.seen.push(kind.chars().take(MOST_SEEN).collect());
        }
        let session = params["sessionId"].as_str();
        if !STATE.contains(&kind) {
            self.note_work(params);
        }
        let is_open =
            |turn: &&mut PromptTurn| Some(&*turn.session) == session && turn.end.is_none();
        for turn in self.turns.iter_mut().filter(is_open) {
            match (kind, update["state"].as_str()) {
                // What comes before the turn has begun belongs to something earlier.
                ("state_update", Some("idle")) if turn.is_begun => turn.end = Some(update.clone()),
                ("state_update", Some("idle")) => {}
                ("state_update", Some("running")) => turn.is_begun = true,
                _ => turn.is_shown |= WORK.contains(&kind),
            }
            if turn.tool_call.is_none() && update["capabilities"]["cancel"].is_object() {
                turn.tool_call = update["toolCallId"].as_str().map(str::to_owned);
            }
        }
    }
}

/// Most kinds of session updates that are remembered, and most characters that are kept of each.
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
