//! Schema files of the user, in place of the built-in ones.
#![expect(clippy::disallowed_methods, reason = "the schemas are files")]

use std::{
    fs::File,
    io::{ErrorKind, Read},
    path::Path,
};

use crate::protocol::{Surface, schema};

/// Most bytes of a schema file that is read; a longer one is an error. The protocol's schemas have
/// less than one million.
const MAX_LENGTH: u64 = 16 << 20;

/// Reads the schema files in a folder, by which all transcripts are checked from now on.
/// `is_current` says whether any transcript is checked by the current edition; the schemas replace
/// that one. An error, such as a folder without schemas, is a sentence without a full stop.
pub(super) fn load(folder: &Path, is_current: bool) -> Result<(), String> {
    let mut documents = Vec::new();
    for surface in Surface::ALL {
        let path = folder.join(schema::file_name(surface));
        match read(&path) {
            Ok(None) => {}
            Ok(Some(text)) => documents.push((surface, text)),
            Err(why) => return Err(format!("cannot read the schema `{}`: {why}", path.display())),
        }
    }
    if documents.is_empty() {
        return Err(format!(
            "`{}` has no schemas; the files are v1/schema.json, v1/schema.unstable.json, \
             v2/schema.json and v2/schema.unstable.json",
            folder.display()
        ));
    }
    let fault = |why: String| format!("`{}` cannot be used: {why}", folder.display());
    if is_current {
        schema::supply(&documents).map_err(fault)
    } else {
        schema::read(&documents).map(|_| ()).map_err(fault)
    }
}

/// The text of a schema file; `None` when the file does not exist. An error is a reason in words.
fn read(path: &Path) -> Result<Option<String>, String> {
    let metadata = match path.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(MAX_LENGTH + 1).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if text.len() as u64 > MAX_LENGTH {
        return Err(format!("it has more than {} MiB", MAX_LENGTH >> 20));
    }
    Ok(Some(text))
}
