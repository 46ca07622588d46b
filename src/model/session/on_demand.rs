//! Parts of a session that many sessions never need.

use std::ops::{Deref, DerefMut};

/// A part that is made when something of it is to be changed; until then it is read as empty.
#[derive(Clone, Debug)]
pub struct Late<T>(Option<Box<T>>);

/// A part that may be made late.
pub trait Empty: Default + 'static {
    /// What is read until there is one.
    fn empty() -> &'static Self;
}

impl<T> Default for Late<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Late<T> {
    /// The part, if there is one, to be changed.
    pub(super) fn made(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Changes what an empty part has not: none is made for it.
    pub(super) fn if_made(&mut self, change: impl FnOnce(&mut T)) {
        if let Some(part) = self.made() {
            change(part);
        }
    }
}

impl<T: Empty> Deref for Late<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.0 {
            Some(part) => part,
            None => T::empty(),
        }
    }
}

impl<T: Empty> DerefMut for Late<T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            Some(part) => part,
            none => make(none),
        }
    }
}

#[cold]
fn make<T: Default>(part: &mut Option<Box<T>>) -> &mut T {
    part.insert(Box::default())
}

macro_rules! empty {
    ($($part:ty),*) => {
        $(impl $crate::model::session::on_demand::Empty for $part {
            #[inline(never)]
            fn empty() -> &'static Self {
                static EMPTY: std::sync::LazyLock<$part> =
                    std::sync::LazyLock::new(<$part>::default);
                &EMPTY
            }
        })*
    };
}

pub(super) use empty;
