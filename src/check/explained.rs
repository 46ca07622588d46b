//! Which values of one message its findings explain, so that one cause gives one diagnostic.
//!
//! A finding claims values; rules of schemas and extensions stay silent about claimed ones.

use std::collections::BTreeMap;

use crate::map::Set;
use crate::{rule::Claim, source::Span};

/// What findings about one message already explain: values and missing members. Schema rules do not
/// report these again. Takes logarithmic time.
#[derive(Clone, Debug, Default)]
pub(super) struct Explained {
    /// The explained values, without those inside others: for the offset in bytes at which each
    /// begins, the offset at which it ends.
    values: BTreeMap<u64, u64>,
    /// Missing members whose absence is explained: the object's place, and the member's name.
    missing: Set<(Span, &'static str)>,
}

impl Explained {
    /// Adds a claim of a finding: a value, or a missing member, whose fault the finding explains.
    pub(super) fn add(&mut self, claim: Claim) {
        if let Some(name) = claim.missing {
            self.missing.insert((claim.within, name));
            return;
        }
        if self.contains(claim.within) {
            return;
        }
        let (start, end) = (claim.within.start, claim.within.end());
        let inner: Vec<u64> = self.values.range(start..end).map(|(start, _)| *start).collect();
        for start in inner {
            self.values.remove(&start);
        }
        self.values.insert(start, end);
    }

    /// Whether a finding already explains the value at this place, or a value around it, so that no
    /// other rule reports it.
    pub(super) fn contains(&self, span: Span) -> bool {
        let outer = self.values.range(..=span.start).next_back();
        outer.is_some_and(|(_, end)| span.end() <= *end)
    }

    /// Whether a finding already explains that the object at this place lacks the member `name`.
    pub(super) fn contains_missing(&self, object: Span, name: &'static str) -> bool {
        self.contains(object) || self.missing.contains(&(object, name))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.missing.is_empty()
    }

    pub(super) fn clear(&mut self) {
        if !self.is_empty() {
            self.values.clear();
            self.missing.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: u64, end: u64) -> Span {
        let len = u32::try_from(end - start).unwrap();
        Span { start, len, line: 1, column: u32::try_from(start).unwrap() }
    }

    #[test]
    fn what_stands_in_an_explained_value_is_explained() {
        let mut claims = Explained::default();
        for (start, end) in [(20, 25), (30, 35), (10, 50), (12, 14), (60, 70)] {
            claims.add(Claim { within: span(start, end), missing: None });
        }
        assert!(claims.contains(span(10, 50)) && claims.contains(span(22, 48)));
        assert!(claims.contains(span(60, 61)) && !claims.contains(span(49, 61)));
        assert!(!claims.contains(span(9, 50)) && !claims.contains(span(50, 60)));
        assert_eq!(claims.values.len(), 2);
    }

    #[test]
    fn an_absent_member_is_explained_by_name() {
        let mut claims = Explained::default();
        claims.add(Claim { within: span(10, 50), missing: Some("planId") });
        assert!(claims.contains_missing(span(10, 50), "planId"));
        assert!(
            !claims.contains_missing(span(10, 50), "entries") && !claims.contains(span(10, 50))
        );
    }
}
