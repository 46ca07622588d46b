//! Answers what the client asks, and starts a turn for each prompt.

use std::{sync::Arc, thread, time::Duration};

use serde_json::{Map, Value, json};

use crate::{
    json,
    play::{
        Face, Found, Link, PlayOptions, Playback, Played, SCENARIOS, Scenario, State, Stop,
        link::Cause,
        menu::{ALL, Choice, VERDICT},
        playback::{PlaybackEnd, Said},
        refusal::{
            AUTH_REQUIRED, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, Refusal,
        },
        script::{Ending, Script, Setting, update_message},
        sessions::{self, Sessions},
    },
    protocol::{Version, schema::nearest},
};

/// The agent that `acpcheck play` runs on one connection.
#[derive(Debug)]
pub struct Agent {
    link: Arc<Link>,
    options: PlayOptions,
    version: Version,
    /// The capabilities that the client advertised in `initialize`; JSON null before.
    capabilities: Value,
    is_logged_in: bool,
    sessions: Sessions,
    /// Names of the scenarios begun on this connection, for scenarios that vary from turn to turn.
    begun: Vec<&'static str>,
    prompts: usize,
    /// The playback of a recording; `None` when scenarios are played, or the playback has ended.
    playback: Option<Playback>,
}

/// How long the first answers are held back, to find clients that go on without waiting for them.
const HOLD: Duration = Duration::from_millis(20);

impl Agent {
    pub fn new(link: Arc<Link>, mut options: PlayOptions) -> Self {
        Self {
            link,
            playback: options.playback.take().map(Playback::new),
            version: Version::V1,
            capabilities: Value::Null,
            is_logged_in: options.menu.face != Face::Login,
            sessions: Sessions::new(options.seed),
            options,
            begun: Vec::new(),
            prompts: 0,
        }
    }

    /// Handles a line of the client, as an agent does, and sends the answers. `found` are the
    /// findings about the line.
    pub fn take(&mut self, line: &[u8], found: &[Found]) {
        let Some(message) = json::value(line, |_| true) else {
            return self.reject(&Value::Null, PARSE_ERROR, found, "the line is not JSON");
        };
        let id = message.get("id");
        match (message["method"].as_str(), id) {
            (Some(method), Some(id)) => self.request(method, id, &message, found),
            (Some(method), None) => self.notification(method, &message["params"]),
            (None, Some(id)) if message.get("result").or(message.get("error")).is_some() => {
                if let Some(playback) = &mut self.playback {
                    playback.answer(id);
                }
                self.link.answer(message);
                self.play_back();
            }
            (None, id) => {
                let id = id.filter(|id| id.is_string() || id.is_i64()).unwrap_or(&Value::Null);
                self.reject(id, INVALID_REQUEST, found, "this is not a message");
            }
        }
    }

    /// Answers a line that is not a message with an error. Its text is the first finding, or
    /// `otherwise` if nothing was found.
    fn reject(&self, id: &Value, code: i64, found: &[Found], otherwise: &str) {
        let first = found.first();
        let message = first.map_or(otherwise, |it| &it.message);
        let data = first.map_or(Value::Null, |it| json!({ "rule": it.rule }));
        self.link.refuse(id, code, message, data);
    }

    fn request(&mut self, method: &str, id: &Value, message: &Value, found: &[Found]) {
        if matches!(method, "initialize" | "session/new") {
            thread::sleep(HOLD);
        }
        // What the recording answers is answered in its words, even if a rule calls it an error.
        if self.takes_for_playback(method, message) {
            return self.play_back();
        }
        // The answer to a request whose id is in use would answer the other one.
        let is_taken = found.iter().any(|it| it.rule == "jsonrpc/duplicate-id");
        let own = if !is_taken && (id.is_string() || id.is_i64()) { id } else { &Value::Null };
        let answer = match Refusal::of(found, message) {
            Some(refusal) => Err(refusal),
            None => self.answer(method, id, &message["params"], found),
        };
        match answer {
            Ok(Some(messages)) => self.link.send(&messages),
            Ok(None) => {}
            Err(Refusal { code, message, data }) => self.link.refuse(own, code, &message, data),
        }
    }

    /// Hands a request to the recording that is played back. Returns `false` when none is played,
    /// or when the rest of it has no request of this method.
    fn takes_for_playback(&mut self, method: &str, message: &Value) -> bool {
        let is_taken = self.playback.as_mut().is_some_and(|playback| playback.request(message));
        if is_taken && method == "initialize" {
            // What the client advertises matters if the playback ends early.
            self.initialize(&message["params"]);
        }
        is_taken
    }

