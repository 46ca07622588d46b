use crate::{rule::prelude::*, rules::plan::identity};

pub(crate) static RULE: Rule = Rule {
    id: "plan/empty-id",
    summary: "a plan id is blank",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("PlanId"),
        requires: "the id identifies the plan within its session",
    }],
    explanation: r"
The schema sets no minimum length, so a blank id is a valid id. But usually it is a variable that
was never set. Then all plans of the session have the same id and replace each other.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":" ","content":"# Tidy up"}}}}"##,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"0","content":"# Tidy up"}}}}"##,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"-","entries":[]}}}}"#,
        ),
    ],
    on: &[On::Update(identity::OPERATIONS, check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = identity::id(identity::holder(update)?, connection)?;
    if !id.as_cow().trim().is_empty() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a plan has a blank id")
            .at(id, "only white space")
            .help("give each plan of the session its own id")
            .explains(id.node())
            .once_per(&*update.session_id.as_cow())
            .into(),
    )
}
