use crate::{model::session::plans::PlanBody, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "plan/empty-content",
    summary: "a plan entry or plan has no text",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#plan-entries"),
            requires: "the content of an entry says what the step is about",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
            requires: "the content of an entry says what the step is about",
        },
    ],
    explanation: r"
Clients show the content as it is, so the user sees a check box with no text. A Markdown plan
without text is only an info. Usually the agent wants to remove the plan; `plan_removed` does that.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":" ","priority":"high","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"?","priority":"high","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"\n"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"- sweep\n"}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    variants: &[(Severity::Info, "for markdown plans")],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    match &updated.snapshot.form {
        PlanBody::Items(entries) if entries.is_empty() => None,
        PlanBody::Items(entries) => {
            let blank = entries.iter().filter(|entry| entry.wording() == Some(""));
            let blank = blank.filter_map(|entry| entry.content);
            let finding = |text| entry_without_text(text).once_per(&*updated.session_id.as_cow());
            Some(blank.map(finding).collect())
        }
        PlanBody::Markdown(content) => {
            let content = content.and_then(Node::text)?;
            Some(content.is_blank().then(|| plan_without_text(content)).into())
        }
        PlanBody::File(_) | PlanBody::Other(_) => None,
    }
}

fn entry_without_text(content: Text<'_>) -> Finding {
    Finding::new("a plan entry has no text")
        .at(content, "nothing to show")
        .help("say what the step is, or leave the entry out")
}

fn plan_without_text(content: Text<'_>) -> Finding {
    Finding::new("a Markdown plan has no text")
        .at(content, "nothing to show")
        .help("to remove a plan, send `plan_removed`")
        .as_severity(Severity::Info)
}
