//! How the client answers what the agent asks.

use acpcheck::protocol::Side;
use serde_json::{Map, Value, json};

use super::world::{Open, World};

impl World<'_> {
    pub(crate) fn client_answers(&mut self, id: &Value) {
        let duty = self.take_duty(Side::Client, id);
        match &*duty.method {
            "session/request_permission" => self.decide(&duty),
            "elicitation/create" => self.fill_in(&duty),
            "mcp/message" => self.serve_mcp(&duty),
            "fs/read_text_file" => self.read_file(&duty),
            method if method.starts_with('_') => self.answer_extension(Side::Client, id),
            _ if self.refuses(&duty) => {}
            "fs/write_text_file" => self.answer(Side::Client, id, json!({})),
            _ => self.serve_terminal(&duty),
        }
    }

    pub(crate) fn answer_extension(&mut self, side: Side, id: &Value) {
        if self.once_in(2) {
            self.refuse(side, id, -32601, "Method not found");
        } else {
            let result = self.pick(&[json!({}), json!({"pong": true}), Value::Null, json!([1])]);
            self.answer(side, id, result);
        }
    }

    /// Refuses a request, now and then, and says whether it did.
    fn refuses(&mut self, duty: &Open) -> bool {
        if duty.withdrawn && self.once_in(2) {
            self.refuse(Side::Client, &duty.id, -32800, "Request cancelled");
            return true;
        }
        let is_harmless = !matches!(&*duty.method, "terminal/release" | "terminal/wait_for_exit");
        if is_harmless && self.once_in(16) {
            let mut error =
                self.pick(&[(-32603, "Internal error"), (-32002, "Resource not found"), (7, "No")]);
            if duty.method == "fs/write_text_file" && error.0 == -32002 {
                // A file that is missing is created.
                error = (-32603, "Internal error");
            }
            self.refuse(Side::Client, &duty.id, error.0, error.1);
            return true;
        }
        false
    }

    fn decide(&mut self, duty: &Open) {
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        let is_stopped = self.stopped.contains(&duty.id);
        self.stopped.retain(|id| *id != duty.id);
        if duty.withdrawn && self.is_v1() && self.once_in(2) {
            self.refuse(Side::Client, &duty.id, -32800, "Request cancelled");
            return;
        }
        if duty.withdrawn || is_stopped {
            self.answer(Side::Client, &duty.id, cancelled);
            return;
        }
        let options = duty.params["options"].as_array().unwrap();
        match self.below(8) {
            6 => self.answer(Side::Client, &duty.id, cancelled),
            7 if self.once_in(2) => self.refuse(Side::Client, &duty.id, -32603, "Internal error"),
            _ => {
                let option = self.pick(options);
                let outcome = json!({"outcome": "selected", "optionId": option["optionId"]});
                self.answer(Side::Client, &duty.id, json!({"outcome": outcome}));
            }
        }
    }

    fn fill_in(&mut self, duty: &Open) {
        if duty.withdrawn && self.once_in(2) {
            self.refuse(Side::Client, &duty.id, -32800, "Request cancelled");
            return;
        }
        let action = if duty.withdrawn {
            "cancel"
        } else {
            self.pick(&["accept", "accept", "decline", "cancel"])
        };
        let mut result = json!({"action": action});
        if action == "accept" && duty.params["mode"] == "form" {
            result["content"] = self.content_for(&duty.params["requestedSchema"]);
        }
        self.answer(Side::Client, &duty.id, result);
    }

    /// What a user might fill in.
    fn content_for(&mut self, schema: &Value) -> Value {
        let mut content = Map::new();
        for (name, property) in schema["properties"].as_object().unwrap() {
            let is_required =
                schema["required"].as_array().is_some_and(|it| it.contains(&json!(name)));
            if !is_required && self.once_in(3) {
                continue;
            }
            let value = match property["type"].as_str().unwrap() {
                "string" if property["enum"].is_array() => {
                    self.pick(property["enum"].as_array().unwrap())
                }
                "string" if property["oneOf"].is_array() => {
                    self.pick(property["oneOf"].as_array().unwrap())["const"].clone()
                }
                "string" => json!("Jördis"),
                "integer" => self.pick(&[json!(1), json!(10)]),
                "number" => self.pick(&[json!(0.5), json!(2)]),
                "boolean" => json!(self.once_in(2)),
                _ => self.pick(&[json!(["red"]), json!(["red", "blue"])]),
            };
            content.insert(name.clone(), value);
        }
        Value::Object(content)
    }

    fn serve_mcp(&mut self, duty: &Open) {
        let result = match self.below(3) {
            0 => json!({"result": {"tools": []}}),
            1 => json!({"error": {"code": -32601, "message": "Method not found"}}),
            _ => json!({"result": null}),
        };
        let notes = self.below(3);
        for _ in 0..notes {
            let params = json!({
                "serverId": duty.params["serverId"],
                "requestId": duty.params["requestId"],
                "method": "notifications/progress",
                "params": {"progress": 1},
            });
            self.notify(Side::Client, "mcp/message", params);
        }
        self.answer(Side::Client, &duty.id, result);
    }

    fn read_file(&mut self, duty: &Open) {
        if self.refuses(duty) {
            return;
        }
        let limit = duty.params["limit"].as_u64().unwrap_or(9).min(9);
        let mut content = "line\n".repeat(usize::try_from(limit).unwrap());
        if self.once_in(2) && limit > 0 {
            content.pop();
        }
        self.answer(Side::Client, &duty.id, json!({"content": content}));
    }

    fn serve_terminal(&mut self, duty: &Open) {
        let params = &duty.params;
        if duty.method == "terminal/create" {
            let terminal = format!("term-{}", self.serial());
            let limit = params["outputByteLimit"].as_u64().map(|it| usize::try_from(it).unwrap());
            let shell = super::client::Shell { limit, ..Default::default() };
            self.shells.insert(terminal.clone(), shell);
            self.answer(Side::Client, &duty.id, json!({"terminalId": terminal}));
            return;
        }
        let terminal = params["terminalId"].as_str().unwrap();
        let more = self.pick(&["", "ok\n", "größer\n", "1\t2\u{1b}[0m"]);
        let exits = self.once_in(2);
        let code = self.pick(&[
            json!({"exitCode": 0}),
            json!({"exitCode": 101}),
            json!({"exitCode": null, "signal": "SIGTERM"}),
        ]);
        let shell = self.shells.get_mut(terminal).unwrap();
        if shell.exit.is_none() {
            shell.output.push_str(more);
        }
        let result = match &*duty.method {
            "terminal/output" => {
                if exits {
                    shell.exit.get_or_insert(code);
                }
                let limit = shell.limit.unwrap_or(usize::MAX);
                let mut kept = &*shell.output;
                while kept.len() > limit {
                    let first = kept.chars().next().unwrap();
                    kept = &kept[first.len_utf8()..];
                }
                let is_cut = kept.len() < shell.output.len();
                let mut result = json!({"output": kept, "truncated": is_cut});
                if let Some(exit) = &shell.exit {
                    result["exitStatus"] = exit.clone();
                }
                result
            }
            "terminal/wait_for_exit" => shell.exit.get_or_insert(code).clone(),
            "terminal/kill" => {
                shell.exit.get_or_insert(json!({"signal": "SIGKILL"}));
                json!({})
            }
            _ => json!({}),
        };
        self.answer(Side::Client, &duty.id, result);
    }
}
