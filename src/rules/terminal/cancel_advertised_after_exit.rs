use crate::{model::session::cancellation, rule::prelude::*, rules::terminal::target};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/cancel-advertised-after-exit",
    summary: "an exited terminal still offers `cancel`",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::EmptyValues],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("TerminalCapabilities"),
        requires: "a terminal offers `cancel` only while it can be cancelled",
    }],
    requirements: &["terminal.cancel-offered"],
    explanation: r"
Clients show a stop button while the terminal offers it. On an exited terminal the button only sends
requests that fail.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0},"capabilities":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","output":{"data":"b2sK"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["terminal_update"], updated), On::Update(&["state_update"], ended)],
    ..Rule::DEFAULT
};

fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("terminalId")?.text()?;
    let display = session.agent_terminals.get(id)?;
    if session.is_replaying() {
        return None;
    }
    let capabilities = update.update.get("capabilities");
    let exits = update.update.get("exitStatus").is_some_and(Node::is_object);
    if exits
        && display.cancellation.offered.is_some()
        && !capabilities.is_none_or(cancellation::offers)
    {
        return Some(Verdict::Pass);
    }
    target::of(&id.as_cow(), display).offer(update)
}

/// At the update that ends the session's work: one finding for each terminal that has exited and
/// whose last update still offers its cancellation. `None` at other updates, and when all is well
/// or not on record.
fn ended(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let is_checked = session.agent_terminals.any_offers_after_exit() && !session.is_replaying();
    if !is_checked || !session.activity.is_ended_by(update) {
        return None;
    }
    let findings: Vec<_> = session
        .agent_terminals
        .iter()
        .filter(|(_, display)| !display.cancellation.asked)
        .filter_map(|(id, display)| {
            let ((exit, _), offered) = (display.exit?, display.cancellation.offered?);
            Some(target::of(id, display).still_offers(exit, offered))
        })
        .collect();
    Verdict::failed(findings)
}
