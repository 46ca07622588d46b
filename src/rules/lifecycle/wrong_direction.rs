use crate::{
    event::MethodStatus,
    protocol::schema::{Handler, Protocol},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/wrong-direction",
    summary: "a message is sent by the side that should receive it",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview"),
            requires: "each method is handled by one side and sent by the other",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#agent"),
            requires: "each method is handled by one side and sent by the other",
        },
    ],
    explanation: r"
Each method is handled by one side. The other side answers it with -32601 or drops it. Usual cause:
an echo, when an agent runs in a pseudo-terminal and its output repeats the client's input. The rule
needs a recording that states who sent each message. If all these labels are swapped, the recording
is read correctly anyway.
",
    tck: &["CLIENTCAP-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}}"#,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}}"#,
            r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let sender = call.recorded?;
    let is_known = matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft);
    if !is_known || connection.is_proxied() {
        return None;
    }
    let version = connection.version().unwrap_or(Version::V1);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let name = call.method.as_cow();
    let receiver = match protocol.method(&name)?.call(call.id.is_some())?.handler {
        Handler::Client => Side::Client,
        Handler::Agent => Side::Agent,
        Handler::Either | Handler::Proxy => return None,
    };
    if sender != receiver {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("the {sender} sends `{name}`, but it can only receive it"))
        .at(call.method, format!("the recording says that the {sender} sent this"))
        .help(format!(
            "only the {} sends `{name}`: check whether its messages are echoed, or the labels are swapped",
            sender.peer()
        ))
        .once_per((&*name, sender));
    Some(finding.into())
}
