use crate::{rule::prelude::*, rules::elicitation::forms};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/secret-in-form",
    summary: "a form asks for a secret",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#form-mode"),
            requires: "forms do not ask for secrets or credentials",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#form-mode"),
            requires: "forms do not ask for secrets or credentials",
        },
    ],
    requirements: &["elicitation.no-secrets"],
    explanation: r"
What a user types into a form passes through the client, its logs and often the model's context. Ask
for passwords, keys and tokens on a web page, in the mode `url`, or use `authMethods`. The rule
looks at names and titles of free text fields, on version 2 also at descriptions. A field that only
mentions a secret is fine.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Credentials","requestedSchema":{"type":"object","properties":{"api_key":{"type":"string"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which project?","requestedSchema":{"type":"object","properties":{"project_name":{"type":"string"}}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Credentials","requestedSchema":{"type":"object","properties":{"api_key":{"type":"string"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which project?","requestedSchema":{"type":"object","properties":{"project_name":{"type":"string"}}}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

/// Names of secrets, as sequences of words, such as `api key`.
const SECRETS: [&[&str]; 24] = [
    &["password"],
    &["passwd"],
    &["passphrase"],
    &["passcode"],
    &["secret"],
    &["apikey"],
    &["api", "key"],
    &["access", "key"],
    &["secret", "key"],
    &["private", "key"],
    &["ssh", "key"],
    &["access", "token"],
    &["refresh", "token"],
    &["auth", "token"],
    &["api", "token"],
    &["bearer", "token"],
    &["recovery", "code"],
    &["backup", "code"],
    &["recovery", "codes"],
    &["backup", "codes"],
    &["card", "number"],
    &["cvv"],
    &["cvc"],
    &["pin", "code"],
];

/// Words that change the meaning when they come before the name of a secret, such as `no password`.
const OTHERWISE: [&str; 6] = ["of", "for", "no", "not", "never", "without"];

/// Words that change the meaning when they come after the name of a secret, such as `password
/// policy`.
const ABOUT: [&str; 24] = [
    "name",
    "id",
    "path",
    "file",
    "location",
    "count",
    "length",
    "limit",
    "policy",
    "hint",
    "reset",
    "manager",
    "store",
    "vault",
    "type",
    "format",
    "expiry",
    "lifetime",
    "rotation",
    "env",
    "variable",
    "reference",
    "ref",
    "owner",
];

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    // On version 2 the description counts as well, and more words name a secret.
    let is_second = connection.version() == Some(Version::V2);
    let properties = forms::properties(call)?;
    let findings = properties.filter(|(_, property)| is_free_text(*property)).filter_map(
        |(name, property)| {
            let title = property.get("title").and_then(Node::text);
            let description = property.get("description").filter(|_| is_second);
            let text = [Some(name), title, description.and_then(Node::text)]
                .into_iter()
                .flatten()
                .find(|text| names_secret(&text.as_cow(), is_second))?;
            Some(
                Finding::new(format!("a form asks for a secret: `{name}`"))
                    .at(name, "a free text field")
                    .and_at(Some(text).filter(|text| *text != name), "the text that says so")
                    .help("ask for the secret on a web page, in the mode `url`")
                    .once_per(&*name.as_cow()),
            )
        },
    );
    Some(findings.collect())
}

fn is_free_text(property: Node<'_>) -> bool {
    let is_list = |name| property.get(name).is_some_and(|list: Node<'_>| list.is_array());
    property.get("type").is_some_and(|kind| kind.is("string"))
        && !is_list("enum")
        && !is_list("oneOf")
        && property.get("format").is_none_or(Node::is_null)
}

fn names_secret(text: &str, is_second: bool) -> bool {
    let words = words(text);
    let is_pin = is_second && words.last().is_some_and(|word| word == "pin");
    is_pin
        || SECRETS.iter().any(|secret| {
            words.windows(secret.len()).enumerate().any(|(at, window)| {
                let next = words.get(at + secret.len());
                window.iter().zip(*secret).all(|(word, part)| word == part)
                    && next.is_none_or(|next| !ABOUT.contains(&&**next))
                    && !words[..at].iter().any(|word| OTHERWISE.contains(&&**word))
            })
        })
}

/// Words of a name or title in lower case; camel case is split.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (was_lower && character.is_uppercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
