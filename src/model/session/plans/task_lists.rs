//! The lists of tasks that an agent's tools keep. A client sees them only if the agent sends plans.

use crate::{
    json::{Node, Text},
    map::Map,
    model::{anchor::Anchor, session::tool_calls::ToolCallStatus},
};

/// Most tool calls of a turn whose task lists are kept until they end; the lists of further ones are
/// ignored.
const OPEN: usize = 64;
/// How deep in the input of a tool a task list is looked for.
const DEPTH: u32 = 3;

/// The task lists in the inputs of a turn's tool calls, and whether the turn has a plan.
#[derive(Clone, Debug, Default)]
pub struct TaskLists {
    /// The lists of tool calls that have not ended, by the id of the tool call.
    open: Map<Box<str>, Anchor>,
    /// Place of the first list whose tool call has completed; `None` without one.
    pub kept: Option<Anchor>,
    /// Whether the agent has sent a plan, or removed one.
    pub is_planned: bool,
}

impl TaskLists {
    /// Takes the task list in the new input of a tool call; `None` for an input without one.
    pub(in crate::model::session) fn list(&mut self, id: Text<'_>, list: Option<Node<'_>>) {
        let id = id.as_cow();
        let Some(list) = list else {
            self.open.remove(&*id);
            return;
        };
        if self.open.len() < OPEN || self.open.contains_key(&*id) {
            self.open.insert((&*id).into(), Anchor::of(list, &"/params/update/rawInput"));
        }
    }

    /// Notes that a tool call has ended with this status.
    pub(in crate::model::session) fn end(&mut self, id: Text<'_>, status: ToolCallStatus) {
        let list = self.open.remove(&*id.as_cow());
        if status == ToolCallStatus::Completed {
            self.kept = self.kept.or(list);
        }
    }
}

/// The first task list in the input of a tool: two or more objects, each with a text and with a status
/// of a task. `None` without one.
pub(in crate::model::session) fn task_list(input: Node<'_>) -> Option<Node<'_>> {
    within(input, DEPTH)
}

fn within(node: Node<'_>, depth: u32) -> Option<Node<'_>> {
    if node.is_array() {
        let mut tasks = node.elements();
        let has_two = tasks.next().is_some_and(is_task) && tasks.next().is_some_and(is_task);
        return (has_two && tasks.all(is_task)).then_some(node);
    }
    if depth == 0 {
        return None;
    }
    node.members().find_map(|(_, value)| within(value, depth - 1))
}

fn is_task(node: Node<'_>) -> bool {
    const TEXTS: [&str; 9] =
        ["content", "description", "name", "step", "subject", "summary", "task", "text", "title"];
    let has_text = |name| node.get(name).and_then(Node::text).is_some_and(|text| !text.is_empty());
    let status = node.get("status").and_then(Node::text);
    status.is_some_and(is_task_status) && TEXTS.into_iter().any(has_text)
}

/// Whether a word is the status of a task. Those of issues, such as `open`, are not.
fn is_task_status(word: Text<'_>) -> bool {
    let word = word.as_cow();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).map(|it| it.to_ascii_lowercase());
    let known: [&[u8]; 14] = [
        b"pending",
        b"todo",
        b"notstarted",
        b"inprogress",
        b"doing",
        b"active",
        b"started",
        b"completed",
        b"complete",
        b"done",
        b"finished",
        b"cancelled",
        b"canceled",
        b"skipped",
    ];
    known.iter().any(|known| letters.clone().eq(known.iter().copied()))
}

#[cfg(test)]
mod tests {
    use crate::{
        json::{Doc, Tape},
        source::Origin,
    };

    use super::task_list;

    #[test]
    fn task_lists_are_known_by_their_form() {
        for (input, is_list) in [
            (
                r#"{"todos":[{"content":"a","status":"pending"},{"content":"b","status":"done"}]}"#,
                true,
            ),
            (
                r#"{"input":{"plan":[{"step":"a","status":"In Progress"},{"step":"b","status":"todo"}]}}"#,
                true,
            ),
            (r#"[{"text":"a","status":"not-started"},{"text":"b","status":"completed"}]"#, true),
            (r#"{"todos":[{"content":"a","status":"pending"}]}"#, false),
            (r#"{"todos":[{"content":"a","status":"pending"},{"content":"b"}]}"#, false),
            (r#"{"todos":[{"content":"a","status":"pending"},{"status":"pending"}]}"#, false),
            (
                r#"{"issues":[{"title":"a","status":"open"},{"title":"b","status":"closed"}]}"#,
                false,
            ),
            (
                r#"{"filters":[{"field":"state","value":"open"},{"field":"label","value":"x"}]}"#,
                false,
            ),
            (r#""todos""#, false),
        ] {
            let mut tape = Tape::new();
            tape.parse(input).unwrap();
            let doc = Doc::new(input, &tape, Origin::START);
            assert_eq!(task_list(doc.root()).is_some(), is_list, "{input}");
        }
    }
}
