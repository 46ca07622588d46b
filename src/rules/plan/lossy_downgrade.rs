use crate::{rule::prelude::*, rules::plan::naming::shortened};

pub(crate) static RULE: Rule = Rule {
    id: "plan/lossy-downgrade",
    summary: "a proxy changes a plan status on the way to version 1",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Other("RFD v2/plan-variants, compatibility"),
        requires: "a proxy converts only values that version 1 can express",
    }],
    explanation: r"
A proxy stands between an agent of version 2 and a client of version 1. Version 1 has no status for
an abandoned step, and no custom statuses. If the proxy sends another status instead, the client may
show a step as done that was never done. It is better to leave such an entry out. Only recordings of
both connections show this.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"connection":"client","dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"connection":"agent","dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"proxy","version":"1.0.0"}}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"proxy","version":"1.0.0"}}}}
{"connection":"client","dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"connection":"agent","dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"cancelled"}]}}}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"completed"}]}}}}"#,
        r#"{"connection":"client","dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"connection":"agent","dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"proxy","version":"1.0.0"}}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"proxy","version":"1.0.0"}}}}
{"connection":"client","dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"connection":"agent","dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"connection":"agent","dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"main","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"cancelled"}]}}}}}
{"connection":"client","dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"}]}}}}"#,
    )
    .with_hops()],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let original = connection.other_hops.as_ref()?.of(updated.session_id)?;
    let entries = updated.snapshot.entries();
    let changed = original.changed(entries)?;
    let Some((status, before, _)) = changed.first() else { return Some(Verdict::Pass) };
    let (before, now) = (shortened(before.name()), status.text()?);
    let finding =
        Finding::new(format!("the proxy turns the status `{before}` into `{now}` for version 1"));
    let finding = changed.iter().take(3).fold(finding, |finding, (status, _, place)| {
        finding.at(*status, "converted").at(*place, "as the agent sent it")
    });
    let help = "leave out entries whose status version 1 cannot express";
    Some(finding.help(help).once_per((updated.session_id, before)).into())
}
