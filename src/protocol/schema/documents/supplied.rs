//! Schema documents that the user supplies, in the form in which upstream publishes them. They
//! replace the built-in ones in the current edition. Experimental.
//!
//! They are checked when they are supplied, so that whatever reads them later finds them whole: JSON
//! within bounds, valid by the meta-schema, with definitions that refer to one another and to nothing
//! else, and without definitions that are made of themselves alone.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::built_in;
use crate::protocol::{Surface, Version};

/// The schema documents that the user gave to replace built-in ones, and the SHA-256 of each.
#[derive(Debug)]
struct Supplied {
    texts: BTreeMap<Surface, String>,
    hash: String,
}

static SUPPLIED: OnceLock<Supplied> = OnceLock::new();

/// Replaces the built-in schema documents of these surfaces. Call it once, before any schema is
/// used; later calls change nothing.
///
/// # Errors
///
/// A sentence without a full stop that says which surface's document cannot be used, and why.
pub fn supply(documents: &[(Surface, String)]) -> Result<(), String> {
    let (texts, hash) = read(documents)?;
    SUPPLIED.get_or_init(|| Supplied { texts, hash });
    Ok(())
}

/// Checks documents as [`supply`] does. Returns them in the form of the built-in ones, and their
/// SHA-256 in hexadecimal digits.
///
/// # Errors
///
/// The errors of [`supply`].
pub fn read(
    documents: &[(Surface, String)],
) -> Result<(BTreeMap<Surface, String>, String), String> {
    let mut texts = BTreeMap::new();
    let mut hasher = Sha256::new();
    for (surface, text) in documents {
        let fault = |why: String| format!("`{}` {why}", file_name(*surface));
        let text_of_ours = stored(text).map_err(fault)?;
        is_of(*surface, &text_of_ours).map_err(fault)?;
        texts.insert(*surface, text_of_ours);
        hasher.update(surface.name());
        hasher.update([0]);
        hasher.update(text);
    }
    for version in [Version::V1, Version::V2] {
        let (stable, drafts) = (Surface::stable(version), Surface::unstable(version));
        if let Some(text) = texts.get(&stable).filter(|_| !texts.contains_key(&drafts)) {
            let fault = |why: String| format!("`{}` {why}", file_name(stable));
            let text = with_drafts(text, stable, drafts).map_err(fault)?;
            texts.insert(drafts, text);
        }
    }
    let hash = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((texts, hash))
}

/// The path of the schema document of a surface below a directory of schemas.
pub fn file_name(surface: Surface) -> &'static str {
    match surface {
        Surface::V1 => "v1/schema.json",
        Surface::V1Unstable => "v1/schema.unstable.json",
        Surface::V2 => "v2/schema.json",
        Surface::V2Unstable => "v2/schema.unstable.json",
    }
}

/// Fails where a document does not describe the surface's version of the protocol.
fn is_of(surface: Surface, text: &str) -> Result<(), String> {
    const NEEDED: [&str; 5] = [
        "InitializeRequest",
        "InitializeResponse",
        "NewSessionRequest",
        "PromptRequest",
        "SessionUpdate",
    ];
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let definitions = &document["$defs"];
    if let Some(missing) = NEEDED.into_iter().find(|name| definitions.get(*name).is_none()) {
        return Err(format!("is not a schema of the protocol: it does not define `{missing}`"));
    }
    let (version, member) = match surface {
        Surface::V1 | Surface::V1Unstable => (1, "clientCapabilities"),
        Surface::V2 | Surface::V2Unstable => (2, "capabilities"),
    };
    if definitions["InitializeRequest"]["properties"].get(member).is_none() {
        return Err(format!(
            "is not a schema of version {version}: its `InitializeRequest` has no `{member}`"
        ));
    }
    Ok(())
}

