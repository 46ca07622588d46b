use crate::{
    event::Answer,
    model::{Connection, Facts},
    protocol::{Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::capability::gate::{self, Need},
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/advertised-content-rejected",
    summary: "the agent rejects content that it advertised",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#prompt-capabilities"),
            requires: "every agent takes text and resource links in prompts, and what it advertises",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptRequest"),
            requires: "text and resource links are always accepted, other content when it is advertised",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/initialization#session-prompt-capabilities",
            ),
            requires: "the capabilities of prompts say which content is accepted",
        },
    ],
    explanation: r"
The client did as the capabilities say and the user cannot send what they were offered to send. Drop
the capability, or accept the content. Only refusals that speak of content are judged.
",
    tck: &["PROMPTCAP-001", "PROMPTCAP-002", "PROMPTCAP-003", "PROMPT-003"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","uri":"file:///work/a.md","name":"a.md"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unsupported content block type: resource_link"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","uri":"file:///work/a.md","name":"a.md"}]}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unsupported content type: image"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"What is this?"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/prompt"], check)],
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    const WORDS: [&str; 4] = ["content type", "content block", "block type", "unsupported content"];
    let Facts::Prompt(prompt) = &answer.request.facts else { return None };
    let agent = gate::agent(connection)?;
    let is_accepted = |kind: &str| match gate::content(kind, connection) {
        Need::Nothing => true,
        Need::Capability(marker) => marker.is_in(agent),
        Need::Unknown => false,
    };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if prompt.blocks.is_empty() || !prompt.blocks.iter().all(|(kind, _)| is_accepted(kind)) {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    let message = error.get("message")?.text()?.as_cow().to_lowercase();
    let named =
        prompt.blocks.iter().find(|(kind, _)| **kind != *"text" && message.contains(&**kind));
    let is_about = named.is_some() || WORDS.iter().any(|word| message.contains(word));
    if answer.error_code() != Some(-32602) || !is_about || session.closed.is_some() {
        return None;
    }
    let (kind, at) = named.or(prompt.blocks.last())?;
    let marker = gate::content(kind, connection).marker();
    let advertised = marker.and_then(|marker| agent.get(marker.path()));
    Some(
        Finding::new(format!(
            "the agent rejects `{kind}` content, which it accepts by its capabilities"
        ))
        .at(error, "rejected here")
        .at(*at, "the content")
        .and_at(advertised, "advertised here")
        .help("accept the content, or do not advertise it")
        .into(),
    )
}
