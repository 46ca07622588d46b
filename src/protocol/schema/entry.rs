//! The definitions of a schema document, each read when it is first asked for.
//!
//! A recording uses some of them, and to read all takes longer than to check a small one: as values
//! they take megabytes.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;
use serde_json::Value;

use super::{Surface, edition, get_or_make};
use crate::protocol::Edition;

/// The entries of `$defs` of the document of a surface in an edition, by name.
#[derive(Debug)]
pub(super) struct Entries(BTreeMap<&'static str, Entry>);

/// A named schema.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) surface: Surface,
    pub(super) edition: Edition,
    /// As it was vendored.
    text: &'static str,
    schema: OnceLock<Value>,
}

/// What a definition is marked with that belongs to a method.
#[derive(Debug, Deserialize)]
pub(super) struct Marks {
    /// The method.
    #[serde(rename = "x-method")]
    pub(super) method: &'static str,
    /// Who handles it.
    #[serde(rename = "x-side")]
    pub(super) side: Option<&'static str>,
}

impl Entries {
    /// Costs a look for the line breaks of 65 to 105 KB: in the vendored documents, the definitions come
    /// last, each on a line of its own.
    pub(super) fn of(surface: Surface, edition: Edition) -> Self {
        let entry = |line: &'static str| {
            let (name, text) = line.strip_prefix('"')?.split_once("\":")?;
            let text = text.strip_suffix(',').unwrap_or(text);
            Some((name, Entry { name, surface, edition, text, schema: OnceLock::new() }))
        };
        Self(edition::text(surface, edition).lines().skip(1).map_while(entry).collect())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.values()
    }

    /// The schema of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(Entry::schema)
    }
}

impl Entry {
    /// Costs the parsing of it, at first.
    pub(super) fn schema(&self) -> &Value {
        get_or_make(&self.schema, || {
            let mut schema = serde_json::from_str(self.text).expect("a part of JSON");
            edition::amend(self.name, &mut schema, self.surface, self.edition);
            schema
        })
    }

    /// `None` where it does not belong to a method. Costs a look through its text.
    pub(super) fn marks(&self) -> Option<Marks> {
        // Most do not, and to search costs less than to read.
        memchr::memmem::find(self.text.as_bytes(), b"\"x-method\"")?;
        serde_json::from_str(self.text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_those_of_the_document() {
        for surface in Surface::ALL {
            for edition in Edition::ALL {
                let document = edition::document(surface, edition);
                let definitions = document["$defs"].as_object().expect("definitions");
                let entries = Entries::of(surface, edition);
                assert_eq!(entries.iter().count(), definitions.len());
                for entry in entries.iter() {
                    assert_eq!(entry.schema(), &definitions[entry.name], "{surface} {edition}");
                    let method = definitions[entry.name]["x-method"].as_str();
                    assert_eq!(entry.marks().map(|marks| marks.method), method);
                }
            }
        }
    }
}
