//! A list of names in one allocation.

use crate::json::Text;

/// A list of names, joined in one string: a recording may have many lists, and most names are
/// short.
#[derive(Clone, Debug)]
pub struct NameList {
    joined: String,
    /// Where each name ends.
    ends: Vec<usize>,
}

impl NameList {
    /// An empty list with room for `count` names, up to a limit.
    pub(super) fn with_capacity(count: usize) -> Self {
        /// Bytes of a usual name.
        const USUAL: usize = 16;
        const MOST: usize = 256;
        let count = count.min(MOST);
        Self { joined: String::with_capacity(USUAL * count), ends: Vec::with_capacity(count) }
    }

    pub(super) fn push(&mut self, name: &str) {
        self.joined.push_str(name);
        self.ends.push(self.joined.len());
    }

    /// The names, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let name = &self.joined[start..*end];
            start = *end;
            name
        })
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn contains(&self, name: Text<'_>) -> bool {
        self.iter().any(|own| name == *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_out_as_they_went_in() {
        let mut list = NameList::with_capacity(1);
        assert!(list.is_empty());
        let names = ["plan", "", "ask", "a name that is longer than most of them are"];
        for name in names {
            list.push(name);
        }
        assert_eq!(list.iter().collect::<Vec<_>>(), names);
        assert_eq!(list.len(), names.len());
    }
}
