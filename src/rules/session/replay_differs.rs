use crate::{
    model::story::DifferenceKind,
    rule::prelude::*,
    rules::session::replayed::{self, Replayed},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-differs",
    summary: "a replay tells another history than the session had",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order],
    cites: &replayed::CITES,
    requirements: &["session.replay"],
    explanation: r"
A message comes back with another text under its id; a tool call that completed comes back as failed,
or with another kind; turns come back in reverse
order; the history comes more than once; or it is the history of another session. The user trusts what the
window shows, and the agent may work on with the same mistake.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"There are forty two bales in the barn"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Count the hay bales in the barn"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"failed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"There are forty two bales in the barn"}}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"There are forty two bales in the barn"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Count the hay bales in the barn"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"There are forty two bales in the barn"}}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"failed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        ),
    ],
    on: &[
        On::Answer(&["session/load", "session/resume"], replayed::attached),
        On::Call(&["session/prompt", "session/load", "session/resume"], followed),
        On::End(ended),
    ],
    ..Rule::DEFAULT
};

fn followed(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    replayed::before(call, connection, |replayed| differing(replayed, connection))
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    replayed::at_end(connection, |replayed| differing(replayed, connection))
}

fn differing(replayed: &Replayed<'_>, connection: &Connection) -> Option<Finding> {
    let Replayed { id, attachment, owed, .. } = replayed;
    let difference = owed.difference(connection.version() != Some(Version::V2))?;
    let (what, here, before) = match difference.kind {
        DifferenceKind::Text => (
            format!("a message of session `{id}` is replayed with another text"),
            "the replayed text",
            "the message as it was",
        ),
        DifferenceKind::Status => (
            format!("a tool call of session `{id}` is replayed with another status"),
            "the replayed status",
            "the tool call as it was",
        ),
        DifferenceKind::Kind => (
            format!("a tool call of session `{id}` is replayed with another kind"),
            "the replayed kind",
            "the tool call as it was",
        ),
        DifferenceKind::Order => (
            format!("messages of session `{id}` are replayed in reverse order"),
            "replayed after a later turn",
            "the earlier turn as it was",
        ),
        DifferenceKind::OtherSession => (
            format!("session `{id}` gets the history of another session"),
            "from another session",
            "the history of this session",
        ),
        DifferenceKind::Again { times } => (
            match times {
                2 => format!("the history of session `{id}` is replayed twice"),
                _ => format!("the history of session `{id}` is replayed {times} times"),
            },
            "the second time begins here",
            "said once",
        ),
    };
    let finding = Finding::new(what).at(difference.at, here).once_per(attachment.number);
    let places: Vec<_> = difference.before.into_iter().collect();
    Some(replayed::with_places(finding, &places, [before; 3]))
}
