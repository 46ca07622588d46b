use crate::{event::MethodStatus, protocol::schema::Observation, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "surface/withdrawn-method",
    summary: "a method was removed from the drafts",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Other("agent-client-protocol, CHANGELOG 0.13.5 (#1325)"),
            requires: "config options replaced `session/set_model` and its members",
        },
        Citation {
            version: None,
            source: SourceText::Other("agent-client-protocol-schema 1.12.0"),
            requires: "`nes/*`, `document/*`, `mcp/connect` and `mcp/disconnect` were removed",
        },
    ],
    explanation: r"
The method was a draft once, and some agents and clients still have it. But no schema defines it any
more: new peers answer -32601. It still works between two old peers, so it is a warning. Removed
members, such as `models` in the answer to `session/new`, are only an info: readers that do not know
them ignore them.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/set_model","params":{"sessionId":"s","modelId":"large"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t","configOptions":[{"id":"model","name":"Model","category":"model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/set_model","params":{"sessionId":"s","modelId":"large"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t","configOptions":[{"configId":"model","name":"Model","category":"model","type":"select","currentValue":"large","options":[{"value":"large","name":"Large"}]}]}}"#,
        ),
    ],
    on: &[On::Call(&[], method), On::Observed(member)],
    variants: &[(Severity::Info, "for members and auth method types")],
    ..Rule::DEFAULT
};

/// Help text that names what replaced a method of a withdrawn draft; `None` for any other method.
pub(in crate::rules) fn successor(method: &str) -> Option<&'static str> {
    match method {
        "session/set_model" => {
            Some("set the config option of the category `model` with `session/set_config_option`")
        }
        "mcp/connect" | "mcp/disconnect" => Some("later drafts have only `mcp/message`"),
        _ if method.starts_with("nes/") || method.starts_with("document/") => {
            Some("if both sides are yours, keep it as an extension with a leading `_`")
        }
        _ => None,
    }
}

fn method(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    if call.method_status != MethodStatus::Undefined {
        return call.uses_protocol().then_some(Verdict::Pass);
    }
    let method = call.method.as_cow();
    let successor = successor(&method)?;
    let finding = Finding::new(format!("`{method}` was removed from the drafts"))
        .at(call.method, "no version has this method any more")
        .help(successor)
        .once_per(&*method);
    Some(finding.into())
}

fn member(seen: &Observed<'_>, _: &Connection) -> Option<Verdict> {
    let (finding, name) = match seen.what {
        Observation::UnknownMember { name, type_name, .. } => {
            let member = name.text()?.as_cow();
            let help = withdrawn(type_name, &member)?;
            let finding = Finding::new(format!("`{member}` was removed from the drafts"))
                .at(name, format!("`{type_name}` does not define it any more"))
                .help(help)
                .explains(name);
            (finding, member)
        }
        // Readers take the object for the variant without a type.
        Observation::Fallthrough { object, tag, meant: None, .. } if tag.is("env_var") => {
            let finding =
                Finding::new("the auth method type `env_var` was removed from the drafts")
                    .at(tag, "official readers take it as the type `agent`")
                    .help("say in `description` what to set, or use the type `terminal`")
                    .explains(object);
            (finding, "env_var".into())
        }
        _ => return None,
    };
    Some(finding.as_severity(Severity::Info).once_per(&*name).into())
}

/// The help text for a member of a withdrawn draft; `None` for any other member.
fn withdrawn(type_name: &str, member: &str) -> Option<&'static str> {
    match (type_name, member) {
        (
            "NewSessionResponse"
            | "LoadSessionResponse"
            | "ResumeSessionResponse"
            | "ForkSessionResponse",
            "models",
        ) => Some("offer models as a config option of the category `model`"),
        ("PromptRequest", "messageId") | ("PromptResponse", "userMessageId") => {
            Some("version 1 has no id of the user message here; updates have its `messageId`")
        }
        _ => None,
    }
}
