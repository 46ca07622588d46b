use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/options-session-id",
    summary: "options of a session are requested from an agent that cannot reopen one",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::V1_UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Definition("SessionOptionsRequest.sessionId"),
        requires: "a client names a session only if the agent advertises `loadSession` or `resume`",
    }],
    requirements: &["session.options-id"],
    explanation: r"
With a session id the request asks which options the session has when it is opened again. An agent
that can open no session again cannot say that.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"options":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"bed"}}
{"jsonrpc":"2.0","id":2,"method":"session/options","params":{"cwd":"/work","sessionId":"bed"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"options":{},"resume":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"bed"}}
{"jsonrpc":"2.0","id":2,"method":"session/options","params":{"cwd":"/work","sessionId":"bed"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[]}}"#,
    )],
    on: &[On::Call(&["session/options"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    const LOAD: Capability = Capability::Flag("loadSession");
    const RESUME: Capability = Capability::Object("sessionCapabilities.resume");
    let id = call.session_id()?;
    let agent = needs::advertised_by_agent(connection)?;
    let is_missing = LOAD.is_missing_from(agent) && RESUME.is_missing_from(agent);
    Some(Verdict::from(is_missing.then(|| {
        Finding::new("options of a session are requested, but the agent cannot open one again")
            .at(id, "requires `loadSession` or `sessionCapabilities.resume`")
            .at(RESUME.lack(agent), "not advertised")
            .help("leave `sessionId` out")
            .once_per("options")
    })))
}
