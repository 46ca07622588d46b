//! What is kept of an `elicitation/create`: the form and the values that its fields take.

use crate::{
    event::Call,
    json::{Node, Text},
    model::{anchor::Anchor, name_list::NameList},
};

/// What an `elicitation/create` request asks the user, kept so that rules can judge the answer.
#[derive(Clone, Debug)]
pub enum Question {
    Form(Form),
    Link {
        /// The `elicitationId`; `None` when it is absent or not a string.
        id: Option<Box<str>>,
    },
    /// A question in a mode that the protocol does not define.
    Other {
        mode: Box<str>,
    },
}

impl Question {
    pub(in crate::model) fn of(call: &Call<'_>) -> Option<Self> {
        let mode = call.param("mode")?.text()?;
        Some(if mode == "form" {
            Self::Form(Form::of(call.param("requestedSchema")?))
        } else if mode == "url" {
            let id = call.param("elicitationId").and_then(Node::text);
            Self::Link { id: id.map(Text::to_boxed) }
        } else {
            Self::Other { mode: mode.to_boxed() }
        })
    }

    /// The `mode` of the question as the protocol spells it, or as it was sent.
    pub fn mode(&self) -> &str {
        match self {
            Self::Form(_) => "form",
            Self::Link { .. } => "url",
            Self::Other { mode } => mode,
        }
    }
}

/// The `requestedSchema` of an `elicitation/create` in the mode `form`, as far as answers are
/// checked against it.
#[derive(Clone, Debug)]
pub struct Form {
    /// Place of the `requestedSchema`, so that a finding can point at it.
    pub at: Anchor,
    /// The names of the form's fields in the order of the schema.
    pub names: NameList,
    /// The fields of the form, in the order of `names`.
    pub fields: Box<[Field]>,
    /// The names of the fields that the user has to fill in (`required`).
    pub required: NameList,
}

impl Form {
    fn of(schema: Node<'_>) -> Self {
        let properties = || schema.get("properties").into_iter().flat_map(Node::members);
        let required = schema.get("required").into_iter().flat_map(Node::elements);
        let fields = properties().map(|(_, node)| {
            let shape = FieldType::of(node);
            Field {
                at: Anchor::of(node, &"/params/requestedSchema/properties"),
                shape: (!matches!(shape, FieldType::Other)).then(|| Box::new(shape)),
            }
        });
        Self {
            at: Anchor::of(schema, &"/params/requestedSchema"),
            names: NameList::of(properties().filter_map(|(name, _)| Some(name.text()?.as_cow()))),
            fields: fields.collect(),
            required: NameList::of(required.filter_map(Node::text).map(Text::as_cow)),
        }
    }
}

/// One field of an elicitation's form. Small, since a message may have a hundred thousand fields.
#[derive(Clone, Debug)]
pub struct Field {
    pub at: Anchor,
    /// The values that the field accepts; `None` for `FieldType::Other`.
    shape: Option<Box<FieldType>>,
}

impl Field {
    pub fn shape(&self) -> &FieldType {
        self.shape.as_deref().unwrap_or(&FieldType::Other)
    }
}

/// The values that a field of a form accepts, by its `type`. Patterns are not checked: they only
/// help the user to fill in the form.
#[derive(Clone, Debug)]
pub enum FieldType {
    Text {
        length: Bounds,
        values: Option<Box<NameList>>,
        /// The field's `format`, such as `email`; `None` without one.
        format: Option<Box<str>>,
    },
    Number {
        range: Bounds,
        is_integer: bool,
    },
    Boolean,
    Choices {
        count: Bounds,
        values: Option<Box<NameList>>,
    },
    /// A type that the protocol does not define; it accepts any value.
    Other,
}

/// The least and the greatest allowed number, length or count; both are allowed.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The lower bound; negative infinity without one.
    from: f64,
    to: f64,
}

impl Bounds {
    fn of(node: Node<'_>, from: &str, to: &str) -> Self {
        let bound = |name| node.get(name).and_then(Node::number);
        Self {
            from: bound(from).unwrap_or(f64::NEG_INFINITY),
            to: bound(to).unwrap_or(f64::INFINITY),
        }
    }

