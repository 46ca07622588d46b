//! What the official schemas say: which methods there are, and whether a value fits its definition.
//!
//! In go a surface, an edition and JSON values; out come methods, [`SchemaFault`]s and
//! [`Observation`]s. Everything about methods, members and variants comes from the documents
//! (`schema/documents.rs`). A value is checked in two steps:
//!
//! 1. A walk over the value (`schema/walk.rs`) along a *shape*, which is compiled from the schema
//!    (`schema/shape.rs`, `schema/compile.rs`). The walk says whether the value surely fits, and
//!    observes what a schema does not forbid: unknown members, drafts, custom values.
//! 2. Where the walk is not sure, a `jsonschema` validator of the whole document decides. Its errors
//!    are narrowed to one fault for each cause (`schema/narrow.rs`, `schema/focus.rs`).
//!
//! `schema/suggest.rs` finds the name that a misspelt one means.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::OnceLock,
};

use jsonschema::{Registry, Validator};
use serde_json::{Value, json};

use super::{Edition, Surface, Version};
use crate::{
    json::{Node, TapeJson},
    map::Map,
};

mod compile;
mod documents;
mod fault;
mod fit;
mod focus;
mod narrow;
mod pair;
mod shape;
mod suggest;
mod walk;

pub use fault::{Effect, FaultKind, SchemaFault};
pub use fit::ResponseFit;
pub use shape::{Accepts, Observation, Site};
pub use suggest::{is_respelling, nearest};

pub use documents::{Upstream, file_name, read, supplied_hash, supply, upstream};

use compile::Program;
use documents::{MethodMarks, StoredDefinition, StoredDefinitions};
use shape::DefinitionId;

/// All schemas of one surface in one edition: the definitions and methods of the protocol.
#[derive(Debug)]
pub struct Protocol {
    definitions: &'static BTreeMap<&'static str, Definition>,
    /// The methods of the protocol, sorted by name for searching.
    methods: Vec<Method>,
    /// For each method name, its index in `methods`.
    places: Map<&'static str, usize>,
}

/// A method that the schema defines. `mcp/message` is a request as well as a notification, each
/// with its own handler.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: &'static str,
    pub request: Option<CallSchema>,
    pub notification: Option<CallSchema>,
}

/// The schemas of a method, either as a request or as a notification.
#[derive(Clone, Copy, Debug)]
pub struct CallSchema {
    pub handler: Handler,
    pub params: &'static Definition,
    /// The definition of the result in the schema; `None` for notifications.
    pub result: Option<&'static Definition>,
}

/// Which side, or a proxy, handles a request or notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Handler {
    Client,
    Agent,
    /// Either side: `$/cancel_request` goes to the side that the named request was sent to.
    Either,
    /// A proxy between client and agent answers the method.
    Proxy,
}

/// An entry of `$defs`: a schema with a name, against which values are checked.
pub struct Definition {
    entry: &'static StoredDefinition,
    shape: Option<DefinitionId>,
    program: &'static Program,
    validator: OnceLock<Validator<TapeJson>>,
    parts: OnceLock<focus::Parts>,
    is_settled: OnceLock<bool>,
    names: OnceLock<BTreeSet<&'static str>>,
}

