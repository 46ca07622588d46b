//! Recognises traffic of other protocols that are written as ACP is: MCP, the language server
//! protocol, and the app server of Codex.

use crate::{json::Node, transcript::labels::method_sender};

/// Another JSON-RPC protocol, such as MCP, with signs by which its messages differ from ACP's.
struct Protocol {
    name: &'static str,
    /// Beginnings of method names by which messages of the protocol are recognized.
    methods: &'static [&'static str],
    /// Whether a JSON value looks like the params of an `initialize` request in this protocol.
    asks: fn(Node<'_>) -> bool,
    /// Whether a JSON value looks like the result of an `initialize` request in this protocol.
    answers: fn(Node<'_>) -> bool,
}

const OTHERS: [Protocol; 3] = [
    Protocol {
        name: "MCP",
        methods: &[
            "notifications/",
            "tools/",
            "resources/",
            "prompts/",
            "sampling/",
            "roots/",
            "completion/complete",
            "logging/setLevel",
            "tasks/",
        ],
        asks: |params| is_dated(params) && params.get("capabilities").is_some(),
        answers: |result| is_dated(result) && result.get("capabilities").is_some(),
    },
    Protocol {
        name: "the language server protocol (LSP)",
        methods: &[
            "textDocument/",
            "workspace/",
            "window/",
            "notebookDocument/",
            "client/registerCapability",
            "client/unregisterCapability",
            "completionItem/",
            "codeAction/",
            "telemetry/event",
            "$/setTrace",
            "$/logTrace",
            "$/progress",
        ],
        asks: |params| {
            let names = ["processId", "rootUri", "rootPath", "workspaceFolders"];
            params.get("capabilities").is_some()
                && names.iter().any(|name| params.get(name).is_some())
        },
        answers: |result| {
            let is_own =
                |name: &str| name.ends_with("Provider") || name.starts_with("textDocument");
            result.get("capabilities").is_some_and(|all| {
                let mut names = all.members().filter_map(|(name, _)| name.text());
                names.any(|name| is_own(&name.as_cow()))
            })
        },
    },
    Protocol {
        name: "the app server of Codex",
        methods: &[
            "thread/",
            "turn/",
            "item/",
            "codex/",
            "account/",
            "newConversation",
            "resumeConversation",
            "archiveConversation",
            "listConversations",
            "interruptConversation",
            "sendUserMessage",
            "sendUserTurn",
            "addConversationListener",
            "removeConversationListener",
            "execCommandApproval",
            "applyPatchApproval",
            "getAuthStatus",
            "loginChatGpt",
            "sessionConfigured",
        ],
        asks: |params| {
            params.get("clientInfo").is_some()
                && ["protocolVersion", "clientCapabilities"]
                    .iter()
                    .all(|name| params.get(name).is_none())
        },
        answers: |result| {
            result.get("userAgent").is_some() && result.get("protocolVersion").is_none()
        },
    },
];

/// Methods that several of these protocols have, and perhaps ACP too; they are no sign of any.
const SHARED: [&str; 6] =
    ["initialize", "initialized", "ping", "shutdown", "exit", "elicitation/create"];

/// Whether `protocolVersion` is a date, as in MCP.
fn is_dated(value: Node<'_>) -> bool {
    let version = value.get("protocolVersion").and_then(Node::text);
    version.is_some_and(|version| {
        let version = version.as_cow();
        version.len() == 10 && version.matches('-').count() == 2
    })
}

/// Name of the protocol whose messages these are; `None` if they are, or may be, ACP's.
pub(super) fn protocol<'t>(messages: impl Iterator<Item = Node<'t>>) -> Option<&'static str> {
    /// Number of messages by which another protocol is recognized; a single one may be an extension
    /// of ACP.
    const ENOUGH: usize = 2;
    let mut counts = [0_usize; OTHERS.len()];
    let (mut opened, mut unknown) = (false, 0);
    for message in messages {
        if is_acp(message) {
            return None;
        }
        let position = OTHERS.iter().position(|other| other.is_marked(message));
        match position {
            Some(position) => {
                counts[position] += 1;
                opened |= is_opening(message);
            }
            None => unknown += usize::from(is_unknown(message)),
        }
    }
    let (position, most) = counts.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let is_told = opened || *most >= ENOUGH;
    (is_told && *most > unknown).then_some(OTHERS[position].name)
}

impl Protocol {
    fn is_marked(&self, message: Node<'_>) -> bool {
        if let Some(method) = message.get("method").and_then(Node::text) {
            let method = method.as_cow();
            return if method == "initialize" {
                message.get("params").is_some_and(self.asks)
            } else {
                self.methods.iter().any(|own| method.starts_with(own))
            };
        }
        message.get("result").is_some_and(self.answers)
    }
}

fn is_opening(message: Node<'_>) -> bool {
    message.get("method").is_some_and(|method| method.is("initialize"))
}

fn is_unknown(message: Node<'_>) -> bool {
    message
        .get("method")
        .and_then(Node::text)
        .is_some_and(|method| !SHARED.contains(&&*method.as_cow()))
}

/// Whether a message can only be one of ACP, even if it is faulty.
pub(super) fn is_acp(message: Node<'_>) -> bool {
    let has = |value: Option<Node<'_>>, names: &[&str]| {
        value.is_some_and(|value| names.iter().any(|name| value.get(name).is_some()))
    };
    let has_version = |value: Option<Node<'_>>| {
        value.and_then(|value| value.get("protocolVersion")).is_some_and(Node::is_number)
    };
    let Some(method) = message.get("method").and_then(Node::text) else {
        let result = message.get("result");
        return has_version(result)
            || has(result, &["agentCapabilities", "stopReason", "sessionId"]);
    };
    let params = message.get("params");
    match &*method.as_cow() {
        "initialize" => has_version(params) || has(params, &["clientCapabilities"]),
        method if SHARED.contains(&method) => false,
        method => {
            let is_like =
                ["session/", "fs/", "terminal/"].iter().any(|own| method.starts_with(own));
            is_like || method_sender(message).is_some()
        }
    }
}
