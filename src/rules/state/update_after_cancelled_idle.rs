use crate::{
    model::{
        Session,
        session::{messages::MessageKind, work::Cancelled},
    },
    rule::prelude::*,
    rules::state::states,
};

pub(crate) static RULE: Rule = Rule {
    id: "state/update-after-cancelled-idle",
    summary: "cancelled work continues after it was reported as ended",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    needs: &[Loss::Order],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
        requires: "all updates of cancelled work come before the idle state that ends it",
    }],
    requirements: &["cancel.ignore-late-answers", "cancel.updates-first"],
    explanation: r"
The idle state tells the client that this work sends nothing more. Later updates look as if the work
had not stopped. Send pending updates first, or drop them.
",
    tck: &["CANCEL-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":" further"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":" further"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c9","title":"New"}}}"#,
    )],
    on: &[On::Update(
        &[
            "agent_message",
            "agent_message_chunk",
            "agent_thought",
            "agent_thought_chunk",
            "tool_call_update",
            "tool_call_content_chunk",
            "state_update",
        ],
        check,
    )],
    variants: &[(Severity::Warning, "where it may be background work")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let idle = session.work.stops.cancelled_idle?;
    let is_answered = idle.late_answer.is_some();
    Some(continued(update, session, idle)?.about(if is_answered {
        &["cancel.ignore-late-answers", "cancel.updates-first"]
    } else {
        &["cancel.updates-first"]
    }))
}

fn continued(update: &Update<'_>, session: &Session, idle: Cancelled) -> Option<Verdict> {
    let kind = &*update.kind.as_cow();
    let has_custom = session.activity.since_idle.custom.is_some();
    if kind == "state_update" {
        return states::ends_again(session, update).then(|| {
            Finding::new("cancelled work is reported as ended twice")
                .at(update.update, "ended again")
                .at(idle.at, "the work ends here")
                .at(idle.cancel, "cancelled here")
                .help("report the end of work once")
                .disputed_if(has_custom)
                .once_per(idle.number)
                .into()
        });
    }
    let (first, is_listed) = if let Some(message_kind) = MessageKind::of(kind) {
        let id = update.message_id?;
        (session.messages.get(message_kind, id).map(|known| known.first_number), Some(false))
    } else {
        let id = update.tool_call_id?;
        let call = session.tool_calls.get(id).filter(|call| !call.is_final());
        let background = session.activity.background();
        let is_listed = background.map(|background| background.lists(&id.as_cow()));
        (call.map(|call| call.first_number), is_listed)
    };
    if is_listed == Some(true) || first.is_none_or(|first| first > idle.number) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("`{kind}` comes after its cancelled work has ended"))
        .at(update.kind, "part of the cancelled work")
        .at(idle.at, "the work ends here")
        .at(idle.cancel, "cancelled here")
        .and_at(idle.late_answer, "a late answer")
        .help("send pending updates before the idle state")
        .disputed_if(has_custom)
        .once_per(idle.number);
    // Agents that never report background work may have it.
    Some(finding.as_severity_if(is_listed.is_none(), Severity::Warning).into())
}
