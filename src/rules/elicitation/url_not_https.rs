use fluent_uri::UriRef;

use crate::{rule::prelude::*, rules::elicitation::links};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/url-not-https",
    summary: "an elicitation URL does not use https",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#url-security"),
            requires: "the URL uses https, except during development",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#url-security"),
            requires: "the URL uses https, except during development",
        },
    ],
    requirements: &["elicitation.url-no-credentials", "elicitation.url-rules"],
    explanation: r"
Others on the network can read what the user types into an `http` page. Clients warn of such links
or refuse to open them. Pages on the user's own machine, as during development, are fine.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"http://auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"http://127.0.0.1:8123/start"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"http://auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"http://127.0.0.1:8123/start"}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    variants: &[(Severity::Info, "for schemes other than `http`")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let text = links::of(call)?;
    let url = text.as_cow();
    let uri = UriRef::parse(&*url).ok()?;
    let scheme = uri.scheme()?.as_str().to_ascii_lowercase();
    let finding = match &*scheme {
        "https" => None,
        "http" => {
            let host = uri.authority().map_or("", |authority| authority.host());
            (!links::is_this_machine(host)).then(|| {
                Finding::new("the URL of an elicitation does not use https")
                    .at(text, "not encrypted")
                    .help("serve the page with https")
            })
        }
        _ => Some(
            Finding::new(format!("the URL of an elicitation has the scheme `{scheme}`"))
                .at(text, "expected https")
                .help("use https: clients may open only web pages")
                .as_severity(Severity::Info),
        ),
    };
    Some(finding.into())
}
