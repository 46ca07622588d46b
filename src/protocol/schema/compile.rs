//! Compiles schemas into shapes.
//!
//! Two documents are read side by side, the version with its drafts and the version without: the
//! shapes are those of the first, and what the second does not have is marked as a draft. Where
//! both have a construct but demand different things of it, and wherever a keyword is not
//! understood, the shape is made doubtful, so that it is never sure of a value.
//!
//! Objects are flattened: whatever `allOf`, references and the branches of unions say about one
//! object ends in one list of members for each branch.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::shape::{
    Choice, Kinds, Member, Name, Object, Openness, Program, Shape, ShapeId, Site, Union, Values,
    Variant,
};

/// Definitions whose undefined values are not reserved: the prose of the schemas says that unknown
/// string formats are annotations, and that untyped items of a multi-select are custom by nature.
const WITHOUT_CONVENTION: [&str; 2] = ["StringFormat", "MultiSelectItems"];

/// The shapes of all definitions of a document, compared with the document without drafts.
pub(super) fn program(unstable: &'static Value, stable: &'static Value) -> Program {
    let definitions = |document: &'static Value| {
        document["$defs"].as_object().expect("a schema document has definitions")
    };
    let mut compiler = Compiler {
        unstable: definitions(unstable),
        stable: definitions(stable),
        shapes: vec![Shape::Anything, Shape::Opaque, Shape::Nothing],
        definitions: FxHashMap::default(),
    };
    for name in compiler.unstable.keys() {
        compiler.definition(name);
    }
    Program { shapes: compiler.shapes, definitions: compiler.definitions }
}

struct Compiler {
    unstable: &'static Map<String, Value>,
    stable: &'static Map<String, Value>,
    shapes: Vec<Shape>,
    definitions: FxHashMap<&'static str, ShapeId>,
}

/// A schema, what it is without drafts, and whose part it is.
#[derive(Clone, Copy, Debug)]
struct Place {
    schema: &'static Value,
    /// `None` within a draft, where nothing is marked as one again.
    stable: Option<&'static Value>,
    type_name: &'static str,
}

/// All that is said about one object, before its unions are resolved.
#[derive(Clone, Debug, Default)]
struct Outline {
    type_name: &'static str,
    members: Vec<Member>,
    required: BTreeSet<&'static str>,
    open: bool,
    doubtful: bool,
    unions: Vec<(&'static str, Place)>,
}

/// A branch of a union of objects.
enum Branch {
    Variant(Name, Place),
    Other(Place),
    Untagged(Place),
}

impl Compiler {
    fn definition(&mut self, name: &'static str) -> ShapeId {
        if let Some(&shape) = self.definitions.get(name) {
            return shape;
        }
        // A definition within itself is not followed; there is none.
        self.definitions.insert(name, ShapeId::OPAQUE);
        let place = self.place(name);
        let is_identifier = name.ends_with("Id") && is_exactly(place.schema, "type", "string");
        let shape = if is_identifier && !differs(place) {
            self.add(Shape::Identifier { type_name: name })
        } else {
            self.schema(place)
        };
        self.definitions.insert(name, shape);
        shape
    }

    /// Where a definition stands.
    fn place(&self, name: &'static str) -> Place {
        let schema = self.unstable.get(name).expect("schemas refer to definitions they have");
        Place { schema, stable: self.stable.get(name), type_name: name }
    }

    fn schema(&mut self, place: Place) -> ShapeId {
        let shape = self.understood(place);
        if differs(place) && !self.is_doubtful(shape) {
            return self.add(Shape::Both(shape, ShapeId::OPAQUE));
        }
        shape
    }

    fn understood(&mut self, place: Place) -> ShapeId {
        let keywords = keywords(place.schema);
        match *keywords.as_slice() {
            [] if is_anything(place.schema) => ShapeId::ANYTHING,
            ["$ref"] => self.definition(target(place.schema)),
            ["allOf"] if place.schema["allOf"].as_array().is_some_and(|all| all.len() == 1) => {
                self.schema(place.descend(|schema| schema.get("allOf")?.get(0)))
            }
            ["anyOf"] => self.alternatives("anyOf", place),
            ["oneOf"] => self.alternatives("oneOf", place),
            _ if kinds_of(place.schema, self.unstable) == [Some("object")] => {
                self.object(place, &keywords)
            }
            _ => self.typed(place, &keywords),
        }
    }

