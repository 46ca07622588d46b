use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-total-mismatch",
    summary: "the token total is less than the sum of its parts",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("Usage"),
        requires: "the total is the sum of all kinds of tokens",
    }],
    explanation: r"
Clients that add up costs use the total. If it is less than the sum of its parts, one of the numbers
is wrong, but they cannot tell which. Cached and thought tokens may be counted inside the others or
beside them. The total must match one of these sums.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":5,"inputTokens":10,"outputTokens":2}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}}"#,
    )],
    on: &[On::Update(&["state_update"], reported), On::Answer(&["session/prompt"], answered)],
    ..Rule::DEFAULT
};

fn reported(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    check(update.update.get("usage")?, &update.session_id.as_cow())
}

fn answered(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    check(answer.result()?.get("usage")?, answer.request.session_id.as_deref()?)
}

fn check(usage: Node<'_>, session_id: &str) -> Option<Verdict> {
    let total = usage.get("totalTokens")?;
    let (input, output) = (usage.get("inputTokens")?, usage.get("outputTokens")?);
    let (whole, parts) = (total.number()?, input.number()? + output.number()?);
    let extras = ["thoughtTokens", "cachedReadTokens", "cachedWriteTokens"];
    let extras = extras.map(|name| usage.get(name).and_then(Node::number).unwrap_or(0.0));
    // Each count may be part of another one.
    let mut sums = (0..1 << extras.len()).map(|chosen: u32| {
        let counted = |(bit, extra): (u32, &f64)| if chosen >> bit & 1 == 1 { *extra } else { 0.0 };
        parts + (0..).zip(&extras).map(counted).sum::<f64>()
    });
    let is_small = whole < parts;
    let is_plausible = !is_small && sums.any(|sum| (whole - sum).abs() < 0.5);
    Some(Verdict::from((!is_plausible).then(|| {
        let message = if is_small {
            format!("the total of {whole} tokens is less than the sum of its parts, {parts}")
        } else {
            format!("the total of {whole} tokens is not a sum of its parts")
        };
        Finding::new(message)
            .at(total, "the total")
            .at(input, "read")
            .at(output, "written")
            .once_per(session_id)
    })))
}
