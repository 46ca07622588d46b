use crate::{model::connection::elicitations::ElicitationEnd, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/complete-unknown-id",
    summary: "a completion names an elicitation that is not open",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#url-completion"),
            requires: "a completion names an elicitation that was sent and has not ended",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#url-completion"),
            requires: "a completion names an elicitation that was sent and has not ended",
        },
    ],
    requirements: &["elicitation.complete-same"],
    explanation: r"
A client ignores a completion with an unknown id, so its window for the web page stays open. A
second completion, or one after the user refused, does less harm.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e9"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e9"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e1"}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/complete"], check)],
    variants: &[(Severity::Info, "on version 2 where it has ended")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("elicitationId")?.text()?;
    let Some(asked) = connection.elicitations.get(id) else {
        if connection.lost_to(Some(Side::Agent)) > 0 {
            return None;
        }
        return Some(
            Finding::new(format!("elicitation `{id}` is completed but was never sent"))
                .at(id, "no elicitation has this id")
                .help("use the `elicitationId` of an open elicitation")
                .into(),
        );
    };
    let (what, at) = match asked.ended {
        None => return Some(Verdict::Pass),
        Some(_) if asked.is_shared => return None,
        Some((ElicitationEnd::Completed, at)) => ("twice", at),
        Some((ElicitationEnd::Refused, at)) => ("after it was refused", at),
    };
    let is_harmless = connection.version() == Some(Version::V2);
    let finding = Finding::new(format!("elicitation `{id}` is completed {what}"))
        .at(id, "already ended")
        .at(at, "the end")
        .at(asked.asked, "the elicitation");
    Some(finding.as_severity_if(is_harmless, Severity::Info).into())
}
