//! The official types as an oracle.

use std::collections::BTreeSet;

use acpcheck::{
    json::{Doc, Tape},
    protocol::{
        Edition, Surface,
        schema::{Definition, Effect, FaultKind, Protocol},
    },
    source::Origin,
};
use agent_client_protocol_schema as official;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::{
    generate::{Chance, Choices, Generator, Stray, write},
    soundness::document,
};

/// Reads a text as an official type and writes it again; `None` when it is refused.
type RoundTrip = fn(&str) -> Option<String>;

fn round_trip<T: DeserializeOwned + Serialize>(text: &str) -> Option<String> {
    let value: T = serde_json::from_str(text).ok()?;
    Some(serde_json::to_string(&value).unwrap())
}

macro_rules! types {
    ($version:ident: $($name:ident)*) => {
        [$((stringify!($name), round_trip::<official::$version::$name> as RoundTrip)),*]
    };
}

/// The types named like the definitions that have a method.
const V1: &[(&str, RoundTrip)] = &types!(v1:
    ArchiveSessionRequest ArchiveSessionResponse AuthStatusRequest AuthStatusResponse
    AuthStatusUpdateNotification AuthenticateRequest AuthenticateResponse CancelNotification
    CancelRequestNotification CloseSessionRequest CloseSessionResponse
    CompleteElicitationNotification CreateElicitationRequest CreateElicitationResponse
    CreateTerminalRequest CreateTerminalResponse DeleteSessionRequest DeleteSessionResponse
    DisableProviderRequest DisableProviderResponse ForkSessionRequest ForkSessionResponse
    InitializeProxyRequest InitializeProxyResponse InitializeRequest InitializeResponse
    KillTerminalRequest KillTerminalResponse ListProvidersRequest ListProvidersResponse
    ListSessionsRequest ListSessionsResponse LoadSessionRequest LoadSessionResponse LogoutRequest
    LogoutResponse MessageMcpNotification MessageMcpRequest MessageMcpResponse NewSessionRequest
    NewSessionResponse PromptRequest PromptResponse ProxySuccessorNotification
    ProxySuccessorRequest ProxySuccessorResponse ReadTextFileRequest ReadTextFileResponse
    ReleaseTerminalRequest ReleaseTerminalResponse RequestPermissionRequest
    RequestPermissionResponse ResumeSessionRequest ResumeSessionResponse SessionNotification
    SessionOptionsRequest SessionOptionsResponse SessionStatusRequest SessionStatusResponse SetProviderRequest SetProviderResponse
    SetSessionConfigOptionRequest SetSessionConfigOptionResponse SetSessionModeRequest
    SetSessionModeResponse SetSessionTitleRequest SetSessionTitleResponse TerminalOutputRequest
    TerminalOutputResponse UnarchiveSessionRequest UnarchiveSessionResponse
    WaitForTerminalExitRequest WaitForTerminalExitResponse WriteTextFileRequest
    WriteTextFileResponse
);

const V2: &[(&str, RoundTrip)] = &types!(v2:
    ArchiveSessionRequest ArchiveSessionResponse AuthStatusRequest AuthStatusResponse
    AuthStatusUpdateNotification CancelRequestNotification CancelSessionNotification
    CancelTerminalRequest CancelTerminalResponse CancelToolCallRequest CancelToolCallResponse
    CloseSessionRequest CloseSessionResponse CompleteElicitationNotification
    CreateElicitationRequest CreateElicitationResponse DeleteSessionRequest DeleteSessionResponse
    DisableProviderRequest DisableProviderResponse ForkSessionRequest ForkSessionResponse
    InitializeProxyRequest InitializeProxyResponse InitializeRequest InitializeResponse
    ListProvidersRequest ListProvidersResponse ListSessionsRequest ListSessionsResponse
    LoginAuthRequest LoginAuthResponse LogoutAuthRequest LogoutAuthResponse MessageMcpNotification
    MessageMcpRequest MessageMcpResponse NewSessionRequest NewSessionResponse PromptRequest
    PromptResponse ProxySuccessorNotification ProxySuccessorRequest ProxySuccessorResponse
    RequestPermissionRequest RequestPermissionResponse ResumeSessionRequest ResumeSessionResponse
    SessionOptionsRequest SessionOptionsResponse SessionStatusRequest SessionStatusResponse SetProviderRequest SetProviderResponse
    SetSessionConfigOptionRequest SetSessionConfigOptionResponse SetSessionTitleRequest
    SetSessionTitleResponse UnarchiveSessionRequest UnarchiveSessionResponse
    UpdateSessionNotification
);

