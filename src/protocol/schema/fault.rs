//! What is wrong with a value, and what official readers do with it.

use crate::json::Node;

/// One reason why a value does not fit its definition in the schema, with what readers do about it.
#[derive(Clone, Debug)]
pub struct SchemaFault<'t> {
    /// The value at fault; for a missing member, the object that lacks the member.
    pub node: Node<'t>,
    pub kind: FaultKind,
    pub effect: Effect,
    /// Name of the schema definition that the value breaks.
    pub type_name: &'static str,
    /// Whether the edition before the current one accepts the value, so that the sender may not
    /// know the requirement yet. Always `false` where the user chose an edition.
    pub is_recent: bool,
}

/// What is wrong with a value, compared with its definition in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The object lacks the required member with this name.
    Missing { name: &'static str },
    /// The object lacks its discriminator, which says which branch of a union the object is.
    MissingTag { name: &'static str, allowed: Vec<&'static str> },
    /// The value is of another type than any allowed, in the words of JSON Schema.
    WrongType { expected: Vec<&'static str>, found: &'static str },
    /// The value is a discriminator that no branch of the union has. `nearest` is the most similar
    /// allowed value, for a suggestion; `None` when none is similar.
    UnknownVariant { allowed: Vec<&'static str>, nearest: Option<&'static str> },
    /// The value is a name that a closed enumeration does not have. `nearest` is the most similar
    /// allowed name, for a suggestion; `None` when none is similar.
    UnknownValue { allowed: Vec<&'static str>, nearest: Option<&'static str> },
    /// The number is outside of the range that the schema allows. `text`: the limit in words, "at
    /// least 1".
    OutOfRange { text: String },
    /// The string or list is shorter than the schema allows. `text`: the limit in words, "at least
    /// 1 element".
    TooShort { text: String },
    /// The string is longer than the schema allows. `text`: the limit in words, "at most 255
    /// characters".
    TooLong { text: String },
    /// The object fits several branches of a union, but may fit only one; their names.
    Ambiguous { branches: Vec<&'static str> },
    /// Another fault, in the words of the validator.
    Other { text: String },
}

/// What the official libraries do with a value that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Readers answer a request with an error, and drop a notification or response.
    Rejected,
    /// Official readers take the named member as absent and go on.
    Defaulted { member: &'static str },
    /// Official readers drop the faulty element of the list in this member, and keep the others.
    ItemDropped { list: &'static str },
    /// Official readers accept null in place of an absent or empty value.
    NullTolerated,
}
