use crate::{protocol::schema::Observation, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "ext/meta-not-object",
    summary: "`_meta` is not an object or null",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "`_meta` is an object that holds custom data by name",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#the-_meta-field"),
            requires: "`_meta` is an object that holds custom data by name",
        },
    ],
    explanation: r"
Programs between client and agent may add data to `_meta`, or look something up by name. They can do
this only with an object. Official readers ignore any other value, so the data is lost in silence.
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
    let finding = Finding::new("`_meta` is not an object or null")
        .at(value, "expected an object")
        .help("give the data a name, as in `\"_meta\": {\"vendor.example/trace\": …}`")
        .explains(value)
        .once_per(value);
    Some(finding.into())
}
