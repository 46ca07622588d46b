//! Finds the innermost definition that has all faults of a value.
//!
//! The judge complains of a union with the errors of all its branches, and most of what it says is
//! about branches that nobody meant. Where the discriminator names a branch, and where one member of
//! an object alone does not fit, the definition behind it says the same in a fraction of the time.

use serde_json::Value;

use super::{
    Definition,
    place::tag_of,
    shape::{Program, Shape},
};
use crate::json::Node;

/// What a schema may have beside the union or the members that it consists of.
const SILENT: [&str; 4] = ["description", "discriminator", "title", "type"];

impl Definition {
    /// The definition, and the part of the value, that have all the faults of the value, if it has
    /// any; themselves where that is not certain.
    pub(super) fn focus<'t>(&'static self, value: Node<'t>) -> (&'static Self, Node<'t>) {
        let (mut definition, mut node) = (self, value);
        while let Some((name, part)) = definition.narrower(node)
            && let Some(next) = super::definitions(self.surface, self.edition).get(name)
        {
            (definition, node) = (next, part);
        }
        (definition, node)
    }

    fn narrower<'t>(&self, node: Node<'t>) -> Option<(&'static str, Node<'t>)> {
        if !node.is_object() || node.doc().has_repeats() {
            return None;
        }
        let union = ["oneOf", "anyOf"].into_iter().find_map(|keyword| {
            let branches = self.schema.get(keyword)?.as_array()?;
            self.consists_of(&[keyword]).then_some(branches)
        });
        if let Some(branches) = union {
            return Some((variant(branches, node)?, node));
        }
        if !self.consists_of(&["properties", "required"]) {
            return None;
        }
        let member = self.program.only_misfit(self.shape?, node)?;
        let schema = self.schema["properties"].get(member)?;
        let is_plain = schema.as_object()?.keys().all(|keyword| {
            matches!(keyword.as_str(), "$ref" | "allOf") || SILENT.contains(&keyword.as_str())
        });
        is_plain.then_some((target(schema)?, node.get(member)?))
    }

    /// Whether the schema has no keyword but these and such as demand nothing more of an object.
    fn consists_of(&self, keywords: &[&str]) -> bool {
        let own = self.schema.as_object();
        let is_known = |keyword: &str| {
            keywords.contains(&keyword)
                || SILENT.contains(&keyword)
                || matches!(keyword, "x-side" | "x-method")
        };
        own.is_some_and(|own| own.keys().all(|keyword| is_known(keyword)))
            && self.schema.get("type").is_none_or(|kind| kind == "object")
    }
}

/// The definition behind the branch that the discriminator of an object names, in a union without
/// branches that any object may fit.
fn variant(branches: &'static [Value], node: Node<'_>) -> Option<&'static str> {
    let (tag, _) = tag_of(branches.first()?)?;
    let text = node.get(tag)?.text()?;
    let mut named = None;
    for branch in branches {
        let is_guarded = branch.get("not").is_some();
        match tag_of(branch) {
            _ if is_guarded => {}
            Some((own, value)) if own == tag => {
                if text == *value.as_str()? && named.replace(branch).is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let branch = named?;
    let mut keywords = branch.as_object()?.keys();
    let is_plain = keywords.all(|keyword| {
        matches!(keyword.as_str(), "properties" | "required" | "$ref" | "allOf")
            || SILENT.contains(&keyword.as_str())
    });
    let is_tag_only = branch["properties"].as_object()?.len() == 1
        && branch["required"].as_array().is_none_or(|required| *required == [tag]);
    (is_plain && is_tag_only).then_some(target(branch)?)
}

/// The definition that a schema refers to.
fn target(schema: &'static Value) -> Option<&'static str> {
    let reference = match (schema.get("$ref"), schema.get("allOf")) {
        (Some(reference), None) => reference,
        (None, Some(all)) => match all.as_array()?.as_slice() {
            [only] if only.as_object()?.len() == 1 => only.get("$ref")?,
            _ => return None,
        },
        _ => return None,
    };
    reference.as_str()?.strip_prefix("#/$defs/")
}

impl Program {
    /// The only member of an object that does not surely fit its own shape, if nothing else about the
    /// object is in doubt.
    fn only_misfit(
        &'static self,
        definition: super::shape::DefinitionId,
        node: Node<'_>,
    ) -> Option<&'static str> {
        let Shape::Object(object) = self.shape(definition) else { return None };
        let mut missing = object.required;
        let mut misfit = None;
        for (name, value) in node.members() {
            let known = object.members.iter().position(|member| name.is(member.name.text));
            let Some(place) = known else { continue };
            missing &= !(1 << place);
            let member = &object.members[place];
            if member.name.draft || !self.surely_fits(&member.shape, value) {
                if misfit.is_some() {
                    return None;
                }
                misfit = Some(member.name.text);
            }
        }
        misfit.filter(|_| missing == 0 && !object.doubtful)
    }
}
