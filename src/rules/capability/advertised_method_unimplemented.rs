use crate::{
    event::Answer,
    json::Kind,
    model::{Connection, Facts, Place, Request},
    protocol::{Side, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, Mark, On, Opening, Rule,
        Severity, SourceText, Verdict,
    },
    rules::capability::gate::{self, Gate},
    rules::codes,
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/advertised-method-unimplemented",
    summary: "an advertised method is answered with method not found",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#agent-capabilities"),
            requires: "what an agent advertises it implements, and the baseline always",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AgentCapabilities"),
            requires: "`session` stands for a set of methods that the agent implements",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-delete#checking-support"),
            requires: "`session.delete` stands for `session/delete`",
        },
    ],
    explanation: r"
The client has asked for nothing but what it was promised. Clients build menus and buttons from
capabilities; one that leads nowhere is broken for the user, and the client cannot know in advance.
",
    tck: &[
        "SESSION-001",
        "RESUME-201",
        "LIST-201",
        "CLOSE-201",
        "DELETE-201",
        "ADDDIRS-201",
        "AUTH-203",
        "AUTH-204",
    ],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Refused"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Refused"}}"#,
        ),
    ],
    on: &[On::Answer(&[], check)],
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = gate::agent(connection)?;
    let version = connection.version()?;
    let request = answer.request;
    if request.sender != Some(Side::Client) {
        return None;
    }
    let advertised = match Gate::of(version, &request.method) {
        Some(Gate::Baseline) if version == Version::V1 => None,
        Some(Gate::Baseline) => {
            Some(Mark::from(agent.get("session").filter(|it| it.kind() == Kind::Object)?))
        }
        Some(Gate::Capability(marker)) if marker.is_in(agent) => {
            Some(Mark::from(agent.get(marker.path())?))
        }
        Some(Gate::AuthMethods) if connection.authentication.is_offered() => {
            connection.authentication.offer.map(Mark::from)
        }
        None => {
            Some(Mark::from(options(request, connection).or_else(|| control(request, connection))?))
        }
        _ => return None,
    };
    if answer.error_code() != Some(codes::METHOD_NOT_FOUND) {
        return Some(Verdict::Pass);
    }
    let code = answer.error()?.get("code")?;
    let finding = Finding::new(match advertised {
        Some(_) => format!("`{}` is advertised and answered with method not found", request.method),
        None => format!(
            "`{}`, which every agent implements, is answered with method not found",
            request.method
        ),
    })
    .at(code, "method not found")
    .at(request.method_at, "the request");
    Some(
        match advertised {
            Some(advertised) => finding.at(advertised, "advertised here"),
            None => finding,
        }
        .once_per(&*request.method)
        .into(),
    )
}

/// The options of the session, where one is to be set to a value that it offers.
fn options(request: &Request, connection: &Connection) -> Option<Place> {
    let Facts::Setting(setting) = &request.facts else { return None };
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let listing = session.config.last()?;
    let is_offered = listing.named(&setting.id)?.offers(&setting.value)?;
    is_offered.then_some(listing.at)
}

/// Where a tool call or terminal offers to be cancelled by this request.
fn control(request: &Request, connection: &Connection) -> Option<Place> {
    let Facts::CancelOne { id } = &request.facts else { return None };
    let session = connection.session_named(request.session_id.as_deref()?)?;
    match &*request.method {
        "tool_call/cancel" => session.tool_calls.named(id)?.cancellation().offered,
        _ => session.displays.named(id)?.cancellation.offered,
    }
}
