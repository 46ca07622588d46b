use crate::{
    event::target::ToolKind,
    model::{
        Session,
        session::authority::{Deed, DeedKind},
    },
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/never-asked",
    summary: "a file is changed or a command run, and nobody was asked",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order, Loss::AgentRequests, Loss::FirstCalls],
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
The protocol lets an agent decide when it asks. This rule is a policy for those who want to be asked:
it is off by default, and `--profile audit` selects it. It speaks of writes and terminals of the
client, of terminals that an agent runs itself and that no tool call shows, and of completed tool calls
that edit, delete, move, execute or fetch. It is silent after the client has allowed something always,
and in sessions that were loaded, resumed or forked. It cannot see tools that the agent does not
report, or whether a mode of the session was meant to skip questions.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"Drain","status":"pending","rawInput":{"command":"drain pond"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"Drain","status":"pending","rawInput":{"command":"drain pond"}}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[
        On::Call(&["fs/write_text_file", "terminal/create"], requested),
        On::Update(&["tool_call", "tool_call_update"], completed),
        On::Update(&["terminal_update"], ended),
    ],
    ..Rule::DEFAULT
};

fn requested(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = judged(connection.session(call.session_id()?)?, connection)?;
    let authority = &session.authority;
    let deed = Deed::of(call, session.home.as_ref().map(|home| &*home.path))?;
    if !authority.is_unasked(&deed) {
        return Some(Verdict::Pass);
    }
    let named = authority.naming(&deed).next();
    let own = named.or_else(|| authority.only(deed.kind));
    let (what, member) = match deed.kind {
        DeedKind::Write => ("writes", "path"),
        DeedKind::Run => ("runs", "command"),
    };
    let target = deed.target.clone();
    let finding = Finding::new(format!(
        "the agent {what} `{target}` without an earlier permission request{}",
        mode(session)
    ))
    .at(call.param(member)?, "not asked before");
    let id = own.map_or(target, |(id, _)| id.into());
    Some(told(finding, call.session_id()?, &id))
}

fn completed(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = judged(connection.session(update.session_id)?, connection)?;
    let id = update.tool_call_id?;
    let status = update.status?;
    if !status.is("completed") {
        return None;
    }
    let cwd = session.home.as_ref().map(|home| &*home.path);
    let own = session.authority.after(update, cwd);
    let kind = own.kind?;
    if kind.change().is_none() && !matches!(kind, ToolKind::Execute | ToolKind::Fetch) {
        return None;
    }
    if session.authority.always.is_some() || own.is_asked {
        return Some(Verdict::Pass);
    }
    let shows_unasked = own.shows_unasked || session.shows_unasked(update.update.get("content"));
    if shows_unasked || session.authority.reports_unasked(id, &own) {
        // The write or the command was a finding of its own.
        return None;
    }
    let finding = Finding::new(format!(
        "tool call `{id}` is completed without an earlier permission request{}",
        mode(session)
    ))
    .at(status, "not asked before");
    Some(told(finding, update.session_id, &id.as_cow()))
}

/// Judges a command that has ended in a terminal of the agent (version 2).
fn ended(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = judged(connection.session(update.session_id)?, connection)?;
    let deed = session.ended_command(update)?;
    if !session.authority.is_unasked(&deed) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!(
        "the agent runs `{}` without an earlier permission request{}",
        deed.target,
        mode(session)
    ))
    .at(update.update.get("exitStatus")?, "not asked before");
    Some(told(finding, update.session_id, &deed.target))
}

/// The session, if all its permission requests are on record and it is clear which tool call each
/// is about; `None` otherwise.
fn judged<'a>(session: &'a Session, connection: &Connection) -> Option<&'a Session> {
    let authority = &session.authority;
    let is_known = session.is_fully_recorded()
        && !session.is_replaying()
        && connection.lost_to(Some(Side::Agent)) == 0
        && !authority.is_overfull
        && !authority.has_strange_question();
    is_known.then_some(session)
}

/// The mode in force, as the end of a sentence; empty where it is unknown.
fn mode(session: &Session) -> String {
    session.authority.mode().map(|mode| format!(" in mode `{mode}`")).unwrap_or_default()
}

fn told(finding: Finding, session: Text<'_>, id: &str) -> Verdict {
    finding
        .help("ask with `session/request_permission` first, or exempt this agent in the configuration")
        .once_per((&*session.as_cow(), id))
        .into()
}
