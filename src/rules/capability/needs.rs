//! The capabilities that a side has to advertise before the other side may use a method, a content
//! block, an MCP transport or a system prompt.
//!
//! The schemas do not state these dependencies; the tables here do. A new method of the agent that
//! needs a capability gets a line in [`V1`] or [`V2`].

use crate::{
    json::Kind,
    model::{Capabilities, Connection, Mark},
    protocol::Version,
    requirements::Offers,
};

/// A capability: the path of a member in the object of capabilities, such as `session.delete`, and
/// the type of value that advertises it. A value of any other type does not advertise it.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Capability {
    /// A capability that is advertised by `true` at this dotted path.
    Flag(&'static str),
    /// A capability at this path that an object advertises, even an empty one.
    Object(&'static str),
}

use Capability::{Flag, Object};

impl Capability {
    /// Path of the capability, such as `session.delete`.
    pub(in crate::rules) fn path(self) -> &'static str {
        match self {
            Flag(path) | Object(path) => path,
        }
    }

    /// Whether the capabilities of a side advertise this capability.
    pub(in crate::rules) fn is_in(self, capabilities: &Capabilities) -> bool {
        let kind = capabilities.get(self.path()).map(|found| found.kind());
        kind == Some(match self {
            Flag(_) => Kind::True,
            Object(_) => Kind::Object,
        })
    }

    /// Whether these capabilities clearly lack this one. A malformed value does not count as
    /// lacking: readers drop it, but a side that believes it is not at fault.
    pub(in crate::rules) fn is_missing_from(self, capabilities: &Capabilities) -> bool {
        capabilities.lacks(self.path())
    }

    /// Place in `initialize` at which the capability is missing, for findings.
    pub(in crate::rules) fn lack(self, capabilities: &Capabilities) -> Mark {
        capabilities.lack(self.path())
    }

    /// Help text that says how to advertise the capability.
    pub(in crate::rules) fn advice(self) -> String {
        match self {
            Flag(path) => format!("the capability is advertised when `{path}` is `true`"),
            Object(path) => {
                format!("the capability is advertised when `{path}` is an object, such as `{{}}`")
            }
        }
    }
}

/// What an agent must advertise before a client may call a method.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum MethodNeed {
    /// The agent need not advertise anything: every agent has the method.
    Baseline,
    /// The agent must advertise this capability before the client calls the method.
    Capability(Capability),
    /// The agent must have offered an authentication method in its answer to `initialize`.
    AuthMethods,
}

/// What an agent must advertise before the client calls each method, on version 1.
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

/// What an agent must advertise before the client calls each method, on version 2.
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

/// What an agent must advertise before a request may have a value, such as a type of content.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Need {
    /// The agent need not advertise anything: every agent accepts the value.
    Nothing,
    /// The agent must advertise this capability before the client sends the value.
    Capability(Capability),
    /// The version of the connection does not define the value.
    Unknown,
}

impl Need {
    /// The needed capability; `None` when none is needed or none is known.
    pub(in crate::rules) fn capability(self) -> Option<Capability> {
        match self {
            Self::Capability(capability) => Some(capability),
            Self::Nothing | Self::Unknown => None,
        }
    }

    /// Whether an agent with these capabilities has to reject a value of type `kind`. A custom
    /// type, which begins with `_`, may be known without a capability.
    pub(in crate::rules) fn is_denied(self, kind: &str, agent: &Capabilities) -> bool {
        match self {
            Self::Nothing => false,
            Self::Capability(capability) => capability.is_missing_from(agent),
            Self::Unknown => !kind.starts_with('_'),
        }
    }
}

/// What an agent needs before a prompt may have a content block of this type.
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

/// The capability that an agent must advertise before a request may name an MCP server with this
/// transport.
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

/// What a client must advertise before the agent may send it an update of this kind; `None` when
/// nothing is needed.
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

/// Path of the client's capability for sessions of subagents, on version 1.
pub(in crate::rules) const SUBAGENTS: &str = "subagents";

/// The agent's capability for system prompts, on the version of the connection.
pub(in crate::rules) fn system_prompt(connection: &Connection) -> Capability {
    let (v1, v2) = ("sessionCapabilities.systemPrompt", "session.systemPrompt");
    by_version(connection, Object(v1), Object(v2))
}

/// The agent's capability for system prompts that replace the agent's own, on the version of the
/// connection.
pub(in crate::rules) fn system_prompt_override(connection: &Connection) -> Capability {
    let v1 = "sessionCapabilities.systemPrompt.mode.override";
    by_version(connection, Object(v1), Object("session.systemPrompt.mode.override"))
}

/// The agent's capability for archiving sessions, on the version of the connection.
pub(in crate::rules) fn archives(connection: &Connection) -> Capability {
    by_version(connection, Object("sessionCapabilities.archive"), Object("session.archive"))
}

/// The agent's capability for listing options before a session is created, on the version of the
/// connection.
pub(in crate::rules) fn session_options(connection: &Connection) -> Capability {
    by_version(connection, Object("sessionCapabilities.options"), Object("session.options"))
}

/// The agent's capability `session` of version 2, without which clients may not call any
/// `session/*` method.
pub(in crate::rules) const SESSIONS: Capability = Object("session");

impl MethodNeed {
    /// What an agent needs for a method; `None` for methods that are not in the table.
    pub(in crate::rules) fn of(version: Version, method: &str) -> Option<Self> {
        let table: &[_] = match version {
            Version::V1 => &V1,
            Version::V2 => &V2,
        };
        table.iter().find(|(name, _)| *name == method).map(|(_, gate)| *gate)
    }
}

