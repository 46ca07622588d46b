use crate::{
    event::Update,
    model::Connection,
    protocol::{Edition, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-total-mismatch",
    summary: "the token total is smaller than its parts",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Usage"),
        requires: "the total is the sum of all kinds of tokens",
    }],
    explanation: r"
Whoever adds up costs takes the total. When it is smaller than its parts, one of the numbers is
wrong, and nobody can tell which. Cached and thought tokens may or may not be counted, so only this
much is certain.
",
    tck: &[],
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":5,"inputTokens":10,"outputTokens":2}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let usage = update.update.get("usage").filter(|usage| usage.is_object())?;
    let total = usage.get("totalTokens")?;
    let (input, output) = (usage.get("inputTokens")?, usage.get("outputTokens")?);
    let (whole, parts) = (total.number()?, input.number()? + output.number()?);
    Some(Verdict::from((whole < parts).then(|| {
        Finding::new(format!("the total of {whole} tokens is smaller than its parts, {parts}"))
            .at(total, "the total")
            .at(input, "read")
            .at(output, "written")
            .once_per(&*update.session_id.as_cow())
    })))
}
