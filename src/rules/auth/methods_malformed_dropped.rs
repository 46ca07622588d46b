use crate::{
    event::Answer,
    json::Node,
    model::{Connection, negotiation::looks_like_version_1},
    protocol::{Edition, Surface, Surfaces, Version, schema::Protocol},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "auth/methods-malformed-dropped",
    summary: "a malformed auth method is dropped by readers",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("InitializeResponse"),
        requires: "readers skip the entries of `authMethods` that do not fit, and keep the others",
    }],
    explanation: r"

The user never gets to see this way to log in, and nobody is told. When it was the only one, the agent
counts as one without authentication: clients neither offer to log in nor to log out. What exactly is
wrong with the entry is reported beside it.
",
    tck: &[],
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
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|result| !looks_like_version_1(*result))?;
    let methods = result.get("authMethods").filter(|methods| methods.is_array())?;
    // What a recorder has masked may have fitted.
    if connection.recording().masks {
        return None;
    }
    let definition =
        Protocol::of(Surface::V2Unstable, connection.edition()).definition("AuthMethod")?;
    let is_kept = |method: &Node<'_>| definition.fits(*method);
    let is_any_kept = methods.elements().any(|method| is_kept(&method));
    let dropped = methods.elements().filter(|method| !is_kept(method));
    Some(dropped.map(|method| finding(method, is_any_kept)).collect())
}

fn finding(method: Node<'_>, is_any_kept: bool) -> Finding {
    let name = ["methodId", "id", "name"].into_iter().find_map(|name| method.get(name)?.text());
    let message = match name {
        Some(name) => format!("readers drop the malformed auth method `{name}`"),
        None => "readers drop a malformed auth method".to_owned(),
    };
    let finding = Finding::new(message).at(method, "dropped as a whole");
    if is_any_kept {
        finding
    } else {
        finding.help("none is left: clients take the agent for one without authentication")
    }
}
