//! The schema document of a surface in an edition.
//!
//! The built-in documents are those of the current edition. For an older one the document is
//! changed back before anything is compiled from it, so that validators, shapes and method tables
//! of all editions come from the same code. What a later edition added stays: it is known in every
//! edition. Integer formats, which validators ignore, become bounds.

use serde_json::{Map, Value, json};

use super::{built_in, supplied};
use crate::protocol::{Edition, Surface, Version};

/// Text of a surface's schema document before [`turn_back`]: for the current edition the document
/// that the user supplied, else the built-in one.
pub(super) fn text(surface: Surface, edition: Edition) -> &'static str {
    let is_current = edition == Edition::CURRENT;
    let supplied = if is_current { supplied::text(surface) } else { None };
    supplied.unwrap_or_else(|| built_in::text(surface))
}

/// The schema document of a surface in an edition, made from the newest one by undoing changes.
/// Takes the parsing of about 100 KB.
pub(in crate::protocol::schema) fn document(surface: Surface, edition: Edition) -> Value {
    let mut document: Value =
        serde_json::from_str(text(surface, edition)).expect("schemas are JSON");
    for (name, schema) in document["$defs"].as_object_mut().into_iter().flatten() {
        turn_back(name, schema, surface, edition);
    }
    each_schema(&mut document, &mut assert_format);
    document
}

/// Turns the schema of one definition into that of an older edition, as [`document`] has it.
pub(super) fn amend(name: &str, schema: &mut Value, surface: Surface, edition: Edition) {
    turn_back(name, schema, surface, edition);
    each_schema(schema, &mut assert_format);
}

/// Undoes the changes of one definition that are newer than `edition`, the newest first.
fn turn_back(name: &str, schema: &mut Value, surface: Surface, edition: Edition) {
    let Some(schema) = schema.as_object_mut() else { return };
    let version = surface.version();
    if edition <= Edition::November2026 {
        before_late_november(name, schema, version);
        if !surface.is_unstable() {
            make_draft(name, schema);
        }
    }
    if edition <= Edition::September2026 && version == Version::V2 {
        allow_empty_lists(schema);
        match name {
            // Commands had no `type` until October 2026.
            "AvailableCommand" => {
                if let Some(commands) = branches_of(schema) {
                    let untagged = json!({"$ref": "#/$defs/Command"});
                    commands.push(json!({"title": "untagged", "allOf": [untagged]}));
                }
            }
            "ToolCallLocation" => {
                if let Some(line) = member_of(schema, "line") {
                    line.insert("minimum".into(), json!(0));
                }
            }
            "RequestId" => {
                if let Some(kinds) = branches_of(schema) {
                    kinds.push(json!({"title": "Null", "type": "null"}));
                }
            }
            "SessionConfigSelectOptions" => {
                for options in object_branches_of(schema) {
                    options.remove("minItems");
                }
            }
            _ => {}
        }
    }
    if edition <= Edition::August2026 && version == Version::V2 && name == "PromptResponse" {
        no_longer_required(schema, "messageId");
    }
    if edition <= Edition::June2026 {
        match name {
            "PlanItems" | "PlanFile" | "PlanMarkdown" | "PlanRemoved" => {
                rename(schema, "planId", "id");
            }
            "PlanUpdateContent" => {
                for branch in object_branches_of(schema) {
                    rename(branch, "planId", "id");
                }
            }
            _ => {}
        }
    }
    if edition <= Edition::May2026 && name == "ClientCapabilities" {
        rename(schema, "plan", "planCapabilities");
    }
}

/// Undoes what the revision of 20 November 2026 changed in a definition.
fn before_late_november(name: &str, schema: &mut Map<String, Value>, version: Version) {
    if name == "PlanUpdateContent" {
        // A plan in a file had a type of its own.
        let file = json!({
            "type": "object",
            "properties": {
                "type": {"type": "string", "const": "file"},
                "planId": {"allOf": [{"$ref": "#/$defs/PlanId"}]},
                "uri": {"type": "string"},
                "_meta": {
                    "type": ["object", "null"],
                    "x-deserialize-default-on-error": true,
                    "additionalProperties": true,
                },
            },
            "required": ["type", "planId", "uri"],
        });
        add_branch(schema, "type", "file", file);
    }
    if version == Version::V1 {
        return;
    }
    match name {
        "StringPropertySchema" => {
            if let Some(members) = object(schema.get_mut("properties")) {
                members.insert("pattern".into(), json!({"type": ["string", "null"]}));
            }
        }
        "CompactionUpdate" => {
            if let Some(members) = object(schema.get_mut("properties")) {
                let status = json!({"allOf": [{"$ref": "#/$defs/CompactionStatus"}]});
                members.insert("status".into(), status);
            }
            if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
                required.push(json!("status"));
            }
        }
        "Diff" => {
            if let Some(changes) = member_of(schema, "changes") {
                changes.remove("minItems");
            }
        }
        "SystemPrompt" => {
            if let Some(content) = member_of(schema, "content") {
                content.remove("minItems");
            }
        }
        "ElicitationSessionScope" | "ElicitationRequestScope" | "TitledMultiSelectItems" => {
            schema.remove("propertyNames");
        }
        _ => {}
    }
}

