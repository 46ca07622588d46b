//! The configuration option that a request sets.

use std::fmt;

use crate::{
    event::Call,
    json::{Node, Text},
    model::anchor::Anchor,
};

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

/// The values of configuration options that a session is set up with, from a request such as
/// `session/load`.
#[derive(Clone, Debug)]
pub struct InitialOptions {
    pub at: Anchor,
    values: Box<[(Box<str>, ConfigValue)]>,
}

impl InitialOptions {
    /// `None` for a request that sets no options, or more than are kept.
    pub fn of(call: &Call<'_>) -> Option<Self> {
        /// Most options of a request that are kept.
        const MOST: usize = 64;
        let list = call.param("configOptions").filter(|list| (1..=MOST).contains(&list.len()))?;
        let values = list.elements().filter_map(|entry| {
            let id = entry.get("configId")?.text()?;
            Some((id.to_boxed(), ConfigValue::of(entry.get("value")?)?))
        });
        Some(Self { at: Anchor::of(list, &"/params/configOptions"), values: values.collect() })
    }

    /// The value that an option is set to; `None` for an option that is not named.
    pub fn value(&self, id: Text<'_>) -> Option<&ConfigValue> {
        self.values.iter().find(|(own, _)| id == **own).map(|(_, value)| value)
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
