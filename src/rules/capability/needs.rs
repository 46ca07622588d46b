//! What has to be advertised before something may be used. The schemas do not tell which method
//! rests on which capability, so the tables here do.

use crate::{
    json::Kind,
    model::{Capabilities, Connection, Mark},
    protocol::Version,
};

/// A member of a capability object, as a path of names joined by dots, by what advertises it.
/// Readers take any other type for its absence.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Capability {
    /// `true`.
    Flag(&'static str),
    /// An object, be it empty.
    Object(&'static str),
}

use Capability::{Flag, Object};

impl Capability {
    pub(in crate::rules) fn path(self) -> &'static str {
        match self {
            Flag(path) | Object(path) => path,
        }
    }

    pub(in crate::rules) fn is_in(self, capabilities: &Capabilities) -> bool {
        let kind = capabilities.get(self.path()).map(|found| found.kind());
        kind == Some(match self {
            Flag(_) => Kind::True,
            Object(_) => Kind::Object,
        })
    }

    /// Where the lack of it shows.
    pub(in crate::rules) fn lack(self, capabilities: &Capabilities) -> Mark {
        capabilities.lack(self.path())
    }

    /// How to advertise it.
    pub(in crate::rules) fn advice(self) -> String {
        match self {
            Flag(path) => format!("`{path}` has to be `true`"),
            Object(path) => format!("`{path}` has to be an object, an empty one suffices"),
        }
    }
}

/// What a method of the agent rests on.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum MethodNeed {
    /// Every agent has it.
    Baseline,
    Capability(Capability),
    /// An authentication method on offer.
    AuthMethods,
}

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

/// What something in a request rests on.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Need {
    /// Every agent takes it.
    Nothing,
    Capability(Capability),
    /// The version does not define it.
    Unknown,
}

impl Need {
    /// What has to be advertised, if anything.
    pub(in crate::rules) fn capability(self) -> Option<Capability> {
        match self {
            Self::Capability(capability) => Some(capability),
            Self::Nothing | Self::Unknown => None,
        }
    }

    /// Whether an agent with these capabilities has to refuse something of this type. Types of
    /// one's own it may know from elsewhere.
    pub(in crate::rules) fn is_denied(self, kind: &str, agent: Option<&Capabilities>) -> bool {
        match self {
            Self::Nothing => false,
            Self::Capability(capability) => agent.is_some_and(|agent| !capability.is_in(agent)),
            Self::Unknown => !kind.starts_with('_'),
        }
    }
}

/// What a block of this type in a prompt rests on.
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

/// What an MCP server with this transport rests on.
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

/// What system prompts rest on.
pub(in crate::rules) fn system_prompt(connection: &Connection) -> Capability {
    let (v1, v2) = ("sessionCapabilities.systemPrompt", "session.systemPrompt");
    by_version(connection, Object(v1), Object(v2))
}

/// What system prompts rest on that take the place of the agent's own.
pub(in crate::rules) fn system_prompt_override(connection: &Connection) -> Capability {
    let v1 = "sessionCapabilities.systemPrompt.mode.override";
    by_version(connection, Object(v1), Object("session.systemPrompt.mode.override"))
}

/// What the options of a session that is not set up yet rest on.
pub(in crate::rules) fn session_options(connection: &Connection) -> Capability {
    by_version(connection, Object("sessionCapabilities.options"), Object("session.options"))
}

/// What all `session/*` methods rest on, on version 2.
pub(in crate::rules) const SESSIONS: Capability = Object("session");

impl MethodNeed {
    /// The gate of a method; `None` for one that needs nothing or that the table does not know.
    pub(in crate::rules) fn of(version: Version, method: &str) -> Option<Self> {
        let table: &[_] = match version {
            Version::V1 => &V1,
            Version::V2 => &V2,
        };
        table.iter().find(|(name, _)| *name == method).map(|(_, gate)| *gate)
    }
}

/// What the agent has advertised, in the place that the version has for it: what stands elsewhere
/// tells nothing, not even that something is missing.
pub(in crate::rules) fn advertised_by_agent(connection: &Connection) -> Option<&Capabilities> {
    connection.agent_capabilities().filter(|found| is_in_place(found, connection))
}

/// What the client has advertised, likewise.
pub(in crate::rules) fn advertised_by_client(connection: &Connection) -> Option<&Capabilities> {
    connection.client_capabilities().filter(|found| is_in_place(found, connection))
}

fn is_in_place(capabilities: &Capabilities, connection: &Connection) -> bool {
    let is_v2 = connection.version() == Some(Version::V2);
    match capabilities.at().pointer() {
        "/params/capabilities" | "/result/capabilities" => is_v2,
        "/params/clientCapabilities" | "/result/agentCapabilities" => !is_v2,
        _ => true,
    }
}

/// Whether an agent of version 2 has said that it has no sessions.
pub(in crate::rules) fn agent_lacks_sessions(connection: &Connection) -> bool {
    advertised_by_agent(connection).is_some_and(|agent| !SESSIONS.is_in(agent))
}

/// Whether the agent has not advertised this method, so that calling it is the fault.
pub(in crate::rules) fn agent_lacks(method: &str, connection: &Connection) -> bool {
    let capability =
        connection.version().and_then(|version| match MethodNeed::of(version, method)? {
            MethodNeed::Capability(capability) => Some(capability),
            MethodNeed::Baseline | MethodNeed::AuthMethods => None,
        });
    let agent = advertised_by_agent(connection).filter(|_| connection.is_initialized());
    capability.zip(agent).is_some_and(|(capability, agent)| !capability.is_in(agent))
}

/// What a method of the client rests on, on version 1.
pub(in crate::rules) fn client_method(method: &str) -> Capability {
    match method {
        "fs/read_text_file" => Flag("fs.readTextFile"),
        "fs/write_text_file" => Flag("fs.writeTextFile"),
        _ => Flag("terminal"),
    }
}

/// Whether the client has not advertised this method of its own, so that calling it is the fault.
pub(in crate::rules) fn client_lacks(method: &str, connection: &Connection) -> bool {
    connection.is_initialized()
        && advertised_by_client(connection)
            .is_some_and(|client| !client_method(method).is_in(client))
}

/// Whether the agent has sessions at all, as far as it has said.
pub(in crate::rules) fn has_sessions(connection: &Connection) -> bool {
    connection.version() != Some(Version::V2)
        || advertised_by_agent(connection).is_none_or(|agent| SESSIONS.is_in(agent))
}

/// The version's own capability: version 1 has flags in some places where version 2 has objects.
pub(in crate::rules) fn by_version(
    connection: &Connection,
    v1: Capability,
    v2: Capability,
) -> Capability {
    if connection.version() == Some(Version::V2) { v2 } else { v1 }
}
