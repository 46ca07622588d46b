use crate::{
    model::{
        Session,
        session::attachment::{Attachment, ReplayedChild},
    },
    rule::prelude::*,
    rules::session::attached,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-complete-missing",
    summary: "a replay ends without `replay_complete`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ReplayComplete"),
        requires: "a resume with history gets `replay_complete` once, after the history and \
                   before the response, even if the history is empty",
    }],
    requirements: &["session.replay-complete"],
    explanation: r"
The marker tells the client where the history ends. Without it, the client cannot tell the last old
message from the first new one. The marker came on 20 November 2026. With that edition a missing
marker is an error; without `--edition` it is a warning.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[
        On::Answer(&["session/resume"], check),
        On::Call(&attached::FOLLOWING, |call, connection| {
            attached::before(call, connection, |_, session, attachment| {
                missing(session, attachment, connection)
            })
        }),
        On::End(|_, connection| {
            attached::at_end(connection, |_, session, attachment| {
                missing(session, attachment, connection)
            })
        }),
    ],
    variants: &[(Severity::Error, "where `--edition` is set")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, attachment) = attached::attachment(answer, connection)?;
    if !session.wants_history {
        return None;
    }
    attachment.complete?;
    let children = attachment.children.iter().filter(|_| !attachment.is_live_in_part());
    Some(children.filter_map(|child| of_child(child, answer, connection)).collect())
}

/// Checks a replay that is over. What comes after the response is reported by
/// `session/replay-after-response`, or by `session/replay-complete-unexpected`.
fn missing(session: &Session, attachment: &Attachment, connection: &Connection) -> Option<Finding> {
    let answer = attachment.answer.filter(|_| attachment.is_resume && session.wants_history)?;
    let is_judged = attachment.is_judged || attachment.complete.is_some();
    if is_judged || attachment.is_late || attachment.is_completed_late {
        return None;
    }
    let finding = Finding::new("the replay ends without `replay_complete`")
        .at(answer, "the response is already here")
        .at(attachment.request, "the client asks for the history here")
        .help("send `replay_complete` after the history and before the response")
        .once_per(attachment.number);
    let is_pinned = connection.pinned_edition().is_some();
    Some(finding.as_severity_if(is_pinned, Severity::Error))
}

/// The finding for a subagent's session that was replayed with its parent but not completed; `None`
/// without a fault.
fn of_child(
    child: &ReplayedChild,
    answer: &Answer<'_>,
    connection: &Connection,
) -> Option<Finding> {
    let history = child.history.filter(|_| !child.is_complete)?;
    let parent = connection.session_named(&child.id)?.parent.as_ref()?;
    // Updates of a child that may still be at work need not be history.
    (!parent.is_busy()).then(|| {
        let id = &child.id;
        Finding::new(format!("the replay of the child `{id}` ends without `replay_complete`"))
            .at(answer.node, "the response is already here")
            .at(history, "the history of the child")
            .help("send `replay_complete` for each child whose history is replayed")
    })
}
