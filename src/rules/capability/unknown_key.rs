use crate::{
    protocol::schema::{self, Observation},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/unknown-key",
    summary: "a capability object has a key that the protocol does not define",
    level: By::both(Level::MustNot),
    severity: By::each(Severity::Info, Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "names that the protocol does not define are reserved",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#advertising-custom-capabilities"),
            requires: "custom capabilities are advertised in `_meta`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/extensibility#advertising-custom-capabilities",
            ),
            requires: "custom capabilities are advertised in `_meta`",
        },
    ],
    requirements: &["ext.no-custom-fields"],
    explanation: r"
A later version of the protocol may define this name. Then this side advertises a feature that it
does not have. Custom capabilities belong in `_meta`, where official readers keep them. Some of
these keys are misspelt, or in the wrong object: then nobody uses the feature.
",
    tck: &["EXT-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"terminals":true},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"_meta":{"terminals":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"vendorFeature":{}},"info":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"_meta":{"vendorFeature":{}}},"info":{"name":"agent","version":"1.0.0"}}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    ..Rule::DEFAULT
};

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::UnknownMember { name, type_name, known, .. } = seen.what else { return None };
    let key = name.text()?;
    if seen.method != "initialize" || !type_name.ends_with("Capabilities") {
        return None;
    }
    // A version that is not published may have any capabilities.
    let version =
        seen.message.envelope.result.and_then(|result| result.get("protocolVersion")?.integer());
    if version.is_some_and(|version| Version::of(version).is_none()) {
        return None;
    }
    let finding = Finding::new(format!("`{type_name}` has no member `{key}`"))
        .at(name, "not a capability of the protocol")
        .explains(name)
        .blaming(seen.message.sender);
    let is_foreign =
        connection.version() == Some(Version::V2) && OF_VERSION_1.iter().any(|old| name.is(old));
    let nearest = schema::nearest(&key.as_cow(), known.iter().copied());
    Some(
        match (nearest, is_foreign) {
            (Some(meant), _) => finding.help(format!("did you mean `{meant}`?")),
            (None, true) => finding.help("version 1 has this capability, version 2 does not"),
            (None, false) => finding.help("custom capabilities belong in `_meta`"),
        }
        .into(),
    )
}

/// Names of capabilities that only version 1 defines.
const OF_VERSION_1: [&str; 6] = [
    "loadSession",
    "promptCapabilities",
    "mcpCapabilities",
    "sessionCapabilities",
    "fs",
    "terminal",
];
