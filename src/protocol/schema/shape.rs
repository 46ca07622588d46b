//! The shapes of values: the schemas as one pass over a message reads them.
//!
//! A shape says for each part of a value whether it fits (yes, no, or not understood well enough
//! to tell) and, on the way, what is remarkable about values that fit: unknown members, drafts,
//! custom names. It is sound rather than complete: a yes means that the judge accepts the value
//! too, for every surface of the version. What fits only by means of a draft is therefore never
//! sure.
//!
//! All that concerns one object has been brought together when the shapes were compiled, so every
//! member is visited once; the depth of the walk is the depth of the schema.

use rustc_hash::FxHashMap;

use crate::json::{Kind, Node};

/// What the walk over a value tells besides whether it fits.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'t> {
    /// A member that no definition of the object names, with or without the drafts of the version.
    /// Not told of free-form places and of `_meta`.
    UnknownMember {
        object: Node<'t>,
        name: Node<'t>,
        value: Node<'t>,
        type_name: &'static str,
        /// The members that the object may have.
        known: &'static [&'static str],
    },
    /// A method that only the drafts of the version define; told of the message, not by the walk.
    DraftMethod { method: Node<'t> },
    /// A member that only the drafts of the version define.
    DraftMember { name: Node<'t>, member: &'static str, type_name: &'static str },
    /// A branch of a union that only the drafts of the version define; the discriminator.
    DraftVariant { value: Node<'t>, site: &'static Site },
    /// A value that only the drafts of the version define.
    DraftValue { value: Node<'t>, site: &'static Site },
    /// A value of an open set that is neither defined nor reserved for custom use by a `_`.
    OpenValue { value: Node<'t>, site: &'static Site },
    /// A value of an open set that starts with `_`.
    CustomValue { value: Node<'t>, site: &'static Site },
    /// `_meta` that is neither an object nor null.
    MetaNotObject { value: Node<'t> },
    /// An identifier that is the empty string; the definition of the identifier.
    EmptyIdentifier { value: Node<'t>, type_name: &'static str },
    /// Null for a list or map that must not be null, which official readers forgive.
    NullForList { value: Node<'t>, member: &'static str },
    /// An object that fits only the branch of a union that has no discriminator, although it has
    /// one.
    Fallthrough {
        object: Node<'t>,
        tag: Node<'t>,
        /// The name of the branch. A discriminator of this name is harmless.
        branch: &'static str,
        /// The definition that the discriminator stands for, which the object does not fit; `None`
        /// when it stands for none.
        meant: Option<&'static str>,
    },
}

/// A place in the schema where a value is chosen from a set of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The definition whose part it is.
    pub type_name: &'static str,
    /// The discriminator, when the names are those of the branches of a union.
    pub tag: Option<&'static str>,
    /// The defined names, with those of drafts, in the order of the schema.
    pub known: Vec<&'static str>,
}

/// What the walk over a value knows about its fitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Sureness {
    /// It fits the version without its drafts, and so with them.
    Surely,
    /// It does not, or by means of a draft, or the shapes do not understand the schema: ask the
    /// judge.
    Unsure,
}

/// The shapes of all definitions of a version.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) shapes: Vec<Shape>,
    pub(super) definitions: FxHashMap<&'static str, ShapeId>,
}

/// The place of a shape in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShapeId(pub(super) u32);

impl ShapeId {
    /// Any value.
    pub(super) const ANYTHING: Self = Self(0);
    /// A value that the shapes have no opinion of.
    pub(super) const OPAQUE: Self = Self(1);
    /// No value.
    pub(super) const NOTHING: Self = Self(2);
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Anything,
    Opaque,
    Nothing,
    Null,
    Boolean,
    Integer {
        least: i64,
        greatest: i64,
    },
    Number {
        least: f64,
        greatest: f64,
    },
    String {
        shortest: usize,
    },
    Identifier {
        type_name: &'static str,
    },
    Meta,
    Values(Values),
    /// By the kind of the value.
    Kinds(Box<Kinds>),
    Array {
        element: ShapeId,
        shortest: usize,
    },
    /// An object with free names.
    Map {
        value: ShapeId,
    },
    Object(Box<Object>),
    Union(Box<Union>),
    Choice(Box<Choice>),
    Both(ShapeId, ShapeId),
}

