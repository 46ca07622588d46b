//! Reads `vibe-kanban` files: the events that Vibe Kanban keeps of a session. They hold what
//! session updates hold, under names of its own.
//!
//! ```text
//! {"Plan":{"entries":[{"content":"Water the roses","priority":"low","status":"pending"}]}}
//! ```

use std::ops::Range;

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss, NO_ENVELOPE},
        rebuilt::Rebuilt,
        record::{Body, Record},
    },
};

pub(super) static FORMAT: Format = Format {
    name: "vibe-kanban",
    about: "session events of Vibe Kanban: contents of session updates under other names",
    obtain: "Vibe Kanban always writes `<session>.jsonl`, in a folder for each kind of agent under `~/.vibe-kanban`",
    limits: &[
        Limit {
            what: "Vibe Kanban keeps only session updates, without their session",
            loss: Loss::AllButUpdates,
        },
        NO_ENVELOPE,
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

/// Events that hold the body of a session update, with the kind of update.
const UPDATES: [(&str, &str); 6] = [
    ("Plan", "plan"),
    ("ToolCall", "tool_call"),
    ("ToolUpdate", "tool_call_update"),
    ("Message", "agent_message_chunk"),
    ("Thought", "agent_thought_chunk"),
    ("CurrentMode", "current_mode_update"),
];
const COMMANDS: &str = "AvailableCommands";
/// The kind of event that holds a session update of any other kind.
const OTHER: &str = "Other";
/// Kinds of events of the recorder itself, which no side sent.
const NOTES: [&str; 7] = [
    "User",
    "SessionStart",
    "Done",
    "Error",
    "RequestPermission",
    "ApprovalRequested",
    "ApprovalResponse",
];
/// Kinds of events of which the recorder keeps only the text, each with the kind of session update
/// that brought the text.
const TEXTS: [(&str, &str); 2] =
    [("assistant", "agent_message_chunk"), ("thinking", "agent_thought_chunk")];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is = |line: Node<'_>, name: &str| line.len() == 1 && line.get(name).is_some();
    let is_own = |line: Node<'_>| {
        let updates = UPDATES.iter().map(|(name, _)| *name);
        updates.chain(NOTES).chain([COMMANDS, OTHER]).any(|name| is(line, name))
    };
    let is_text =
        |line: Node<'_>| ["user", "assistant", "thinking"].iter().any(|name| is(line, name));
    // Many keep chats under such names; only the other events are Vibe Kanban's.
    let has_own = beginning.values.iter().any(|line| is_own(*line));
    let most = beginning.mostly(|line| is_own(line) || is_text(line));
    if has_own { most } else { Likelihood::No }
}

fn read(line: Node<'_>) -> Record<'_> {
    let Some((name, value)) = line.members().next().filter(|_| line.len() == 1) else {
        return Record::NOTHING;
    };
    let named = |list: &[(&str, &'static str)]| {
        list.iter().find(|(own, _)| name.is(own)).map(|(_, kind)| *kind)
    };
    let rebuilt = if name.is(OTHER) && value.get("update").is_some() {
        Rebuilt::update(value)
    } else if let Some(kind) = named(&UPDATES).filter(|_| value.is_object() || value.is_string()) {
        update(kind, value)
    } else if name.is(COMMANDS) && value.is_array() {
        around("available_commands_update", ",\"availableCommands\":", value, "")
    } else if let Some(kind) = named(&TEXTS).filter(|_| value.is_string()) {
        around(kind, ",\"content\":{\"type\":\"text\",\"text\":", value, "}")
    } else {
        return Record::NOTHING;
    };
    Record::said_by(Body::Rebuilt(rebuilt), Side::Agent)
}

/// The session update of an event: `value` is its body or a part of it.
fn update(kind: &str, value: Node<'_>) -> Rebuilt {
    match kind {
        "agent_message_chunk" | "agent_thought_chunk" => around(kind, ",\"content\":", value, ""),
        "current_mode_update" if value.is_string() => {
            around(kind, ",\"currentModeId\":", value, "")
        }
        _ => {
            let start = value.range().start;
            let mut rebuilt = begin(kind, start..start + 1);
            for (name, member) in value.members() {
                let own = name.text().map(crate::json::Text::as_cow).unwrap_or_default();
                rebuilt.member(&own, name, member);
            }
            let end = value.range().end;
            rebuilt.write("}}}", end.saturating_sub(1)..end);
            rebuilt
        }
    }
}

/// A session update with a value under one member. `before` and `behind` are the JSON around it.
fn around(kind: &str, before: &str, value: Node<'_>, behind: &str) -> Rebuilt {
    let place = value.range();
    let mut rebuilt = begin(kind, place.start..place.start);
    rebuilt.write(before, place.start..place.start);
    rebuilt.write(value.raw(), place.clone());
    rebuilt.write(&format!("{behind}}}}}}}"), place.end..place.end);
    rebuilt
}

/// The beginning of a session update; `place` is that of its first bracket in the file.
fn begin(kind: &str, place: Range<usize>) -> Rebuilt {
    let mut rebuilt = Rebuilt::default();
    let start = place.start;
    rebuilt.write(
        "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"-\",\
         \"update\":",
        start..start,
    );
    // The kind stands nowhere but in the event's name.
    rebuilt.write(&format!("{{\"sessionUpdate\":\"{kind}\""), place);
    rebuilt
}
