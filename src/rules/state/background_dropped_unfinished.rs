use crate::{
    model::session::{
        activity::{AgentState, Background},
        tool_calls::ToolCallStatus,
    },
    rule::prelude::*,
    rules::state::{background::Work, states},
};

pub(crate) static RULE: Rule = Rule {
    id: "state/background-dropped-unfinished",
    summary: "unfinished work disappears from the background list",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("BackgroundWork"),
        requires: "work stays on the list until it is finished",
    }],
    requirements: &["state.background-announced"],
    explanation: r"
If work is not on the list any more, it is finished. But nothing says how it ended: the client still
shows a running command. Send the exit status or the final status first.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running","background":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[]}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let list = update.update.get("background").filter(|list| list.is_array())?;
    let Background::Known(known) = session.activity.background()? else { return None };
    let told = session.activity.background_after(update)?;
    Verdict::on_each(known.ids.iter().filter(|id| !told.lists(id)), |id| {
        let (what, latest) = if let Some(terminal) = session.agent_terminals.named(id) {
            (Work::Terminal, Some(terminal.last).filter(|_| terminal.exit.is_none())?)
        } else if let Some(child) = connection.session_named(id)
            && let Some(parent) = &child.parent
        {
            let is_idle = parent.state.as_ref().is_some_and(|(state, _)| &**state == "idle")
                || child.activity.state == AgentState::Idle;
            let is_told = parent.state.is_some() || child.activity.state != AgentState::Unset;
            let last = parent.state.as_ref().map_or(parent.cancellation_at, |(_, at)| *at);
            (Work::Session, Some(last).filter(|_| is_told && !is_idle)?)
        } else {
            let call = session.tool_calls.named(id)?;
            let is_open = call
                .status
                .is_none_or(|(status, ..)| !status.is_final() && status != ToolCallStatus::Custom);
            (Work::ToolCall, Some(call.last).filter(|_| is_open)?)
        };
        Some(
            Finding::new(format!(
                "unfinished {} `{id}` is removed from the background list",
                what.name()
            ))
            .at(list, "not listed any more")
            .at(latest, "its last update")
            .and_at(session.work.state, "the state before")
            .help("report how it ended first"),
        )
    })
}
