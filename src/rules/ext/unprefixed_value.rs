use crate::{
    protocol::schema::{Observation, Site, nearest},
    rule::prelude::*,
    rules::schema::wording::{either, joined, noun},
};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unprefixed-value",
    summary: "a custom value of an open enum or union lacks the leading underscore",
    level: By::each(Level::Must, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-config-options#option-categories"),
            requires: "categories of one's own start with `_`; all others are reserved",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/prompt-turn#session-notices"),
            requires: "severities of one's own start with `_`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("SystemPromptMode"),
            requires: "modes of one's own start with `_`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/extensibility#enum-and-tagged-union-variants",
            ),
            requires: "values of one's own start with `_`; all others are reserved for the protocol",
        },
    ],
    explanation: r"
Open sets have room for values of one's own, marked by a leading underscore. Readers skip a value they
do not know, with or without it; but a later version may define the same name with another meaning.
An unknown name is a custom one, a slip of the pen, or one newer than this tool: the finding says which
names it knows. Plan types, statuses and priorities have rules of their own. Version 1 has three open
sets: the categories of config options, the severities of notices and the modes of system prompts.
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

/// The sets of values that rules about plans check.
const OF_PLANS: [&str; 3] = ["PlanEntryStatus", "PlanEntryPriority", "PlanUpdateContent"];

fn check(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
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
    help.push(format!("edition {} knows {}", connection.edition(), either(&site.known)));
    let finding = Finding::new(format!("unknown {what} `{text}`"))
        .at(value, "neither defined nor marked as custom by a leading `_`")
        .help(joined(help.iter().map(String::as_str)))
        .once_per((site.type_name, &*text));
    Some(match (site.type_name, seen.version) {
        ("NoticeSeverity", Version::V1) => finding.as_severity(Severity::Info).into(),
        _ if is_of_version_1 => finding.as_severity(Severity::Warning).into(),
        _ => finding.into(),
    })
}

/// Returns true for a value of version 1 that version 2 does not have and that no other rule
/// reports.
fn is_of_version_1(site: &Site, value: &str) -> bool {
    site.type_name == "McpServer" && value == "sse"
}
