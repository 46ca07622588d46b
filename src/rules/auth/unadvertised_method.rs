use crate::{event::MethodStatus, rule::prelude::*, rules::named};

pub(crate) static RULE: Rule = Rule {
    id: "auth/unadvertised-method",
    summary: "the client logs in with a method that was not advertised",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#protocol-driven-authentication"),
            requires: "the client picks one of the advertised methods by its id",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("LoginAuthRequest"),
            requires: "`methodId` is the id of an advertised method",
        },
    ],
    requirements: &["auth.offered-method"],
    explanation: r"
The agent supports only the methods that it advertised in the result of `initialize`. A login with
any other method fails. Often the id belongs to another agent, or the client sends the name of a
method instead of its id.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"sso"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"sso"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ],
    on: &[On::Call(methods::LOG_IN, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    // `surface/method-from-other-version` reports a method of the other version.
    if !matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft) {
        return None;
    }
    let id = call.param("methodId")?.text().filter(|id| !id.is_empty())?;
    let offer = &connection.authentication;
    let offered_at = offer.offer?;
    if !offer.is_offered && connection.version() == Some(Version::V2) {
        return None; // then the call itself is out of place
    }
    let finding = Finding::new(format!(
        "the client logs in with auth method `{id}`, which was not advertised"
    ));
    let finding = match offer.method(&id.as_cow()) {
        Some(method) if method.is_kept => return Some(Verdict::Pass),
        Some(method) => finding
            .at(id, "readers do not know this method")
            .at(method.at, "official readers drop this method because it is incomplete"),
        None => finding
            .at(id, "the agent does not offer this method")
            .at(offered_at, "the methods that the agent offers"),
    };
    let ids = offer.methods.iter().filter(|method| method.is_kept).map(|method| &*method.id);
    let ids = named::first(ids);
    Some(
        if ids.is_empty() {
            finding
        } else {
            finding.help(format!("use one of the offered methods: {ids}"))
        }
        .into(),
    )
}
