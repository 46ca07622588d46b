use crate::{
    model::session::plans::{
        ItemList, PlanBody, PlanSnapshot, is_kept,
        patch::{self, Sign},
    },
    rule::prelude::*,
    rules::plan::cites,
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/partial-update-shape",
    summary: "a plan update is a patch, not the whole list",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        cites::WHOLE_LIST[0],
        cites::WHOLE_LIST[1],
        Citation {
            version: None,
            source: SourceText::Definition("PlanEntry"),
            requires: "an entry has content, priority and status",
        },
    ],
    requirements: &["plan.whole-list"],
    explanation: r"
A client can only replace a plan, so it takes every update as the whole list. If `entries` is not a
list, readers of version 1 clear the plan. All readers drop elements that are not entries, and they
ignore members that say what to change. So the user sees a plan that has lost most of its steps. The
same holds for the text of a Markdown plan.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"index":1,"status":"in_progress"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","op":"replace","entries":[{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"pending"}]}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","_meta":{"op":"replace"},"entries":[{"content":"Sweep","priority":"medium","status":"pending"},{"content":"Mop","priority":"medium","status":"in_progress"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(shown), On::Update(&["plan_update"], missing)],
    ..Rule::DEFAULT
};

fn shown(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    // An update that is compared with the list before it is not partial. The first one cannot be.
    if let Some(diff) = updated.diff.as_ref().filter(|diff| diff.is_list) {
        return (!diff.is_first).then_some(Verdict::Pass);
    }
    let plan = updated.snapshot.plan;
    let is_of_items =
        updated.kind == "plan" || plan.get("type").is_none_or(|kind| kind.is("items"));
    match updated.snapshot.form {
        PlanBody::Markdown(_) => text(updated.update, plan),
        _ if is_of_items => check(updated.update, plan, connection),
        _ => None,
    }
}

/// Checks that an update of a Markdown plan has no member that looks like a change of a part of the
/// text.
fn text(update: &Update<'_>, plan: Node<'_>) -> Option<Verdict> {
    let name = patch::of_text(update.update, plan)?;
    let shown = name.text().map(|name| name.to_string()).unwrap_or_default();
    Some(
        Finding::new(format!(
            "a plan update has `{shown}`, as if it could change a part of the text"
        ))
        .at(name, "no plan update can do that")
        .help(
            "send the whole text in each update; readers show the text of this update as the whole \
             plan",
        )
        .explains(update.update)
        .into(),
    )
}

/// Checks an update that lacks the object `plan` for signs that it sends changes only.
fn missing(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let is_missing = update.update.get("plan").is_none_or(|plan| !plan.is_object());
    if is_missing { check(update, update.update, connection) } else { None }
}

/// Checks that an update of a plan has no sign of changing single entries only, such as an `op`.
/// `plan` is the object with the entries.
fn check(update: &Update<'_>, plan: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let Some(sign) = patch::of(update.update, plan) else { return Some(Verdict::Pass) };
    let list = plan.get("entries");
    let (message, label) = told(sign);
    let known = PlanSnapshot::of(update, connection.edition()).and_then(|snapshot| {
        connection.session(update.session_id)?.plans.of(snapshot.key)?.listing()
    });
    // A reference is an entry without its text, unless there are entries that it can refer to.
    let version = connection.version();
    let has_entries = known.is_some_and(|listing| {
        listing.items().iter().any(|item| is_kept((&item.priority, &item.status), version))
    });
    if matches!(sign, Sign::Reference(_)) && !has_entries {
        return None;
    }
    Some(
        Finding::new(message)
            .at(sign.node(), label)
            .and_at(known.map(ItemList::full), "the last complete list")
            .help(format!(
                "list every entry in each update, changed or not; {}",
                effect(sign, list, connection.version())
            ))
            .explains(update.update)
            .into(),
    )
}

/// The message of the finding about a sign of a partial update, and the note at the sign.
fn told(sign: Sign<'_>) -> (String, &'static str) {
    match sign {
        Sign::Operation(name) => {
            let name = name.text().map(|name| name.to_string()).unwrap_or_default();
            let message =
                format!("a plan update has `{name}`, as if it could change single entries");
            (message, "no plan update can do that")
        }
        Sign::Keyed(_) => {
            ("the `entries` of a plan update are an object".to_owned(), "an object, not a list")
        }
        Sign::Hole(_) => ("an entry of a plan update is null".to_owned(), "not an entry"),
        Sign::Step(_) => {
            let message = "an element of `entries` is an operation, not an entry";
            (message.to_owned(), "no plan update can do that")
        }
        Sign::Reference(_) => {
            let message =
                "an entry of a plan update has no `content`, as if the client had it already";
            (message.to_owned(), "`content` is missing here")
        }
    }
}

/// What readers do with the partial update, as the end of a message.
fn effect(sign: Sign<'_>, list: Option<Node<'_>>, version: Option<Version>) -> &'static str {
    match (sign, list) {
        (Sign::Operation(_), None) => "official readers drop the update",
        (Sign::Operation(_), Some(list)) if list.is_array() => {
            "readers show the list of this update as the whole plan"
        }
        (Sign::Operation(_) | Sign::Keyed(_), _) => match version {
            Some(Version::V2) => "official readers drop the update",
            Some(Version::V1) | None => {
                "official readers take it as an empty list and clear the plan"
            }
        },
        (Sign::Hole(_) | Sign::Step(_) | Sign::Reference(_), _) => {
            "official readers drop such elements and show the others as the whole plan"
        }
    }
}
