use crate::{
    protocol::schema::{Observation, Site},
    rule::prelude::*,
    rules::capability::needs,
};

pub(crate) static RULE: Rule = Rule {
    id: "surface/unstable-feature",
    summary: "a draft feature is used on the stable surface",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v2/migration#scope-stable-v2-and-draft-surfaces"),
            requires: "agreeing on a version implies none of the features that are drafts in it",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("agent-client-protocol-schema, src/v1, `UNSTABLE` markers"),
            requires: "what is marked so may change or disappear without a new version",
        },
    ],
    explanation: r"
Drafts change under one version number: names of members, of updates and of capabilities have changed
from month to month, and some drafts were withdrawn. A peer built a little earlier or later reads them
differently or not at all. It is named once for each feature, even where both sides advertise it,
and judged by the draft's schema; when drafts are meant, judge by the unstable surface. A single
member or value is reported as info: readers that do not know it skip it.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c","anchor":{"type":"user_message","messageId":"u1","position":"after"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"p","entries":[{"content":"Tidy","priority":"high","status":"pending"}]}}}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    variants: &[(Severity::Info, "for members and values")],
    ..Rule::DEFAULT
};

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    if connection.expects_drafts() {
        return None;
    }
    if let Observation::DraftMethod { method } = &seen.what
        && (seen.version == Version::V1 || connection.pinned_surface().is_none())
        && needs::agent_lacks(&method.text()?.as_cow(), connection)
    {
        return None; // that is the graver fault
    }
    let (what, name, severity) = match &seen.what {
        Observation::DraftMethod { method } => {
            ("the method", method.text()?.as_cow(), Severity::Warning)
        }
        Observation::DraftVariant { value, site } => {
            let (what, severity) = match site.type_name {
                "SessionUpdate" => ("the update", Severity::Warning),
                "PlanUpdateContent" => ("the plan type", Severity::Warning),
                _ => ("the value", Severity::Info),
            };
            (what, value.text()?.as_cow(), severity)
        }
        Observation::DraftValue { value, .. } => {
            ("the value", value.text()?.as_cow(), Severity::Info)
        }
        // An advertised capability is not a use of the feature.
        Observation::DraftMember { type_name, .. } if type_name.ends_with("Capabilities") => {
            return None;
        }
        Observation::DraftMember { member, .. } => ("the member", (*member).into(), Severity::Info),
        _ => return None,
    };
    let (version, place) = (seen.version, place(&seen.what));
    let finding = Finding::new(format!("{what} `{name}`{place} is a draft of version {version}"))
        .at(seen.what.node(), "may change or disappear without a new version")
        .help(format!(
            "judge by the surface {} where both sides agree on drafts",
            Surface::unstable(version)
        ))
        .as_severity(severity)
        .once_per((what, feature(&name)));
    Some(finding.into())
}

/// The type that a member or value belongs to, as the end of a message; empty without one.
fn place(observation: &Observation<'_>) -> String {
    match observation {
        Observation::DraftMember { type_name, .. }
        | Observation::DraftValue { site: Site { type_name, .. }, .. } => {
            format!(" of `{type_name}`")
        }
        Observation::DraftVariant { site: Site { type_name, .. }, .. }
            if !matches!(*type_name, "SessionUpdate" | "PlanUpdateContent") =>
        {
            format!(" of `{type_name}`")
        }
        _ => String::new(),
    }
}

/// The name of the draft to which an update belongs; the name itself when the draft has no other.
fn feature(name: &str) -> &str {
    match name {
        // Drafts until 20 November 2026.
        "plan_update" | "plan_removed" => "plan operations",
        "subagent_update" | "session_message" | "session_message_chunk" => "subagents",
        _ => name,
    }
}