/// Makes the document with drafts when the user gave only the stable one: the built-in drafts, with
/// the new and changed definitions of the stable document. Fails when a document cannot be read.
fn with_drafts(stable: &str, of: Surface, drafts: Surface) -> Result<String, String> {
    let document = |text: &str| serde_json::from_str::<Value>(text).map_err(|it| it.to_string());
    let (new, old) = (document(stable)?, document(built_in::text(of))?);
    let mut merged = document(built_in::text(drafts))?;
    if let (Some(new), Some(merged)) = (new["$defs"].as_object(), merged["$defs"].as_object_mut()) {
        for (name, schema) in new {
            if old["$defs"].get(name) != Some(schema) {
                merged.insert(name.clone(), schema.clone());
            }
        }
    }
    stored(&merged.to_string())
}

/// SHA-256 of the supplied documents in hexadecimal digits; `None` where the built-in documents are
/// used.
pub fn supplied_hash() -> Option<&'static str> {
    Some(&SUPPLIED.get()?.hash)
}

/// The supplied document of a surface, in the form of the built-in ones; `None` where the user
/// supplied none.
pub(super) fn text(surface: Surface) -> Option<&'static str> {
    SUPPLIED.get()?.texts.get(&surface).map(String::as_str)
}

/// Brings a document into the form of the built-in ones: without prose, with each definition on one
/// line. Fails when the text is not a schema document.
fn stored(text: &str) -> Result<String, String> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| format!("is not JSON: {error}"))?;
    let Value::Object(mut head) = lean(&document, false) else {
        return Err("is not a JSON object".to_owned());
    };
    let Some(Value::Object(definitions)) = head.remove("$defs") else {
        return Err("has no `$defs` object".to_owned());
    };
    check(&definitions)?;
    let lines: Vec<_> =
        definitions.iter().map(|(name, schema)| format!("{}:{schema}", quoted(name))).collect();
    let head = Value::Object(head).to_string();
    let comma = if head == "{}" { "" } else { "," };
    let start = &head[..head.len() - 1];
    let text = format!("{start}{comma}\"$defs\":{{\n{}\n}}}}\n", lines.join(",\n"));
    validate(&text)?;
    Ok(text)
}

fn quoted(name: &str) -> Value {
    Value::String(name.to_owned())
}

/// A schema without prose. A title is kept where it alone identifies the open branch of a union.
fn lean(schema: &Value, is_branch: bool) -> Value {
    const PROSE: [&str; 4] = ["description", "$comment", "x-docs-ignore", "examples"];
    let members = match schema {
        Value::Array(schemas) => return schemas.iter().map(|it| lean(it, is_branch)).collect(),
        Value::Object(members) => members,
        other => return other.clone(),
    };
    let kept = members.iter().filter(|(keyword, _)| {
        !PROSE.contains(&keyword.as_str()) && (*keyword != "title" || is_branch)
    });
    kept.map(|(keyword, value)| {
        let value = match (keyword.as_str(), value) {
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                named.iter().map(|(name, it)| (name.clone(), lean(it, false))).collect()
            }
            ("anyOf" | "oneOf", value) => lean(value, true),
            ("const" | "enum" | "default" | "required", value) => value.clone(),
            (_, value) => lean(value, false),
        };
        (keyword.clone(), value)
    })
    .collect()
}

/// Fails unless all definitions have plain names, refer to definitions that exist, and do not
/// consist of themselves.
fn check(definitions: &Map<String, Value>) -> Result<(), String> {
    for (name, schema) in definitions {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        if name.is_empty() || !name.chars().all(is_plain) || !schema.is_object() {
            return Err(format!(
                "has a definition `{name}` that is not an object or not a plain name"
            ));
        }
        let mut referred = BTreeSet::new();
        references(schema, true, &mut referred)?;
        if let Some(missing) = referred.iter().find(|name| !definitions.contains_key(**name)) {
            return Err(format!("refers to `{missing}` in `{name}`, but does not define it"));
        }
    }
    // Definitions that are made of others in this set alone: a value of them is finite.
    let mut ended: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = ended.len();
        for (name, schema) in definitions {
            let mut parts = BTreeSet::new();
            references(schema, false, &mut parts)?;
            if parts.iter().all(|part| ended.contains(part)) {
                ended.insert(name);
            }
        }
        if ended.len() == definitions.len() {
            return Ok(());
        }
        if ended.len() == before {
            let endless = definitions.keys().find(|name| !ended.contains(name.as_str()));
            let endless = endless.map(String::as_str).unwrap_or_default();
            return Err(format!("has a definition `{endless}` that contains itself"));
        }
    }
}

