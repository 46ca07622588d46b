//! What surely fits, by the patterns of texts.
//!
//! A walk over a value tells whether it surely fits and what is remarkable in it; both follow from
//! the structure, the names, and the texts that the walk has read. Where those of them that may change
//! within a pattern mattered in some simple way only, all values of the pattern that are like the
//! first in it fit like the first, and are not walked over.

use crate::{
    json::Doc,
    protocol::schema::{Conditions, Definition, Reads},
};

/// What values in one place of one pattern surely fit, with nothing to tell about them.
#[derive(Debug, Default)]
pub(super) struct Fitting(Vec<Known>);

#[derive(Debug)]
struct Known {
    /// What they fit.
    definition: &'static Definition,
    conditions: Conditions,
}

/// Definitions that are remembered: results of several methods may have one pattern.
const MOST: usize = 8;

impl Fitting {
    /// Whether it is known that the value in the document surely fits and that there is nothing to
    /// tell about it.
    pub(super) fn knows(&self, definition: &'static Definition, doc: &Doc<'_>) -> bool {
        let mut known = self.0.iter();
        known
            .find(|known| std::ptr::eq(known.definition, definition))
            .is_some_and(|known| known.conditions.hold(doc))
    }

    /// A walk that read this has found that the value surely fits and had nothing to tell.
    pub(super) fn learn(&mut self, definition: &'static Definition, doc: &Doc<'_>, reads: Reads) {
        let Some(pattern) = doc.pattern() else { return };
        let Some(conditions) = reads.conditions(pattern.open) else { return };
        self.0.retain(|known| !std::ptr::eq(known.definition, definition));
        if self.0.len() == MOST {
            self.0.clear();
        }
        self.0.push(Known { definition, conditions });
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{
        json::{Node, Patterns, Tape, Text},
        protocol::{
            Edition, Surface,
            schema::{Protocol, Sureness},
        },
        rules::CATALOGUE,
        source::Origin,
    };

    /// What strings and numbers are replaced by.
    const VALUES: [&str; 10] = [
        r#""""#,
        r#""x""#,
        r#""_own""#,
        r#""pending""#,
        r#""plan_update""#,
        "0",
        "-1",
        "1.5",
        "1e3",
        "99999999999999999999",
    ];

    /// Every text, and each with every other value in the place of each string and number.
    fn each_variation(text: &str, visit: &mut dyn FnMut(&str)) {
        let mut tape = Tape::new();
        if tape.parse(text).is_err() {
            return;
        }
        visit(text);
        let doc = Doc::new(text, &tape, Origin::START);
        let mut nodes = vec![doc.root()];
        while let Some(node) = nodes.pop() {
            nodes.extend(node.elements());
            nodes.extend(node.members().map(|(_, value)| value));
            if node.is_string() || node.is_number() {
                for value in VALUES {
                    let mut varied = text.to_owned();
                    varied.replace_range(node.range(), value);
                    visit(&varied);
                }
            }
        }
    }

    #[test]
    fn what_is_known_to_fit_does() {
        let mut patterns = Patterns::default();
        let mut fitting: HashMap<u32, Fitting> = HashMap::new();
        let mut known = 0;
        let mut judge = |surface: Surface, text: &str| {
            let mut tape = Tape::new();
            let part = patterns.append(&mut tape, text).expect("a JSON text");
            let doc = Doc::of_part(text, &tape, part, Origin::START);
            let (root, protocol) = (doc.root(), Protocol::of(surface, Edition::CURRENT));
            let method = root.get("method").and_then(Node::text).map(Text::as_cow);
            let call =
                method.and_then(|method| protocol.method(&method)?.call(root.get("id").is_some()));
            let Some((call, params)) = call.zip(root.get("params")) else { return };
            let Some(pattern) = doc.pattern() else { return };
            let fitting = fitting.entry(pattern.number).or_default();
            let is_known = fitting.knows(call.params, &doc);
            let mut is_told = false;
            let (sureness, reads) = call.params.examine(params, &mut |_| is_told = true);
            if is_known {
                known += 1;
                assert_eq!((sureness, is_told), (Sureness::Surely, false), "{surface} {text}");
            } else if sureness == Sureness::Surely && !is_told {
                fitting.learn(call.params, &doc, reads);
            }
        };
        for example in CATALOGUE.iter().flat_map(|rule| rule.examples) {
            let surface = Surface::unstable(example.surface.version());
            for line in example.good.lines().chain(example.bad.lines()) {
                each_variation(line, &mut |text| judge(surface, text));
            }
        }
        assert!(known > 10_000, "{known}");
    }
}
