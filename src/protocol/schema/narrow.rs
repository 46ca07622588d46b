//! Narrows the validator's errors to one fault for each cause.
//!
//! A union that a value does not fit makes an error with the errors of all its branches. Which of
//! them speak of what the sender meant is decided by the discriminator, or, where there is none,
//! by how far the value fits. From the path that each remaining error took through the schema
//! comes what official readers do with the value: the innermost of the `x-deserialize-*` marks it
//! passed.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use super::{
    fault::{Effect, FaultKind, SchemaFault},
    pair::{strings, tag_of, target},
    shape::Mismatch,
    suggest::nearest,
};
use crate::{
    json::{self, Kind, Node, Text},
    map::Map,
};

/// Turns the errors of the validator into faults, in the order of the text: each as close as
/// possible to the value that causes it. `name` is the definition that was checked.
pub(super) fn narrow<'t>(
    name: &'static str,
    document: &'static Value,
    root: Node<'t>,
    errors: &[ValidationError<'_>],
) -> Vec<SchemaFault<'t>> {
    let mut faults: Vec<Located<'t>> = Vec::new();
    let narrowing = Narrowing { name, document, root };
    let mut places: Map<String, Vec<usize>> = Map::default();
    for fault in narrowing.all(errors) {
        // A member's own schema and a union around it may report the same fault.
        let is_same = |known: &SchemaFault<'_>| match (&known.kind, &fault.fault.kind) {
            (FaultKind::WrongType { .. }, FaultKind::WrongType { .. }) => true,
            (known, kind) => known == kind,
        };
        let here = places.entry(fault.pointer.clone()).or_default();
        if !here.iter().any(|known| is_same(&faults[*known].fault)) {
            here.push(faults.len());
            faults.push(fault);
        }
    }
    if let (true, Some(error)) = (faults.is_empty(), errors.first()) {
        faults.push(narrowing.unexplained(error));
    }
    // Errors come in the order of the schema's keywords, which is that of the document or the
    // alphabet, as `serde_json` is built.
    faults.sort_by_key(|located| {
        let name = match located.fault.kind {
            FaultKind::Missing { name } => Some(name),
            _ => None,
        };
        (located.fault.node.raw().as_ptr().addr(), name)
    });
    faults.into_iter().map(|located| located.fault).collect()
}

/// The fault of an object whose discriminator `tag` names no branch of the union `name`. Each branch
/// has its own value of `tag`.
pub(super) fn fault_of_tag<'t>(
    name: &'static str,
    document: &'static Value,
    root: Node<'t>,
    tag: &'static str,
) -> SchemaFault<'t> {
    let schema = &document["$defs"][name];
    let keyword = if schema.get("oneOf").is_some() { "oneOf" } else { "anyOf" };
    let source = ErrorSource {
        schema,
        keyword,
        type_name: name,
        effect: Effect::Rejected,
        forgives_null: false,
    };
    let faults = Narrowing { name, document, root }.tagged("", root, source, tag, &[]);
    let [fault] =
        <[_; 1]>::try_from(faults).ok().expect("no branch is named, so the tag is at fault");
    fault.fault
}

#[derive(Clone, Copy)]
struct Narrowing<'t> {
    name: &'static str,
    document: &'static Value,
    root: Node<'t>,
}

/// A schema fault with the JSON Pointer to its value, by which repeated faults are found.
struct Located<'t> {
    pointer: String,
    fault: SchemaFault<'t>,
}

/// The part of the schema that an error of the validator comes from.
#[derive(Clone, Copy)]
struct ErrorSource {
    /// The schema whose keyword the value did not meet.
    schema: &'static Value,
    keyword: &'static str,
    type_name: &'static str,
    effect: Effect,
    /// Whether official readers take null at this place for an absent member.
    forgives_null: bool,
}

