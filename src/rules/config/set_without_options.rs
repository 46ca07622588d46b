use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "config/set-without-options",
    summary: "the client sets an option in a session without options",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SetSessionConfigOptionRequest"),
        requires: "the request works only in sessions whose options were advertised",
    }],
    explanation: r"
A session without options has nothing to set, and the agent may not know the method at all. Offer
the user a choice only after `configOptions` came, in the result that created the session or in a
later update.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Hi"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Log in"}}
{"jsonrpc":"2.0","id":3,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"code"}}
{"jsonrpc":"2.0","id":3,"result":{"configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"code","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}"#,
    )],
    on: &[On::Call(&["session/set_config_option"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?).filter(|it| it.is_fully_recorded())?;
    if session.config.last().is_some_and(|listing| !listing.options.is_empty()) {
        return Some(Verdict::Pass);
    }
    let listing = session.config.last().map(|listing| listing.at);
    Some(
        Finding::new("the client sets an option in a session without options")
            .at(call.method, "no options were advertised")
            .and_at(listing.or(session.born), "the session starts without options")
            .help("wait for `configOptions` before setting an option")
            .once_per(session.first.span().start)
            .into(),
    )
}
