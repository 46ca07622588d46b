//! The capabilities that a side has to advertise before the other side may use a method, a content
//! block, an MCP transport or a system prompt.
//!
//! The schemas do not state these dependencies; the tables here do. A new method of the agent that
//! needs a capability gets a line in [`V1`] or [`V2`].

use crate::{
    json::Kind,
    model::{Capabilities, Connection, Mark},
    protocol::Version,
};

/// A capability: the path of a member in the object of capabilities, such as `session.delete`, and
/// the type of value that advertises it. A value of any other type does not advertise it.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Capability {
    /// Advertised by `true`.
    Flag(&'static str),
    /// Advertised by an object, also an empty one.
    Object(&'static str),
}

use Capability::{Flag, Object};

impl Capability {
    /// The names of the members, joined by dots.
    pub(in crate::rules) fn path(self) -> &'static str {
        match self {
            Flag(path) | Object(path) => path,
        }
    }

    /// Returns true when the capabilities advertise this one.
    pub(in crate::rules) fn is_in(self, capabilities: &Capabilities) -> bool {
        let kind = capabilities.get(self.path()).map(|found| found.kind());
        kind == Some(match self {
            Flag(_) => Kind::True,
            Object(_) => Kind::Object,
        })
    }

    /// Returns true when the capabilities do not offer this one. A malformed value offers it: official
    /// readers drop the value, but that is no fault of a side that believes it.
    pub(in crate::rules) fn is_missing_from(self, capabilities: &Capabilities) -> bool {
        capabilities.lacks(self.path())
    }

    /// The place in `initialize` where the capability is missing.
    pub(in crate::rules) fn lack(self, capabilities: &Capabilities) -> Mark {
        capabilities.lack(self.path())
    }

    /// The help text: how to advertise the capability.
    pub(in crate::rules) fn advice(self) -> String {
        match self {
            Flag(path) => format!("the capability is advertised when `{path}` is `true`"),
            Object(path) => {
                format!("the capability is advertised when `{path}` is an object, such as `{{}}`")
            }
        }
    }
}

/// What an agent needs for a method.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum MethodNeed {
    /// Nothing: every agent has the method.
    Baseline,
    /// This capability.
    Capability(Capability),
    /// An authentication method that it offers.
    AuthMethods,
}

/// The methods of agents on version 1.
const V1: [(&str, MethodNeed); 19] = [
    ("session/new", MethodNeed::Baseline),
    ("session/prompt", MethodNeed::Baseline),
    ("session/load", MethodNeed::Capability(Flag("loadSession"))),
    ("session/list", MethodNeed::Capability(Object("sessionCapabilities.list"))),
    ("session/resume", MethodNeed::Capability(Object("sessionCapabilities.resume"))),
    ("session/close", MethodNeed::Capability(Object("sessionCapabilities.close"))),
    ("session/delete", MethodNeed::Capability(Object("sessionCapabilities.delete"))),
    ("session/fork", MethodNeed::Capability(Object("sessionCapabilities.fork"))),
    ("session/options", MethodNeed::Capability(Object("sessionCapabilities.options"))),
    ("session/status", MethodNeed::Capability(Object("sessionCapabilities.status"))),
    ("session/archive", MethodNeed::Capability(Object("sessionCapabilities.archive"))),
    ("session/unarchive", MethodNeed::Capability(Object("sessionCapabilities.archive"))),
    ("session/set_title", MethodNeed::Capability(Object("sessionCapabilities.title"))),
    ("logout", MethodNeed::Capability(Object("auth.logout"))),
    ("auth/status", MethodNeed::Capability(Object("auth.status"))),
    ("providers/list", MethodNeed::Capability(Object("providers"))),
    ("providers/set", MethodNeed::Capability(Object("providers"))),
    ("providers/disable", MethodNeed::Capability(Object("providers"))),
    ("authenticate", MethodNeed::AuthMethods),
];