    /// A schema that names its types.
    fn typed(&mut self, place: Place, keywords: &[&str]) -> ShapeId {
        let kinds = match &place.schema["type"] {
            Value::String(kind) => vec![kind.as_str()],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return ShapeId::OPAQUE,
        };
        if let [kind] = *kinds {
            return self.kind(kind, place, keywords);
        }
        let mut by_kind = Kinds::new();
        for kind in kinds {
            let shape = self.kind(kind, place, keywords);
            match by_kind.slot(kind) {
                Some(slot) => *slot = shape,
                None => return ShapeId::OPAQUE,
            }
        }
        self.add(Shape::Kinds(Box::new(by_kind)))
    }

    /// What a schema demands of values of one kind.
    fn kind(&mut self, kind: &str, place: Place, keywords: &[&str]) -> ShapeId {
        let schema = place.schema;
        let understood: &[&str] = match kind {
            "integer" | "number" => &["minimum", "maximum"],
            "string" => &["minLength", "const"],
            "array" => &["items", "minItems"],
            "object" => &["additionalProperties"],
            _ => &[],
        };
        // The keywords of other kinds say nothing about this one.
        const OF_ONE_KIND: [&str; 7] = [
            "minimum",
            "maximum",
            "minLength",
            "const",
            "items",
            "minItems",
            "additionalProperties",
        ];
        let is_harmless = |keyword: &&str| {
            *keyword == "type"
                || understood.contains(keyword)
                || (OF_ONE_KIND.contains(keyword) && *keyword != "const")
        };
        if !keywords.iter().all(is_harmless) {
            return ShapeId::OPAQUE;
        }
        let shape = match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Boolean,
            "integer" => {
                let bound = |keyword, beyond: i64| match schema.get(keyword) {
                    Some(bound) => bound.as_i64().unwrap_or(beyond),
                    None => beyond,
                };
                // A bound beyond 64 bits is narrowed to them; numbers out there are not judged.
                let (least, greatest) = (bound("minimum", i64::MIN), bound("maximum", i64::MAX));
                Shape::Integer { least, greatest }
            }
            "number" => {
                let bound = |keyword| schema.get(keyword).and_then(Value::as_f64);
                Shape::Number {
                    least: bound("minimum").unwrap_or(f64::NEG_INFINITY),
                    greatest: bound("maximum").unwrap_or(f64::INFINITY),
                }
            }
            "string" => match schema.get("const").map(Value::as_str) {
                None => Shape::String { shortest: count(schema, "minLength") },
                Some(Some(name)) => Shape::Values(Values {
                    site: Site { type_name: place.type_name, tag: None, known: vec![name] },
                    known: vec![Name::new(name, false)],
                    openness: Openness::Closed,
                }),
                Some(None) => Shape::Nothing,
            },
            "array" => {
                let element = match schema.get("items") {
                    Some(_) => self.schema(place.descend(|schema| schema.get("items"))),
                    None => ShapeId::ANYTHING,
                };
                Shape::Array { element, shortest: count(schema, "minItems") }
            }
            "object" => {
                let value = match schema.get("additionalProperties") {
                    Some(_) => {
                        self.schema(place.descend(|schema| schema.get("additionalProperties")))
                    }
                    None => ShapeId::ANYTHING,
                };
                Shape::Map { value }
            }
            _ => Shape::Opaque,
        };
        self.add(shape)
    }

