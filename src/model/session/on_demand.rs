//! Parts of a session that are allocated at their first change: most sessions never need them.

use std::ops::{Deref, DerefMut};

/// A rarely used part of a session that is allocated at its first change, to save memory. Before
/// that, reading it gives the empty value.
#[derive(Clone, Debug)]
pub struct OnDemand<T>(Option<Box<T>>);

/// A type that `OnDemand` can hold: it has one shared empty value.
pub trait Empty: Default + 'static {
    /// The shared empty value that is read before the first change.
    fn empty() -> &'static Self;
}

impl<T> Default for OnDemand<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> OnDemand<T> {
    /// The allocated part, to change it; `None` when there was no change yet.
    pub(super) fn made(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Takes the part out of its box; the default value if it was never changed.
    pub(super) fn take(self) -> T
    where
        T: Default,
    {
        self.0.map(|part| *part).unwrap_or_default()
    }

    /// Calls `change` on the part if it was allocated; an empty part stays unallocated.
    pub(super) fn if_made(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(part) = self.made() {
            change(part);
        }
    }
}

impl<T: Empty> Deref for OnDemand<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(part) => part,
            None => T::empty(),
        }
    }
}

impl<T: Empty> DerefMut for OnDemand<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            Some(part) => part,
            none => make(none),
        }
    }
}

fn make<T: Default>(part: &mut Option<Box<T>>) -> &mut T {
    part.insert(Box::default())
}

macro_rules! empty {
    ($($part:ty),*) => {
        $(impl $crate::model::session::on_demand::Empty for $part {
            fn empty() -> &'static Self {
                static EMPTY: std::sync::LazyLock<$part> =
                    std::sync::LazyLock::new(<$part>::default);
                &EMPTY
            }
        })*
    };
}

pub(super) use empty;
