//! Texts that ought to differ.

use std::{borrow::Cow, collections::hash_map::Entry};

use crate::{json::Text, map::Map};

/// The texts that equal an earlier one, each with the first like it.
pub(crate) fn repeated<'t>(
    texts: impl Iterator<Item = Text<'t>>,
) -> impl Iterator<Item = (Text<'t>, Text<'t>)> {
    let mut seen: Map<Cow<'t, str>, Text<'t>> = Map::default();
    texts.filter_map(move |text| match seen.entry(text.as_cow()) {
        Entry::Occupied(first) => Some((text, *first.get())),
        Entry::Vacant(place) => {
            place.insert(text);
            None
        }
    })
}
