//! How the agent answers what the client asks: sessions, their configuration, who is logged in.

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    agent::{Life, Line, Session, State},
    client::{Life as SeenLife, Seen, values},
    content::{ROOTS, TIMES},
    world::{Crossings, Open, World},
};

const AGENT: Side = Side::Agent;

impl World<'_> {
    /// Sessions from before the connection.
    pub(crate) fn stock(&mut self) {
        if self.below(3) == 2 {
            self.has.insert("closing");
        }
        if self.below(4) != 3 {
            // Others know only modes.
            self.has.insert("options");
        }
        if !self.has("session") {
            return;
        }
        for _ in 0..self.below(3) {
            let cwd = self.pick(&ROOTS);
            let id = self.session_id();
            let mut session = Session::new(cwd, Life::Stored);
            self.furnish(&mut session);
            self.sessions.insert(id.clone(), session);
            self.remember_something(&id);
            if self.once_in(2) {
                self.seen.insert(id, Seen::new(cwd, SeenLife::Stored));
            }
        }
        for number in 0..self.below(3) {
            let provider = json!({
                "providerId": format!("provider-{number}"),
                "supported": ["anthropic", "openai", "_own"],
                "required": number == 0,
                "current": {"apiType": "openai", "baseUrl": "https://llm.example.com/"},
            });
            self.providers.push(provider);
        }
    }

    fn session_id(&mut self) -> String {
        let serial = self.serial();
        self.pick(&[
            format!("session-{serial}"),
            format!("{serial:08x}-86e1-4f0a"),
            format!("ß {serial}"),
        ])
    }

    /// Modes and options of a new session.
    fn furnish(&mut self, session: &mut Session) {
        if self.is_v1() {
            session.modes =
                ["ask", "code", "plan"].into_iter().take(self.below(4)).map(Into::into).collect();
            session.mode = session.modes.last().cloned().unwrap_or_default();
        }
        let id = if self.is_v1() { "id" } else { "configId" };
        if !session.modes.is_empty() && self.once_in(2) {
            session.is_synced = true;
            let options: Vec<_> =
                session.modes.iter().map(|mode| json!({"value": mode, "name": mode})).collect();
            session.options.push(json!({
                (id): "mode", "name": "Mode", "category": "mode", "type": "select",
                "currentValue": session.mode, "options": options,
            }));
        }
        if self.once_in(2) {
            let choices = [("small", "Small"), ("large", "Large"), ("_own", "Own")]
                .map(|(value, name)| json!({"value": value, "name": name}));
            let group = if self.is_v1() { "group" } else { "groupId" };
            let options = if self.once_in(2) {
                json!([{(group): "g", "name": "All", "options": choices}])
            } else {
                json!(choices)
            };
            session.options.push(json!({
                (id): "model", "name": "Model", "category": self.pick(&[json!("model"), json!("_tier"), Value::Null]),
                "type": "select", "currentValue": "large", "options": options,
            }));
        }
        if self.has("boolean") && self.once_in(2) {
            session.options.push(
                json!({(id): "brave", "name": "Brave", "type": "boolean", "currentValue": false}),
            );
        }
        if !self.is_v1() && self.once_in(3) {
            session.background = Some(Vec::new());
        }
    }

    /// Something that has happened in a stored session.
    fn remember_something(&mut self, id: &str) {
        let is_v1 = self.is_v1();
        for _ in 0..self.below(3) {
            let block = self.block();
            let message = format!("old-{}", self.serial());
            let voice = self.pick(&["user_message", "agent_message", "agent_thought"]);
            let update = if is_v1 {
                json!({"sessionUpdate": format!("{voice}_chunk"), "content": block})
            } else {
                json!({"sessionUpdate": voice, "messageId": message, "content": [block]})
            };
            self.session(id).history.push(update);
        }
    }

    pub(crate) fn agent_answers(&mut self, id: &Value) {
        // Errors and what would have made them cancellations do not cross.
        if self.crossings == Crossings::Clear {
            self.deliver_to(AGENT);
        }
        let duty = self.take_duty(AGENT, id);
        if duty.withdrawn && self.once_in(2) && !duty.method.starts_with("session/close") {
            self.refuse(AGENT, id, -32800, "Request cancelled");
            return;
        }
        let session = duty.params["sessionId"].as_str().unwrap_or_default().to_owned();
        match &*duty.method {
            method if method.starts_with('_') => self.answer_extension(AGENT, id),
            "session/new" => self.create(&duty),
            "session/load" | "session/resume" => self.reattach(&duty, &session),
            "session/fork" => self.fork(&duty, &session),
            "session/list" => self.list(&duty),
            "session/close" | "session/archive" => {
                let kept = self.session(&session);
                kept.is_archived |= duty.method == "session/archive";
                kept.rest();
                let children: Vec<_> = self.children(&session).map(|it| it.0.clone()).collect();
                for child in children {
                    self.session(&child).rest();
                }
                self.answer(AGENT, id, json!({}));
            }
            "session/unarchive" => {
                self.session(&session).is_archived = false;
                self.answer(AGENT, id, json!({}));
            }
            "session/delete" => {
                self.session(&session).life = Life::Deleted;
                self.answer(AGENT, id, json!({}));
            }
            "session/set_mode" => self.set_mode(&duty, &session),
            "session/set_config_option" => self.set_value(&duty, &session),
            "session/status" => self.tell_status(&duty, &session),
            "session/set_title" => {
                let title = duty.params["title"].as_str().unwrap().trim().to_owned();
                self.answer(AGENT, id, json!({"title": title}));
                let kept = self.session(&session);
                (kept.title, kept.is_titled) = (Some(title), true);
            }
            "tool_call/cancel" | "terminal/cancel" => self.cancel_one(&duty, &session),
            _ => self.answer_account(&duty),
        }
    }

    /// Logins and providers.
    fn answer_account(&mut self, duty: &Open) {
        let id = &duty.id;
        match &*duty.method {
            "authenticate" | "auth/login" => {
                // An error would look as if it came of the cancellation.
                if !duty.withdrawn && self.once_in(8) {
                    self.refuse(AGENT, id, -32603, "The browser was closed");
                    return;
                }
                self.is_logged_in = true;
                self.answer(AGENT, id, json!({}));
            }
            "logout" | "auth/logout" => {
                self.is_logged_in = false;
                self.answer(AGENT, id, json!({}));
            }
            "auth/status" => {
                let status = self.who_is_in();
                self.answer(AGENT, id, status);
            }
            "providers/list" => {
                let providers = json!({"providers": self.providers});
                self.answer(AGENT, id, providers);
            }
            "providers/set" | "providers/disable" => {
                let params = &duty.params;
                let provider =
                    self.providers.iter_mut().find(|it| it["providerId"] == params["providerId"]);
                let provider = provider.unwrap().as_object_mut().unwrap();
                if duty.method == "providers/set" {
                    let current =
                        json!({"apiType": params["apiType"], "baseUrl": params["baseUrl"]});
                    provider.insert("current".into(), current);
                } else {
                    provider.remove("current");
                }
                self.answer(AGENT, id, json!({}));
            }
            other => panic!("no answer to {other}"),
        }
    }

    fn who_is_in(&mut self) -> Value {
        if !self.needs_login {
            return json!({"state": "not_required"});
        }
        if self.is_logged_in {
            json!({"state": "authenticated", "accounts": [{"label": "jo", "active": true}]})
        } else {
            json!({"state": "unauthenticated"})
        }
    }

    pub(crate) fn tell_who_is_in(&mut self) {
        let status = self.who_is_in();
        if self.auth_state.as_ref() != Some(&status) {
            self.auth_state = Some(status.clone());
            self.notify(AGENT, "auth/status_update", status);
        }
    }

    /// Whether the client has to log in first; it is told so.
    fn demands_login(&mut self, duty: &Open) -> bool {
        let demands = self.needs_login && !self.is_logged_in;
        if demands {
            self.refuse(AGENT, &duty.id, -32000, "Authentication required");
        }
        demands
    }

    fn create(&mut self, duty: &Open) {
        if self.demands_login(duty) {
            return;
        }
        let id = self.session_id();
        let mut session = Session::new(duty.params["cwd"].as_str().unwrap(), Life::Open);
        self.furnish(&mut session);
        session.adopt(&duty.params);
        self.sessions.insert(id.clone(), session);
        self.introduce(&duty.id, &id);
    }

    fn fork(&mut self, duty: &Open, source: &str) {
        if self.demands_login(duty) {
            return;
        }
        let id = self.session_id();
        let source = &self.sessions[source];
        let mut session = Session::new(duty.params["cwd"].as_str().unwrap(), Life::Open);
        session.history.clone_from(&source.history);
        self.furnish(&mut session);
        session.adopt(&duty.params);
        self.sessions.insert(id.clone(), session);
        self.introduce(&duty.id, &id);
    }

    /// Answers with a new session. On version 2, some of what is told of it may come before.
    fn introduce(&mut self, request: &Value, id: &str) {
        let mut result = self.configuration(id);
        result["sessionId"] = json!(id);
        if self.is_v1() || self.below(3) != 2 {
            self.answer(AGENT, request, result);
            return;
        }
        let mut lines = Vec::new();
        for _ in 0..=self.below(2) {
            lines.push(Line::Update(match self.below(3) {
                0 => json!({"sessionUpdate": "usage_update", "used": 0, "size": 200_000}),
                1 => {
                    let commands = self.commands();
                    json!({"sessionUpdate": "available_commands_update", "availableCommands": commands})
                }
                _ => json!({"sessionUpdate": "notice", "severity": "warning", "title": "No tools"}),
            }));
        }
        lines.push(Line::Answer(request.clone(), result));
        self.session(id).script.extend(lines);
    }

    /// How the session is configured, as results tell it.
    fn configuration(&mut self, id: &str) -> Value {
        let mut result = json!({});
        let session = &self.sessions[id];
        if !session.modes.is_empty() {
            result["modes"] = session.modes();
        }
        if !session.options.is_empty() {
            result["configOptions"] = json!(session.options);
        }
        if !self.is_v1() && self.once_in(3) {
            result["availableCommands"] = self.commands();
        }
        result
    }

    fn reattach(&mut self, duty: &Open, id: &str) {
        if self.demands_login(duty) {
            return;
        }
        let replays = duty.method == "session/load" || !duty.params["replayFrom"].is_null();
        let mut lines = Vec::new();
        if replays {
            lines = self.replay(id);
            if !self.is_v1() {
                lines.push(Line::Update(json!({"sessionUpdate": "replay_complete"})));
            }
        }
        if self.once_in(3) {
            lines.push(Line::Update(
                json!({"sessionUpdate": "session_info_update", "updatedAt": self.timestamp()}),
            ));
        }
        let session = self.session(id);
        session.life = Life::Open;
        session.adopt(&duty.params);
        if !self.is_v1() {
            let mut state = json!({"sessionUpdate": "state_update", "state": "idle"});
            let session = &self.sessions[id];
            if let (Some(reason), true) = (session.reason.clone(), self.once_in(2)) {
                state["stopReason"] = reason;
            }
            if self.sessions[id].background.is_some() {
                state["background"] = json!([]);
            }
            lines.push(Line::Update(state));
        }
        let result = self.configuration(id);
        lines.push(Line::Answer(duty.id.clone(), result));
        let session = self.session(id);
        session.is_fresh = false;
        session.script.extend(lines);
    }

    fn replay(&mut self, id: &str) -> Vec<Line> {
        let mut lines = Vec::new();
        for update in self.sessions[id].history.clone() {
            let kind = update["sessionUpdate"].as_str().unwrap();
            let is_message = update.get("messageId").is_some() && update["content"].is_array();
            if is_message && self.once_in(3) {
                // In pieces: the whole message first, without content.
                let mut whole = update.clone();
                whole["content"] = json!([]);
                lines.push(Line::Update(whole));
                for block in update["content"].as_array().unwrap() {
                    lines.push(Line::Update(json!({
                        "sessionUpdate": format!("{kind}_chunk"),
                        "messageId": update["messageId"],
                        "content": block,
                    })));
                }
            } else {
                lines.push(Line::Update(update));
            }
        }
        for (plan, list) in &self.sessions[id].plans {
            lines.push(Line::Update(list.update(plan.as_deref())));
        }
        lines
    }

    fn list(&mut self, duty: &Open) {
        let params = &duty.params;
        let page = 1 + self.below(3);
        let after = params["cursor"].as_str().map(|cursor| cursor.rsplit(':').next().unwrap());
        let filter = params["archived"].as_str().unwrap_or("exclude");
        let is_listed = |it: &(&String, &Session)| {
            let (id, session) = it;
            session.life != Life::Deleted
                && session.parent.is_none()
                && after.is_none_or(|after| id.as_str() > after)
                && (params["cwd"].is_null() || params["cwd"] == *session.cwd)
                && (filter == "include" || session.is_archived == (filter == "only"))
                // Not before the client has been told of it.
                && session.script.is_empty()
        };
        let listed: Vec<_> =
            self.sessions.iter().filter(is_listed).map(|it| it.0.clone()).collect();
        let mut sessions = Vec::new();
        for id in listed.iter().take(page) {
            let session = &self.sessions[id];
            let mut entry = json!({"sessionId": id, "cwd": session.cwd});
            if let Some(title) = &session.title {
                entry["title"] = json!(title);
            }
            if self.has("directories") {
                entry["additionalDirectories"] = session.directories.clone();
            }
            if self.has("archive") {
                entry["archived"] = json!(session.is_archived);
            }
            if self.once_in(2) {
                entry["updatedAt"] = json!(self.timestamp());
            }
            sessions.push(entry);
        }
        if !self.is_v1() {
            put_recent_first(&mut sessions);
        }
        let mut result = json!({"sessions": sessions});
        if listed.len() > page {
            let serial = self.serial();
            result["nextCursor"] = json!(format!("{serial}:{}", listed[page - 1]));
        }
        self.answer(AGENT, &duty.id, result);
    }

    fn set_mode(&mut self, duty: &Open, id: &str) {
        let mode = duty.params["modeId"].as_str().unwrap().to_owned();
        self.answer(AGENT, &duty.id, json!({}));
        let session = self.session(id);
        session.switch(&mode);
        if session.is_synced {
            let options = json!(session.options);
            session.script.push_back(Line::Update(
                json!({"sessionUpdate": "config_option_update", "configOptions": options}),
            ));
        }
    }

    fn set_value(&mut self, duty: &Open, id: &str) {
        let params = &duty.params;
        let name = if self.is_v1() { "id" } else { "configId" };
        let session = self.session(id);
        let option = session.options.iter_mut().find(|it| it[name] == params["configId"]).unwrap();
        option["currentValue"] = params["value"].clone();
        if option["category"] == "mode" {
            session.mode = params["value"].as_str().unwrap().into();
            let update =
                json!({"sessionUpdate": "current_mode_update", "currentModeId": session.mode});
            session.script.push_back(Line::Update(update));
        }
        let options = json!({"configOptions": session.options});
        self.answer(AGENT, &duty.id, options);
    }

    fn tell_status(&mut self, duty: &Open, id: &str) {
        let Some(session) = self.sessions.get(id).filter(|it| it.life != Life::Deleted) else {
            let data = json!({"sessionId": id});
            let error = json!({"code": -32002, "message": "Session not found", "data": data});
            self.refuse_with(AGENT, &duty.id, error);
            return;
        };
        let is_open = session.life == Life::Open;
        let mut result = json!({"status": if is_open { "open" } else { "saved" }});
        if !self.is_v1() && is_open {
            let mut state = match session.state {
                State::Idle => json!({"state": "idle"}),
                State::Running => json!({"state": "running"}),
                State::Waiting => json!({"state": "requires_action"}),
            };
            if let Some(background) = &session.background {
                state["background"] = json!(background);
            }
            result["state"] = state;
        }
        self.answer(AGENT, &duty.id, result);
    }

    /// A select option's value that is not the current one, if there is one.
    pub(crate) fn other_value(&mut self, option: &Value) -> Value {
        if option["type"] == "boolean" {
            return json!(option["currentValue"] != true);
        }
        let values = values(option);
        self.pick(&values)
    }
}

