//! What the client does: by what it was told so far.

use std::collections::BTreeSet;

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    content::ROOTS,
    world::{Crossings, Open, World},
};

/// Where a session is in its life, as the client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// Listed, or known from before the connection.
    Stored,
    Open,
    /// A request is under way that will change this.
    Changing,
    Closed,
    Deleted,
}

/// A session as the client knows it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) cwd: String,
    pub(crate) life: Life,
    /// Before the change that is under way.
    before: Life,
    is_archived: bool,
    /// It has cancelled and not been told of an end since.
    pub(crate) cancelling: bool,
    pub(crate) modes: Vec<String>,
    pub(crate) options: Vec<Value>,
    /// What offers to be cancelled.
    pub(crate) tools: BTreeSet<String>,
    pub(crate) terminals: BTreeSet<String>,
    /// For a subagent: whether its work may be cancelled.
    pub(crate) child: Option<bool>,
}

impl Seen {
    pub(crate) fn new(cwd: &str, life: Life) -> Self {
        Self {
            cwd: cwd.into(),
            life,
            before: life,
            is_archived: false,
            cancelling: false,
            modes: Vec::new(),
            options: Vec::new(),
            tools: BTreeSet::new(),
            terminals: BTreeSet::new(),
            child: None,
        }
    }

    fn begin_change(&mut self) {
        self.before = std::mem::replace(&mut self.life, Life::Changing);
    }