    /// The bound that a number violates, in words such as "at least 3"; `None` when the number
    /// fits.
    fn misses(self, number: f64) -> Option<String> {
        let Self { from, to } = self;
        if number < from {
            return Some(format!("at least {from}"));
        }
        (number > to).then(|| format!("at most {to}"))
    }
}

impl FieldType {
    pub fn of(node: Node<'_>) -> Self {
        let kind = node.get("type").and_then(Node::text).map(Text::as_cow);
        match kind.as_deref() {
            Some("string") => Self::Text {
                length: Bounds::of(node, "minLength", "maxLength"),
                values: values(node, "oneOf"),
                format: node.get("format").and_then(Node::text).map(Text::to_boxed),
            },
            Some(kind @ ("number" | "integer")) => Self::Number {
                range: Bounds::of(node, "minimum", "maximum"),
                is_integer: kind == "integer",
            },
            Some("boolean") => Self::Boolean,
            Some("array") => Self::Choices {
                count: Bounds::of(node, "minItems", "maxItems"),
                values: node.get("items").and_then(|items| values(items, "anyOf")),
            },
            _ => Self::Other,
        }
    }

    /// Whether the value has the JSON type that the field takes.
    pub fn has_type(&self, value: Node<'_>) -> bool {
        match self {
            Self::Text { .. } => value.is_string(),
            Self::Number { is_integer: true, .. } => value.integer().is_some(),
            Self::Number { is_integer: false, .. } => value.is_number(),
            Self::Boolean => value.boolean().is_some(),
            Self::Choices { .. } => value.is_array(),
            Self::Other => true,
        }
    }

    /// The JSON type that the field accepts, in words for messages, such as "a string".
    pub fn name(&self) -> &'static str {
        match self {
            Self::Text { .. } => "a string",
            Self::Number { is_integer: true, .. } => "an integer",
            Self::Number { is_integer: false, .. } => "a number",
            Self::Boolean => "`true` or `false`",
            Self::Choices { .. } => "an array of strings",
            Self::Other => "anything",
        }
    }

    /// What the field accepts, in words for messages, when the value does not fit; `None` when it
    /// does. Only for a value of the field's type.
    pub fn misses(&self, value: Node<'_>) -> Option<String> {
        match self {
            Self::Text { length, values, .. } => {
                let text = value.text()?;
                unlisted(text, values.as_deref()).or_else(|| {
                    let missed = length.misses(count(text.len_chars()))?;
                    Some(format!("{missed} characters"))
                })
            }
            Self::Number { range, .. } => range.misses(value.number()?),
            Self::Choices { count: range, values } => value
                .elements()
                .filter_map(Node::text)
                .find_map(|text| unlisted(text, values.as_deref()))
                .or_else(|| Some(format!("{} items", range.misses(count(value.len()))?))),
            Self::Boolean | Self::Other => None,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "lengths of texts and arrays are small")]
fn count(length: usize) -> f64 {
    length as f64
}

/// The values that a field offers, from `enum` or from the `const` members of the list `titled`;
/// `None` when it accepts any.
fn values(node: Node<'_>, titled: &str) -> Option<Box<NameList>> {
    let list = |name| node.get(name).filter(|list: &Node<'_>| list.is_array());
    if let Some(bare) = list("enum") {
        return Some(Box::new(NameList::of(
            bare.elements().filter_map(Node::text).map(Text::as_cow),
        )));
    }
    let entries = list(titled)?.elements();
    let values = entries.filter_map(|entry| Some(entry.get("const")?.text()?.as_cow()));
    Some(Box::new(NameList::of(values)))
}

fn unlisted(text: Text<'_>, values: Option<&NameList>) -> Option<String> {
    const MOST: usize = 4;
    let values = values.filter(|values| !values.contains(&text.as_cow()))?;
    let some: Vec<_> = values.iter().take(MOST).map(|value| format!("`{value}`")).collect();
    Some(format!("one of {}", some.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For tests: a message may have a hundred thousand fields, so each has to be small.
    #[test]
    fn a_field_is_small() {
        assert!(size_of::<Field>() <= 40, "{} bytes", size_of::<Field>());
        assert!(size_of::<FieldType>() <= 48, "{} bytes", size_of::<FieldType>());
    }
}
