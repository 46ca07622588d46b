//! What only fuzzers call: the readers of the user's files without the files.

use std::{ops::Range, path::PathBuf};

use super::{
    baseline::Baseline,
    config::{Faults, Options},
};
use crate::report::Look;

/// Reads the text of an `acpcheck.toml` and applies it, or tells the places that are wrong in it.
pub fn configuration(text: &str) -> Result<(), Vec<Range<usize>>> {
    let read = |text| Options::default().read("acpcheck.toml", PathBuf::new(), text);
    let config = read(text).map_err(|faults| shown(&faults))?;
    config.general();
    config.exceptions();
    config.threshold();
    config.baseline();
    let names = ["a.ndjson", "recordings/2026-06/a.ndjson", "../b"].map(str::to_owned);
    for name in &names {
        config.settings(name);
    }
    // What is in force can be put in force.
    let printed = config.print(&names);
    let again = read(&printed).unwrap_or_else(|faults| panic!("{}", faults.draw(Look::PLAIN)));
    assert_eq!(again.print(&names), printed);
    Ok(())
}

/// Reads the text of a baseline, or tells the places that are wrong in it.
pub fn baseline(text: &str) -> Result<(), Vec<Range<usize>>> {
    let baseline = Baseline::of("baseline.toml".to_owned(), text);
    baseline.map_err(|faults| shown(&faults))?.settle();
    Ok(())
}

/// The places, after they have been drawn.
fn shown(faults: &Faults) -> Vec<Range<usize>> {
    for look in [Look::PLAIN, Look { color: true, columns: Some(0) }] {
        faults.draw(look);
    }
    faults.spans()
}