    /// Sends the messages that the agent of the recording sends next.
    fn play_back(&mut self) {
        let Some(playback) = &mut self.playback else { return };
        let said = playback.say();
        for Said { message, .. } in &said {
            if message["method"].is_string()
                && let Some(id) = message["id"].as_u64()
            {
                self.link.leave_out_id(id);
            }
            match message["result"]["protocolVersion"].as_u64() {
                Some(2) => self.version = Version::V2,
                Some(_) => self.version = Version::V1,
                None => {}
            }
            if let Some(session) = message["result"]["sessionId"].as_str() {
                self.sessions.attach(session, &self.options.cwd);
            }
        }
        let lines: Vec<_> = said.into_iter().map(|it| it.line).collect();
        self.link.send_lines(&lines);
        if playback.is_done() {
            let ending = playback.end(false);
            self.end_playback(ending);
        }
    }

    /// Ends a playback that waits too long for the client. To be called from time to time.
    pub fn tick(&mut self) {
        let timeout = self.options.timeout;
        if let Some(ending) = self.playback.as_mut().and_then(|it| it.end_if_stuck(timeout)) {
            self.end_playback(ending);
        }
    }

    /// Notes that the client has closed the connection, which ends a playback.
    pub fn end(&mut self) {
        if let Some(playback) = &mut self.playback {
            let PlaybackEnd { played, .. } = playback.end(true);
            self.playback = None;
            self.link.note(played);
        }
    }

    /// Ends the playback and answers by itself from now on: refuses the requests that the recording
    /// left unanswered, and handles those that still wait.
    fn end_playback(&mut self, ending: PlaybackEnd) {
        let PlaybackEnd { played, open, waiting } = ending;
        self.playback = None;
        let is_done = played.state == "done";
        let why = format!("the playback has ended: {}", played.step);
        self.link.note(played);
        // What a recording leaves open to its end stays open.
        for id in open.iter().filter(|_| !is_done) {
            self.link.refuse(id, INTERNAL_ERROR, &why, Value::Null);
        }
        for message in waiting {
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            self.request(&method, &message["id"].clone(), &message, &[]);
        }
    }

    fn notification(&mut self, method: &str, params: &Value) {
        if let Some(playback) = &mut self.playback {
            playback.notification(method);
            self.play_back();
        }
        match method {
            "session/cancel" => {
                self.link.cancel_session(params["sessionId"].as_str().unwrap_or_default());
            }
            "$/cancel_request" => self.link.cancel_prompt(&params["requestId"]),
            _ => {}
        }
    }

    /// The messages that answer a request at once; `None` when the answer comes later, as for
    /// prompts. Fails with the error to answer.
    fn answer(
        &mut self,
        method: &str,
        id: &Value,
        params: &Value,
        found: &[Found],
    ) -> Result<Option<Vec<Value>>, Refusal> {
        let of_session = method.starts_with("session/");
        if of_session && !self.is_logged_in {
            return Err(Refusal::new(AUTH_REQUIRED, "log in first"));
        }
        let (is_v1, is_full) = (self.version == Version::V1, self.options.menu.face != Face::Bare);
        let result = match method {
            "initialize" => self.initialize(params),
            "authenticate" if is_v1 => self.log_in(),
            "auth/login" if !is_v1 => self.log_in(),
            "logout" if is_v1 => self.log_out(),
            "auth/logout" if !is_v1 => self.log_out(),
            "session/new" => return Ok(Some(self.new_session(id, params))),
            "session/load" if is_v1 && is_full => return self.attach(id, params, true).map(Some),
            "session/resume" if is_full || !is_v1 => {
                let replays = !params["replayFrom"].is_null();
                return self.attach(id, params, replays).map(Some);
            }
            "session/list" if is_full || !is_v1 => self.list(params),
            "session/close" if is_full || !is_v1 => self.close(params)?,
            "session/set_mode" if is_v1 && is_full => {
                let session = self.session(params)?;
                params["modeId"].as_str().unwrap_or_default().clone_into(&mut session.mode);
                json!({})
            }
            "session/set_config_option" if is_full => {
                let version = self.version;
                let session = self.session(params)?;
                let option = if params["configId"] == "style" {
                    &mut session.style
                } else {
                    &mut session.model
                };
                params["value"].as_str().unwrap_or_default().clone_into(option);
                json!({ "configOptions": session.options(version) })
            }
            "session/prompt" => return self.prompt(id, params, !found.is_empty()),
            _ => {
                let why = format!("this agent has no method `{method}`");
                return Err(Refusal::new(METHOD_NOT_FOUND, why));
            }
        };
        Ok(Some(vec![reply(id, &result)]))
    }

