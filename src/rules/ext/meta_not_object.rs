use crate::{protocol::schema::Observation, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "ext/meta-not-object",
    summary: "`_meta` is neither an object nor null",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "`_meta` holds custom data by name",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#the-_meta-field"),
            requires: "`_meta` holds custom data by name",
        },
    ],
    explanation: r"
Every layer between the two sides may add to `_meta` or look something up in it by name. What is no
object cannot be read that way: official readers take it for absent, so the data is lost without a
word.
",
    tck: &["META-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","_meta":"trace-1"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn","_meta":{"agent.example/trace":"trace-1"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","_meta":[],"update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","_meta":null,"update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    ..Rule::DEFAULT
};

fn check(seen: &Observed<'_>, _: &Connection) -> Option<Verdict> {
    let Observation::MetaNotObject { value } = seen.what else { return None };
    let finding = Finding::new("`_meta` is neither an object nor null")
        .at(value, "expected an object")
        .help("name the data, as in `\"_meta\": {\"vendor.example/trace\": …}`")
        .explains(value)
        .once_per(value.raw());
    Some(finding.into())
}