    /// A schema that is nothing but a union.
    fn alternatives(&mut self, keyword: &'static str, place: Place) -> ShapeId {
        let branches = branches(keyword, place);
        let exclusive = keyword == "oneOf";
        if !exclusive && branches.iter().any(|branch| is_anything(branch.schema)) {
            return ShapeId::ANYTHING;
        }
        if let Some(values) = self.values(&branches, place) {
            return self.add(Shape::Values(values));
        }
        let kinds: Vec<_> =
            branches.iter().map(|branch| kinds_of(branch.schema, self.unstable)).collect();
        if kinds.iter().all(|kinds| *kinds == [Some("object")]) {
            let mut outline = Outline { type_name: place.type_name, ..Outline::default() };
            outline.unions.push((keyword, place));
            return self.finish(outline);
        }
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
                _ => self.choice(&of_kind, exclusive),
            };
            match by_kind.slot(kind) {
                // An integer is a number, too; the wider of both decides, if one is enough.
                Some(slot) if kind == "number" && *slot != ShapeId::NOTHING => {
                    *slot = if exclusive { ShapeId::OPAQUE } else { shape };
                }
                Some(slot) => *slot = shape,
                None => return ShapeId::OPAQUE,
            }
        }
        self.add(Shape::Kinds(Box::new(by_kind)))
    }

    fn choice(&mut self, branches: &[Place], exclusive: bool) -> ShapeId {
        // Known numbers beside "any other number" are names, not limits.
        let any_number = branches.iter().find(|branch| {
            kinds_of(branch.schema, self.unstable) == [Some("integer")]
                && branch.schema.get("const").is_none()
        });
        if let (Some(&any_number), false) = (any_number, exclusive) {
            return self.schema(any_number);
        }
        let alternatives = branches.iter().map(|&branch| self.schema(branch)).collect();
        self.add(Shape::Choice(Box::new(Choice { alternatives, exclusive })))
    }

    /// The set of strings that a union of constants is.
    fn values(&self, branches: &[Place], place: Place) -> Option<Values> {
        let mut known = Vec::new();
        let mut openness = Openness::Closed;
        for branch in branches {
            if !is_string(branch.schema) {
                return None;
            }
            match branch.schema.get("const").map(Value::as_str) {
                Some(Some(name)) => {
                    known.push(Name::new(name, branch.is_draft(place)));
                }
                None if keywords(branch.schema) == ["type"] && openness == Openness::Closed => {
                    openness = openness_of(place.type_name);
                }
                _ => return None,
            }
        }
        let names = known.iter().map(|name| name.name).collect();
        let site = Site { type_name: place.type_name, tag: None, known: names };
        (!known.is_empty()).then_some(Values { site, known, openness })
    }

    /// A schema of objects.
    fn object(&mut self, place: Place, keywords: &[&str]) -> ShapeId {
        // Without named members it is an object of free names.
        if keywords.iter().all(|keyword| ["type", "additionalProperties"].contains(keyword)) {
            return self.kind("object", place, keywords);
        }
        let mut outline = Outline { type_name: place.type_name, ..Outline::default() };
        self.outline(place, None, &mut outline);
        self.finish(outline)
    }

    /// Adds what a schema says about an object. `tag` is the discriminator by which the schema was
    /// chosen, if any.
    fn outline(&mut self, place: Place, tag: Option<&str>, outline: &mut Outline) {
        outline.doubtful |= differs(place);
        for keyword in keywords(place.schema) {
            let value = &place.schema[keyword];
            match keyword {
                "type" => outline.doubtful |= value != "object",
                "properties" => {
                    for name in value.as_object().into_iter().flat_map(Map::keys) {
                        let member = self.member(name, place, tag);
                        self.join(outline, member);
                    }
                }
                "required" => {
                    outline.required.extend(strings(value));
                }
                "additionalProperties" | "unevaluatedProperties" if is_anything(value) => {
                    outline.open = true;
                }
                "$ref" => {
                    let definition = self.place(target(place.schema));
                    self.outline(definition, None, outline);
                }
                "allOf" => {
                    for part in 0..value.as_array().map_or(0, Vec::len) {
                        let part = place.descend(|schema| schema.get("allOf")?.get(part));
                        self.outline(part, None, outline);
                    }
                }
                "anyOf" | "oneOf" => outline.unions.push((keyword, place)),
                // The guard of the branch for undefined discriminators; see `branch`.
                "not" if tag.is_some() => {}
                _ => outline.doubtful = true,
            }
        }
    }

    fn member(&mut self, name: &'static str, place: Place, tag: Option<&str>) -> Member {
        let descended = place.descend(|schema| schema.get("properties")?.get(name));
        let schema = descended.schema;
        let shape = if name == "_meta" {
            self.add(Shape::Meta)
        } else if tag == Some(name) && schema.get("const").is_some() {
            ShapeId::ANYTHING // the union has compared it
        } else {
            self.schema(descended)
        };
        Member {
            name: Name::new(name, descended.is_draft(place)),
            shape,
            forgives_null: schema["x-deserialize-default-on-null"] == true,
        }
    }

    /// Adds a member; what is said about one member in several places all holds.
    fn join(&mut self, outline: &mut Outline, member: Member) {
        let Some(present) =
            outline.members.iter_mut().find(|present| present.name.name == member.name.name)
        else {
            outline.members.push(member);
            return;
        };
        present.name.draft &= member.name.draft;
        present.forgives_null |= member.forgives_null;
        present.shape = match (present.shape, member.shape) {
            (one, other) if one == other => one,
            (ShapeId::ANYTHING, shape) | (shape, ShapeId::ANYTHING) => shape,
            (one, other) => self.add(Shape::Both(one, other)),
        };
    }

    /// The shape of an object, one union resolved after the other.
    fn finish(&mut self, mut outline: Outline) -> ShapeId {
        let Some((keyword, place)) = outline.unions.pop() else {
            return self.plain(outline);
        };
        let branches = branches(keyword, place);
        let exclusive = keyword == "oneOf";
        let Some((tag, branches)) = discriminate(&branches, place) else {
            return self.untagged(&branches, exclusive, &outline);
        };
        let mut site = Site { type_name: place.type_name, tag: Some(tag), known: Vec::new() };
        let (mut variants, mut other, mut untagged) = (Vec::new(), None, None);
        for branch in branches {
            let mut outline = outline.clone();
            let (Branch::Variant(_, place) | Branch::Other(place) | Branch::Untagged(place)) =
                branch;
            let type_name = referred(place.schema);
            outline.type_name = type_name.unwrap_or(outline.type_name);
            match branch {
                Branch::Variant(tag_value, place) => {
                    self.outline(place, Some(tag), &mut outline);
                    site.known.push(tag_value.name);
                    let shape = self.finish(outline);
                    variants.push(Variant { tag: tag_value, type_name, shape });
                }
                Branch::Other(place) => {
                    self.outline(place, Some(tag), &mut outline);
                    other = Some(self.finish(outline));
                }
                Branch::Untagged(place) => {
                    self.outline(place, None, &mut outline);
                    let member = Member {
                        name: Name::new(tag, false),
                        shape: ShapeId::ANYTHING,
                        forgives_null: false,
                    };
                    self.join(&mut outline, member);
                    let title = place.schema["title"].as_str().unwrap_or(place.type_name);
                    let second = untagged.replace((self.finish(outline), title));
                    if second.is_some() {
                        return ShapeId::OPAQUE;
                    }
                }
            }
        }
        if exclusive && (other.is_some() || untagged.is_some()) {
            return ShapeId::OPAQUE;
        }
        let openness = openness_of(place.type_name);
        self.add(Shape::Union(Box::new(Union { tag, site, variants, openness, other, untagged })))
    }

    /// The shape of an object whose union has no discriminator. A member of any branch is a known
    /// one in all of them.
    fn untagged(&mut self, branches: &[Place], exclusive: bool, outline: &Outline) -> ShapeId {
        let mut outlines = Vec::new();
        for &branch in branches {
            let mut outline = outline.clone();
            outline.type_name = referred(branch.schema).unwrap_or(outline.type_name);
            self.outline(branch, None, &mut outline);
            outlines.push(outline);
        }
        let names: Vec<_> = outlines
            .iter()
            .flat_map(|outline| &outline.members)
            .map(|member| Member { shape: ShapeId::ANYTHING, ..member.clone() })
            .collect();
        let mut alternatives = Vec::new();
        for mut outline in outlines {
            for name in &names {
                self.join(&mut outline, name.clone());
            }
            alternatives.push(self.finish(outline));
        }
        match *alternatives {
            [only] => only,
            _ => self.add(Shape::Choice(Box::new(Choice { alternatives, exclusive }))),
        }
    }

    /// The shape of an object without unions.
    fn plain(&mut self, mut outline: Outline) -> ShapeId {
        // Documents are sorted or not, as `serde_json` is built; shapes do not depend on it.
        outline.members.sort_by_key(|member| member.name.name);
        let known: Vec<_> = outline.members.iter().map(|member| member.name.name).collect();
        if known.len() > u64::BITS as usize {
            return ShapeId::OPAQUE;
        }
        let mut required = 0;
        for name in &outline.required {
            match known.iter().position(|known| known == name) {
                Some(place) => required |= 1 << place,
                None => outline.doubtful = true,
            }
        }
        let Outline { type_name, members, open, doubtful, .. } = outline;
        self.add(Shape::Object(Box::new(Object {
            type_name,
            members,
            known,
            required,
            open,
            doubtful,
        })))
    }

    fn is_doubtful(&self, shape: ShapeId) -> bool {
        match &self.shapes[shape.0 as usize] {
            Shape::Opaque => true,
            Shape::Object(object) => object.doubtful,
            _ => false,
        }
    }

    /// Gives a shape its place; equal small shapes share one.
    fn add(&mut self, shape: Shape) -> ShapeId {
        let is_small = !matches!(shape, Shape::Object(_) | Shape::Union(_) | Shape::Values(_));
        let equal = is_small.then(|| self.shapes.iter().position(|other| *other == shape));
        let place = equal.flatten().unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        ShapeId(u32::try_from(place).expect("a schema has no billions of parts"))
    }
}

