//! The shapes of values: the schemas as one pass over a message reads them.
//!
//! A shape says for each part of a value whether it fits (yes, no, or not understood well enough to
//! tell) and, on the way, what is remarkable about values that fit: unknown members, drafts, custom
//! names. It is sound rather than complete: a yes means that the validator accepts the value too,
//! for every surface of the version. What fits only by means of a draft is therefore never sure.
//!
//! All that concerns one object has been brought together when the shapes were compiled, so every
//! member is visited once; the depth of the walk is the depth of the schema.

use crate::json::{Kind, Node};

/// What the walk over a value finds, besides whether the value fits.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'t> {
    /// A member that no definition of the object names, with or without the drafts of the version.
    /// Free-form objects and `_meta` have none.
    UnknownMember {
        object: Node<'t>,
        name: Node<'t>,
        value: Node<'t>,
        type_name: &'static str,
        /// The members that the object may have.
        known: &'static [&'static str],
        /// The members that the object must have.
        demanded: &'static [&'static str],
    },
    /// A method that only the drafts of the version define. The checker makes this observation, not
    /// the walk.
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
        site: &'static Site,
    },
}

/// A place in the schema where a value is chosen from a set of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The definition whose part it is.
    pub type_name: &'static str,
    /// The member by which a union tells its branches apart, such as `sessionUpdate`, where the names
    /// are its values; `None` where the names are the values of an enum.
    pub tag: Option<&'static str>,
    /// The defined names, with those of drafts, in the order of the schema.
    pub known: Vec<&'static str>,
}

/// Whether the shapes accept a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Accepts {
    /// The value fits the version without its drafts, and so the version with them.
    Surely,
    /// The validator has to decide: the value does not fit, or fits only with drafts, or the schema
    /// has a keyword that shapes do not model.
    Unknown,
}

/// How far the members of an object are from those of a branch of a union.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mismatch {
    pub(super) unknown: usize,
    pub(super) missing: usize,
}

impl Mismatch {
    /// The most members or elements that are looked at.
    pub(super) const MANY: usize = 100;

    /// Whether both are less.
    pub(super) fn is_less_than(self, other: Self) -> bool {
        self.unknown < other.unknown && self.missing < other.missing
    }
}

/// The place of a definition in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DefinitionId(pub(super) usize);

/// What the schemas demand of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Any value fits.
    Anything,
    /// Shapes do not model this schema: whether a value fits is unknown.
    Opaque,
    /// No value fits.
    Nothing,
    Definition(DefinitionId),
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
    /// A string, with bounds for its length in characters.
    String {
        shortest: usize,
        longest: usize,
    },
    Identifier {
        type_name: &'static str,
    },
    Meta,
    Values(Values),
    /// The kind of the JSON value (object, string, null, …) decides which of several shapes it has to fit.
    Kinds(Box<Kinds>),
    Array {
        element: Box<Shape>,
        shortest: usize,
    },
    /// An object with free names.
    Map {
        value: Box<Shape>,
    },
    Object(Box<Object>),
    Union(Box<Union>),
    Alternatives(Box<Alternatives>),
    Both(Box<(Shape, Shape)>),
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) text: &'static str,
    /// Whether only the drafts define it.
    pub(super) draft: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kinds {
    pub(super) null: Shape,
    pub(super) boolean: Shape,
    pub(super) number: Shape,
    pub(super) string: Shape,
    pub(super) array: Shape,
    pub(super) object: Shape,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object {
    pub(super) type_name: &'static str,
    pub(super) members: Vec<Member>,
    pub(super) known: Vec<&'static str>,
    pub(super) demanded: Vec<&'static str>,
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
    pub(super) shape: Shape,
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
    pub(super) other: Option<Shape>,
    /// For objects whose discriminator does not matter, and the branch's title.
    pub(super) untagged: Option<(Shape, &'static str)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) tag: Name,
    pub(super) type_name: Option<&'static str>,
    pub(super) shape: Shape,
}

/// Alternatives without a discriminator.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alternatives {
    pub(super) alternatives: Vec<Shape>,
    pub(super) demand: Demand,
}

/// How many branches of a union have to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    AtLeastOne,
    ExactlyOne,
}

impl Name {
    pub(super) fn new(text: &'static str, draft: bool) -> Self {
        Self { text, draft }
    }
}

impl Kinds {
    pub(super) fn new() -> Self {
        Self {
            null: Shape::Nothing,
            boolean: Shape::Nothing,
            number: Shape::Nothing,
            string: Shape::Nothing,
            array: Shape::Nothing,
            object: Shape::Nothing,
        }
    }

    pub(super) fn of(&self, kind: Kind) -> &Shape {
        match kind {
            Kind::Null => &self.null,
            Kind::True | Kind::False => &self.boolean,
            Kind::Number => &self.number,
            Kind::String => &self.string,
            Kind::Array => &self.array,
            Kind::Object => &self.object,
        }
    }
}
