use crate::{model::Session, protocol::methods::logs_in, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/unanswered-request",
    summary: "a request is never answered",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::TAIL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "every request gets a response",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#custom-requests"),
            requires: "an unknown request is answered with an error",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("4"),
            requires: "every request gets a response",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#custom-requests"),
            requires: "an unknown request is answered with an error",
        },
    ],
    requirements: &["ext.answer-request", "prompt.accepted", "prompt.answered"],
    explanation: r"
The other side waits, and its user with it. Unknown methods are answered with -32601, invalid
requests with -32600, cancelled ones with -32800. The rule reports only if the recording is known to
hold the end of the connection. Questions to a human, prompts that an agent holds back, and prompts
that the client does not wait for may be open at the end.
",
    tck: &["JSONRPC-001", "JSONRPC-005", "EXT-001"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
        )
        .closed(),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
        )
        .closed(),
    ],
    on: &[On::LeftOpen(check), On::End(ended)],
    variants: &[(
        Severity::Info,
        "where the answer may take long, who asked has gone, or a line cannot be read",
    )],
    ..Rule::DEFAULT
};

fn check(request: &Request, connection: &Connection) -> Option<Verdict> {
    Some(left_open(request, connection)?.about(requirements(&request.method)))
}

/// The requirements that the answer to a request of this method meets.
fn requirements(method: &str) -> &'static [&'static str] {
    match method {
        "session/prompt" => &["prompt.accepted", "prompt.answered"],
        custom if custom.starts_with('_') => &["ext.answer-request"],
        _ => &[],
    }
}

fn left_open(request: &Request, connection: &Connection) -> Option<Verdict> {
    // Other rules report these requests, or the missing response.
    if request.flawed
        || request.may_be_cancelled
        || request.batch.is_some() && !connection.allows_batches()
        || is_failed_prompt(request, connection)
        || is_left_behind(request, connection)
        || request.unnamed_answer.is_some()
        || connection.rpc.has_rounded_answer(&request.id)
    {
        return None;
    }
    let last = connection.last_message().filter(|last| *last != request.at);
    let finding = Finding::new(format!("`{}` is never answered", request.method))
        .at(request.at, format!("the request with id `{}`", request.id))
        .and_at(last, "the last message of the connection")
        .help("answer every request, at least with an error");
    let may_wait = match &*request.method {
        "session/request_permission" | "elicitation/create" => true,
        // The response waits until the prompt is inserted.
        "session/prompt" if connection.version() == Some(Version::V2) => true,
        // The client left while the agent, or the user in a browser, may have been at work.
        method if method == "session/prompt" || logs_in(method) => {
            connection.first_left() == Some(Side::Client)
        }
        _ => false,
    };
    // Who asked may have gone before the answer came.
    let is_gone = request.sender.is_some() && request.sender == connection.first_deaf();
    let is_sure = !may_wait && !is_gone && connection.lost_to(request.sender.map(Side::peer)) == 0;
    Some(finding.as_severity_if(!is_sure, Severity::Info).into())
}

/// Every request of the connection that has to be answered is; the rest is open for a reason.
fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    let is_answered = |session: &Session| session.work.prompted > 0 && session.open_prompts == 0;
    let has_prompt = connection.sessions().any(|(_, session)| is_answered(session));
    let has_extension = connection.rpc.undefined.keys().any(|method| method.starts_with('_'));
    Some(Verdict::PassOf(match (has_prompt, has_extension) {
        (true, true) => &["ext.answer-request", "prompt.accepted", "prompt.answered"],
        (true, false) => &["prompt.accepted", "prompt.answered"],
        (false, true) => &["ext.answer-request"],
        (false, false) => &[],
    }))
}

/// Whether the request is a prompt whose work has failed; another rule
/// (`state/error-without-prompt-error`) reports that.
fn is_failed_prompt(request: &Request, connection: &Connection) -> bool {
    let session = request.session_id.as_deref().and_then(|id| connection.session_named(id));
    &*request.method == "session/prompt"
        && session.is_some_and(|session| session.work.failure_since(request.number).is_some())
}

/// Whether the request is a question to the user that was open when its work ended, which other
/// rules report.
fn is_left_behind(request: &Request, connection: &Connection) -> bool {
    let is_permission = &*request.method == "session/request_permission";
    if !is_permission && &*request.method != "elicitation/create" {
        return false;
    }
    let session = request.session_id.as_deref().and_then(|id| connection.session_named(id));
    let is_second = connection.version() == Some(Version::V2);
    session.is_some_and(|session| {
        let activity = &session.activity;
        if is_second {
            return activity.ended > request.number && (is_permission || !activity.ended_by_cancel);
        }
        is_permission && session.work.stops.last_cancelled > request.number
    })
}
