//! The messages before the examples of rules, for each [`Opening`] and version.
//!
//! In: a surface and an opening. Out: the lines with which the conversation begins.

use crate::{
    protocol::{Surface, Version},
    rule::Opening,
};

const INITIALIZE_V1: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"configOptions":{"boolean":{}},"notices":{},"compaction":{}},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}},"plan":{},"subagents":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"mcpCapabilities":{"http":true,"sse":true},"sessionCapabilities":{"list":{},"resume":{},"close":{},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}},"auth":{"logout":{}}},"authMethods":[{"id":"login","name":"Log in"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}
"#;
const INITIALIZE_V2: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}},"elicitation":{"form":{},"url":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"prompt":{"image":{},"audio":{},"embeddedContext":{}},"mcp":{"stdio":{},"http":{}},"delete":{},"additionalDirectories":{},"fork":{},"archive":{},"status":{},"title":{}}},"authMethods":[{"type":"agent","methodId":"login","name":"Log in"}],"info":{"name":"agent","version":"1.0.0"}}}
"#;
const BARE_V1: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
"#;
const BARE_V2: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
"#;
const SESSION_V1: &str = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;
const SESSION_V2: &str = r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;
const TURN_V1: &str = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
"#;
const TURN_V2: &str = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
"#;

/// The messages of an opening on this surface, one on each line, each line with its break; empty
/// for [`Opening::None`].
pub fn opening(surface: Surface, opening: Opening) -> String {
    let [initialize, bare, session, turn] = match surface.version() {
        Version::V1 => [INITIALIZE_V1, BARE_V1, SESSION_V1, TURN_V1],
        Version::V2 => [INITIALIZE_V2, BARE_V2, SESSION_V2, TURN_V2],
    };
    match opening {
        Opening::None => String::new(),
        Opening::Initialized => initialize.to_owned(),
        Opening::Session => [initialize, session].concat(),
        Opening::Turn => [initialize, session, turn].concat(),
        Opening::Bare => [bare, session].concat(),
    }
}
