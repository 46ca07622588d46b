//! What a diagnostic says about where it belongs: the method, the agent, the side; and that a fault
//! is the same one in another recording.

use std::collections::BTreeMap;

use acpcheck::{
    check::{Exception, Names, Outcome, Settings, Tail},
    diagnostic::Diagnostic,
    protocol::Side,
    report::fingerprint::Fingerprint,
    rule::Severity,
    rules::CATALOGUE,
};

use super::{fixtures, support::OPENING};

fn judged(transcript: &str) -> (Vec<Diagnostic>, Outcome) {
    let settings = Settings { tail: Tail::Closed, ..Settings::default() };
    crate::effort::check(transcript.as_bytes(), &settings)
}

fn plan(entries: &[&str]) -> String {
    let entries = entries.join(",");
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"plan","entries":[{entries}]}}}}}}"#
    ) + "\n"
}

const GOOD: &str = r#"{"content":"a","priority":"high","status":"pending"}"#;
const BAD: &str = r#"{"content":"b","priority":"high","status":"doing"}"#;

#[test]
fn a_fault_is_the_same_one_elsewhere() {
    let (one, _) = judged(&(OPENING.to_owned() + &plan(&[BAD])));
    let later = OPENING.to_owned() + &plan(&[GOOD]) + &plan(&[GOOD, GOOD, BAD]);
    let (other, _) = judged(&later.replace("\"s\"", "\"another session\""));
    let of = |diagnostics: &[Diagnostic]| {
        let found = diagnostics.iter().find(|found| found.finding.message.contains("doing"));
        Fingerprint::of(found.unwrap())
    };
    assert_eq!(of(&one), of(&other));
    assert_eq!(of(&one).method.as_deref(), Some("session/update"));
    assert_eq!(of(&one).shape.as_deref(), Some("/params/update/entries/*/status"));
    assert_eq!(of(&one).implementation.as_deref(), Some("kettle"));

    let (of_another_agent, _) = judged(&later.replace("kettle", "teapot"));
    assert_ne!(of(&one), of(&of_another_agent));
}

