//! Speaks the client's part: sends requests, waits for their answers, and meanwhile answers what the
//! agent asks.

use std::{fmt, time::Instant};

use serde_json::{Value, json};

use crate::{
    drive::{Agent, Received, Stop, Wishes, answers::Answers},
    protocol::Version,
};

/// The client of one scenario.
pub struct Player<'a> {
    agent: &'a mut dyn Agent,
    pub wishes: &'a Wishes,
    pub(super) answers: Answers,
    /// The id of the next request.
    next_id: u64,
    /// The version that the agent answered with.
    version: Version,
    /// Whether `initialize` was answered.
    is_answered: bool,
    /// The result of `initialize`; null before it.
    initialized: Value,
    /// How many session updates have come.
    updates: u64,
    /// The sessions of version 2 that have become idle since their last prompt.
    idle: Vec<String>,
    /// Answers to requests that are waited for elsewhere.
    early: Vec<Value>,
}

impl fmt::Debug for Player<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Player").field("version", &self.version).finish_non_exhaustive()
    }
}

/// The answer to a request.
#[derive(Debug)]
pub enum Answer {
    Result(Value),
    /// The code and the message of the error.
    Error(i64, String),
}

impl Answer {
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

impl<'a> Player<'a> {
    pub fn new(agent: &'a mut dyn Agent, wishes: &'a Wishes) -> Self {
        Self {
            agent,
            wishes,
            answers: Answers::new(wishes.allows),
            next_id: 0,
            version: wishes.version,
            is_answered: false,
            initialized: Value::Null,
            updates: 0,
            idle: Vec::new(),
            early: Vec::new(),
        }
    }

    /// The version that both sides speak.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Sends `initialize` with these capabilities, and takes the version of the answer.
    pub fn initialize(&mut self, capabilities: Value) -> Result<(), Stop> {
        let version = self.wishes.version;
        let (mut params, name) = match version {
            Version::V1 => {
                (json!({ "protocolVersion": 1, "clientInfo": info() }), "clientCapabilities")
            }
            Version::V2 => (json!({ "protocolVersion": 2, "info": info() }), "capabilities"),
        };
        params[name] = capabilities;
        match self.initialize_with(params)? {
            Answer::Result(result) => {
                self.version = match result["protocolVersion"].as_u64() {
                    Some(1) => Version::V1,
                    Some(2) => Version::V2,
                    _ => {
                        let answered = &result["protocolVersion"];
                        return Err(Stop::NotInitialized(format!("answered version {answered}")));
                    }
                };
                Ok(())
            }
            Answer::Error(code, message) => {
                Err(Stop::NotInitialized(format!("initialize: error {code}, {message}")))
            }
        }
    }

    /// Sends `initialize` with these params. The answer is the scenario's to read.
    pub fn initialize_with(&mut self, params: Value) -> Result<Answer, Stop> {
        let open = self.send_request("initialize", params);
        let answer = self.answer(&open, Instant::now() + self.wishes.start_timeout)?;
        self.is_answered = true;
        if let Answer::Result(result) = &answer {
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
        let Some(wanted) = &self.wishes.auth else { return Ok(Ok(())) };
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
    pub fn request(&mut self, method: &str, params: Value) -> Result<Answer, Stop> {
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
    pub fn answer_to(&mut self, open: &Open) -> Result<Answer, Stop> {
        self.answer(open, Instant::now() + self.wishes.timeout)
    }

    /// Waits for the answer to a request until a time.
    pub fn answer(&mut self, open: &Open, deadline: Instant) -> Result<Answer, Stop> {
        loop {
            if let Some(place) = self.early.iter().position(|answer| answer["id"] == open.id) {
                return Ok(read(&self.early.swap_remove(place)));
            }
            if !self.step(deadline)? {
                return Err(Stop::Unanswered(open.method.clone()));
            }
        }
    }

    /// Waits until a session update has come, or the answer to a request. Returns whether it was an
    /// update.
    pub fn update_before(&mut self, open: &Open) -> Result<bool, Stop> {
        let deadline = Instant::now() + self.wishes.timeout;
        let before = self.updates;
        loop {
            let is_answered = self.version == Version::V1
                && self.early.iter().any(|answer| answer["id"] == open.id);
            if is_answered || self.updates > before {
                return Ok(self.updates > before);
            }
            if !self.step(deadline)? {
                return Err(Stop::Unanswered(open.method.clone()));
            }
        }
    }

    /// Waits until a turn has ended: for the answer to the prompt, and on version 2 for the state
    /// `idle` after it.
    pub fn end_of_turn(&mut self, prompt: &Open, session: &str) -> Result<Answer, Stop> {
        let deadline = Instant::now() + self.wishes.timeout;
        let answer = self.answer(prompt, deadline)?;
        if self.version == Version::V2 && matches!(answer, Answer::Result(_)) {
            while !self.idle.iter().any(|idle| idle == session) {
                if !self.step(deadline)? {
                    return Err(Stop::Unanswered("state_update (idle)".to_owned()));
                }
            }
        }
        Ok(answer)
    }

    /// Sends a prompt.
    pub fn prompt(&mut self, session: &str, blocks: Value) -> Open {
        self.idle.retain(|idle| idle != session);
        let mut params = json!({ "sessionId": session });
        params["prompt"] = blocks;
        self.send_request("session/prompt", params)
    }

    /// The params that create a session, or attach one, in this folder.
    pub fn session_params(&self) -> Value {
        json!({ "cwd": self.wishes.cwd, "mcpServers": [] })
    }

    /// Closes the agent's input. Returns how it ended; `None` when it is still there.
    pub fn close_input(&mut self) -> Option<String> {
        self.agent.close_input(self.wishes.grace)
    }

    /// Ends the agent and starts it again, on a connection of its own.
    pub fn restart(&mut self) -> Result<(), Stop> {
        self.early.clear();
        self.idle.clear();
        self.agent.restart()
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
            (None, Some(_)) if self.early.len() < MOST_EARLY => self.early.push(message),
            _ => {}
        }
        Ok(true)
    }

    fn take_update(&mut self, params: &Value) {
        let update = &params["update"];
        let is_state = update["sessionUpdate"] == "state_update";
        if is_state && update["state"] == "idle" {
            if let Some(session) = params["sessionId"].as_str()
                && !self.idle.iter().any(|idle| idle == session)
                && self.idle.len() < MOST_EARLY
            {
                self.idle.push(session.to_owned());
            }
        } else if !is_state {
            self.updates += 1;
        }
    }
}

/// The most answers that are kept for later. Scenarios have two requests open at most.
const MOST_EARLY: usize = 100;

fn info() -> Value {
    json!({ "name": "acpcheck", "version": env!("CARGO_PKG_VERSION") })
}

fn read(message: &Value) -> Answer {
    match message.get("error").filter(|error| !error.is_null()) {
        Some(error) => Answer::Error(
            error["code"].as_i64().unwrap_or_default(),
            error["message"].as_str().unwrap_or_default().to_owned(),
        ),
        None => Answer::Result(message["result"].clone()),
    }
}
