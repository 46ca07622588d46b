use crate::{
    json::Kind,
    model::{Anchor, RequestFacts},
    protocol::schema::Protocol,
    rule::prelude::*,
    rules::{
        capability::needs::{self, MethodNeed},
        codes,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/advertised-method-unimplemented",
    summary: "the agent answers an advertised method with `-32601`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#agent-capabilities"),
            requires: "an agent implements all that it advertises, and the methods that every agent has",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AgentCapabilities"),
            requires: "an agent with the capability `session` implements its methods",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-delete#checking-support"),
            requires: "an agent with the capability `session.delete` implements `session/delete`",
        },
    ],
    requirements: &[
        "auth.implements-methods",
        "capability.baseline-methods",
        "config.set-supported",
    ],
    explanation: r"
Clients build menus and buttons from capabilities. The client called only what the agent had
promised. It cannot know in advance that the button does nothing.
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
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    Some(answered(answer, connection)?.about(match &*answer.request.method {
        "auth/login" | "auth/logout" => &["auth.implements-methods"],
        "session/set_config_option" => &["config.set-supported"],
        method => match MethodNeed::of(connection.version()?, method) {
            Some(MethodNeed::Baseline) => &["capability.baseline-methods"],
            _ => &[],
        },
    }))
}

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    let version = connection.version()?;
    let request = answer.request;
    if request.sender != Some(Side::Client) {
        return None;
    }
    let advertised = match MethodNeed::of(version, &request.method) {
        Some(MethodNeed::Baseline) if version == Version::V1 => None,
        Some(MethodNeed::Baseline) => {
            Some(Mark::from(agent.get("session").filter(|it| it.kind() == Kind::Object)?))
        }
        Some(MethodNeed::Capability(capability)) if capability.is_in(agent) => {
            Some(Mark::from(agent.get(capability.path())?))
        }
        Some(MethodNeed::AuthMethods) if connection.authentication.is_offered => {
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
    let error = answer.error()?;
    if names_another(error, &request.method, version) || has_begun(request, connection) {
        return None;
    }
    let code = error.get("code")?;
    let finding = Finding::new(match advertised {
        Some(_) => {
            format!("the agent advertises `{}` but answers \"method not found\"", request.method)
        }
        None => format!(
            "every agent implements `{}`, but this one answers \"method not found\"",
            request.method
        ),
    })
    .at(code, "method not found")
    .at(request.method_at, "the request")
    .help("implement the method; if it is optional, do not advertise it");
    Some(
        match advertised {
            Some(advertised) => finding.at(advertised, "advertised here"),
            None => finding,
        }
        .once_per(&*request.method)
        .into(),
    )
}

/// Whether the text of an error names another method of the protocol and not `method`: the error of
/// another request was passed on.
pub(in crate::rules) fn names_another(error: Node<'_>, method: &str, version: Version) -> bool {
    /// Longest error text that is examined, in bytes. A longer one is not about a missing method.
    const LONGEST: usize = 4096;
    if error.range().len() > LONGEST {
        return false;
    }
    let texts: Vec<_> = error.texts().map(Text::as_cow).collect();
    if texts.iter().any(|text| text.contains(method)) {
        return false;
    }
    // A method of another protocol, such as `tools/list` of MCP.
    let is_end = |letter: char| letter.is_whitespace() || "\"'`\\,:;()[]{}".contains(letter);
    let is_part = |part: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_$-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_letter)
    };
    let is_method = |word: &str| {
        let parts = word.trim_end_matches('.').split_once('/');
        parts.is_some_and(|(space, name)| is_part(space) && is_part(name))
    };
    if texts.iter().any(|text| text.split(is_end).any(is_method)) {
        return true;
    }
    let protocol = Protocol::of(Surface::unstable(version), Edition::CURRENT);
    let is_named = |name| texts.iter().any(|text| text.contains(name));
    protocol.methods().any(|other| other.name.contains('/') && is_named(other.name))
}

/// Whether the request is a prompt that the agent has begun to work on, so that the agent does have
/// the method.
fn has_begun(request: &Request, connection: &Connection) -> bool {
    let session = request.session_id.as_deref().and_then(|id| connection.session_named(id));
    &*request.method == "session/prompt"
        && session
            .is_some_and(|session| session.work.updated.max(session.work.called) > request.number)
}

/// Place of the session's list of config options, if the request sets an option to a value that the
/// list offers; else `None`.
fn options(request: &Request, connection: &Connection) -> Option<Anchor> {
    let RequestFacts::Setting(setting) = &request.facts else { return None };
    let session = connection.session_named(request.session_id.as_deref()?)?;
    let listing = session.config.last()?;
    let is_offered = listing.named(&setting.id)?.offers(&setting.value)?;
    is_offered.then_some(listing.at)
}

/// Place where a tool call or terminal offers to be cancelled by this request; `None` where it does
/// not.
fn control(request: &Request, connection: &Connection) -> Option<Anchor> {
    let RequestFacts::CancelOne { id } = &request.facts else { return None };
    let session = connection.session_named(request.session_id.as_deref()?)?;
    match &*request.method {
        "tool_call/cancel" => session.tool_calls.named(id)?.cancellation().offered,
        _ => session.agent_terminals.named(id)?.cancellation.offered,
    }
}
