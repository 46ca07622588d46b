use crate::{rule::prelude::*, rules::elicitation::forms};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/url-in-form",
    summary: "a form contains a link",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#url-security"),
            requires: "forms do not show links to click",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#url-security"),
            requires: "forms do not show links to click",
        },
    ],
    requirements: &["elicitation.no-link-in-form"],
    explanation: r"
A link in a form looks as if the client trusted it. To send the user to a page, ask in the mode
`url`: there the client shows the host and asks before it opens the page.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Pick one, see https://example.com/branches","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Pick one, see https://example.com/branches","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let schema = forms::schema(call)?;
    let properties = schema.get("properties").into_iter().flat_map(Node::members);
    let texts = properties.map(|(_, property)| property).chain([schema]).flat_map(|node| {
        ["title", "description"].into_iter().filter_map(move |name| node.get(name))
    });
    let mut links =
        call.param("message").into_iter().chain(texts).filter_map(Node::text).filter(|text| {
            let text = text.as_cow();
            text.contains("https://") || text.contains("http://")
        });
    let finding = links.next().map(|text| {
        let finding = Finding::new("a form contains a link").at(text, "a link");
        links
            .fold(finding, |finding, text| finding.at(text, "and here"))
            .help("to send the user to a page, ask in the mode `url`")
    });
    Some(finding.into())
}
