//! One fault for each cause, and what readers do with it.

use acpcheck::{
    json::{Doc, Tape},
    protocol::{
        Edition, Surface,
        schema::{Effect, FaultKind, Protocol},
    },
    source::Origin,
};

/// Pointer, kind and effect of each fault.
fn faults(surface: Surface, definition: &str, text: &str) -> Vec<(String, FaultKind, Effect)> {
    let mut tape = Tape::new();
    tape.parse(text).unwrap();
    let doc = Doc::new(text, &tape, Origin::START);
    let definition = Protocol::of(surface, Edition::CURRENT).definition(definition).unwrap();
    let faults = definition.faults(doc.root());
    faults.into_iter().map(|fault| (fault.node.pointer(), fault.kind, fault.effect)).collect()
}

fn update(surface: Surface, update: &str) -> Vec<(String, FaultKind, Effect)> {
    let definition = match surface {
        Surface::V1 | Surface::V1Unstable => "SessionNotification",
        Surface::V2 | Surface::V2Unstable => "UpdateSessionNotification",
    };
    faults(surface, definition, &format!(r#"{{"sessionId":"s","update":{update}}}"#))
}

fn wrong_type(expected: &[&'static str], found: &'static str) -> FaultKind {
    FaultKind::WrongType { expected: expected.to_vec(), found }
}

#[test]
fn two_bad_plan_entries_are_two_faults() {
    let plan = r#"{"sessionUpdate":"plan","entries":[
        {"content":"a","priority":"high","status":"doing"},{"content":"b","status":"pending"}]}"#;
    let dropped = Effect::ItemDropped { list: "entries" };
    let allowed = vec!["pending", "in_progress", "completed"];
    assert_eq!(
        update(Surface::V1, plan),
        [
            (
                "/update/entries/0/status".to_owned(),
                FaultKind::UnknownValue { allowed, nearest: None },
                dropped
            ),
            ("/update/entries/1".to_owned(), FaultKind::Missing { name: "priority" }, dropped),
        ]
    );
}

#[test]
fn a_misspelt_discriminator_is_one_fault_with_a_guess() {
    for (spelling, meant) in [
        ("plann", Some("plan")),
        ("agentMessageChunk", Some("agent_message_chunk")),
        ("state_update", None),
    ] {
        let faults =
            update(Surface::V1, &format!(r#"{{"sessionUpdate":"{spelling}","entries":[]}}"#));
        let [(pointer, FaultKind::UnknownVariant { allowed, nearest }, Effect::Rejected)] =
            faults.as_slice()
        else {
            panic!("{faults:?}");
        };
        assert_eq!(pointer, "/update/sessionUpdate");
        assert_eq!(*nearest, meant);
        assert!(allowed.contains(&"plan") && !allowed.contains(&"cursor_update"));
    }
}

#[test]
fn a_missing_discriminator_is_told_of_the_object() {
    for surface in Surface::ALL {
        let faults = update(surface, r#"{"content":{"type":"text","text":"hi"}}"#);
        let [(pointer, FaultKind::MissingTag { name: "sessionUpdate", .. }, Effect::Rejected)] =
            faults.as_slice()
        else {
            panic!("{faults:?}");
        };
        assert_eq!(pointer, "/update");
    }
}

#[test]
fn a_discriminator_of_another_type_is_told_of_its_value() {
    assert_eq!(
        update(Surface::V2, r#"{"sessionUpdate":"state_update","state":"idle","stopReason":5}"#),
        [(
            "/update/stopReason".to_owned(),
            wrong_type(&["string", "null"], "number"),
            Effect::Defaulted { member: "stopReason" }
        )]
    );
    assert_eq!(
        update(Surface::V1, r#"{"sessionUpdate":["plan"]}"#),
        [("/update/sessionUpdate".to_owned(), wrong_type(&["string"], "array"), Effect::Rejected)]
    );
}

#[test]
fn a_misspelt_value_is_told_with_the_allowed_ones() {
    let faults = update(
        Surface::V1,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in-progress"}"#,
    );
    let allowed = vec!["pending", "in_progress", "completed", "failed"];
    assert_eq!(
        faults,
        [(
            "/update/status".to_owned(),
            FaultKind::UnknownValue { allowed, nearest: Some("in_progress") },
            Effect::Defaulted { member: "status" }
        )]
    );
}

#[test]
fn the_innermost_mark_decides_the_effect() {
    let faults = update(
        Surface::V1,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[
            {"type":"content","content":{"type":"text","text":5}},
            {"type":"content","content":{"type":"text","text":"x","annotations":7}},
            {"type":"diff","path":"/a"}],"locations":{},"_meta":[]}"#,
    );
    let dropped = Effect::ItemDropped { list: "content" };
    let defaulted = |member| Effect::Defaulted { member };
    assert_eq!(
        faults,
        [
            (
                "/update/content/0/content/text".to_owned(),
                wrong_type(&["string"], "number"),
                dropped
            ),
            (
                "/update/content/1/content/annotations".to_owned(),
                wrong_type(&["object", "null"], "number"),
                defaulted("annotations")
            ),
            ("/update/content/2".to_owned(), FaultKind::Missing { name: "newText" }, dropped),
            (
                "/update/locations".to_owned(),
                wrong_type(&["array", "null"], "object"),
                defaulted("locations")
            ),
            (
                "/update/_meta".to_owned(),
                wrong_type(&["object", "null"], "array"),
                defaulted("_meta")
            ),
        ]
    );
}

#[test]
fn null_is_tolerated_where_readers_do() {
    let tolerated = |pointer: &str, expected| {
        vec![(pointer.to_owned(), wrong_type(&[expected], "null"), Effect::NullTolerated)]
    };
    let request = r#"{"cwd":"/","mcpServers":null}"#;
    assert_eq!(
        faults(Surface::V1, "NewSessionRequest", request),
        tolerated("/mcpServers", "array")
    );
    assert_eq!(faults(Surface::V1, "LoadSessionResponse", "null"), tolerated("", "object"));
    assert_eq!(
        faults(Surface::V1, "PromptResponse", "null"),
        [(String::new(), wrong_type(&["object"], "null"), Effect::Rejected)]
    );
    // The list is forgiven, not what is in it.
    assert_eq!(
        faults(Surface::V1, "NewSessionRequest", r#"{"cwd":"/","mcpServers":[null]}"#),
        [("/mcpServers/0".to_owned(), wrong_type(&["object"], "null"), Effect::Rejected)]
    );
}

#[test]
fn an_untagged_branch_explains_what_has_no_tag() {
    let server = |server: &str| {
        faults(
            Surface::V1,
            "NewSessionRequest",
            &format!(r#"{{"cwd":"/","mcpServers":[{server}]}}"#),
        )
    };
    let missing =
        |name| vec![("/mcpServers/0".to_owned(), FaultKind::Missing { name }, Effect::Rejected)];
    assert_eq!(server(r#"{"name":"n","command":"c","args":[]}"#), missing("env"));
    assert_eq!(server(r#"{"type":"http","name":"n","headers":[]}"#), missing("url"));
    assert_eq!(
        server(r#"{"type":"htp","name":"n","url":"u","headers":[]}"#),
        [(
            "/mcpServers/0/type".to_owned(),
            FaultKind::UnknownVariant { allowed: vec!["http", "sse"], nearest: Some("http") },
            Effect::Rejected
        )]
    );
}

#[test]
fn without_a_tag_the_branch_that_fits_farthest_explains() {
    // An option of a group is wrong: options without groups are not meant.
    let option = r#"{"sessionId":"s","configOptions":[{"type":"select","id":"o","name":"O",
        "currentValue":"a","options":[{"group":"g","name":"G","options":"none"}]}]}"#;
    assert_eq!(
        faults(Surface::V1, "NewSessionResponse", option),
        [(
            "/configOptions/0/options/0/options".to_owned(),
            wrong_type(&["array"], "string"),
            Effect::Defaulted { member: "options" }
        )]
    );
    let resource = r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"resource",
        "resource":{"uri":"file:///a","blob":5}}}"#;
    assert_eq!(
        update(Surface::V1, resource),
        [(
            "/update/content/resource/blob".to_owned(),
            wrong_type(&["string"], "number"),
            Effect::Rejected
        )]
    );
}

#[test]
fn two_branches_where_one_may_fit() {
    let elicitation = r#"{"message":"m","mode":"url","elicitationId":"e","url":"https://a",
        "sessionId":"s","requestId":1}"#;
    assert_eq!(
        faults(Surface::V2, "CreateElicitationRequest", elicitation),
        [(
            String::new(),
            FaultKind::Ambiguous { branches: vec!["Session", "Request"] },
            Effect::Rejected
        )]
    );
}

#[test]
fn numbers_and_lengths_have_their_own_words() {
    let usage = r#"{"sessionUpdate":"usage_update","used":-1,"size":18446744073709551616}"#;
    let out_of_range = |text: &str| FaultKind::OutOfRange { text: text.to_owned() };
    assert_eq!(
        update(Surface::V1, usage),
        [
            ("/update/used".to_owned(), out_of_range("at least 0"), Effect::Rejected),
            (
                "/update/size".to_owned(),
                out_of_range("at most 18446744073709551615"),
                Effect::Rejected
            ),
        ]
    );
    let too_short = |text: &str| FaultKind::TooShort { text: text.to_owned() };
    assert_eq!(
        faults(Surface::V2, "PromptRequest", r#"{"sessionId":"s","prompt":[]}"#),
        [("/prompt".to_owned(), too_short("at least 1 element"), Effect::Rejected)]
    );
    assert_eq!(
        update(Surface::V1, r#"{"sessionUpdate":"notice","severity":"info","title":""}"#),
        [("/update/title".to_owned(), too_short("at least 1 character"), Effect::Rejected)]
    );
}
