//! The terminals that a client keeps for an agent, on version 1.
//!
//! ```text
//!  create ──▶ Live ── release request ──▶ Releasing ── result ──▶ Released ── create ──▶ Live
//!              ▲                              │ error
//!              └──────────────────────────────┘
//! ```

use crate::{
    event::Call,
    json::{Node, Text},
    map::{Map, Set},
    model::{
        anchor::{Anchor, Pointer},
        request::facts::RequestFacts,
        response::Answer,
        session::on_demand,
    },
};

/// Whether a terminal of the client may still be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalState {
    Live,
    /// The agent has sent `terminal/release`, which is not answered yet.
    Releasing {
        request: Anchor,
    },
    Released {
        answer: Anchor,
    },
}

/// A terminal that the client runs for the agent, created by `terminal/create`.
#[derive(Clone, Debug)]
pub struct Terminal {
    /// Place of the `terminal/create` request, so that a finding can point at it.
    pub created: Anchor,
    /// Place of the `terminalId` in the answer to `terminal/create`, so that a finding can point at
    /// it.
    pub named: Anchor,
    /// The `outputByteLimit` of `terminal/create` in bytes, and its place; `None` without a limit.
    pub limit: Option<(u64, Anchor)>,
    pub tenure: TerminalState,
    /// Whether a tool call has shown the terminal in its `content`.
    pub is_embedded: bool,
    /// The first exit code that an answer gave for the terminal, and its place; `None` before that.
    pub exit: Option<(i64, Anchor)>,
    /// Place of the last request for the terminal, other than `terminal/create`; `None` when it was
    /// never used.
    pub used: Option<Anchor>,
}

/// The terminals that the client runs in one session, by id.
#[derive(Clone, Debug, Default)]
pub struct Terminals {
    created: Map<Box<str>, Terminal>,
    /// Ids of terminals that the agent runs itself and announces in the `_meta` of a tool call, an
    /// extension of some clients. No `terminal/create` explains these.
    foreign: Set<Box<str>>,
}

on_demand::empty!(Terminals);

impl Terminals {
    pub fn get(&self, id: Text<'_>) -> Option<&Terminal> {
        self.created.get(&*id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&Terminal> {
        self.created.get(id)
    }

    /// All terminals of the session that the client runs, with their ids, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Terminal)> {
        self.created.iter().map(|(id, terminal)| (&**id, terminal))
    }

    /// Whether the terminal is the agent's own, announced in the `_meta` of a tool call.
    pub fn is_foreign(&self, id: Text<'_>) -> bool {
        self.foreign.contains(&*id.as_cow())
    }

    /// Applies a request for a terminal that exists, such as `terminal/release`.
    pub(super) fn apply_call(&mut self, method: &str, call: &Call<'_>) {
        let Some(id) = call.param("terminalId").and_then(Node::text) else { return };
        let Some(terminal) = self.created.get_mut(&*id.as_cow()) else { return };
        let request = Anchor::of(call.node, &"");
        terminal.used = Some(request);
        if method == "terminal/release" && terminal.tenure == TerminalState::Live {
            terminal.tenure = TerminalState::Releasing { request };
        }
    }

    pub(super) fn apply_answer(&mut self, answer: &Answer<'_>) {
        match &answer.request.facts {
            RequestFacts::CreateTerminal { limit } => self.create(answer, *limit),
            RequestFacts::Terminal { id } => self.note_exit(answer, id),
            _ => {}
        }
    }

    fn create(&mut self, answer: &Answer<'_>, limit: Option<(u64, Anchor)>) {
        let named = answer.result().and_then(|result| result.get("terminalId"));
        let Some(id) = named.and_then(Node::text) else { return };
        let terminal = Terminal {
            created: answer.request.at,
            named: Anchor::of(id.node(), &"/result/terminalId"),
            limit,
            tenure: TerminalState::Live,
            is_embedded: false,
            exit: None,
            used: None,
        };
        self.created.insert(id.to_boxed(), terminal);
    }

    fn note_exit(&mut self, answer: &Answer<'_>, id: &str) {
        let Some(terminal) = self.created.get_mut(id) else { return };
        if &*answer.request.method == "terminal/release" {
            let is_asked =
                terminal.tenure == TerminalState::Releasing { request: answer.request.at };
            terminal.tenure = match answer.result() {
                Some(_) => TerminalState::Released { answer: Anchor::of(answer.node, &"") },
                None if is_asked => TerminalState::Live,
                None => terminal.tenure,
            };
        }
        if let Some((code, node)) = exit_code(answer) {
            let (_, pointer) = exit_path(&answer.request.method);
            terminal.exit = terminal.exit.or(Some((code, Anchor::of(node, pointer))));
        }
    }

    /// Notes the terminals that a tool call shows in its `content` or names in its `_meta`.
    pub(super) fn apply_report(&mut self, report: Node<'_>) {
        if let Some(id) = announced(report) {
            self.foreign.insert(id.to_boxed());
        }
        if self.created.is_empty() {
            return;
        }
        for item in report.get("content").into_iter().flat_map(Node::elements) {
            if let Some(id) = shown(item)
                && let Some(terminal) = self.created.get_mut(&*id.as_cow())
            {
                terminal.is_embedded = true;
            }
        }
    }
}

/// The id of a terminal that the agent runs itself, from `_meta.terminal_info.terminal_id` of a
/// tool call; `None` without one.
pub fn announced(report: Node<'_>) -> Option<Text<'_>> {
    report.get("_meta")?.path(&["terminal_info", "terminal_id"])?.text()
}

/// The id of the terminal that an item of a tool call's `content` shows; `None` for items of other
/// types.
pub fn shown(item: Node<'_>) -> Option<Text<'_>> {
    item.get("type").filter(|kind| kind.is("terminal"))?;
    item.get("terminalId")?.text()
}

/// The exit code in an answer to `terminal/wait_for_exit` or `terminal/output`, and its JSON value;
/// `None` without one.
pub fn exit_code<'t>(answer: &Answer<'t>) -> Option<(i64, Node<'t>)> {
    let (path, _) = exit_path(&answer.request.method);
    let node = answer.result()?.path(path)?;
    Some((node.integer()?, node))
}

fn exit_path(method: &str) -> (&'static [&'static str], Pointer) {
    match method {
        "terminal/wait_for_exit" => (&["exitCode"], &"/result/exitCode"),
        _ => (&["exitStatus", "exitCode"], &"/result/exitStatus/exitCode"),
    }
}
