use std::{borrow::Cow, collections::BTreeSet};

use crate::{
    event::MethodStatus,
    model::Capabilities,
    protocol::{
        methods::is_in_namespace,
        schema::{FaultKind, Observation, Protocol, SchemaFault, nearest, upstream},
    },
    rule::prelude::*,
    rules::{schema::wording::noun, surface::withdrawn_method::successor},
    transcript::since_1970,
};

pub(crate) static RULE: Rule = Rule {
    id: "surface/newer-than-known",
    summary: "a name is used that may be newer than the schemas of acpcheck",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("acpcheck, `acpcheck --version`"),
        requires: "acpcheck judges unknown names only if it can be sure",
    }],
    explanation: r"
A name without a leading underscore belongs to the protocol. If acpcheck does not know it, it is a
typo, a custom name, or newer than the schemas of acpcheck. It is probably newer if:

- a request was answered with a result, so both sides know the method, and its name follows the
  protocol's own pattern, such as `session/…`;

- the receiver has advertised an unknown capability with a similar name;

- the name of a method or update follows the protocol's own pattern, and a time in the recording is
later than the schemas.

Then acpcheck does not judge the name, and the report counts it as not assessable. A name that
differs from a known one by one or two letters is still an error. With `--edition` no method is
newer.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/hologram","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/hologram","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/hologram","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/hologram","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"hologram":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"hologram_update"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"_acme/hologram","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        )
        .beside(&["capability/unknown-key"]),
    ],
    on: &[On::Call(&[], called), On::Answer(&[], answered), On::Observed(seen), On::Rejected(refused)],
    ..Rule::DEFAULT
};

/// Checks a call of an undefined method for signs (its name, the time) that the method is newer
/// than acpcheck's schemas.
fn called(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if call.method_status == MethodStatus::Extension {
        return Some(Verdict::Pass);
    }
    let method = call.method.as_cow();
    let is_newer = call.method_status == MethodStatus::Undefined
        && is_later(call.message.at)
        && may_be_newer(&method, connection);
    is_newer.then(|| {
        finding("method", &method)
            .at(call.method, "named like the protocol's own methods")
            .help(LATER)
            .into()
    })
}

/// Checks an undefined method whose request was answered with a result, which shows that both sides
/// know it.
fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let request = answer.request;
    let name = &*request.method;
    if request.method_status != MethodStatus::Undefined
        || answer.result().is_none()
        || !may_be_newer(name, connection)
    {
        return None;
    }
    Some(
        finding("method", name)
            .at(request.method_at, "unknown here")
            .at(answer.node, "answered with a result")
            .blaming(request.sender)
            .into(),
    )
}

/// Checks a value that an open enumeration does not define for signs that it is newer than
/// acpcheck's schemas.
fn seen(seen: &Observed<'_>, connection: &Connection) -> Option<Verdict> {
    let Observation::OpenValue { value, site } = seen.what else { return None };
    let what = noun(site.type_name, site.tag);
    let known = site.known.iter().copied();
    value_finding(value.text()?, &what, site.type_name, known, seen.message, connection)
}

/// Checks a value that a closed enumeration does not define for signs that it is newer than
/// acpcheck's schemas.
fn refused(refused: &Rejected<'_>, connection: &Connection) -> Option<Verdict> {
    let fault = &refused.what;
    if let FaultKind::Missing { .. } = fault.kind {
        return passed_on(fault, refused.message, connection);
    }
    let (tag, allowed) = match &fault.kind {
        FaultKind::UnknownVariant { allowed, .. } => (Some("type"), allowed),
        FaultKind::UnknownValue { allowed, .. } => (None, allowed),
        _ => return None,
    };
    let is_update = fault.type_name == "SessionUpdate";
    let what = if is_update { "session update".to_owned() } else { noun(fault.type_name, tag) };
    let known = allowed.iter().copied();
    value_finding(fault.node.text()?, &what, fault.type_name, known, refused.message, connection)
}

