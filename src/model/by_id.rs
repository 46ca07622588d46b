//! A list of things that are found by their ids, however many there are.

use std::ops::Deref;

/// Lists with up to this number of things are searched from the front; longer ones have an index.
const FEW: usize = 16;

/// A value that has an id by which `ById` finds it.
pub trait HasId {
    fn id(&self) -> &str;
}

/// A list of things with ids, in the order of the message. Finding one by id takes a binary search
/// in lists of more than 16.
#[derive(Clone, Debug)]
pub struct ById<T> {
    all: Box<[T]>,
    /// Indices in `all`, sorted by the ids of the elements; empty for a short list, which is
    /// searched without them.
    order: Vec<u32>,
}

impl<T> Default for ById<T> {
    fn default() -> Self {
        Self { all: Box::default(), order: Vec::new() }
    }
}

impl<T: HasId> ById<T> {
    /// The first thing of the list with this id; `None` when the list has none.
    pub fn named(&self, id: &str) -> Option<&T> {
        let name = |place: usize| self.all[place].id();
        place(&self.order, self.all.len(), id, name).map(|place| &self.all[place])
    }
}

impl<T: HasId> FromIterator<T> for ById<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Self {
        let all: Box<[T]> = things.into_iter().collect();
        let order = order(all.len(), |place| all[place].id());
        Self { all, order }
    }
}

impl<T> Deref for ById<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all
    }
}

/// The places (indices) of a list of `len` names, sorted by name, equal ones by place; empty for up
/// to 16 names, which need no index. `name` returns the name at a place.
pub(super) fn order<'n>(len: usize, name: impl Fn(usize) -> &'n str) -> Vec<u32> {
    let Ok(end) = u32::try_from(len) else { return Vec::new() };
    if len <= FEW {
        return Vec::new();
    }
    let mut order: Vec<u32> = (0..end).collect();
    order.sort_unstable_by(|one, other| {
        name(*one as usize).cmp(name(*other as usize)).then(one.cmp(other))
    });
    order
}

/// The first place (index) of the list with the name `sought`; `None` when there is none. The
/// argument `order` is what the function `order` returned for the list.
pub(super) fn place<'n>(
    order: &[u32],
    len: usize,
    sought: &str,
    name: impl Fn(usize) -> &'n str,
) -> Option<usize> {
    if order.is_empty() {
        return (0..len).find(|place| name(*place) == sought);
    }
    let first = order.partition_point(|place| name(*place as usize) < sought);
    order.get(first).map(|place| *place as usize).filter(|place| name(*place) == sought)
}
