use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "terminal/unknown-id",
    summary: "a message names a terminal that does not exist",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#getting-output"),
        requires: "a terminal is named by the id from the answer that created it",
    }],
    explanation: r"
The client has no terminal with this id and answers with an error. Usually the id comes from another
session or an earlier connection, or the agent made it up instead of waiting for the answer.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x9"}}
{"jsonrpc":"2.0","id":10,"error":{"code":-32002,"message":"No such terminal"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"output":"ok\n","truncated":false}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(methods::USE_TERMINAL, check)],
    variants: &[(Severity::Warning, "where a line cannot be read")],
    ..Rule::DEFAULT
};

/// Most other sessions in which the terminal's id is looked for, to explain the fault; the finding
/// does not depend on them.
const MANY: usize = 256;

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = call.param("terminalId")?.text()?;
    if connection.client_capabilities().is_some_and(|client| client.lacks("terminal")) {
        return None; // The call itself is the fault.
    }
    if session.terminals.get(id).is_some() {
        return Some(Verdict::Pass);
    }
    if connection.has_gaps() {
        return None; // The answer that created it may be there.
    }
    let elsewhere = connection
        .sessions()
        .take(MANY)
        .find_map(|(name, other)| Some((name, other.terminals.get(id)?.named)));
    let finding = Finding::new(format!("terminal `{id}` does not exist in this session"))
        .at(id, "no `terminal/create` has returned this id")
        .once_per((&*call.session_id()?.as_cow(), &*id.as_cow()));
    let finding = match elsewhere {
        Some((name, at)) => finding.at(at, format!("created in session `{name}`")),
        None => finding,
    };
    Some(
        finding.as_severity_if(connection.lost_to(Some(Side::Agent)) > 0, Severity::Warning).into(),
    )
}
