//! Terminals of the agent, on version 2, as its updates and tool calls describe them. An update
//! changes some members of a terminal. A reference to a terminal may come before its first update.

use std::ops::{Deref, DerefMut};

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::IndexMap,
    model::{
        anchor::{Anchor, Pointer},
        session::{
            cancellation::Cancellation,
            on_demand::{self, OnDemand},
            permissions::Denial,
            terminals,
        },
    },
};

/// A terminal that the agent runs itself and shows on version 2, from the first message that names
/// it.
#[derive(Clone, Debug)]
pub struct AgentTerminal {
    /// The first mention of the terminal by a tool call or a permission request; `None` when only
    /// updates of the terminal name it.
    pub referenced: Option<Reference>,
    /// Place of the last `terminal_update` or `terminal_output_chunk`, so that a finding can point
    /// at it; of the first mention when there is none.
    pub last: Anchor,
    /// What updates have reported of the terminal. Allocated only when there is something to keep,
    /// since a tool call may refer to a million terminals that no update describes.
    course: OnDemand<TerminalCourse>,
}

/// What the updates of an agent's terminal have reported, and what was decided about its command.
#[derive(Clone, Debug, Default)]
pub struct TerminalCourse {
    /// Place of the terminal's first `terminal_update`; `None` before that.
    pub updated: Option<Anchor>,
    /// Place of the first `terminal_update` or `terminal_output_chunk` for the terminal; `None`
    /// before that.
    pub reported: Option<Anchor>,
    /// The command that was last reported for the terminal, and its place; `None` when it has none.
    pub command: Option<(Box<str>, Anchor)>,
    /// Whether any update has reported a command for the terminal.
    pub was_commanded: bool,
    /// The working directory that was last reported for the terminal, and its place; `None` when it
    /// has none.
    pub cwd: Option<(Box<str>, Anchor)>,
    /// Place and message number of the update that reported the terminal's exit; `None` while it
    /// runs.
    pub exit: Option<(Anchor, u64)>,
    pub cancellation: Cancellation,
    /// The last answer that did not approve the terminal's command; `None` when none was refused,
    /// or once one approves it.
    pub denied: Option<Denial>,
}

impl Deref for AgentTerminal {
    type Target = TerminalCourse;

    fn deref(&self) -> &TerminalCourse {
        &self.course
    }
}

impl DerefMut for AgentTerminal {
    fn deref_mut(&mut self) -> &mut TerminalCourse {
        &mut self.course
    }
}

/// The place of a terminal's id where it is first named outside of the terminal's own updates: in a
/// tool call or a permission request.
#[derive(Clone, Copy, Debug)]
pub enum Reference {
    ToolCall(Anchor),
    Permission(Anchor),
}

impl AgentTerminal {
    fn offers_after_exit(&self) -> bool {
        self.exit.is_some() && self.cancellation.offered.is_some()
    }
}

/// The terminals that the agent itself runs in one session of version 2, by id.
#[derive(Clone, Debug, Default)]
pub struct AgentTerminals {
    agent_terminals: IndexMap<Box<str>, AgentTerminal>,
    /// Number of terminals that have exited and still offer to be cancelled.
    offering: usize,
}

on_demand::empty!(AgentTerminals, TerminalCourse);

