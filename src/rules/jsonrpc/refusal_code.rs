use crate::{
    model::{Anchor, RequestFacts, request::facts::Equipment},
    rule::prelude::*,
    rules::{
        capability::needs::{self, Need},
        codes,
        session::fork_cursor_unknown,
        surface::newer_than_known::advertised,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/refusal-code",
    summary: "a value that is not supported is refused with another code than -32602",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1_UNSTABLE_AND_V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("SessionArchiveFilter"),
            requires: "an unknown archive filter is refused with -32602",
        },
        Citation {
            version: None,
            source: SourceText::Definition("ForkSessionRequest.cursorId"),
            requires: "a cursor that the session does not offer is refused with -32602",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ContentBlock"),
            requires: "content that is not advertised is refused with -32602",
        },
    ],
    requirements: &[
        "content.rejects-unknown",
        "mcp.unsupported-refused",
        "prompt.idempotency-key-refused",
        "session.archive-filter-refused",
        "session.fork-cursor-refused",
        "session.replay-position",
    ],
    explanation: r"
The code tells the client that it has to send something else. With another code, the client believes
that the agent has failed, and sends the same request again.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Bare,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"_sketch"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Cannot read this"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"_sketch"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Cannot read this"}}"#,
    )],
    on: &[On::Answer(
        &[
            "session/new",
            "session/load",
            "session/resume",
            "session/fork",
            "session/list",
            "session/prompt",
        ],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let code = answer.error()?.get("code")?;
    let number = code.integer()?;
    let request = answer.request;
    // Only a cursor is looked up like a session.
    let is_fork = matches!(&request.facts, RequestFacts::Creation(facts) if facts.cursor.is_some());
    let may_lack = || !is_fork || codes::may_lack_session(answer, connection);
    if codes::is_unrelated_to_params(number) || number == codes::NOT_FOUND && may_lack() {
        return None;
    }
    if request.flawed || request.may_be_cancelled {
        return None;
    }
    let (what, at) = unsupported(answer, connection)?;
    let requirements = requirements(answer, &what);
    if number == codes::INVALID_PARAMS {
        return Some(Verdict::PassOf(requirements));
    }
    Some(
        Finding::new(format!("{what} is refused with error code {number}"))
            .at(code, "expected -32602")
            .at(at, "not supported")
            .help("refuse a value that you do not support with error -32602")
            .about(requirements)
            .once_per(what)
            .into(),
    )
}

/// The requirement by which a value is refused.
fn requirements(answer: &Answer<'_>, what: &str) -> &'static [&'static str] {
    match &answer.request.facts {
        RequestFacts::Prompt(prompt) if prompt.malformed_key.is_some() => {
            &["prompt.idempotency-key-refused"]
        }
        RequestFacts::Prompt(_) => &["content.rejects-unknown"],
        RequestFacts::List(_) => &["session.archive-filter-refused"],
        _ if what.starts_with(TRANSPORT) => &["mcp.unsupported-refused"],
        RequestFacts::Creation(_) => &["session.fork-cursor-refused"],
        _ => &["session.replay-position"],
    }
}

/// The first value in a request that the agent has to refuse: what it is, and its place; `None`
/// where there is none.
fn unsupported(answer: &Answer<'_>, connection: &Connection) -> Option<(String, Anchor)> {
    let is_v2 = connection.version() == Some(Version::V2);
    match &answer.request.facts {
        RequestFacts::Prompt(prompt) if is_v2 => {
            // A session that is not open, or is at work, may be the cause.
            let session = connection.session_named(answer.request.session_id.as_deref()?)?;
            if !session.is_attached() || session.is_replaying() || session.activity.is_active() {
                return None;
            }
            let key = prompt.malformed_key.map(|at| ("an idempotency key".to_owned(), at));
            if key.is_some() {
                return key;
            }
            denied(&prompt.blocks, "content of the type", needs::content, connection)
                .filter(|_| prompt.is_sound)
        }
        RequestFacts::List(query) => {
            let (filter, at) = query.archived.as_ref()?;
            let is_known = ["include", "only", "exclude"].contains(&&**filter);
            let agent = needs::advertised_by_agent(connection)?;
            (!is_known && needs::archives(connection).is_in(agent))
                .then(|| (format!("the archive filter `{filter}`"), *at))
        }
        RequestFacts::Attachment(facts) if is_v2 => {
            let from = facts.from.as_ref().filter(|(from, _)| &**from != "start");
            let is_newer = |from: &str| advertised(from, Side::Agent, connection).is_some();
            match from {
                Some((from, at)) => {
                    (!is_newer(from)).then(|| (format!("the replay from `{from}`"), *at))
                }
                None => transport(&facts.equipment, connection),
            }
        }
        RequestFacts::Creation(facts) => {
            let cursor = facts.cursor.as_deref().and_then(|(id, at)| {
                let source = answer.request.session_id.as_deref()?;
                let source = connection.session_named(source)?;
                let is_offered = source.info.cursors.named(id).is_some();
                let is_proven = fork_cursor_unknown::is_complete(source, Side::Agent, connection);
                (!is_offered && is_proven).then(|| (format!("the cursor `{id}`"), *at))
            });
            cursor.or_else(|| transport(&facts.equipment, connection).filter(|_| is_v2))
        }
        _ => None,
    }
}

/// What a server of an unsupported transport is called in findings.
const TRANSPORT: &str = "an MCP server with the transport";

fn transport(equipment: &Equipment, connection: &Connection) -> Option<(String, Anchor)> {
    denied(&equipment.transports, TRANSPORT, needs::transport, connection)
}

/// The first of some values that the agent has not advertised, or that the version does not define:
/// what it is, and its place. `None` where there is none.
fn denied(
    values: &[(Box<str>, Anchor)],
    what: &str,
    need: fn(&str, &Connection) -> Need,
    connection: &Connection,
) -> Option<(String, Anchor)> {
    let agent = needs::advertised_by_agent(connection)?;
    let (kind, at) = values.iter().find(|(kind, _)| match need(kind, connection) {
        Need::Nothing => false,
        Need::Capability(capability) => capability.is_missing_from(agent),
        Need::Unknown => advertised(kind, Side::Agent, connection).is_none(),
    })?;
    Some((format!("{what} `{kind}`"), *at))
}
