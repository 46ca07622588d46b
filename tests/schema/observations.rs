//! What the walk tells of values that fit.

use acpcheck::{
    json::{Doc, Tape},
    protocol::{
        Edition, Surface,
        schema::{Accepts, Definition, Observation, Protocol},
    },
    source::Origin,
};

/// The observations in words, and whether the value surely fits.
fn walk(surface: Surface, definition: &str, text: &str) -> (Vec<String>, Accepts) {
    walk_in(Edition::CURRENT, surface, definition, text)
}

/// [`walk`] by an edition of the schemas.
fn walk_in(
    edition: Edition,
    surface: Surface,
    definition: &str,
    text: &str,
) -> (Vec<String>, Accepts) {
    let mut tape = Tape::new();
    tape.parse(text).unwrap();
    let doc = Doc::new(text, &tape, Origin::START);
    let definition = Protocol::of(surface, edition).definition(definition).unwrap();
    let mut told = Vec::new();
    let accepts = definition.walk(doc.root(), &mut |observation| told.push(words(observation)));
    (told, accepts)
}

fn words(observation: Observation<'_>) -> String {
    match observation {
        Observation::UnknownMember { name, type_name, .. } => {
            format!("unknown {type_name}.{name:?}")
        }
        Observation::DraftMethod { method } => format!("draft method {method:?}"),
        Observation::DraftMember { member, type_name, .. } => format!("draft {type_name}.{member}"),
        Observation::DraftVariant { value, site } => {
            format!("draft {}.{} {value:?}", site.type_name, site.tag.unwrap())
        }
        Observation::DraftValue { value, site } => format!("draft {} {value:?}", site.type_name),
        Observation::OpenValue { value, site } => format!("open {} {value:?}", site.type_name),
        Observation::CustomValue { value, site } => format!("custom {} {value:?}", site.type_name),
        Observation::MetaNotObject { value } => format!("meta {value:?}"),
        Observation::EmptyIdentifier { type_name, .. } => format!("empty {type_name}"),
        Observation::NullForList { member, .. } => format!("null {member}"),
        Observation::Fallthrough { tag, branch, meant, .. } => {
            format!("fallthrough {tag:?} to {branch}, meant {meant:?}")
        }
    }
}

