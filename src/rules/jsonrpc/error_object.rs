use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-object",
    summary: "an error is not an object with an integer code and a string message",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Outcome, Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5.1"),
            requires: "an error is an object with an integer `code` and a string `message`",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("Error"),
            requires: "an error has `code` and `message`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Error"),
            requires: "an error has `code` and `message`",
        },
    ],
    requirements: &["jsonrpc.error-code"],
    explanation: r"
The code tells the reader what to do next: log in after -32000, give up after -32601. If official
readers cannot read an error, they show an internal error of their own, and the user does not learn
the cause. Details of any type belong in `data`.
",
    tck: &["JSONRPC-002"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":"-32603","message":"Internal error"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error","data":[1]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":"Internal error"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error","data":"disk full"}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let error = failure::error(message)?;
    if !error.is_object() {
        let finding = Finding::new("an error is not an object")
            .at(error, "expected an object with `code` and `message`")
            .help("send an object, so that readers know what went wrong")
            .explains(error);
        return Some(finding.into());
    }
    Some(code(error).into_iter().chain(text(error)).map(|found| found.explains(error)).collect())
}

fn code(error: Node<'_>) -> Option<Finding> {
    let Some(code) = error.get("code") else {
        let finding = Finding::new("an error has no code");
        return Some(finding.at(Mark::missing_in(error), "`code` is missing here"));
    };
    match code.integer() {
        Some(number) if i32::try_from(number).is_ok() => None,
        Some(_) => Some(
            Finding::new("an error code does not fit in 32 bits")
                .at(code, "expected a 32-bit integer"),
        ),
        None => {
            Some(Finding::new("an error code is not an integer").at(code, "expected an integer"))
        }
    }
}

fn text(error: Node<'_>) -> Option<Finding> {
    match error.get("message") {
        None => Some(
            Finding::new("an error has no message")
                .at(Mark::missing_in(error), "`message` is missing here"),
        ),
        Some(text) if text.is_string() => None,
        Some(text) => {
            Some(Finding::new("an error message is not a string").at(text, "expected a string"))
        }
    }
}
