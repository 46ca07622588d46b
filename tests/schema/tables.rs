//! The method table, and the documents of older editions.

use acpcheck::{
    json::{Doc, Tape},
    protocol::{
        Edition, Surface,
        schema::{Handler, Protocol},
    },
    source::Origin,
};

fn fits(surface: Surface, edition: Edition, definition: &str, text: &str) -> bool {
    let mut tape = Tape::new();
    tape.parse(text).unwrap();
    let doc = Doc::new(text, &tape, Origin::START);
    Protocol::of(surface, edition).definition(definition).unwrap().fits(doc.root())
}

#[test]
fn methods_know_who_handles_them() {
    let handlers = |surface, name| {
        let method = Protocol::of(surface, Edition::CURRENT).method(name)?;
        let handler = |call: acpcheck::protocol::schema::CallSchema| call.handler;
        Some((method.request.map(handler), method.notification.map(handler)))
    };
    let (client, agent) = (Some(Handler::Client), Some(Handler::Agent));
    assert_eq!(handlers(Surface::V1, "session/prompt"), Some((agent, None)));
    assert_eq!(handlers(Surface::V1, "session/update"), Some((None, client)));
    assert_eq!(handlers(Surface::V1, "fs/read_text_file"), Some((client, None)));
    assert_eq!(handlers(Surface::V2, "fs/read_text_file"), None);
    assert_eq!(handlers(Surface::V2, "tool_call/cancel"), Some((agent, None)));
    assert_eq!(handlers(Surface::V1, "session/fork"), None);
    assert_eq!(handlers(Surface::V1Unstable, "session/fork"), Some((agent, None)));
    let proxy = Some(Handler::Proxy);
    for surface in [Surface::V1Unstable, Surface::V2Unstable] {
        assert_eq!(handlers(surface, "mcp/message"), Some((client, agent)));
        assert_eq!(handlers(surface, "proxy/successor"), Some((proxy, proxy)));
    }
    for surface in Surface::ALL {
        assert_eq!(handlers(surface, "$/cancel_request"), Some((None, Some(Handler::Either))));
        assert_eq!(handlers(surface, "session/made_up"), None);
    }
}

#[test]
fn every_request_has_a_result_and_drafts_only_add() {
    for surface in Surface::ALL {
        let protocol = Protocol::of(surface, Edition::CURRENT);
        assert!(protocol.methods().is_sorted_by_key(|method| method.name));
        for method in protocol.methods() {
            assert!(method.request.is_none_or(|request| request.result.is_some()), "{method:?}");
            assert!(method.request.is_some() || method.notification.is_some());
        }
        let unstable = Protocol::of(Surface::unstable(surface.version()), Edition::CURRENT);
        for definition in protocol.definitions() {
            assert!(unstable.definition(definition.name()).is_some(), "{definition:?}");
        }
    }
}

#[test]
fn required_members_are_known() {
    let protocol = Protocol::of(Surface::V1, Edition::CURRENT);
    let required = |name| {
        protocol.method(name).unwrap().request.unwrap().params.required().collect::<Vec<_>>()
    };
    assert_eq!(required("session/new"), ["cwd", "mcpServers"]);
    assert!(required("session/list").is_empty());
}

#[test]
fn plan_identifiers_had_another_name_until_july() {
    let plans = |name| {
        [
            format!(r#"{{"type":"items","{name}":"p","entries":[]}}"#),
            format!(r#"{{"type":"markdown","{name}":"p","content":"x"}}"#),
            format!(r#"{{"type":"file","{name}":"p","uri":"file:///p"}}"#),
        ]
    };
    for edition in Edition::ALL {
        let is_old = edition <= Edition::June2026;
        for surface in [Surface::V1Unstable, Surface::V2Unstable] {
            let is_fit = |definition, text: &str| fits(surface, edition, definition, text);
            for (old, new) in plans("id").iter().zip(plans("planId")) {
                // Plans of the type `file` were withdrawn on 20 November; version 2 has room for
                // any type.
                let is_known = !old.contains("\"file\"")
                    || edition <= Edition::November2026
                    || surface == Surface::V2Unstable;
                assert_eq!(is_fit("PlanUpdateContent", old), is_known && is_old, "{edition} {old}");
                assert_eq!(
                    is_fit("PlanUpdateContent", &new),
                    is_known && !is_old,
                    "{edition} {new}"
                );
            }
            assert_eq!(is_fit("PlanRemoved", r#"{"id":"p"}"#), is_old);
            assert_eq!(is_fit("PlanRemoved", r#"{"planId":"p"}"#), !is_old);
        }
        let custom = r#"{"type":"_board","id":"p"}"#;
        assert_eq!(fits(Surface::V2, edition, "PlanUpdateContent", custom), is_old);
    }
}

#[test]
fn the_plan_capability_had_another_name_in_may() {
    for edition in Edition::ALL {
        let is_wrong = |name| {
            let capabilities = format!(r#"{{"{name}":5}}"#);
            !fits(Surface::V1Unstable, edition, "ClientCapabilities", &capabilities)
        };
        assert_eq!(is_wrong("planCapabilities"), edition == Edition::May2026);
        assert_eq!(is_wrong("plan"), edition != Edition::May2026);
    }
}

#[test]
fn version_2_demanded_less_before_november() {
    for edition in Edition::ALL {
        let is_fit = |definition, text| fits(Surface::V2, edition, definition, text);
        let is_lenient = edition <= Edition::September2026;
        for (definition, text) in [
            ("AvailableCommand", r#"{"name":"n","description":"d"}"#),
            ("PromptRequest", r#"{"sessionId":"s","prompt":[]}"#),
            ("RequestId", "null"),
            ("ToolCallLocation", r#"{"path":"/a","line":0}"#),
            (
                "SessionConfigOption",
                r#"{"type":"select","configId":"c","name":"C","currentValue":"v","options":[]}"#,
            ),
        ] {
            assert_eq!(is_fit(definition, text), is_lenient, "{edition} {definition}");
        }
        assert_eq!(is_fit("PromptResponse", "{}"), edition <= Edition::August2026);
        // Version 1 did not change.
        assert!(fits(Surface::V1, edition, "PromptRequest", r#"{"sessionId":"s","prompt":[]}"#));
        assert!(!fits(Surface::V1, edition, "PromptResponse", "{}"));
    }
}

#[test]
fn integer_formats_are_binding() {
    let version = |number| fits(Surface::V1, Edition::CURRENT, "ProtocolVersion", number);
    assert!(version("65535") && !version("65536") && !version("-1"));
    let code = |number| fits(Surface::V1, Edition::CURRENT, "ErrorCode", number);
    assert!(code("-32602") && code("2147483647") && !code("2147483648"));
}