/// A set of strings.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) site: Site,
    pub(super) known: Vec<Name>,
    pub(super) openness: Openness,
}

/// Whether a set has room for names that are not defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Openness {
    Closed,
    /// For those that start with `_`; others are accepted but reserved.
    Open,
    /// For any, without the convention.
    Free,
}

/// A defined name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) name: &'static str,
    /// As JSON text, which is compared first.
    pub(super) quoted: Box<str>,
    /// Whether only the drafts define it.
    pub(super) draft: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kinds {
    pub(super) null: ShapeId,
    pub(super) boolean: ShapeId,
    pub(super) number: ShapeId,
    pub(super) string: ShapeId,
    pub(super) array: ShapeId,
    pub(super) object: ShapeId,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object {
    pub(super) type_name: &'static str,
    pub(super) members: Vec<Member>,
    pub(super) known: Vec<&'static str>,
    /// One bit for each required member, by its place.
    pub(super) required: u64,
    /// Whether any other member may stand beside.
    pub(super) open: bool,
    /// Whether the schema demands something the shape does not know.
    pub(super) doubtful: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: Name,
    pub(super) shape: ShapeId,
    /// Whether official readers take null for its absence although the schema does not.
    pub(super) forgives_null: bool,
}

/// Objects told apart by a discriminator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Union {
    pub(super) tag: &'static str,
    pub(super) site: Site,
    pub(super) variants: Vec<Variant>,
    pub(super) openness: Openness,
    /// For a discriminator that no variant has.
    pub(super) other: Option<ShapeId>,
    /// For objects whose discriminator does not matter, and the branch's title.
    pub(super) untagged: Option<(ShapeId, &'static str)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) tag: Name,
    pub(super) type_name: Option<&'static str>,
    pub(super) shape: ShapeId,
}

/// Alternatives without a discriminator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) alternatives: Vec<ShapeId>,
    /// Whether no two of them may fit.
    pub(super) exclusive: bool,
}

/// Whether a value fits: the greatest of its parts' answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Yes,
    Unsure,
    No,
}

impl From<bool> for Fit {
    fn from(fits: bool) -> Self {
        if fits { Self::Yes } else { Self::No }
    }
}

impl Name {
    pub(super) fn new(name: &'static str, draft: bool) -> Self {
        Self { name, quoted: serde_json::Value::from(name).to_string().into(), draft }
    }
}

/// The place of the name that a string has. Names are mostly written as `serde_json` would write
/// them, so their texts are compared and nothing is decoded.
#[inline]
fn position<'n>(
    mut names: impl Iterator<Item = &'n Name> + Clone,
    node: Node<'_>,
) -> Option<usize> {
    let raw = node.raw();
    let place = names.clone().position(|name| *name.quoted == *raw);
    if place.is_none() && memchr::memchr(b'\\', raw.as_bytes()).is_some() {
        return names.position(|name| node.is(name.name));
    }
    place
}

impl Program {
    pub(super) fn definition(&self, name: &str) -> ShapeId {
        self.definitions.get(name).copied().unwrap_or(ShapeId::OPAQUE)
    }

    pub(super) fn walk<'t>(
        &'static self,
        shape: ShapeId,
        value: Node<'t>,
        observe: &mut dyn FnMut(Observation<'t>),
    ) -> Sureness {
        let mut walk = Walk { program: self, observe, met_draft: false };
        match walk.shape(shape, value) {
            Fit::Yes if !walk.met_draft => Sureness::Surely,
            _ => Sureness::Unsure,
        }
    }
}

struct Walk<'o, 't> {
    program: &'static Program,
    observe: &'o mut dyn FnMut(Observation<'t>),
    met_draft: bool,
}

