use crate::{
    map::{Map, Set},
    model::session::plans::{Diff, PlanEntry, is_kept},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/duplicate-entry",
    summary: "a plan has the same entry twice",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/agent-plan#plan-entries"),
            requires: "an entry is one specific task",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/agent-plan#plan-entries"),
            requires: "an entry is one specific task",
        },
    ],
    explanation: r"
A step may have to be done twice, so this is not always a fault. But entries have no ids: a client
that follows a step by its text cannot tell two equal texts apart. It is a warning when the second
entry is the first one with a later status. Then the agent probably appended the new status instead
of changing the entry.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":"Sweep","priority":"low","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":"Sweep again","priority":"low","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":" Sweep ","priority":"high","status":"completed"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"pending"},{"content":"sweep","priority":"high","status":"completed"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    variants: &[(Severity::Warning, "where the second is a later state of the first")],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let entries = updated.snapshot.entries();
    if entries.len() < 2 {
        return None;
    }
    if updated.diff.as_ref().is_some_and(Diff::is_in_order) {
        return Some(Verdict::Pass);
    }
    if are_distinct(entries) {
        return Some(Verdict::Pass);
    }
    let mut groups: Map<&str, Group<'_, '_>> = Map::default();
    let mut findings: Vec<Finding> = Vec::new();
    for entry in entries {
        if findings.len() == Verdict::MOST {
            break;
        }
        // Readers drop these entries.
        if !is_kept((entry.priority(), entry.status()), connection.version()) {
            continue;
        }
        let Some(wording) = entry.wording().filter(|wording| !wording.is_empty()) else { continue };
        let Some(group) = groups.get_mut(wording) else {
            groups.insert(wording, Group { first: entry, reported: None });
            continue;
        };
        // Reports one finding for each text, the more specific one.
        let is_told = |place: usize| {
            findings[place].severity.is_some() || !is_newer_state(group.first, entry)
        };
        if group.reported.is_some_and(is_told) {
            continue;
        }
        let found = finding(group.first, entry);
        let found = found.once_per((&*updated.session_id.as_cow(), wording));
        match group.reported {
            None => {
                group.reported = Some(findings.len());
                findings.push(found);
            }
            Some(place) => findings[place] = found,
        }
    }
    Some(findings.into_iter().collect())
}

/// Whether all entries of a plan have different texts.
fn are_distinct(entries: &[PlanEntry<'_>]) -> bool {
    let mut known = Set::default();
    entries.iter().filter_map(PlanEntry::wording).all(|wording| known.insert(wording))
}

/// Entries of a plan with the same text, while repeated texts are searched.
struct Group<'e, 't> {
    first: &'e PlanEntry<'t>,
    /// Index of the finding about these entries; `None` before there is one.
    reported: Option<usize>,
}

fn text<'t>(entry: &PlanEntry<'t>) -> Node<'t> {
    entry.content.map_or(entry.node, Text::node)
}

fn finding(first: &PlanEntry<'_>, again: &PlanEntry<'_>) -> Finding {
    let finding = Finding::new("a plan has the same entry twice")
        .at(text(again), "the same text again")
        .at(text(first), "first here");
    if is_newer_state(first, again) {
        finding
            .help(
                "the second entry is the first one with a later status: send one entry for each \
                 step",
            )
            .as_severity(Severity::Warning)
    } else {
        finding.help("give different steps different texts")
    }
}

/// Whether the second entry differs from the first only by a later status. A repeated step has the
/// same or an earlier status.
fn is_newer_state(first: &PlanEntry<'_>, again: &PlanEntry<'_>) -> bool {
    let progress = first.status().progress().zip(again.status().progress());
    first.priority == again.priority && progress.is_some_and(|(first, again)| first < again)
}
