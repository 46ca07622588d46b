use crate::{
    model::session::authority::{CallAuthority, Deed, DeedKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/unreported-work",
    summary: "an agent works through the client without a tool call",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/tool-calls#creating"),
        requires: "the agent reports each tool call of the model with `tool_call`",
    }],
    requirements: &["tool-call.reported"],
    explanation: r"
A client shows tool calls. What an agent writes or runs beside them, the user never sees. This rule is
a policy for those who want a complete account: it is off by default, and `--profile audit` selects
it. It speaks at the end of the turn, of a write or a terminal for which no fitting tool call was
under way and whose target no tool call of the turn names. A fitting tool call that names no target
may be this one, so the rule is silent. It cannot see what the agent does itself.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit","status":"pending","locations":[{"path":"/work/pond.txt"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(id)?;
    let authority = &session.authority;
    if session.is_replaying()
        || session.open_prompts > 1
        || authority.is_overfull
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let is_shown = |deed: &Deed| {
        session
            .terminals
            .iter()
            .any(|(_, terminal)| terminal.is_embedded && terminal.created.span() == deed.at.span())
    };
    let is_unreported = |deed: &&Deed| {
        let may_be_reported =
            |(_, call): (&str, &CallAuthority)| call.names(deed) || call.may_be(deed);
        !(authority.calls().any(may_be_reported) || deed.kind == DeedKind::Run && is_shown(deed))
    };
    let unreported: Vec<_> = authority.unexplained.iter().filter(is_unreported).collect();
    let findings = unreported.into_iter().map(|deed| {
        let what = match deed.kind {
            DeedKind::Write => "writes",
            DeedKind::Run => "runs",
        };
        Finding::new(format!("the agent {what} `{}` without a tool call", deed.target))
            .at(deed.at, "no tool call of the turn can be this one")
            .at(answer.node, "the turn ends here")
            .help("report the work with `tool_call`")
            .once_per((id, &*deed.target))
    });
    Some(Verdict::of(findings.collect()))
}