    fn session(&mut self, params: &Value) -> Result<&mut sessions::Session, Refusal> {
        let id = params["sessionId"].as_str().unwrap_or_default();
        self.sessions.open(id).ok_or_else(|| Refusal::unknown_session(&params["sessionId"]))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        let Self { options, .. } = self;
        let newest = match options.menu.face {
            Face::OlderVersion => Version::V1,
            _ => options.newest,
        };
        self.version = match params["protocolVersion"].as_u64() {
            Some(2..) => newest,
            _ => Version::V1,
        };
        let face = options.menu.face;
        let is_login = face == Face::Login;
        let info = json!({ "name": "acpcheck", "version": env!("CARGO_PKG_VERSION") });
        let has_all = face != Face::Bare;
        let object = |has: bool, value: Value| if has { value } else { json!({}) };
        if self.version == Version::V2 {
            self.capabilities = params["capabilities"].clone();
            let session = object(
                has_all,
                json!({
                    "prompt": { "image": {}, "audio": {}, "embeddedContext": {} },
                    "mcp": { "stdio": {}, "http": {} },
                }),
            );
            let mut result = json!({
                "protocolVersion": 2, "info": info, "capabilities": { "session": session },
            });
            if is_login {
                let method = json!({ "type": "agent", "methodId": "key", "name": "Key" });
                result["authMethods"] = json!([method]);
            }
            return result;
        }
        self.capabilities = params["clientCapabilities"].clone();
        let mut capabilities = object(
            has_all,
            json!({
                "loadSession": true,
                "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true },
                "mcpCapabilities": { "http": true },
                "sessionCapabilities": { "list": {}, "resume": {}, "close": {} },
            }),
        );
        let mut methods = Vec::new();
        if is_login {
            capabilities["auth"] = json!({ "logout": {} });
            methods.push(json!({ "id": "key", "name": "Key" }));
        }
        json!({
            "protocolVersion": 1,
            "agentInfo": info,
            "agentCapabilities": capabilities,
            "authMethods": methods,
        })
    }

    fn log_in(&mut self) -> Value {
        self.is_logged_in = true;
        json!({})
    }

    fn log_out(&mut self) -> Value {
        self.is_logged_in = self.options.menu.face != Face::Login;
        json!({})
    }

    fn new_session(&mut self, id: &Value, params: &Value) -> Vec<Value> {
        let cwd = params["cwd"].as_str().unwrap_or_default();
        let session = self.sessions.create(cwd);
        let mut result = self.state(&session);
        result["sessionId"] = session.clone().into();
        let mut messages = vec![reply(id, &result)];
        messages.extend(self.commands(&session));
        messages
    }

    /// Result of the answers that create or attach a session: modes, config options and commands,
    /// as the version has them.
    fn state(&self, id: &str) -> Value {
        let mut result = Map::new();
        let Some(session) = self.sessions.get(id) else { return Value::Object(result) };
        if self.options.menu.face == Face::Bare {
            return Value::Object(result);
        }
        if self.version == Version::V1 {
            result.insert("modes".to_owned(), session.modes());
        } else {
            result.insert("availableCommands".to_owned(), self.command_list());
        }
        result.insert("configOptions".to_owned(), session.options(self.version));
        Value::Object(result)
    }

    /// The update with the commands of a session, for version 1. `None` on version 2, whose answers
    /// contain the commands.
    fn commands(&self, session: &str) -> Option<Value> {
        let is_told = self.version == Version::V1;
        let update = || {
            json!({
                "sessionUpdate": "available_commands_update",
                "availableCommands": self.command_list(),
            })
        };
        is_told.then(|| update_message(session, &update()))
    }

    fn command_list(&self) -> Value {
        let own = [(ALL, "all scenarios that fit in one turn"), (VERDICT, "what was found so far")];
        let scenarios = SCENARIOS.iter().map(|it| (it.name, it.summary));
        let commands = scenarios.chain(own).map(|(name, description)| {
            let mut command = json!({ "name": name, "description": description });
            if self.version == Version::V2 {
                command["type"] = "command".into();
            }
            command
        });
        Value::Array(commands.collect())
    }

