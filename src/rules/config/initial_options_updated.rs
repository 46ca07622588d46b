use crate::{model::session::config, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "config/initial-options-updated",
    summary: "an update repeats the options that a session is set up with",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    needs: &[Loss::Order],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("LoadSessionRequest"),
            requires: "initial values of options cause no update",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ResumeSessionRequest"),
            requires: "initial values of options cause no update",
        },
    ],
    requirements: &["config.initial-silent"],
    explanation: r"
The client sets options in the request that loads or resumes a session. The answer tells the values
that the session really has. An update before it tells nothing new, and the client shows the options
twice.

The rule speaks only if the request names all options of the update. Otherwise the update may be about
another option. A session that was in use before may have changed for another reason.
",
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"options":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[],"configOptions":[{"configId":"model","value":"big"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}}
{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"options":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[],"configOptions":[{"configId":"model","value":"big"}]}}
{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}"#,
        ),
        Example::new(
            Surface::V2Unstable,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"options":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","configOptions":[{"configId":"model","type":"id","value":"big"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"options":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","configOptions":[{"configId":"model","type":"id","value":"big"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"configId":"model","name":"Model","type":"select","currentValue":"big","options":[{"value":"big","name":"Big"}]}]}}"#,
        ),
    ],
    on: &[
        On::Update(&["config_option_update"], check),
        On::Answer(methods::ATTACH_SESSION, answered),
    ],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id).filter(|it| it.is_replaying())?;
    let attachment = session.attachment.as_ref().filter(|it| !it.is_shared)?;
    let initial = attachment.initial.as_ref()?;
    let list = config::reported(update)?;
    let mut is_set = false;
    for option in list.elements() {
        let wanted = initial.value(config::id(option)?)?;
        is_set |= option.get("currentValue").is_some_and(|value| wanted.is(value));
    }
    (is_set && session.was_closed_before(attachment)).then(|| {
        Finding::new("an update repeats the options that the session is set up with")
            .at(update.kind, "the answer tells it")
            .at(initial.at, "the client sets the options here")
            .help("tell the options in the answer alone")
            .once_per(&*update.session_id.as_cow())
            .into()
    })
}

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    session.attachment.as_ref()?.initial.as_ref()?;
    answer.result().map(|_| Verdict::Pass)
}
