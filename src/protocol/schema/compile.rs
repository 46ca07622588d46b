//! Compiles schemas into shapes.
//!
//! Two documents are read side by side, the version with its drafts and the version without: the
//! shapes are those of the first, and what the second does not have is marked as a draft. Where
//! both have a construct but demand different things of it, and wherever a keyword is not
//! understood, the shape is made doubtful, so that it is never sure of a value.
//!
//! Objects are flattened: whatever `allOf`, references and the branches of unions say about one
//! object ends in one list of members for each branch.

use std::sync::OnceLock;

use serde_json::{Map, Value};

mod outline;

use super::documents::StoredDefinitions;
use super::pair::{
    Branch, SchemaPair, branches, count, differs, discriminate, forbidden, is_anything, is_string,
    keywords, kinds_of, referred, strings, target,
};
use super::shape::{
    Alternatives, DefinitionId, Demand, Kinds, Member, Name, Openness, Shape, Site, Union, Values,
    Variant,
};

use outline::{Outline, both};

/// All definitions of a version, compiled for fast checks of values, from the schemas with and
/// without drafts.
#[derive(Debug)]
pub(super) struct Program {
    /// The definitions of the version with drafts.
    pub(super) unstable: &'static StoredDefinitions,
    /// The definitions of the version without drafts.
    pub(super) stable: &'static StoredDefinitions,
    /// Shapes by name of the definition, sorted. Each is compiled when a value first meets it.
    pub(super) definitions: Vec<(&'static str, OnceLock<Shape>)>,
}

impl Program {
    pub(super) fn new(
        unstable: &'static StoredDefinitions,
        stable: &'static StoredDefinitions,
    ) -> Self {
        let definitions = unstable.iter().map(|entry| (entry.name, OnceLock::new())).collect();
        Self { unstable, stable, definitions }
    }

    pub(super) fn definition(&self, name: &str) -> Option<DefinitionId> {
        self.definitions.binary_search_by_key(&name, |(name, _)| name).ok().map(DefinitionId)
    }

    pub(super) fn shape(&self, definition: DefinitionId) -> &Shape {
        let (name, shape) = &self.definitions[definition.0];
        shape.get_or_init(|| compiled(self, name))
    }
}

/// Definitions whose undefined values need no `_`: the schemas say in prose that unknown string
/// formats are annotations, and that untyped items of a multi-select are custom by nature.
const WITHOUT_CONVENTION: [&str; 2] = ["StringFormat", "MultiSelectItems"];

/// Compiles the definition `name` into the form that values are checked against.
fn compiled(program: &Program, name: &'static str) -> Shape {
    let compiler = Compiler { program };
    let pair = compiler.pair(name);
    let is_identifier = name.ends_with("Id")
        && keywords(pair.schema) == ["type"]
        && pair.schema["type"] == "string"
        && !differs(pair);
    if is_identifier { Shape::Identifier { type_name: name } } else { compiler.schema(pair) }
}

#[derive(Clone, Copy)]
struct Compiler<'p> {
    program: &'p Program,
}

