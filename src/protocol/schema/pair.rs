//! Readers of parts of schemas: what they demand, with drafts and without.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::documents::StoredDefinitions;

/// A schema with drafts, and the corresponding schema without drafts. Comparing both shows what is
/// a draft.
#[derive(Clone, Copy, Debug)]
pub(super) struct SchemaPair {
    pub(super) schema: &'static Value,
    /// The stable schema, without drafts; `None` inside a draft, whose parts are not marked as drafts
    /// again.
    pub(super) stable: Option<&'static Value>,
    /// Name of the schema definition that this schema is a part of.
    pub(super) type_name: &'static str,
}

/// A branch of a union of objects, by the discriminator that selects it.
pub(super) enum Branch {
    /// A branch that one value of the discriminator selects: the value, and the branch.
    Variant(&'static str, SchemaPair),
    Other(SchemaPair),
    Untagged(SchemaPair),
}

impl SchemaPair {
    /// The part of both schemas to which `step` leads, such as that of a member. `step` must find
    /// it in the schema with drafts.
    pub(super) fn descend(self, step: impl Fn(&'static Value) -> Option<&'static Value>) -> Self {
        let schema = step(self.schema).expect("only parts that are there are descended to");
        Self { schema, stable: self.stable.and_then(step), type_name: self.type_name }
    }

    /// Whether the schema is a draft while `parent` is not.
    pub(super) fn is_draft(self, parent: Self) -> bool {
        parent.stable.is_some() && self.stable.is_none()
    }
}

/// The branches of a union, each paired with the same branch without drafts.
pub(super) fn branches(keyword: &'static str, pair: SchemaPair) -> Vec<SchemaPair> {
    let of = |schema: &'static Value| schema[keyword].as_array().into_iter().flatten();
    let stable: Vec<_> =
        pair.stable.into_iter().flat_map(of).map(|branch| (identity(branch), branch)).collect();
    of(pair.schema)
        .map(|schema| {
            let ours = identity(schema);
            let same = stable.iter().find(|(identity, _)| *identity == ours);
            SchemaPair { schema, stable: same.map(|(_, branch)| *branch), ..pair }
        })
        .collect()
}

/// A key by which a branch with drafts is matched with the branch without: its constant or
/// discriminator, else its title, the definition it refers to, or its type. `None` without any.
fn identity(branch: &'static Value) -> Option<&'static Value> {
    branch
        .get("const")
        .or_else(|| tag_of(branch).map(|(_, value)| value))
        .or_else(|| branch.get("title"))
        .or_else(|| branch.get("$ref"))
        .or_else(|| branch.get("type"))
}

/// The discriminator of a branch (its required member with a constant string) and that string;
/// `None` for a branch without one.
pub(super) fn tag_of(branch: &'static Value) -> Option<(&'static str, &'static Value)> {
    let members = branch["properties"].as_object()?;
    members.iter().find_map(|(name, schema)| {
        let value = schema.get("const").filter(|value| value.is_string())?;
        strings(&branch["required"])
            .any(|required| required == name)
            .then_some((name.as_str(), value))
    })
}

/// The discriminator of a union, and its branches in order of it; `None` for a union without
/// discriminator.
pub(super) fn discriminate(branches: &[SchemaPair]) -> Option<(&'static str, Vec<Branch>)> {
    let (tag, _) = branches.iter().find_map(|branch| tag_of(branch.schema))?;
    let known: BTreeSet<_> = branches
        .iter()
        .filter_map(|branch| tag_of(branch.schema).filter(|(name, _)| *name == tag)?.1.as_str())
        .collect();
    let sorted = branches.iter().map(|branch| match tag_of(branch.schema) {
        Some((name, value)) if name == tag => {
            Branch::Variant(value.as_str().unwrap_or_default(), *branch)
        }
        _ if branch.schema["properties"][tag]["type"] == "string"
            && guarded(branch.schema, tag).is_some_and(|guarded| guarded == known) =>
        {
            Branch::Other(*branch)
        }
        _ => Branch::Untagged(*branch),
    });
    Some((tag, sorted.collect()))
}

/// Values of the discriminator `tag` that a branch excludes by `not`. `None` where it excludes
/// none, or in another form.
fn guarded(branch: &'static Value, tag: &str) -> Option<BTreeSet<&'static str>> {
    let excluded = branch.get("not")?;
    if keywords(excluded) != ["anyOf"] {
        return None;
    }
    let excluded = excluded["anyOf"].as_array()?.iter().map(|excluded| {
        let (name, value) = tag_of(excluded)?;
        let is_guard = keywords(excluded)
            .iter()
            .all(|keyword| ["type", "properties", "required"].contains(keyword))
            && excluded["properties"].as_object()?.len() == 1;
        value.as_str().filter(|_| is_guard && name == tag)
    });
    excluded.collect()
}

/// Whether a schema demands something else than without drafts. Added members and branches do not
/// count.
pub(super) fn differs(pair: SchemaPair) -> bool {
    let Some(stable) = pair.stable else { return false };
    let (ours, theirs) = (keywords(pair.schema), keywords(stable));
    let same_keywords = ours.len() == theirs.len() && ours.iter().all(|one| theirs.contains(one));
    if !same_keywords {
        return true;
    }
    ours.iter().any(|&keyword| {
        let (ours, theirs) = (&pair.schema[keyword], &stable[keyword]);
        match keyword {
            // Schemas below are compared when they are descended to.
            "items" => false,
            "additionalProperties" if ours.is_object() && theirs.is_object() => false,
            "allOf" => ours.as_array().map(Vec::len) != theirs.as_array().map(Vec::len),
            "properties" => {
                let has = |name: &String| ours.get(name).is_some();
                !theirs.as_object().is_some_and(|theirs| theirs.keys().all(has))
            }
            "anyOf" | "oneOf" => {
                let identities =
                    |union: &'static Value| union.as_array().into_iter().flatten().map(identity);
                let ours: Vec<_> = identities(ours).collect();
                !identities(theirs).all(|branch| ours.contains(&branch))
            }
            // The guard of the branch for undefined discriminators excludes drafts as well.
            "not" => !guards(theirs).is_subset(&guards(ours)),
            "required" => {
                strings(ours).collect::<BTreeSet<_>>() != strings(theirs).collect::<BTreeSet<_>>()
            }
            _ => ours != theirs,
        }
    })
}

/// The values of the discriminator that a `not` in a schema excludes.
fn guards(excluded: &'static Value) -> BTreeSet<&'static str> {
    let excluded = excluded["anyOf"].as_array().into_iter().flatten();
    excluded.filter_map(|excluded| tag_of(excluded)?.1.as_str()).collect()
}

/// The keywords of a schema that restrict values, sorted by name.
pub(super) fn keywords(schema: &'static Value) -> Vec<&'static str> {
    const REMARKS: [&str; 6] =
        ["title", "default", "discriminator", "format", "contentEncoding", "$schema"];
    let mut keywords: Vec<_> = schema
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .filter(|keyword| !REMARKS.contains(keyword) && !keyword.starts_with("x-"))
        .collect();
    keywords.sort_unstable();
    keywords
}

/// Whether a schema accepts any value, as `true` and `{}` do.
pub(super) fn is_anything(schema: &'static Value) -> bool {
    *schema == true || (schema.is_object() && keywords(schema).is_empty())
}

pub(super) fn is_string(schema: &'static Value) -> bool {
    schema["type"] == "string"
        && keywords(schema).iter().all(|keyword| ["const", "type"].contains(keyword))
}

/// The JSON types that a schema may accept; `None` stands for any type.
pub(super) fn kinds_of(
    schema: &'static Value,
    definitions: &'static StoredDefinitions,
) -> Vec<Option<&'static str>> {
    if let Some(kind) = schema.get("type") {
        return match kind {
            Value::Array(kinds) => kinds.iter().map(Value::as_str).collect(),
            kind => vec![kind.as_str()],
        };
    }
    let union = schema.get("anyOf").or_else(|| schema.get("oneOf"));
    let mut kinds: Vec<_> = if schema.get("$ref").is_some() {
        let definition = definitions.get(target(schema));
        definition.map_or(vec![None], |definition| kinds_of(definition, definitions))
    } else if let Some(part) = schema["allOf"].get(0) {
        kinds_of(part, definitions)
    } else if let Some(branches) = union.and_then(Value::as_array) {
        branches.iter().flat_map(|branch| kinds_of(branch, definitions)).collect()
    } else {
        vec![None]
    };
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The name of the definition to which the `$ref` of a schema refers.
pub(super) fn target(schema: &'static Value) -> &'static str {
    let reference = schema["$ref"].as_str().unwrap_or_default();
    reference.strip_prefix("#/$defs/").unwrap_or(reference)
}

/// The name of the definition to which a branch refers in its `allOf`, beside its discriminator;
/// `None` without one.
pub(super) fn referred(branch: &'static Value) -> Option<&'static str> {
    match branch["allOf"].as_array()?.as_slice() {
        [only] if only.get("$ref").is_some() => Some(target(only)),
        _ => None,
    }
}

pub(super) fn strings(list: &'static Value) -> impl Iterator<Item = &'static str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// The number that a keyword such as `minLength` sets; `None` where the schema lacks the keyword.
pub(super) fn count(schema: &Value, keyword: &str) -> Option<usize> {
    schema[keyword].as_u64().and_then(|count| usize::try_from(count).ok())
}

/// Names that `propertyNames` forbids; `None` where it demands anything else.
pub(super) fn forbidden(names: &'static Value) -> Option<Vec<&'static str>> {
    let keywords = names.as_object().filter(|keywords| keywords.len() == 1)?;
    let not = keywords.get("not")?.as_object().filter(|keywords| keywords.len() == 1)?;
    match (not.get("const"), not.get("enum")) {
        (Some(name), _) => Some(vec![name.as_str()?]),
        (None, Some(names)) => names.as_array()?.iter().map(Value::as_str).collect(),
        (None, None) => None,
    }
}
