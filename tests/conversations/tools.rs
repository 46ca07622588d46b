//! Tool calls and the terminals that agents show on version 2.

use serde_json::{Value, json};

use super::{
    agent::{Deed, State},
    world::{Open, World},
};

#[derive(Clone, Debug)]
pub(crate) struct Tool {
    pub(crate) status: &'static str,
    /// A permission request for it waits.
    pub(crate) is_asked: bool,
    pub(crate) is_denied: bool,
    /// It offers to be cancelled.
    pub(crate) offers: bool,
    /// The terminals that its content shows, on version 2.
    pub(crate) displays: Vec<String>,
}

impl Tool {
    /// Keeps what an update shows: a list takes the place of what was shown, a chunk adds to it.
    fn show(&mut self, update: &Value) {
        let content = &update["content"];
        let id = |item: &Value| Some(item["terminalId"].as_str()?.to_owned());
        if let Some(list) = content.as_array() {
            self.displays = list.iter().filter_map(id).collect();
        }
        self.displays.extend(id(content));
    }

    pub(crate) fn is_final(&self) -> bool {
        matches!(self.status, "completed" | "failed" | "cancelled")
    }
}

/// A terminal of the client, on version 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Terminal {
    /// The release was sent.
    pub(crate) is_released: bool,
    pub(crate) is_waited_for: bool,
}

/// A terminal of the agent, on version 2.
#[derive(Clone, Debug, Default)]
pub(crate) struct Display {
    pub(crate) has_exited: bool,
    pub(crate) offers: bool,
}

const KINDS: [&str; 10] = [
    "read",
    "edit",
    "delete",
    "move",
    "search",
    "execute",
    "think",
    "fetch",
    "switch_mode",
    "other",
];

