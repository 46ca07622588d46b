//! A list of names in one allocation.

use crate::{model::by_id, source::narrow};

/// An immutable list of names, joined in one string to save memory: a recording may have many
/// lists. Finding a name takes a binary search in lists of more than 16.
#[derive(Clone, Debug, Default)]
pub struct NameList {
    joined: String,
    /// For each name, the offset in `joined` at which the name ends, in bytes.
    ends: Vec<u32>,
    /// Indices of the names, sorted by name; empty for a short list, which is searched without
    /// them.
    order: Vec<u32>,
}

impl NameList {
    /// A list of these names in this order, stored in one string.
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

    /// The name at a place (index) that the list has. Panics beyond its end.
    fn name(&self, place: usize) -> &str {
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.joined[start..self.ends[place] as usize]
    }

    /// The names in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.name(place))
    }

    /// The number of names in the list.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The first place (index) of this name in the list; `None` when the list does not have it.
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
