use crate::{
    model::{RequestFacts, connection::negotiation::UNSUPPORTED_VERSION},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/unsupported-version-data",
    summary: "an unsupported-version error does not have the right data",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("UnsupportedProtocolVersionErrorData"),
            requires: "the error holds the requested version and all supported ones",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ErrorCode"),
            requires: "-32022 says that the requested version is not supported",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#version-negotiation"),
            requires: "an agent refuses a version only if it supports no version at or below it",
        },
    ],
    requirements: &["lifecycle.no-version-code"],
    explanation: r"
From the data a client learns which version to offer next, or that there is none. Without the data
it has to give up. The list must not hold a version at or below the requested one: then the agent
should have answered with that version.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"Unsupported protocol version","data":{"requested":1,"supported":[2]}}}"#,
    )],
    on: &[On::Answer(&[], check)],
    variants: &[(Severity::Warning, "where the error answers another request than `initialize`")],
    ..Rule::DEFAULT
};

const SHAPE: &str = r#"send `"data": {"requested": …, "supported": […]}`"#;

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let error = answer.error()?;
    if answer.error_code() != Some(UNSUPPORTED_VERSION) {
        return None;
    }
    let RequestFacts::Initialize { version: offered, .. } = answer.request.facts else {
        let finding = Finding::new(format!(
            "`{}` is refused with the error code -32022",
            answer.request.method
        ))
        .at(error, "this code is only for the version in `initialize`")
        .at(answer.request.method_at, "the request")
        .help("use the code that fits the fault; the version is already agreed")
        .as_severity(Severity::Warning);
        return Some(finding.into());
    };
    let Some(data) = error.get("data").filter(|data| data.is_object()) else {
        let finding = Finding::new("the unsupported-version error has no data")
            .at(
                error.get("data").map_or_else(|| Mark::missing_in(error), Mark::from),
                "expected an object",
            )
            .and_at(offered.map(|(_, offer)| offer), "the requested version")
            .help(SHAPE);
        return Some(finding.into());
    };
    let requested = requested(data, offered.map(|(number, _)| number));
    let supported = supported(data, offered.map(|(number, _)| number));
    let findings = [requested, supported].into_iter().flatten();
    Some(
        findings
            .map(|finding| finding.and_at(offered.map(|(_, offer)| offer), "the requested version"))
            .collect(),
    )
}

fn requested(data: Node<'_>, offered: Option<i64>) -> Option<Finding> {
    let Some(requested) = data.get("requested") else {
        let finding = Finding::new("the unsupported-version error lacks `requested`");
        return Some(finding.at(Mark::missing_in(data), "`requested` is missing here").help(SHAPE));
    };
    let help = offered.map_or_else(
        || SHAPE.to_owned(),
        |offered| format!("write `\"requested\": {offered}`, the version that the client offered"),
    );
    let message = match (requested.integer(), offered) {
        (None, _) => "`requested` is not a version".to_owned(),
        (Some(number), Some(offered)) if number != offered => {
            format!("`requested` is {number}, but the client offered {offered}")
        }
        _ => return None,
    };
    Some(Finding::new(message).at(requested, "expected the offered version").help(help))
}

fn supported(data: Node<'_>, offered: Option<i64>) -> Option<Finding> {
    let Some(supported) = data.get("supported") else {
        let finding = Finding::new("the unsupported-version error lacks `supported`");
        return Some(finding.at(Mark::missing_in(data), "`supported` is missing here").help(SHAPE));
    };
    let is_malformed = |version: &Node<'_>| version.integer().is_none();
    if !supported.is_array() || supported.elements().any(|version| is_malformed(&version)) {
        let finding = Finding::new("`supported` is not a list of versions");
        return Some(finding.at(supported, "expected a list of integers").help(SHAPE));
    }
    let offered = offered?;
    let usable =
        supported.elements().find(|version| version.integer().is_some_and(|n| n <= offered))?;
    let finding = Finding::new(format!(
        "the agent refuses version {offered}, but lists {usable:?} as supported"
    ))
    .at(usable, "the agent supports the version that the client offered")
    .help(format!("answer with version {usable:?} instead of refusing"));
    Some(finding)
}
