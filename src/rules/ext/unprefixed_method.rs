use crate::{
    event::MethodStatus,
    protocol::{
        methods::{is_in_namespace, relative_with},
        schema::{Protocol, nearest},
    },
    rule::prelude::*,
    rules::surface::{
        newer_than_known::{function_of, is_later, may_be_newer},
        withdrawn_method::successor,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unprefixed-method",
    summary: "a custom method does not start with an underscore",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
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
    requirements: &["ext.underscore-methods"],
    explanation: r"
Names without an underscore belong to the protocol: a later version may give one of them another
meaning. Programs between client and agent forward only extensions with an underscore. An unknown
method is a custom one, one of MCP or LSP, or a typing error; the finding names the closest known
method. It is reported once for each method, also if it was answered: who sends it is at fault, not
who answers. For withdrawn drafts see `surface/withdrawn-method`. A method may be newer than this
program if its name begins like others of the protocol, such as `session/…`, and both sides know it:
see `surface/newer-than-known`.
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
    on: &[On::Call(&[], called), On::LeftOpen(left_open), On::End(ended)],
    ..Rule::DEFAULT
};

fn called(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    match call.method_status {
        MethodStatus::Undefined => {}
        MethodStatus::Extension => return Some(Verdict::Pass),
        _ => return None,
    }
    let method = call.method.as_cow();
    if successor(&method).is_some() {
        return None;
    }
    // Responses show whether both sides know a request.
    let may_be_known =
        call.id.is_some() || connection.rpc.is_known(&method) || is_later(call.message.at);
    if may_be_known && may_be_newer(&method, connection) {
        return None;
    }
    Some(finding(&method, call.method, connection).into())
}

fn left_open(request: &Request, connection: &Connection) -> Option<Verdict> {
    let is_judged = request.method_status == MethodStatus::Undefined
        && !connection.rpc.is_known(&request.method)
        && is_judged(&request.method, request.time, connection);
    is_judged.then(|| {
        let finding = finding(&request.method, request.method_at, connection);
        finding.blaming(request.sender).into()
    })
}

/// Checks, at the end of the connection, undefined methods whose requests never got a result.
fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    let methods = connection.rpc.undefined.iter();
    let refused =
        methods.filter(|(method, it)| !it.is_known && is_judged(method, it.time, connection));
    let mut refused: Vec<_> = refused.collect();
    if refused.is_empty() {
        return None;
    }
    refused.sort_by_key(|(_, it)| it.method_at.span().start);
    let findings = refused
        .into_iter()
        .map(|(method, it)| finding(method, it.method_at, connection).blaming(it.sender));
    Some(Verdict::of(findings.collect()))
}

/// Whether an undefined method is to be reported at the end of the connection, when no response can
/// show any more that the other side knows the method.
fn is_judged(method: &str, time: Option<f64>, connection: &Connection) -> bool {
    may_be_newer(method, connection) && !is_later(time)
}

fn finding(method: &str, at: impl Into<Mark>, connection: &Connection) -> Finding {
    let version = connection.version().unwrap_or(Version::V1);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let help = relative_with(method).map(|relative| {
        format!("`{method}` is a method of {relative}; custom methods of ACP start with `_`")
    });
    let help = help.unwrap_or_else(|| {
        match (
            nearest(method, protocol.methods().map(|method| method.name)),
            function_of(method, protocol),
        ) {
            (Some(known), _) => format!("did you mean `{known}`? custom methods start with `_`"),
            (None, Some(known)) => {
                format!(
                    "send `{known}`: `{method}` is the name of a library function that sends it"
                )
            }
            (None, None) if is_in_namespace(method) => {
                "custom methods start with `_` and your own name, such as `_acme/inspect`"
                    .to_owned()
            }
            (None, None) => {
                format!("rename it to `_{method}`: names without `_` belong to the protocol")
            }
        }
    });
    Finding::new(format!("`{method}` is not a method of the protocol"))
        .at(at, "not defined, and not custom because it does not start with `_`")
        .help(help)
        .once_per(method)
}