impl Compiler<'_> {
    /// The definition with this name in the schema with drafts, paired with the one without.
    fn pair(self, name: &'static str) -> SchemaPair {
        let schema = self.program.unstable.get(name).expect("schemas refer to what they define");
        SchemaPair { schema, stable: self.program.stable.get(name), type_name: name }
    }

    fn schema(self, pair: SchemaPair) -> Shape {
        let shape = self.understood(pair);
        let is_doubtful = match &shape {
            Shape::Opaque => true,
            Shape::Object(object) => object.doubtful,
            _ => false,
        };
        if differs(pair) && !is_doubtful { both(shape, Shape::Opaque) } else { shape }
    }

    fn understood(self, pair: SchemaPair) -> Shape {
        let keywords = keywords(pair.schema);
        match *keywords.as_slice() {
            [] if is_anything(pair.schema) => Shape::Anything,
            ["$ref"] => {
                let definition = self.program.definition(target(pair.schema));
                definition.map_or(Shape::Opaque, Shape::Definition)
            }
            ["allOf"] if pair.schema["allOf"].as_array().is_some_and(|all| all.len() == 1) => {
                self.schema(pair.descend(|schema| schema.get("allOf")?.get(0)))
            }
            ["anyOf"] => self.alternatives("anyOf", pair),
            ["oneOf"] => self.alternatives("oneOf", pair),
            _ if self.is_object(pair) => self.object(pair, &keywords),
            _ => self.typed(pair, &keywords),
        }
    }

    /// Compiles a schema with the keyword `type`, which names one JSON type or several.
    fn typed(self, pair: SchemaPair, keywords: &[&str]) -> Shape {
        let kinds = match &pair.schema["type"] {
            Value::String(kind) => return self.kind(kind, pair, keywords),
            kinds => strings(kinds),
        };
        let mut by_kind = Kinds::new();
        for kind in kinds {
            let Some(slot) = by_kind.slot(kind) else { return Shape::Opaque };
            *slot = self.kind(kind, pair, keywords);
        }
        Shape::Kinds(Box::new(by_kind))
    }

    /// Compiles a schema for values of one `type`, such as `string`. The result is `Opaque` when
    /// the schema has keywords that fast checks do not model.
    fn kind(self, kind: &str, pair: SchemaPair, keywords: &[&str]) -> Shape {
        const UNDERSTOOD: [&str; 8] = [
            "type",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "items",
            "minItems",
            "additionalProperties",
        ];
        let schema = pair.schema;
        if kind == "string" && is_string(schema) && keywords.contains(&"const") {
            return match schema["const"].as_str() {
                Some(name) => Shape::Values(constant(name, pair)),
                None => Shape::Nothing,
            };
        }
        if !keywords.iter().all(|keyword| UNDERSTOOD.contains(keyword)) {
            return Shape::Opaque;
        }
        let below = |keyword| match schema.get(keyword) {
            Some(_) => Box::new(self.schema(pair.descend(|schema| schema.get(keyword)))),
            None => Box::new(Shape::Anything),
        };
        match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            // A bound beyond 64 bits becomes the greatest or least integer of 64 bits. Numbers
            // beyond that are not judged.
            "integer" => Shape::Integer {
                least: schema["minimum"].as_i64().unwrap_or(i64::MIN),
                greatest: schema["maximum"].as_i64().unwrap_or(i64::MAX),
            },
            "number" => Shape::Number {
                least: schema["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY),
                greatest: schema["maximum"].as_f64().unwrap_or(f64::INFINITY),
            },
            "string" => Shape::String {
                shortest: count(schema, "minLength").unwrap_or(0),
                longest: count(schema, "maxLength").unwrap_or(usize::MAX),
            },
            "array" => {
                let shortest = count(schema, "minItems").unwrap_or(0);
                Shape::Array { element: below("items"), shortest }
            }
            "object" => Shape::Map { value: below("additionalProperties") },
            _ => Shape::Opaque,
        }
    }

    /// Compiles a schema that is a union. `keyword` is `oneOf` or `anyOf`.
    fn alternatives(self, keyword: &'static str, pair: SchemaPair) -> Shape {
        let branches = branches(keyword, pair);
        let demand = demand(keyword);
        if demand == Demand::AtLeastOne && branches.iter().any(|branch| is_anything(branch.schema))
        {
            return Shape::Anything;
        }
        if let Some(values) = values(&branches, pair) {
            return Shape::Values(values);
        }
        if branches.iter().all(|branch| self.is_object(*branch)) {
            let mut outline = Outline::new(pair);
            outline.unions.push((keyword, pair));
            return self.finish(outline);
        }
        let kinds: Vec<_> =
            branches.iter().map(|branch| kinds_of(branch.schema, self.program.unstable)).collect();
        let mut by_kind = Kinds::new();
        for kind in ["null", "boolean", "integer", "number", "string", "array", "object"] {
            let of_kind: Vec<_> = branches
                .iter()
                .zip(&kinds)
                .filter(|(_, kinds)| kinds.iter().any(|of| of.is_none_or(|of| of == kind)))
                .map(|(branch, _)| *branch)
                .collect();
            let shape = match *of_kind {
                [] => continue,
                [branch] => self.schema(branch),
                _ => self.choice(&of_kind, demand),
            };
            let Some(slot) = by_kind.slot(kind) else { return Shape::Opaque };
            // An integer is a number, too; if one is enough, the wider of both decides.
            let is_second = kind == "number" && *slot != Shape::Nothing;
            *slot = if is_second && demand == Demand::ExactlyOne { Shape::Opaque } else { shape };
        }
        Shape::Kinds(Box::new(by_kind))
    }

    /// Compiles a union whose branches all accept the same kind of value.
    fn choice(self, branches: &[SchemaPair], demand: Demand) -> Shape {
        // Constants beside a branch for any integer only name some numbers.
        let any_integer = branches.iter().find(|branch| {
            branch.schema["type"] == "integer" && branch.schema.get("const").is_none()
        });
        match any_integer {
            Some(&any_integer) if demand == Demand::AtLeastOne => self.schema(any_integer),
            _ => {
                let alternatives = branches.iter().map(|&branch| self.schema(branch)).collect();
                Shape::Alternatives(Box::new(Alternatives { alternatives, demand }))
            }
        }
    }

    fn is_object(self, pair: SchemaPair) -> bool {
        kinds_of(pair.schema, self.program.unstable) == [Some("object")]
    }

    /// Compiles a schema that accepts objects: with named members, or with free names.
    fn object(self, pair: SchemaPair, keywords: &[&str]) -> Shape {
        // Without named members it is an object of free names.
        if keywords.iter().all(|keyword| ["type", "additionalProperties"].contains(keyword)) {
            return self.kind("object", pair, keywords);
        }
        let mut outline = Outline::new(pair);
        self.outline(pair, None, &mut outline);
        self.finish(outline)
    }

    /// Adds the members and demands of a schema to the outline of an object. `tag` is the
    /// discriminator by which the schema was chosen; `None` where there is none.
    fn outline(self, pair: SchemaPair, tag: Option<&str>, outline: &mut Outline) {
        outline.doubtful |= differs(pair);
        for keyword in keywords(pair.schema) {
            let value = &pair.schema[keyword];
            match keyword {
                "type" => outline.doubtful |= value != "object",
                "properties" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        outline.join(self.member(name, pair, tag));
                    }
                }
                "required" => outline.required.extend(strings(value)),
                "additionalProperties" | "unevaluatedProperties" if is_anything(value) => {
                    outline.open = true;
                }
                "$ref" => self.outline(self.pair(target(pair.schema)), None, outline),
                "allOf" => {
                    for part in 0..value.as_array().map_or(0, Vec::len) {
                        let part = pair.descend(|schema| schema.get("allOf")?.get(part));
                        self.outline(part, None, outline);
                    }
                }
                "anyOf" | "oneOf" => outline.unions.push((keyword, pair)),
                "propertyNames" => match forbidden(value) {
                    Some(names) => {
                        for name in names {
                            outline.join(Member {
                                name: Name::new(name, false),
                                shape: Shape::Nothing,
                                forgives_null: false,
                            });
                        }
                    }
                    None => outline.doubtful = true,
                },
                // The guard of the branch for undefined discriminators; `discriminate` knows it.
                "not" if tag.is_some() => {}
                _ => outline.doubtful = true,
            }
        }
    }

    fn member(self, name: &'static str, object: SchemaPair, tag: Option<&str>) -> Member {
        let pair = object.descend(|schema| schema.get("properties")?.get(name));
        let shape = if name == "_meta" {
            Shape::Meta
        } else if tag == Some(name) && pair.schema.get("const").is_some() {
            Shape::Anything // the union has compared it
        } else {
            self.schema(pair)
        };
        let forgives_null = pair.schema["x-deserialize-default-on-null"] == true;
        Member { name: Name::new(name, pair.is_draft(object)), shape, forgives_null }
    }

    /// Compiles the schema of an object from its outline, after resolving its unions one by one.
    fn finish(self, mut outline: Outline) -> Shape {
        let Some((keyword, union)) = outline.unions.pop() else { return outline.finish() };
        let branches = branches(keyword, union);
        let demand = demand(keyword);
        match discriminate(&branches) {
            Some((tag, branches)) => self.tagged(tag, branches, union, demand, &outline),
            None => self.untagged(&branches, demand, &outline),
        }
    }

    fn tagged(
        self,
        tag: &'static str,
        branches: Vec<Branch>,
        union: SchemaPair,
        demand: Demand,
        outline: &Outline,
    ) -> Shape {
        let (mut variants, mut other, mut untagged) = (Vec::new(), None, None);
        for branch in branches {
            match branch {
                Branch::Variant(name, pair) => {
                    let discriminator = tag;
                    let tag = Name::new(name, pair.is_draft(union));
                    let shape = self.branch(pair, Some(discriminator), outline);
                    variants.push(Variant { tag, type_name: referred(pair.schema), shape });
                }
                Branch::Other(pair) if other.is_none() => {
                    other = Some(self.branch(pair, Some(tag), outline));
                }
                Branch::Untagged(pair) if untagged.is_none() => {
                    let mut outline = outline.clone();
                    outline.join(Member {
                        name: Name::new(tag, false),
                        shape: Shape::Anything,
                        forgives_null: false,
                    });
                    let title = pair.schema["title"].as_str().unwrap_or(pair.type_name);
                    untagged = Some((self.branch(pair, None, &outline), title));
                }
                Branch::Other(_) | Branch::Untagged(_) => return Shape::Opaque,
            }
        }
        if demand == Demand::ExactlyOne && (other.is_some() || untagged.is_some()) {
            return Shape::Opaque;
        }
        let known = variants.iter().map(|variant| variant.tag.text).collect();
        let site = Site { type_name: union.type_name, tag: Some(tag), known };
        let openness = openness(union.type_name);
        Shape::Union(Box::new(Union { tag, site, variants, openness, other, untagged }))
    }

    /// Compiles the branch of a union of objects that has the discriminator `tag` (`None` for a
    /// branch without one).
    fn branch(self, pair: SchemaPair, tag: Option<&str>, outline: &Outline) -> Shape {
        let mut outline = outline.clone();
        outline.type_name = referred(pair.schema).unwrap_or(outline.type_name);
        self.outline(pair, tag, &mut outline);
        self.finish(outline)
    }

    /// Compiles the schema of an object whose union has no discriminator. A member that any branch
    /// defines counts as known in all branches.
    fn untagged(self, branches: &[SchemaPair], demand: Demand, outline: &Outline) -> Shape {
        let mut names = outline.clone();
        for &branch in branches {
            self.outline(branch, None, &mut names);
        }
        let mut outline = outline.clone();
        for member in names.members {
            outline.join(Member { shape: Shape::Anything, ..member });
        }
        let mut alternatives: Vec<_> =
            branches.iter().map(|&branch| self.branch(branch, None, &outline)).collect();
        match alternatives.pop() {
            Some(only) if alternatives.is_empty() => only,
            last => {
                alternatives.extend(last);
                Shape::Alternatives(Box::new(Alternatives { alternatives, demand }))
            }
        }
    }
}

