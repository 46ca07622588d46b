//! Answers what the agent asks of the client: permissions, and files of the session's folder.

use serde_json::{Value, json};

use crate::drive::Agent;

/// How the played client answers requests of the agent, and the state that its answers need.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(super) struct Answers {
    /// Whether permission requests are granted; otherwise they are rejected.
    pub(super) allows: bool,
    /// Whether the client has advertised `fs/read_text_file` and `fs/write_text_file`. They are
    /// answered as unknown methods otherwise.
    pub(super) has_files: bool,
    /// Whether the client has cancelled the turn, so that permission requests get the outcome
    /// `cancelled`.
    pub(super) is_cancelled: bool,
    /// Whether the client has advertised terminals. Requests about them are answered as unknown
    /// methods otherwise.
    pub(super) has_terminals: bool,
    /// Whether the client has advertised elicitation. Questions are then declined, and otherwise
    /// answered as an unknown method.
    pub(super) has_elicitation: bool,
    /// How many requests the agent has sent about what the client has advertised: files, terminals, and
    /// questions to the user.
    pub(super) used: u32,
    /// Whether permission requests are not answered at once but put into `held`.
    pub(super) holds: bool,
    /// The ids and params of permission requests that wait for their answer, because of `holds`.
    pub(super) held: Vec<(Value, Value)>,
    /// How many terminals the agent has created, to number them.
    terminals: u32,
    /// The ids of terminals that the agent has created and not released.
    open_terminals: Vec<String>,
}

/// The `code` and `message` of the error that answers an agent's request.
type Error = (i64, String);

const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

impl Answers {
    pub(super) fn new(allows: bool) -> Self {
        Self {
            allows,
            has_files: false,
            is_cancelled: false,
            has_terminals: false,
            has_elicitation: false,
            used: 0,
            holds: false,
            held: Vec::new(),
            terminals: 0,
            open_terminals: Vec::new(),
        }
    }

    /// Keeps a permission request to answer it later, if `holds` says so. Returns whether the
    /// request was kept; otherwise it must be answered now.
    pub(super) fn hold(&mut self, method: &str, id: &Value, params: &Value) -> bool {
        let is_held = self.holds && method == "session/request_permission";
        if is_held {
            self.held.push((id.clone(), params.clone()));
        }
        is_held
    }

    /// The result or error by which the client answers a request of the agent. Files are read and
    /// written through `agent`.
    pub(super) fn to(
        &mut self,
        method: &str,
        params: &Value,
        agent: &dyn Agent,
    ) -> Result<Value, Error> {
        let text = |name: &str| {
            let text = params[name].as_str();
            text.ok_or_else(|| (INVALID_PARAMS, format!("`{name}` is not a string")))
        };
        let failed = |why: String| (INVALID_PARAMS, why);
        match method {
            "session/request_permission" => Ok(json!({ "outcome": self.outcome(params) })),
            "fs/read_text_file" if self.has_files => {
                self.used += 1;
                let content = agent.read_file(text("path")?).map_err(failed)?;
                Ok(json!({ "content": part(&content, params) }))
            }
            "fs/write_text_file" if self.has_files => {
                self.used += 1;
                agent.write_file(text("path")?, text("content")?).map_err(failed)?;
                Ok(json!({}))
            }
            "elicitation/create" if self.has_elicitation => {
                self.used += 1;
                Ok(json!({ "action": "decline" }))
            }
            _ if self.has_terminals && method.starts_with("terminal/") => {
                self.used += 1;
                self.terminal(method, params)
            }
            _ => Err((METHOD_NOT_FOUND, format!("this client has no method `{method}`"))),
        }
    }

    /// Plays terminals: each command has ended with status 1 as soon as it begins. Nothing is
    /// executed.
    fn terminal(&mut self, method: &str, params: &Value) -> Result<Value, Error> {
        let ended = json!({ "exitCode": 1, "signal": null });
        if method == "terminal/create" {
            self.terminals += 1;
            let id = format!("acpcheck-terminal-{}", self.terminals);
            self.open_terminals.push(id.clone());
            return Ok(json!({ "terminalId": id }));
        }
        let id = params["terminalId"].as_str().unwrap_or_default();
        let Some(place) = self.open_terminals.iter().position(|open| open == id) else {
            return Err((INVALID_PARAMS, format!("there is no terminal `{id}`")));
        };
        match method {
            "terminal/output" => Ok(json!({
                "output": "acpcheck executes no commands\n",
                "truncated": false,
                "exitStatus": ended,
            })),
            "terminal/wait_for_exit" => Ok(ended),
            "terminal/kill" => Ok(json!({})),
            "terminal/release" => {
                self.open_terminals.remove(place);
                Ok(json!({}))
            }
            _ => Err((METHOD_NOT_FOUND, format!("this client has no method `{method}`"))),
        }
    }

    /// The `outcome` of a permission request: the first option that allows or rejects, as the run
    /// wants; `cancelled` without such an option, or in a cancelled turn.
    pub(super) fn outcome(&self, params: &Value) -> Value {
        let kinds: [&str; 2] = if self.allows {
            ["allow_once", "allow_always"]
        } else {
            ["reject_once", "reject_always"]
        };
        let options = params["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut ids = kinds.iter().filter_map(|kind| {
            let option = options.iter().find(|option| option["kind"] == **kind)?;
            option["optionId"].as_str()
        });
        match ids.next() {
            Some(id) if !self.is_cancelled => json!({ "outcome": "selected", "optionId": id }),
            _ => json!({ "outcome": "cancelled" }),
        }
    }
}

/// The lines of a file that `fs/read_text_file` asks for: at most `limit` lines from `line` on,
/// which counts from 1.
fn part(text: &str, params: &Value) -> String {
    let number = |name: &str| params[name].as_u64().and_then(|it| usize::try_from(it).ok());
    let first = number("line").unwrap_or(1).saturating_sub(1);
    let limit = number("limit").unwrap_or(usize::MAX);
    text.split_inclusive('\n').skip(first).take(limit).collect()
}
