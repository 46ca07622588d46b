use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, Marker},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/boolean-config-option",
    summary: "the agent sends a boolean option to a client that did not advertise them",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::INITIALIZED),
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/session-config-options#boolean-config-options"),
        requires: "boolean options go only to clients that have asked for them",
    }],
    explanation: r"
Clients from before boolean options know selections only. They drop the option, or fail to read the
whole list, and the user cannot switch anything. A selection of two values works everywhere.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Bare,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"web","name":"Web search","type":"boolean","currentValue":true}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"id":"model","name":"Model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}]}}}"#,
    )],
    on: &[
        On::Update(&["config_option_update"], updated),
        On::Answer(
            &[
                "session/new",
                "session/load",
                "session/resume",
                "session/fork",
                "session/options",
                "session/set_config_option",
            ],
            answered,
        ),
    ],
    ..Rule::DEFAULT
};

const MARKER: Marker = Marker::Object("session.configOptions.boolean");

fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    check(update.update, connection)
}

fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    check(answer.result()?, connection)
}

fn check(holder: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let client = gate::client(connection)?;
    let options = holder.get("configOptions").filter(|options| options.is_array())?;
    if MARKER.is_in(client) {
        return Some(Verdict::Pass);
    }
    let mut kinds = options.elements().filter_map(|option| option.get("type"));
    let boolean = kinds.find(|kind| kind.is("boolean"));
    Some(Verdict::from(boolean.map(|kind| {
        Finding::new("the client did not advertise boolean options")
            .at(kind, format!("rests on the capability `{}`", MARKER.path()))
            .at(MARKER.lack(client), "not advertised")
            .help("offer a selection of two values instead")
            .once_per("boolean")
    })))
}
