use crate::{rule::prelude::*, rules::content::uri};

pub(crate) static RULE: Rule = Rule {
    id: "content/icon-scheme",
    summary: "an icon is not an `https` or `data` URI",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Icon"),
        requires: "the source of an icon is an `http`, `https` or `data` URI; clients do not accept `http`",
    }],
    requirements: &["content.icon-source"],
    explanation: r"
Clients load icons without asking the user. So they load only `https` and `data`. With plain `http`,
others on the network could see the request; with `file`, the client would read the user's disk.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"resource_link","name":"a","uri":"file:///work/a.rs","icons":[{"src":"http://cdn.example/i.png"}]}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"resource_link","name":"a","uri":"file:///work/a.rs","icons":[{"src":"data:image/png;base64,iVBORw0KGgo="}]}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Block(&["resource_link"], check)],
    variants: &[(Severity::Info, "for `http`")],
    ..Rule::DEFAULT
};

fn check(block: &Block<'_>, _: &Connection) -> Option<Verdict> {
    let icons = block.block.get("icons")?;
    icons.at(0)?;
    let wrong = icons.elements().filter_map(|icon| {
        let src = icon.get("src")?.text()?;
        let text = src.as_cow();
        let scheme = uri::scheme(&text);
        let is_right = scheme.is_some_and(|scheme| {
            scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("data")
        });
        (!is_right).then(|| {
            let found = scheme.map_or("no scheme".to_owned(), |scheme| format!("`{scheme}`"));
            Finding::new("an icon is not an `https` or `data` URI")
                .at(src, found)
                .help("serve the icon with `https`, or send it in a `data` URI")
                .explains(src.node())
                .as_severity(severity(scheme))
                .once_per(&*text)
        })
    });
    Some(wrong.collect())
}

/// The severity of a finding about an icon with this URI scheme: an info for `http`, which clients
/// may accept or reject; an error otherwise.
fn severity(scheme: Option<&str>) -> Severity {
    let is_http = scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    if is_http { Severity::Info } else { Severity::Error }
}