impl Kinds {
    fn slot(&mut self, kind: &str) -> Option<&mut Shape> {
        Some(match kind {
            "null" => &mut self.null,
            "boolean" => &mut self.boolean,
            "integer" | "number" => &mut self.number,
            "string" => &mut self.string,
            "array" => &mut self.array,
            "object" => &mut self.object,
            _ => return None,
        })
    }
}

fn demand(keyword: &str) -> Demand {
    if keyword == "oneOf" { Demand::ExactlyOne } else { Demand::AtLeastOne }
}

/// An enumeration of the one string that the schema demands at this place.
fn constant(name: &'static str, pair: SchemaPair) -> Values {
    let site = Site { type_name: pair.type_name, tag: None, known: vec![name] };
    Values { site, known: vec![Name::new(name, false)], openness: Openness::Closed }
}

/// Compiles a union whose branches are all string constants, or any string; `None` for other
/// unions.
fn values(branches: &[SchemaPair], union: SchemaPair) -> Option<Values> {
    let mut known = Vec::new();
    let mut set = Openness::Closed;
    for branch in branches {
        if !is_string(branch.schema) {
            return None;
        }
        match branch.schema.get("const").map(Value::as_str) {
            Some(Some(name)) => known.push(Name::new(name, branch.is_draft(union))),
            None if set == Openness::Closed => set = openness(union.type_name),
            _ => return None,
        }
    }
    let names = known.iter().map(|name| name.text).collect();
    let site = Site { type_name: union.type_name, tag: None, known: names };
    (!known.is_empty()).then_some(Values { site, known, openness: set })
}

/// Whether the enumeration `type_name` admits undefined names: all of them, or by convention those
/// with a `_`.
fn openness(type_name: &str) -> Openness {
    if WITHOUT_CONVENTION.contains(&type_name) { Openness::Free } else { Openness::Open }
}
