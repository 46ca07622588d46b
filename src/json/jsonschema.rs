//! Implements the traits by which the crate `jsonschema` reads JSON for [`Node`], so that its
//! validators need no copy of a message as a `serde_json::Value`.

use std::borrow::Cow;

use ::jsonschema::JsonType;
use ::jsonschema::json::{Array, Json, JsonNumber, Node as Instance, NodeIdentity, Object, cmp};
use jsonschema_value::LazyInstance;
use serde_json::{Number, Value};

use super::document::{Doc, Elements, Kind, Members, Node, Text};
use super::tape::Tape;
use super::value::{self, number};
use crate::source::Origin;

/// The type parameter of `jsonschema` validators that read [`Node`]s:
/// `jsonschema::options_for::<TapeJson>()`.
#[derive(Debug)]
pub struct TapeJson;

/// A buffer of the crate `jsonschema` for a document that consists of one member name, which the
/// keyword `propertyNames` validates.
#[derive(Debug, Default)]
pub struct NameBuffer {
    text: String,
    tape: Tape,
}

impl Json for TapeJson {
    type Node<'a> = Node<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = NameBuffer;

    // A lookup compares names one by one, which costs about as much as two steps over the members.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(
        buffer: &mut NameBuffer,
        string: &str,
        f: impl FnOnce(Node<'_>) -> T,
    ) -> T {
        buffer.text = serde_json::to_string(string).unwrap_or_default();
        let _ = buffer.tape.parse(&buffer.text); // what serde_json writes is JSON
        f(Doc::new(&buffer.text, &buffer.tape, Origin::START).root())
    }
}

impl<'a> Instance<'a, TapeJson> for Node<'a> {
    type Object = Self;
    type Array = Self;
    type Number = Numeral<'a>;

    #[inline]
    fn as_object(&self) -> Option<Self> {
        self.is_object().then_some(*self)
    }

    #[inline]
    fn as_array(&self) -> Option<Self> {
        self.is_array().then_some(*self)
    }

    #[inline]
    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.text().map(Text::as_cow)
    }

    fn as_number(&self) -> Option<Numeral<'a>> {
        self.is_number().then_some(Numeral(*self))
    }

    fn as_boolean(&self) -> Option<bool> {
        self.boolean()
    }

    fn is_null(&self) -> bool {
        Node::is_null(*self)
    }

    fn is_number(&self) -> bool {
        Node::is_number(*self)
    }

    #[inline]
    fn is_string(&self) -> bool {
        Node::is_string(*self)
    }

    #[inline]
    fn json_type(&self) -> JsonType {
        match self.kind() {
            Kind::Null => JsonType::Null,
            Kind::True | Kind::False => JsonType::Boolean,
            Kind::Number => JsonType::Number,
            Kind::String => JsonType::String,
            Kind::Array => JsonType::Array,
            Kind::Object => JsonType::Object,
        }
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match expected {
            Value::Null => Node::is_null(*self),
            Value::Bool(expected) => self.boolean() == Some(*expected),
            Value::String(expected) => self.is(expected),
            Value::Number(_) => {
                Node::is_number(*self) && cmp::equal(&Value::Number(number(*self)), expected)
            }
            Value::Array(_) => self.is_array() && cmp::equal(&self.to_value(), expected),
            Value::Object(_) => self.is_object() && cmp::equal(&self.to_value(), expected),
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(value::of(*self))
    }

    /// Returns null instead of the value at which an error stands, so that errors hold no copies of
    /// values. Readers of an error have the document. Takes one error from the error budget.
    fn lazy_value(&self) -> LazyInstance<'a> {
        self.doc().error_budget().use_one(); // called once for each error
        LazyInstance::Ready(Cow::Owned(Value::Null))
    }

    #[inline]
    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::tagged(self.doc().tokens().as_ptr().addr(), self.index()))
    }
}

impl<'a> Object<'a, TapeJson> for Node<'a> {
    type Node = Self;
    type MemberName = Cow<'a, str>;
    type MembersIter = NamedMembers<'a>;

    fn len(&self) -> usize {
        Node::len(*self)
    }

    #[inline]
    fn get(&self, key: &Box<str>) -> Option<Self> {
        Node::get(*self, key)
    }

    #[inline]
    fn members(&self) -> NamedMembers<'a> {
        NamedMembers(Node::members(*self))
    }
}

impl<'a> Array<'a, TapeJson> for Node<'a> {
    type Node = Self;
    type ElementsIter = BudgetedElements<'a>;

    fn len(&self) -> usize {
        Node::len(*self)
    }

    #[inline]
    fn elements(&self) -> BudgetedElements<'a> {
        BudgetedElements(Node::elements(*self))
    }
}

/// Iterator over an object's members as (decoded name, value), for schema checks. Ends early when
/// the check has reported as many schema errors as one document may have.
#[derive(Clone, Debug)]
pub struct NamedMembers<'a>(Members<'a>);

impl<'a> Iterator for NamedMembers<'a> {
    type Item = (Cow<'a, str>, Node<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) =
            self.0.next().filter(|(name, _)| !name.doc().error_budget().is_used_up())?;
        Some((name.text()?.as_cow(), value))
    }
}

/// Iterator over an array's elements. Ends early when the error budget of the document is used up.
#[derive(Clone, Debug)]
pub struct BudgetedElements<'a>(Elements<'a>);

impl<'a> Iterator for BudgetedElements<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        self.0.next().filter(|element| !element.doc().error_budget().is_used_up())
    }
}

/// A [`Node`] that is a number, as `jsonschema` reads it. A separate type, since [`Node`] has
/// methods of the same names with another meaning.
#[derive(Clone, Copy, Debug)]
pub struct Numeral<'a>(Node<'a>);

impl JsonNumber for Numeral<'_> {
    fn as_u64(&self) -> Option<u64> {
        self.0.raw().parse().ok()
    }

    fn as_i64(&self) -> Option<i64> {
        self.0.raw().parse().ok()
    }

    /// The number as `f64`; `None` beyond the range, which `jsonschema` then takes for an infinity
    /// of that sign.
    fn as_f64(&self) -> Option<f64> {
        self.0.number().filter(|number| number.is_finite())
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.0.raw())
    }

    fn to_number(&self) -> Cow<'_, Number> {
        Cow::Owned(number(self.0))
    }

    fn is_integer(&self) -> bool {
        self.0.is_written_as_integer() || self.as_f64().is_none_or(|number| number.fract() == 0.0)
    }

    fn is_written_as_integer(&self) -> bool {
        self.0.is_written_as_integer()
    }
}
