//! Finds the content blocks that a request or notification carries, by its method or kind of
//! update.

use std::ops::Deref;

use crate::{
    event::{call::Call, update::Update},
    json::{Node, Text},
};

/// A content block in a request or notification whose `type` is a string. Rules on content get this
/// as their event.
#[derive(Clone, Copy, Debug)]
pub struct Block<'t> {
    pub call: &'t Call<'t>,
    /// The block's `type`, such as `text` or `image`.
    pub kind: Text<'t>,
    pub block: Node<'t>,
}

impl<'t> Deref for Block<'t> {
    type Target = Call<'t>;

    fn deref(&self) -> &Call<'t> {
        self.call
    }
}

/// Calls `visit` with every content block of a call, in the order of the text. `update` is that of
/// a `session/update`, `None` for other calls.
pub(crate) fn each<'t>(
    method: &str,
    call: &Call<'t>,
    update: Option<&Update<'t>>,
    visit: &mut dyn FnMut(Node<'t>),
) {
    match method {
        "session/update" => {
            if let Some(update) = update {
                in_update(&update.kind.as_cow(), update.update, visit);
            }
        }
        "session/prompt" => in_list(call.param("prompt"), visit),
        "session/request_permission" => {
            let subject = call.param("subject");
            let reported = call.param("toolCall").or_else(|| subject?.get("toolCall"));
            in_tool_content(reported.and_then(|call| call.get("content")), visit);
        }
        _ => {
            let prompt = call.params.and_then(|params| params.path(&["systemPrompt", "content"]));
            in_list(prompt, visit);
        }
    }
}

fn in_update<'t>(kind: &str, update: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    let content = update.get("content");
    match kind {
        "user_message_chunk"
        | "agent_message_chunk"
        | "agent_thought_chunk"
        | "session_message_chunk"
        | "compaction_summary_chunk" => content.into_iter().for_each(visit),
        "user_message" | "agent_message" | "agent_thought" | "session_message" => {
            in_list(content, visit);
        }
        "tool_call" | "tool_call_update" => in_tool_content(content, visit),
        "tool_call_content_chunk" => content.into_iter().for_each(|item| in_item(item, visit)),
        "compaction_update" => in_list(update.get("summary"), visit),
        _ => {}
    }
}

fn in_list<'t>(list: Option<Node<'t>>, visit: &mut dyn FnMut(Node<'t>)) {
    list.into_iter().flat_map(Node::elements).for_each(visit);
}

fn in_tool_content<'t>(content: Option<Node<'t>>, visit: &mut dyn FnMut(Node<'t>)) {
    content.into_iter().flat_map(Node::elements).for_each(|item| in_item(item, visit));
}

fn in_item<'t>(item: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    if item.get("type").is_some_and(|kind| kind.is("content")) {
        item.get("content").into_iter().for_each(visit);
    }
}
