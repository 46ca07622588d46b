use crate::{
    model::connection::negotiation::written_in, protocol::schema::Protocol, rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "auth/methods-malformed-dropped",
    summary: "readers drop a malformed auth method",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Values],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("InitializeResponse"),
        requires: "readers skip malformed entries of `authMethods` and keep the others",
    }],
    explanation: r"
Official readers (the libraries of the ACP project) skip an auth method that they cannot read, and
keep the others. A `schema` rule reports the malformed method. When all methods are malformed, none
is left: clients then see an agent without authentication, and offer neither login nor logout.
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
    let result = answer.result().filter(|result| written_in(*result) != Some(Version::V1))?;
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
    let finding = Finding::new("all auth methods are malformed, so readers drop them")
        .at(first, "dropped")
        .help("correct the methods; until then clients see an agent without authentication");
    Some(others.fold(finding, |finding, other| finding.at(other, "also dropped")).into())
}
