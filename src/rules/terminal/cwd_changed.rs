use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/cwd-changed",
    summary: "the working directory of a terminal changes",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("TerminalUpdate"),
        requires: "`cwd` is where the command of the terminal runs",
    }],
    explanation: r"
A command has one working directory. The protocol allows a change, so this is only an info. Usually
the agent sends the current directory of the shell instead of the one where the command was started.
",
    tck: &["PATCH-206"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","cwd":"/work/sub","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"ls","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","cwd":"/work/","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["terminal_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("terminalId")?.text()?;
    let cwd = update.update.get("cwd")?.text()?;
    let display = session.agent_terminals.get(id)?;
    let (known, at) = display.cwd.as_ref()?;
    let is_reused = display.exit.is_some()
        && update.update.get("command").and_then(Node::text).is_some_and(|command| {
            display.command.as_ref().is_some_and(|(known, _)| command != **known)
        });
    if session.is_replaying() || is_reused {
        return None;
    }
    if cwd == **known || paths::normalised(&cwd.as_cow()) == paths::normalised(known) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the working directory of terminal `{id}` changes from `{known}` to `{cwd}`"
        ))
        .at(cwd, "another directory")
        .at(*at, "first given here")
        .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
        .into(),
    )
}