/// The methods of agents on version 2.
const V2: [(&str, MethodNeed); 18] = [
    ("session/new", MethodNeed::Baseline),
    ("session/list", MethodNeed::Baseline),
    ("session/resume", MethodNeed::Baseline),
    ("session/close", MethodNeed::Baseline),
    ("session/prompt", MethodNeed::Baseline),
    ("session/delete", MethodNeed::Capability(Object("session.delete"))),
    ("session/fork", MethodNeed::Capability(Object("session.fork"))),
    ("session/options", MethodNeed::Capability(Object("session.options"))),
    ("session/status", MethodNeed::Capability(Object("session.status"))),
    ("session/archive", MethodNeed::Capability(Object("session.archive"))),
    ("session/unarchive", MethodNeed::Capability(Object("session.archive"))),
    ("session/set_title", MethodNeed::Capability(Object("session.title"))),
    ("auth/login", MethodNeed::AuthMethods),
    ("auth/logout", MethodNeed::AuthMethods),
    ("auth/status", MethodNeed::Capability(Object("auth.status"))),
    ("providers/list", MethodNeed::Capability(Object("providers"))),
    ("providers/set", MethodNeed::Capability(Object("providers"))),
    ("providers/disable", MethodNeed::Capability(Object("providers"))),
];

/// What an agent needs for a value in a request.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Need {
    /// Nothing: every agent accepts the value.
    Nothing,
    /// This capability.
    Capability(Capability),
    /// The version of the connection does not define the value.
    Unknown,
}

impl Need {
    /// The capability; `None` when no capability is needed or known.
    pub(in crate::rules) fn capability(self) -> Option<Capability> {
        match self {
            Self::Capability(capability) => Some(capability),
            Self::Nothing | Self::Unknown => None,
        }
    }

    /// Returns true when an agent with these capabilities has to reject a value of this type. An
    /// agent may know a custom type, whose name begins with `_`, without a capability.
    pub(in crate::rules) fn is_denied(self, kind: &str, agent: &Capabilities) -> bool {
        match self {
            Self::Nothing => false,
            Self::Capability(capability) => capability.is_missing_from(agent),
            Self::Unknown => !kind.starts_with('_'),
        }
    }
}

/// What an agent needs for a content block of this type in a prompt.
pub(in crate::rules) fn content(kind: &str, connection: &Connection) -> Need {
    let (v1, v2) = match kind {
        "text" | "resource_link" => return Need::Nothing,
        "image" => ("promptCapabilities.image", "session.prompt.image"),
        "audio" => ("promptCapabilities.audio", "session.prompt.audio"),
        "resource" => ("promptCapabilities.embeddedContext", "session.prompt.embeddedContext"),
        "skill" if connection.version() == Some(Version::V2) => ("", "session.prompt.skill"),
        _ => return Need::Unknown,
    };
    Need::Capability(by_version(connection, Flag(v1), Object(v2)))
}

/// What an agent needs for an MCP server with this transport.
pub(in crate::rules) fn transport(kind: &str, connection: &Connection) -> Need {
    let is_v2 = connection.version() == Some(Version::V2);
    Need::Capability(match kind {
        "stdio" if is_v2 => Object("session.mcp.stdio"),
        "http" if is_v2 => Object("session.mcp.http"),
        "acp" if is_v2 => Object("session.mcp.acp"),
        "http" => Flag("mcpCapabilities.http"),
        "sse" if !is_v2 => Flag("mcpCapabilities.sse"),
        "acp" => Flag("mcpCapabilities.acp"),
        _ => return Need::Unknown,
    })
}

/// What a client needs for an update of this kind; `None` when it needs nothing.
pub(in crate::rules) fn update(kind: &str, version: Version) -> Option<Capability> {
    Some(Object(match (kind, version) {
        ("prompt_suggestions_update", _) => "session.promptSuggestions",
        (_, Version::V2) => return None,
        ("plan_update" | "plan_removed", _) => "plan",
        ("notice", _) => "session.notices",
        ("compaction_update" | "compaction_summary_chunk", _) => "session.compaction",
        ("cursor_update", _) => "session.cursors",
        ("subagent_update" | "session_message" | "session_message_chunk", _) => SUBAGENTS,
        _ => return None,
    }))
}

/// The capability of a client for the sessions of subagents, on version 1.
pub(in crate::rules) const SUBAGENTS: &str = "subagents";

/// The capability for system prompts.
pub(in crate::rules) fn system_prompt(connection: &Connection) -> Capability {
    let (v1, v2) = ("sessionCapabilities.systemPrompt", "session.systemPrompt");
    by_version(connection, Object(v1), Object(v2))
}

/// The capability for system prompts that replace the one of the agent.
pub(in crate::rules) fn system_prompt_override(connection: &Connection) -> Capability {
    let v1 = "sessionCapabilities.systemPrompt.mode.override";
    by_version(connection, Object(v1), Object("session.systemPrompt.mode.override"))
}

