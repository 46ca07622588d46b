use crate::{
    protocol::schema::{Observation, Protocol, nearest},
    rule::prelude::*,
    rules::version_changes::{change, is_of_other_version, is_written_in_other_version},
};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unknown-field",
    summary: "a protocol type has a member that it does not define",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "custom data belongs in `_meta`; other names in protocol types are reserved",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#the-_meta-field"),
            requires: "custom data belongs in `_meta`; other names in protocol types are reserved",
        },
    ],
    requirements: &["ext.no-custom-fields"],
    explanation: r"
Readers skip unknown members, so the data does not arrive. A later version may give the name another
meaning. Custom data belongs in `_meta`, under a name with your own prefix. The rule knows the
stable and the draft members of the version, and reports each name once, with a count. It does not
check tool inputs and outputs, extension messages, and other values without a fixed shape. For
capability objects see `capability/unknown-key`.
",
    tck: &["SCHEMA-002"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":10,"size":100,"model":"large"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":10,"size":100,"_meta":{"agent.example/model":"large"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Read","durationMs":12}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Read","rawOutput":{"durationMs":12}}}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    ..Rule::DEFAULT
};

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::UnknownMember { object, name, type_name, known, .. } = seen.what else {
        return None;
    };
    if type_name.ends_with("Capabilities") {
        return None;
    }
    let version = seen.version;
    let edition = connection.edition();
    let member = name.text()?.as_cow();
    // Another rule reports content of a rejection, and null is not content.
    if type_name == "CreateElicitationResponse" && member == "content" {
        return None;
    }
    // An option that has options is meant as a group: the schema rules report what it lacks.
    if type_name == "SessionConfigSelectOption" && member == "options" {
        return None;
    }
    let change = change(version, type_name, &member);
    let meant = nearest(&member, known.iter().copied());
    // The schema rules report an object that lacks a required member instead.
    let is_required = |required: &str| {
        Protocol::of(Surface::unstable(version), edition)
            .definition(type_name)
            .is_some_and(|definition| definition.required().any(|name| name == required))
    };
    if meant.is_some_and(|meant| object.get(meant).is_none() && is_required(meant))
        || is_written_in_other_version(version, type_name, object)
    {
        return None;
    }
    // Clients may send the members of both versions; readers skip those of the other one.
    let is_offer = type_name == "InitializeRequest"
        && change
            .and_then(|change| change.name(version))
            .is_some_and(|name| object.get(name).is_some());
    if is_offer {
        return None;
    }
    let help = if let Some(change) = change {
        change.advice(version)
    } else if is_of_other_version(version, type_name, &member, edition) {
        format!("version {} has it, version {version} does not", version.other())
    } else if let Some(meant) = meant {
        format!("did you mean `{meant}`? custom data belongs in `_meta`")
    } else {
        "custom data belongs in `_meta`, where no later version redefines it".to_owned()
    };
    let finding = Finding::new(format!("`{member}` is not a member of `{type_name}`"))
        .at(name, "readers skip it")
        .help(help)
        .once_per(&*member);
    Some(finding.into())
}