impl<'t> Walk<'_, 't> {
    fn shape(&mut self, shape: ShapeId, node: Node<'t>) -> Fit {
        match &self.program.shapes[shape.0 as usize] {
            Shape::Anything => Fit::Yes,
            Shape::Opaque => Fit::Unsure,
            Shape::Nothing => Fit::No,
            Shape::Null => node.is_null().into(),
            Shape::Boolean => matches!(node.kind(), Kind::True | Kind::False).into(),
            Shape::Integer { least, greatest } => match node.integer() {
                Some(number) => (*least..=*greatest).contains(&number).into(),
                None if node.is_number() => Fit::Unsure, // beyond 64 bits, or a fraction
                None => Fit::No,
            },
            Shape::Number { least, greatest } => match node.number() {
                Some(number) => (*least..=*greatest).contains(&number).into(),
                None => Fit::No,
            },
            Shape::String { shortest } => match node.text() {
                Some(text) => (*shortest == 0 || text.len_chars() >= *shortest).into(),
                None => Fit::No,
            },
            Shape::Identifier { type_name } => match node.text() {
                Some(text) => {
                    if text.is_empty() {
                        self.tell(Observation::EmptyIdentifier { value: node, type_name });
                    }
                    Fit::Yes
                }
                None => Fit::No,
            },
            Shape::Meta if node.is_object() || node.is_null() => Fit::Yes,
            Shape::Meta => {
                self.tell(Observation::MetaNotObject { value: node });
                Fit::No
            }
            Shape::Values(values) => self.values(values, node),
            Shape::Kinds(kinds) => self.shape(kinds.of(node.kind()), node),
            Shape::Array { element, shortest } => {
                if !node.is_array() {
                    return Fit::No;
                }
                let mut fit = Fit::from(*shortest == 0 || node.len() >= *shortest);
                for node in node.elements() {
                    fit = fit.max(self.shape(*element, node));
                }
                fit
            }
            Shape::Map { .. } if !node.is_object() => Fit::No,
            Shape::Map { value: ShapeId::ANYTHING } => Fit::Yes,
            Shape::Map { value } => {
                node.members().map(|(_, node)| self.shape(*value, node)).fold(Fit::Yes, Fit::max)
            }
            Shape::Object(object) => self.object(object, node),
            Shape::Union(union) => self.union(union, node),
            Shape::Choice(choice) => self.choice(choice, node),
            Shape::Both(one, other) => self.shape(*one, node).max(self.shape(*other, node)),
        }
    }

    fn values(&mut self, values: &'static Values, node: Node<'t>) -> Fit {
        if !node.is_string() {
            return Fit::No;
        }
        let site = &values.site;
        match position(values.known.iter(), node) {
            Some(place) => {
                if values.known[place].draft {
                    self.met_draft = true;
                    self.tell(Observation::DraftValue { value: node, site });
                }
                Fit::Yes
            }
            None => self.undefined(values.openness, site, node),
        }
    }

    fn object(&mut self, object: &'static Object, node: Node<'t>) -> Fit {
        if !node.is_object() {
            return Fit::No;
        }
        let mut missing = object.required;
        let mut fit = if object.doubtful { Fit::Unsure } else { Fit::Yes };
        for (name, value) in node.members() {
            let Some(place) = position(object.members.iter().map(|member| &member.name), name)
            else {
                if !object.open && !name.is("_meta") {
                    self.tell(Observation::UnknownMember {
                        object: node,
                        name,
                        value,
                        type_name: object.type_name,
                        known: &object.known,
                    });
                }
                continue;
            };
            missing &= !(1 << place);
            let member = &object.members[place];
            if member.name.draft {
                self.met_draft = true;
                self.tell(Observation::DraftMember {
                    name,
                    member: member.name.name,
                    type_name: object.type_name,
                });
            }
            if member.forgives_null && value.is_null() {
                self.tell(Observation::NullForList { value, member: member.name.name });
            }
            fit = fit.max(self.shape(member.shape, value));
        }
        fit.max(Fit::from(missing == 0))
    }

    fn union(&mut self, union: &'static Union, node: Node<'t>) -> Fit {
        if !node.is_object() {
            return Fit::No;
        }
        let Some(tag) = node.get(union.tag).filter(|tag| tag.is_string()) else {
            return match union.untagged {
                Some((shape, _)) => self.shape(shape, node),
                None => Fit::No,
            };
        };
        let variant = position(union.variants.iter().map(|variant| &variant.tag), tag)
            .map(|place| &union.variants[place]);
        let site = &union.site;
        match (variant, union.other, union.untagged) {
            (Some(variant), _, Some((shape, branch)))
                if self.silently(variant.shape, node) == Fit::No =>
            {
                self.fall_through(node, tag, shape, branch, variant.type_name)
            }
            (Some(variant), ..) => {
                if variant.tag.draft {
                    self.met_draft = true;
                    self.tell(Observation::DraftVariant { value: tag, site });
                }
                self.shape(variant.shape, node)
            }
            (None, Some(other), _) => {
                let fit = self.undefined(union.openness, site, tag);
                fit.max(self.shape(other, node))
            }
            (None, None, Some((shape, branch))) => {
                self.fall_through(node, tag, shape, branch, None)
            }
            (None, None, None) => Fit::No,
        }
    }

    fn fall_through(
        &mut self,
        object: Node<'t>,
        tag: Node<'t>,
        shape: ShapeId,
        branch: &'static str,
        meant: Option<&'static str>,
    ) -> Fit {
        if self.silently(shape, object) == Fit::No {
            return Fit::No; // what it lacks says more than what it has
        }
        self.tell(Observation::Fallthrough { object, tag, branch, meant });
        self.shape(shape, object)
    }

    fn choice(&mut self, choice: &'static Choice, node: Node<'t>) -> Fit {
        let (mut fitting, mut doubted, mut best) = (0, 0, None);
        for &alternative in &choice.alternatives {
            let fit = self.silently(alternative, node);
            fitting += usize::from(fit == Fit::Yes);
            doubted += usize::from(fit == Fit::Unsure);
            if best.is_none_or(|(_, best)| fit < best) {
                best = Some((alternative, fit));
            }
        }
        let Some((best, fit)) = best else { return Fit::No };
        let _ = self.shape(best, node);
        match (choice.exclusive, fitting, doubted) {
            (false, ..) | (true, 1, 0) => fit,
            (true, 0, _) => fit,
            (true, 2.., _) => Fit::No,
            (true, ..) => Fit::Unsure,
        }
    }

    /// A string that is no defined name of a set.
    fn undefined(&mut self, openness: Openness, site: &'static Site, value: Node<'t>) -> Fit {
        match openness {
            Openness::Closed => return Fit::No,
            Openness::Free => {}
            Openness::Open if value.text().is_some_and(|text| text.starts_with("_")) => {
                self.tell(Observation::CustomValue { value, site });
            }
            Openness::Open => self.tell(Observation::OpenValue { value, site }),
        }
        Fit::Yes
    }

    /// Whether the value fits, without telling what is in it.
    fn silently(&self, shape: ShapeId, node: Node<'t>) -> Fit {
        let mut walk = Walk { program: self.program, observe: &mut |_| {}, met_draft: false };
        let fit = walk.shape(shape, node);
        // What a draft refuses, the version without drafts may not know.
        if walk.met_draft { Fit::Unsure } else { fit }
    }

    fn tell(&mut self, observation: Observation<'t>) {
        (self.observe)(observation);
    }
}

impl Kinds {
    pub(super) fn new() -> Self {
        let nothing = ShapeId::NOTHING;
        Self {
            null: nothing,
            boolean: nothing,
            number: nothing,
            string: nothing,
            array: nothing,
            object: nothing,
        }
    }

    fn of(&self, kind: Kind) -> ShapeId {
        match kind {
            Kind::Null => self.null,
            Kind::True | Kind::False => self.boolean,
            Kind::Number => self.number,
            Kind::String => self.string,
            Kind::Array => self.array,
            Kind::Object => self.object,
        }
    }
}
