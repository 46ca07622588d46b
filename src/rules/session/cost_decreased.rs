use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/cost-decreased",
    summary: "the cost of a session decreases",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("RFD session-usage"),
            requires: "the cost is that of the whole session so far",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Cost"),
            requires: "the amount is that of the whole session so far",
        },
    ],
    explanation: r"
The cost of a session only grows. A smaller number usually means that the agent reports the cost of
one turn instead of the whole session, so clients show too little.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.2,"currency":"EUR"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.2,"currency":"USD"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.2,"currency":"EUR"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":0.5,"currency":"EUR"}}}}"#,
        ),
    ],
    on: &[On::Update(&["usage_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let cost = update.update.get("cost")?;
    let amount = cost.get("amount")?;
    let session =
        connection.session(update.session_id).filter(|session| !session.is_replaying())?;
    let before = session.info.cost.as_ref()?;
    if cost.get("currency")?.text()? != *before.currency || amount.number()? >= before.amount {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "the cost of the session falls from {} to {}",
            before.amount,
            amount.shown()
        ))
        .at(amount, "less than before")
        .at(before.at, "reported before")
        .once_per(&*update.session_id.as_cow())
        .into(),
    )
}