impl Protocol {
    /// The schemas of a surface in an edition. The first call takes about half a millisecond. A
    /// definition is parsed, and its validator compiled, when it is first asked for.
    pub fn of(surface: Surface, edition: Edition) -> &'static Self {
        static PROTOCOLS: Table<Protocol> = Table::new();
        PROTOCOLS.get(surface, edition, || {
            let definitions = definitions(surface, edition);
            let methods = methods(definitions);
            let places = methods.iter().enumerate().map(|(index, method)| (method.name, index));
            Self { definitions, places: places.collect(), methods }
        })
    }

    pub fn method(&self, name: &str) -> Option<&Method> {
        self.methods.get(*self.places.get(name)?)
    }

    /// All methods of the protocol, sorted by name.
    pub fn methods(&self) -> impl Iterator<Item = &Method> {
        self.methods.iter()
    }

    /// The entry of `$defs` with this name; `None` where there is none.
    pub fn definition(&self, name: &str) -> Option<&'static Definition> {
        self.definitions.get(name)
    }

    /// The definition of the member `member` in the definition `type_name`; `None` where the
    /// member's schema refers to no definition.
    pub fn type_of(&self, type_name: &str, member: &str) -> Option<&'static Definition> {
        self.referred(&self.definition(type_name)?.schema()["properties"][member])
    }

    /// The definition of the elements of the list `member` in the definition `type_name`; `None`
    /// where they have none.
    pub fn element_of(&self, type_name: &str, member: &str) -> Option<&'static Definition> {
        let list = &self.definition(type_name)?.schema()["properties"][member];
        self.referred(&list["items"])
    }

    /// Whether objects of a definition may have a member of this name, in any branch.
    pub fn has_member(&self, definition: &Definition, name: &str) -> bool {
        let names = definition.names.get_or_init(|| {
            let mut names = BTreeSet::new();
            self.add_names(definition.schema(), &mut names, 4);
            names
        });
        names.contains(name)
    }

    /// Adds the names of the members of a schema and of those that it refers to. Follows at most
    /// `steps` references from one schema to the next.
    fn add_names(&self, schema: &'static Value, names: &mut BTreeSet<&'static str>, steps: usize) {
        let Some(steps) = steps.checked_sub(1) else { return };
        let own = schema["properties"].as_object().into_iter().flatten();
        names.extend(own.map(|(name, _)| name.as_str()));
        let parts = ["allOf", "anyOf", "oneOf"].map(|keyword| schema[keyword].as_array());
        parts.into_iter().flatten().flatten().for_each(|part| self.add_names(part, names, steps));
        if let Some(referred) = self.referred(schema) {
            self.add_names(referred.schema(), names, steps);
        }
    }

    /// The definition that a schema refers to, alone or as an alternative to null; `None` for other
    /// schemas.
    fn referred(&self, schema: &Value) -> Option<&'static Definition> {
        if let Some(target) = schema["$ref"].as_str() {
            return self.definition(target.rsplit('/').next()?);
        }
        let parts = ["allOf", "anyOf"].map(|keyword| schema[keyword].as_array());
        let mut parts = parts.into_iter().flatten().flatten();
        parts.find_map(|part| self.definition(part["$ref"].as_str()?.rsplit('/').next()?))
    }

    /// The union that has the definition `branch` as a branch, and another branch for the value
    /// `value` of its discriminator `tag`; `None` when there is none.
    pub fn union_with(&self, branch: &str, tag: &str, value: &str) -> Option<&'static Definition> {
        let is_branch =
            |schema: &Value| self.referred(schema).is_some_and(|it| it.name() == branch);
        self.definitions.values().find(|it| {
            let parts = ["anyOf", "oneOf"].map(|keyword| it.schema()[keyword].as_array());
            it.tags(tag).any(|known| known == value)
                && parts.into_iter().flatten().flatten().any(is_branch)
        })
    }

    /// All definitions of the schema (`$defs`), sorted by name.
    pub fn definitions(&self) -> impl Iterator<Item = &'static Definition> {
        self.definitions.values()
    }
}

