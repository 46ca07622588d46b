//! The definitions of a schema document, each parsed when it is first asked for.
//!
//! A recording uses some of them. Parsing all of them would take longer than checking a small file.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Deserialize;
use serde_json::Value;

use super::editions;
use crate::protocol::{Edition, Surface};

/// The entries of `$defs` of one schema document, by name. Their text is parsed when first needed.
#[derive(Debug)]
pub(in crate::protocol::schema) struct StoredDefinitions(BTreeMap<&'static str, StoredDefinition>);

/// One definition of a schema document, kept as text until it is first needed.
#[derive(Debug)]
pub(in crate::protocol::schema) struct StoredDefinition {
    pub(in crate::protocol::schema) name: &'static str,
    pub(in crate::protocol::schema) surface: Surface,
    pub(in crate::protocol::schema) edition: Edition,
    /// Text of the definition in the built-in or supplied document, before the changes for older
    /// editions.
    text: &'static str,
    schema: OnceLock<Value>,
}

/// Keywords of a definition in the schema that say which method it belongs to, and to which side.
#[derive(Debug, Deserialize)]
pub(in crate::protocol::schema) struct MethodMarks {
    /// Name of the method whose params or result the definition describes.
    #[serde(rename = "x-method")]
    pub(in crate::protocol::schema) method: &'static str,
    /// The side that handles the method, `client` or `agent` as the schema writes it; `None` when
    /// not given.
    #[serde(rename = "x-side")]
    pub(in crate::protocol::schema) side: Option<&'static str>,
}

impl StoredDefinitions {
    /// Splits a schema document into its definitions, which are at its end, each on one line. Takes
    /// a search for line breaks in about 100 KB.
    pub(in crate::protocol::schema) fn of(surface: Surface, edition: Edition) -> Self {
        let entry = |line: &'static str| {
            let (name, text) = line.strip_prefix('"')?.split_once("\":")?;
            let text = text.strip_suffix(',').unwrap_or(text);
            Some((name, StoredDefinition { name, surface, edition, text, schema: OnceLock::new() }))
        };
        Self(editions::text(surface, edition).lines().skip(1).map_while(entry).collect())
    }

    pub(in crate::protocol::schema) fn iter(&self) -> impl Iterator<Item = &StoredDefinition> {
        self.0.values()
    }

    /// The schema of the definition with this name; `None` where there is none.
    pub(in crate::protocol::schema) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).map(StoredDefinition::schema)
    }
}

impl StoredDefinition {
    /// The definition as parsed JSON. The first call parses the text.
    pub(in crate::protocol::schema) fn schema(&self) -> &Value {
        self.schema.get_or_init(|| {
            let mut schema = serde_json::from_str(self.text).expect("a part of JSON");
            editions::amend(self.name, &mut schema, self.surface, self.edition);
            schema
        })
    }

    /// The method that the definition belongs to, and its handler; `None` for other definitions.
    /// Takes a search through the text.
    pub(in crate::protocol::schema) fn marks(&self) -> Option<MethodMarks> {
        // Most have no marks, and a search costs less than parsing.
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
                let document = editions::document(surface, edition);
                let definitions = document["$defs"].as_object().expect("definitions");
                let entries = StoredDefinitions::of(surface, edition);
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
