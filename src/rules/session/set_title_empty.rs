use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/set-title-empty",
    summary: "an empty title is accepted or stored",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SetSessionTitleRequest"),
        requires: "a title that is empty or only white space is refused",
    }],
    requirements: &["session.title-empty"],
    explanation: r"
The user cannot find a session without a title, or tell it from others. The agent trims the title.
If nothing is left, it answers with -32602.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/set_title","params":{"sessionId":"s","title":" "}}
{"jsonrpc":"2.0","id":2,"result":{"title":""}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/set_title","params":{"sessionId":"s","title":" Tidy "}}
{"jsonrpc":"2.0","id":2,"result":{"title":"Tidy"}}"#,
    )],
    on: &[On::Answer(&["session/set_title"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let title = answer.result()?.get("title")?.text()?;
    if !title.as_cow().trim().is_empty() {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("an empty title is stored").at(title, "empty title");
    Some(
        match answer.request.facts {
            RequestFacts::Title(asked) => finding.at(asked, "requested here"),
            _ => finding,
        }
        .help("answer with -32602")
        .blaming(answer.sender)
        .into(),
    )
}
