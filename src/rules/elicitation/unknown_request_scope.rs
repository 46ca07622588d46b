use crate::{model::Id, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/unknown-request-scope",
    summary: "an elicitation names a request that is not open",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::each(Gates::HEAD.with(Gates::DIRECTION), Gates::HEAD),
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#creating-an-elicitation"),
            requires: "an elicitation outside of sessions names an open request",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ElicitationRequestScope"),
            requires: "`requestId` is the id of a client's request that is not answered yet",
        },
    ],
    explanation: r#"
The client shows the question next to the request that it belongs to, such as a login. If that
request was never sent or is already answered, there is no place for the question, and clients
refuse it. Ids are compared with their JSON type: `1` is not `"1"`.
"#,
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"requestId":12,"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"requestId":1,"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"requestId":12,"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"auth/login","params":{"methodId":"login"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"requestId":1,"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    variants: &[(Severity::Warning, "where the request is answered")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let scope = call.param("requestId").filter(|_| call.param("sessionId").is_none())?;
    let id = Id::of(scope);
    let is_open = |side| connection.rpc.outstanding(side, &id).is_some();
    if is_open(None) || connection.rpc.may_be_outstanding(Side::Client, &id) {
        return Some(Verdict::Pass);
    }
    if let Some(done) = connection.rpc.answered(Some(Side::Client), &id) {
        return Some(
            Finding::new(format!("an elicitation names request {id}, which is already answered"))
                .at(scope, "this request is no longer open")
                .at(done.answer, "the answer")
                .help("ask before the answer to the request")
                .as_severity(Severity::Warning)
                .into(),
        );
    }
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let open = connection.rpc.last_open(Side::Client);
    Some(
        Finding::new(format!("an elicitation names request {id}, which the client never sent"))
            .at(scope, "no such request")
            .and_at(open.map(|open| open.id_at), "the last open request")
            .help("use the id of an open request of the client")
            .into(),
    )
}
