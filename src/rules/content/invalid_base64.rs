use crate::{
    rule::prelude::*,
    rules::{
        base64::{self, Fault},
        content::author::author,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "content/invalid-base64",
    summary: "binary content is not valid base64",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/content#content-types"),
            requires: "the data of images, audio and binary resources is base64",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ImageContent"),
            requires: "`data` is base64",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AudioContent"),
            requires: "`data` is base64",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("BlobResourceContents"),
            requires: "`blob` is base64",
        },
        Citation {
            version: None,
            source: SourceText::Rfc("RFC 4648 §4"),
            requires: "the definition of base64",
        },
    ],
    explanation: r"
The reader decodes the string and passes the bytes to an image or audio decoder, or to a model. If
it cannot decode them, the picture is missing, or the whole request to the model fails. Common
causes: a path or a data URI instead of the data, or the URL-safe alphabet.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"/work/shot.png"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"image","mimeType":"image/png","data":"not base64!"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Block(&["image", "audio"], media), On::Block(&["resource"], resource)],
    variants: &[(Severity::Warning, "for faults that many decoders accept")],
    ..Rule::DEFAULT
};

fn media(block: &Block<'_>, connection: &Connection) -> Option<Verdict> {
    let what =
        if block.kind == "image" { "the data of an image" } else { "the data of an audio block" };
    check(block, block.block.get("data")?.text()?, what, connection)
}

fn resource(block: &Block<'_>, connection: &Connection) -> Option<Verdict> {
    let blob = block.block.path(&["resource", "blob"])?.text()?;
    check(block, blob, "the blob of a resource", connection)
}

fn check(
    block: &Block<'_>,
    data: Text<'_>,
    what: &str,
    connection: &Connection,
) -> Option<Verdict> {
    let Err(fault) = base64::check(data) else { return Some(Verdict::Pass) };
    let finding = base64::finding(data, fault, what)
        .blaming(author(block))
        .explains(data.node())
        .once_per(data);
    // Faults that lenient decoders accept.
    let is_minor = match fault {
        Fault::Space { .. } => true,
        Fault::UrlSafe { .. } => connection.version() == Some(Version::V1),
        Fault::Foreign { .. } | Fault::Cut { .. } => false,
    };
    Some(finding.as_severity_if(is_minor, Severity::Warning).into())
}