/// The capability for archives of sessions.
pub(in crate::rules) fn archives(connection: &Connection) -> Capability {
    by_version(connection, Object("sessionCapabilities.archive"), Object("session.archive"))
}

/// The capability for options of a session that is not created yet.
pub(in crate::rules) fn session_options(connection: &Connection) -> Capability {
    by_version(connection, Object("sessionCapabilities.options"), Object("session.options"))
}

/// The agent's capability `session` of version 2, without which no `session/*` method may be called.
pub(in crate::rules) const SESSIONS: Capability = Object("session");

impl MethodNeed {
    /// The need of a method; `None` for a method that is not in the table.
    pub(in crate::rules) fn of(version: Version, method: &str) -> Option<Self> {
        let table: &[_] = match version {
            Version::V1 => &V1,
            Version::V2 => &V2,
        };
        table.iter().find(|(name, _)| *name == method).map(|(_, gate)| *gate)
    }
}

/// The capabilities of the agent. Returns `None` when they are not on record, or when they are in
/// the member that the other version has for them, which the client does not read.
pub(in crate::rules) fn advertised_by_agent(connection: &Connection) -> Option<&Capabilities> {
    connection.agent_capabilities().filter(|found| is_in_place(found, connection))
}

/// The capabilities of the client. Returns `None` when they are not on record, or when they are in
/// the member that the other version has for them, which the agent does not read.
pub(in crate::rules) fn advertised_by_client(connection: &Connection) -> Option<&Capabilities> {
    connection.client_capabilities().filter(|found| is_in_place(found, connection))
}

/// Returns true when the capabilities are in the member that the version has for them.
fn is_in_place(capabilities: &Capabilities, connection: &Connection) -> bool {
    let is_v2 = connection.version() == Some(Version::V2);
    match capabilities.at().pointer() {
        "/params/capabilities" | "/result/capabilities" => is_v2,
        "/params/clientCapabilities" | "/result/agentCapabilities" => !is_v2,
        _ => true,
    }
}

/// Returns true when the capabilities of the agent are on record and have no `session`. For version
/// 2.
pub(in crate::rules) fn agent_lacks_sessions(connection: &Connection) -> bool {
    advertised_by_agent(connection).is_some_and(|agent| SESSIONS.is_missing_from(agent))
}

/// Returns true when the agent has not advertised the capability for a method: calling it is a
/// fault of the client.
pub(in crate::rules) fn agent_lacks(method: &str, connection: &Connection) -> bool {
    let agent = advertised_by_agent(connection).filter(|_| connection.is_initialized());
    required(method, connection)
        .zip(agent)
        .is_some_and(|(capability, agent)| capability.is_missing_from(agent))
}

/// Returns true when the agent has advertised the capability for a method. Also false for methods
/// that need none.
pub(in crate::rules) fn agent_has(method: &str, connection: &Connection) -> bool {
    required(method, connection)
        .zip(advertised_by_agent(connection))
        .is_some_and(|(capability, agent)| capability.is_in(agent))
}

/// The capability of the agent for a method on the version of the connection.
fn required(method: &str, connection: &Connection) -> Option<Capability> {
    match MethodNeed::of(connection.version()?, method)? {
        MethodNeed::Capability(capability) => Some(capability),
        MethodNeed::Baseline | MethodNeed::AuthMethods => None,
    }
}

/// The capability for a method of the client on version 1.
pub(in crate::rules) fn client_method(method: &str) -> Capability {
    match method {
        "fs/read_text_file" => Flag("fs.readTextFile"),
        "fs/write_text_file" => Flag("fs.writeTextFile"),
        _ => Flag("terminal"),
    }
}

/// Returns true when the client has not advertised the capability for a method: calling it is a
/// fault of the agent.
pub(in crate::rules) fn client_lacks(method: &str, connection: &Connection) -> bool {
    connection.is_initialized()
        && advertised_by_client(connection)
            .is_some_and(|client| client_method(method).is_missing_from(client))
}

/// Returns false when an agent of version 2 advertises no `session`, true in all other cases.
pub(in crate::rules) fn has_sessions(connection: &Connection) -> bool {
    connection.version() != Some(Version::V2)
        || advertised_by_agent(connection).is_none_or(|agent| !SESSIONS.is_missing_from(agent))
}

/// The capability of the version of the connection: `v2` on version 2, else `v1`.
pub(in crate::rules) fn by_version(
    connection: &Connection,
    v1: Capability,
    v2: Capability,
) -> Capability {
    if connection.version() == Some(Version::V2) { v2 } else { v1 }
}
