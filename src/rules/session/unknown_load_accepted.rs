use crate::{rule::prelude::*, transcript::MADE_UP_SESSION};

pub(crate) static RULE: Rule = Rule {
    id: "session/unknown-load-accepted",
    summary: "a request for a session that never was succeeds",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
            requires: "the session id is that of the session to load",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "the session id is that of the session to resume",
        },
    ],
    explanation: r"
`acpcheck drive` loads, resumes, forks and prompts a session with an id that it made up for this run, so
no agent can know it. An agent that accepts it accepts every id: when it has lost a session, the user gets an empty one in
its place, and nobody notices. Closing and deleting such a session may succeed: it is gone. In other
recordings this rule is silent: a session that was not recorded may exist.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"sessions","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"acpcheck-no-such-session-0c52b4db4f5602c0","cwd":"/work","mcpServers":[]}}}
{"t":0.5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
            r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"sessions","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"acpcheck-no-such-session-0c52b4db4f5602c0","cwd":"/work","mcpServers":[]}}}
{"t":0.5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"No such session"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"sessions","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"acpcheck-no-such-session-0c52b4db4f5602c0","cwd":"/work"}}}
{"t":0.4,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"acpcheck-no-such-session-0c52b4db4f5602c0","update":{"sessionUpdate":"state_update","state":"idle"}}}}
{"t":0.5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
            r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"agent","arguments":0,"driven":{"run":"0c52b4db4f5602c0","scenario":"sessions","process":1,"plays":"client"}}
{"t":0.1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"acpcheck","version":"0.1.0"}}}}
{"t":0.2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}}
{"t":0.3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"acpcheck-no-such-session-0c52b4db4f5602c0","cwd":"/work"}}}
{"t":0.5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"No such session"}}}"#,
        ),
    ],
    on: &[On::Answer(&[], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let run = connection.stories.run.as_deref()?;
    let may_be_gone = ["session/close", "session/delete"].contains(&&*answer.request.method);
    if may_be_gone || id.strip_prefix(MADE_UP_SESSION) != Some(run) {
        return None;
    }
    let Some(result) = answer.result() else { return Some(Verdict::Pass) };
    let method = &answer.request.method;
    Some(
        Finding::new(format!("session `{id}` never was, but `{method}` for it succeeds"))
            .help("answer with an error, such as -32002 (resource not found)")
            .at(result, "accepted here")
            .at(answer.request.at, "the id is made up for this run")
            .into(),
    )
}