    /// Attaches a session that this process or an earlier one has created. `replays` says to send
    /// its history. Fails with the error to answer.
    fn attach(&mut self, id: &Value, params: &Value, replays: bool) -> Result<Vec<Value>, Refusal> {
        let session = params["sessionId"].as_str().unwrap_or_default();
        if !sessions::is_own(session) {
            return Err(Refusal::unknown_session(&params["sessionId"]));
        }
        self.sessions.attach(session, params["cwd"].as_str().unwrap_or_default());
        let mut updates = if replays { history(self.version) } else { Vec::new() };
        if self.version == Version::V2 {
            let state = if self.link.has_turn(session) { "running" } else { "idle" };
            updates.push(json!({ "sessionUpdate": "state_update", "state": state }));
        }
        let updates = updates.iter().map(|update| update_message(session, update));
        let mut messages: Vec<_> = updates.collect();
        messages.push(reply(id, &self.state(session)));
        messages.extend(self.commands(session));
        Ok(messages)
    }

    /// One of three pages of the list of sessions, as `cursor` says. The first also lists the
    /// sessions of this process.
    fn list(&self, params: &Value) -> Value {
        const DATE: &str = "2026-11-28T12:00:00Z";
        let wanted = params["cwd"].as_str();
        let page = match params["cursor"].as_str() {
            Some("page-2") => 1,
            Some("page-3") => 2,
            _ => 0,
        };
        let entry = |id: &str, cwd: &str, title: &str| json!({ "sessionId": id, "cwd": cwd, "title": title, "updatedAt": DATE });
        let stored = sessions::stored();
        let is_live = |id: &str| self.sessions.get(id).is_some();
        let mut list = Vec::new();
        if page == 0 {
            let own = self.sessions.all().filter(|(_, cwd)| wanted.is_none_or(|it| it == *cwd));
            list.extend(own.map(|(id, cwd)| entry(id, cwd, "A session of this process")));
        }
        if !is_live(&stored[page]) {
            let cwd = wanted.unwrap_or(&self.options.cwd);
            list.push(entry(&stored[page], cwd, &format!("Stored session {}", page + 1)));
        }
        let mut result = json!({ "sessions": list });
        if page < 2 {
            result["nextCursor"] = format!("page-{}", page + 2).into();
        }
        result
    }

    fn close(&mut self, params: &Value) -> Result<Value, Refusal> {
        self.session(params)?.is_closed = true;
        self.link.cancel_session(params["sessionId"].as_str().unwrap_or_default());
        Ok(json!({}))
    }

    /// Begins the turn of a prompt. The agent does not repeat what `is_faulty`, but only its texts.
    fn prompt(
        &mut self,
        id: &Value,
        params: &Value,
        is_faulty: bool,
    ) -> Result<Option<Vec<Value>>, Refusal> {
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        let version = self.version;
        let Self { options, .. } = self;
        let menu = options.menu.clone();
        let (timeout, patience, stop_within) =
            (options.timeout, options.patience, options.stop_within);
        let state = self.session(params)?;
        let (cwd, session_options) = (state.cwd.clone(), state.options(version));
        let choice = menu.choose(self.prompts, first_text(&params["prompt"]));
        self.prompts += 1;
        let name = match &choice {
            Choice::Play { scenarios, .. } => scenarios.first().map_or("", |it| it.name),
            Choice::Verdict => VERDICT,
            Choice::Unknown(_) => "",
        };
        let repeats = self.begun.iter().filter(|it| **it == name).count();
        self.begun.push(name);
        let Some(turn) = self.link.begin_turn(&session, id) else {
            return Err(Refusal::new(INTERNAL_ERROR, "too many turns are played at once"));
        };
        let number = turn.0;
        let setting = Setting {
            version,
            session,
            cwd,
            capabilities: self.capabilities.clone(),
            options: session_options,
            repeats,
            timeout,
            patience,
            stop_within,
        };
        let performance = Performance {
            script: Script::new(Arc::clone(&self.link), setting, turn),
            link: Arc::clone(&self.link),
            id: id.clone(),
            prompt: if is_faulty { texts(&params["prompt"]) } else { params["prompt"].clone() },
            has_verdicts: menu.has_verdicts,
            recording: self.options.recording.clone(),
        };
        let link = Arc::clone(&self.link);
        let play = move || {
            performance.play(choice);
            link.end_turn(number);
        };
        if thread::Builder::new().spawn(play).is_err() {
            self.link.end_turn(number);
            return Err(Refusal::new(INTERNAL_ERROR, "too many turns are played at once"));
        }
        Ok(None)
    }
}

