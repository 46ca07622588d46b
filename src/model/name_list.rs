//! A list of names in one allocation.

use crate::{model::by_id, source::narrow};

/// A list of names, joined in one string: a recording may have many lists, and most names are
/// short.
#[derive(Clone, Debug, Default)]
pub struct NameList {
    joined: String,
    /// Where each name ends.
    ends: Vec<u32>,
    /// See [`by_id::order`].
    order: Vec<u32>,
}

impl NameList {
    /// These names, in this order.
    pub(super) fn of<N: AsRef<str>>(names: impl Iterator<Item = N>) -> Self {
        let (mut joined, mut ends) = (String::new(), Vec::new());
        for name in names {
            joined.push_str(name.as_ref());
            ends.push(narrow(joined.len()));
        }
        let mut list = Self { joined, ends, order: Vec::new() };
        list.order = by_id::order(list.len(), |place| list.name(place));
        list
    }

    /// The name at a place that the list has.
    fn name(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.joined[start..self.ends[place] as usize]
    }

    /// The names, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.name(place))
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The first place that has this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        by_id::place(&self.order, self.len(), name, |place| self.name(place))
    }

    pub fn contains(&self, name: &str) -> bool {
        self.place(name).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_out_as_they_went_in() {
        let list = NameList::of(std::iter::empty::<&str>());
        assert!(list.is_empty() && !list.contains(""));
        let names = ["plan", "", "ask", "a name that is longer than most of them are"];
        let list = NameList::of(names.into_iter());
        assert_eq!(list.iter().collect::<Vec<_>>(), names);
        assert_eq!(list.len(), names.len());
    }

    #[test]
    fn the_first_of_equal_names_is_found() {
        for count in [0, 3, 40, 1000] {
            let names: Vec<_> = (0..count).map(|number| (number * 7 % 100).to_string()).collect();
            let list = NameList::of(names.iter());
            for name in names.iter().map(String::as_str).chain(["", "x", "100"]) {
                assert_eq!(list.place(name), names.iter().position(|own| own == name), "{name}");
            }
        }
    }
}
