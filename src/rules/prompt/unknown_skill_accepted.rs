use crate::{
    model::RequestFacts,
    rule::prelude::*,
    rules::{capability::needs, named},
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/unknown-skill-accepted",
    summary: "a prompt with a skill that does not exist is accepted",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SkillReference.name"),
        requires: "a prompt with a skill that the agent cannot find is refused",
    }],
    requirements: &["prompt.skill-resolved"],
    explanation: r"
The user asks for a skill. If the agent does not have it and goes on without it, the user does not
learn that. Such a prompt is answered with -32602.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"session":{"commands":{"skill":{}}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"skill":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"skill","name":"sweep","description":"Sweeps"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":"mop"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"session":{"commands":{"skill":{}}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"skill":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"type":"skill","name":"sweep","description":"Sweeps"}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"skill","name":"mop"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such skill"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let agent = needs::advertised_by_agent(connection)?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if prompt.skills.is_empty() || !agent.has("session.prompt.skill") {
        return None;
    }
    let list = session.commands.last()?;
    let Some(result) = answer.result() else { return Some(Verdict::Pass) };
    if session.commands.is_sent_since(answer.request.number)
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let unknown = prompt.skills.iter().find(|(name, _)| !list.skills.contains(name));
    let finding = unknown.map(|(name, at)| {
        let known = named::first(list.skills.iter());
        let help = if known.is_empty() {
            "answer with error -32602: the list has no skill".to_owned()
        } else {
            format!("answer with error -32602; the list has {known}")
        };
        Finding::new(format!("a prompt with the skill `{name}` is accepted, which is not listed"))
            .at(result.get("messageId").unwrap_or(result), "accepted")
            .at(*at, "the skill")
            .at(list.at, "the current list")
            .help(help)
            .once_per(&**name)
    });
    Some(finding.into())
}
