use crate::{
    model::{Session, session::tool_calls::Mention},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/unknown-session-or-tool",
    summary: "an elicitation names a tool call that was never reported",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ElicitationSessionScope"),
        requires: "`toolCallId` names a tool call of the session",
    }],
    explanation: r"
Clients show a question next to the tool call that it belongs to. If the tool call is unknown, they
show it anywhere, or not at all. The agent may report the tool call after the question. If the
recording does not hold the beginning of the session, the rule reports nothing.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","toolCallId":"c1","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","toolCallId":"c1","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Check out","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Call(&["elicitation/create"], known), On::End(check)],
    ..Rule::DEFAULT
};

/// `Pass` for an elicitation that names a known tool call; else `None`.
fn known(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    session.tool_calls.get(call.param("toolCallId")?.text()?).map(|_| Verdict::Pass)
}

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let sessions = connection.sessions().filter(|(_, session)| session.is_fully_recorded());
    let mentions = sessions.flat_map(|(_, session)| {
        let mentions = session.tool_calls.mentions();
        mentions.filter(|(_, mention)| is_settled(mention, session, connection)).map(
            |(id, mention)| match session.tool_calls.named(id) {
                Some(_) => Verdict::Pass,
                None => unknown(id, mention).into(),
            },
        )
    });
    Verdict::all(mentions)
}

/// Whether the agent would have reported the mentioned tool call already: its work has ended, or
/// its session or the connection.
fn is_settled(mention: &Mention, session: &Session, connection: &Connection) -> bool {
    session.activity.ended > mention.number
        || session.closed.is_some()
        || connection.tail_is_closed()
}

fn unknown(id: &str, mention: &Mention) -> Finding {
    Finding::new(format!("an elicitation names tool call `{id}`, which is never reported"))
        .at(mention.at, "the session has no such tool call")
        .help("report the tool call, or leave `toolCallId` out")
}
