//! Texts that ought to differ.

use crate::json::Text;

/// The texts that equal an earlier one, each with the first like it.
pub(crate) fn repeated<'t>(texts: impl Iterator<Item = Text<'t>>) -> Vec<(Text<'t>, Text<'t>)> {
    let mut seen: Vec<Text<'t>> = Vec::new();
    let mut repeated = Vec::new();
    for text in texts {
        match seen.iter().find(|known| **known == text) {
            Some(first) => repeated.push((text, *first)),
            None => seen.push(text),
        }
    }
    repeated
}
