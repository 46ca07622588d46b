//! Queues of open requests that share a key, such as their id.

use std::{
    collections::{BTreeSet, hash_map::Entry},
    hash::Hash,
    iter, mem,
};

use crate::map::Map;

/// Identifies an open request, by its number in the order in which requests were sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ticket(pub(super) u64);

/// The open requests with the same key, such as an id, as queues in the order in which they were
/// sent.
#[derive(Clone, Debug)]
pub(super) struct Queues<K>(Map<K, Queue>);

/// The open requests of one key, at least one. Most queues have exactly one and need no allocation.
#[derive(Clone, Debug)]
struct Queue {
    /// The oldest request of the queue.
    first: Ticket,
    later: BTreeSet<Ticket>,
}

impl<K> Default for Queues<K> {
    fn default() -> Self {
        Self(Map::default())
    }
}

impl<K: Eq + Hash> Queues<K> {
    /// The oldest request with this key, without removing it; `None` without one.
    pub(super) fn first(&self, key: &K) -> Option<Ticket> {
        self.0.get(key).map(|queue| queue.first)
    }

    /// The tickets (numbers in the order of sending) of all requests with this key, the oldest
    /// first.
    pub(super) fn all<'q>(
        &'q self,
        key: &K,
    ) -> impl DoubleEndedIterator<Item = Ticket> + use<'q, K> {
        let queue = self.0.get(key).into_iter();
        queue.flat_map(|queue| iter::once(queue.first).chain(queue.later.iter().copied()))
    }

    pub(super) fn add(&mut self, key: K, ticket: Ticket) {
        match self.0.entry(key) {
            Entry::Vacant(entry) => {
                _ = entry.insert(Queue { first: ticket, later: BTreeSet::new() });
            }
            Entry::Occupied(mut entry) => {
                let Queue { first, later } = entry.get_mut();
                let later_one = if ticket < *first { mem::replace(first, ticket) } else { ticket };
                later.insert(later_one);
            }
        }
    }

    /// Removes the oldest request with this key. Returns its ticket, the number by which the
    /// correlator knows it; `None` without one.
    pub(super) fn take_first(&mut self, key: &K) -> Option<Ticket> {
        let Queue { first, later } = self.0.get_mut(key)?;
        let ticket = *first;
        match later.pop_first() {
            Some(next) => *first = next,
            None => _ = self.0.remove(key),
        }
        Some(ticket)
    }

    pub(super) fn remove(&mut self, key: &K, ticket: Ticket) {
        let Some(queue) = self.0.get_mut(key) else { return };
        if queue.first == ticket {
            self.take_first(key);
        } else {
            queue.later.remove(&ticket);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_queue_is_in_order(
            steps in prop::collection::vec((0..4, 0..3_u8, 0..9_u64), 0..60),
        ) {
            let mut queues = Queues::default();
            let mut expected = BTreeSet::new();
            for (step, key, number) in steps {
                let of_key = |expected: &BTreeSet<_>| -> Vec<Ticket> {
                    expected.iter().filter(|(own, _)| *own == key).map(|(_, it)| *it).collect()
                };
                let ticket = Ticket(number);
                match step {
                    0 | 1 if expected.insert((key, ticket)) => queues.add(key, ticket),
                    2 => {
                        queues.remove(&key, ticket);
                        expected.remove(&(key, ticket));
                    }
                    3 => {
                        let first = of_key(&expected).first().copied();
                        prop_assert_eq!(queues.take_first(&key), first);
                        expected.retain(|it| Some(*it) != first.map(|first| (key, first)));
                    }
                    _ => {}
                }
                let mut all = of_key(&expected);
                prop_assert_eq!(queues.first(&key), all.first().copied());
                prop_assert_eq!(queues.all(&key).collect::<Vec<_>>(), all.clone());
                all.reverse();
                prop_assert_eq!(queues.all(&key).rev().collect::<Vec<_>>(), all);
            }
            let keys: BTreeSet<_> = expected.iter().map(|(key, _)| key).collect();
            prop_assert_eq!(queues.0.len(), keys.len());
        }
    }
}
