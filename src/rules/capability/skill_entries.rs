use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/skill-entries",
    summary: "the agent lists skills among its commands without the needed capabilities",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Skill"),
            requires: "an agent lists skills only for clients that advertise `session.commands.skill`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Skill"),
            requires: "an agent that lists skills advertises `session.prompt.skill`",
        },
    ],
    requirements: &["capability.command-types", "capability.skills"],
    explanation: r"
A skill is called by a content block in the prompt, not by a slash and its name. A client that does
not know skills shows the skill as a command, and it does nothing when the user picks it. The same
happens if the agent does not advertise that prompts may hold skills.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"skill":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","availableCommands":[{"type":"skill","name":"tidy","description":"Tidy up"}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"session":{"commands":{"skill":{}}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"skill":{}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","availableCommands":[{"type":"skill","name":"tidy","description":"Tidy up"}]}}"#,
    )],
    on: &[
        On::Update(&["available_commands_update"], |update, connection| {
            check(update.update, connection)
        }),
        On::Answer(
            &["session/new", "session/resume", "session/fork", "session/options"],
            |answer, connection| check(answer.result()?, connection),
        ),
    ],
    ..Rule::DEFAULT
};

/// The client's capability for skill entries in the list of commands.
const OF_CLIENT: Capability = Capability::Object("session.commands.skill");
const OF_AGENT: Capability = Capability::Object("session.prompt.skill");

fn check(holder: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let client = needs::advertised_by_client(connection)?;
    let commands = holder.get("availableCommands").filter(|commands| commands.is_array())?;
    let is_skill = |command: &Node<'_>| command.get("type").is_some_and(|kind| kind.is("skill"));
    let skill = commands.elements().find(is_skill)?;
    if !OF_CLIENT.is_missing_from(client) {
        let agent =
            needs::advertised_by_agent(connection).filter(|agent| OF_AGENT.is_missing_from(agent));
        return Some(Verdict::from(agent.and_then(|agent| {
            let finding =
                Finding::new("the agent lists skills, but did not advertise them in prompts")
                    .at(
                        skill.get("type")?,
                        format!("requires the capability `{}`", OF_AGENT.path()),
                    )
                    .at(OF_AGENT.lack(agent), "not advertised")
                    .help("advertise it; without it, clients do not send skills in prompts")
                    .about(&["capability.skills"])
                    .once_per("skills in prompts");
            Some(finding)
        })));
    }
    Some(
        Finding::new("the agent lists skills, but the client did not advertise them")
            .at(skill.get("type")?, format!("requires the capability `{}`", OF_CLIENT.path()))
            .at(OF_CLIENT.lack(client), "not advertised")
            .help("leave skills out of the list for this client")
            .about(&["capability.command-types"])
            .once_per("skills")
            .into(),
    )
}
