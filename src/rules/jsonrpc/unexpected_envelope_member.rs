use crate::{event::Envelope, protocol::ENVELOPE_MEMBERS, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/unexpected-envelope-member",
    summary: "a message has a top-level member that JSON-RPC does not define",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: None,
        source: SourceText::Page("protocol/v2/draft/extensibility#the-_meta-field"),
        requires: "custom data belongs in `_meta` of the params or the result",
    }],
    explanation: r"
JSON-RPC defines the top-level members: `jsonrpc`, `id`, `method`, `params`, `result` and `error`.
Strict readers refuse a message with other members; other readers and proxies lose them. Custom data
belongs in `_meta` inside `params` or `result`. JetBrains clients add a `type`, which all known
agents accept. If every message has a certain member, the recorder added it.
",
    tck: &["SCHEMA-002"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{},"traceparent":"00-1"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"_meta":{"acme/trace":1}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"result":{},"params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
    ],
    on: &[On::Message(check)],
    variants: &[(Severity::Info, "for the `type` that JetBrains clients add")],
    ..Rule::DEFAULT
};

/// Most unexpected members of one message that get a finding each; further ones get none.
const ENOUGH: usize = 4;

/// Beginning of the value of `type`, a member that clients of JetBrains add to each message.
const JETBRAINS: &str = "com.agentclientprotocol.rpc.";

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    let Envelope { method, params, result, error, foreign, .. } = message.envelope;
    // An object without any of these members is not a message.
    method.or(result).or(error)?;
    let misplaced = params.filter(|_| method.is_none()).map(|params| {
        Finding::new("a response has the member `params`")
            .at(params, "only calls have `params`")
            .help("leave it out; readers ignore it or refuse the message")
            .once_per((message.sender, "params"))
    });
    if foreign.is_none() {
        return Some(misplaced.into());
    }
    let added = &connection.recording().adds;
    let names = message.node.members().filter(|(name, _)| {
        let name = name.text().map(Text::as_cow).unwrap_or_default();
        !ENVELOPE_MEMBERS.contains(&&*name) && !added.iter().any(|known| **known == *name)
    });
    let members = names.take(ENOUGH).map(|(name, value)| unknown(message, name, value));
    Some(members.chain(misplaced).collect())
}

fn unknown(message: &Message<'_>, name: Node<'_>, value: Node<'_>) -> Finding {
    let member = &*name.shown();
    let finding = Finding::new(format!("a JSON-RPC message has no member `{member}`"))
        .at(name, "unknown member")
        .once_per((message.sender, member));
    let kind = value.text().filter(|_| member == "type");
    if kind.is_some_and(|kind| kind.starts_with(JETBRAINS)) {
        return finding
            .help("JetBrains clients add it to every message; readers ignore it")
            .as_severity(Severity::Info);
    }
    finding.help(match member {
        "_meta" => "`_meta` belongs inside `params` or `result`",
        _ => "custom data belongs in `_meta` inside `params` or `result`",
    })
}
