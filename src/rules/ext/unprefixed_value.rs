use crate::{
    protocol::schema::{Observation, Site, nearest},
    rule::prelude::*,
    rules::schema::wording::{either, joined, noun},
};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unprefixed-value",
    summary: "a custom value of an open enum or union does not start with an underscore",
    level: By::each(Level::Must, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#option-categories"),
            requires: "custom categories start with `_`; all other names are reserved",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/prompt-turn#session-notices"),
            requires: "custom severities start with `_`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("SystemPromptMode"),
            requires: "custom modes start with `_`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/extensibility#enum-and-tagged-union-variants",
            ),
            requires: "custom values start with `_`; all other names are reserved for the protocol",
        },
    ],
    requirements: &["ext.underscore-types", "ext.underscore-values"],
    explanation: r"
Open sets allow custom values, which start with an underscore. Readers skip values that they do not
know; but a later version may give the same name another meaning. An unknown name is a custom value,
a typing error, or newer than this program: the finding says which names it knows. For plan types,
statuses and priorities see the `plan` rules. Version 1 has three open sets: the categories of
config options, the severities of notices and the modes of system prompts.
",
    tck: &["STATE-203", "CANCEL-207", "AUTH-206", "ENUM-201", "ENUM-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"lint","name":"Lint","category":"quality","type":"select","currentValue":"on","options":[{"value":"on","name":"On"}]}]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"id":"lint","name":"Lint","category":"_quality","type":"select","currentValue":"on","options":[{"value":"on","name":"On"}]}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Conjure","kind":"conjure"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Conjure","kind":"_conjure"}}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    variants: &[
        (Severity::Info, "for a notice's severity on version 1"),
        (Severity::Warning, "where version 1 defines the value"),
    ],
    ..Rule::DEFAULT
};

/// Definitions whose undefined values this rule leaves to the rules about plans.
const OF_PLANS: [&str; 3] = ["PlanEntryStatus", "PlanEntryPriority", "PlanUpdateContent"];

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let (Observation::OpenValue { site, .. } | Observation::CustomValue { site, .. }) = seen.what
    else {
        return None;
    };
    Some(named(seen, connection)?.about(match site.tag {
        Some(_) if site.type_name != "StopReason" => &["ext.underscore-types"],
        _ => &["ext.underscore-values"],
    }))
}

fn named(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::OpenValue { value, site } = seen.what else {
        let is_custom = matches!(seen.what, Observation::CustomValue { .. });
        return is_custom.then_some(Verdict::Pass);
    };
    if OF_PLANS.contains(&site.type_name) {
        return None;
    }
    let text = value.text()?.as_cow();
    let what = noun(site.type_name, site.tag);
    let known = site.known.iter().copied();
    let is_of_version_1 = is_of_version_1(site, &text);
    let mut help = Vec::new();
    if is_of_version_1 {
        help.push("version 1 has it, version 2 does not".to_owned());
    } else {
        match nearest(&text, known) {
            Some(meant) => help.push(format!("did you mean `{meant}`?")),
            None => help.push(format!("a custom value starts with `_`: `_{text}`")),
        }
    }
    help.push(format!("in edition {} it is {}", connection.edition(), either(&site.known)));
    let finding = Finding::new(format!("unknown {what} `{text}`"))
        .at(value, "not defined, and not custom because it does not start with `_`")
        .help(joined(help.iter().map(String::as_str)))
        .once_per((site.type_name, &*text));
    Some(match (site.type_name, seen.version) {
        ("NoticeSeverity", Version::V1) => finding.as_severity(Severity::Info).into(),
        _ if is_of_version_1 => finding.as_severity(Severity::Warning).into(),
        _ => finding.into(),
    })
}

/// Whether only version 1 defines the value at this place, and no other rule reports that.
fn is_of_version_1(site: &Site, value: &str) -> bool {
    site.type_name == "McpServer" && value == "sse"
}