/// One prompt of the client, and the turn that the played agent performs for it.
struct Performance {
    script: Script,
    link: Arc<Link>,
    /// The JSON-RPC id of the `session/prompt` request, to answer it.
    id: Value,
    prompt: Value,
    has_verdicts: bool,
    /// The path of the recording, for texts; `None` where nothing is recorded.
    recording: Option<String>,
}

impl Performance {
    fn play(mut self, choice: Choice) {
        self.accept();
        let mut after = None;
        match choice {
            Choice::Verdict => {
                let verdict = self.verdict();
                self.script.say_apart(&verdict);
            }
            Choice::Unknown(name) => {
                let names = SCENARIOS.iter().map(|scenario| scenario.name);
                let meant = nearest(&name, names.chain([ALL, VERDICT]));
                let meant =
                    meant.map(|meant| format!(" Did you mean `/{meant}`?")).unwrap_or_default();
                self.script.say_apart(&format!("There is no scenario `{name}`.{meant}"));
                self.script.say_apart(&hint());
            }
            Choice::Play { scenarios, is_asked } => {
                for scenario in scenarios {
                    let played = self.scenario(scenario);
                    let goes_on = played.state == "done";
                    let is_over = played.state == "ended" || self.script.is_cancelled();
                    if goes_on && scenario.after.is_some() {
                        after = Some(scenario);
                    } else {
                        self.tell(&played);
                        self.link.note(played);
                    }
                    if is_over {
                        break;
                    }
                }
                if !is_asked && self.has_verdicts {
                    self.script.say_apart(&hint());
                }
            }
        }
        if self.script.is_cancelled() {
            self.script.ending = Ending::Stop("cancelled");
        }
        self.end();
        if let Some(scenario) = after
            && let Some(play) = scenario.after
        {
            let outcome = play(&mut self.script);
            let mut played = played(scenario, outcome, self.script.step());
            if played.state == "ended" {
                played.state = "closed";
            }
            self.link.note(played);
        }
    }

    /// Answers the prompt and reports it as accepted, as version 2 does at the start of a turn.
    /// Does nothing on version 1.
    fn accept(&mut self) {
        if self.script.setting.version == Version::V1 {
            return;
        }
        let message = self.script.id("user");
        let update = |update: Value| self.script.update_message(&update);
        let messages = [
            reply(&self.id, &json!({ "messageId": message })),
            update(json!({
                "sessionUpdate": "user_message", "messageId": message, "content": self.prompt,
            })),
            update(json!({ "sessionUpdate": "state_update", "state": "running" })),
        ];
        self.link.send(&messages);
    }

    /// Plays a scenario after a message that says what the user should see. Does not play it where
    /// the client lacks the capability or the version.
    fn scenario(&mut self, scenario: &'static Scenario) -> Played {
        let version = self.script.setting.version;
        let gate = scenario.gate[match version {
            Version::V1 => 0,
            Version::V2 => 1,
        }];
        let outcome = match scenario.version.filter(|only| *only != version) {
            Some(only) => Ok(State::NotOffered(format!("only in version {only}"))),
            None if !self.script.passes(gate) => Ok(State::NotOffered(gate.to_owned())),
            None => {
                if !scenario.look.is_empty() {
                    self.script.say_apart(scenario.look);
                }
                self.script.begin(scenario.name);
                (scenario.play)(&mut self.script)
            }
        };
        played(scenario, outcome, self.script.step())
    }

    /// Tells the user in the chat how a scenario ended, and which rules the client has broken since
    /// this was last told.
    fn tell(&mut self, played: &Played) {
        if !self.has_verdicts || matches!(self.script.ending, Ending::Error(..)) {
            return;
        }
        let Played { name, state, step } = played;
        let detail = if step.is_empty() { String::new() } else { format!(" ({step})") };
        let mut text = format!("{name}: {state}{detail}.");
        let causes = self.link.untold();
        text += match causes.len() {
            // What was not played to its end upholds nothing.
            0 if *state != "done" => "",
            0 => " No rule was broken.",
            1 => " Your client broke a rule:",
            _ => " Your client broke rules:",
        };
        self.script.say_apart(&(text + &self.listed(&causes)));
    }

