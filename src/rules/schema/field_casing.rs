use crate::{
    event::{Refused, Seen},
    model::Connection,
    protocol::{
        Surface, Surfaces, Version,
        schema::{FaultKind, Observation, Protocol, is_respelling},
    },
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::schema::wording::noun,
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/field-casing",
    summary: "a member or discriminator is written in the wrong case",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#conventions"),
            requires: "members are written in camelCase, values that tell variants in snake_case",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#conventions"),
            requires: "members are written in camelCase, values that tell variants in snake_case",
        },
    ],
    explanation: r"
JSON names are compared letter by letter: `session_id` is not `sessionId`. Readers skip the first as
unknown and miss the second. A message without a required member, or without what tells its kind, is
refused: an error. A message without an optional one loses a part: a warning. Serializers of languages
with other conventions do this by default; it is a setting.
",
    tck: &[],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","tool_call_id":"c","title":"Read"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read","_meta":{"tool_call_id":"c"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agentMessageChunk","messageId":"m","content":{"type":"text","text":"Done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Done"}}}}"#,
        ),
    ],
    on: &[On::Seen(seen), On::Refused(refused)],
};

fn seen(seen: &Seen<'_>, connection: &Connection) -> Option<Verdict> {
    match seen.what {
        Observation::UnknownMember { object, name, value, type_name, known } => {
            let member = name.text()?.as_cow();
            let meant = respelt(&member, known)?;
            let finding = Finding::new(format!("`{member}` is written for `{meant}`"))
                .at(name, format!("`{type_name}` has `{meant}`"))
                .help(format!("write `{meant}`: readers skip `{member}`"))
                .explains(name)
                .explains(value)
                .explains_missing(object, meant)
                .once_per((type_name, meant));
            let protocol = Protocol::of(Surface::unstable(seen.version), connection.edition());
            let definition = protocol.definition(type_name);
            let is_required =
                || definition.is_some_and(|it| it.required().any(|name| name == meant));
            let is_missed = object.get(meant).is_none() && is_required();
            Some(if is_missed { finding } else { finding.as_severity(Severity::Warning) }.into())
        }
        Observation::OpenValue { value, site } if site.tag.is_some() => {
            let text = value.text()?.as_cow();
            let meant = respelt(&text, &site.known)?;
            let what = noun(site.type_name, site.tag);
            let finding = Finding::new(format!("the {what} `{text}` is written for `{meant}`"))
                .at(value, "names are compared letter by letter")
                .help(format!("write `{meant}`: readers skip what they do not know"))
                .explains(value)
                .once_per((site.type_name, meant));
            Some(finding.into())
        }
        _ => None,
    }
}

fn refused(refused: &Refused<'_>, _: &Connection) -> Option<Verdict> {
    let fault = &refused.what;
    match &fault.kind {
        FaultKind::UnknownVariant { allowed, .. } => {
            let text = fault.node.text()?.as_cow();
            let meant = respelt(&text, allowed)?;
            let finding = Finding::new(format!("`{text}` is written for `{meant}`"))
                .at(fault.node, "names are compared letter by letter")
                .help(format!("write `{meant}`: readers do not know `{text}`"))
                .explains(fault.node)
                .once_per((fault.type_name, meant));
            Some(finding.into())
        }
        FaultKind::MissingTag { name: meant, .. } => {
            let object = fault.node;
            let (name, member) = object
                .members()
                .filter_map(|(name, _)| Some((name, name.text()?.as_cow())))
                .find(|(_, member)| is_respelling(member, meant))?;
            let finding = Finding::new(format!("`{member}` is written for `{meant}`"))
                .at(name, format!("`{}` has `{meant}`", fault.type_name))
                .help(format!("write `{meant}`: without it readers do not know the object"))
                .explains(object)
                .once_per((fault.type_name, meant));
            Some(finding.into())
        }
        _ => None,
    }
}

/// The known name that differs in case, underscores and hyphens only. A leading underscore is a
/// custom name, not a matter of case.
pub(super) fn respelt(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let is_custom = name.starts_with('_');
    known.iter().copied().find(|known| !is_custom && is_respelling(name, known))
}