/// What the sides of a connection have offered of that which requirements need; everything where their
/// capabilities are not on record.
pub(in crate::rules) fn offers(connection: &Connection) -> Offers {
    let Some(version) = connection.version().filter(|_| connection.is_initialized()) else {
        return Offers::ALL;
    };
    Offers::where_offered(|need| is_offered(need, version, connection))
}

fn is_offered(need: &str, version: Version, connection: &Connection) -> bool {
    let agent_has = |capability: Capability| {
        advertised_by_agent(connection).is_none_or(|agent| !capability.is_missing_from(agent))
    };
    let client_has = |capability: Capability| {
        advertised_by_client(connection).is_none_or(|client| !capability.is_missing_from(client))
    };
    if need.starts_with("session/") && !has_sessions(connection) {
        return false;
    }
    match (MethodNeed::of(version, need), need, version) {
        (Some(MethodNeed::Baseline), ..) => true,
        (Some(MethodNeed::Capability(capability)), ..) => agent_has(capability),
        (Some(MethodNeed::AuthMethods), ..) => connection.authentication.is_offered,
        (None, "auth/status_update", _) => agent_has(Object("auth.status")),
        (None, "mcp/message", Version::V1) => agent_has(Flag("mcpCapabilities.acp")),
        (None, "mcp/message", Version::V2) => agent_has(Object("session.mcp.acp")),
        (None, "elicitation/create" | "elicitation/complete", _) => {
            client_has(Object("elicitation"))
        }
        (None, "fs/write_text_file" | "terminal/create" | "terminal/output", Version::V1) => {
            client_has(client_method(need))
        }
        // Only a recording shows that there is a proxy.
        (None, "proxy/successor", _) => false,
        (None, kind, version) => update(kind, version).is_none_or(client_has),
    }
}

/// Capabilities of the agent. `None` when they are not on record, or stand in the member of the
/// other version, which the client does not read.
pub(in crate::rules) fn advertised_by_agent(connection: &Connection) -> Option<&Capabilities> {
    connection.agent_capabilities().filter(|found| is_in_place(found, connection))
}

/// Capabilities of the client. `None` when they are not on record, or stand in the member of the
/// other version, which the agent does not read.
pub(in crate::rules) fn advertised_by_client(connection: &Connection) -> Option<&Capabilities> {
    connection.client_capabilities().filter(|found| is_in_place(found, connection))
}

/// Whether the capabilities are in the member in which the connection's version has them.
fn is_in_place(capabilities: &Capabilities, connection: &Connection) -> bool {
    let is_v2 = connection.version() == Some(Version::V2);
    match capabilities.at().pointer() {
        "/params/capabilities" | "/result/capabilities" => is_v2,
        "/params/clientCapabilities" | "/result/agentCapabilities" => !is_v2,
        _ => true,
    }
}

/// Whether an agent of version 2 is known to have no sessions: its capabilities are on record
/// without `session`.
pub(in crate::rules) fn agent_lacks_sessions(connection: &Connection) -> bool {
    advertised_by_agent(connection).is_some_and(|agent| SESSIONS.is_missing_from(agent))
}

/// Whether the agent has not advertised the capability for a method, so that calling the method is
/// a fault of the client.
pub(in crate::rules) fn agent_lacks(method: &str, connection: &Connection) -> bool {
    let agent = advertised_by_agent(connection).filter(|_| connection.is_initialized());
    required(method, connection)
        .zip(agent)
        .is_some_and(|(capability, agent)| capability.is_missing_from(agent))
}

/// Whether the agent has advertised the capability for a method; `false` also for methods that need
/// none.
pub(in crate::rules) fn agent_has(method: &str, connection: &Connection) -> bool {
    required(method, connection)
        .zip(advertised_by_agent(connection))
        .is_some_and(|(capability, agent)| capability.is_in(agent))
}

/// The capability that the agent needs for a method on the connection's version; `None` where none
/// is needed.
fn required(method: &str, connection: &Connection) -> Option<Capability> {
    match MethodNeed::of(connection.version()?, method)? {
        MethodNeed::Capability(capability) => Some(capability),
        MethodNeed::Baseline | MethodNeed::AuthMethods => None,
    }
}

/// The capability that a client needs for one of its methods on version 1.
pub(in crate::rules) fn client_method(method: &str) -> Capability {
    match method {
        "fs/read_text_file" => Flag("fs.readTextFile"),
        "fs/write_text_file" => Flag("fs.writeTextFile"),
        _ => Flag("terminal"),
    }
}

/// Whether the client has not advertised the capability for a method, so that calling the method is
/// a fault of the agent.
pub(in crate::rules) fn client_lacks(method: &str, connection: &Connection) -> bool {
    connection.is_initialized()
        && advertised_by_client(connection)
            .is_some_and(|client| client_method(method).is_missing_from(client))
}

/// Whether the agent may have sessions: `false` only for an agent of version 2 that advertises no
/// `session`.
pub(in crate::rules) fn has_sessions(connection: &Connection) -> bool {
    connection.version() != Some(Version::V2)
        || advertised_by_agent(connection).is_none_or(|agent| !SESSIONS.is_missing_from(agent))
}

/// The one of two capabilities that fits the connection's version: `v2` on version 2, else `v1`.
pub(in crate::rules) fn by_version(
    connection: &Connection,
    v1: Capability,
    v2: Capability,
) -> Capability {
    if connection.version() == Some(Version::V2) { v2 } else { v1 }
}