impl Place {
    /// The part of the schema that `step` leads to, and the same part without drafts.
    fn descend(self, step: impl Fn(&'static Value) -> Option<&'static Value>) -> Self {
        let schema = step(self.schema).expect("only parts that are there are descended to");
        Self { schema, stable: self.stable.and_then(step), type_name: self.type_name }
    }

    /// Whether the place is a draft within its parent.
    fn is_draft(self, parent: Self) -> bool {
        parent.stable.is_some() && self.stable.is_none()
    }
}

impl Kinds {
    fn slot(&mut self, kind: &str) -> Option<&mut ShapeId> {
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

fn openness_of(type_name: &str) -> Openness {
    if WITHOUT_CONVENTION.contains(&type_name) { Openness::Free } else { Openness::Open }
}

/// The branches of a union, each with the branch that is the same one without drafts.
fn branches(keyword: &'static str, place: Place) -> Vec<Place> {
    let of = |schema: &'static Value| schema[keyword].as_array().into_iter().flatten();
    of(place.schema)
        .map(|schema| {
            let stable = place
                .stable
                .and_then(|stable| of(stable).find(|stable| identity(stable) == identity(schema)));
            Place { schema, stable, ..place }
        })
        .collect()
}

/// What tells a branch from the others of its union: its constant or discriminator, its title, the
/// definition it refers to, its type.
fn identity(branch: &'static Value) -> (Option<&'static Value>, Option<&'static Value>) {
    let tag = || tag_of(branch).map(|(_, value)| value);
    let name = branch.get("const").or_else(tag);
    let otherwise = branch.get("title").or_else(|| branch.get("$ref"));
    (name, otherwise.or_else(|| branch.get("type")))
}

/// The member that has to have one constant value, and that value.
fn tag_of(branch: &'static Value) -> Option<(&'static str, &'static Value)> {
    let required: Vec<_> = strings(&branch["required"]).collect();
    let members = branch["properties"].as_object()?;
    members.iter().find_map(|(name, schema)| {
        let value = schema.get("const").filter(|value| value.is_string())?;
        required.contains(&name.as_str()).then_some((name.as_str(), value))
    })
}

/// Sorts the branches of a union by the discriminator; `None` when they have none.
fn discriminate(branches: &[Place], union: Place) -> Option<(&'static str, Vec<Branch>)> {
    let (tag, _) = branches.iter().find_map(|branch| tag_of(branch.schema))?;
    let known: BTreeSet<_> = branches
        .iter()
        .filter_map(|branch| tag_of(branch.schema).filter(|(name, _)| *name == tag)?.1.as_str())
        .collect();
    let sorted = branches.iter().map(|branch| match tag_of(branch.schema) {
        Some((name, value)) if name == tag => {
            let value = value.as_str().unwrap_or_default();
            Branch::Variant(Name::new(value, branch.is_draft(union)), *branch)
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

/// The discriminators that a branch excludes by `not`; `None` when it does not, or otherwise.
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

/// Whether a schema demands something else than it does without drafts. What is only added to it
/// (members, branches) is no difference.
fn differs(place: Place) -> bool {
    let Some(stable) = place.stable else { return false };
    let (ours, theirs) = (keywords(place.schema), keywords(stable));
    let same_keywords = ours.len() == theirs.len() && ours.iter().all(|one| theirs.contains(one));
    if !same_keywords {
        return true;
    }
    ours.iter().any(|&keyword| {
        let (ours, theirs) = (&place.schema[keyword], &stable[keyword]);
        match keyword {
            "items" => false, // compared when they are descended to
            "additionalProperties" => ours.is_object() != theirs.is_object(),
            "allOf" => ours.as_array().map(Vec::len) != theirs.as_array().map(Vec::len),
            "properties" => {
                let has = |name: &String| ours.get(name).is_some();
                !theirs.as_object().is_some_and(|theirs| theirs.keys().all(has))
            }
            "anyOf" | "oneOf" => {
                let has = |branch: &'static Value| {
                    ours.as_array()
                        .into_iter()
                        .flatten()
                        .any(|one| identity(one) == identity(branch))
                };
                !theirs.as_array().is_some_and(|theirs| theirs.iter().all(has))
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

/// The constants that a `not` of a branch names.
fn guards(excluded: &'static Value) -> BTreeSet<&'static str> {
    let excluded = excluded["anyOf"].as_array().into_iter().flatten();
    excluded.filter_map(|excluded| tag_of(excluded)?.1.as_str()).collect()
}

/// The keywords of a schema that demand something, sorted.
fn keywords(schema: &'static Value) -> Vec<&'static str> {
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

/// Whether a schema accepts any value.
fn is_anything(schema: &'static Value) -> bool {
    *schema == true || (schema.is_object() && keywords(schema).is_empty())
}

/// Whether a schema has one demand and this is it.
fn is_exactly(schema: &'static Value, keyword: &str, value: &str) -> bool {
    keywords(schema) == [keyword] && schema[keyword] == value
}

fn is_string(schema: &'static Value) -> bool {
    schema["type"] == "string"
        && keywords(schema).iter().all(|keyword| ["const", "type"].contains(keyword))
}

/// The kinds of values that a schema may accept, by its types; `None` for any kind.
fn kinds_of(
    schema: &'static Value,
    definitions: &'static Map<String, Value>,
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

/// The name of the definition that a schema refers to.
fn target(schema: &'static Value) -> &'static str {
    let reference = schema["$ref"].as_str().unwrap_or_default();
    reference.strip_prefix("#/$defs/").unwrap_or(reference)
}

/// The name of the definition that a branch adds to its discriminator.
fn referred(branch: &'static Value) -> Option<&'static str> {
    match branch["allOf"].as_array()?.as_slice() {
        [only] if only.get("$ref").is_some() => Some(target(only)),
        _ => None,
    }
}

fn strings(list: &'static Value) -> impl Iterator<Item = &'static str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn count(schema: &Value, keyword: &str) -> usize {
    schema[keyword].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or_default()
}