fn value_finding(
    value: Text<'_>,
    what: &str,
    type_name: &str,
    known: impl Iterator<Item = &'static str>,
    message: &Message<'_>,
    connection: &Connection,
) -> Option<Verdict> {
    let name = value.as_cow();
    if name.starts_with('_') || nearest(&name, known).is_some() {
        return None;
    }
    let receiver = advertised(&name, message.sender?.peer(), connection);
    // User messages repeat the content of prompts.
    let is_echo = || {
        let update = message.envelope.params.and_then(|params| params.get("update"));
        let kind = update.and_then(|update| update.get("sessionUpdate"));
        type_name == "ContentBlock"
            && kind.is_some_and(|it| it.is("user_message") || it.is("user_message_chunk"))
    };
    let own = || advertised(&name, message.sender?, connection).filter(|_| is_echo());
    if let Some(key) = receiver.or_else(own) {
        let finding = finding(what, &name)
            .at(value, "unknown here")
            .at(key, "the receiver advertises this, which is also unknown")
            .explains(value.node());
        return Some(finding.into());
    }
    let is_update = type_name == "SessionUpdate" && is_named_like_updates(&name);
    // The capabilities of the receiver are not on record.
    if is_update && capabilities(message.sender?.peer(), connection).is_none() {
        let finding = finding(what, &name)
            .at(value, "named like the protocol's own updates")
            .help("the capabilities of the receiver are not recorded")
            .explains(value.node());
        return Some(finding.into());
    }
    (is_update && is_later(message.at)).then(|| {
        finding(what, &name)
            .at(value, "named like the protocol's own names")
            .help(LATER)
            .explains(value.node())
            .into()
    })
}

/// Checks an undefined discriminator whose object is accepted as the variant without one.
fn passed_on(
    fault: &SchemaFault<'_>,
    message: &Message<'_>,
    connection: &Connection,
) -> Option<Verdict> {
    let (union, what) = match fault.type_name {
        "McpServerStdio" => ("McpServer", "MCP transport"),
        "AuthMethodAgent" => ("AuthMethod", "auth method type"),
        _ => return None,
    };
    let version = connection.version()?;
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let known = protocol.definition(union)?.tags("type");
    let value = fault.node.get("type")?.text()?;
    let name = value.as_cow();
    if name.starts_with('_') || nearest(&name, known).is_some() {
        return None;
    }
    let key = advertised(&name, message.sender?.peer(), connection)?;
    let mut finding = finding(what, &name)
        .at(value, "unknown here")
        .at(key, "the receiver advertises this, which is also unknown");
    for missing in protocol.definition(fault.type_name)?.required() {
        finding = finding.explains_missing(fault.node, missing);
    }
    Some(finding.into())
}

const LATER: &str = "the recording is later than the schemas of acpcheck";

fn finding(what: &str, name: &str) -> Finding {
    let date = upstream().date;
    Finding::new(format!("the {what} `{name}` is not judged: it may be newer than {date}"))
        .once_per((what, name))
}

/// Returns true when an undefined method may be newer than the schemas: its name has the protocol's
/// own pattern and is not the misspelt name of another method. With a pinned edition no method is
/// newer.
pub(in crate::rules) fn may_be_newer(method: &str, connection: &Connection) -> bool {
    connection.pinned_edition().is_none()
        && is_in_namespace(method)
        && is_unlike_known(method, connection)
}

/// Whether a name is neither a misspelt method of the protocol nor a method of a withdrawn draft.
pub(in crate::rules) fn is_unlike_known(method: &str, connection: &Connection) -> bool {
    let version = connection.version().unwrap_or(Version::V1);
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    successor(method).is_none()
        && nearest(method, protocol.methods().map(|method| method.name)).is_none()
        && function_of(method, protocol).is_none()
}

/// The method whose function in the official SDKs has this name: `session/new` for `newSession`.
/// `None` for other names.
pub(in crate::rules) fn function_of(name: &str, protocol: &Protocol) -> Option<&'static str> {
    /// Most bytes of a name that is compared with functions of the SDKs, which have shorter names.
    const LONGEST: usize = 100;
    if name.len() > LONGEST || name.contains('/') {
        return None;
    }
    // Names of one word are ambiguous, except these.
    let alone = match name {
        "prompt" => protocol.method("session/prompt"),
        "cancel" => protocol.method("session/cancel"),
        _ => None,
    };
    if let Some(method) = alone {
        return Some(method.name);
    }
    let name = name.strip_prefix("unstable_").unwrap_or(name);
    let own: BTreeSet<_> = words(name).collect();
    let is_whole = |method: &str| {
        words(method).all(|word| own.contains(&word))
            && words(method).collect::<BTreeSet<_>>() == own
    };
    let is_part = |method: &str| {
        let part = method.split_once('/').map(|(_, part)| part);
        part.is_some_and(|part| own.len() > 1 && is_whole(part))
    };
    let methods = || protocol.methods().map(|method| method.name);
    methods().find(|method| is_whole(method)).or_else(|| methods().find(|method| is_part(method)))
}

