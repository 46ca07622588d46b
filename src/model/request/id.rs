//! The `id` of a request, with its JSON type.

use std::fmt;

use crate::json::{Kind, Node, Text};

/// The `id` of a request or response, with its JSON type, to pair responses with requests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    Null,
    Number(i64),
    Text(Box<str>),
    /// An id that is neither null nor a string nor an integer of 64 bits, as JSON text: a fraction,
    /// a boolean, an object.
    Other(Box<str>),
}

impl Id {
    pub fn of(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Null => Self::Null,
            Kind::String => Self::Text(node.text().map_or_else(Box::default, Text::to_boxed)),
            Kind::Number => match node.integer() {
                Some(number) => Self::Number(number),
                None => Self::Other(node.normal().into()),
            },
            _ => Self::Other(node.normal().into()),
        }
    }

    /// The first member `id` in text that is not JSON: a number, or a string without escapes. `None`
    /// without one.
    pub(in crate::model) fn within(text: &str) -> Option<Self> {
        let (_, rest) = text.split_once("\"id\"")?;
        let value = rest.trim_start().strip_prefix(':')?.trim_start();
        if let Some(value) = value.strip_prefix('"') {
            let (value, _) = value.split_once('"')?;
            return (!value.contains('\\')).then(|| Self::Text(value.into()));
        }
        let end = value.find(|next: char| next != '-' && !next.is_ascii_digit())?;
        value[..end].parse().ok().map(Self::Number)
    }

    /// The id as JavaScript reads it, where it is an integer that may lose digits there: from 2^53 on.
    /// `None` for all other ids.
    #[expect(clippy::cast_precision_loss, reason = "the loss is what is asked for")]
    pub fn rounded(&self) -> Option<f64> {
        match self {
            Self::Number(number) if number.unsigned_abs() >= 1 << 53 => Some(*number as f64),
            _ => None,
        }
    }

    /// The characters of the id whatever its type, to find a request whose id came back in another
    /// type.
    pub(in crate::model) fn characters(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) | Self::Other(text) => text.to_string(),
        }
    }
}

impl fmt::Display for Id {
    /// Writes the id as JSON text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
