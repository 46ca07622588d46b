use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/overlapping-prompts",
    summary: "a prompt is sent while another prompt of the session is open",
    level: By::both(Level::Derived),
    severity: By::each(Severity::Warning, Severity::Off),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn"),
            requires: "the next prompt follows when the turn is over",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#6-continue-conversation"),
            requires: "a prompt continues the conversation; a prompt during work may wait or \
                       steer the work",
        },
    ],
    explanation: r"
Version 1 has one turn at a time. Some agents queue the second prompt, some mix it into the first,
and some refuse it. The client cannot tell which answer belongs to which prompt. Cancel the first
prompt, or wait for its response. Version 2 defines what happens, so the rule is off there.
",
    tck: &["INFO-CONCURRENT-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"And the tests"}]}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"And the tests"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"And the tests"}]}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"And the tests"}]}}"#,
        ),
    ],
    on: &[On::Call(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    call.id?;
    let id = call.session_id()?;
    let session = connection.session(id)?;
    let open = connection.rpc.open_in(&id.as_cow(), Side::Client, "session/prompt").next();
    let is_busy = connection.version() == Some(Version::V2) && session.activity.is_active();
    if open.is_none() && !is_busy {
        // The first prompt overlaps with none.
        return session.turn.began.map(|_| Verdict::Pass);
    }
    if has_queue(connection) {
        return None;
    }
    Some(
        Finding::new(format!("session `{id}` gets another prompt before the first is answered"))
            .at(call.method, "the second prompt")
            .and_at(open.map(|open| open.at), "the first prompt, not answered yet")
            .into(),
    )
}

/// Whether the agent states in its capabilities, or in their `_meta`, that it queues prompts.
fn has_queue(connection: &Connection) -> bool {
    /// Most capabilities that are searched for a queue of prompts; others are not, to limit the
    /// time.
    const MANY: usize = 256;
    const SIGNS: [&str; 3] = ["queue", "Queue", "QUEUE"];
    let Some(agent) = connection.agent_capabilities() else { return false };
    let mut advertised = agent.advertised();
    let mut first = advertised.by_ref().take(MANY);
    SIGNS.iter().any(|sign| agent.grants(sign))
        || first.any(|(name, _)| SIGNS.iter().any(|sign| name.contains(sign)))
        // One that is not searched may be it.
        || advertised.next().is_some()
}