impl Definition {
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    fn schema(&self) -> &'static Value {
        self.entry.schema()
    }

    /// Whether a definition of another surface or edition has the same schema. The definitions that
    /// both refer to are not compared.
    pub fn is_same(&self, other: &Self) -> bool {
        self.schema() == other.schema()
    }

    /// Names of the members that the definition demands.
    pub fn required(&self) -> impl Iterator<Item = &'static str> {
        self.schema()["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether the definition requires a member, so that `{}` may not fit. Also true of each union.
    pub fn is_demanding(&self) -> bool {
        self.required().next().is_some() || self.schema()["anyOf"].is_array()
    }

    /// Values of the discriminator `member` in the branches of a union; empty for other
    /// definitions.
    pub fn tags(&self, member: &str) -> impl Iterator<Item = &'static str> {
        let branches = ["oneOf", "anyOf"].map(|union| self.schema()[union].as_array());
        let branches = branches.into_iter().flatten().flatten();
        branches.filter_map(move |branch| branch["properties"][member]["const"].as_str())
    }

    /// Whether the definition is an enumeration of strings that contains `value`.
    pub fn lists(&self, value: &str) -> bool {
        let is = |it: &Value| it.as_str() == Some(value);
        let has = |schema: &Value| {
            is(&schema["const"]) || schema["enum"].as_array().is_some_and(|it| it.iter().any(is))
        };
        let branches = ["oneOf", "anyOf"].map(|union| self.schema()[union].as_array());
        has(self.schema()) || branches.into_iter().flatten().flatten().any(has)
    }

    /// Names of the members that the definition itself lists, without those of definitions that it
    /// refers to.
    pub fn members(&self) -> impl Iterator<Item = &'static str> {
        self.schema()["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str())
    }

    /// Whether the value fits the definition. Takes about a microsecond for a message of ordinary
    /// size. The first call that needs the validator compiles the schema, which takes milliseconds.
    pub fn fits(&self, value: Node<'_>) -> bool {
        let is_missing = |name| value.get(name).is_none();
        if value.is_object() && self.required().any(is_missing) {
            return false;
        }
        self.walk(value, &mut |_| {}) == Accepts::Surely || self.is_valid(value)
    }

    /// Whether the validator accepts the value. Slower than [`Definition::fits`], which needs the
    /// validator only in doubt.
    #[doc(hidden)] // for the proof that both are the same
    pub fn is_valid(&self, value: Node<'_>) -> bool {
        self.validator().is_valid(value)
    }

    /// Every cause for which the value does not fit, in the order of the schema; empty when it
    /// fits. The search ends after 2,000 errors. Runs the validator, and takes microseconds for
    /// each error that it finds.
    pub fn faults<'t>(&'static self, value: Node<'t>) -> Vec<SchemaFault<'t>> {
        self.first_faults(value, ERRORS).0
    }

    /// The [`faults`](Self::faults) of the value that `most` errors of the validator show, and
    /// whether the search ended before all were found.
    pub fn first_faults<'t>(
        &'static self,
        value: Node<'t>,
        most: u32,
    ) -> (Vec<SchemaFault<'t>>, bool) {
        let (definition, part) = self.focus(value);
        if let Some(fault) = definition.fault_of_tag(part) {
            return (vec![fault], false);
        }
        let found = definition.search(part, most);
        if found.0.is_empty() && !std::ptr::eq(definition, self) {
            return self.search(value, most);
        }
        found
    }

    /// Whether the edition before the current one surely finds the same faults in this value: the
    /// part that has them is the same in both, and so is all that its definition says.
    pub fn is_settled_for(&'static self, value: Node<'_>) -> bool {
        let (surface, edition) =
            (Surface::unstable(self.entry.surface.version()), Edition::PREVIOUS);
        let Some(before) = definitions(surface, edition).get(self.name()) else { return false };
        let ((now, part), (then, part_then)) = (self.focus(value), before.focus(value));
        part.range() == part_then.range() && now.name() == then.name() && now.is_settled()
    }

    /// Whether the edition before the current one has the same schema for the definition, and for
    /// those that it refers to.
    fn is_settled(&self) -> bool {
        *self.is_settled.get_or_init(|| {
            let StoredDefinition { surface, edition, .. } = *self.entry;
            let now = definitions(surface, edition);
            let before = definitions(Surface::unstable(surface.version()), Edition::PREVIOUS);
            let (mut seen, mut waiting) = (BTreeSet::new(), vec![self.name()]);
            while let Some(name) = waiting.pop() {
                if seen.insert(name) {
                    let (Some(now), Some(before)) = (now.get(name), before.get(name)) else {
                        return false;
                    };
                    if !now.is_same(before) {
                        return false;
                    }
                    add_references(now.schema(), &mut waiting);
                }
            }
            true
        })
    }

    /// The faults of the whole value, by checking all of it. [`Definition::faults`] finds the same
    /// ones faster, by checking only the part that can have them.
    #[doc(hidden)] // for the proof that both are the same
    pub fn all_faults<'t>(&self, value: Node<'t>) -> Vec<SchemaFault<'t>> {
        self.search(value, ERRORS).0
    }

    /// The faults of the value, and whether the search ended early, after `most` errors.
    fn search<'t>(&self, value: Node<'t>, most: u32) -> (Vec<SchemaFault<'t>>, bool) {
        let doc = value.doc().with_error_budget(most);
        let errors: Vec<_> = self.validator().iter_errors(doc.own(value)).collect();
        if errors.is_empty() {
            return (Vec::new(), false);
        }
        let faults = narrow::narrow(self.name(), self.document(), value, &errors);
        (faults, doc.has_spent_error_budget())
    }

    /// Compares the value with the schema in one pass, and calls `observe` for unknown members,
    /// drafts and the like. Returns whether the value surely fits without drafts; otherwise the
    /// validator has to decide. Takes well under a microsecond for a small message.
    pub fn walk<'t>(&self, value: Node<'t>, observe: &mut dyn FnMut(Observation<'t>)) -> Accepts {
        self.program.walk(self.shape, value, observe)
    }

    fn document(&self) -> &'static Value {
        document(self.entry.surface, self.entry.edition)
    }

    fn validator(&self) -> &Validator<TapeJson> {
        self.validator.get_or_init(|| {
            jsonschema::options_for::<TapeJson>()
                .with_registry(registry(self.entry.surface, self.entry.edition))
                // The validator first compiles the meta-schema that `$schema` names, to check the
                // reference. The meta-schema of draft 4 is small.
                .build(&json!({
                    "$schema": "http://json-schema.org/draft-04/schema#",
                    "$ref": format!("{DOCUMENT_URI}#/$defs/{}", self.name()),
                }))
                .expect("the vendored schemas are valid and complete")
        })
    }
}