impl<'t> Narrowing<'t> {
    fn all(self, errors: &[ValidationError<'_>]) -> Vec<Located<'t>> {
        errors.iter().flat_map(|error| self.error(error)).collect()
    }

    fn error(self, error: &ValidationError<'_>) -> Vec<Located<'t>> {
        let pointer = error.instance_path().as_str();
        let node = self.root.at_pointer(pointer).unwrap_or(self.root);
        let source = self.source(error);
        let kind = match error.kind() {
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                return self.union(pointer, node, source, context);
            }
            ValidationErrorKind::OneOfMultipleValid { context } => {
                let branches = branches(source).zip(context);
                let fitting = branches.filter(|(_, errors)| errors.is_empty());
                FaultKind::Ambiguous {
                    branches: fitting.map(|(branch, _)| title(branch)).collect(),
                }
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                match strings(&source.schema["required"]).find(|required| *required == name) {
                    Some(name) => FaultKind::Missing { name },
                    None => FaultKind::Other { text: error.to_string() },
                }
            }
            ValidationErrorKind::Type { .. } => {
                FaultKind::WrongType { expected: types(source.schema), found: kind_name(node) }
            }
            ValidationErrorKind::Constant { .. } => match source.schema["const"].as_str() {
                Some(only) => unknown_value(node, vec![only]),
                None => FaultKind::Other { text: masked(error) },
            },
            ValidationErrorKind::Minimum { limit } => {
                FaultKind::OutOfRange { text: format!("at least {limit}") }
            }
            ValidationErrorKind::Maximum { limit } => {
                FaultKind::OutOfRange { text: format!("at most {limit}") }
            }
            ValidationErrorKind::MinItems { limit } => {
                FaultKind::TooShort { text: at_least(*limit, "element") }
            }
            ValidationErrorKind::MinLength { limit } => {
                FaultKind::TooShort { text: at_least(*limit, "character") }
            }
            ValidationErrorKind::MaxLength { limit } => {
                FaultKind::TooLong { text: format!("at most {limit} characters") }
            }
            _ => FaultKind::Other { text: masked(error) },
        };
        vec![self.fault(pointer, node, source, kind)]
    }

    /// The fault for an error that no other kind of fault describes, in the words of the validator.
    fn unexplained(self, error: &ValidationError<'_>) -> Located<'t> {
        let pointer = error.instance_path().as_str();
        let node = self.root.at_pointer(pointer).unwrap_or(self.root);
        self.fault(pointer, node, self.source(error), FaultKind::Other { text: masked(error) })
    }

    fn fault(
        self,
        pointer: &str,
        node: Node<'t>,
        source: ErrorSource,
        kind: FaultKind,
    ) -> Located<'t> {
        let is_forgiven = node.is_null() && (source.forgives_null || self.may_be_absent(pointer));
        let effect = if is_forgiven { Effect::NullTolerated } else { source.effect };
        let fault =
            SchemaFault { node, kind, effect, type_name: source.type_name, is_recent: false };
        Located { pointer: pointer.to_owned(), fault }
    }

    /// Whether the value is the whole params or result of a method that requires no member. Readers
    /// of both versions take null there for `{}`.
    fn may_be_absent(self, pointer: &str) -> bool {
        let schema = &self.document["$defs"][self.name];
        let demands = ["required", "allOf", "anyOf", "oneOf"];
        pointer.is_empty()
            && schema.get("x-method").is_some()
            && schema.get("properties").is_some()
            && demands.iter().all(|keyword| schema.get(*keyword).is_none())
    }

    /// The faults of a value that fits no branch of a union. `context` has the errors of each
    /// branch.
    fn union(
        self,
        pointer: &str,
        node: Node<'t>,
        source: ErrorSource,
        context: &[Vec<ValidationError<'_>>],
    ) -> Vec<Located<'t>> {
        let one = |fault| vec![fault];
        if let Some(expected) = self.expected(pointer, context) {
            let kind = FaultKind::WrongType { expected, found: kind_name(node) };
            return one(self.fault(pointer, node, source, kind));
        }
        let constants: Vec<_> =
            branches(source).filter_map(|branch| branch.get("const")?.as_str()).collect();
        if !constants.is_empty() {
            return one(self.fault(pointer, node, source, unknown_value(node, constants)));
        }
        if let Some(tag) = branches(source).find_map(|branch| Some(tag_of(branch)?.0)) {
            return self.tagged(pointer, node, source, tag, context);
        }
        // Branches that would fit, if the members of the others were not there.
        let excluded: Vec<_> = branches(source)
            .zip(context)
            .filter(|(_, errors)| errors.iter().all(is_forbidden_name))
            .map(|(branch, _)| title(branch))
            .collect();
        if excluded.len() > 1 {
            return one(self.fault(
                pointer,
                node,
                source,
                FaultKind::Ambiguous { branches: excluded },
            ));
        }
        // Branches for other types than the value's explain nothing, if any is for its own.
        let explained = branches(source)
            .zip(context)
            .filter(|(_, errors)| self.expected_types(pointer, errors).is_none());
        let explained = explained.map(|(branch, errors)| {
            let strange = self.mismatch(branch, node, None);
            (self.all(errors), strange.unknown + strange.missing)
        });
        // The farther the value fits, and the more of its members are those of the branch, the more
        // likely it was meant.
        let depth = |faults: &Vec<Located<'t>>| {
            faults.iter().map(|fault| fault.pointer.matches('/').count()).max()
        };
        explained
            .reduce(|(best, best_sum), (next, sum)| {
                let rank = (depth(&next), best_sum, best.len());
                let is_better = rank > (depth(&best), sum, next.len());
                if is_better { (next, sum) } else { (best, best_sum) }
            })
            .map(|(faults, _)| faults)
            .unwrap_or_default()
    }

    /// The faults of an object that fits no branch of a union with the discriminator `tag`.
    /// `context` has the errors of each branch.
    fn tagged(
        self,
        pointer: &str,
        node: Node<'t>,
        source: ErrorSource,
        tag: &'static str,
        context: &[Vec<ValidationError<'_>>],
    ) -> Vec<Located<'t>> {
        let names_tag = |branch: &'static Value| branch["properties"].get(tag).is_some();
        let value_of = |branch| tag_of(branch).and_then(|(_, value)| value.as_str());
        let allowed: Vec<_> = branches(source).filter_map(value_of).collect();
        let errors_of = |wanted: &dyn Fn(&'static Value) -> bool| {
            let place = branches(source).position(wanted)?;
            context.get(place)
        };
        let untagged = errors_of(&|branch| !names_tag(branch));
        // The forms with a discriminator whose members these are rather than those of the form
        // without one.
        let nearer = || -> Vec<&'static str> {
            let Some(own) = branches(source).find(|branch| !names_tag(branch)) else {
                return Vec::new();
            };
            let own = self.mismatch(own, node, None);
            let is_nearer =
                |branch: &&'static Value| self.mismatch(branch, node, Some(tag)).is_less_than(own);
            branches(source).filter(is_nearer).filter_map(value_of).collect()
        };
        let Some(value) = node.get(tag) else {
            return match (untagged, nearer()) {
                (Some(errors), none) if none.is_empty() => self.all(errors),
                (untagged, nearer) => {
                    let allowed = if untagged.is_some() { nearer } else { allowed };
                    vec![self.fault(
                        pointer,
                        node,
                        source,
                        FaultKind::MissingTag { name: tag, allowed },
                    )]
                }
            };
        };
        let at_tag = |kind| vec![self.fault(&format!("{pointer}/{tag}"), value, source, kind)];
        let Some(text) = value.text() else {
            if let Some(errors) = untagged.filter(|_| nearer().is_empty()) {
                return self.all(errors);
            }
            let mut expected = vec!["string"];
            if branches(source).any(|branch| branch["properties"][tag]["type"] == "null") {
                expected.push("null");
            }
            return at_tag(FaultKind::WrongType { expected, found: kind_name(value) });
        };
        if let Some(errors) =
            errors_of(&|branch| value_of(branch).is_some_and(|name| text == *name))
        {
            return self.all(errors);
        }
        // The guard of the branch for undefined discriminators holds: it is not a defined one.
        if let Some(errors) = errors_of(&|branch| branch.get("not").is_some()) {
            return self.all(errors);
        }
        let nearest = nearest(&text.as_cow(), allowed.iter().copied());
        match untagged {
            Some(errors) if nearest.is_none() && nearer().is_empty() => self.all(errors),
            _ => at_tag(FaultKind::UnknownVariant { allowed, nearest }),
        }
    }

