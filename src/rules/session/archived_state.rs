use crate::{
    event::Answer,
    json::Node,
    model::{Connection, Facts},
    protocol::{Edition, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "session/archived-state",
    summary: "a listing contradicts an earlier archive or unarchive",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ArchiveSessionRequest"),
            requires: "an archived session disappears from ordinary listings; archiving it again succeeds",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("UnarchiveSessionRequest"),
            requires: "a session that was brought back appears again",
        },
    ],
    explanation: r"
The user has put the session away and it is still there. The next attempt to put it away fails, or
does nothing, and the list never gets shorter.
",
    tck: &[],
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work","archived":false}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{"archived":"include"}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work","archived":true}]}}"#,
    )],
    on: &[On::Answer(&["session/list"], listed), On::Answer(&["session/archive"], archived)],
};

/// Method not found, cancelled, authentication required say nothing about the archive.
const OTHER: [i64; 3] = [-32601, -32800, -32000];

fn listed(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let Facts::List(query) = &answer.request.facts else { return None };
    let sessions = answer.result()?.get("sessions")?;
    if query.archived.as_ref().is_some_and(|(filter, _)| &**filter != "exclude") {
        return Some(Verdict::Pass);
    }
    let ghosts = sessions.elements().filter_map(|entry| {
        let id = entry.get("sessionId")?.text()?;
        let archived = connection.session(id)?.life.archived?;
        let is_stale = archived.is_archived && answer.request.number > archived.mark.number;
        let is_told = entry.get("archived").and_then(Node::boolean) == Some(true);
        (is_stale && !is_told).then(|| {
            Finding::new(format!("session `{id}` is listed as if it were not archived"))
                .at(id, "listed")
                .at(archived.mark.at, "archived here")
                .once_per(&*id.as_cow())
        })
    });
    Some(ghosts.collect())
}

fn archived(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let archived = connection.session_named(id)?.life.archived.filter(|found| found.is_archived)?;
    let Some(code) = answer.error_code() else { return Some(Verdict::Pass) };
    (!OTHER.contains(&code)).then(|| {
        Finding::new(format!("archiving session `{id}` fails because it is archived"))
            .at(answer.node, "should succeed")
            .at(archived.mark.at, "archived here")
            .into()
    })
}