#[test]
fn no_type_is_forgotten() {
    for (surface, types) in [(Surface::V1Unstable, V1), (Surface::V2Unstable, V2)] {
        let mut names = Vec::new();
        for method in Protocol::of(surface, Edition::CURRENT).methods() {
            for call in [method.request, method.notification].into_iter().flatten() {
                names.push(call.params.name());
                names.extend(call.result.map(Definition::name));
            }
        }
        names.sort_unstable();
        assert_eq!(names, types.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }
}

/// Calls `check` with texts made from the definition of each type.
fn for_texts(stray: Stray, count: usize, mut check: impl FnMut(Surface, &str, RoundTrip, &str)) {
    let mut chance = Chance::new();
    for (surface, types) in [(Surface::V1Unstable, V1), (Surface::V2Unstable, V2)] {
        let definitions = document(surface)["$defs"].as_object().unwrap();
        for &(name, round_trip) in types {
            for _ in 0..count {
                let choices = chance.choices();
                let mut generator = Generator { definitions, choices: Choices(&choices), stray };
                let value: Value = generator.value(&definitions[name]);
                check(surface, name, round_trip, &write(&value, &mut Choices(&[])));
            }
        }
    }
}

/// The kinds and effects of what the judge finds, and where.
fn faults(surface: Surface, name: &str, text: &str) -> Vec<(String, FaultKind, Effect)> {
    let mut tape = Tape::new();
    tape.parse(text).unwrap();
    let doc = Doc::new(text, &tape, Origin::START);
    let definition = Protocol::of(surface, Edition::CURRENT).definition(name).unwrap();
    let faults = definition.faults(doc.root());
    faults.into_iter().map(|fault| (fault.node.pointer(), fault.kind, fault.effect)).collect()
}

#[test]
fn whatever_official_types_write_fits() {
    let mut updates = BTreeSet::new();
    for stray in [Stray::No, Stray::Sometimes] {
        for_texts(stray, 150, |surface, name, round_trip, text| {
            let Some(written) = round_trip(text) else { return };
            let faults = faults(surface, name, &written);
            assert!(
                faults.iter().all(|(pointer, kind, _)| is_known_disagreement(pointer, kind)),
                "{surface} {name}: {text} is written as {written}: {faults:?}",
            );
            let value: Value = serde_json::from_str(&written).unwrap();
            updates.extend(
                value["update"]["sessionUpdate"].as_str().map(|tag| (surface, tag.to_owned())),
            );
        });
    }
    // All variants have been met.
    for surface in [Surface::V1Unstable, Surface::V2Unstable] {
        let union = &document(surface)["$defs"]["SessionUpdate"];
        let branches = union.get("oneOf").or_else(|| union.get("anyOf")).unwrap();
        for branch in branches.as_array().unwrap() {
            let Some(tag) = branch["properties"]["sessionUpdate"]["const"].as_str() else {
                continue;
            };
            assert!(
                updates.contains(&(surface, tag.to_owned())),
                "{surface} {tag} was not written"
            );
        }
    }
}

/// Where the official types of version 2 write what the schema forbids, having read it:
///
/// * a group of options that they do not understand becomes an empty list, and the schema demands
///   an option;
/// * the priority of annotations is any number to them, and from 0 to 1 to the schema.
fn is_known_disagreement(pointer: &str, kind: &FaultKind) -> bool {
    match kind {
        FaultKind::TooShort { .. } => pointer.ends_with("/options"),
        FaultKind::OutOfRange { .. } => pointer.ends_with("/annotations/priority"),
        _ => false,
    }
}

#[test]
fn official_types_read_what_fits() {
    for_texts(Stray::No, 150, |surface, name, round_trip, text| {
        assert!(round_trip(text).is_some(), "{surface} {name} {text}");
    });
}

#[test]
fn effects_are_what_readers_do() {
    for_texts(Stray::Sometimes, 300, |surface, name, round_trip, text| {
        let faults = faults(surface, name, text);
        if faults.is_empty() || faults.iter().any(|(_, kind, _)| is_empty_array(kind)) {
            return;
        }
        let predicted = faults.iter().any(|(.., effect)| *effect == Effect::Rejected);
        assert_eq!(predicted, round_trip(text).is_none(), "{surface} {name} {text}: {faults:?}");
    });
}

/// What serde derives for a struct reads the empty array, too, when no member is demanded. This is
/// Rust's own doing and nothing to rely on.
fn is_empty_array(kind: &FaultKind) -> bool {
    matches!(kind, FaultKind::WrongType { expected, found: "array" } if expected.contains(&"object"))
}
