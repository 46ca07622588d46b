use crate::{event::MethodStatus, rule::prelude::*, rules::surface::with_agreement};

pub(crate) static RULE: Rule = Rule {
    id: "surface/method-from-other-version",
    summary: "a method exists only in the other protocol version",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v2/migration#method-changes"),
            requires: "some methods of version 1 were renamed or removed, others are new",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/migration#client-file-system-and-terminal-execution-removed",
            ),
            requires: "clients do not handle files and terminals for the agent any more",
        },
    ],
    explanation: r"
`initialize` settles the version, and the version decides which methods exist. The other side does
not know a method of the other version: it answers the request with -32601, and drops the
notification. Usually an implementation of both versions does not check which version was agreed on.
Each method is reported once.
",
    tck: &["CLIENTCAP-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/set_mode","params":{"sessionId":"s","modeId":"ask"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let version = connection.spoken_version()?;
    match call.method_status {
        MethodStatus::OtherVersion => {}
        MethodStatus::Defined => return Some(Verdict::Pass),
        _ => return None,
    }
    let method = call.method.as_cow();
    let other = version.other();
    let finding = Finding::new(format!("only version {other} has the method `{method}`"))
        .at(call.method, format!("version {version} does not have it"));
    let finding = with_agreement(finding, connection, version)
        .help(match replacement(&method) {
            Some(replacement) => format!("on version {version}, {replacement}"),
            None => format!("version {version} has no replacement"),
        })
        .once_per(&*method);
    Some(finding.into())
}

/// Help text: what replaces a method in the version that does not have it; `None` where nothing
/// does.
fn replacement(method: &str) -> Option<&'static str> {
    Some(match method {
        "authenticate" => "send `auth/login`",
        "logout" => "send `auth/logout`",
        "session/load" => "send `session/resume` with `\"replayFrom\": {\"type\": \"start\"}`",
        "session/set_mode" => {
            "set the config option of the category `mode` with `session/set_config_option`"
        }
        "fs/read_text_file" | "fs/write_text_file" => "the agent opens files itself",
        "terminal/create"
        | "terminal/output"
        | "terminal/wait_for_exit"
        | "terminal/release"
        | "terminal/kill" => "the agent runs commands itself and shows them with `terminal_update`",
        "auth/login" => "send `authenticate`",
        "auth/logout" => "send `logout`",
        "tool_call/cancel" | "terminal/cancel" => "cancel the whole turn with `session/cancel`",
        _ => return None,
    })
}
