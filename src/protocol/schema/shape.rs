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

/// Something that rules may report about a value, whether or not it fits its schema: an unknown
/// member, a draft, a custom value.
#[derive(Clone, Copy, Debug)]
pub enum Observation<'t> {
    /// A member that no definition of the object has, not even a draft. Not reported for objects
    /// with free names and `_meta`.
    UnknownMember {
        object: Node<'t>,
        name: Node<'t>,
        value: Node<'t>,
        type_name: &'static str,
        /// Names of the members that the schema defines for the object.
        known: &'static [&'static str],
        /// Names of the members that the schema demands of the object.
        demanded: &'static [&'static str],
    },
    /// A method that only the drafts of the version define. The checker reports this; the walk does
    /// not.
    DraftMethod { method: Node<'t> },
    /// A member that only the drafts of the version define.
    DraftMember { name: Node<'t>, member: &'static str, type_name: &'static str },
    /// The discriminator of a branch that only the drafts of the version define.
    DraftVariant { value: Node<'t>, site: &'static Site },
    /// A value of an enumeration that only the drafts of the version define.
    DraftValue { value: Node<'t>, site: &'static Site },
    /// A value of an open enumeration that is not defined, and does not begin with `_` as custom
    /// values must.
    OpenValue { value: Node<'t>, site: &'static Site },
    /// A custom value of an open enumeration: it begins with `_`, so it is allowed, though not
    /// defined.
    CustomValue { value: Node<'t>, site: &'static Site },
    /// A `_meta` member that is neither an object nor null.
    MetaNotObject { value: Node<'t> },
    /// An identifier that is an empty string. `type_name` is the definition of the identifier.
    EmptyIdentifier { value: Node<'t>, type_name: &'static str },
    /// Null where the schema demands a list or map; official readers accept it.
    NullForList { value: Node<'t>, member: &'static str },
    /// An object with a discriminator that fits only the branch without one.
    Fallthrough {
        object: Node<'t>,
        tag: Node<'t>,
        /// Name of the branch that the object fits. A discriminator of this name is harmless.
        branch: &'static str,
        /// The definition that the discriminator stands for, which the object does not fit; `None`
        /// where it stands for none.
        meant: Option<&'static str>,
        site: &'static Site,
    },
}

/// A place in the schema where a value is one of several defined names: an enumeration, or the
/// discriminator of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the schema definition that has the enumeration or union.
    pub type_name: &'static str,
    /// The discriminator of a union, such as `sessionUpdate`, if the names are its values; `None`
    /// for an enumeration.
    pub tag: Option<&'static str>,
    /// The defined names, including drafts, in the order of the schema.
    pub known: Vec<&'static str>,
}

/// The answer of a fast check of a value against a compiled schema, before the slower validator is
/// asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Accepts {
    /// The value fits the version without drafts, and so also the version with them.
    Surely,
    /// The slower validator has to decide: the value may not fit, or only with drafts, or the
    /// schema has keywords that fast checks do not model.
    Unknown,
}

/// How many members of an object a branch of a union does not know, and how many of the branch the
/// object lacks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mismatch {
    pub(super) unknown: usize,
    pub(super) missing: usize,
}

impl Mismatch {
    /// Most members of an object, or elements of a list, that are compared, to limit the time.
    /// Others are not looked at.
    pub(super) const MANY: usize = 100;

    /// The sum over the first elements of a list.
    pub(super) fn of_list<'t>(list: Node<'t>, of: impl Fn(Node<'t>) -> Self) -> Self {
        list.elements().take(Self::MANY).map(of).fold(Self::default(), |sum, one| Self {
            unknown: sum.unknown + one.unknown,
            missing: sum.missing + one.missing,
        })
    }

    /// How far the members of an object are from those that a form knows and demands. `tag` is a
    /// discriminator that may be missing.
    pub(super) fn of_object(
        object: Node<'_>,
        is_known: impl Fn(Node<'_>) -> bool,
        demanded: &[&str],
        tag: Option<&str>,
    ) -> Self {
        let names = object.members().take(Self::MANY).map(|(name, _)| name);
        let is_missing = |name: &&&str| Some(**name) != tag && object.get(name).is_none();
        Self {
            unknown: names.filter(|name| !name.is("_meta") && !is_known(*name)).count(),
            missing: demanded.iter().filter(is_missing).count(),
        }
    }

    /// Whether both numbers are less than those of the other.
    pub(super) fn is_less_than(self, other: Self) -> bool {
        self.unknown < other.unknown && self.missing < other.missing
    }
}

/// Number of a definition: its index in `Program::definitions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DefinitionId(pub(super) usize);

/// A compiled schema, against which values are checked fast.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Any JSON value is valid here, as with the schema `true`.
    Anything,
    /// The schema has keywords that fast checks do not model, so that the validator has to decide.
    Opaque,
    /// No JSON value is valid here, as with the schema `false`.
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
    /// A string with a least and a greatest length in characters.
    String {
        shortest: usize,
        longest: usize,
    },
    Identifier {
        type_name: &'static str,
    },
    Meta,
    Values(Values),
    /// A schema for each JSON type; the type of the value selects the one that applies.
    Kinds(Box<Kinds>),
    Array {
        element: Box<Shape>,
        shortest: usize,
    },
    /// An object with any member names, whose values must all fit one schema.
    Map {
        value: Box<Shape>,
    },
    Object(Box<Object>),
    Union(Box<Union>),
    Alternatives(Box<Alternatives>),
    Both(Box<(Shape, Shape)>),
}

/// The names that are allowed in an enumeration, or as the discriminator of a union.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) site: Site,
    pub(super) known: Vec<Name>,
    pub(super) openness: Openness,
}

/// What an enumeration does with names that it does not define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Openness {
    Closed,
    /// Names with a leading `_` are admitted; others are accepted but reserved, and reported.
    Open,
    /// All names are allowed, and none is reported.
    Free,
}

/// The name of a member, or a name in an enumeration, that the schema defines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Name {
    pub(super) text: &'static str,
    /// Whether only the drafts of the version define the name.
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
    /// Which members are required: bit n (from 0) is set for the member with index n.
    pub(super) required: u64,
    /// Whether members that the schema does not define may be present.
    pub(super) open: bool,
    /// Whether the schema also demands something that fast checks do not model.
    pub(super) doubtful: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) name: Name,
    pub(super) shape: Shape,
    /// Whether official readers take null for the member's absence, although the schema does not.
    pub(super) forgives_null: bool,
}

/// A union of objects of which a discriminator member selects the branch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Union {
    pub(super) tag: &'static str,
    pub(super) site: Site,
    pub(super) variants: Vec<Variant>,
    pub(super) openness: Openness,
    /// The compiled schema of objects whose discriminator names none of the variants; `None` where
    /// such objects do not fit the union.
    pub(super) other: Option<Shape>,
    /// The branch for objects whose discriminator does not matter, and the title of that branch;
    /// `None` without such a branch.
    pub(super) untagged: Option<(Shape, &'static str)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Variant {
    pub(super) tag: Name,
    pub(super) type_name: Option<&'static str>,
    pub(super) shape: Shape,
}

/// A union whose branches have no discriminator, so that each is tried.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alternatives {
    pub(super) alternatives: Vec<Shape>,
    pub(super) demand: Demand,
}

/// How many branches of a union a value must fit: at least one for `anyOf`, exactly one for
/// `oneOf`.
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
