//! The state of the protocol that a transcript is judged by. The documents that plans were
//! described in, from August 2025 to July 2026, spell ids and capabilities in three ways; what they
//! print is right in their own edition, and no error while no edition is pinned.

use acpcheck::{
    check::{Outcome, Settings},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface, Version},
    rule::Severity,
};
use serde_json::{Value, json};

const MAY: Edition = Edition::May2026;
const JUNE: Edition = Edition::June2026;

/// What a document prints, as the messages it stands for.
struct Printed {
    what: &'static str,
    version: Version,
    /// What the client advertises on version 1.
    capabilities: Value,
    updates: Vec<Value>,
    /// The editions that the document describes.
    editions: &'static [Edition],
}

impl Printed {
    /// The shortest conversation in which the updates can be sent.
    fn conversation(&self) -> String {
        let info = json!({"name": "editor", "version": "1.0.0"});
        let agent = json!({"name": "agent", "version": "1.0.0"});
        let new = json!({"cwd": "/work", "mcpServers": []});
        let text = json!([{"type": "text", "text": "Go"}]);
        let prompt = json!({"sessionId": "sess_abc123def456", "prompt": text});
        let (initialize, initialized) = match self.version {
            Version::V1 => (
                json!({
                    "protocolVersion": 1,
                    "clientCapabilities": self.capabilities,
                    "clientInfo": info,
                }),
                json!({"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": agent}),
            ),
            Version::V2 => (
                json!({"protocolVersion": 2, "capabilities": {}, "info": info}),
                json!({"protocolVersion": 2, "capabilities": {"session": {}}, "info": agent}),
            ),
        };
        let request = |id: u32, method: &str, params: &Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let result =
            |id: u32, result: &Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
        let mut messages = vec![
            request(0, "initialize", &initialize),
            result(0, &initialized),
            request(1, "session/new", &new),
            result(1, &json!({"sessionId": "sess_abc123def456"})),
            request(2, "session/prompt", &prompt),
        ];
        if self.version == Version::V2 {
            messages.push(result(2, &json!({"messageId": "msg_1"})));
            messages.push(update(&json!({
                "sessionUpdate": "user_message",
                "messageId": "msg_1",
                "content": text,
            })));
            messages.push(update(&json!({"sessionUpdate": "state_update", "state": "running"})));
        }
        messages.extend(self.updates.iter().map(update));
        let mut lines: Vec<_> = messages.iter().map(Value::to_string).collect();
        lines.push(String::new());
        lines.join("\n")
    }

    fn judge(
        &self,
        edition: Option<Edition>,
        surface: Option<Surface>,
    ) -> (Vec<Diagnostic>, Outcome) {
        let settings = Settings { edition, surface, ..Settings::default() };
        crate::effort::check(self.conversation().as_bytes(), &settings)
    }
}

fn update(update: &Value) -> Value {
    let params = json!({"sessionId": "sess_abc123def456", "update": update});
    json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
}

fn entries(entries: &[[&str; 3]]) -> Value {
    let entry = |[content, priority, status]: &[&str; 3]| json!({"content": content, "priority": priority, "status": status});
    entries.iter().map(entry).collect()
}

/// The three steps that most of the documents show.
fn refactoring() -> Value {
    entries(&[
        ["Analyze the existing codebase structure", "high", "pending"],
        ["Identify components that need refactoring", "high", "pending"],
        ["Create unit tests for critical functions", "medium", "pending"],
    ])
}

/// The page on plans of version 1, in two versions.
fn version_1() -> Vec<Printed> {
    let printed = |what, lists: &[&Value]| Printed {
        what,
        version: Version::V1,
        capabilities: json!({}),
        updates: lists
            .iter()
            .map(|list| json!({"sessionUpdate": "plan", "entries": list}))
            .collect(),
        editions: &Edition::ALL,
    };
    let begun = entries(&[
        ["Analyze the existing codebase structure", "high", "completed"],
        ["Identify components that need refactoring", "high", "in_progress"],
        ["Create unit tests for critical functions", "medium", "pending"],
    ]);
    let extended = entries(&[
        ["Analyze the existing codebase structure", "high", "completed"],
        ["Identify components that need refactoring", "high", "completed"],
        ["Fix circular dependency in auth module", "high", "in_progress"],
        ["Create unit tests for critical functions", "medium", "pending"],
    ]);
    vec![
        printed("creating", &[&refactoring()]),
        printed("updating", &[&begun]),
        printed("adding", &[&extended]),
        printed("all three", &[&refactoring(), &begun, &extended]),
    ]
}

/// The page on plans of version 2, before the id was renamed.
fn version_2() -> Vec<Printed> {
    let plan = json!({"type": "items", "id": "plan-1", "entries": refactoring()});
    vec![Printed {
        what: "item-based",
        version: Version::V2,
        capabilities: json!({}),
        updates: vec![json!({"sessionUpdate": "plan_update", "plan": plan})],
        editions: &[MAY, JUNE],
    }]
}

/// The proposal of plan operations, with the capability of this name.
fn operations(capability: &str, editions: &'static [Edition]) -> Vec<Printed> {
    let step = entries(&[["Step 1", "high", "pending"]]);
    let operation = |plan: Value| json!({"sessionUpdate": "plan_update", "plan": plan});
    let items = operation(json!({"type": "items", "id": "plan-1", "entries": step}));
    let markdown = operation(json!({
        "type": "markdown",
        "id": "plan-1",
        "content": "## Steps\n- [ ] Refactor module\n- [ ] Add tests",
    }));
    let file = operation(json!({"type": "file", "id": "design-doc", "uri": "file:///tmp/plan.md"}));
    let removal = json!({"sessionUpdate": "plan_removed", "id": "plan-1"});
    let printed = |what, updates: &[&Value]| Printed {
        what,
        version: Version::V1,
        capabilities: json!({capability: {}}),
        updates: updates.iter().map(|update| (*update).clone()).collect(),
        editions,
    };
    let plan = json!({"sessionUpdate": "plan", "entries": step});
    vec![
        printed("existing", &[&plan]),
        printed("items", &[&items]),
        printed("markdown", &[&markdown]),
        printed("file", &[&file]),
        printed("removal", &[&items, &removal]),
    ]
}

