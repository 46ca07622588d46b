use crate::{
    model::session::{
        authority::{CallAuthority, Deed, DeedKind, WrittenText},
        permissions::Denial,
    },
    rule::prelude::*,
    rules::codes,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/effect-after-refusal",
    summary: "an agent does through the client what the client has refused",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order, Loss::AgentRequests, Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/tool-calls#permission-options"),
        requires: "if the user selects an option that rejects, the tool does not run",
    }],
    requirements: &["permission.not-rejected"],
    explanation: r"
A refusal is worth nothing if the agent then asks the client to write the file or to run the command
all the same. The rule speaks of writes and terminals with the target of a refused tool call, in the
same turn. It is silent if the agent asked again and was allowed, if another tool call names the
target or is allowed and may be about it, or if the text from before the edit is put back. It cannot
see what the agent does itself.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit pond.txt","status":"pending","content":[{"type":"diff","path":"/work/pond.txt","oldText":"old","newText":"new"}]}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit","status":"pending","content":[{"type":"diff","path":"/work/pond.txt","oldText":"old","newText":"new"}]}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["fs/write_text_file", "terminal/create"], check)],
    variants: &[(
        Severity::Info,
        "where another text is written than the refused one, or the refused tool call names no target",
    )],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let authority = &session.authority;
    let deed = Deed::of(call, session.home.as_ref().map(|home| &*home.path))?;
    if session.is_replaying() || authority.is_overfull {
        return None;
    }
    let is_allowed =
        |own: &CallAuthority| own.allowed.is_some() && !own.is_over && own.may_be(&deed);
    if authority.calls().any(|(_, own)| is_allowed(own)) {
        return Some(Verdict::Pass);
    }
    let mut named = authority.naming(&deed).peekable();
    let (id, own, is_named) = if let Some((id, own)) = named.peek().copied() {
        if !named.all(|(_, own)| refusal(own).is_some()) {
            return Some(Verdict::Pass);
        }
        (id, own, true)
    } else {
        let (id, own) = authority.only(deed.kind)?;
        if own.names_any(deed.kind) {
            return None;
        }
        (id, own, false)
    };
    let Some(denial) = refusal(own) else { return Some(Verdict::Pass) };
    if authority.may_be_lifted(&denial) {
        return None;
    }
    // What the agent has reported since was a finding of its own.
    let proceeded = session.tool_calls.named(id).and_then(|call| call.proceeded);
    if !denial.was_running && proceeded.is_some_and(|(_, at)| at > denial.number) {
        return None;
    }
    let text = own.text_of(&deed);
    if text == Some(WrittenText::Before) {
        return Some(Verdict::Pass);
    }
    let is_unsure = !is_named || text == Some(WrittenText::Other);
    let (what, member) = match deed.kind {
        DeedKind::Write => ("writes", "path"),
        DeedKind::Run => ("runs", "command"),
    };
    let place = call.param(member)?;
    Some(
        Finding::new(format!(
            "the agent {what} `{}` although tool call `{id}` was not approved",
            deed.target
        ))
        .at(place, "not approved since")
        .at(denial.answer, "the client refuses here")
        .at(denial.request, "the agent asks for permission here")
        .help("leave out what was refused, or ask again")
        .as_severity_if(is_unsure, Severity::Info)
        .once_per((&*call.session_id()?.as_cow(), id))
        .into(),
    )
}

/// The refusal of a tool call. `None` without one, and for errors that do not show a decision: a
/// withdrawn question, or a method that the client does not know.
fn refusal(own: &CallAuthority) -> Option<Denial> {
    own.refused
        .filter(|denial| !denial.was_withdrawn && denial.code != Some(codes::METHOD_NOT_FOUND))
}
