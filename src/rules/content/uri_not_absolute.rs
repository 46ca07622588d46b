use crate::{
    rule::prelude::*,
    rules::{
        content::{
            author::author,
            uri::{self, Fault},
        },
        paths,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "content/uri-not-absolute",
    summary: "a URI is not absolute",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/content#content-types"),
            requires: "a URI identifies a resource",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ResourceLink"),
            requires: "`uri` is a URI",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("TextResourceContents"),
            requires: "`uri` is a URI",
        },
        Citation {
            version: None,
            source: SourceText::Rfc("RFC 3986 §4.3"),
            requires: "the definition of an absolute URI",
        },
    ],
    explanation: r"
The URI identifies a resource: readers open it by the URI, and connect all mentions of one file. A
plain path or a relative reference has no scheme, and `C:\…` has the scheme `c`. Strict readers
drop the block.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"a","uri":"notes/a.md"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"a","uri":"urn:notes:7"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"resource_link","name":"a","uri":"/work/a.rs"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"resource_link","name":"a","uri":"zed:///work/a.rs"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[
        On::Block(&["resource_link", "image"], |block, _| {
            Some(check(block, block.block.get("uri")?.text()?))
        }),
        On::Block(&["resource"], |block, _| {
            Some(check(block, block.block.path(&["resource", "uri"])?.text()?))
        }),
    ],
    ..Rule::DEFAULT
};

fn check(block: &Block<'_>, uri: Text<'_>) -> Verdict {
    let text = uri.as_cow();
    let Err(fault) = uri::check(&text) else { return Verdict::Pass };
    let whole = Mark::from(uri);
    let (mark, label, help) = match fault {
        Fault::Relative if paths::is_absolute(&text) => {
            (whole, "a path, not a URI", "add `file://` in front of it and percent-encode it")
        }
        Fault::Drive => (whole, "a path, not a URI", "write it as `file:///C:/…`"),
        Fault::Relative => (whole, "no scheme", "write an absolute URI, such as `file:///…`"),
        Fault::Character(at) => {
            let next = text.get(at..).and_then(|rest| rest.chars().next());
            let end = at + next.map_or(0, char::len_utf8);
            (
                Mark { span: uri.place(at..end), ..whole },
                if next.is_some() { "not allowed here" } else { "something is missing here" },
                "percent-encode characters that a URI cannot hold, such as spaces",
            )
        }
    };
    let shown: String = text.chars().take(80).collect();
    Finding::new(format!("`{shown}` is not an absolute URI"))
        .at(mark, label)
        .help(help)
        .blaming(author(block))
        .explains(uri.node())
        .once_per(&*text)
        .unless_masked(paths::is_masked(&text))
        .into()
}
