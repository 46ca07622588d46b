use crate::{model::session::plans::PlanBody, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/markdown-chunked",
    summary: "a Markdown plan seems to be streamed in pieces",
    level: By::both(Level::Must),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("PlanMarkdown"),
        requires: "`content` is the whole plan, not only the text that changed",
    }],
    explanation: r"
The text of an update is the whole plan, not its next piece. Here four short texts follow each
other, and none begins like the one before. That looks like streamed tokens. A client then shows
only the last few characters.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Ti"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"dy\n- "}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"sweep"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":" all"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Ti"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy\n- "}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy\n- sweep"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy\n- sweep all"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Ti"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"dy\n- "}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"sweep"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":" all"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Sweep"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Mop"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Mop and dust"}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

/// Number of short texts in a row from which on a Markdown plan counts as sent in fragments.
const PIECES: u32 = 4;

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let PlanBody::Markdown(Some(content)) = updated.snapshot.form else { return None };
    let session = connection.session(updated.session_id)?;
    let text = content.text().filter(|_| !session.is_replaying())?;
    let id = updated.snapshot.key.id()?;
    let Some(plan) = session.plans.get(id) else { return Some(Verdict::Pass) };
    if plan.pieces_with(text, session.turn.number) != PIECES {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("Markdown plan `{id}` is sent in pieces"))
            .at(content, "the fourth short text that does not begin like the one before")
            .at(plan.at(), "the one before")
            .help("send the whole text in each update: clients show only the last one")
            .into(),
    )
}
