//! Finds the innermost definition that has all faults of a value.
//!
//! For a union, the validator returns the errors of all branches, most of them about branches that
//! the sender did not mean. Where the discriminator names a branch, or one member alone does not
//! fit, the definition of that branch or member finds the same faults in a fraction of the time.

use serde_json::Value;

use super::{
    Definition, SchemaFault, narrow,
    pair::{tag_of, target},
};
use crate::json::Node;

/// Keywords of a schema that put no restriction on an object. Those with `x-` are the protocol's own
/// annotations.
const SILENT: [&str; 8] =
    ["description", "discriminator", "title", "type", "x-method", "x-scope", "x-side", "x-state"];

/// In which part of a value all its faults must be, as the definition of the value shows.
#[derive(Debug)]
pub(super) enum Parts {
    None,
    /// The definition is a union: faults lie in the branch of the value's discriminator `tag`.
    /// `branches` maps the values of `tag` to definitions; `None` where the branch demands more
    /// than its definition. `is_closed`: there is no branch for other values of `tag`.
    Variants {
        tag: &'static str,
        branches: Vec<(&'static str, Option<&'static str>)>,
        is_closed: bool,
    },
    /// The definition only restricts members: all faults are in the member that does not fit.
    Members,
}

impl Definition {
    /// The smallest part of the value that certainly has all its faults, with the definition of
    /// this part, so that messages are precise and fast. Returns `self` and `value` where no
    /// smaller part has them all.
    pub(super) fn focus<'t>(&'static self, value: Node<'t>) -> (&'static Self, Node<'t>) {
        let (mut definition, mut node) = (self, value);
        while let Some((name, part)) = definition.narrower(node)
            && let Some(next) = super::definitions(self.entry.surface, self.entry.edition).get(name)
        {
            (definition, node) = (next, part);
        }
        (definition, node)
    }

    fn narrower<'t>(&self, node: Node<'t>) -> Option<(&'static str, Node<'t>)> {
        if !node.is_object() || node.doc().has_duplicate_names() {
            return None;
        }
        match self.parts.get_or_init(|| self.parts()) {
            Parts::None => None,
            Parts::Variants { tag, branches, .. } => {
                let text = node.get(tag)?.text()?;
                let mut named = branches.iter().filter(|(own, _)| text == *own);
                let (_, definition) = named.next().filter(|_| named.next().is_none())?;
                Some(((*definition)?, node))
            }
            Parts::Members => {
                let member = self.program.only_misfit(self.shape?, node)?;
                let schema = self.schema()["properties"].get(member)?;
                let is_plain = consists_of(schema, &["$ref", "allOf"]);
                is_plain.then_some((referred(schema)?, node.get(member)?))
            }
        }
    }

    /// The fault of an object whose discriminator names no branch of a union, which is seen without
    /// the validator; `None` for other values and definitions.
    pub(super) fn fault_of_tag<'t>(&'static self, node: Node<'t>) -> Option<SchemaFault<'t>> {
        let Parts::Variants { tag, branches, is_closed: true } =
            self.parts.get_or_init(|| self.parts())
        else {
            return None;
        };
        let text = node.get(tag).and_then(Node::text);
        let is_known = branches.iter().any(|(own, _)| text.is_some_and(|text| text == *own));
        if !node.is_object() || node.doc().has_duplicate_names() || is_known {
            return None;
        }
        Some(narrow::fault_of_tag(self.name(), self.document(), node, tag))
    }

    fn parts(&self) -> Parts {
        let union = ["oneOf", "anyOf"].into_iter().find_map(|keyword| {
            let branches = self.schema().get(keyword)?.as_array()?;
            self.consists_of(&[keyword]).then_some(branches)
        });
        match union {
            Some(branches) => variants(branches).unwrap_or(Parts::None),
            None if self.consists_of(&["properties", "required"]) => Parts::Members,
            None => Parts::None,
        }
    }

    /// Whether the definition's schema has no keywords besides these and [`SILENT`] ones.
    fn consists_of(&self, keywords: &[&str]) -> bool {
        consists_of(self.schema(), keywords)
            && self.schema().get("type").is_none_or(|kind| kind == "object")
    }
}

/// Whether a schema has no keywords besides these and [`SILENT`] ones.
fn consists_of(schema: &Value, keywords: &[&str]) -> bool {
    let is_known = |keyword: &str| keywords.contains(&keyword) || SILENT.contains(&keyword);
    schema.as_object().is_some_and(|own| own.keys().all(|keyword| is_known(keyword)))
}

/// `Parts::Variants` for a union in which each branch has its own value of the discriminator;
/// `None` for other unions.
fn variants(branches: &'static [Value]) -> Option<Parts> {
    let (tag, _) = tag_of(branches.first()?)?;
    let mut known = Vec::new();
    for branch in branches.iter().filter(|branch| branch.get("not").is_none()) {
        let (_, value) = tag_of(branch).filter(|(own, _)| *own == tag)?;
        known.push((value.as_str()?, behind(branch, tag)));
    }
    let is_closed = known.len() == branches.len();
    Some(Parts::Variants { tag, branches: known, is_closed })
}

/// The definition that a branch of a union refers to, if the branch adds nothing but its
/// discriminator; `None` otherwise.
fn behind(branch: &'static Value, tag: &str) -> Option<&'static str> {
    let is_plain = consists_of(branch, &["properties", "required", "$ref", "allOf"]);
    let is_tag_only = branch["properties"].as_object()?.len() == 1
        && branch["required"].as_array().is_none_or(|required| *required == [tag]);
    (is_plain && is_tag_only).then_some(referred(branch)?)
}

/// The name of the definition that a schema consists of: a `$ref` alone, or an `allOf` with one.
/// `None` where the schema demands more.
fn referred(schema: &'static Value) -> Option<&'static str> {
    let reference = match (schema.get("$ref"), schema.get("allOf")) {
        (Some(_), None) => schema,
        (None, Some(all)) => match all.as_array()?.as_slice() {
            [only] if only.as_object()?.len() == 1 => only,
            _ => return None,
        },
        _ => return None,
    };
    reference.get("$ref").map(|_| target(reference))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::protocol::{Edition, Surface, schema::Protocol};

    /// A keyword that the schemas gain would otherwise make the search in a union slow unseen.
    #[test]
    fn branches_of_unions_are_found_by_their_discriminators() {
        let (mut found, mut others) = (0, BTreeSet::new());
        for surface in Surface::ALL {
            for definition in Protocol::of(surface, Edition::CURRENT).definitions() {
                let Parts::Variants { branches, .. } = definition.parts() else { continue };
                found += branches.iter().filter(|(_, own)| own.is_some()).count();
                let other = branches.iter().filter(|(_, own)| own.is_none());
                others.extend(other.map(|(name, _)| (definition.name(), *name)));
            }
        }
        // It has no definition of its own.
        assert_eq!(others, BTreeSet::from([("RequestPermissionOutcome", "cancelled")]));
        assert!(found > 100, "{found}");
    }
}
