use super::refusals;
use crate::{model::RequestFacts, rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "config/error-code",
    summary: "an invalid option or value is refused with a code other than -32602",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SetSessionConfigOptionRequest"),
        requires: "the agent refuses an unknown option, or a value that it does not offer, with error -32602",
    }],
    requirements: &["config.reject-invalid", "config.reject-other-type"],
    explanation: r"
The code tells the client what to do. With -32602 it fetches the list again, because the choice no
longer exists. With any other code it shows a failure.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"},{"value":"plan","name":"Plan"}]}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"plan"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"No such value"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"},{"value":"plan","name":"Plan"}]}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"config_option_update","configOptions":[{"configId":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]}}}
{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"sessionId":"s","configId":"mode","type":"id","value":"plan"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such value"}}"#,
    )],
    on: &[On::Answer(&["session/set_config_option"], check)],
    ..Rule::DEFAULT
};

/// Error codes that have other reasons than the option: login required, cancelled.
const OTHERS: [i64; 2] = [-32000, -32800];

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let verdict = refused(answer, connection)?;
    Some(verdict.about(refusals::requirements(answer, connection)?))
}

fn refused(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let code = answer.error()?.get("code")?;
    let RequestFacts::Setting(setting) = &answer.request.facts else { return None };
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let listing = session.config.last().filter(|_| !session.is_replaying())?;
    let offers = match listing.named(&setting.id) {
        Some(option) => option.offers(&setting.value)?,
        None => false,
    };
    let number = code.integer()?;
    if offers || listing.options.is_empty() || OTHERS.contains(&number) {
        return None;
    }
    if number == codes::NOT_FOUND && codes::may_lack_session(answer, connection) {
        return None;
    }
    if number == codes::INVALID_PARAMS {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("a value that is not offered is refused with error code {number}"))
            .at(code, "expected -32602")
            .at(setting.value_at, "the value")
            .at(listing.at, "the options of the session")
            .help("refuse unknown options and values with error -32602")
            .into(),
    )
}
