use crate::{
    rule::prelude::*,
    rules::session::replayed::{self, Replayed},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-incomplete",
    summary: "a replay lacks messages or tool calls of the session",
    level: By::each(Level::Must, Level::Derived),
    severity: By::each(Severity::Warning, Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order],
    cites: &replayed::CITES,
    requirements: &["session.replay"],
    explanation: r"
The recording has these messages and tool calls, but nothing of them is in the replay, in whatever
place or form. So the user sees a conversation that never was, and the agent may have forgotten the
same. What may have been compacted, cancelled or cleared by a command is not missed. On version 2 the
agent chooses what it keeps, so there it is only an info, and only on a later connection.
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
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
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
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"sess_06852c2bb8bd485592d1"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_06852c2bb8bd485592d1","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"sess_06852c2bb8bd485592d1","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"sess_06852c2bb8bd485592d1"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"sess_06852c2bb8bd485592d1","prompt":[{"type":"text","text":"Count the hay bales in the barn"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"sess_06852c2bb8bd485592d1","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Count the hay bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read the ledger","kind":"read","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"There are forty two bales in the barn"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess_06852c2bb8bd485592d1","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
    ],
    on: &[
        On::Answer(&["session/load", "session/resume"], replayed::attached),
        On::Call(&["session/prompt", "session/load", "session/resume"], followed),
        On::End(ended),
    ],
    variants: &[(
        Severity::Error,
        "on version 1, where a message was lost in a run of `drive`, or with `--story one`",
    )],
    ..Rule::DEFAULT
};

fn followed(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    replayed::before(call, connection, |replayed| missing(replayed, connection))
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    replayed::at_end(connection, |replayed| missing(replayed, connection))
}

fn missing(replayed: &Replayed<'_>, connection: &Connection) -> Option<Finding> {
    let Replayed { id, attachment, owed, answer } = replayed;
    let is_version_1 = connection.version() != Some(Version::V2);
    // On version 2 the agent chooses what it keeps, and the client of this connection has it still.
    let lost = owed.lost(is_version_1)?;
    // The history of another session is one fault.
    if owed.is_of_another_session() {
        return None;
    }
    let count = |count: usize, thing: &str| match count {
        0 => None,
        1 => Some(format!("1 {thing}")),
        count => Some(format!("{count} {thing}s")),
    };
    let counts = [count(lost.messages, "message"), count(lost.tool_calls, "tool call")];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let finding =
        Finding::new(format!("the replay lacks {} of session `{id}`", counts.join(" and ")))
            .at(*answer, "the replay is over here")
            .once_per(attachment.number);
    let words = ["the first one", "the second one", "the third one"];
    let finding = replayed::with_places(finding, &lost.first, words);
    let is_grave = is_version_1 && owed.is_closed && lost.messages > 0;
    Some(if is_grave { finding.as_severity(Severity::Error) } else { finding })
}
