//! What the agent asks of the client.

use acpcheck::protocol::Side;
use serde_json::{Value, json};

use super::{
    agent::{Deed, State},
    world::World,
};

const AGENT: Side = Side::Agent;

impl World<'_> {
    pub(crate) fn do_ask(&mut self, id: &str, deed: &Deed) {
        match deed {
            Deed::Ask(tool) => self.ask_permission(id, tool),
            Deed::Elicit => {
                let scope = self.scope(id);
                let params = self.question(scope);
                self.ask(id, "elicitation/create", params);
            }
            Deed::ReadFile => {
                let root = self.sessions[id].cwd.clone();
                let mut params = json!({"sessionId": id, "path": self.path_in(&root)});
                if self.once_in(2) {
                    params["line"] = self.pick(&[json!(1), json!(40), Value::Null]);
                    params["limit"] = self.pick(&[json!(2), json!(0), Value::Null]);
                }
                self.request(AGENT, "fs/read_text_file", params);
            }
            Deed::WriteFile => {
                let root = self.sessions[id].cwd.clone();
                let params =
                    json!({"sessionId": id, "path": self.path_in(&root), "content": self.text()});
                self.request(AGENT, "fs/write_text_file", params);
            }
            Deed::CreateTerminal => self.create_terminal(id),
            Deed::UseTerminal(terminal) => {
                let methods = ["terminal/output", "terminal/wait_for_exit", "terminal/kill"];
                let kept = self.session(id).terminals.get_mut(terminal).unwrap();
                let methods = if kept.is_waited_for { &methods[..1] } else { &methods[..] };
                let method = self.pick(methods);
                let params = json!({"sessionId": id, "terminalId": terminal});
                self.request(AGENT, method, params);
                if method == "terminal/wait_for_exit" {
                    self.session(id).terminals.get_mut(terminal).unwrap().is_waited_for = true;
                }
            }
            Deed::ReleaseTerminal(terminal) => {
                self.session(id).terminals.get_mut(terminal).unwrap().is_released = true;
                let params = json!({"sessionId": id, "terminalId": terminal});
                self.request(AGENT, "terminal/release", params);
            }
            Deed::Mcp(server) => {
                let inner = format!("inner-{}", self.serial());
                let params = json!({"serverId": server, "requestId": inner, "method": "tools/list", "params": {}});
                self.request(AGENT, "mcp/message", params);
            }
            other => panic!("{other:?} asks nothing"),
        }
    }

    fn create_terminal(&mut self, id: &str) {
        let mut params = json!({"sessionId": id, "command": "make"});
        if self.once_in(2) {
            params["args"] = json!(["check", "two words"]);
            params["env"] = json!([{"name": "CI", "value": "1"}]);
        }
        if self.once_in(2) {
            params["cwd"] = self.pick(&[json!(self.sessions[id].cwd), Value::Null]);
        }
        if self.once_in(2) {
            params["outputByteLimit"] =
                self.pick(&[json!(5), json!(1_000_000), json!(0), Value::Null]);
        }
        self.request(AGENT, "terminal/create", params);
    }

    /// Asks something that work waits for, on version 2, where the state says so.
    fn ask(&mut self, id: &str, method: &str, params: Value) {
        // What belongs to no session changes no state of one.
        if self.is_v1() || params["sessionId"].is_null() {
            self.request(AGENT, method, params);
            return;
        }
        match self.below(3) {
            0 => {
                self.wait(id);
                self.request(AGENT, method, params);
            }
            1 => {
                self.request(AGENT, method, params);
                self.wait(id);
            }
            _ => {
                // Other work goes on meanwhile.
                self.request(AGENT, method, params);
                let chunk = json!({"sessionUpdate": "agent_thought_chunk", "messageId": format!("aside-{id}"), "content": {"type": "text", "text": "Meanwhile"}});
                self.update(id, chunk);
            }
        }
    }

    /// The foreground waits for the user.
    fn wait(&mut self, id: &str) {
        self.session(id).state = State::Waiting;
        let state = self.state_update(id, State::Waiting);
        self.tell_state(id, state);
    }

    fn ask_permission(&mut self, id: &str, tool: &str) {
        let kept = self.session(id).tools.get_mut(tool).unwrap();
        (kept.is_asked, kept.is_denied) = (true, false);
        let kinds = ["allow_once", "reject_once", "allow_always", "reject_always", "_ask_later"];
        let kinds = if self.is_v1() { &kinds[..4] } else { &kinds[..] };
        let count = 1 + self.below(kinds.len());
        let options: Vec<_> = kinds[..count]
            .iter()
            .enumerate()
            .map(|(place, kind)| json!({"optionId": format!("{kind}-{place}"), "name": kind, "kind": kind}))
            .collect();
        if self.is_v1() {
            let mut call = json!({"toolCallId": tool});
            if self.once_in(2) {
                call["title"] = json!(format!("Tool {tool}"));
                call["status"] = json!("pending");
            }
            let params = json!({"sessionId": id, "toolCall": call, "options": options});
            self.request(AGENT, "session/request_permission", params);
            return;
        }
        let mut params = json!({"sessionId": id, "title": "Go on?", "options": options});
        let cwd = self.sessions[id].cwd.clone();
        params["subject"] = if self.once_in(3) {
            json!({"type": "command", "command": "make", "cwd": cwd, "toolCallId": tool})
        } else {
            json!({"type": "tool_call", "toolCall": {"toolCallId": tool}})
        };
        self.ask(id, "session/request_permission", params);
    }

    /// What an elicitation belongs to: the session, or a request that waits.
    fn scope(&mut self, id: &str) -> Value {
        let pending: Vec<_> = self.agent.duties.iter().map(|duty| duty.id.clone()).collect();
        if !pending.is_empty() && self.once_in(3) {
            let request = self.pick(&pending);
            return json!({"requestId": request});
        }
        let mut scope = json!({"sessionId": id});
        let tools: Vec<_> = self.sessions[id].tools.keys().cloned().collect();
        if !tools.is_empty() && self.once_in(3) {
            scope["toolCallId"] = json!(self.pick(&tools));
        }
        scope
    }

    fn question(&mut self, scope: Value) -> Value {
        let mut params = scope;
        params["message"] = json!("Which one?");
        let modes: Vec<_> = ["form", "url"].into_iter().filter(|mode| self.has(mode)).collect();
        let mode = self.pick(&modes);
        params["mode"] = json!(mode);
        if mode == "url" {
            params["elicitationId"] = json!(format!("link-{}", self.serial()));
            params["url"] =
                json!(self.pick(&["https://example.com/start?state=x", "http://127.0.0.1:8080/"]));
            return params;
        }
        let all = [
            ("branch", json!({"type": "string", "enum": ["main", "dev"]})),
            ("name", json!({"type": "string", "minLength": 1, "maxLength": 9, "title": "Name"})),
            ("count", json!({"type": "integer", "minimum": 1, "maximum": 10, "default": 2})),
            ("share", json!({"type": "number", "minimum": 0})),
            ("brave", json!({"type": "boolean", "default": false})),
            (
                "colors",
                json!({"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}, "minItems": 1}),
            ),
            ("size", json!({"type": "string", "oneOf": [{"const": "s", "title": "Small"}]})),
        ];
        let mut properties = json!({});
        let mut required = Vec::new();
        for (name, property) in all {
            if self.once_in(2) {
                if self.once_in(2) {
                    required.push(name);
                }
                properties[name] = property;
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        params["requestedSchema"] = schema;
        params
    }
}
