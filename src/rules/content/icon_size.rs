use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "content/icon-size",
    summary: "the size of an icon is neither width and height nor `any`",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Icon"),
        requires: "a size is the width and the height with an `x` between, or `any`",
    }],
    requirements: &["content.icon-size"],
    explanation: r"
A client takes the icon that fits its place by the sizes. It cannot compare a size of another form,
so it may show an icon that is too small.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"r1","content":[{"type":"resource_link","name":"beds","uri":"https://example.com/beds","icons":[{"src":"https://example.com/i.png","sizes":["48 x 48"]}]}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"r1","content":[{"type":"resource_link","name":"beds","uri":"https://example.com/beds","icons":[{"src":"https://example.com/i.png","sizes":["48x48","any"]}]}]}}}"#,
    )],
    on: &[On::Block(&["resource_link"], check)],
    ..Rule::DEFAULT
};

fn check(block: &Block<'_>, _: &Connection) -> Option<Verdict> {
    let icons = block.block.get("icons").into_iter().flat_map(Node::elements);
    let sizes = icons.filter_map(|icon| icon.get("sizes")).flat_map(Node::elements);
    Verdict::on_each(sizes.filter_map(Node::text), |size| {
        let text = size.as_cow();
        (!is_size(&text)).then(|| {
            Finding::new(format!("`{size}` is no size of an icon"))
                .at(size, "expected width and height, or `any`")
                .help("write the width and the height with an `x` between, such as `48x48`")
                .once_per(&*text)
        })
    })
}

/// Whether a text is a size of icons: `any`, or two numbers such as `48x48`.
fn is_size(text: &str) -> bool {
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    text == "any"
        || text.split_once('x').is_some_and(|(width, height)| is_number(width) && is_number(height))
}
