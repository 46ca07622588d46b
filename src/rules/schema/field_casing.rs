use crate::{
    protocol::schema::{FaultKind, Observation, Protocol, is_respelling},
    rule::prelude::*,
    rules::schema::wording::noun,
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/field-casing",
    summary: "a member or type name is written in the wrong case",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#conventions"),
            requires: "members are written in camelCase, type names in snake_case",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#conventions"),
            requires: "members are written in camelCase, type names in snake_case",
        },
    ],
    explanation: r"
JSON names are compared letter by letter: `session_id` is not `sessionId`. Readers ignore the first
as unknown and miss the second. If a required member or the type of an object is missing, readers
refuse the message: an error. If an optional member is missing, they lose a part of it: a warning.
Many serializers use the conventions of their language by default; change this setting.
",
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
    on: &[On::Observed(seen), On::Rejected(refused)],
    variants: &[(Severity::Warning, "where no required member is missing because of it")],
    ..Rule::DEFAULT
};

fn seen(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    match seen.what {
        Observation::UnknownMember { object, name, value, type_name, known, demanded } => {
            let protocol = Protocol::of(Surface::unstable(seen.version), connection.edition());
            if let Some(finding) = untold(object, type_name, known, protocol) {
                return Some(finding.into());
            }
            let member = name.text()?.as_cow();
            let meant = respelt(&member, known)?;
            let finding = Finding::new(format!("`{member}` is written instead of `{meant}`"))
                .at(name, format!("`{type_name}` calls it `{meant}`"))
                .help(format!("write `{meant}`: readers ignore `{member}`"))
                .explains(name)
                .explains(value)
                .explains_missing(object, meant)
                .once_per((type_name, meant));
            let is_missed = object.get(meant).is_none() && demanded.contains(&meant);
            Some(finding.as_severity_if(!is_missed, Severity::Warning).into())
        }
        Observation::Fallthrough { object, tag, meant: None, site, .. } => {
            let text = tag.text()?.as_cow();
            let meant = respelt(&text, &site.known)?;
            let what = noun(site.type_name, site.tag);
            let finding =
                Finding::new(format!("the {what} `{text}` is written instead of `{meant}`"))
                    .at(tag, "names are compared letter by letter")
                    .help(format!("write `{meant}`: readers take the object as one without a type"))
                    .explains(object)
                    .once_per((site.type_name, meant));
            Some(finding.into())
        }
        Observation::OpenValue { value, site } if site.tag.is_some() => {
            let text = value.text()?.as_cow();
            let meant = respelt(&text, &site.known)?;
            let what = noun(site.type_name, site.tag);
            let finding =
                Finding::new(format!("the {what} `{text}` is written instead of `{meant}`"))
                    .at(value, "names are compared letter by letter")
                    .help(format!("write `{meant}`: readers ignore unknown ones"))
                    .explains(value)
                    .once_per((site.type_name, meant));
            Some(finding.into())
        }
        _ => None,
    }
}

/// Most members of an object whose spelling is compared; others are not, to limit the time.
const MANY: usize = 100;

/// The finding for an object whose discriminator has a misspelt name, so that the schema accepts
/// the object as the variant without one.
fn untold(
    object: Node<'_>,
    type_name: &'static str,
    known: &[&'static str],
    protocol: &Protocol,
) -> Option<Finding> {
    let definition = protocol.definition(type_name)?;
    let is_missing = |tag: &&'static str| {
        definition.members().all(|own| own != *tag) && object.get(tag).is_none()
    };
    let missing: Vec<_> = known.iter().copied().filter(is_missing).collect();
    if missing.is_empty() {
        return None;
    }
    object.members().take(MANY).find_map(|(name, value)| {
        let member = name.text()?.as_cow();
        let tag = respelt(&member, &missing)?;
        let kind = value.text()?.as_cow();
        let union = protocol.union_with(type_name, tag, &kind)?;
        let finding = Finding::new(format!("`{member}` is written instead of `{tag}`"))
            .at(name, format!("`{}` calls it `{tag}`", union.name()))
            .help(format!("write `{tag}`: readers take the object as one without a type"))
            .explains(object)
            .once_per((type_name, tag));
        Some(finding)
    })
}

fn refused(refused: &Rejected<'_>, _: &Connection) -> Option<Verdict> {
    let fault = &refused.what;
    match &fault.kind {
        FaultKind::UnknownVariant { allowed, .. } => {
            let text = fault.node.text()?.as_cow();
            let meant = respelt(&text, allowed)?;
            let finding = Finding::new(format!("`{text}` is written instead of `{meant}`"))
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
            let finding = Finding::new(format!("`{member}` is written instead of `{meant}`"))
                .at(name, format!("`{}` calls it `{meant}`", fault.type_name))
                .help(format!(
                    "write `{meant}`: without it readers cannot tell the type of the object"
                ))
                .explains(object)
                .once_per((fault.type_name, meant));
            Some(finding.into())
        }
        _ => None,
    }
}

/// The known name that differs from `name` only in case, underscores and hyphens; `None` where
/// there is none, and for custom names, which begin with `_`.
pub(super) fn respelt(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let is_custom = name.starts_with('_');
    known.iter().copied().find(|known| !is_custom && is_respelling(name, known))
}