impl World<'_> {
    pub(crate) fn do_tool(&mut self, id: &str, deed: &Deed) {
        match deed {
            Deed::NewTool => self.new_tool(id),
            Deed::StepTool(tool) => self.step_tool(id, tool),
            Deed::StopTool(tool) => {
                let status = if self.is_v1() { "failed" } else { "cancelled" };
                let mut update = json!({});
                self.finish_tool(id, tool, status, &mut update);
            }
            Deed::Embellish(tool) => self.embellish(id, tool),
            Deed::Launch => self.launch(id),
            Deed::Output(display) => self.print(id, display),
            Deed::Exit(display) => {
                let status = self.pick(&[
                    json!({"exitCode": 0}),
                    json!({"exitCode": -1}),
                    json!({"signal": "SIGTERM"}),
                    json!({}),
                ]);
                let mut update = json!({"sessionUpdate": "terminal_update", "terminalId": display, "exitStatus": status});
                let kept = self.session(id).displays.get_mut(display).unwrap();
                kept.has_exited = true;
                if std::mem::take(&mut kept.offers) {
                    update["capabilities"] = Value::Null;
                }
                self.update(id, update);
            }
            other => panic!("{other:?} is about no tool"),
        }
    }

    fn new_tool(&mut self, id: &str) {
        let tool = format!("call_{}", self.serial());
        let mut update = json!({"toolCallId": tool, "title": format!("Tool {tool}")});
        let status = self.pick(&["pending", "pending", "in_progress", "completed"]);
        if status != "pending" || self.once_in(2) {
            update["status"] = json!(status);
        }
        if self.once_in(2) {
            update["kind"] = json!(self.pick(&KINDS));
            if !self.is_v1() && self.once_in(4) {
                update["kind"] = json!("_summon");
            }
        }
        if self.once_in(3) {
            update["name"] = json!(format!("tool_{tool}"));
        }
        self.fill_tool(id, &mut update);
        let mut kept =
            Tool { status, is_asked: false, is_denied: false, offers: false, displays: Vec::new() };
        if !self.is_v1() {
            if !kept.is_final() && self.once_in(3) {
                kept.offers = true;
                update["capabilities"] = json!({"cancel": {}});
            }
            kept.show(&update);
        }
        self.session(id).tools.insert(tool, kept);
        update["sessionUpdate"] =
            json!(if self.is_v1() { "tool_call" } else { "tool_call_update" });
        self.remember_tool(id, &update);
        self.update(id, update);
    }

    /// Keeps for replays that there was such a tool call, and how it stands.
    fn remember_tool(&mut self, id: &str, update: &Value) {
        let history = &mut self.session(id).history;
        let known = history.iter_mut().find(|it| it["toolCallId"] == update["toolCallId"]);
        match known {
            Some(known) if !update["status"].is_null() => {
                known["status"] = update["status"].clone();
            }
            Some(_) => {}
            None => history.push(json!({
                "sessionUpdate": update["sessionUpdate"],
                "toolCallId": update["toolCallId"],
                "title": update["title"],
                "status": update["status"].as_str().unwrap_or("pending"),
            })),
        }
    }

    /// Whether the agent may go on with a tool call.
    pub(crate) fn may_step(tool: &Tool) -> bool {
        !tool.is_final() && !tool.is_asked
    }

    fn step_tool(&mut self, id: &str, tool: &str) {
        let kept = &self.sessions[id].tools[tool];
        let is_v1 = self.is_v1();
        let next = match kept.status {
            _ if kept.is_denied && is_v1 => "failed",
            _ if kept.is_denied => self.pick(&["failed", "cancelled"]),
            "pending" => self.pick(&["in_progress", "in_progress", "completed", "failed"]),
            "in_progress" if is_v1 => self.pick(&["completed", "completed", "failed"]),
            "in_progress" => self.pick(&["completed", "failed", "paused", "completed"]),
            _ => "in_progress",
        };
        let mut update = json!({});
        if self.sessions[id].background.is_none() {
            self.fill_tool(id, &mut update);
        }
        self.finish_tool(id, tool, next, &mut update);
    }

    /// Reports a status; a final one takes back the offer to cancel.
    fn finish_tool(&mut self, id: &str, tool: &str, status: &'static str, update: &mut Value) {
        update["sessionUpdate"] = json!("tool_call_update");
        update["toolCallId"] = json!(tool);
        update["status"] = json!(status);
        let kept = self.session(id).tools.get_mut(tool).unwrap();
        kept.status = status;
        kept.show(update);
        if kept.is_final() && std::mem::take(&mut kept.offers) {
            update["capabilities"] = Value::Null;
        }
        self.remember_tool(id, update);
        self.update(id, update.clone());
    }

    /// Says more about a tool call, whatever its status.
    fn embellish(&mut self, id: &str, tool: &str) {
        let mut update = json!({"sessionUpdate": "tool_call_update", "toolCallId": tool});
        // What is listed as itself, or as its terminal, stays what it is.
        let is_settled = self.sessions[id].background.is_some();
        if is_settled {
            update["title"] = json!(format!("Tool {tool}, renamed"));
        } else if !self.is_v1() && self.once_in(3) {
            let content = self.tool_content(id);
            update["sessionUpdate"] = json!("tool_call_content_chunk");
            update["content"] = content;
        } else if self.once_in(4) {
            update["title"] = json!(format!("Tool {tool}, renamed"));
        } else {
            self.fill_tool(id, &mut update);
        }
        self.remark(&mut update);
        self.session(id).tools.get_mut(tool).unwrap().show(&update);
        self.update(id, update);
    }

    fn fill_tool(&mut self, id: &str, update: &mut Value) {
        if self.once_in(3) {
            let content: Vec<_> = (0..=self.below(2)).map(|_| self.tool_content(id)).collect();
            update["content"] = json!(content);
        }
        if self.once_in(4) {
            let root = self.sessions[id].cwd.clone();
            let line = self.pick(&[json!(1), Value::Null, json!(4_294_967_295_u32)]);
            update["locations"] = json!([{"path": self.path_in(&root), "line": line}]);
        }
        if self.once_in(4) {
            update["rawInput"] = self.anything();
            update["rawOutput"] = self.anything();
        }
    }

    fn tool_content(&mut self, id: &str) -> Value {
        match self.below(3) {
            0 => json!({"type": "content", "content": self.block()}),
            1 => self.diff(id),
            _ => {
                let session = &self.sessions[id];
                let live: Vec<_> = if self.is_v1() {
                    session
                        .terminals
                        .iter()
                        .filter(|it| !it.1.is_released)
                        .map(|it| it.0.clone())
                        .collect()
                } else {
                    session.displays.keys().cloned().collect()
                };
                if live.is_empty() {
                    return json!({"type": "content", "content": {"type": "text", "text": "ok"}});
                }
                json!({"type": "terminal", "terminalId": self.pick(&live)})
            }
        }
    }

    fn diff(&mut self, id: &str) -> Value {
        let root = self.sessions[id].cwd.clone();
        let path = self.path_in(&root);
        if self.is_v1() {
            let old = self.pick(&[json!("old\n"), Value::Null, json!("")]);
            return json!({"type": "diff", "path": path, "oldText": old, "newText": self.text()});
        }
        // Quoted names are a matter of their own.
        if root.contains(|c: char| !c.is_ascii() || c == '\\' || c == ' ') || path.contains(' ') {
            return json!({"type": "diff", "changes": [{"operation": "modify", "path": path}]});
        }
        let change = match self.below(4) {
            0 => json!({"operation": "modify", "path": path, "fileType": "text"}),
            1 => json!({"operation": "add", "path": path, "mimeType": "text/x-rust"}),
            2 => json!({"operation": "delete", "path": path}),
            _ => json!({"operation": "move", "oldPath": format!("{path}.old"), "path": path}),
        };
        let mut diff = json!({"type": "diff", "changes": [change]});
        if self.once_in(2) {
            let operation = diff["changes"][0]["operation"].as_str().unwrap();
            let text = match operation {
                "modify" => format!(
                    "diff --git {path} {path}\n--- {path}\n+++ {path}\n@@ -1,2 +1,2 @@\n same\n--- gone\n+++ new\n"
                ),
                "add" => format!(
                    "diff --git {path} {path}\nnew file mode 100644\n--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+one\n"
                ),
                "delete" => format!(
                    "diff --git {path} {path}\ndeleted file mode 100644\n--- {path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
                ),
                _ => format!(
                    "diff --git {path}.old {path}\nsimilarity index 100%\nrename from {path}.old\nrename to {path}\n"
                ),
            };
            diff["patch"] = json!({"format": "git_patch", "text": text});
        }
        diff
    }

    // Version 2.

    fn launch(&mut self, id: &str) {
        let display = format!("x{}", self.serial());
        let cwd = self.sessions[id].cwd.clone();
        let mut update = json!({"sessionUpdate": "terminal_update", "terminalId": display, "command": "make check", "cwd": cwd});
        let mut kept = Display::default();
        if self.once_in(3) {
            kept.offers = true;
            update["capabilities"] = json!({"cancel": {}});
        }
        if self.once_in(4) {
            update["size"] = json!({"cols": 80, "rows": 24});
        }
        self.session(id).displays.insert(display, kept);
        self.update(id, update);
    }

    fn print(&mut self, id: &str, display: &str) {
        let data = self.pick(&["b2sK", "", "w7w=", "4oI=", "rAo="]);
        let update = if self.once_in(4) {
            json!({"sessionUpdate": "terminal_update", "terminalId": display, "output": {"data": data}})
        } else {
            json!({"sessionUpdate": "terminal_output_chunk", "terminalId": display, "data": data})
        };
        self.update(id, update);
    }

    /// `tool_call/cancel` and `terminal/cancel`.
    pub(crate) fn cancel_one(&mut self, duty: &Open, id: &str) {
        let agent = acpcheck::protocol::Side::Agent;
        let session = self.session(id);
        let is_running = if let Some(tool) = duty.params["toolCallId"].as_str() {
            session.tools.get(tool).is_some_and(|tool| tool.offers)
        } else {
            let display = duty.params["terminalId"].as_str().unwrap();
            session.displays.get(display).is_some_and(|display| display.offers)
        };
        if is_running {
            self.answer(agent, &duty.id, json!({}));
        } else {
            self.refuse(agent, &duty.id, -32602, "Already ended");
        }
    }

    /// The list of what goes on in the background, after a change of the foreground.
    pub(crate) fn background(&mut self, id: &str, state: State) -> Option<Value> {
        let session = self.session(id);
        session.background.as_ref()?;
        let mut listed = session.background.take().unwrap_or_default();
        let goes_on = |item: &Value| {
            if item["type"] == "terminal" {
                let display = session.displays.get(item["terminalId"].as_str().unwrap());
                display.is_some_and(|display| !display.has_exited)
            } else {
                let tool = session.tools.get(item["toolCallId"].as_str().unwrap());
                tool.is_some_and(|tool| !tool.is_final())
            }
        };
        listed.retain(goes_on);
        if state == State::Idle {
            let terminals = session.displays.iter().filter(|it| !it.1.has_exited);
            for (display, _) in terminals {
                let item = json!({"type": "terminal", "terminalId": display});
                if !listed.contains(&item) {
                    listed.push(item);
                }
            }
            let runs_in_terminal = |tool: &Tool| {
                let mut shown = tool.displays.iter().filter_map(|it| session.displays.get(it));
                shown.any(|display| !display.has_exited)
            };
            let tools = session.tools.iter();
            for (tool, _) in tools.filter(|it| !it.1.is_final() && !runs_in_terminal(it.1)) {
                let item = json!({"type": "tool_call", "toolCallId": tool});
                if !listed.contains(&item) {
                    listed.push(item);
                }
            }
        }
        session.background = Some(listed.clone());
        Some(json!(listed))
    }
}
