//! Reads the form of an elicitation request.

use crate::{
    event::Call,
    json::{Node, Text},
};

/// Schema of the form in an elicitation; `None` for elicitations of another mode.
pub(super) fn schema<'t>(call: &Call<'t>) -> Option<Node<'t>> {
    call.param("mode").filter(|mode| mode.is("form"))?;
    call.param("requestedSchema").filter(|schema| schema.is_object())
}

/// Names of the form's fields, each with its schema; `None` without a form.
pub(super) fn properties<'t>(
    call: &Call<'t>,
) -> Option<impl Iterator<Item = (Text<'t>, Node<'t>)>> {
    let properties = schema(call)?.get("properties")?;
    Some(properties.members().filter_map(|(name, property)| Some((name.text()?, property))))
}
