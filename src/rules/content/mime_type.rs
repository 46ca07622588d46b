use crate::{rule::prelude::*, rules::content::author::author};

pub(crate) static RULE: Rule = Rule {
    id: "content/mime-type",
    summary: "a media type is malformed or does not fit its content block",
    level: By::each(Level::Hint, Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/content#content-types"),
            requires: "`mimeType` is a media type",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("MediaType"),
            requires: "a media type has a type and a subtype",
        },
        Citation {
            version: None,
            source: SourceText::Rfc("RFC 6838 §4.2"),
            requires: "the syntax of media types",
        },
    ],
    explanation: r"
Readers choose the decoder by the media type. For a bare `png`, or an image with a text type, they
use no decoder or the wrong one.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"png","data":"iVBORw0KGgo="}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"image","mimeType":"text/plain","data":"iVBORw0KGgo="}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"image","mimeType":"image/svg+xml; charset=utf-8","data":"iVBORw0KGgo="}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[
        On::Block(&["image", "audio", "resource_link"], direct),
        On::Block(&["resource"], |block, connection| {
            check(block, block.block.path(&["resource", "mimeType"])?.text()?, None, connection)
        }),
    ],
    ..Rule::DEFAULT
};

fn direct(block: &Block<'_>, connection: &Connection) -> Option<Verdict> {
    let kind = block.kind.as_cow();
    let family = matches!(&*kind, "image" | "audio").then_some(&*kind);
    check(block, block.block.get("mimeType")?.text()?, family, connection)
}

fn check(
    block: &Block<'_>,
    media_type: Text<'_>,
    family: Option<&str>,
    connection: &Connection,
) -> Option<Verdict> {
    let text = media_type.as_cow();
    let is_v2 = connection.version()? == Version::V2;
    let finding = match split(&text, is_v2) {
        None => Finding::new(format!("`{text}` is not a media type"))
            .at(media_type, "expected a type and a subtype, such as `image/png`"),
        Some(found) => {
            let family = family.filter(|family| is_v2 && !found.eq_ignore_ascii_case(family));
            let Some(family) = family else { return Some(Verdict::Pass) };
            Finding::new(format!("the media type `{text}` does not fit a block of type `{family}`"))
                .at(media_type, format!("expected `{family}/…`"))
        }
    };
    Some(finding.blaming(author(block)).once_per((&*text, family)).into())
}

/// Type of a MIME type, before the slash; `None` without a slash. `is_strict` (version 2) also
/// gives `None` where type or subtype is not a token.
fn split(text: &str, is_strict: bool) -> Option<&str> {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let (family, subtype) = essence.split_once('/')?;
    let is_name = |name: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        !name.is_empty() && name.bytes().all(is_part)
    };
    (!is_strict || (is_name(family) && is_name(subtype))).then_some(family)
}
