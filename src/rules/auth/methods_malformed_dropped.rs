use crate::{
    model::connection::negotiation::looks_like_version_1, protocol::schema::Protocol,
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "auth/methods-malformed-dropped",
    summary: "a malformed auth method is dropped by readers",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("InitializeResponse"),
        requires: "readers skip the entries of `authMethods` that do not fit, and keep the others",
    }],
    explanation: r"
Official readers skip an entry that they cannot read and keep the others; the schema finding about
the entry says so. When none is left, more is lost: the agent counts as one without authentication,
and clients offer neither to log in nor to log out.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web","name":"Log in"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
    )
    .beside(&["schema/result", "surface/field-from-other-version"])],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|result| !looks_like_version_1(*result))?;
    let methods = result.get("authMethods").filter(|methods| methods.is_array())?;
    // A value that a recorder has replaced by a placeholder may have been valid.
    if connection.recording().masks {
        return None;
    }
    let protocol = Protocol::of(Surface::V2Unstable, connection.edition());
    let definition = protocol.definition("AuthMethod")?;
    let (first, others) = (methods.elements().next()?, methods.elements().skip(1).take(3));
    if methods.elements().any(|method| definition.fits(method)) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("every auth method is malformed, and readers drop them all")
        .at(first, "dropped as a whole")
        .help("clients take the agent for one without authentication");
    Some(others.fold(finding, |finding, other| finding.at(other, "dropped, too")).into())
}
