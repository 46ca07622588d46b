use crate::{
    event::target,
    map::hash_of,
    model::session::{agent_terminals::Reference, authority::Allowed, tool_calls::ToolCall},
    rule::prelude::*,
};

/// Most terminals of one tool call that are compared; further ones are not judged.
const TERMINALS: usize = 64;

pub(crate) static RULE: Rule = Rule {
    id: "permission/target-changed",
    summary: "a tool call works on something else than was allowed",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order, Loss::AgentRequests, Loss::Values],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#requesting-permission"),
            requires: "an agent may ask for permission before it runs a tool",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#requesting-permission"),
            requires: "an agent may ask for permission before it runs a tool",
        },
    ],
    explanation: r"
An approval is for what the client could see: this command, these files. This rule is a policy for
those who approve by hand: it is off by default, and `--profile audit` selects it. It speaks if the
command in the input changes after the approval, if the tool call then shows a terminal with another
command, or if a diff names a file that the diffs did not name before. It cannot see what a tool does
beyond its report.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"ls","status":"pending","rawInput":{"command":"ls"}}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress","rawInput":{"command":"drain pond"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"ls","status":"pending","rawInput":{"command":"ls"}}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress","rawInput":{"command":["sh","-c","ls"]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[
        On::Update(&["tool_call", "tool_call_update"], check),
        On::Update(&["terminal_update"], check_terminal),
    ],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let own = session.authority.call(id)?;
    let allowed = own.allowed.as_ref()?;
    if session.is_replaying() || own.begins_anew(&update.kind.as_cow()) {
        return None;
    }
    let cwd = session.home.as_ref().map(|home| &*home.path);
    let input = update.update.get("rawInput");
    let command = input.and_then(|input| Some((input, target::input_command(input)?)));
    let other = command
        .filter(|(_, command)| allowed.command.is_some_and(|known| !known.is_same(command.key)));
    let is_new = |path: &Text<'_>| {
        let key = hash_of(target::path_key(&path.as_cow(), cwd));
        !allowed.files.is_empty() && !allowed.files.contains(&key)
    };
    let shows_other = |terminal: &Text<'_>| {
        let (begun, key) = if let Some(terminal) = session.terminals.get(*terminal) {
            let created = terminal.created.span();
            (created, session.authority.deed_at(created)?.key)
        } else {
            let own = session.agent_terminals.get(*terminal)?;
            let (command, _) = own.command.as_ref()?;
            (own.reported?.span(), target::command_text(command).key)
        };
        Some(begun > allowed.answer.span() && !allowed.command?.is_same(key))
    };
    let mut shown = update.update.get("content").into_iter().flat_map(target::terminals);
    let other_terminal = shown.find(|terminal| shows_other(terminal) == Some(true));
    let mut changes = update.update.get("content").into_iter().flat_map(target::changes);
    let finding = if let Some((input, _)) = other {
        Finding::new(format!("tool call `{id}` runs another command than was allowed"))
            .at(input, "another command")
    } else if let Some(terminal) = other_terminal {
        Finding::new(format!(
            "tool call `{id}` shows a terminal with another command than was allowed"
        ))
        .at(terminal, "another command runs in it")
    } else if let Some((_, path)) = changes.find(|(_, path)| is_new(path)) {
        Finding::new(format!("tool call `{id}` changes a file that was not in the question"))
            .at(path, "another file")
    } else {
        return Some(Verdict::Pass);
    };
    Some(told(finding, allowed, update.session_id, &id.as_cow()))
}

/// Judges the command of a terminal of the agent (version 2) that a tool call shows already.
fn check_terminal(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let command = update.update.get("command")?;
    let terminal = update.update.get("terminalId")?.text()?;
    let known = session.agent_terminals.get(terminal)?;
    if session.is_replaying() || !matches!(known.referenced?, Reference::ToolCall(_)) {
        return None;
    }
    let key = target::command_text(&command.text()?.as_cow()).key;
    let shows = |id: &str| {
        let shown = session.tool_calls.named(id).map(ToolCall::terminals).unwrap_or_default();
        shown.iter().take(TERMINALS).any(|shown| terminal == **shown)
    };
    let allowed =
        session.authority.calls().filter_map(|(id, own)| Some((id, own.allowed.as_ref()?)));
    let mut allowed = allowed.filter(|(_, allowed)| allowed.command.is_some());
    let (id, allowed) = allowed.find(|(id, _)| shows(id))?;
    if known.reported.is_some_and(|at| at.span() < allowed.answer.span())
        || allowed.command.is_some_and(|known| known.is_same(key))
    {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!(
        "tool call `{id}` shows a terminal with another command than was allowed"
    ))
    .at(command, "another command runs in it");
    Some(told(finding, allowed, update.session_id, id))
}

fn told(finding: Finding, allowed: &Allowed, session: Text<'_>, id: &str) -> Verdict {
    finding
        .at(allowed.answer, "allowed here")
        .help("ask again when the command or the files change")
        .once_per((&*session.as_cow(), id))
        .into()
}
