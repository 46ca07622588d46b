//! Clients with planted faults: each fault is found, alone and in pairs, and nothing else is.

use super::{broken, client::Client};
use crate::effort;

/// A fault of the client.
struct Fault {
    name: &'static str,
    version: u64,
    /// The options of the agent that it takes.
    options: &'static [&'static str],
    /// The scenario in which it is made.
    scenario: &'static str,
    /// The rule that reports it.
    rule: &'static str,
}

const fn fault(name: &'static str, scenario: &'static str, rule: &'static str) -> Fault {
    Fault { name, version: 1, options: &[], scenario, rule }
}

const FAULTS: &[Fault] = &[
    fault("session-before-initialize", "turn", "lifecycle/initialize-first"),
    fault("session-with-initialize", "turn", "lifecycle/initialize-pipelined"),
    fault("initializes-twice", "turn", "lifecycle/reinitialize"),
    fault("plan-not-an-object", "turn", "plan/malformed-capability"),
    fault("relative-cwd", "turn", "session/relative-path"),
    fault("no-mcp-servers", "turn", "schema/params"),
    fault("sse-server", "turn", "capability/mcp-transport"),
    fault("more-folders", "turn", "capability/additional-directories"),
    fault("unknown-mode", "turn", "session/mode-not-available"),
    fault("unknown-option", "turn", "config/unknown-option"),
    fault("unknown-value", "turn", "config/value-not-offered"),
    fault("deletes", "turn", "capability/agent-method"),
    fault("lost-session", "turn", "session/unknown-id"),
    fault("made-up-cursor", "turn", "session/cursor-not-issued"),
    fault("text-prompt", "turn", "schema/params"),
    fault("unknown-login", "turn", "auth/unadvertised-method"),
    fault("log-line", "turn", "transport/not-json"),
    fault("pretty", "turn", "transport/embedded-newline"),
    fault("no-version", "turn", "jsonrpc/version"),
    fault("batch", "turn", "jsonrpc/batch"),
    fault("fraction-id", "turn", "jsonrpc/id-type"),
    fault("uses-closed", "turn", "session/use-after-close"),
    fault("option-not-offered", "permission", "permission/option-not-offered"),
    fault("permission-null", "permission", "schema/result"),
    fault("permission-unsupported", "permission", "permission/method-unsupported"),
    fault("answers-twice", "permission", "jsonrpc/duplicate-response"),
    fault("same-id-twice", "permission", "jsonrpc/duplicate-id"),
    fault("two-prompts", "cancel", "session/overlapping-prompts"),
    fault("unanswered-after-cancel", "cancel-pending", "permission/unanswered-after-cancel"),
    fault("selected-after-cancel", "cancel-pending", "permission/selected-after-cancel"),
    fault("reads-all", "files", "fs/limit-exceeded"),
    fault("error-without-message", "files", "jsonrpc/error-object"),
    fault("answers-with-text-id", "files", "jsonrpc/response-id-type"),
    fault("answers-stranger", "files", "jsonrpc/unmatched-response"),
    fault("result-and-error", "files", "jsonrpc/result-xor-error"),
    fault("terminal-twice", "terminals", "terminal/duplicate-id"),
    fault("output-too-long", "terminals", "terminal/output-exceeds-limit"),
    fault("exit-changes", "terminals", "terminal/exit-status-changed"),
    fault("form-without-name", "elicitation", "elicitation/content-mismatch"),
    fault("form-out-of-bounds", "elicitation", "elicitation/content-mismatch"),
    fault("ignores-unknown", "extensions", "jsonrpc/unanswered-request"),
    fault("accepts-unknown", "extensions", "ext/unknown-method-error"),
    fault("reads-nothing", "files", "capability/client-method-unimplemented"),
    fault("kills-nothing", "terminals", "capability/client-method-unimplemented"),
    fault("no-form", "elicitation", "capability/client-method-unimplemented"),
    Fault {
        options: &["--scenario", "bare"],
        ..fault("image-prompt", "turn", "capability/prompt-content")
    },
    Fault {
        version: 2,
        ..fault("no-form", "elicitation", "capability/client-method-unimplemented")
    },
    fault("withdrawn-failed", "withdraw", "cancel/wrong-error-code"),
    Fault { version: 2, ..fault("withdrawn-failed", "withdraw", "cancel/wrong-error-code") },
    Fault { version: 2, ..fault("permission-null", "permission", "schema/result") },
    Fault { version: 2, ..fault("server-without-type", "turn", "mcp/missing-type") },
];

/// The rules that a client with these faults breaks, when it plays these scenarios.
fn found(version: u64, faults: &[&str], scenarios: &[&str], options: &[&str]) -> Vec<String> {
    let mut client = Client::start(version, faults, &[&["--timeout", "1"], options].concat());
    let session = client.session();
    for scenario in scenarios {
        client.prompt(&session, scenario);
    }
    let mut rules: Vec<_> = broken(&client.close(), false)
        .iter()
        .map(|it| it.split(' ').next().unwrap().to_owned())
        .collect();
    rules.sort();
    rules.dedup();
    rules
}

#[test]
fn each_fault_is_found_and_nothing_else() {
    let mut wrong = Vec::new();
    for fault in effort::one_in(3, FAULTS) {
        let Fault { name, version, options, scenario, rule } = fault;
        let rules = found(*version, &[name], &[scenario], options);
        if rules != [*rule] {
            wrong.push(format!("{name}: {rules:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Scenarios with one request, whose faults are all about its answer.
const ONE_REQUEST: [&str; 2] = ["cancel-pending", "extensions"];

#[test]
fn faults_are_found_in_pairs() {
    let mut wrong = Vec::new();
    let own: Vec<_> = FAULTS.iter().filter(|it| it.version == 1 && it.options.is_empty()).collect();
    let pairs = own.iter().enumerate().map(|(at, one)| (one, own[(at * 7 + 13) % own.len()]));
    for (one, other) in effort::one_in(12, pairs.filter(|(one, other)| one.name != other.name)) {
        let refuses = [one, other].iter().any(|it| it.name.ends_with("-nothing"));
        if one.scenario == other.scenario && (refuses || ONE_REQUEST.contains(&one.scenario)) {
            // A request has one answer, or none; one that is refused has no faulty result.
            continue;
        }
        let mut scenarios = vec![one.scenario, other.scenario];
        scenarios.dedup();
        let rules = found(1, &[one.name, other.name], &scenarios, &[]);
        let mut expected = vec![one.rule, other.rule];
        expected.sort_unstable();
        expected.dedup();
        if rules != expected {
            wrong.push(format!("{} and {}: {rules:?}, not {expected:?}", one.name, other.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
