//! Every defect of an agent that a scenario reaches is found, and nothing in an agent without one.

use std::{
    cell::RefCell,
    collections::{BTreeSet, HashSet},
    rc::Rc,
    sync::Arc,
    time::Duration,
};

use acpcheck::{
    check::Settings,
    drive::{self, PlayOptions, Player, SCENARIOS, Scenario, State},
    model::story::{Shelves, UnreadFiles},
    protocol::{Side, Version},
};

use super::gardener::{Gardener, RUN, Store};
use crate::effort;

/// A defect of the agent, and the rule that finds it on version 1 and on version 2; empty where the
/// version has no such defect, or leaves the agent free.
type Defect = (&'static str, &'static str, &'static str);

const DEFECTS: &[Defect] = &[
    ("accepts-any-mode", "config/made-up-value-accepted", ""),
    ("accepts-any-value", "config/made-up-value-accepted", "config/invalid-value-accepted"),
    ("answers-before-replay", "session/replay-after-response", "session/replay-after-response"),
    (
        "answers-notifications",
        "jsonrpc/response-to-notification",
        "jsonrpc/response-to-notification",
    ),
    ("answers-twice", "jsonrpc/duplicate-response", "jsonrpc/duplicate-response"),
    ("asks-by-letter", "ext/unprefixed-value", "ext/unprefixed-value"),
    ("banner", "transport/not-json", "transport/not-json"),
    ("bare-content", "tool-call/bare-content-block", "ext/unprefixed-value"),
    ("call-id-changes", "tool-call/unknown-id", "tool-call/missing-title"),
    ("call-reopened", "tool-call/status-regression", "tool-call/status-regression"),
    ("call-status-done", "schema/params", "ext/unprefixed-value"),
    ("call-unfinished", "tool-call/unfinished-at-turn-end", "tool-call/unfinished-at-idle"),
    ("call-unknown", "tool-call/unknown-id", "tool-call/missing-title"),
    ("cancel-ends-turn", "cancel/wrong-stop-reason", "state/cancel-not-confirmed"),
    ("cancel-is-error", "cancel/error-response", ""),
    ("cancelled-unasked", "cancel/unsolicited", "state/cancelled-without-cancel"),
    ("capability-as-text", "capability/malformed", "capability/malformed"),
    ("changes-what-it-refuses", "config/made-up-value-accepted", "config/made-up-value-accepted"),
    ("close-fails", "", "session/close-error"),
    ("close-forgets-prompt", "jsonrpc/unanswered-request", "session/close-before-cancelled-idle"),
    ("command-twice", "command/duplicate-name", "command/duplicate-name"),
    ("cursor-loops", "session/list-cursor-loop", "session/list-cursor-loop"),
    ("delete-twice-fails", "session/delete-error", "session/delete-error"),
    (
        "does-not-wait",
        "permission/proceeded-before-answer",
        "permission/proceeded-without-approval",
    ),
    ("echoes-version", "lifecycle/unknown-version-agreed", "lifecycle/unknown-version-agreed"),
    ("error-without-code", "jsonrpc/error-object", "jsonrpc/error-object"),
    ("file-relative", "fs/relative-path", ""),
    ("files-without-capability", "capability/client-method", "surface/method-from-other-version"),
    ("forgets", "session/replay-missing", "session/replay-missing"),
    ("forgets-last-turn", "session/replay-missing", "session/replay-missing"),
    ("forgets-tools", "session/replay-incomplete", "session/replay-incomplete"),
    ("forgets-users", "session/replay-incomplete", "session/replay-incomplete"),
    ("ids-as-text", "jsonrpc/response-id-type", "jsonrpc/response-id-type"),
    (
        "ignores-refusals",
        "permission/proceeded-without-approval",
        "permission/proceeded-without-approval",
    ),
    ("keeps-terminals", "terminal/never-released", ""),
    ("knows-all-methods", "ext/unknown-method-error", "ext/unknown-method-error"),
    ("list-ignores-cwd", "session/list-cwd-filter", "session/list-cwd-filter"),
    ("list-relative-cwd", "session/relative-path", "session/relative-path"),
    ("list-twice", "session/list-duplicate-session", "session/list-duplicate-session"),
    ("lists-deleted", "session/deleted-still-listed", "session/deleted-still-listed"),
    ("loads-anything", "session/unknown-load-accepted", "session/unknown-load-accepted"),
    ("location-line-zero", "tool-call/line-zero", "tool-call/line-zero"),
    ("methods-null", "schema/result", "schema/result"),
    ("methods-object", "schema/result", "schema/result"),
    ("mode-unknown", "session/current-mode-unknown", ""),
    ("never-idle", "", "state/missing-idle"),
    ("never-running", "", "state/idle-without-running"),
    ("new-message-ids", "", "session/replay-message-id-changed"),
    (
        "no-close",
        "capability/advertised-method-unimplemented",
        "capability/advertised-method-unimplemented",
    ),
    (
        "no-delete",
        "capability/advertised-method-unimplemented",
        "capability/advertised-method-unimplemented",
    ),
    ("no-images", "prompt/advertised-content-rejected", "prompt/advertised-content-rejected"),
    ("no-info", "lifecycle/missing-info", "lifecycle/missing-info"),
    ("no-jsonrpc", "jsonrpc/version", "jsonrpc/version"),
    (
        "no-list",
        "capability/advertised-method-unimplemented",
        "capability/advertised-method-unimplemented",
    ),
    ("no-reason", "schema/result", "state/idle-missing-stop-reason"),
    ("no-replay-complete", "", "session/replay-complete-missing"),
    ("no-requires-action", "", "state/permission-without-requires-action"),
    ("no-user-message", "", "prompt/missing-user-message"),
    ("old-plan", "", "plan/v1-update-in-v2"),
    ("one-id-for-all", "session/duplicate-id", "session/duplicate-id"),
    ("option-answer-empty", "schema/result", "schema/result"),
    (
        "option-current-unknown",
        "config/current-value-not-offered",
        "config/current-value-not-offered",
    ),
    ("option-not-applied", "config/value-not-applied", "config/value-not-applied"),
    ("option-state-missing", "", "config/incomplete-state"),
    ("option-twice", "config/duplicate-id", "config/duplicate-id"),
    ("option-value-twice", "config/duplicate-option-value", "config/duplicate-option-value"),
    ("other-words", "session/replay-incomplete", "session/replay-incomplete"),
    ("permission-no-options", "permission/no-options", "schema/params"),
    ("permission-other-call", "permission/unannounced-tool-call", "tool-call/missing-title"),
    ("permission-same-ids", "permission/duplicate-option-id", "permission/duplicate-option-id"),
    ("plan-changed-only", "plan/partial-update-proven", "plan/partial-update-proven"),
    ("plan-entry-empty", "plan/empty-content", "plan/empty-content"),
    ("plan-entry-twice", "plan/duplicate-entry", "plan/duplicate-entry"),
    ("plan-falls-back", "plan/status-regression", "plan/status-regression"),
    ("plan-id-drifts", "", "plan/id-per-update"),
    ("plan-no-content", "schema/params", "schema/params"),
    ("plan-no-id", "", "plan/missing-id"),
    ("plan-no-priority", "schema/params", "schema/params"),
    ("plan-operations", "plan/operation-without-capability", ""),
    ("plan-priority-urgent", "plan/closed-enum-value", "plan/reserved-priority"),
    ("plan-removed-twice", "", "plan/removed-twice"),
    ("plan-removed-unknown", "", "plan/removed-unknown"),
    ("plan-status-done", "plan/closed-enum-value", "plan/reserved-status"),
    ("plan-type-custom", "", "plan/reserved-type"),
    ("prompt-answer-late", "", "prompt/response-after-completion"),
    ("prompts-any-session", "session/unknown-load-accepted", "session/unknown-load-accepted"),
    ("reason-done", "schema/result", "ext/unprefixed-value"),
    ("relative-location", "tool-call/relative-path", "tool-call/relative-path"),
    (
        "requires-unknown",
        "elicitation/required-unknown-property",
        "elicitation/required-unknown-property",
    ),
    ("resume-replays", "session/resume-unrequested-replay", "session/replay-complete-unexpected"),
    ("sessions-null", "schema/result", "schema/result"),
    ("slash-command", "command/leading-slash", "command/leading-slash"),
    ("stays-in-requires-action", "", "state/requires-action-unresolved"),
    ("talks-after-close", "session/use-after-close", "session/message-after-close"),
    ("talks-after-turn", "cancel/update-after-response", "state/output-while-idle"),
    ("terminal-relative-cwd", "terminal/relative-cwd", ""),
    ("tool-call-twice", "tool-call/duplicate-create", ""),
    ("unknown-in-data", "ext/unknown-method-error", "ext/unknown-method-error"),
    ("unknown-loaded-as-list", "session/unknown-load-accepted", "session/unknown-load-accepted"),
    ("unknown-method-code", "ext/unknown-method-error", "ext/unknown-method-error"),
    ("update-before-answer", "session/update-before-response", ""),
    ("update-elsewhere", "session/unknown-id", "session/unknown-id"),
    ("usage-above-size", "session/usage-exceeds-size", "session/usage-exceeds-size"),
    ("uses-released-terminal", "terminal/use-after-release", ""),
    ("version-above", "lifecycle/version-above-request", ""),
    ("version-as-text", "schema/result", "schema/result"),
];

/// Defects that keep an agent from most of what it would do.
const ALONE: [&str; 7] = [
    "answers-twice",
    "capability-as-text",
    "ids-as-text",
    "never-idle",
    "no-jsonrpc",
    "permission-no-options",
    "version-above",
];

/// Plays scenarios with an agent, which find in `store` what earlier ones have left. Returns the
/// recordings.
fn played(
    version: Version,
    defects: &[&'static str],
    allows: bool,
    scenarios: &[&'static Scenario],
    store: &Rc<RefCell<Store>>,
) -> Vec<Vec<u8>> {
    let options = PlayOptions {
        version,
        run: RUN.to_owned(),
        cwd: "/work".to_owned(),
        prompt: Some("Sweep.".to_owned()),
        long_prompt: Some("Sweep all.".to_owned()),
        auth: None,
        allows,
        start_timeout: Duration::from_secs(5),
        timeout: Duration::from_secs(5),
        grace: Duration::from_secs(1),
    };
    let play = |scenario: &&'static Scenario| {
        let mut agent = Gardener::new(version, defects, scenario.name, store);
        let ended = drive::play(scenario, &mut Player::new(&mut agent, &options));
        // What a defect hinders is not played to its end.
        assert!(ended.is_ok() || !defects.is_empty(), "{}: {ended:?}", scenario.name);
        assert!(!matches!(ended, Ok(State::Done(ref told)) if told.contains("null")), "{ended:?}");
        agent.finish()
    };
    scenarios.iter().flat_map(play).collect()
}

/// The rules that an agent violates, when it plays all scenarios.
fn found(version: Version, defects: &[&'static str]) -> BTreeSet<&'static str> {
    let store = Rc::default();
    let mut recordings = played(version, defects, true, SCENARIOS, &store);
    let turn = drive::find("turn").unwrap();
    recordings.extend(played(version, defects, false, &[turn], &store));
    judged(&recordings)
}

/// The rules that the agent of some recordings violates, which share their sessions.
fn judged(recordings: &[Vec<u8>]) -> BTreeSet<&'static str> {
    let names: Vec<Arc<str>> =
        (0..recordings.len()).map(|number| format!("{number:04}.ndjson").into()).collect();
    let settings =
        |file: usize| Settings { file: u32::try_from(file + 1).unwrap(), ..Settings::default() };
    let mut shelves = Shelves::new(names, HashSet::default(), UnreadFiles::default());
    for (file, bytes) in recordings.iter().enumerate() {
        let mut check = effort::begin(&settings(file)).without_rules();
        check.feed(bytes);
        shelves.add(u32::try_from(file + 1).unwrap(), check.shelf());
    }
    let shelves = Arc::new(shelves);
    let mut rules = BTreeSet::new();
    for (file, bytes) in recordings.iter().enumerate() {
        let settings = Settings { shelves: Some(Arc::clone(&shelves)), ..settings(file) };
        let mut check = effort::begin(&settings);
        check.feed(bytes);
        let (found, _) = check.finish();
        let found = found.into_iter().filter(|found| found.bound == Some(Side::Agent));
        rules.extend(found.map(|found| found.rule.id));
    }
    rules
}

/// The rule that finds a defect on a version; `None` where there is none.
fn rule(version: Version, (_, v1, v2): &Defect) -> Option<&'static str> {
    let rule = if version == Version::V1 { *v1 } else { *v2 };
    (!rule.is_empty()).then_some(rule)
}

#[test]
fn an_agent_without_a_defect_has_no_finding() {
    for version in [Version::V1, Version::V2] {
        for allows in [true, false] {
            let recordings = played(version, &[], allows, SCENARIOS, &Rc::default());
            assert_eq!(judged(&recordings), BTreeSet::new(), "version {version}");
        }
    }
}

/// Defects come in pairs, far from each other in the list, so that none hides another one.
fn check_pairs(version: Version) {
    let (alone, others): (Vec<&Defect>, Vec<&Defect>) = DEFECTS
        .iter()
        .filter(|defect| rule(version, defect).is_some())
        .partition(|defect| ALONE.contains(&defect.0));
    let (first, second) = others.split_at(others.len().div_ceil(2));
    let pairs = (0..first.len()).map(|at| vec![first[at], second[at.min(second.len() - 1)]]);
    let all: Vec<_> = alone.into_iter().map(|defect| vec![defect]).chain(pairs).collect();
    for defects in effort::one_in(8, all) {
        let names: Vec<_> = defects.iter().map(|defect| defect.0).collect();
        let found = found(version, &names);
        for defect in defects {
            assert!(found.contains(rule(version, defect).unwrap()), "{names:?}: {found:?}");
        }
    }
}

#[test]
fn every_defect_of_version_1_is_found_beside_another_one() {
    check_pairs(Version::V1);
}

#[test]
fn every_defect_of_version_2_is_found_beside_another_one() {
    check_pairs(Version::V2);
}
