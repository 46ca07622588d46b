//! Finds texts that occur more than once in a list, such as ids that have to be unique.

use std::hash::{Hash, Hasher};

use crate::{
    json::Text,
    map::{self, Set},
};

/// Each text that is equal to an earlier one, together with the first of its kind.
pub(crate) fn repeated<'t>(
    texts: impl Iterator<Item = Text<'t>>,
) -> impl Iterator<Item = (Text<'t>, Text<'t>)> {
    let mut seen = Seen::default();
    texts.filter_map(move |text| Some((text, seen.first_like(text)?)))
}

/// The different texts that were seen so far, to find repeated ones.
#[derive(Default)]
struct Seen<'t> {
    /// Up to [`FEW`] texts with their hashes, to compare new texts with. Most lists are short, and
    /// this is faster than a hash table.
    few: [Option<(u64, Text<'t>)>; FEW],
    /// All texts, once there are more than [`FEW`]; empty before.
    many: Set<ByText<'t>>,
}

/// A text that is compared and hashed as decoded. It borrows from the message, so that nothing is
/// copied.
#[derive(PartialEq, Eq)]
struct ByText<'t>(Text<'t>);

impl Hash for ByText<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_cow().hash(state);
    }
}

const FEW: usize = 16;

impl<'t> Seen<'t> {
    /// The first text that equals this one. `None` for a new text, which is added.
    fn first_like(&mut self, text: Text<'t>) -> Option<Text<'t>> {
        if self.many.is_empty() {
            let hash = map::hash_of(&*text.as_cow());
            for place in &mut self.few {
                match place {
                    Some((own, first)) if *own == hash && *first == text => return Some(*first),
                    Some(_) => {}
                    None => {
                        *place = Some((hash, text));
                        return None;
                    }
                }
            }
            self.many = self.few.iter().flatten().map(|(_, text)| ByText(*text)).collect();
        }
        let text = ByText(text);
        let first = self.many.get(&text).map(|first| first.0);
        if first.is_none() {
            self.many.insert(text);
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use crate::{
        json::{Doc, Node, Tape},
        source::Origin,
    };

    fn range(text: Text<'_>) -> Range<usize> {
        text.node().range()
    }

    #[test]
    fn the_first_is_found_however_many_there_are() {
        for count in [0, 1, 2, FEW - 1, FEW, FEW + 1, 3 * FEW] {
            // Each number twice, the second time in reverse, and every other time with an escape.
            let first = (0..count).map(|number| format!("\"n{number}\""));
            let second = (0..count).rev().map(|number| match number % 2 {
                0 => format!("\"n{number}\""),
                _ => format!("\"\\u006e{number}\""),
            });
            let list = format!("[{}]", first.chain(second).collect::<Vec<_>>().join(","));
            let mut tape = Tape::new();
            tape.parse(&list).expect("a list");
            let doc = Doc::new(&list, &tape, Origin::START);
            let texts: Vec<_> = doc.root().elements().filter_map(Node::text).collect();
            let found = repeated(texts.iter().copied());
            let found: Vec<_> = found.map(|pair| [pair.0, pair.1].map(range)).collect();
            let expected = (0..count).map(|place| [count + place, count - 1 - place]);
            let expected: Vec<_> = expected.map(|pair| pair.map(|at| range(texts[at]))).collect();
            assert_eq!(found, expected, "{list}");
        }
    }
}
