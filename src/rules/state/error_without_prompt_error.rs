use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "state/error-without-prompt-error",
    summary: "work fails, but a waiting prompt is not answered with an error",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("IdleStateUpdate"),
        requires: "a prompt that fails before it is inserted is answered with an error too",
    }],
    explanation: r"
The client waits for the answer to its prompt, to know whether the message was accepted. The state
says that something failed, but not whether the prompt failed.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"Model unavailable"}}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"error","error":{"code":-32603,"message":"Model unavailable"}}}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Model unavailable"}}"#,
    )
    .closed()],
    on: &[On::LeftOpen(check)],
    ..Rule::DEFAULT
};

fn check(request: &Request, connection: &Connection) -> Option<Verdict> {
    if &*request.method != "session/prompt" || request.flawed {
        return None;
    }
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let failure = session.work.failure_since(request.number)?;
    Some(
        Finding::new("work fails, but a waiting prompt is never answered")
            .at(request.at, "the prompt")
            .at(failure, "the work fails here")
            .help("answer the prompt with an error too")
            .into(),
    )
}
