//! Help texts for faults that new implementations often have.

use crate::{
    json::{Node, Text},
    protocol::{
        Version,
        schema::{FaultKind, SchemaFault},
    },
};

/// Help text for a missing required member; `None` where no text fits.
pub(super) fn missing_hint(
    version: Version,
    type_name: &str,
    member: &str,
    object: Node<'_>,
) -> Option<String> {
    let hint = match (version, type_name, member) {
        (_, "InitializeRequest" | "InitializeResponse", "protocolVersion") => {
            return Some(format!("add `\"protocolVersion\": {version}`"));
        }
        (Version::V1, "NewSessionRequest" | "LoadSessionRequest", "mcpServers") => {
            "add `\"mcpServers\": []` if there are none"
        }
        (Version::V2, "InitializeRequest" | "InitializeResponse", "info") => {
            "version 2 requires `info` with `name` and `version`"
        }
        (Version::V2, "ContentChunk", "messageId") => {
            "on version 2 all chunks of a message have the same `messageId`"
        }
        (Version::V2, "AvailableCommand", "type") => {
            "version 2 marks a command with `\"type\": \"command\"`"
        }
        (Version::V2, "AvailableCommandInput", "type") => {
            "version 2 marks it with `\"type\": \"text\"`"
        }
        (Version::V2, "SetSessionConfigOptionRequest", "type") => {
            "version 2 marks the value of a select with `\"type\": \"id\"`"
        }
        (Version::V2, "McpServer", "type") if object.get("command").is_some() => {
            "version 2 marks it with `\"type\": \"stdio\"`"
        }
        (_, "McpServer", "type") if object.get("url").is_some() => {
            "mark it with `\"type\": \"http\"`"
        }
        _ => return None,
    };
    Some(hint.to_owned())
}

/// Help text for an object without its discriminator `tag` that has the name of a variant in
/// another place; `None` for other objects.
pub(super) fn displaced_tag(tag: &str, allowed: &[&str], object: Node<'_>) -> Option<String> {
    object.members().find_map(|(name, value)| {
        let name = name.text()?.as_cow();
        if let Some(variant) = allowed.iter().find(|variant| value.is(variant)) {
            return Some(format!("did you mean `\"{tag}\": \"{variant}\"` for `{name}`?"));
        }
        let variant = allowed.iter().find(|variant| name == **variant)?;
        Some(format!("write `\"{tag}\": \"{variant}\"` and the members of `{name}` beside it"))
    })
}

/// Help text for a value of the wrong type; `None` where no text fits.
pub(super) fn wrong_type_hint(pointer: &str, fault: &SchemaFault<'_>) -> Option<String> {
    let FaultKind::WrongType { expected, found } = &fault.kind else { return None };
    if pointer.ends_with("/protocolVersion") {
        let text = fault.node.text().map(Text::as_cow).unwrap_or_default();
        let number = text.parse::<u16>().ok().or_else(|| text.strip_suffix(".0")?.parse().ok());
        return Some(match number {
            Some(number @ 1..=2) => format!("send {number}"),
            _ if text.len() == "2025-01-01".len() && text.starts_with("20") => {
                "send 1: dates are MCP versions, ACP has version numbers".to_owned()
            }
            _ => "send 1".to_owned(),
        });
    }
    if fault.type_name.ends_with("Capabilities") {
        return match (*found, expected.as_slice()) {
            ("boolean", kinds) if kinds.contains(&"object") => {
                Some("write `{}` if supported, otherwise leave it out".to_owned())
            }
            ("object", ["boolean"]) => Some("write `true` if supported".to_owned()),
            _ => None,
        };
    }
    None
}
