use crate::{
    model::RequestFacts,
    rule::prelude::*,
    rules::capability::needs::{self, Need},
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/advertised-content-rejected",
    summary: "the agent rejects content that it advertised",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#prompt-capabilities"),
            requires: "every agent accepts text and resource links in prompts, and the content \
                       that it advertises",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptRequest"),
            requires: "agents always accept text and resource links, and other content if they \
                       advertise it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/initialization#session-prompt-capabilities",
            ),
            requires: "the prompt capabilities say which content the agent accepts",
        },
    ],
    requirements: &["content.baseline"],
    explanation: r"
The client used the capabilities, but the user cannot send what the client offered. Accept the
content, or remove the capability. The rule looks only at rejections that mention content.
",
    tck: &["PROMPTCAP-001", "PROMPTCAP-002", "PROMPTCAP-003", "PROMPT-003"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","uri":"file:///work/a.md","name":"a.md"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unsupported content block type: resource_link"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","uri":"file:///work/a.md","name":"a.md"}]}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Unsupported content type: image"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"What is this?"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let agent = needs::advertised_by_agent(connection)?;
    let is_accepted = |kind: &str| match needs::content(kind, connection) {
        Need::Nothing => true,
        Need::Capability(capability) => capability.is_in(agent),
        Need::Unknown => false,
    };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if prompt.blocks.is_empty() || !prompt.blocks.iter().all(|(kind, _)| is_accepted(kind)) {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    if answer.error_code() != Some(-32602) || !prompt.is_sound || session.closed.is_some() {
        return None;
    }
    let told = [error.get("message"), error.get("data")].into_iter().flatten();
    let told: Vec<_> =
        told.filter(|it| it.range().len() <= LONGEST).map(|it| words(&text(it))).collect();
    let is_refused = |kind: &str| told.iter().any(|words| refuses(words, kind));
    let mut blocks = prompt.blocks.iter();
    let named = blocks.find(|(kind, _)| **kind != *"text" && is_refused(kind));
    let last = || prompt.blocks.last().filter(|_| told.iter().any(|words| refuses_any(words)));
    let (kind, at) = named.or_else(last)?;
    let capability = needs::content(kind, connection).capability();
    let advertised = capability.and_then(|capability| agent.get(capability.path()));
    Some(
        Finding::new(format!("the agent rejects `{kind}` content although it must accept it"))
            .at(error, "rejected here")
            .at(*at, "the content")
            .and_at(advertised, "advertised here")
            .help("accept the content, or do not advertise it")
            .into(),
    )
}

/// Longest error text that is examined, in bytes. A longer one is not about a type of content.
const LONGEST: usize = 4096;

/// All strings in a member of an error, joined by line breaks.
fn text(told: Node<'_>) -> String {
    told.texts().map(Text::as_cow).collect::<Vec<_>>().join("\n")
}

/// Words of an error text in lower case; `resource link` becomes one word.
fn words(error: &str) -> Vec<String> {
    let error = error.to_lowercase();
    let links = ["resource links", "resource link", "resource-link", "resourcelink"];
    let error = links.iter().fold(error, |error, link| error.replace(link, "resource_link"));
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '/');
    error.split(|letter| !is_part(letter)).filter(|it| !it.is_empty()).map(Into::into).collect()
}

/// Words by which error texts name content of any type.
const NOUNS: [&str; 12] = [
    "block", "blocks", "content", "contents", "input", "inputs", "item", "items", "part", "parts",
    "prompt", "prompts",
];

/// Whether an error text rejects content blocks of type `kind` as such, not because of size or
/// format. `words` are its words.
fn refuses(words: &[String], kind: &str) -> bool {
    /// Aspects of content that may be rejected although the type is accepted.
    const ASPECTS: [&str; 12] = [
        "data",
        "dimensions",
        "encoding",
        "file",
        "format",
        "formats",
        "media",
        "mime",
        "scheme",
        "size",
        "type",
        "types",
    ];
    let is_named = |word: &String| word == kind || word.strip_suffix('s') == Some(kind);
    words.iter().enumerate().filter(|(_, word)| is_named(word)).any(|(place, _)| {
        let next = words.get(place + 1);
        let is_aspect = next.is_some_and(|next| ASPECTS.contains(&&**next));
        !is_aspect && (is_refused_before(&words[..place]) || is_refused_after(&words[place + 1..]))
    })
}

/// Whether an error text rejects some type of content blocks, without naming it.
fn refuses_any(words: &[String]) -> bool {
    let is_noun = |word: &String| matches!(&**word, "content" | "block" | "blocks");
    let is_rest = |word: &String| is_noun(word) || matches!(&**word, "type" | "types");
    words.iter().enumerate().filter(|(_, word)| is_noun(word)).any(|(place, _)| {
        is_refused_before(&words[..place]) && words[place + 1..].iter().all(is_rest)
            || words[..place].is_empty() && is_refused_after(&words[place + 1..])
    })
}

/// Whether the words before a type reject it, as in "unsupported content type".
fn is_refused_before(words: &[String]) -> bool {
    const FILLERS: [&str; 13] = [
        "a", "an", "any", "embedded", "in", "is", "kind", "of", "the", "this", "type", "types",
        "variant",
    ];
    let is_filler = |word: &&String| NOUNS.contains(&&***word) || FILLERS.contains(&&***word);
    let mut before = words.iter().rev().skip_while(is_filler).map(|word| &**word);
    match before.next() {
        Some("unsupported" | "unknown" | "unrecognized") => true,
        Some("support" | "accept" | "handle") => {
            matches!(before.next(), Some("not" | "cannot" | "t"))
        }
        _ => false,
    }
}

/// Whether the words after a type reject it, as in "blocks are not supported".
fn is_refused_after(words: &[String]) -> bool {
    const FILLERS: [&str; 5] = ["are", "currently", "is", "isn", "aren"];
    let is_filler = |word: &&String| NOUNS.contains(&&***word) || FILLERS.contains(&&***word);
    let mut after = words.iter().skip_while(is_filler).map(|word| &**word);
    match after.next() {
        Some("unsupported") => after.next().is_none(),
        Some("not" | "t" | "cannot") => {
            let verb = after.find(|word| !matches!(*word, "be" | "yet" | "currently"));
            matches!(verb, Some("supported" | "accepted" | "allowed" | "implemented"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_type() {
        for (error, kind, is_refusal) in [
            ("Unsupported content type: image", "image", true),
            ("Unsupported resource_link", "resource_link", true),
            ("Resource links are not supported", "resource_link", true),
            ("This agent does not support images.", "image", true),
            ("unknown variant `resource_link`, expected `text`", "resource_link", true),
            ("image input isn't supported", "image", true),
            ("image exceeds 5 MB maximum", "image", false),
            ("Invalid image: unsupported format image/png", "image", false),
            ("Unsupported image type: image/webp", "image", false),
            ("Could not process image", "image", false),
            ("Session resource not found", "resource", false),
            ("File in resource_link not found: /a", "resource_link", false),
        ] {
            assert_eq!(refuses(&words(error), kind), is_refusal, "{error}");
        }
        for (error, is_refusal) in [
            ("Unsupported content type", true),
            ("Unknown content block", true),
            ("Unsupported content type: pdf", false),
            ("The content is too long", false),
        ] {
            assert_eq!(refuses_any(&words(error)), is_refusal, "{error}");
        }
    }
}