/// Gives the times of the entries to them in another order, so that none is later than one before it.
fn put_recent_first(entries: &mut [Value]) {
    let of = |entry: &Value| TIMES.iter().position(|time| entry["updatedAt"] == **time);
    let mut times: Vec<usize> = entries.iter().filter_map(of).collect();
    times.sort_unstable();
    let timed = entries.iter_mut().filter(|entry| of(entry).is_some());
    for (entry, time) in timed.zip(times) {
        entry["updatedAt"] = json!(TIMES[time]);
    }
}

impl Session {
    /// What a request that creates or attaches it says.
    fn adopt(&mut self, params: &Value) {
        if !params["additionalDirectories"].is_null() {
            self.directories = params["additionalDirectories"].clone();
        }
        let servers = params["mcpServers"].as_array().into_iter().flatten();
        self.servers =
            servers.filter_map(|server| Some(server["serverId"].as_str()?.into())).collect();
    }

    /// Nobody uses it any more.
    fn rest(&mut self) {
        self.life = Life::Stored;
        self.is_closing = false;
        self.is_cancelling = false;
        self.servers.clear();
        self.displays.clear();
        self.tools.clear();
        self.compaction = None;
        self.voices = [None, None];
        if let Some(background) = &mut self.background {
            background.clear();
        }
    }

    pub(crate) fn modes(&self) -> Value {
        let available: Vec<_> =
            self.modes.iter().map(|mode| json!({"id": mode, "name": mode})).collect();
        json!({"currentModeId": self.mode, "availableModes": available})
    }

    pub(crate) fn switch(&mut self, mode: &str) {
        self.mode = mode.into();
        if self.is_synced {
            self.options[0]["currentValue"] = json!(mode);
        }
    }
}
