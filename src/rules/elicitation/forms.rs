//! What the form of a question asks.

use crate::{
    event::Call,
    json::{Node, Text},
};

/// The schema of the form; `None` for questions in other modes.
pub(super) fn schema<'t>(call: &Call<'t>) -> Option<Node<'t>> {
    call.param("mode").filter(|mode| mode.is("form"))?;
    call.param("requestedSchema").filter(|schema| schema.is_object())
}

/// The properties of the form, by name.
pub(super) fn properties<'t>(
    call: &Call<'t>,
) -> Option<impl Iterator<Item = (Text<'t>, Node<'t>)>> {
    let properties = schema(call)?.get("properties")?;
    Some(properties.members().filter_map(|(name, property)| Some((name.text()?, property))))
}
