//! The configuration option that a request sets.

use std::fmt;

use crate::{event::Call, json::Node, model::anchor::Anchor};

/// The configuration option that a `session/set_config_option` sets, and its new value, each with
/// its place.
#[derive(Clone, Debug)]
pub struct Setting {
    pub id: Box<str>,
    pub id_at: Anchor,
    pub value: ConfigValue,
    pub value_at: Anchor,
}

impl Setting {
    pub fn of(call: &Call<'_>) -> Option<Self> {
        let (id, value) = (call.param("configId")?, call.param("value")?);
        // Values of types that the protocol does not define have no known meaning.
        let is_defined = call.param("type").is_none_or(|kind| kind.is("id") || kind.is("boolean"));
        Some(Self {
            id: id.text()?.to_boxed(),
            id_at: Anchor::of(id, &"/params/configId"),
            value: ConfigValue::of(value).filter(|_| is_defined)?,
            value_at: Anchor::of(value, &"/params/value"),
        })
    }
}

/// A value of a configuration option: the id of a choice, or a boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigValue {
    Id(Box<str>),
    Boolean(bool),
}

impl ConfigValue {
    pub fn of(node: Node<'_>) -> Option<Self> {
        match node.text() {
            Some(text) => Some(Self::Id(text.to_boxed())),
            None => node.boolean().map(Self::Boolean),
        }
    }

    /// Whether a JSON value is equal to this value of a config option.
    pub fn is(&self, node: Node<'_>) -> bool {
        match self {
            Self::Id(id) => node.is(id),
            Self::Boolean(value) => node.boolean() == Some(*value),
        }
    }
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => f.write_str(id),
            Self::Boolean(value) => write!(f, "{value}"),
        }
    }
}