impl fmt::Debug for Definition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Definition").field(&self.name()).field(&self.entry.surface).finish()
    }
}

impl Handler {
    /// The handler that the keyword `x-side` of the schemas names; `None` for an unknown name.
    fn of(side: &str) -> Option<Self> {
        match side {
            "client" => Some(Self::Client),
            "agent" => Some(Self::Agent),
            "protocol" => Some(Self::Either),
            "proxy" => Some(Self::Proxy),
            _ => None,
        }
    }
}

/// Most errors that a validator looks for in one value; branches of a union are counted separately.
/// Further errors are not reported.
pub const ERRORS: u32 = 2000;

/// URI under which the documents refer to themselves. Nothing is fetched from it.
const DOCUMENT_URI: &str = "https://agentclientprotocol.com/schema.json";

/// A value for each surface and edition, made when it is first needed.
struct Table<T>([[OnceLock<T>; Edition::ALL.len()]; Surface::ALL.len()]);

impl<T> Table<T> {
    const fn new() -> Self {
        Self([const { [const { OnceLock::new() }; Edition::ALL.len()] }; Surface::ALL.len()])
    }

    fn get(&self, surface: Surface, edition: Edition, make: impl FnOnce() -> T) -> &T {
        self.0[surface as usize][edition as usize].get_or_init(make)
    }
}

/// All words of the schemas: methods, members, types, and values of enumerations. Collected at the
/// first call from every surface in the newest and the oldest edition, in about ten milliseconds.
pub fn words() -> &'static BTreeSet<&'static str> {
    static WORDS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = BTreeSet::new();
        for surface in Surface::ALL {
            for edition in [Edition::May2026, Edition::CURRENT] {
                add_words(document(surface, edition), &mut words);
            }
        }
        words
    })
}

