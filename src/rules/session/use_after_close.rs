use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/use-after-close",
    summary: "the client uses a session that it has closed",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#closing-active-sessions"),
            requires: "closing frees everything that the agent holds for the session",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#closing-active-sessions"),
            requires: "a closed session is used again only after a resume",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CloseSessionRequest"),
            requires: "a closed session is used again only after a resume",
        },
    ],
    explanation: r"
The agent has discarded the session. It answers with an error, or opens the session again without
the earlier conversation. To use the session again, load or resume it.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}"#,
        ),
    ],
    on: &[
        On::Call(
            &[
                "session/prompt",
                "session/cancel",
                "session/set_mode",
                "session/set_config_option",
                "tool_call/cancel",
                "terminal/cancel",
            ],
            used,
        ),
        On::Update(&[], updated),
        On::Answer(&["session/close"], closed),
    ],
    variants: &[(Severity::Info, "for updates on version 1")],
    ..Rule::DEFAULT
};

fn used(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let session = connection.session(id)?;
    let is_v2 = connection.version() == Some(Version::V2);
    if session.is_replaying() || (call.id.is_none() && !is_v2) {
        return None;
    }
    if let Some(closed) = session.closed {
        let finding = Finding::new(format!("session `{id}` is used after it was closed"))
            .at(call.method, "needs an open session")
            .at(closed, "closed here")
            .help(if is_v2 {
                "resume the session first"
            } else {
                "load or resume the session first"
            });
        return Some(finding.once_per(&*id.as_cow()).into());
    }
    match session.info.closing {
        Some(closing) if is_v2 => Some(
            Finding::new(format!("session `{id}` is used while it is being closed"))
                .at(call.method, "may come too late")
                .at(closing.at, "the client closes it here")
                .as_severity(Severity::Warning)
                .once_per(&*id.as_cow())
                .into(),
        ),
        _ => None,
    }
}

/// Passes for each confirmed `session/close`, so that the rule counts as exercised.
fn closed(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    answer.result().map(|_| Verdict::Pass)
}

/// Reports an update for a closed session on version 1 as an info, since version 1 does not forbid
/// it.
fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let closed = session.closed.filter(|_| !session.is_replaying())?;
    (connection.version() == Some(Version::V1)).then(|| {
        Finding::new(format!("session `{}` is updated after it was closed", update.session_id))
            .at(update.kind, "the client has discarded the session")
            .at(closed, "closed here")
            .as_severity(Severity::Info)
            .blaming(Some(Side::Agent))
            .once_per(("update", &*update.session_id.as_cow()))
            .into()
    })
}
