use crate::{model::session::terminals::TerminalState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/use-after-release",
    summary: "a terminal is used after its release",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#releasing-terminals"),
        requires: "a released terminal does not exist any more, and its id cannot be used",
    }],
    explanation: r"
The release deletes the terminal with its output and exit status, and clients answer later requests
with an error. Read the output before you release the terminal. To stop a command and still read its
output, use `terminal/kill`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":20,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":20,"error":{"code":-32002,"message":"No such terminal"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/kill","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{}}
{"jsonrpc":"2.0","id":12,"method":"terminal/output","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":12,"result":{"output":"ok\n","truncated":false}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(methods::USE_TERMINAL, check)],
    variants: &[(Severity::Warning, "while the release is not answered")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = call.param("terminalId")?.text()?;
    let terminal = session.terminals.get(id)?;
    let finding = Finding::new(format!("terminal `{id}` is used after its release"))
        .at(call.method, "the terminal does not exist any more")
        .help(
            "read the output before the release; `terminal/kill` stops a command and keeps its \
             output",
        );
    Some(match terminal.tenure {
        TerminalState::Live => Verdict::Pass,
        TerminalState::Releasing { request } => finding
            .at(request, "its release is requested here")
            .as_severity(Severity::Warning)
            .into(),
        TerminalState::Released { answer } => finding.at(answer, "released here").into(),
    })
}