/// Whether a name has the form of the protocol's kinds of updates, such as `…_update`.
fn is_named_like_updates(name: &str) -> bool {
    const ENDINGS: [&str; 4] = ["_update", "_chunk", "_removed", "_complete"];
    name.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether a message was recorded after the day of the built-in schemas. `at` is its time on the
/// recorder's clock.
pub(in crate::rules) fn is_later(at: Option<f64>) -> bool {
    at.is_some_and(|at| since_1970(at) >= upstream().end)
}

/// Place of an undefined capability of a side whose name resembles this one; `None` where there is
/// none.
pub(in crate::rules) fn advertised(
    name: &str,
    side: Side,
    connection: &Connection,
) -> Option<Mark> {
    /// Most bytes of a name that is compared with the protocol's names, which are shorter.
    const LONGEST: usize = 100;
    /// Most capabilities that are compared with a name; others are not, to limit the time.
    const MANY: usize = 256;
    if name.len() > LONGEST {
        return None;
    }
    let capabilities = capabilities(side, connection)?;
    let version = connection.version()?;
    let protocol = Protocol::of(Surface::unstable(version), connection.edition());
    let of_name: Vec<_> = words(name).collect();
    capabilities.advertised().take(MANY).find_map(|(key, capability)| {
        if key.starts_with('_') || key.len() > LONGEST {
            return None;
        }
        let is_alike = words(key).all(|word| of_name.contains(&word))
            && words(key).any(|word| !is_common(&word, protocol));
        let is_known = || {
            let mut known = protocol.definitions().filter(|it| it.name().ends_with("Capabilities"));
            known.any(|it| it.members().any(|member| member == key))
        };
        (is_alike && !is_known()).then(|| capability.into())
    })
}

/// Whether many names of the protocol have the word, so that sharing it shows no relation.
fn is_common(word: &str, protocol: &Protocol) -> bool {
    if matches!(word, "update" | "chunk" | "removed" | "complete") {
        return true;
    }
    let updates = protocol.definition("SessionUpdate");
    let mut kinds = updates.into_iter().flat_map(|updates| updates.tags("sessionUpdate"));
    let mut has_word = || kinds.any(|kind| words(kind).any(|it| it == word));
    has_word() && has_word()
}

/// The capabilities that a side has advertised; `None` when they are not on record.
fn capabilities(side: Side, connection: &Connection) -> Option<&Capabilities> {
    match side {
        Side::Client => connection.client_capabilities(),
        Side::Agent => connection.agent_capabilities(),
    }
}

/// Words of a name in camel case or snake case, in lower case and without the `s` of a plural.
fn words(name: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let parts = name.split(|letter: char| !letter.is_alphanumeric());
    parts.flat_map(humps).map(|word| {
        let word = if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
            Cow::Borrowed(word)
        } else {
            Cow::Owned(word.to_lowercase())
        };
        match word {
            Cow::Borrowed(word) if word.len() > 3 => word.strip_suffix('s').unwrap_or(word).into(),
            Cow::Owned(mut word) if word.len() > 3 && word.ends_with('s') => {
                word.pop();
                word.into()
            }
            short => short,
        }
    })
}

/// The parts of a word in camel case, each of which begins with its capital letter.
fn humps(mut word: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let first = word.chars().next()?;
        let rest = &word[first.len_utf8()..];
        let end = rest.find(char::is_uppercase).map_or(word.len(), |end| first.len_utf8() + end);
        let (hump, others) = word.split_at(end);
        word = others;
        Some(hump)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_their_words() {
        for (name, own) in [
            ("promptSuggestions", "prompt suggestion"),
            ("prompt_suggestions_update", "prompt suggestion update"),
            ("tool-call/x", "tool call x"),
            ("aURLs", "a u r ls"),
            ("ÄpfelÖle2", "äpfel öle2"),
            ("__bus__", "bus"),
            ("", ""),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), own, "{name}");
        }
    }

    #[test]
    fn words_of_many_names_are_common() {
        for surface in [Surface::V1Unstable, Surface::V2Unstable] {
            let protocol = Protocol::of(surface, Edition::CURRENT);
            for word in ["update", "chunk", "message", "session", "removed"] {
                assert!(is_common(word, protocol), "{word}");
            }
            for word in ["hologram", "suggestion", "usage"] {
                assert!(!is_common(word, protocol), "{word}");
            }
        }
    }

    #[test]
    fn functions_stand_for_methods() {
        let protocol = Protocol::of(Surface::V1Unstable, Edition::CURRENT);
        for (name, method) in [
            ("newSession", Some("session/new")),
            ("unstable_forkSession", Some("session/fork")),
            ("prompt", Some("session/prompt")),
            ("cancel", Some("session/cancel")),
            ("setSessionMode", Some("session/set_mode")),
            ("session_update", Some("session/update")),
            ("requestPermission", Some("session/request_permission")),
            ("readTextFile", Some("fs/read_text_file")),
            ("createTerminal", Some("terminal/create")),
            ("hologram", None),
            ("acme/newSession", None),
        ] {
            assert_eq!(function_of(name, protocol), method, "{name}");
        }
    }
}