    /// How far a value is from a branch of a union: how many of its members the branch does not
    /// know, and how many required ones it lacks. Elements of a list are summed up. The absence of
    /// the discriminator `tag` does not count.
    fn mismatch(self, schema: &'static Value, node: Node<'_>, tag: Option<&str>) -> Mismatch {
        let schema = match schema.get("$ref") {
            Some(_) => &self.document["$defs"][target(schema)],
            None => schema,
        };
        match schema.get("items") {
            Some(element) if node.is_array() => {
                Mismatch::of_list(node, |node| self.mismatch(element, node, tag))
            }
            _ if node.is_object() => {
                let (mut known, mut demanded) = (Vec::new(), Vec::new());
                self.members(schema, &mut known, &mut demanded, 4);
                let is_known = |name: Node<'_>| known.iter().any(|known| name.is(known));
                Mismatch::of_object(node, is_known, &demanded, tag)
            }
            _ => Mismatch::default(),
        }
    }

    /// Collects the members that objects of a schema may have (`known`) and must have (`demanded`).
    /// Follows at most `steps` references from one schema to the next.
    fn members(
        self,
        schema: &'static Value,
        known: &mut Vec<&'static str>,
        demanded: &mut Vec<&'static str>,
        steps: usize,
    ) {
        let Some(steps) = steps.checked_sub(1) else { return };
        let names = schema["properties"].as_object().into_iter().flatten();
        known.extend(names.map(|(name, _)| name.as_str()));
        demanded.extend(strings(&schema["required"]));
        if schema.get("$ref").is_some() {
            self.members(&self.document["$defs"][target(schema)], known, demanded, steps);
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            self.members(part, known, demanded, steps);
        }
        // Those of some branch may be there, but need not.
        let unions = ["anyOf", "oneOf"].map(|keyword| schema[keyword].as_array());
        for branch in unions.into_iter().flatten().flatten() {
            self.members(branch, known, &mut Vec::new(), steps);
        }
    }

