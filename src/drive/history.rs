//! What the updates of a session show of its conversation, as far as the table of `drive` tells it.

use std::collections::BTreeSet;

use serde_json::Value;

/// Most ids of messages, and of tool calls, that are kept to count each once. Further ids are not
/// counted, so that a hostile agent cannot fill the memory.
const MOST: usize = 10_000;

/// What session updates have shown of a conversation, to compare a replay with what happened:
/// messages of the user, tool calls, and whether there is a plan.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// The `messageId`s of the user's messages, each once.
    messages: BTreeSet<String>,
    /// How many messages of the user came without an id. Chunks that follow each other count as one
    /// message.
    unnamed: usize,
    tool_calls: BTreeSet<String>,
    pub has_plan: bool,
    /// Whether the last update about a message or tool call was of a message of the user, so that a
    /// further chunk continues it.
    is_user: bool,
}

impl History {
    /// Counts what a session update shows of the conversation. `update` is the object with
    /// `sessionUpdate`.
    pub fn take(&mut self, update: &Value) {
        let kind = update["sessionUpdate"].as_str().unwrap_or_default();
        let add = |ids: &mut BTreeSet<String>, id: &str| {
            if ids.len() < MOST {
                ids.insert(id.to_owned());
            }
        };
        match kind {
            "user_message" | "user_message_chunk" => {
                match update["messageId"].as_str() {
                    Some(id) => add(&mut self.messages, id),
                    None if kind == "user_message_chunk" && self.is_user => {}
                    None => self.unnamed += 1,
                }
                self.is_user = true;
            }
            "tool_call" | "tool_call_update" => {
                if let Some(id) = update["toolCallId"].as_str() {
                    add(&mut self.tool_calls, id);
                }
                self.is_user = false;
            }
            "plan" | "plan_update" => self.has_plan = true,
            "agent_message" | "agent_message_chunk" => self.is_user = false,
            _ => {}
        }
    }

    /// The number of different messages of the user.
    pub fn prompts(&self) -> usize {
        self.messages.len() + self.unnamed
    }

    /// The number of different tool calls.
    pub fn tool_calls(&self) -> usize {
        self.tool_calls.len()
    }
}
