//! How a connection begins: what each side can do, the version, the ways to log in.

use acpcheck::protocol::Side;
use serde_json::{Map, Value, json};

use super::world::{Numbering, World};

/// Name, where the client advertises it on version 1 and 2, and whether it is a draft.
type Offer = (&'static str, &'static str, &'static str, bool);

const CLIENT: [Offer; 11] = [
    ("fs.read", "fs/readTextFile!", "", false),
    ("fs.write", "fs/writeTextFile!", "", false),
    ("terminal", "terminal!", "", false),
    ("notices", "session/notices", "", false),
    ("compaction", "session/compaction", "", false),
    ("boolean", "session/configOptions/boolean", "", false),
    ("auth.terminal", "auth/terminal!", "auth/terminal", false),
    ("form", "elicitation/form", "elicitation/form", false),
    ("url", "elicitation/url", "elicitation/url", false),
    ("plan", "plan", "", true),
    ("subagents", "subagents", "", true),
];

/// The same of the agent.
const AGENT: [Offer; 21] = [
    ("load", "loadSession!", "", false),
    ("image", "promptCapabilities/image!", "session/prompt/image", false),
    ("audio", "promptCapabilities/audio!", "session/prompt/audio", false),
    ("embedded", "promptCapabilities/embeddedContext!", "session/prompt/embeddedContext", false),
    ("mcp.stdio", "", "session/mcp/stdio", false),
    ("mcp.http", "mcpCapabilities/http!", "session/mcp/http", false),
    ("mcp.sse", "mcpCapabilities/sse!", "", false),
    ("mcp.acp", "mcpCapabilities/acp!", "session/mcp/acp", true),
    ("list", "sessionCapabilities/list", "", false),
    ("resume", "sessionCapabilities/resume", "", false),
    ("close", "sessionCapabilities/close", "", false),
    ("delete", "sessionCapabilities/delete", "session/delete", false),
    (
        "directories",
        "sessionCapabilities/additionalDirectories",
        "session/additionalDirectories",
        false,
    ),
    ("fork", "sessionCapabilities/fork", "session/fork", true),
    ("archive", "sessionCapabilities/archive", "session/archive", true),
    ("status", "sessionCapabilities/status", "session/status", true),
    ("title", "sessionCapabilities/title", "session/title", true),
    ("systemPrompt", "sessionCapabilities/systemPrompt", "session/systemPrompt", true),
    ("logout", "auth/logout", "", false),
    ("auth.status", "auth/status", "auth/status", true),
    ("providers", "providers", "providers", true),
];

/// What version 2 has without asking.
const BASELINE: [&str; 6] = ["notices", "compaction", "boolean", "list", "resume", "close"];

impl World<'_> {
    /// The exchange of `initialize`, until the client has its answer.
    pub(crate) fn open(&mut self) {
        use Numbering::{Digits, FromOne, FromZero, Lowest, Words};
        self.client.numbering = self.pick(&[FromZero, FromOne, Words, Lowest, FromZero, Digits]);
        self.agent.numbering = self.pick(&[FromZero, Words, FromOne, Lowest, Digits]);
        let variant = self.below(8);
        // A client of version 2 that meets an agent of version 1 advertises nothing version 1 knows.
        let offers_more = variant == 7;
        let client = if self.is_v1() && offers_more { json!({}) } else { self.offers(&CLIENT) };
        let agent = self.agent_capabilities();
        self.ways_to_log_in();
        if self.is_v1() {
            self.open_v1(&client, &agent, offers_more);
        } else {
            self.has.extend(BASELINE);
            if self.is_unstable() {
                self.has.extend(["plan", "subagents"]);
            }
            self.open_v2(&client, &agent, variant);
        }
        if self.once_in(2) {
            self.has.insert("message.ids");
        }
        self.stock();
        if self.once_in(4) {
            self.deliver_all();
        }
    }

    fn open_v1(&mut self, client: &Value, agent: &Value, offers_two: bool) {
        let info = self.info("editor");
        let params = if offers_two {
            json!({"protocolVersion": 2, "info": info, "capabilities": {}})
        } else {
            json!({"protocolVersion": 1, "clientCapabilities": client, "clientInfo": info})
        };
        self.request(Side::Client, "initialize", params);
        self.deliver_all();
        let info = self.info("agent");
        let mut result =
            json!({"protocolVersion": 1, "agentCapabilities": agent, "agentInfo": info});
        let methods = self.auth_methods_v1();
        if !methods.is_empty() || self.once_in(2) {
            result["authMethods"] = Value::Array(methods);
        }
        self.answer_initialize(result);
    }

    fn open_v2(&mut self, client: &Value, agent: &Value, variant: usize) {
        let info = self.info("editor");
        let params = |version: i64| json!({"protocolVersion": version, "info": info, "capabilities": client});
        if variant == 5 {
            // The agent has no version 1: the client tries again.
            let old = json!({"protocolVersion": 1, "clientCapabilities": {}, "clientInfo": info});
            self.request(Side::Client, "initialize", old);
            self.deliver_all();
            let id = self.agent.duties.pop().unwrap().id;
            let data = json!({"requested": 1, "supported": [2]});
            let error =
                json!({"code": -32022, "message": "Unsupported protocol version", "data": data});
            self.refuse_with(Side::Agent, &id, error);
            self.deliver_all();
        }
        let times = if variant == 6 { 2 } else { 1 };
        for _ in 0..times {
            self.request(Side::Client, "initialize", params(if variant == 7 { 3 } else { 2 }));
            self.deliver_all();
            let info = self.info("agent");
            let mut result = json!({"protocolVersion": 2, "info": info, "capabilities": agent});
            let methods = self.auth_methods_v2();
            if !methods.is_empty() || self.once_in(2) {
                result["authMethods"] = Value::Array(methods);
            }
            self.answer_initialize(result);
            self.deliver_all();
        }
    }

    fn answer_initialize(&mut self, result: Value) {
        let id = self.agent.duties.pop().unwrap().id;
        self.answer(Side::Agent, &id, result);
        self.deliver_to(Side::Client);
    }

    fn info(&mut self, name: &str) -> Value {
        let mut info = json!({"name": name, "version": self.pick(&["1.0.0", "0.9", "2026.11"])});
        if self.once_in(3) {
            info["title"] = self.pick(&[json!("Werkstatt"), Value::Null]);
        }
        info
    }

    /// Chooses what a side can do, and says so.
    fn offers(&mut self, offers: &[Offer]) -> Value {
        let mut capabilities = json!({});
        let is_v1 = self.is_v1();
        for (name, v1, v2, is_draft) in offers {
            let path = if is_v1 { *v1 } else { *v2 };
            if path.is_empty() || (*is_draft && !self.is_unstable()) {
                continue;
            }
            let is_flag = path.ends_with('!');
            let has = self.below(4) != 0;
            let value = if has {
                self.has.insert(name);
                if is_flag { json!(true) } else { json!({}) }
            } else if self.once_in(3) {
                if is_flag { json!(false) } else { Value::Null }
            } else {
                continue;
            };
            put(&mut capabilities, path.trim_end_matches('!'), value);
        }
        if self.once_in(6) {
            capabilities["_meta"] = json!({"vendor.example/steering": true, "terminals": {}});
        }
        capabilities
    }

    fn agent_capabilities(&mut self) -> Value {
        let mut capabilities = self.offers(&AGENT);
        // Nothing is archived that cannot be listed.
        if self.is_v1() && !self.has("list") && self.has.remove("archive") {
            capabilities["sessionCapabilities"].as_object_mut().unwrap().remove("archive");
        }
        if self.has("systemPrompt") && self.once_in(2) {
            self.has.insert("override");
            let path = if self.is_v1() { "sessionCapabilities" } else { "session" };
            capabilities[path]["systemPrompt"] = json!({"mode": {"override": {}}});
        }
        if self.is_v1() {
            self.has.insert("session");
            self.has.insert("mcp.stdio");
        } else if self.once_in(24) {
            // An agent for nothing but extensions.
            capabilities.as_object_mut().unwrap().remove("session");
            let kept = ["auth.status", "providers"];
            self.has.retain(|has| kept.contains(has) || CLIENT.iter().any(|offer| offer.0 == *has));
        } else {
            self.has.insert("session");
            if capabilities["session"].is_null() {
                capabilities["session"] = json!({});
            }
        }
        capabilities
    }

    fn ways_to_log_in(&mut self) {
        for number in 0..self.below(3) {
            let is_terminal = self.has("auth.terminal") && self.once_in(2);
            self.auth_methods.push((format!("login-{number}"), is_terminal));
        }
        self.needs_login = !self.auth_methods.is_empty() && self.once_in(2);
        // Version 2 logs out wherever one can log in.
        if !self.is_v1() && !self.auth_methods.is_empty() {
            self.has.insert("logout");
        }
    }

    fn auth_methods_v1(&mut self) -> Vec<Value> {
        let method = |(id, is_terminal): &(String, bool)| {
            let mut method = json!({"id": id, "name": format!("Log in ({id})")});
            if *is_terminal {
                method["type"] = json!("terminal");
                method["args"] = json!(["--login"]);
                method["env"] = json!({"TERM": "dumb"});
            }
            method
        };
        self.auth_methods.iter().map(method).collect()
    }

    fn auth_methods_v2(&mut self) -> Vec<Value> {
        let method = |(id, is_terminal): &(String, bool)| {
            let mut method =
                json!({"methodId": id, "name": format!("Log in ({id})"), "type": "agent"});
            if *is_terminal {
                method["type"] = json!("terminal");
                method["env"] =
                    json!([{"name": "TERM", "value": "dumb"}, {"name": "term", "value": ""}]);
            }
            method
        };
        self.auth_methods.iter().map(method).collect()
    }
}

/// Sets a member some levels down.
fn put(value: &mut Value, path: &str, member: Value) {
    let mut here = value;
    for name in path.split('/') {
        if !here.is_object() {
            *here = Value::Object(Map::new());
        }
        here = here.as_object_mut().unwrap().entry(name).or_insert(Value::Null);
    }
    if here.is_null() || !member.is_null() {
        *here = member;
    }
}