/// Removes from a definition of a stable surface what was a draft until 20 November 2026, for
/// earlier editions. Members that no draft had before that day stay, so that they are not reported
/// as unknown.
fn make_draft(name: &str, schema: &mut Map<String, Value>) {
    let (tag, variants): (_, &[_]) = match name {
        "SessionUpdate" => (
            "sessionUpdate",
            &["plan_removed", "subagent_update", "session_message", "session_message_chunk"],
        ),
        "PlanUpdateContent" => ("type", &["markdown", "file"]),
        "BackgroundWork" => ("type", &["subagent"]),
        "StateUpdate" => ("state", &["unknown"]),
        _ => ("", &[]),
    };
    for variant in variants {
        remove_branch(schema, tag, variant);
    }
    // Version 1, whose set of updates is closed, had none of the plan operations.
    if name == "SessionUpdate" && schema.contains_key("oneOf") {
        remove_branch(schema, tag, "plan_update");
    }
    let members: &[_] = match name {
        "ClientCapabilities" => &["plan", "subagents"],
        "SessionCapabilities"
        | "NewSessionRequest"
        | "LoadSessionRequest"
        | "ResumeSessionRequest" => &["systemPrompt"],
        _ => &[],
    };
    if let Some(properties) = object(schema.get_mut("properties")) {
        for member in members {
            properties.remove(*member);
        }
    }
}

/// Removes the minimum length of prompts and lists of options, which older editions did not have.
fn allow_empty_lists(schema: &mut Map<String, Value>) {
    for list in ["prompt", "options"] {
        if let Some(list) = member_of(schema, list) {
            list.remove("minItems");
        }
    }
}

/// Adds the bounds of an integer `format` such as `int32`, which validators ignore.
fn assert_format(schema: &mut Map<String, Value>) {
    let (least, greatest) = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("int64") => (json!(i64::MIN), json!(i64::MAX)),
        Some("uint16") => (json!(u16::MIN), json!(u16::MAX)),
        Some("uint32") => (json!(u32::MIN), json!(u32::MAX)),
        Some("uint64") => (json!(u64::MIN), json!(u64::MAX)),
        _ => return,
    };
    // Where the schemas have bounds, those are narrower than the format's.
    schema.entry("minimum").or_insert(least);
    schema.entry("maximum").or_insert(greatest);
}

/// Calls `change` with every schema object in a value, and with the value itself.
fn each_schema(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Array(schemas) => {
            for schema in schemas {
                each_schema(schema, change);
            }
        }
        Value::Object(keywords) => {
            change(keywords);
            let is_nested = |value: &Value| value.is_object() || value.is_array();
            for (keyword, value) in keywords.iter_mut().filter(|(_, value)| is_nested(value)) {
                match (keyword.as_str(), value) {
                    ("properties" | "$defs", Value::Object(named)) => {
                        for schema in named.values_mut() {
                            each_schema(schema, change);
                        }
                    }
                    ("const" | "enum" | "default" | "required", _) => {}
                    (_, value) => each_schema(value, change),
                }
            }
        }
        _ => {}
    }
}

fn object(value: Option<&mut Value>) -> Option<&mut Map<String, Value>> {
    value?.as_object_mut()
}

/// The schema of a member of an object schema; `None` where there is none.
fn member_of<'d>(
    definition: &'d mut Map<String, Value>,
    member: &str,
) -> Option<&'d mut Map<String, Value>> {
    object(object(definition.get_mut("properties"))?.get_mut(member))
}

/// The branches of a schema that is a union, to change them; `None` for other schemas.
fn branches_of(definition: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    let keyword = if definition.contains_key("anyOf") { "anyOf" } else { "oneOf" };
    definition.get_mut(keyword)?.as_array_mut()
}

/// The branches of a union that are objects rather than `true` or `false`.
fn object_branches_of(
    definition: &mut Map<String, Value>,
) -> impl Iterator<Item = &mut Map<String, Value>> {
    branches_of(definition).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// The schemas of the defined branches that the open branch of a union excludes; `None` where the
/// union has no open branch.
fn excluded(definition: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    let open = object_branches_of(definition).find(|branch| branch.contains_key("not"))?;
    object(open.get_mut("not"))?.get_mut("anyOf")?.as_array_mut()
}

/// Adds `branch` to a union, for the value `value` of the discriminator `tag`.
fn add_branch(definition: &mut Map<String, Value>, tag: &str, value: &str, branch: Value) {
    if let Some(excluded) = excluded(definition) {
        excluded.push(json!({
            "type": "object",
            "properties": {tag: {"type": "string", "const": value}},
            "required": [tag],
        }));
    }
    if let Some(branches) = branches_of(definition) {
        branches.insert(0, branch);
    }
}

/// Removes the branch for the value `value` of the discriminator `tag` from a union.
fn remove_branch(definition: &mut Map<String, Value>, tag: &str, value: &str) {
    let is_other = |branch: &Value| branch["properties"][tag]["const"] != value;
    if let Some(excluded) = excluded(definition) {
        excluded.retain(is_other);
    }
    if let Some(branches) = branches_of(definition) {
        branches.retain(is_other);
    }
}

/// Renames a member of an object schema. Does nothing where the schema lacks the member.
fn rename(schema: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(properties) = object(schema.get_mut("properties"))
        && let Some(member) = properties.remove(from)
    {
        properties.insert(to.to_owned(), member);
    }
    for name in schema.get_mut("required").and_then(Value::as_array_mut).into_iter().flatten() {
        if name == from {
            *name = json!(to);
        }
    }
}

fn no_longer_required(schema: &mut Map<String, Value>, name: &str) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|required| required != name);
    }
}
