//! Entry points for fuzzers: the readers of configuration and baseline, with texts in place of files.

use std::{ops::Range, path::PathBuf};

use super::{
    baseline::Baseline,
    config::{CommandLine, Config},
    toml_errors::TomlErrors,
};
use crate::report::TextStyle;

/// Reads and applies `text` as an `acpcheck.toml`. Fails with the spans, in bytes, of the errors in
/// it.
pub fn configuration(text: &str) -> Result<(), Vec<Range<usize>>> {
    let options = CommandLine::default();
    let read = |text| Config::parse(&options, "acpcheck.toml", PathBuf::new(), text);
    let config = read(text).map_err(|errors| draw(&errors))?;
    config.general();
    config.exceptions();
    config.threshold();
    config.baseline();
    let names = ["a.ndjson", "recordings/2026-06/a.ndjson", "../b"].map(str::to_owned);
    for name in &names {
        config.settings(name);
    }
    // The printed configuration can be read, and is printed the same.
    let printed = config.print(&names);
    let again = read(&printed).unwrap_or_else(|errors| panic!("{}", errors.draw(TextStyle::PLAIN)));
    assert_eq!(again.print(&names), printed);
    Ok(())
}

/// Reads `text` as a baseline file. Fails with the spans, in bytes, of the errors in it.
pub fn baseline(text: &str) -> Result<(), Vec<Range<usize>>> {
    let baseline = Baseline::parse("baseline.toml".to_owned(), text);
    baseline.map_err(|errors| draw(&errors))?.summary();
    Ok(())
}

/// For fuzzing: draws errors in several styles, which must not panic, and returns their byte
/// ranges.
fn draw(errors: &TomlErrors) -> Vec<Range<usize>> {
    for style in [TextStyle::PLAIN, TextStyle { color: true, columns: Some(0) }] {
        errors.draw(style);
    }
    errors.spans()
}
