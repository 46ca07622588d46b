//! A value that the agent sends each time as a whole, such as a list of options, with the one before
//! it, and which of the two the client can have known.

/// The last value that was sent, and the one before it.
#[derive(Clone, Debug)]
pub struct Announced<T> {
    last: Option<Box<Announcement<T>>>,
    previous: Option<Box<Announcement<T>>>,
}

#[derive(Clone, Debug)]
struct Announcement<T> {
    what: T,
    /// Number of the message.
    number: u64,
    /// Whether it came by itself, and not as the answer to a request.
    is_update: bool,
}

impl<T> Default for Announced<T> {
    fn default() -> Self {
        Self { last: None, previous: None }
    }
}

impl<T> Announced<T> {
    /// What was told last; `None` while nothing is known.
    pub fn last(&self) -> Option<&T> {
        self.last.as_ref().map(|last| &last.what)
    }

    /// What was told before that; `None` where nothing was.
    pub fn before_last(&self) -> Option<&T> {
        self.previous.as_ref().map(|telling| &telling.what)
    }

    /// What a side whose last message has this number can have known. What came by itself
    /// afterwards may have crossed what the side sends now.
    pub fn known_to(&self, last_of_side: u64) -> Option<&T> {
        let last = self.last.as_ref()?;
        if last.is_update && last.number > last_of_side {
            let previous = self.previous.as_ref()?;
            // What was told before the last two is forgotten.
            let is_known = !previous.is_update || previous.number < last_of_side;
            return is_known.then_some(&previous.what);
        }
        Some(&last.what)
    }

    /// What came by itself after the last message of a side, which may have known it or not.
    pub fn crossing(&self, last_of_side: u64) -> Option<&T> {
        let last = self.last.as_ref()?;
        (last.is_update && last.number > last_of_side).then_some(&last.what)
    }

    /// Whether it was told again after the message of this number.
    pub fn is_told_since(&self, number: u64) -> bool {
        self.last.as_ref().is_some_and(|last| last.number > number)
    }

    /// An answer tells it.
    pub(super) fn answer(&mut self, what: T, number: u64) {
        self.tell(Announcement { what, number, is_update: false });
    }

    /// A notification tells it.
    pub(super) fn report(&mut self, what: T, number: u64) {
        self.tell(Announcement { what, number, is_update: true });
    }

    fn tell(&mut self, telling: Announcement<T>) {
        self.previous = self.last.replace(Box::new(telling));
    }
}
