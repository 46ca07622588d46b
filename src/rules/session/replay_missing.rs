use crate::{
    model::{Session, session::attachment::Attachment, story::OwedReplay},
    rule::prelude::*,
    rules::session::{attached, replayed},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-missing",
    summary: "nothing is replayed, although the session has a history",
    level: By::both(Level::Must),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
            requires: "loading replays the whole conversation",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "`replayFrom` asks for the history that the agent has stored",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ReplayFromStart"),
            requires: "the replay begins at the start of the stored history",
        },
    ],
    requirements: &["session.replay"],
    explanation: r"
The recording has messages of this session, but the replay is empty, so the user sees an empty
window. On version 2 an agent need not store history, so there it is only an info.
",
    tck: &["RESUME-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Tidy up"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        ),
    ],
    on: &[
        On::Answer(methods::ATTACH_SESSION, attached),
        On::Call(&["session/prompt", "session/load", "session/resume"], followed),
        On::End(ended),
    ],
    variants: &[
        (
            Severity::Warning,
            "on version 2 in editions until 2026-09, and on version 1 where an earlier connection has the history",
        ),
        (
            Severity::Error,
            "on version 1, where `drive` asked another process for the history, or with `--story one`",
        ),
    ],
    ..Rule::DEFAULT
};

fn attached(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = attached::session(answer, connection)?;
    let attachment = session.attachment.as_ref().filter(|_| session.wants_history)?;
    if attachment.is_unknown() && attachment.history.is_none() && session.spoken.is_none() {
        return Some(Verdict::NotAssessable);
    }
    let owed = attachment.owed.as_ref();
    let has_history = session.spoken.is_some() && is_kept(session, attachment)
        || owed.is_some_and(|owed| !owed.first_elsewhere().is_empty());
    has_history.then_some(Verdict::Pass)
}

/// Checks for missing history at the client's next call for the session. History that comes late is
/// reported by `session/replay-after-response`.
fn followed(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    Some(missing(&id.as_cow(), connection.session(id)?, connection)?.into())
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    let sessions = connection.sessions();
    let missing = sessions.filter_map(|(id, session)| missing(id, session, connection));
    Verdict::all(missing.map(Verdict::from))
}

/// Whether nothing may have cleared what this connection has said in the session: neither a command nor
/// a message that was lost.
fn is_kept(session: &Session, attachment: &Attachment) -> bool {
    let is_cleared = session.story.as_ref().is_some_and(|story| story.is_cleared());
    attachment.owed.is_some() || !(attachment.lost > 0 || is_cleared)
}

fn missing(id: &str, session: &Session, connection: &Connection) -> Option<Finding> {
    let attachment = session.attachment.as_ref().filter(|_| session.wants_history)?;
    let answer = attachment.answer?;
    if attachment.history.is_some() || attachment.is_followed || attachment.is_judged {
        return None;
    }
    let owed = attachment.owed.as_deref();
    let earlier = owed.map(OwedReplay::first_elsewhere).unwrap_or_default();
    let is_followed = !earlier.is_empty();
    let is_closed = is_followed && owed.is_some_and(|owed| owed.is_closed);
    let spoken = attachment.spoken.filter(|_| is_kept(session, attachment));
    if spoken.is_none() && !is_followed {
        return None;
    }
    let finding = Finding::new(format!("session `{id}` has a history, but nothing is replayed"))
        .at(answer, "the response, with no history before it")
        .and_at(spoken, "the history of the session")
        .once_per(attachment.number);
    let words = ["it was said here", "and this", "and this"];
    let finding = replayed::with_places(finding, &earlier, words);
    let is_version_1 = connection.version() != Some(Version::V2);
    let is_owed = !is_version_1 && connection.edition() <= Edition::September2026;
    Some(if is_version_1 && is_closed {
        finding.as_severity(Severity::Error)
    } else if is_owed || is_version_1 && is_followed {
        finding.as_severity(Severity::Warning)
    } else {
        finding
    })
}