    /// The types that the branches of a union expect, if the value has none of these types; else
    /// `None`.
    fn expected(
        self,
        pointer: &str,
        context: &[Vec<ValidationError<'_>>],
    ) -> Option<Vec<&'static str>> {
        let mut expected = Vec::new();
        for errors in context {
            for name in self.expected_types(pointer, errors)? {
                if !expected.contains(&name) {
                    expected.push(name);
                }
            }
        }
        (!expected.is_empty()).then_some(expected)
    }

    /// The types that one branch expects, if the value at this JSON Pointer has none of them;
    /// `None` otherwise.
    fn expected_types(
        self,
        pointer: &str,
        errors: &[ValidationError<'_>],
    ) -> Option<Vec<&'static str>> {
        errors.iter().filter(|error| error.instance_path().as_str() == pointer).find_map(|error| {
            match error.kind() {
                ValidationErrorKind::Type { .. } => Some(types(self.source(error).schema)),
                ValidationErrorKind::AnyOf { context }
                | ValidationErrorKind::OneOfNotValid { context } => self.expected(pointer, context),
                _ => None,
            }
        })
    }

    /// Finds the part of the schema that an error of the validator comes from, by the error's path.
    fn source(self, error: &ValidationError<'_>) -> ErrorSource {
        let definitions = &self.document["$defs"];
        let mut source = ErrorSource {
            schema: &definitions[self.name],
            keyword: "",
            type_name: self.name,
            effect: Effect::Rejected,
            forgives_null: false,
        };
        let mut list = "";
        let path = error.evaluation_path().as_str();
        // The first step is the validator's own reference to the definition.
        let mut steps = path.split('/').skip(2).map(json::name_of);
        while let Some(step) = steps.next() {
            let Some((keyword, value)) =
                source.schema.as_object().and_then(|schema| schema.get_key_value(&*step))
            else {
                break;
            };
            source.keyword = keyword;
            source.schema = match keyword.as_str() {
                "$ref" => {
                    let name = value.as_str().unwrap_or_default();
                    let name = name.strip_prefix("#/$defs/").unwrap_or(name);
                    source.type_name = name;
                    &definitions[name]
                }
                "properties" => {
                    let Some((name, member)) =
                        steps.next().and_then(|name| value.as_object()?.get_key_value(&*name))
                    else {
                        break;
                    };
                    list = name;
                    source.forgives_null = member["x-deserialize-default-on-null"] == true;
                    if member["x-deserialize-default-on-error"] == true {
                        source.effect = Effect::Defaulted { member: name };
                    }
                    member
                }
                "items" => {
                    source.forgives_null = false;
                    if source.schema["x-deserialize-skip-invalid-items"] == true {
                        source.effect = Effect::ItemDropped { list };
                    }
                    value
                }
                "additionalProperties" if value.is_object() => {
                    source.forgives_null = false;
                    value
                }
                "allOf" | "anyOf" | "oneOf" => {
                    let branch =
                        steps.next().and_then(|place| value.get(place.parse::<usize>().ok()?));
                    let Some(branch) = branch else { break };
                    branch
                }
                _ => break,
            };
        }
        source
    }
}

/// The branches of the union (`anyOf` or `oneOf`) that a value does not fit, by the error that says
/// so.
fn branches(source: ErrorSource) -> impl Iterator<Item = &'static Value> {
    source.schema[source.keyword].as_array().into_iter().flatten()
}

/// Name of a branch for messages: its title, its discriminator, or `a form without a name`.
fn title(branch: &'static Value) -> &'static str {
    let title = branch["title"].as_str().or_else(|| tag_of(branch)?.1.as_str());
    title.unwrap_or("a form without a name")
}

fn types(schema: &'static Value) -> Vec<&'static str> {
    match &schema["type"] {
        Value::String(only) => vec![only],
        several => strings(several).collect(),
    }
}

fn unknown_value(node: Node<'_>, allowed: Vec<&'static str>) -> FaultKind {
    let text = node.text().map(Text::as_cow).unwrap_or_default();
    let nearest = nearest(&text, allowed.iter().copied());
    FaultKind::UnknownValue { allowed, nearest }
}

/// Type of a JSON value in the words of JSON Schema.
fn kind_name(node: Node<'_>) -> &'static str {
    match node.kind() {
        Kind::Null => "null",
        Kind::True | Kind::False => "boolean",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

/// Whether an error says that the object has a member whose name the schema forbids.
fn is_forbidden_name(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::PropertyNames { .. })
}

fn at_least(limit: u64, what: &str) -> String {
    format!("at least {limit} {what}{}", if limit == 1 { "" } else { "s" })
}

/// Message of the validator without the value itself, which may be long.
fn masked(error: &ValidationError<'_>) -> String {
    error.masked_with("the value").to_string()
}