fn update(surface: Surface, update: &str) -> (Vec<String>, Accepts) {
    let definition = match surface {
        Surface::V1 | Surface::V1Unstable => "SessionNotification",
        Surface::V2 | Surface::V2Unstable => "UpdateSessionNotification",
    };
    walk(surface, definition, &format!(r#"{{"sessionId":"s","update":{update}}}"#))
}

#[test]
fn nothing_is_told_of_ordinary_messages() {
    let chunk = r#"{"sessionUpdate":"agent_message_chunk","messageId":"m",
        "content":{"type":"text","text":"hi","_meta":{"any":{"thing":1}}},"_meta":null}"#;
    for surface in Surface::ALL {
        assert_eq!(update(surface, chunk), (vec![], Accepts::Surely));
    }
}

#[test]
fn unknown_members_are_told_of_protocol_types_only() {
    let (told, accepts) = update(
        Surface::V2,
        r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","model":1,
            "rawInput":{"model":1},"_meta":{"model":1},
            "content":[{"type":"_chart","model":1},{"type":"diff","changes":[{"operation":"delete","path":"/a"}],"model":1}]}"#,
    );
    assert_eq!(
        told,
        [
            r#"unknown ToolCallUpdate."model""#,
            r#"custom ToolCallContent "_chart""#,
            r#"unknown Diff."model""#
        ]
    );
    assert_eq!(accepts, Accepts::Surely);
    let free = [
        ("Error", r#"{"code":1,"message":"m","data":{"any":{"thing":1}}}"#),
        ("CreateElicitationResponse", r#"{"action":"accept","content":{"any":"thing"}}"#),
        (
            "MessageMcpRequest",
            r#"{"serverId":"s","requestId":"r","method":"m","params":{"any":1}}"#,
        ),
        (
            "SetProviderRequest",
            r#"{"providerId":"p","apiType":"openai","baseUrl":"u","headers":{"Any":"x"}}"#,
        ),
    ];
    for surface in [Surface::V1Unstable, Surface::V2Unstable] {
        for (definition, text) in free {
            assert_eq!(walk(surface, definition, text).0, Vec::<String>::new(), "{definition}");
        }
    }
}

#[test]
fn drafts_are_told_and_never_sure() {
    let cursor = r#"{"sessionUpdate":"cursor_update","cursorId":"c"}"#;
    let expected = vec![r#"draft SessionUpdate.sessionUpdate "cursor_update""#.to_owned()];
    for surface in Surface::ALL {
        assert_eq!(update(surface, cursor), (expected.clone(), Accepts::Unknown));
    }
    let (told, accepts) =
        walk(Surface::V1, "PromptResponse", r#"{"stopReason":"end_turn","usage":null}"#);
    assert_eq!((told, accepts), (vec!["draft PromptResponse.usage".to_owned()], Accepts::Unknown));
}

#[test]
fn what_became_stable_was_a_draft_before() {
    let draft = |surface, edition, text: &str| {
        let (told, _) = walk_in(edition, surface, "SessionUpdate", text);
        told.iter()
            .any(|told| told.starts_with("draft SessionUpdate") || told.starts_with("draft Plan"))
    };
    let (before, now) = (Edition::November2026, Edition::CURRENT);
    for surface in Surface::ALL {
        for kind in ["plan_removed", "subagent_update", "session_message", "session_message_chunk"]
        {
            let text = format!(r#"{{"sessionUpdate":"{kind}"}}"#);
            assert!(draft(surface, before, &text), "{surface} {kind}");
            assert!(!draft(surface, now, &text), "{surface} {kind}");
        }
    }
    // Nothing within a draft is a draft once more.
    let markdown =
        r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}"#;
    for surface in Surface::ALL {
        assert!(draft(surface, before, markdown) && !draft(surface, now, markdown), "{surface}");
    }
}

#[test]
fn open_sets_tell_what_is_not_defined() {
    let tool = r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","kind":"sorcery",
        "status":"_waiting"}"#;
    let told = vec![
        r#"open ToolKind "sorcery""#.to_owned(),
        r#"custom ToolCallStatus "_waiting""#.to_owned(),
    ];
    assert_eq!(update(Surface::V2, tool), (told, Accepts::Surely));
    // Closed in version 1: the judge's business.
    assert_eq!(update(Surface::V1, tool), (vec![], Accepts::Unknown));
    assert_eq!(
        update(Surface::V2, r#"{"sessionUpdate":"plan","entries":[]}"#),
        (vec![r#"open SessionUpdate "plan""#.to_owned()], Accepts::Surely)
    );
    assert_eq!(
        update(Surface::V1, r#"{"sessionUpdate":"notice","severity":"critical","title":"t"}"#),
        (vec![r#"open NoticeSeverity "critical""#.to_owned()], Accepts::Surely)
    );
    // By the prose, unknown formats and untyped items are nothing special.
    let property = r#"{"type":"array","items":{"type":"custom"}}"#;
    assert_eq!(walk(Surface::V2, "ElicitationPropertySchema", property), (vec![], Accepts::Surely));
    let property = r#"{"type":"string","format":"phone"}"#;
    assert_eq!(walk(Surface::V2, "ElicitationPropertySchema", property), (vec![], Accepts::Surely));
}

#[test]
fn the_open_sets_of_version_1_are_few() {
    // Those that the catalogue of rules names, and compaction states.
    let open = |definition| {
        let (told, _) = walk(Surface::V1, definition, r#""made up""#);
        !told.is_empty()
    };
    let protocol = Protocol::of(Surface::V1, Edition::CURRENT);
    let names = protocol.definitions().map(Definition::name);
    assert_eq!(
        names.filter(|name| open(name)).collect::<Vec<_>>(),
        ["CompactionStatus", "NoticeSeverity", "SessionConfigOptionCategory", "SystemPromptMode"]
    );
}

#[test]
fn identifiers_meta_and_null_lists_are_told() {
    let (told, accepts) =
        walk(Surface::V1, "NewSessionRequest", r#"{"cwd":"","mcpServers":null,"_meta":"trace"}"#);
    assert_eq!(told, ["null mcpServers", r#"meta "trace""#]);
    assert_eq!(accepts, Accepts::Unknown);
    let (told, _) = walk(Surface::V1, "CreateTerminalResponse", r#"{"terminalId":""}"#);
    assert_eq!(told, ["empty TerminalId"]);
    // A request's identifier may be empty.
    let (told, _) = walk(Surface::V1, "CancelRequestNotification", r#"{"requestId":""}"#);
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn objects_that_fit_by_an_untagged_branch_are_told() {
    let method = |text| walk(Surface::V1, "AuthMethod", text).0;
    assert_eq!(
        method(r#"{"type":"terminal","id":"t","name":"T","args":"--login"}"#),
        [
            r#"fallthrough "terminal" to agent, meant Some("AuthMethodTerminal")"#,
            r#"unknown AuthMethodAgent."args""#
        ]
    );
    assert_eq!(
        method(r#"{"type":"agent","id":"t","name":"T"}"#),
        [r#"fallthrough "agent" to agent, meant None"#]
    );
    assert_eq!(method(r#"{"id":"t","name":"T"}"#), Vec::<String>::new());
    assert_eq!(method(r#"{"type":"terminal","id":"t","name":"T"}"#), Vec::<String>::new());
    // What fits no branch at all is told by its faults.
    assert_eq!(method(r#"{"type":"terminal","id":"t","args":1}"#), Vec::<String>::new());
}