    /// A summary of scenarios so far and what was found, as a text for the chat.
    fn verdict(&self) -> String {
        let mut text = self.link.summary().to_string() + &self.listed(&self.link.causes());
        if let Some(recording) = &self.recording {
            text += &format!("\n\nThe recording: {recording}");
        }
        text
    }

    /// A list in Markdown, with an empty line before it. Lines are named only if a recording has them.
    fn listed(&self, causes: &[Cause]) -> String {
        /// Most causes that are listed.
        const MOST: usize = 50;
        let mut list = String::new();
        for Cause { found, times, is_told } in causes.iter().take(MOST) {
            let Found { rule, severity, message, url, line } = found;
            let times = if *times == 1 { String::new() } else { format!(", {times} times") };
            list += &format!("\n\n- {} {rule}", severity.name());
            if *is_told {
                list += &format!(", again{times}");
                continue;
            }
            if self.recording.is_some() {
                list += &format!(", line {line}");
            }
            list += &format!("{times}: {message}");
            if let Some(url) = url {
                list += &format!("  \n  {url}");
            }
        }
        if causes.len() > MOST {
            list += &format!("\n\n- and {} more", causes.len() - MOST);
        }
        list
    }

    fn end(&mut self) {
        let last = std::mem::take(&mut self.script.last_updates);
        let last = last.iter().map(|update| self.script.update_message(update));
        let ending = match (&self.script.ending, self.script.setting.version) {
            (Ending::Stop(reason), Version::V1) => {
                reply(&self.id, &json!({ "stopReason": reason }))
            }
            (Ending::Error(code, message, data), Version::V1) => json!({
                "jsonrpc": "2.0",
                "id": self.id,
                "error": { "code": code, "message": message, "data": data },
            }),
            (Ending::Stop(reason), Version::V2) => self.script.update_message(&json!({
                "sessionUpdate": "state_update", "state": "idle", "stopReason": reason,
            })),
            (Ending::Error(code, message, data), Version::V2) => {
                self.script.update_message(&json!({
                    "sessionUpdate": "state_update",
                    "state": "idle",
                    "stopReason": "error",
                    "error": { "code": code, "message": message, "data": data },
                }))
            }
        };
        let messages: Vec<_> = std::iter::once(ending).chain(last).collect();
        self.link.send(&messages);
    }
}

/// The result of a scenario for reports. `outcome` is how it ended; `step` is what the agent did
/// last.
fn played(scenario: &Scenario, outcome: Result<State, Stop>, step: &str) -> Played {
    let (state, step) = match outcome {
        Ok(State::Done) => ("done", String::new()),
        Ok(State::Refused(why)) => ("refused", why),
        Ok(State::NotOffered(what)) => ("not offered", what),
        Ok(State::NotCancelled) => ("not cancelled", String::new()),
        Err(Stop::Silent) => ("silent", step.to_owned()),
        Err(Stop::Ended) => ("ended", step.to_owned()),
        Err(Stop::Cancelled) => ("refused", "the user has stopped the turn".to_owned()),
    };
    Played { name: scenario.name, state, step }
}

fn hint() -> String {
    format!(
        "This agent checks your client. Type `/` for the scenarios, such as `/permission`; `/{ALL}` plays \
         all that fit in one turn, `/{VERDICT}` says what was found."
    )
}

/// History of a stored session, as session updates, for replay.
fn history(version: Version) -> Vec<Value> {
    let block = |text: &str| json!({ "type": "text", "text": text });
    let (question, answer) = (block("What is stored here?"), block("One question and its answer."));
    match version {
        Version::V1 => vec![
            json!({ "sessionUpdate": "user_message_chunk", "content": question }),
            json!({ "sessionUpdate": "agent_message_chunk", "content": answer }),
        ],
        Version::V2 => vec![
            json!({ "sessionUpdate": "user_message", "messageId": "stored-1", "content": [question] }),
            json!({ "sessionUpdate": "agent_message", "messageId": "stored-2", "content": [answer] }),
            json!({ "sessionUpdate": "replay_complete" }),
        ],
    }
}

/// The text blocks of a prompt, with nothing but their texts.
fn texts(prompt: &Value) -> Value {
    let texts = prompt.as_array().into_iter().flatten().filter_map(|block| block["text"].as_str());
    texts.map(|text| json!({ "type": "text", "text": text })).collect()
}

/// Text of the first text block of a prompt; empty where there is none.
fn first_text(prompt: &Value) -> &str {
    let blocks = prompt.as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().find_map(|block| block["text"].as_str()).unwrap_or_default()
}

fn reply(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}