impl AgentTerminals {
    pub fn get(&self, id: Text<'_>) -> Option<&AgentTerminal> {
        self.agent_terminals.get(&*id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&AgentTerminal> {
        self.agent_terminals.get(id)
    }

    /// Whether any terminal has exited and still offers to be cancelled, which a rule reports.
    pub fn any_offers_after_exit(&self) -> bool {
        self.offering > 0
    }

    /// All terminals with their ids, in the order of their first mention.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &AgentTerminal)> {
        self.agent_terminals.iter().map(|(id, display)| (&**id, display))
    }

    fn of(&mut self, id: Text<'_>, first: Anchor) -> Option<&mut AgentTerminal> {
        let name = id.as_cow();
        if !self.agent_terminals.contains_key(&*name) {
            let course = OnDemand::default();
            let terminal = AgentTerminal { referenced: None, last: first, course };
            self.agent_terminals.insert((&*name).into(), terminal);
        }
        self.agent_terminals.get_mut(&*name)
    }

    /// Applies a `terminal_update` or `terminal_output_chunk`. `number` is the number of the
    /// message.
    pub(super) fn apply_update(&mut self, kind: &str, update: &Update<'_>, number: u64) {
        let body = update.update;
        let at = Anchor::of(body, &"/params/update");
        let Some(id) = body.get("terminalId").and_then(Node::text) else { return };
        let Some(display) = self.of(id, at) else { return };
        let offered = display.offers_after_exit();
        display.last = at;
        display.reported = display.reported.or(Some(at));
        if kind != "terminal_update" {
            return;
        }
        display.updated = display.updated.or(Some(at));
        patch(&mut display.command, body.get("command"), &"/params/update/command");
        patch(&mut display.cwd, body.get("cwd"), &"/params/update/cwd");
        display.was_commanded |= display.command.is_some();
        match body.get("exitStatus") {
            Some(status) if status.is_object() => {
                let exit = (Anchor::of(status, &"/params/update/exitStatus"), number);
                display.exit = display.exit.or(Some(exit));
            }
            Some(status) if status.is_null() => display.exit = None,
            _ => {}
        }
        display.cancellation.apply(body, number, update.at);
        match (offered, display.offers_after_exit()) {
            (false, true) => self.offering += 1,
            (true, false) => self.offering -= 1,
            _ => {}
        }
    }

    /// Notes the terminals that the `content` of a tool call shows. `report` is that list, or a
    /// single item.
    pub(super) fn apply_report(&mut self, report: Node<'_>) {
        let content = report.get("content");
        let single = content.filter(|content| content.is_object());
        for item in content.into_iter().flat_map(Node::elements).chain(single) {
            if let Some(id) = terminals::shown(item) {
                self.refer(
                    id,
                    Reference::ToolCall(Anchor::of(id.node(), &"/params/update/content")),
                );
            }
        }
    }

    /// Notes the terminal that a permission request names in its `subject`.
    pub(super) fn apply_request(&mut self, request: &Call<'_>) {
        let named = request.param("subject").and_then(|subject| subject.get("terminalId"));
        if let Some(id) = named.and_then(Node::text) {
            let at = Anchor::of(id.node(), &"/params/subject/terminalId");
            self.refer(id, Reference::Permission(at));
        }
    }

    fn refer(&mut self, id: Text<'_>, reference: Reference) {
        let (Reference::ToolCall(at) | Reference::Permission(at)) = reference;
        if let Some(display) = self.of(id, at) {
            display.referenced = display.referenced.or(Some(reference));
        }
    }

    pub(super) fn decide(&mut self, id: &str, denied: Option<Denial>) {
        let denies = |display: &&mut AgentTerminal| denied.is_some() || display.denied.is_some();
        if let Some(display) = self.agent_terminals.get_mut(id).filter(denies) {
            display.denied = denied;
        }
    }

    pub(super) fn ask_cancellation(&mut self, id: Text<'_>) {
        if let Some(display) = self.agent_terminals.get_mut(&*id.as_cow()) {
            display.cancellation.asked = true;
        }
    }

    pub(super) fn accept_cancellation(&mut self, id: &str, answer: Anchor) {
        if let Some(display) = self.agent_terminals.get_mut(id) {
            display.cancellation.accepted = Some(answer);
        }
    }
}

/// Sets a text of an update: an absent member changes nothing, null clears, a string replaces. The
/// place stays that of the first update with the same text.
fn patch(member: &mut Option<(Box<str>, Anchor)>, node: Option<Node<'_>>, pointer: Pointer) {
    let Some(node) = node else { return };
    match node.text() {
        Some(text) if member.as_ref().is_some_and(|(known, _)| text == **known) => {}
        Some(text) => *member = Some((text.to_boxed(), Anchor::of(node, pointer))),
        None if node.is_null() => *member = None,
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For tests: a tool call may refer to a hundred thousand terminals, so each reference has to
    /// be small.
    #[test]
    fn a_reference_is_small() {
        assert!(size_of::<AgentTerminal>() <= 80, "{} bytes", size_of::<AgentTerminal>());
    }
}
