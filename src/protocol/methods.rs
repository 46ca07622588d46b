//! Groups of methods that several modules treat alike, each in one place.
//!
//! The schemas say which methods there are, who sends them, and what they carry; nothing here repeats
//! that. This table says what the schemas do not: which methods mean the same for the state of a
//! connection or session. In go names of methods, out come answers to "does it create a session?".
//! [The crate's page](crate) lists all places with names of methods.

/// The first parts, before the slash, of the names of the protocol's methods. An undefined method
/// may be newer than the schemas only if its name begins with one of them.
pub const NAMESPACES: &[&str] =
    &["auth", "elicitation", "fs", "mcp", "providers", "proxy", "session", "terminal", "tool_call"];

/// The methods of requests whose result creates a session.
pub const CREATE_SESSION: &[&str] = &["session/new", "session/fork"];

/// Methods of requests by which a client attaches the connection to an existing session.
pub const ATTACH_SESSION: &[&str] = &["session/load", "session/resume"];

/// Methods of requests that create or attach a session, with its directories and MCP servers.
pub const SET_UP_SESSION: &[&str] =
    &["session/new", "session/load", "session/resume", "session/fork"];

/// Those methods of [`SET_UP_SESSION`] that version 2 defines.
pub const SET_UP_SESSION_ON_V2: &[&str] = &["session/new", "session/resume", "session/fork"];

/// Requests that may name a session that is only stored, or ask whether it exists.
pub const NAME_STORED_SESSION: &[&str] = &[
    "session/load",
    "session/resume",
    "session/delete",
    "session/fork",
    "session/options",
    "session/archive",
    "session/unarchive",
    "session/status",
    "session/set_title",
    "session/list",
];

/// Requests and notifications of a client that control a session or its work.
pub const CONTROL_SESSION: &[&str] = &[
    "session/prompt",
    "session/cancel",
    "session/close",
    "session/delete",
    "session/archive",
    "session/set_mode",
    "session/set_config_option",
    "session/set_title",
    "tool_call/cancel",
    "terminal/cancel",
];

/// Requests that log in.
pub const LOG_IN: &[&str] = &["authenticate", "auth/login"];

/// Requests of an agent that use a terminal which the client has created.
pub const USE_TERMINAL: &[&str] =
    &["terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"];

/// Requests that log in, log out, or ask for the state of authentication.
pub const AUTHENTICATION: &[&str] =
    &["authenticate", "auth/login", "logout", "auth/logout", "auth/status"];

/// Methods that clients send first when they wrongly leave out `initialize`. A recording that
/// begins in the middle of a connection begins with other methods.
pub const FIRST_WITHOUT_INITIALIZE: &[&str] = &[
    "session/new",
    "session/load",
    "session/resume",
    "session/list",
    "authenticate",
    "auth/login",
    "auth/status",
];

/// Whether the result of a request of this method creates a session.
pub fn creates_session(method: &str) -> bool {
    CREATE_SESSION.contains(&method)
}

/// Whether a request attaches the connection to a session that exists.
pub fn attaches_session(method: &str) -> bool {
    ATTACH_SESSION.contains(&method)
}

/// Whether a method's name has the form of the protocol's own names: one of [`NAMESPACES`] before a
/// slash.
pub fn is_in_namespace(method: &str) -> bool {
    method.split_once('/').is_some_and(|(space, _)| NAMESPACES.contains(&space))
}

/// Name of the related protocol that has the method, MCP or LSP, for hints in messages. `None` for
/// a method of neither.
pub fn relative_with(method: &str) -> Option<&'static str> {
    const MCP: [&str; 8] = [
        "completion",
        "logging",
        "notifications",
        "prompts",
        "resources",
        "roots",
        "sampling",
        "tools",
    ];
    const LSP: [&str; 14] = [
        "callHierarchy",
        "client",
        "codeAction",
        "codeLens",
        "completionItem",
        "documentLink",
        "inlayHint",
        "notebookDocument",
        "telemetry",
        "textDocument",
        "typeHierarchy",
        "window",
        "workspace",
        "workspaceSymbol",
    ];
    match (method.split_once('/'), method) {
        (Some((space, _)), _) if MCP.contains(&space) => Some("MCP"),
        (Some((space, _)), _) if LSP.contains(&space) => Some("LSP"),
        (None, "ping") => Some("MCP"),
        (None, "exit" | "initialized" | "shutdown") => Some("LSP"),
        _ => None,
    }
}

/// Whether a request of this method creates or attaches a session.
pub fn sets_up_session(method: &str) -> bool {
    SET_UP_SESSION.contains(&method)
}

/// Whether a request is about authentication: login, logout or its state.
pub fn is_authentication(method: &str) -> bool {
    AUTHENTICATION.contains(&method)
}

/// Whether a successful answer to a request means that the client is logged in.
pub fn logs_in(method: &str) -> bool {
    LOG_IN.contains(&method)
}

/// Whether a successful answer to a request means that the client is logged out.
pub fn logs_out(method: &str) -> bool {
    matches!(method, "logout" | "auth/logout")
}

/// Whether a request of this method selects or disables a model provider.
pub fn changes_provider(method: &str) -> bool {
    matches!(method, "providers/set" | "providers/disable")
}

/// Whether a request of this method archives a session or restores it from the archive.
pub fn changes_archive(method: &str) -> bool {
    matches!(method, "session/archive" | "session/unarchive")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::protocol::{Edition, Surface, schema::Protocol};

    #[test]
    fn groups_name_methods_of_the_schemas() {
        let protocols = Surface::ALL.map(|surface| Protocol::of(surface, Edition::CURRENT));
        let groups = [
            SET_UP_SESSION,
            NAME_STORED_SESSION,
            CONTROL_SESSION,
            AUTHENTICATION,
            USE_TERMINAL,
            FIRST_WITHOUT_INITIALIZE,
        ];
        for method in groups.concat() {
            assert!(protocols.iter().any(|it| it.method(method).is_some()), "{method}");
        }
    }

    #[test]
    fn namespaces_are_those_of_the_schemas() {
        let protocols = Surface::ALL.map(|surface| Protocol::of(surface, Edition::CURRENT));
        let methods = protocols.iter().flat_map(|it| it.methods());
        let spaces = methods.filter_map(|method| Some(method.name.split_once('/')?.0));
        let spaces: BTreeSet<_> = spaces.filter(|space| *space != "$").collect();
        assert!(spaces.into_iter().eq(NAMESPACES.iter().copied()));
        assert!(is_in_namespace("session/hologram") && is_in_namespace("tool_call/pause"));
        assert!(!is_in_namespace("acme/inspect") && !is_in_namespace("hologram"));
        assert!(!is_in_namespace("$/hologram") && !is_in_namespace("sessions/list"));
    }

    #[test]
    fn a_session_is_set_up_by_creating_or_attaching_it() {
        for method in SET_UP_SESSION {
            assert!(creates_session(method) != attaches_session(method), "{method}");
        }
        assert_eq!(SET_UP_SESSION.len(), CREATE_SESSION.len() + ATTACH_SESSION.len());
    }
}
