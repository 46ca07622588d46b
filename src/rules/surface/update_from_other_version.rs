use crate::{rule::prelude::*, rules::surface::with_agreement};

pub(crate) static RULE: Rule = Rule {
    id: "surface/update-from-other-version",
    summary: "a session update exists only in the other protocol version",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v2/migration#at-a-glance"),
            requires: "states, whole messages and the agent's terminals are new in version 2",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#sessionupdate-variant-changes"),
            requires: "`tool_call` and `current_mode_update` were replaced",
        },
    ],
    explanation: r"
Version 1 defines all updates, and readers drop any other. On version 2 readers keep an unknown
update but show nothing: the tool call or the mode never appears. The agent must send updates of the
version that `initialize` settled. `plan/v1-update-in-v2` reports the update `plan` on version 2.
",
    tck: &["ENUM-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Done"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"current_mode_update","currentModeId":"ask"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Done"}]}}}"#,
        ),
    ],
    on: &[
        On::Update(ONLY_VERSION_1, |update, connection| check(update, connection, Version::V1)),
        On::Update(ONLY_VERSION_2, |update, connection| check(update, connection, Version::V2)),
    ],
    ..Rule::DEFAULT
};

/// Session updates that only version 1 has, except `plan`, which another rule checks.
const ONLY_VERSION_1: &[&str] = &["current_mode_update", "tool_call"];

/// Kinds of session updates that only version 2 defines.
const ONLY_VERSION_2: &[&str] = &[
    "agent_message",
    "agent_thought",
    "replay_complete",
    "state_update",
    "terminal_output_chunk",
    "terminal_update",
    "tool_call_content_chunk",
    "user_message",
];

fn check(update: &Update<'_>, connection: &Connection, of: Version) -> Option<Verdict> {
    let version = connection.spoken_version()?;
    if version == of {
        return Some(Verdict::Pass);
    }
    let kind = update.kind.as_cow();
    let finding = Finding::new(format!("only version {of} has the update `{kind}`"))
        .at(update.kind, format!("version {version} does not have it"));
    let finding = with_agreement(finding, connection, version)
        .help(format!("on version {version}, {}", replacement(&kind)))
        .explains(update.update)
        .once_per(&*kind);
    Some(finding.into())
}

/// The help text that says what replaces an update of the other version.
fn replacement(kind: &str) -> &'static str {
    match kind {
        "tool_call" => "`tool_call_update` creates a tool call when it first names it",
        "current_mode_update" => {
            "modes are a config option of the category `mode`: send `config_option_update`"
        }
        "replay_complete" => "the answer to `session/load` ends the replay",
        "state_update" => "a turn lasts from `session/prompt` to its answer with `stopReason`",
        "user_message" => "send `user_message_chunk`",
        "agent_message" => "send `agent_message_chunk`",
        "agent_thought" => "send `agent_thought_chunk`",
        "tool_call_content_chunk" => "send `tool_call_update` with the whole `content`",
        _ => "the client runs terminals: call `terminal/create` and put its id into a tool call",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::protocol::schema::Protocol;

    #[test]
    fn the_lists_are_those_of_the_schemas() {
        let updates = |surface| -> BTreeSet<_> {
            let protocol = Protocol::of(surface, Edition::CURRENT);
            let definition = protocol.definition("SessionUpdate").unwrap();
            definition.tags("sessionUpdate").collect()
        };
        let (v1, v2) = (updates(Surface::V1Unstable), updates(Surface::V2Unstable));
        let only_version_1 = v1.difference(&v2).copied().filter(|kind| *kind != "plan");
        assert!(only_version_1.eq(ONLY_VERSION_1.iter().copied()));
        assert!(v2.difference(&v1).eq(ONLY_VERSION_2));
    }
}
