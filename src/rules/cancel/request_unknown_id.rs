use crate::{model::Id, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/request-unknown-id",
    summary: "a cancellation names a request that was never sent",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::Ids, Loss::AgentIds],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/cancellation"),
            requires: "a cancellation names a request that its sender sent",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("CancelRequestNotification"),
            requires: "`requestId` is the id of a request that the sender of the cancellation sent",
        },
    ],
    explanation: r#"
Nothing is cancelled. Ids are compared with their JSON type: `1` is not `"1"`. It is fine to cancel
a request that has been answered in the meantime.
"#,
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":99}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
        ),
    ],
    on: &[On::Call(&["$/cancel_request"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let node = call.param("requestId")?;
    if connection.lost_to(call.sender) > 0 || node.is_null() {
        return None;
    }
    let id = Id::of(node);
    let sides = [Some(Side::Client), Some(Side::Agent), None];
    let is_used = |id: &Id| {
        sides.into_iter().any(|side| {
            connection.rpc.outstanding(side, id).is_some()
                || connection.rpc.answered(side, id).is_some()
        })
    };
    // `cancel/foreign-request` reports a request of the other side.
    if is_used(&id) {
        return Some(Verdict::Pass);
    }
    let other = match &id {
        Id::Number(number) => Some(Id::Text(number.to_string().into())),
        Id::Text(text) => text.parse().ok().map(Id::Number),
        Id::Null | Id::Other(_) => None,
    };
    let meant = other.filter(|other| is_used(other));
    let help = match &meant {
        Some(other) => {
            format!("send `requestId` as {other}: ids are compared with their JSON type")
        }
        None => "use the `id` of a request that is not answered yet".to_owned(),
    };
    Some(
        Finding::new(format!("the cancelled `requestId` is {id}, but no request has this id"))
            .at(node, "no request had this id until here")
            .help(help)
            .into(),
    )
}