fn all() -> Vec<Printed> {
    let newer = operations("plan", &[JUNE]);
    let older = operations("planCapabilities", &[MAY]);
    version_1().into_iter().chain(version_2()).chain(newer).chain(older).collect()
}

fn shown(diagnostics: &[Diagnostic]) -> String {
    let line = |found: &Diagnostic| {
        format!("  {}[{}] {}", found.severity, found.rule.id, found.finding.message)
    };
    diagnostics.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The rules that speak, with the severity of each finding.
fn rules(diagnostics: &[Diagnostic]) -> Vec<(&'static str, Severity)> {
    diagnostics.iter().map(|found| (found.rule.id, found.severity)).collect()
}

#[test]
fn what_the_documents_print_is_no_error() {
    let mut wrong = Vec::new();
    for printed in all() {
        let (found, _) = printed.judge(None, None);
        if found.iter().any(|found| found.severity == Severity::Error) {
            wrong.push(format!("{} {}:\n{}", printed.what, printed.capabilities, shown(&found)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_the_documents_print_is_right_in_their_edition() {
    let mut wrong = Vec::new();
    for printed in all() {
        for &edition in printed.editions {
            for surface in [None, Some(Surface::unstable(printed.version))] {
                let (found, _) = printed.judge(Some(edition), surface);
                if !found.is_empty() {
                    wrong.push(format!("{} in {edition}:\n{}", printed.what, shown(&found)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_plan_of_version_1_is_right_in_all_editions() {
    for printed in version_1() {
        for edition in std::iter::once(None).chain(Edition::ALL.map(Some)) {
            let (found, _) = printed.judge(edition, None);
            assert!(found.is_empty(), "{} in {edition:?}:\n{}", printed.what, shown(&found));
        }
    }
}

#[test]
fn without_an_edition_an_old_name_is_mentioned_once() {
    let plan = |id: &str| {
        let plan = json!({"type": "items", "id": id, "entries": []});
        json!({"sessionUpdate": "plan_update", "plan": plan})
    };
    let printed = Printed {
        what: "three plans",
        version: Version::V1,
        capabilities: json!({"planCapabilities": {}}),
        updates: vec![
            plan("a"),
            plan("b"),
            plan("c"),
            json!({"sessionUpdate": "plan_removed", "id": "a"}),
        ],
        editions: &[MAY],
    };
    let (found, _) = printed.judge(None, Some(Surface::V1Unstable));
    let expected = [
        ("plan/legacy-capability-key", Severity::Warning),
        ("plan/legacy-id-field", Severity::Warning),
    ];
    assert_eq!(rules(&found), expected, "{}", shown(&found));
    assert!(found[0].finding.message.contains("5 June 2026"), "{}", shown(&found));
    assert!(found[1].finding.message.contains("1 July 2026"), "{}", shown(&found));
    assert_eq!(found.iter().map(|found| found.repeats).collect::<Vec<_>>(), [0, 3]);
}

#[test]
fn a_pinned_edition_has_one_name_for_the_id() {
    for version in [Version::V1, Version::V2] {
        for edition in Edition::ALL {
            for name in ["id", "planId"] {
                let capability = edition.plan_capability();
                let plan = json!({"type": "items", name: "plan-1", "entries": []});
                let printed = Printed {
                    what: name,
                    version,
                    capabilities: json!({capability: {}}),
                    updates: vec![
                        json!({"sessionUpdate": "plan_update", "plan": plan}),
                        json!({"sessionUpdate": "plan_removed", name: "plan-1"}),
                    ],
                    editions: &[],
                };
                let (found, _) = printed.judge(Some(edition), Some(Surface::unstable(version)));
                let wrong = ("plan/legacy-id-field", Severity::Error);
                let is_own = name == edition.plan_ids()[0];
                let expected = if is_own { vec![] } else { vec![wrong, wrong] };
                assert_eq!(rules(&found), expected, "{name} in {edition}:\n{}", shown(&found));
            }
        }
    }
}

#[test]
fn a_pinned_edition_has_one_name_for_the_capability() {
    let judge = |capability: &str, edition: Option<Edition>| {
        let [id, _] = edition.unwrap_or(Edition::CURRENT).plan_ids();
        let plan = json!({"type": "items", id: "plan-1", "entries": []});
        let printed = Printed {
            what: "capability",
            version: Version::V1,
            capabilities: json!({capability: {}}),
            updates: vec![json!({"sessionUpdate": "plan_update", "plan": plan})],
            editions: &[],
        };
        printed.judge(edition, Some(Surface::V1Unstable)).0
    };
    let legacy = ("plan/legacy-capability-key", Severity::Warning);
    let locked = ("plan/operation-without-capability", Severity::Error);
    for edition in Edition::ALL {
        let found = judge("planCapabilities", Some(edition));
        let expected = if edition == MAY { vec![] } else { vec![legacy, locked] };
        assert_eq!(rules(&found), expected, "{edition}:\n{}", shown(&found));
        let found = judge("plan", Some(edition));
        let is_locked = rules(&found).contains(&locked);
        assert_eq!(is_locked, edition == MAY, "{edition}:\n{}", shown(&found));
    }
    assert_eq!(rules(&judge("planCapabilities", None)), [legacy]);
    assert_eq!(rules(&judge("plan", None)), []);
}