/// Collects the names of the definitions that a schema refers to. `is_deep` also takes those of its
/// members and elements. Fails for a reference of another form.
fn references<'s>(
    schema: &'s Value,
    is_deep: bool,
    found: &mut BTreeSet<&'s str>,
) -> Result<(), String> {
    match schema {
        Value::Array(schemas) => schemas.iter().try_for_each(|it| references(it, is_deep, found)),
        Value::Object(keywords) => {
            keywords.iter().try_for_each(|(keyword, value)| match (keyword.as_str(), value) {
                ("$ref", Value::String(target)) => {
                    let name = target.strip_prefix("#/$defs/");
                    found.insert(name.ok_or_else(|| format!("refers to `{target}`"))?);
                    Ok(())
                }
                ("$dynamicRef" | "$recursiveRef" | "$id" | "$anchor", _) => {
                    Err(format!("uses `{keyword}`, which is not supported"))
                }
                ("const" | "enum" | "default" | "required", _) => Ok(()),
                ("properties" | "patternProperties", Value::Object(named)) if is_deep => {
                    named.values().try_for_each(|it| references(it, is_deep, found))
                }
                ("allOf" | "anyOf" | "oneOf" | "not", value) => references(value, is_deep, found),
                (_, value) if is_deep => references(value, is_deep, found),
                _ => Ok(()),
            })
        }
        _ => Ok(()),
    }
}

/// Fails where the document is not valid JSON Schema, or cannot be compiled.
fn validate(text: &str) -> Result<(), String> {
    let document: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Err(error) = jsonschema::draft202012::meta::validate(&document) {
        let error = error.masked().to_string();
        return Err(format!("is not a JSON Schema: {error}"));
    }
    jsonschema::draft202012::options()
        .build(&document)
        .map(|_| ())
        .map_err(|error| format!("cannot be compiled: {}", error.masked()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_upstream_are_stored_as_ours() {
        let text = include_str!("../../../../schema/v2/schema.json");
        let document: Value = serde_json::from_str(text).expect("JSON");
        let pretty = serde_json::to_string_pretty(&document).expect("JSON");
        let stored = stored(&pretty).expect("a schema");
        assert_eq!(serde_json::from_str::<Value>(&stored).expect("JSON"), document);
        let lines = |text: &str| text.lines().count();
        assert_eq!(lines(&stored), lines(text));
    }

    #[test]
    fn bad_documents_are_refused() {
        for (text, word) in [
            ("", "not JSON"),
            ("[]", "not a JSON object"),
            ("{}", "no `$defs` object"),
            (r#"{"$defs":{"A":true}}"#, "plain name"),
            (r##"{"$defs":{"A":{"$ref":"#/$defs/B"}}}"##, "does not define"),
            (r#"{"$defs":{"A":{"$ref":"https://example.com/a"}}}"#, "refers to"),
            (r##"{"$defs":{"A":{"allOf":[{"$ref":"#/$defs/A"}]}}}"##, "contains itself"),
            (r#"{"$defs":{"A":{"type":7}}}"#, "not a JSON Schema"),
            (r#"{"$defs":{"A\n":{}}}"#, "plain name"),
            (&"[".repeat(100_000), "not JSON"),
        ] {
            let error = stored(text).expect_err(word);
            assert!(error.contains(word), "{error}");
        }
        // A list of itself ends.
        assert!(
            stored(r##"{"$defs":{"A":{"type":"array","items":{"$ref":"#/$defs/A"}}}}"##).is_ok()
        );
    }
}