#[test]
fn a_clients_fault_is_the_same_one_with_every_agent() {
    let new = OPENING.replace(r#""cwd":"/work""#, r#""cwd":7"#);
    let of = |transcript: &str| {
        let (found, _) = judged(transcript);
        let found = found.iter().find(|found| found.bound == Some(Side::Client));
        Fingerprint::of(found.expect("a fault of the client"))
    };
    assert_eq!(of(&new).implementation.as_deref(), Some("editor"));
    assert_eq!(of(&new), of(&new.replace("kettle", "teapot")));
    assert_ne!(of(&new), of(&new.replace("editor", "notebook")));
}

/// These rules speak when the turn ends: by an answer, another prompt, or the end of the connection.
#[test]
fn a_fault_belongs_to_the_message_with_its_place() {
    let waiting = ["plan/unfinished-entry-dropped", "plan/partial-update-suspected"];
    for (rule, path) in fixtures::fixtures() {
        if waiting.contains(&&*rule) {
            for found in fixtures::judge(&rule, &path) {
                assert_eq!(found.method.as_deref(), Some("session/update"), "{}", path.display());
            }
        }
    }
}

#[test]
fn an_answer_belongs_to_the_method_that_it_answers() {
    let (found, _) = judged(&OPENING.replace(r#"{"sessionId":"s"}"#, r#"{"sessionId":7}"#));
    let methods: Vec<_> =
        found.iter().map(|found| (found.rule.id, found.method.as_deref())).collect();
    assert!(methods.contains(&("schema/result", Some("session/new"))), "{methods:?}");
}

#[test]
fn an_agent_is_known_from_the_message_that_names_it() {
    let (found, _) = judged(
        &OPENING.replace(r#""protocolVersion":1,"agent"#, r#""protocolVersion":"1","agent"#),
    );
    let about_initialize = found.iter().find(|found| found.method.as_deref() == Some("initialize"));
    assert_eq!(about_initialize.unwrap().agent.as_deref(), Some("kettle"));
}

#[test]
fn what_is_left_open_belongs_to_its_method() {
    let prompt = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Hi"}]}}"#;
    let (found, _) = judged(&(OPENING.to_owned() + prompt + "\n"));
    let methods: Vec<_> = found.iter().map(|found| found.method.as_deref()).collect();
    assert_eq!(methods, [Some("session/prompt")], "{found:#?}");
}

#[test]
fn what_is_no_message_has_no_method() {
    let (found, _) = judged(&(OPENING.to_owned() + "starting up\n"));
    let fingerprint = Fingerprint::of(&found[0]);
    assert_eq!((fingerprint.rule, fingerprint.method), ("transport/not-json", None));
}

#[test]
fn names_without_end_are_cut() {
    let call =
        |method: &str| format!("{{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{}}}}\n");
    let (found, _) = judged(&(OPENING.to_owned() + &call(&"ü".repeat(100_000))));
    assert_eq!(found[0].method.as_deref().unwrap(), "ü".repeat(200));
}

#[test]
fn tallies_tell_whose_conduct_was_judged() {
    let transcript = OPENING.replace("\"/work\"", "7")
        + "{\"jsonrpc\":\"2.0\",\"method\":\"session/mine\",\"params\":{}}\n"
        + &plan(&[GOOD, &GOOD.replace("\"a\"", "\"b\"")]);
    let (found, outcome) = judged(&transcript);
    let of = |id: &str| {
        let index = CATALOGUE.iter().position(|rule| rule.id == id).unwrap();
        let sides = outcome.sides[index].map(|side| (side.exercised, side.failed));
        let all = outcome.tallies[index];
        let sum = |count: fn(&(u64, u64)) -> u64| sides.iter().map(count).sum::<u64>();
        assert_eq!((sum(|side| side.0), sum(|side| side.1)), (all.exercised, all.failed));
        sides
    };
    // Nobody knows who sends a method that nobody knows.
    assert_eq!(of("ext/unprefixed-method")[2], (1, 1), "{found:#?}");
    // Refused are the client's params, not the agent's.
    assert_eq!(of("schema/params").map(|(_, failed)| failed), [1, 0, 0]);
    assert!(of("schema/params")[1].0 > 0);
    assert_eq!(of("plan/duplicate-entry").map(|(exercised, _)| exercised), [0, 1, 0]);
}

#[test]
fn what_stands_before_the_name_is_the_agents_as_well() {
    let (found, _) = judged(&("starting up\n".to_owned() + OPENING));
    assert_eq!(
        (found[0].rule.id, found[0].agent.as_deref()),
        ("transport/not-json", Some("kettle"))
    );
}

#[test]
fn severities_differ_by_agent_and_method() {
    let rule = |id: &str| CATALOGUE.iter().position(|rule| rule.id == id).unwrap();
    let except = |agents: &str, methods: Option<&str>, id: &str, severity: Severity| {
        let names = |pattern: &str| Some(Names::new([pattern]).unwrap());
        let mut settings = Settings::default();
        settings.severities.except(Exception {
            agents: names(agents),
            methods: methods.and_then(names),
            severities: BTreeMap::from([(rule(id), severity)]),
        });
        settings
    };
    let transcript = "starting up\n".to_owned() + OPENING + &plan(&[BAD]) + &plan(&[GOOD]);
    let reported = |settings: &Settings| -> Vec<String> {
        let found = crate::effort::check(transcript.as_bytes(), settings).0;
        found.iter().map(|found| format!("{}[{}]", found.severity, found.rule.id)).collect()
    };
    let all = ["error[transport/not-json]", "error[plan/closed-enum-value]"];
    assert_eq!(reported(&Settings::default()), all);
    let noise = "transport/not-json";
    assert_eq!(reported(&except("kettle", None, noise, Severity::Off)), all[1..]);
    assert_eq!(reported(&except("k*", None, noise, Severity::Off)), all[1..]);
    assert_eq!(reported(&except("pot", None, noise, Severity::Off)), all);
    assert_eq!(reported(&except("kettle", Some("session/*"), noise, Severity::Off)), all);
    let value = "plan/closed-enum-value";
    assert_eq!(reported(&except("kettle", Some("session/*"), value, Severity::Off)), all[..1]);
    let softer = ["error[transport/not-json]", "info[plan/closed-enum-value]"];
    assert_eq!(reported(&except("kettle", Some("session/*"), value, Severity::Info)), softer);
    // A rule that is off by itself speaks of those for whom it is switched on.
    let off = "plan/skipped-in-progress";
    let leap =
        OPENING.to_owned() + &plan(&[GOOD]) + &plan(&[&GOOD.replace("pending", "completed")]);
    let leaps = |settings: &Settings| crate::effort::check(leap.as_bytes(), settings).0.len();
    assert_eq!(leaps(&Settings::default()), 0);
    assert_eq!(leaps(&except("kettle", None, off, Severity::Warning)), 1);
    assert_eq!(leaps(&except("pot", None, off, Severity::Warning)), 0);
}
