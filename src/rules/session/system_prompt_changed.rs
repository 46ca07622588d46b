use crate::{model::digest, rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "session/system-prompt-changed",
    summary: "a session is loaded, resumed or forked with another system prompt",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("LoadSessionRequest"),
            requires: "a session keeps the system prompt that it was created with",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ResumeSessionRequest"),
            requires: "a session keeps the system prompt that it was created with",
        },
    ],
    requirements: &["session.same-system-prompt"],
    explanation: r"
The agent may keep the first system prompt or take the new one: the protocol says neither. So the
conversation goes on under instructions that nobody can tell.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","systemPrompt":{"mode":"append","content":[{"type":"text","text":"Explain everything"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","systemPrompt":{"content":[{"type":"text","text":"Be brief"}],"mode":"append"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Call(&["session/load", "session/resume", "session/fork"], check)],
    variants: &[(Severity::Info, "where the system prompt is left out")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    // A system prompt without its capability is a fault of its own.
    let supported = needs::system_prompt(connection);
    let agent = needs::advertised_by_agent(connection)?;
    let prompt = call.param("systemPrompt").filter(|prompt| !prompt.is_null());
    let is_refused = prompt.and_then(|prompt| prompt.get("mode")).is_some_and(|mode| {
        mode.is("override") && needs::system_prompt_override(connection).is_missing_from(agent)
    });
    if supported.is_missing_from(agent) || is_refused {
        return None;
    }
    let session = connection.session(id).filter(|session| session.born.is_some());
    let (first, born) = if let Some(session) = session {
        let first = session.instructions?.0.map(|(digest, at)| (digest, Mark::from(at)));
        (first, Mark::from(session.born?))
    } else {
        let Some(origin) = connection.origin(call) else { return Some(Verdict::NotAssessable) };
        let first = origin.instructions?.map(|(digest, place)| (digest, place.into()));
        (first, origin.born.into())
    };
    let what = match (&first, prompt) {
        (Some((digest, _)), Some(prompt)) if *digest == digest::of(prompt) => {
            return Some(Verdict::Pass);
        }
        (None, None) => return None,
        (_, Some(_)) => "with another system prompt",
        (_, None) => "without its system prompt",
    };
    let finding = Finding::new(format!("session `{id}` is loaded, resumed or forked {what}"));
    let finding = match prompt {
        Some(prompt) => finding.at(prompt, "requested here"),
        None => finding.at(id, "no `systemPrompt` here"),
    };
    let finding = match first {
        Some((_, at)) => finding.at(at, "the system prompt of the session"),
        None => finding.at(born, "the session was created without one"),
    };
    Some(finding.as_severity_if(prompt.is_none(), Severity::Info).into())
}
