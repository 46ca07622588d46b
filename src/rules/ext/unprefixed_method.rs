use crate::{
    event::{Call, Standing},
    model::Connection,
    protocol::{
        Surface, Surfaces, Version,
        schema::{Protocol, nearest},
    },
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::surface::withdrawn_method::successor,
};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unprefixed-method",
    summary: "a custom method lacks the leading underscore",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#extension-methods"),
            requires: "the names of custom methods start with `_`; all others are reserved",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#extension-methods"),
            requires: "the names of custom methods start with `_`; all others are reserved",
        },
    ],
    explanation: r"
Names without the underscore belong to the protocol: a later version may define one of them with
another meaning, and peers that pass extensions on pass only those with an underscore. A method that
the protocol does not know is a custom one or a slip of the pen; the finding names the closest known
method. It is reported once for each method. Drafts that were withdrawn have a rule of their own.
",
    tck: &["CLIENTCAP-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"acme/inspect","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/inspect","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/lists","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","method":"_acme/started","params":{}}"#,
        ),
    ],
    on: &[On::ByForm(&On::Call(&[], check))],
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    match call.standing {
        Standing::Undefined => {}
        Standing::Extension => return Some(Verdict::Pass),
        _ => return None,
    }
    let method = call.method.as_cow();
    if successor(&method).is_some() {
        return None;
    }
    let version = connection.version().unwrap_or(Version::V1);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let help = match nearest(&method, protocol.methods().map(|method| method.name)) {
        Some(known) => format!("did you mean `{known}`? custom methods start with `_`"),
        None => format!("call it `_{method}`: names without `_` belong to the protocol"),
    };
    let finding = Finding::new(format!("`{method}` is no method of the protocol"))
        .at(call.method, "neither defined nor marked as custom by a leading `_`")
        .help(help)
        .once_per(&*method);
    Some(finding.into())
}
