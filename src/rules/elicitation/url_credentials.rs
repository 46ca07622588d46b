use fluent_uri::UriRef;

use crate::{rule::prelude::*, rules::elicitation::links};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/url-credentials",
    summary: "an elicitation URL contains credentials",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#url-security"),
            requires: "the URL does not hold credentials or give authenticated access",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#url-security"),
            requires: "the URL does not hold credentials or give authenticated access",
        },
    ],
    requirements: &["elicitation.url-no-credentials", "elicitation.url-rules"],
    explanation: r"
The client shows the URL, logs it and passes it to a browser, which keeps it in its history.
Everybody who sees the URL has the credentials. Let the page ask the user instead. If only the name
of a parameter looks like a credential, the finding is a warning.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://me:hunter2@auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/@me/start?state=x&code_challenge=y"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://me:hunter2@auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/@me/start?state=x&code_challenge=y"}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    variants: &[(Severity::Warning, "for credentials in the query")],
    ..Rule::DEFAULT
};

/// Names of query parameters of URLs that hold credentials.
const PARAMETERS: [&str; 14] = [
    "token",
    "access_token",
    "refresh_token",
    "id_token",
    "auth_token",
    "api_key",
    "apikey",
    "password",
    "passwd",
    "secret",
    "client_secret",
    "session",
    "session_token",
    "jwt",
];

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let text = links::of(call)?;
    let url = text.as_cow();
    let uri = UriRef::parse(&*url).ok()?;
    let userinfo = uri.authority().and_then(|authority| authority.userinfo());
    if userinfo
        .is_some_and(|info| info.as_str().split_once(':').is_some_and(|(_, it)| !it.is_empty()))
    {
        return Some(
            Finding::new("the URL of an elicitation contains a password")
                .at(text, "user name and password before the host")
                .help("let the page ask for them")
                .into(),
        );
    }
    let query = uri.query().map_or("", |query| query.as_str());
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let found = pairs.find(|(name, value)| {
        !value.is_empty() && PARAMETERS.iter().any(|it| name.eq_ignore_ascii_case(it))
    });
    let finding = found.map(|(name, _)| {
        Finding::new(format!("the URL of an elicitation contains the parameter `{name}`"))
            .at(text, "in the query")
            .help("let the page authenticate the user")
            .as_severity(Severity::Warning)
    });
    Some(finding.into())
}
