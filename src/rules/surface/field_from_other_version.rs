use crate::{
    protocol::schema::{FaultKind, Observation, Protocol},
    rule::prelude::*,
    rules::{
        recent,
        version_changes::{change, is_of_other_version},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "surface/field-from-other-version",
    summary: "a member exists only in the other protocol version",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#initialization"),
            requires: "`info` and `capabilities` replace one pair of members for each side",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#permission-requests"),
            requires: "a permission request has a title and a subject",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#session-modes-become-config-options"),
            requires: "modes are a config option",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#diff-content"),
            requires: "a diff lists its changes and may have a patch",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#v2-the-response-is-an-acknowledgment"),
            requires: "the answer to a prompt has the message id, not the stop reason",
        },
    ],
    explanation: r"
The connection uses version 2, but the object is written as on version 1. Readers of version 2
ignore the old member and miss the new one; the schema reports only the missing one. Some
implementations of both versions send both members on purpose. Readers understand these, so it is
only a warning. In the `initialize` request of a client that does not know the agent yet, it is an
info.
",
    tck: &["INIT-204"],
    examples: &[
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t","modes":{"currentModeId":"ask","availableModes":[]}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit","content":[{"type":"diff","path":"/work/a","oldText":"a","newText":"b"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Edit","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a"}]}]}}}"#,
        ),
    ],
    on: &[On::Observed(unknown), On::Rejected(untagged)],
    variants: &[
        (Severity::Info, "for members of `initialize` of both versions"),
        (
            Severity::Warning,
            "where the member of the right version is there, too, or for members that were withdrawn",
        ),
    ],
    ..Rule::DEFAULT
};

fn unknown(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::UnknownMember { object, name, type_name, .. } = seen.what else { return None };
    let member = name.text()?.as_cow();
    let edition = connection.edition();
    if !is_of_other_version(Version::V2, type_name, &member, edition) {
        return None;
    }
    if is_known(type_name, &member, Edition::PREVIOUS) {
        let finding =
            Finding::new(format!("`{member}` was removed from version 2 on 20 November 2026"))
                .at(name, format!("`{type_name}` does not have it any more"))
                .help("remove it: later readers ignore it")
                .as_severity(recent::severity(connection, Severity::Warning))
                .explains(name)
                .once_per((type_name, &*member));
        return Some(finding.into());
    }
    let finding = Finding::new(format!("only version 1 has the member `{member}`"))
        .at(name, format!("`{type_name}` of version 2 does not have it"));
    let is_twofold = others(object, type_name, edition).all(|(name, _)| {
        let member = name.text().map(Text::as_cow).unwrap_or_default();
        is_doubled(object, type_name, &member) || is_known(type_name, &member, Edition::PREVIOUS)
    });
    let finding = with_others(finding, name, object, type_name, edition);
    let finding = match (type_name, object.get("authMethods")) {
        _ if is_twofold => finding,
        // In a result of the form of version 1, the methods have that form, too.
        ("InitializeResponse", Some(methods)) => finding.explains(methods),
        // This is a group, not an option.
        ("SessionConfigSelectOption", _) => finding.explains(object),
        _ => finding,
    };
    let change = change(Version::V2, type_name, &member);
    let advice = change.map_or_else(
        || "version 2 has no such member".to_owned(),
        |change| change.advice(Version::V2),
    );
    let finding = match type_name {
        "InitializeRequest" if is_twofold => finding.as_severity(Severity::Info),
        _ if is_twofold => finding.as_severity(Severity::Warning),
        _ => finding,
    };
    Some(finding.help(advice).once_per((type_name, &*member)).into())
}

/// Adds to a finding all other members of version 1 in the object, and explains the missing members
/// that they stand for.
fn with_others<'t>(
    mut finding: Finding,
    primary: Node<'t>,
    object: Node<'t>,
    type_name: &str,
    edition: Edition,
) -> Finding {
    for (name, value) in others(object, type_name, edition) {
        let Some(member) = name.text().map(Text::as_cow) else { continue };
        if name.span() != primary.span() {
            finding = finding.at(name, "another version 1 member");
        }
        finding = finding.explains(name).explains(value);
        for missing in change(Version::V2, type_name, &member)
            .into_iter()
            .flat_map(|change| change.requires(Version::V2))
        {
            finding = finding.explains_missing(object, missing);
        }
    }
    finding
}

/// The members of an object that only version 1 has.
fn others<'t>(
    object: Node<'t>,
    type_name: &str,
    edition: Edition,
) -> impl Iterator<Item = (Node<'t>, Node<'t>)> {
    object.members().filter(move |(name, _)| {
        name.text().map(Text::as_cow).is_some_and(|member| {
            is_of_other_version(Version::V2, type_name, &member, edition)
                && !is_known(type_name, &member, edition)
        })
    })
}

/// Whether the object has the member of version 2, too, that replaces this one of version 1.
fn is_doubled(object: Node<'_>, type_name: &str, member: &str) -> bool {
    change(Version::V2, type_name, member)
        .and_then(|change| change.name(Version::V2))
        .is_some_and(|name| object.get(name).is_some())
        // The members of a change of version 1 are all replaced by `changes`.
        || type_name == "Diff" && object.get("changes").is_some()
}

/// Whether version 2 also defines the member in the object's definition.
fn is_known(type_name: &str, member: &str, edition: Edition) -> bool {
    Protocol::of(Surface::V2Unstable, edition)
        .definition(type_name)
        .is_some_and(|definition| definition.members().any(|known| known == member))
}

/// Checks an authentication method without a type, whose members the schema does not check.
fn untagged(refused: &Rejected<'_>, _: &Connection) -> Option<Verdict> {
    let fault = &refused.what;
    let FaultKind::MissingTag { name: "type", .. } = fault.kind else { return None };
    let method = fault.node;
    let (id, _) = method.members().find(|(name, _)| name.is("id"))?;
    if fault.type_name != "AuthMethod" || method.get("methodId").is_some() {
        return None;
    }
    let finding = Finding::new("only version 1 has the member `id`")
        .at(id, "`AuthMethod` of version 2 does not have it")
        .help(change(Version::V2, "AuthMethod", "id")?.advice(Version::V2))
        .explains(method)
        .once_per(("AuthMethod", "id"));
    Some(finding.into())
}
