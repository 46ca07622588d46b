use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "ext/trace-context-format",
    summary: "a W3C trace context member of `_meta` is malformed",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "`traceparent`, `tracestate` and `baggage` in `_meta` are written as the W3C defines",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#the-_meta-field"),
            requires: "`traceparent`, `tracestate` and `baggage` in `_meta` are written as the W3C defines",
        },
        Citation {
            version: None,
            source: SourceText::Other("W3C Trace Context, traceparent header"),
            requires: "version 00 has four fields in lower-case hexadecimal: version, trace id, \
                       parent id and flags; an id of zeros is invalid",
        },
    ],
    requirements: &["ext.trace-keys"],
    explanation: r"
Tracing libraries read these three names and drop what they cannot parse. Then the call is missing
from its trace. For data in another format, use a name with your own prefix. Later versions of the
format may have longer fields; the rule does not check those.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"_meta":{"traceparent":"4bf92f3577b34da6"}}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[],"_meta":{"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","_meta":{"tracestate":{"vendor":"1"}}}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","_meta":{"tracestate":"vendor=1"}}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

/// The members of `_meta` that are reserved for W3C trace contexts.
const MEMBERS: [&str; 3] = ["traceparent", "tracestate", "baggage"];

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let part = message.envelope.params.or(message.envelope.result)?;
    let update = part.get("update");
    let parts = [Some(part), update, update.and_then(|it| it.get("content")), part.get("toolCall")];
    let blocks = || part.get("prompt").into_iter().flat_map(Node::elements);
    let members = || {
        let metas = parts.into_iter().flatten().chain(blocks()).filter_map(|it| it.get("_meta"));
        metas.flat_map(move |meta| {
            MEMBERS.into_iter().filter_map(move |name| Some((name, meta.get(name)?)))
        })
    };
    members().next()?;
    let findings = members().filter_map(|(name, value)| finding(name, value));
    Some(findings.collect())
}

fn finding(name: &'static str, value: Node<'_>) -> Option<Finding> {
    let expected = match value.text() {
        None => "expected a string",
        Some(text) if name == "traceparent" && !is_traceparent(&text.as_cow()) => {
            "expected `00-`, 32 digits, `-`, 16 digits, `-`, 2 digits, all hexadecimal"
        }
        Some(_) => return None,
    };
    let finding = Finding::new(format!("`{name}` in `_meta` is not a valid W3C trace context"))
        .at(value, expected)
        .help("write it as the W3C defines, or use a name with your own prefix")
        .once_per(name);
    Some(finding)
}

/// Whether a text is a `traceparent` of W3C Trace Context. Only version 00 has a fixed length.
fn is_traceparent(text: &str) -> bool {
    let fields: Vec<_> = text.split('-').collect();
    let is_hex = |field: &&str, length| {
        field.len() == length && field.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_void = |field: &&str| field.bytes().all(|digit| digit == b'0');
    let [version, trace, parent, flags, rest @ ..] = fields.as_slice() else { return false };
    is_hex(version, 2)
        && *version != "ff"
        && is_hex(trace, 32)
        && !is_void(trace)
        && is_hex(parent, 16)
        && !is_void(parent)
        && (is_hex(flags, 2) && rest.is_empty() || *version != "00")
}
