use crate::{rule::prelude::*, rules::content::timestamp};

pub(crate) static RULE: Rule = Rule {
    id: "content/timestamp-format",
    summary: "a timestamp is not in the required format",
    level: By::each(Level::Derived, Level::Should),
    severity: By::each(Severity::Warning, Severity::Info),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list"),
            requires: "`updatedAt` is an ISO 8601 timestamp",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionInfo"),
            requires: "`updatedAt` is an RFC 3339 timestamp",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionInfoUpdate"),
            requires: "`updatedAt` is an RFC 3339 timestamp",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Annotations"),
            requires: "`lastModified` is an ISO 8601 timestamp",
        },
    ],
    explanation: r#"
Clients sort and group by these times. If a client cannot read a time, it puts the item at the end
of the list, shows "invalid date", or hides the session.
"#,
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","updatedAt":"yesterday at noon"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","updatedAt":"2026-11-21T07:53:43Z"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","updatedAt":"2026-11-21 07:53:43"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","updatedAt":"2026-11-21T07:53:43.720+01:00"}}}"#,
        ),
    ],
    on: &[
        On::Update(&["session_info_update"], updated),
        On::Answer(&["session/list"], listed),
        On::Block(&[], annotated),
    ],
    variants: &[(Severity::Warning, "for the `updatedAt` of a session")],
    ..Rule::DEFAULT
};

fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    session_time(update.update, connection)
}

fn listed(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let sessions = answer.result()?.get("sessions")?;
    Verdict::all(sessions.elements().filter_map(|info| session_time(info, connection)))
}

/// Checks the `updatedAt` of a session against the standard of the version; `None` where it is
/// missing.
fn session_time(info: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let time = info.get("updatedAt")?.text()?;
    let text = time.as_cow();
    let (is_right, standard) = match connection.version()? {
        Version::V1 => (timestamp::is_iso8601(&text), "ISO 8601"),
        Version::V2 => (timestamp::is_rfc3339(&text), "RFC 3339"),
    };
    // On version 2 the rule has a lower severity, for members that matter less than `updatedAt`.
    let fault = || finding(time, "updatedAt", standard).as_severity(Severity::Warning);
    Some((!is_right).then(fault).into())
}

fn annotated(block: &Block<'_>, connection: &Connection) -> Option<Verdict> {
    let time = block.block.get("annotations")?.get("lastModified")?.text()?;
    if connection.version()? == Version::V1 {
        return None;
    }
    let is_right = timestamp::is_iso8601(&time.as_cow());
    Some((!is_right).then(|| finding(time, "lastModified", "ISO 8601")).into())
}

fn finding(time: Text<'_>, member: &str, standard: &str) -> Finding {
    Finding::new(format!("`{member}` is not a timestamp as {standard} defines it"))
        .at(time, format!("expected {standard}"))
        .help("write it as in `2026-11-21T07:53:43Z`")
        .explains(time.node())
        .once_per((member, &*time.as_cow()))
}
