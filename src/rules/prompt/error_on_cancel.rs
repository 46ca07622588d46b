use crate::{model::RequestFacts, rule::prelude::*, rules::cancel::abort};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/error-on-cancel",
    summary: "a cancelled prompt fails with another code than -32800",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#cancellation"),
            requires: "a prompt that is cancelled before it is inserted fails with -32800",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/cancellation"),
            requires: "a cancelled request is answered with -32800",
        },
    ],
    requirements: &["cancel.uninserted-prompt"],
    explanation: r"
Clients show any other error to the user, who has just pressed stop. The rule skips errors that have
their own reason.
",
    tck: &["CANCEL-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"AbortError"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    variants: &[(Severity::Warning, "where the error may have another cause")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    /// Error codes that have other causes than the cancellation: login required, unknown session,
    /// unknown method, invalid params.
    const OTHERS: [i64; 4] = [-32000, -32002, -32601, -32602];
    let error = answer.error()?;
    let request = answer.request;
    let RequestFacts::Prompt(prompt) = &request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let cancel = session.work.stops.cancel.filter(|cancel| cancel.number > request.number);
    let (at, number) = request.cancelled.or(cancel.map(|cancel| (cancel.at, cancel.number)))?;
    if session.work.shown(prompt, request.number).next().is_some() {
        return None;
    }
    if abort::is_code(error) {
        return Some(Verdict::Pass);
    }
    let code = error.get("code")?;
    let is_abort = abort::is_named(error);
    if !is_abort && OTHERS.contains(&code.integer()?) {
        return None;
    }
    let finding = Finding::new(format!("a cancelled prompt fails with {}", code.shown()))
        .at(code, "expected -32800")
        .at(at, "cancelled here")
        .at(request.at, "the prompt");
    // The error may have crossed the cancellation, unless the agent has sent a message since.
    let is_adjacent = connection.number() == number + 1;
    let is_strict = connection.pinned_edition() >= Some(Edition::LateNovember2026);
    let is_doubtful = !is_abort && is_adjacent && !is_strict;
    Some(finding.as_severity_if(is_doubtful, Severity::Warning).into())
}