fn add_words(schema: &'static Value, words: &mut BTreeSet<&'static str>) {
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("properties" | "$defs", Value::Object(named)) => {
                        words.extend(named.keys().map(String::as_str));
                    }
                    ("const" | "x-method", value) => words.extend(value.as_str()),
                    ("enum", Value::Array(values)) => {
                        words.extend(values.iter().filter_map(Value::as_str));
                    }
                    _ => {}
                }
                add_words(value, words);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|element| add_words(element, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Adds the names of the definitions that a schema refers to.
fn add_references(schema: &'static Value, names: &mut Vec<&'static str>) {
    names.extend(schema.get("$ref").map(|_| pair::target(schema)));
    match schema {
        Value::Object(members) => members.values().for_each(|part| add_references(part, names)),
        Value::Array(elements) => elements.iter().for_each(|part| add_references(part, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn document(surface: Surface, edition: Edition) -> &'static Value {
    static DOCUMENTS: Table<Value> = Table::new();
    DOCUMENTS.get(surface, edition, || documents::document(surface, edition))
}

/// The schema document of a surface in an edition, prepared once for all validators that need it.
fn registry(surface: Surface, edition: Edition) -> &'static Registry<'static> {
    static REGISTRIES: Table<Registry<'static>> = Table::new();
    REGISTRIES.get(surface, edition, || {
        Registry::new()
            .add(DOCUMENT_URI, document(surface, edition))
            .and_then(jsonschema::RegistryBuilder::prepare)
            .expect("the vendored schemas refer to nothing outside")
    })
}

fn entries(surface: Surface, edition: Edition) -> &'static StoredDefinitions {
    static ENTRIES: Table<StoredDefinitions> = Table::new();
    ENTRIES.get(surface, edition, || StoredDefinitions::of(surface, edition))
}

/// The compiled schema of a version and edition with drafts. Made at the first call, then shared.
fn program(version: Version, edition: Edition) -> &'static Program {
    static PROGRAMS: Table<Program> = Table::new();
    let (stable, unstable) = (Surface::stable(version), Surface::unstable(version));
    PROGRAMS.get(unstable, edition, || {
        Program::new(entries(unstable, edition), entries(stable, edition))
    })
}

fn definitions(surface: Surface, edition: Edition) -> &'static BTreeMap<&'static str, Definition> {
    static DEFINITIONS: Table<BTreeMap<&'static str, Definition>> = Table::new();
    DEFINITIONS.get(surface, edition, || {
        let program = program(surface.version(), edition);
        let definition = |entry: &'static StoredDefinition| {
            let shape = program.definition(entry.name);
            let (validator, parts, is_settled, names) = Default::default();
            (entry.name, Definition { entry, shape, program, validator, parts, is_settled, names })
        };
        entries(surface, edition).iter().map(definition).collect()
    })
}

/// Collects the methods from the definitions: `x-method` names the method, `x-side` its handler,
/// and the end of the definition's name says whether it is a request, response or notification.
fn methods(definitions: &'static BTreeMap<&'static str, Definition>) -> Vec<Method> {
    let marked: Vec<(MethodMarks, &Definition)> = definitions
        .values()
        .filter_map(|definition| Some((definition.entry.marks()?, definition)))
        .collect();
    let ending = |suffix: &'static str| {
        marked.iter().filter(move |(_, definition)| definition.name().ends_with(suffix))
    };
    let results: BTreeMap<_, _> =
        ending("Response").map(|(marks, definition)| (marks.method, *definition)).collect();
    let mut methods = BTreeMap::new();
    for (suffix, is_request) in [("Request", true), ("Notification", false)] {
        for (MethodMarks { method: name, side }, params) in ending(suffix) {
            let Some(handler) = side.and_then(Handler::of) else { continue };
            let method =
                methods.entry(name).or_insert(Method { name, request: None, notification: None });
            if is_request {
                let result = results.get(name).copied();
                method.request = Some(CallSchema { handler, params, result });
            } else {
                method.notification = Some(CallSchema { handler, params, result: None });
            }
        }
    }
    methods.into_values().collect()
}
