use crate::{
    protocol::schema::{Protocol, is_respelling},
    rule::prelude::*,
    rules::plan::identity,
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/missing-id",
    summary: "a plan update or removal has no plan id",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#plan-operations"),
            requires: "an update or removal names its plan",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#extensibility"),
            requires: "every plan has an id, whatever its type; custom and future types too",
        },
        Citation {
            version: None,
            source: SourceText::Definition("PlanItems"),
            requires: "`planId` is required",
        },
        Citation {
            version: None,
            source: SourceText::Definition("PlanRemoved"),
            requires: "`planId` is required",
        },
    ],
    requirements: &["plan.id-required"],
    explanation: r"
A client tells its plans apart by their ids. Without an id it cannot know which plan to replace or
remove. So the message has no effect: official readers drop it.
",
    tck: &["PATCH-205"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","content":"# Tidy up"}}}}"##,
            r##"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"# Tidy up"}}}}"##,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}"#,
        ),
    ],
    on: &[On::Update(identity::OPERATIONS, check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let holder = identity::holder(update)?;
    if identity::id(holder, connection).is_some() {
        return Some(Verdict::Pass);
    }
    let names = connection.edition().plan_ids();
    let mut members = holder.members().filter_map(|(name, _)| Some((name, name.text()?.as_cow())));
    let misspelt = members.find(|(_, name)| is_respelling(name, names[0]));
    // `schema/field-casing` reports it where the type defines the members.
    if misspelt.is_some() && is_known(update, holder, connection) {
        return None;
    }
    let what = if update.kind == "plan_removed" { "a plan removal" } else { "a plan update" };
    let finding = if let Some(id) = names.into_iter().find_map(|name| holder.get(name)) {
        let finding = Finding::new(format!("{what} has a plan id that is not a string"))
            .at(id, "expected a string")
            .help(format!("write `{}` as a string", names[0]))
            .explains(id);
        let written = names.into_iter().filter_map(|name| holder.name_of(name));
        written.fold(finding, Finding::explains)
    } else {
        let missing = Finding::new(format!("{what} has no plan id"))
            .at(Mark::missing_in(holder), format!("`{}` is missing here", names[0]));
        if let Some((name, member)) = misspelt {
            let finding = missing
                .at(name, format!("did you mean `{}`?", names[0]))
                .help(format!("write `{}`: readers ignore `{member}`", names[0]))
                .explains(name)
                .explains_missing(holder, names[0]);
            return Some(finding.into());
        }
        let beside = names.into_iter().find_map(|name| update.update.name_of(name));
        match beside {
            Some(name) => missing
                .at(name, "belongs in `plan`, not beside it")
                .help("move the id into `plan`")
                .explains(name),
            // The schema has no removal without an id.
            None if update.kind == "plan_removed" => {
                missing.help("name the plan to remove").explains(update.kind.node())
            }
            None => missing
                .and_at(holder.get("type"), "plans of every type have an id")
                .help("give each plan of the session its own id, any string"),
        }
    };
    Some(finding.explains_missing(holder, names[0]).into())
}

/// Whether the schema defines the type of the plan that lacks an id, so that the id's absence is a
/// fault.
fn is_known(update: &Update<'_>, holder: Node<'_>, connection: &Connection) -> bool {
    let version = connection.version().unwrap_or(Version::V1);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    if update.kind == "plan_removed" {
        return protocol.definition("PlanRemoved").is_some();
    }
    let types = protocol.definition("PlanUpdateContent").into_iter().flat_map(|it| it.tags("type"));
    holder.get("type").is_some_and(|kind| types.into_iter().any(|known| kind.is(known)))
}