    /// What a result or an update says about how it is configured.
    fn configure(&mut self, told: &Value) {
        if let Some(modes) = told["modes"]["availableModes"].as_array() {
            self.modes = modes.iter().map(|mode| mode["id"].as_str().unwrap().into()).collect();
        }
        if let Some(options) = told["configOptions"].as_array() {
            self.options.clone_from(options);
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Answer(Value),
    /// One of those that follow.
    Misc,
    New,
    List,
    Page(usize),
    LogIn,
    LogOut,
    AskWhoIsIn,
    AskProviders,
    SetProvider,
    Extend,
    Withdraw(Value),
    Probe,
    Prompt(String),
    Cancel(String),
    SetMode(String),
    SetOption(String),
    Close(String),
    Attach(String),
    Fork(String),
    Delete(String),
    Archive(String, bool),
    Status(String),
    Title(String),
    CancelTool(String, String),
    CancelTerminal(String, String),
}

impl World<'_> {
    pub(crate) fn client_acts(&mut self) -> bool {
        let acts = self.client_options();
        if acts.is_empty() {
            return false;
        }
        let act = self.pick(&acts);
        self.client_does(act)
    }

    /// Answers what is asked, and at the end closes what is open.
    pub(crate) fn client_finishes(&mut self) -> bool {
        if let Some(duty) = self.client.duties.first() {
            let id = duty.id.clone();
            self.client_answers(&id);
            return true;
        }
        if !self.has("close") || !self.has("closing") {
            return false;
        }
        let open = |it: &(&String, &Seen)| it.1.life == Life::Open && it.1.child.is_none();
        let Some(session) = self.seen.iter().find(open).map(|it| it.0.clone()) else {
            return false;
        };
        self.client_does(Act::Close(session))
    }

    fn client_options(&self) -> Vec<Act> {
        let mut acts = Vec::new();
        for duty in &self.client.duties {
            acts.extend((0..6).map(|_| Act::Answer(duty.id.clone())));
        }
        let sessions = self.seen.iter().filter(|it| it.1.child.is_none());
        let open = sessions.clone().filter(|it| it.1.life == Life::Open).count();
        if self.has("session") && !self.must_log_in {
            let is_setting_up = self.client.open.iter().any(|open| open.method == "session/new");
            let wanted = match open {
                0 if is_setting_up => 1,
                0 => 6,
                _ => usize::from(self.seen.len() < 6),
            };
            acts.extend((0..wanted).map(|_| Act::New));
        }
        for (id, seen) in &self.seen {
            self.session_options(id, seen, &mut acts);
        }
        if self.must_log_in {
            acts.extend([Act::LogIn, Act::LogIn, Act::LogIn]);
        }
        acts.extend([Act::Misc, Act::Misc]);
        acts
    }

    /// What clients do now and then.
    fn client_misc(&self) -> Vec<Act> {
        let mut acts = vec![Act::Extend];
        if self.has("session") && !self.must_log_in && self.has("list") {
            acts.push(Act::List);
            acts.extend((0..self.cursors.len()).map(Act::Page));
        }
        if !self.auth_methods.is_empty() {
            acts.push(Act::LogIn);
            if self.has("logout") {
                acts.push(Act::LogOut);
            }
        }
        if self.has("auth.status") {
            acts.push(Act::AskWhoIsIn);
        }
        if self.has("providers") {
            acts.push(Act::AskProviders);
            if !self.providers_seen.is_empty() {
                acts.push(Act::SetProvider);
            }
        }
        if self.has("status") {
            acts.push(Act::Probe);
        }
        let is_open = |open: &&Open| !open.withdrawn && open.method != "initialize";
        if let Some(open) = self.client.open.iter().rfind(is_open) {
            acts.push(Act::Withdraw(open.id.clone()));
        }
        acts
    }

    fn session_options(&self, id: &str, seen: &Seen, acts: &mut Vec<Act>) {
        let name = || id.to_owned();
        if seen.life == Life::Changing || seen.life == Life::Deleted {
            return;
        }
        let is_open = seen.life == Life::Open;
        if let Some(may_cancel) = seen.child {
            if may_cancel && is_open && !seen.cancelling {
                acts.push(Act::Cancel(name()));
            }
            return;
        }
        if is_open {
            let prompts = self
                .client
                .open
                .iter()
                .filter(|it| it.method == "session/prompt" && it.is_about(id));
            let prompts = prompts.count();
            if prompts < if self.is_v1() { 1 } else { 2 } {
                acts.extend((0..6).map(|_| Act::Prompt(name())));
            }
            if !seen.cancelling && (prompts > 0 || !self.is_v1()) {
                acts.push(Act::Cancel(name()));
            }
            let uses_options = self.has("options");
            let has_mode_option = seen.options.iter().any(|it| it["category"] == "mode");
            if !(seen.modes.is_empty() || uses_options && has_mode_option) {
                acts.push(Act::SetMode(name()));
            }
            if uses_options && !seen.options.is_empty() {
                acts.push(Act::SetOption(name()));
            }
            for tool in &seen.tools {
                acts.extend((0..2).map(|_| Act::CancelTool(name(), tool.clone())));
            }
            for terminal in &seen.terminals {
                acts.extend((0..2).map(|_| Act::CancelTerminal(name(), terminal.clone())));
            }
            if self.has("close") {
                acts.push(Act::Close(name()));
            }
        } else {
            let can_attach = self.has("load") || self.has("resume");
            if can_attach && !self.must_log_in && !seen.is_archived {
                acts.extend([Act::Attach(name()), Act::Attach(name())]);
            }
            if self.has("delete") {
                acts.push(Act::Delete(name()));
            }
        }
        if self.has("fork") && self.seen.len() < 6 && !self.must_log_in {
            acts.push(Act::Fork(name()));
        }
        if self.has("archive") {
            acts.extend([Act::Archive(name(), true), Act::Archive(name(), false)]);
        }
        if self.has("status") {
            acts.push(Act::Status(name()));
        }
        if self.has("title") {
            acts.push(Act::Title(name()));
        }
    }

    fn client_does(&mut self, act: Act) -> bool {
        let client = Side::Client;
        match act {
            Act::Answer(id) => self.client_answers(&id),
            Act::Misc => {
                let acts = self.client_misc();
                let act = self.pick(&acts);
                return self.client_does(act);
            }
            Act::New if self.is_turned_away() => return false,
            Act::New => {
                let cwd = self.pick(&ROOTS);
                let params = self.workplace(cwd, true);
                self.request(client, "session/new", params);
            }
            Act::List => {
                let mut filter = json!({});
                if self.once_in(3) {
                    filter["cwd"] = self.pick(&[json!(ROOTS[0]), json!(ROOTS[1]), Value::Null]);
                }
                if self.has("archive") && self.once_in(2) {
                    filter["archived"] =
                        self.pick(&[json!("include"), json!("only"), json!("exclude")]);
                }
                self.request(client, "session/list", filter);
            }
            Act::Page(place) => {
                let (cursor, mut params) = self.cursors.remove(place);
                params["cursor"] = cursor;
                self.request(client, "session/list", params);
            }
            Act::LogIn => self.log_in(),
            Act::LogOut => {
                let method = if self.is_v1() { "logout" } else { "auth/logout" };
                self.request(client, method, json!({}));
            }
            Act::AskWhoIsIn => self.request(client, "auth/status", json!({})),
            Act::AskProviders => self.request(client, "providers/list", json!({})),
            Act::SetProvider => self.set_provider(),
            Act::Extend => self.extend(client),
            Act::Withdraw(id) => self.withdraw(client, &id),
            Act::Probe => {
                let id = format!("nobody-{}", self.serial());
                self.request(client, "session/status", json!({"sessionId": id}));
            }
            other => return self.client_does_in_session(other),
        }
        true
    }

    fn client_does_in_session(&mut self, act: Act) -> bool {
        let client = Side::Client;
        match act {
            Act::Prompt(id) => {
                let prompt = self.prompt();
                self.request(client, "session/prompt", json!({"sessionId": id, "prompt": prompt}));
            }
            Act::Cancel(id) => return self.cancel(&id),
            Act::SetMode(id) => {
                let modes = self.seen[&id].modes.clone();
                let mode = self.pick(&modes);
                self.request(client, "session/set_mode", json!({"sessionId": id, "modeId": mode}));
            }
            Act::SetOption(id) => self.set_option(&id),
            Act::Close(id) => self.change(&id, "session/close"),
            Act::Delete(id) => self.change(&id, "session/delete"),
            Act::Archive(id, into) => {
                self.change(&id, if into { "session/archive" } else { "session/unarchive" });
            }
            Act::Attach(_) | Act::Fork(_) if self.is_turned_away() => return false,
            Act::Attach(id) => self.attach(&id),
            Act::Fork(id) => {
                let cwd = self.seen[&id].cwd.clone();
                let mut params = self.workplace(&cwd, false);
                params["sessionId"] = json!(id);
                self.request(client, "session/fork", params);
            }
            Act::Status(id) => self.request(client, "session/status", json!({"sessionId": id})),
            Act::Title(id) => {
                let title = format!("Title {}", self.serial());
                let params = json!({"sessionId": id, "title": title});
                self.request(client, "session/set_title", params);
            }
            Act::CancelTool(..) | Act::CancelTerminal(..) if self.is_outdated(&act) => {
                return false;
            }
            Act::CancelTool(id, tool) => {
                self.seen.get_mut(&id).unwrap().tools.remove(&tool);
                let params = json!({"sessionId": id, "toolCallId": tool});
                self.request(client, "tool_call/cancel", params);
            }
            Act::CancelTerminal(id, terminal) => {
                self.seen.get_mut(&id).unwrap().terminals.remove(&terminal);
                let params = json!({"sessionId": id, "terminalId": terminal});
                self.request(client, "terminal/cancel", params);
            }
            other => panic!("{other:?} needs no session"),
        }
        true
    }

    /// Whether what would be cancelled no longer offers it.
    fn is_outdated(&mut self, act: &Act) -> bool {
        if self.crossings == Crossings::Clear {
            self.deliver_to(Side::Client);
        }
        match act {
            Act::CancelTool(id, tool) => !self.seen[id].tools.contains(tool),
            Act::CancelTerminal(id, terminal) => !self.seen[id].terminals.contains(terminal),
            _ => false,
        }
    }

    /// Whether the client is to log in first: what asks for it may be under way.
    fn is_turned_away(&mut self) -> bool {
        if self.crossings == Crossings::Clear {
            self.deliver_to(Side::Client);
        }
        self.must_log_in
    }

    /// A request after which the session is another.
    fn change(&mut self, id: &str, method: &str) {
        if method != "session/unarchive" {
            self.seen.get_mut(id).unwrap().begin_change();
        }
        self.request(Side::Client, method, json!({"sessionId": id}));
    }

    fn cancel(&mut self, id: &str) -> bool {
        if self.crossings == Crossings::Clear {
            self.deliver_to(Side::Client);
        }
        if self.is_v1() && self.seen[id].child.is_none() && !self.client.asks("session/prompt", id)
        {
            return false;
        }
        self.seen.get_mut(id).unwrap().cancelling = true;
        let asked = self.client.duties.iter().filter(|duty| duty.is_about(id));
        self.stopped.extend(asked.map(|duty| duty.id.clone()));
        self.notify(Side::Client, "session/cancel", json!({"sessionId": id}));
        true
    }

    fn set_option(&mut self, id: &str) {
        let options = self.seen[id].options.clone();
        let option = self.pick(&options);
        let name = if self.is_v1() { "id" } else { "configId" };
        let mut params = json!({"sessionId": id, "configId": option[name]});
        if option["type"] == "boolean" {
            params["type"] = json!("boolean");
            params["value"] = json!(self.once_in(2));
        } else {
            if !self.is_v1() {
                params["type"] = json!("id");
            }
            let values = values(&option);
            params["value"] = self.pick(&values);
        }
        self.request(Side::Client, "session/set_config_option", params);
    }

    fn attach(&mut self, id: &str) {
        let cwd = self.seen[id].cwd.clone();
        let mut params = self.workplace(&cwd, true);
        params["sessionId"] = json!(id);
        let loads = self.has("load") && (!self.has("resume") || self.once_in(2));
        let method = if loads { "session/load" } else { "session/resume" };
        if !self.is_v1() && self.below(3) != 0 {
            params["replayFrom"] = json!({"type": "start"});
        }
        self.seen.get_mut(id).unwrap().begin_change();
        self.request(Side::Client, method, params);
    }

    /// Directories, servers and instructions of a session.
    fn workplace(&mut self, cwd: &str, may_serve: bool) -> Value {
        let mut params = json!({"cwd": cwd});
        let servers = if may_serve { self.servers() } else { json!([]) };
        for server in servers.as_array().unwrap() {
            if let Some(id) = server["serverId"].as_str() {
                self.mcp_servers.push(id.into());
            }
        }
        if self.is_v1() || servers != json!([]) || self.once_in(2) {
            params["mcpServers"] = servers;
        }
        if self.has("directories") && self.once_in(3) {
            let path = self.path_in(cwd);
            params["additionalDirectories"] = json!([path]);
        }
        if self.has("systemPrompt") && self.is_instructed.is_none() {
            self.is_instructed = Some(self.once_in(3));
        }
        if self.is_instructed == Some(true) {
            let mode = if self.has("override") { "override" } else { "append" };
            let content = json!([{"type": "text", "text": "Be brief."}]);
            params["systemPrompt"] = json!({"mode": mode, "content": content});
        }
        self.remark(&mut params);
        params
    }

    fn log_in(&mut self) {
        let methods = self.auth_methods.clone();
        let by_agent: Vec<_> = methods.iter().filter(|method| !method.1).collect();
        if by_agent.is_empty() {
            // In a terminal, of which the connection shows nothing.
            self.is_logged_in = true;
            self.must_log_in = false;
            return;
        }
        let method = self.pick(&by_agent);
        let name = if self.is_v1() { "authenticate" } else { "auth/login" };
        self.request(Side::Client, name, json!({"methodId": method.0}));
    }

    fn set_provider(&mut self) {
        let providers = self.providers_seen.clone();
        let provider = self.pick(&providers);
        let id = provider["providerId"].clone();
        if provider["required"] == false && self.once_in(2) {
            self.request(Side::Client, "providers/disable", json!({"providerId": id}));
            return;
        }
        let types = provider["supported"].as_array().unwrap().clone();
        let params = json!({
            "providerId": id,
            "apiType": self.pick(&types),
            "baseUrl": format!("https://llm.example.com/{}", self.serial()),
            "headers": {"Authorization": "Bearer x"},
        });
        self.request(Side::Client, "providers/set", params);
    }

    /// Something that the protocol leaves to those who agree on it.
    pub(crate) fn extend(&mut self, side: Side) {
        let method = self.pick(&["_vendor.example/ping", "_ping", "_vendor/session/steer"]);
        let params = match self.below(4) {
            0 => json!({"value": self.anything()}),
            1 => json!(["positional", 1]),
            2 => json!({"sessionId": self.sessions.keys().next()}),
            _ => json!({}),
        };
        if self.once_in(2) {
            self.notify(side, method, params);
        } else {
            self.request(side, method, params);
        }
    }

    // What it hears.

    pub(crate) fn client_hears(&mut self, asked: &Open, outcome: Result<&Value, &Value>) {
        let session = asked.params["sessionId"].as_str().unwrap_or_default();
        if let Err(error) = outcome {
            if error["code"] == -32000 {
                self.must_log_in = true;
            }
            if let Some(seen) = self.seen.get_mut(session)
                && seen.life == Life::Changing
            {
                let changes = ["close", "archive", "load", "resume", "delete"];
                if changes.iter().any(|change| asked.method == format!("session/{change}")) {
                    seen.life = seen.before;
                }
            }
        }
        let Ok(result) = outcome else { return };
        match &*asked.method {
            "session/new" | "session/fork" => {
                let id = result["sessionId"].as_str().unwrap();
                let cwd = asked.params["cwd"].as_str().unwrap();
                let seen = self.seen.entry(id.into()).or_insert_with(|| Seen::new(cwd, Life::Open));
                seen.life = Life::Open;
                seen.cwd = cwd.into();
                seen.configure(result);
            }
            "session/load" | "session/resume" => {
                let seen = self.seen.get_mut(session).unwrap();
                seen.life = Life::Open;
                seen.cancelling = false;
                seen.configure(result);
            }
            "session/close" | "session/archive" => {
                let seen = self.seen.get_mut(session).unwrap();
                seen.life = Life::Closed;
                seen.is_archived |= asked.method == "session/archive";
                seen.tools.clear();
                seen.terminals.clear();
            }
            "session/unarchive" => self.seen.get_mut(session).unwrap().is_archived = false,
            "session/delete" => self.seen.get_mut(session).unwrap().life = Life::Deleted,
            "session/set_config_option" => self.seen.get_mut(session).unwrap().configure(result),
            "session/prompt" if self.is_v1() => {
                self.seen.get_mut(session).unwrap().cancelling = false;
            }
            "session/list" => self.read_listing(asked, result),
            "authenticate" | "auth/login" => self.must_log_in = false,
            "providers/list" => {
                self.providers_seen.clone_from(result["providers"].as_array().unwrap());
            }
            _ => {}
        }
    }

    fn read_listing(&mut self, asked: &Open, result: &Value) {
        for entry in result["sessions"].as_array().unwrap() {
            let cwd = entry["cwd"].as_str().unwrap();
            let id = entry["sessionId"].as_str().unwrap();
            let seen = self.seen.entry(id.into()).or_insert_with(|| Seen::new(cwd, Life::Stored));
            if let Some(is_archived) = entry["archived"].as_bool() {
                seen.is_archived = is_archived;
            }
        }
        if !result["nextCursor"].is_null() {
            let mut filter = asked.params.clone();
            filter.as_object_mut().unwrap().remove("cursor");
            self.cursors.push((result["nextCursor"].clone(), filter));
        }
    }

    pub(crate) fn client_is_told(&mut self, method: &str, params: &Value) {
        if method != "session/update" {
            return;
        }
        let update = &params["update"];
        let id = params["sessionId"].as_str().unwrap();
        if update["sessionUpdate"] == "subagent_update" {
            self.meet_child(id, update);
        }
        // Updates may come before the answer that creates the session.
        let seen = self.seen.entry(id.into()).or_insert_with(|| Seen::new("", Life::Changing));
        match update["sessionUpdate"].as_str().unwrap() {
            "config_option_update" => seen.configure(update),
            "state_update" if update["state"] == "idle" => seen.cancelling = false,
            "tool_call_update" => note(&mut seen.tools, update, "toolCallId"),
            "terminal_update" => note(&mut seen.terminals, update, "terminalId"),
            _ => {}
        }
    }

    fn meet_child(&mut self, parent: &str, update: &Value) {
        let cwd = self.seen.get(parent).map(|seen| seen.cwd.clone()).unwrap_or_default();
        let id = update["sessionId"].as_str().unwrap();
        let child = self.seen.entry(id.into()).or_insert_with(|| Seen::new(&cwd, Life::Open));
        child.child.get_or_insert(false);
        if update.get("capabilities").is_some() {
            child.child = Some(update["capabilities"]["cancel"].is_object());
        }
    }
}

/// What offers to be cancelled after an update.
fn note(offers: &mut BTreeSet<String>, update: &Value, name: &str) {
    let Some(capabilities) = update.get("capabilities") else { return };
    let id = update[name].as_str().unwrap().to_owned();
    if capabilities["cancel"].is_object() {
        offers.insert(id);
    } else {
        offers.remove(&id);
    }
}

/// The values of a select option.
pub(crate) fn values(option: &Value) -> Vec<Value> {
    let options = option["options"].as_array().into_iter().flatten();
    let flat = options.flat_map(|it| it["options"].as_array().cloned().unwrap_or(vec![it.clone()]));
    flat.map(|it| it["value"].clone()).collect()
}

/// A terminal that the client runs for the agent, on version 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shell {
    pub(crate) limit: Option<usize>,
    pub(crate) output: String,
    pub(crate) exit: Option<Value>,
}
