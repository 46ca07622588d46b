use crate::{
    rule::prelude::*,
    rules::{
        capability::needs::{self, Capability},
        tool_call::report,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/gated-update",
    summary: "the agent sends an update that the client did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("SessionUpdate"),
            requires: "notices, compactions, subagents, prompt suggestions and cursors go only to \
                       clients that advertise them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptSuggestionsUpdate"),
            requires: "an agent sends prompt suggestions only to clients that advertise them",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("ToolCallContent"),
            requires: "a tool call refers to a session only if the client advertises subagents",
        },
        Citation {
            version: None,
            source: SourceText::Definition("PromptSuggestion"),
            requires: "suggestions hold more than text and resource links only if both the \
                       agent's prompts and the client's suggestions support it",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/prompt-turn#session-compaction"),
            requires: "compactions are reported only to clients that advertise them",
        },
    ],
    requirements: &["capability.gated-updates", "prompt.suggestion-content"],
    explanation: r"
A client cannot read an update that it does not know. Some libraries even close the connection. So
newer kinds are sent only to clients that advertise them. The same is true for tool call content
that refers to the session of a subagent. On version 2 only prompt suggestions need a capability.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"Heads up"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"Heads up"}}}"#,
    )],
    on: &[
        On::Update(
            &[
                "notice",
                "compaction_update",
                "compaction_summary_chunk",
                "subagent_update",
                "session_message",
                "session_message_chunk",
                "prompt_suggestions_update",
                "cursor_update",
            ],
            check,
        ),
        On::Update(&["tool_call", "tool_call_update"], reported),
        On::Call(&["session/request_permission"], |call, connection| {
            references(report::in_request(call)?, connection)
        }),
        On::Update(&["prompt_suggestions_update"], suggested),
    ],
    ..Rule::DEFAULT
};

/// What this rule checks of all but suggested prompts.
const UPDATES: &[&str] = &["capability.gated-updates"];

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    Some(sent(update, connection)?.about(UPDATES))
}

fn sent(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let client = needs::advertised_by_client(connection)?;
    let kind = update.kind.as_cow();
    let capability = needs::update(&kind, connection.version()?)?;
    if !capability.is_missing_from(client) {
        return Some(Verdict::Pass);
    }
    // Notices needed no capability before.
    let is_older =
        connection.pinned_edition().is_some_and(|edition| edition < Edition::September2026);
    if is_older && kind == "notice" {
        return None;
    }
    Some(
        Finding::new(format!(
            "the agent sends `{kind}`, but the client did not advertise `{}`",
            capability.path()
        ))
        .at(update.kind, format!("requires the capability `{}`", capability.path()))
        .at(capability.lack(client), "not advertised")
        .once_per(capability.path())
        .into(),
    )
}

fn reported(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    references(update.update, connection)
}

/// Checks that the client and the agent support the content types in suggested prompts.
fn suggested(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let suggestions = Capability::Object("session.promptSuggestions");
    let (client, agent) =
        (needs::advertised_by_client(connection)?, needs::advertised_by_agent(connection)?);
    // Unadvertised suggestions are reported as such.
    if suggestions.is_missing_from(client) {
        return None;
    }
    let prompts = update.update.get("suggestions").into_iter().flat_map(Node::elements);
    let blocks = prompts.filter_map(|prompt| prompt.get("prompt")).flat_map(Node::elements);
    let kinds = blocks.filter_map(|block| block.get("type")?.text());
    let lacking = kinds.filter_map(|kind| {
        let of_agent = needs::content(&kind.as_cow(), connection).capability()?;
        let of_client = Capability::Object(match &*kind.as_cow() {
            "image" => "session.promptSuggestions.image",
            "audio" => "session.promptSuggestions.audio",
            "resource" => "session.promptSuggestions.embeddedContext",
            // Suggestions cannot have content of this type.
            _ => "session.promptSuggestions.skill",
        });
        let (who, capability, lack) = if of_client.is_missing_from(client) {
            ("client", of_client, of_client.lack(client))
        } else if of_agent.is_missing_from(agent) {
            ("agent", of_agent, of_agent.lack(agent))
        } else {
            return None;
        };
        Some(
            Finding::new(format!(
                "the agent suggests `{kind}` content, but the {who} did not advertise it"
            ))
            .at(kind, format!("requires the capability `{}`", capability.path()))
            .at(lack, "not advertised")
            .help("suggest text and resource links only")
            .once_per((capability.path(), "suggested")),
        )
    });
    Some(lacking.collect::<Verdict>().about(&["prompt.suggestion-content"]))
}

/// Checks that tool calls with content that refers to a session go only to clients with the
/// capability for subagents, on version 1.
fn references(report: Node<'_>, connection: &Connection) -> Option<Verdict> {
    if connection.version() != Some(Version::V1) {
        return None;
    }
    let client = needs::advertised_by_client(connection)?;
    let content = report::content_of(report, "session").next()?;
    let capability = Capability::Object(needs::SUBAGENTS);
    if !capability.is_missing_from(client) {
        return Some(Verdict::PassOf(UPDATES));
    }
    Some(
        Finding::new("a tool call refers to a session, but the client did not advertise subagents")
            .at(content.get("type")?, format!("requires the capability `{}`", needs::SUBAGENTS))
            .at(capability.lack(client), "not advertised")
            .about(UPDATES)
            .once_per(needs::SUBAGENTS)
            .into(),
    )
}
