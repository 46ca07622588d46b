use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "auth/account-holds-credential",
    summary: "the description of an account looks like a credential",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("AuthAccount.description"),
        requires: "a description holds no credential",
    }],
    requirements: &["auth.no-credentials-in-account"],
    explanation: r"
Clients show the description, and write it to logs. Whoever sees it can use the account. The finding
does not quote the text.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"state":"authenticated","accounts":[{"label":"Work","description":"Key sk-live-0123456789abcdefghij"}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"auth":{"status":{}}},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"auth/status","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"state":"authenticated","accounts":[{"label":"Work","description":"Team plan"}]}}"#,
    )],
    on: &[On::Answer(&["auth/status"], answered), On::Call(&["auth/status_update"], reported)],
    ..Rule::DEFAULT
};

fn answered(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    check(answer.result()?)
}

fn reported(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    check(call.params?)
}

fn check(status: Node<'_>) -> Option<Verdict> {
    let accounts = status.get("accounts").into_iter().flat_map(Node::elements);
    let described = accounts.filter_map(|account| account.get("description")?.text());
    Verdict::on_each(described, |description| {
        let text = description.as_cow();
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        let mut words = text.split(|letter| !is_word(letter) && !MASKS.contains(&letter));
        words.any(is_credential).then(|| {
            Finding::new("the description of an account looks like a credential")
                .at(description, "shown to users and written to logs")
                .help("describe the account without keys and tokens")
                .once_per("credential")
        })
    })
}

/// Characters that show that a part of a secret was left out, so that it is no longer one.
const MASKS: [char; 3] = ['*', '…', '•'];

/// Whether a word has the form of a known kind of credential, in full.
fn is_credential(word: &str) -> bool {
    /// Beginnings by which keys of well-known services are recognized.
    const KEYS: [&str; 4] = ["sk-", "ghp_", "github_pat_", "xox"];
    /// Least number of letters and digits that a key has behind its beginning.
    const LEAST: usize = 16;
    if word.contains(MASKS) || word.contains("...") {
        return false;
    }
    let long = |rest: &str| rest.chars().filter(char::is_ascii_alphanumeric).count() >= LEAST;
    let is_key = KEYS.iter().any(|key| word.strip_prefix(key).is_some_and(long));
    let is_cloud_key = word.strip_prefix("AKIA").is_some_and(|rest| {
        long(rest) && rest.chars().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit())
    });
    let parts: Vec<&str> = word.split('.').collect();
    let is_token = parts.len() == 3
        && parts[..2].iter().all(|part| part.starts_with("eyJ") && long(part))
        && long(parts[2]);
    is_key || is_cloud_key || is_token
}
