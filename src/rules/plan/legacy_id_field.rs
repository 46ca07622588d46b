use crate::{rule::prelude::*, rules::plan::identity};

pub(crate) static RULE: Rule = Rule {
    id: "plan/legacy-id-field",
    summary: "a plan has `id` instead of `planId`",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("PlanItems"),
            requires: "the id of a plan is in `planId`",
        },
        Citation {
            version: None,
            source: SourceText::Other(
                "commit 3a7751e2 of agentclientprotocol/agent-client-protocol, 1 July 2026",
            ),
            requires: "`id` was renamed to `planId`, in updates and removals, on versions 1 and 2",
        },
    ],
    requirements: &["plan.id-required"],
    explanation: r"
From 27 May to 1 July 2026 the id of a plan was called `id`. The two proposals for plan operations
still print this name. Readers of later schemas find no id and drop the message.

Without `--edition`, the old name is accepted and reported once. With `--edition 2026-05` or
`--edition 2026-06`, `planId` is an error. With any later edition, `id` is an error.
",
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","id":"tidy","content":"Tidy"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","id":"tidy","entries":[]}}}}"#,
        )
        .in_edition(Edition::June2026),
    ],
    on: &[On::Update(identity::OPERATIONS, check)],
    variants: &[(Severity::Error, "where `--edition` is set")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let holder = identity::holder(update)?;
    let [right, wrong] = connection.edition().plan_ids();
    if let Some(id) = holder.get(right) {
        return id.is_string().then_some(Verdict::Pass);
    }
    holder.get(wrong)?.text()?;
    let name = holder.name_of(wrong)?;
    let finding = match connection.pinned_edition() {
        // `plan/mixed-id-spelling` reports a connection that also uses the current name.
        None if connection.plans.current.is_some() => return None,
        None => Finding::new("a plan has `id`, which was renamed to `planId` on 1 July 2026")
            .at(name, "the old name")
            .help(
                "rename it to `planId`: readers of later schemas drop the message (`--edition \
                 2026-06` accepts `id`)",
            )
            .once_per("edition"),
        Some(edition) if right == "planId" => {
            Finding::new(format!("a plan has `id`, but edition {edition} calls it `planId`"))
                .at(name, "renamed to `planId` on 1 July 2026")
                .help("rename it to `planId`: readers find no id and drop the message")
                .as_severity(Severity::Error)
        }
        Some(edition) => {
            Finding::new(format!("a plan has `planId`, but edition {edition} calls it `id`"))
                .at(name, "the name since 1 July 2026")
                .help("rename it to `id`, or check with a later edition")
                .as_severity(Severity::Error)
        }
    };
    Some(finding.explains(name).explains_missing(holder, right).into())
}
