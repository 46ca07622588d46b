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
            requires: "agreeing on a version does not include the drafts of that version",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("agent-client-protocol-schema, src/v1, `UNSTABLE` markers"),
            requires: "drafts may change or disappear without a new version",
        },
    ],
    explanation: r"
Drafts change without a new version number. Names of members, updates and capabilities have changed
from month to month, and some drafts were removed. A slightly older or newer peer reads them
differently or not at all.

acpcheck checks the feature with the draft's schema. Each feature is reported once. Of the features
that the receiver advertises, only the first is reported. If both sides support drafts, use the
unstable surface (`--surface`). A single member or value is only an info, because readers that do not
know it ignore it.
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
    let is_advertised = is_advertised(&seen.what, connection);
    let sides = if is_advertised {
        "the receiver advertises this draft"
    } else {
        "if both sides support this draft"
    };
    let finding = Finding::new(format!("{what} `{name}`{place} is a draft in version {version}"))
        .at(seen.what.node(), "may change or disappear without a new version")
        .help(format!("{sides}: `acpcheck check --surface {}`", Surface::unstable(version)))
        .as_severity(severity);
    let finding = if is_advertised {
        finding.once_per("advertised")
    } else {
        finding.once_per((what, feature(&name)))
    };
    Some(finding.into())
}

/// Whether the receiver advertises the capability for a draft method or update, and so expects it.
fn is_advertised(observation: &Observation<'_>, connection: &Connection) -> bool {
    match observation {
        Observation::DraftMethod { method } => {
            method.text().is_some_and(|method| needs::agent_has(&method.as_cow(), connection))
        }
        Observation::DraftVariant { value, site } if site.type_name == "SessionUpdate" => {
            let kind = value.text().zip(connection.version());
            kind.and_then(|(kind, version)| needs::update(&kind.as_cow(), version))
                .zip(needs::advertised_by_client(connection))
                .is_some_and(|(capability, client)| capability.is_in(client))
        }
        _ => false,
    }
}

/// The type that a draft member or value belongs to, as the end of a message; empty where there is
/// none.
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

/// Name of the draft to which an update belongs; the update's own name where the draft has no
/// other.
fn feature(name: &str) -> &str {
    match name {
        // Drafts until 20 November 2026.
        "plan_update" | "plan_removed" => "plan operations",
        "subagent_update" | "session_message" | "session_message_chunk" => "subagents",
        _ => name,
    }
}
