use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/id-reused",
    summary: "the agent uses an elicitation id again while the first one is open",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#url-completion"),
            requires: "the id is unique among the open elicitations of the connection",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#url-completion"),
            requires: "the id is unique among the open elicitations of the connection",
        },
    ],
    requirements: &["elicitation.unique-id"],
    explanation: r"
`elicitation/complete` names only the id. If two open elicitations have the same id, the client
cannot tell which one has ended. An elicitation is open until it is completed or refused; the user's
agreement to open the page does not end it.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","id":"a2","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","id":"a2","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e2","url":"https://auth.example.com/start"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","id":"a2","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e1","url":"https://auth.example.com/start"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}
{"jsonrpc":"2.0","id":"a2","method":"elicitation/create","params":{"sessionId":"s","mode":"url","message":"Authorise access","elicitationId":"e2","url":"https://auth.example.com/start"}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("elicitationId")?.text()?;
    let outstanding = connection.elicitations.get(id).filter(|asked| asked.ended.is_none());
    let finding = outstanding.map(|asked| {
        Finding::new(format!("elicitation id `{id}` is used again while the first one is open"))
            .at(id, "the same id again")
            .at(asked.asked, "the first elicitation, still open")
            .help("give each elicitation its own id")
    });
    Some(finding.into())
}
