//! A value that the agent always sends as a whole, such as a list of options. Keeps the last two
//! values, and tells which of them the client can have known.

/// The last two values of something that the agent announces, such as its commands. The value
/// before last is kept, since a notification may cross the client's next message.
#[derive(Clone, Debug)]
pub struct Announced<T> {
    last: Option<Box<Announcement<T>>>,
    previous: Option<Box<Announcement<T>>>,
}

#[derive(Clone, Debug)]
struct Announcement<T> {
    what: T,
    /// Number of the message that announced the value.
    number: u64,
    /// Whether the value came in a notification, and not in the answer to a request.
    is_update: bool,
}

impl<T> Default for Announced<T> {
    fn default() -> Self {
        Self { last: None, previous: None }
    }
}

impl<T> Announced<T> {
    /// The last value that was announced; `None` before the first.
    pub fn last(&self) -> Option<&T> {
        self.last.as_ref().map(|last| &last.what)
    }

    /// The last value but one that was announced; `None` when there is none.
    pub fn before_last(&self) -> Option<&T> {
        self.previous.as_ref().map(|announcement| &announcement.what)
    }

    /// The value that the other side certainly knows when its last message has the number
    /// `last_of_side`; `None` when that is unknown. A later notification may have crossed its next
    /// message.
    pub fn known_to(&self, last_of_side: u64) -> Option<&T> {
        let last = self.last.as_ref()?;
        if last.is_update && last.number > last_of_side {
            let previous = self.previous.as_ref()?;
            // Earlier values than the last two are not kept.
            let is_known = !previous.is_update || previous.number < last_of_side;
            return is_known.then_some(&previous.what);
        }
        Some(&last.what)
    }

    /// The last value, if a notification brought it after the message `last_of_side`, the last one
    /// of the other side, who may not know it yet; `None` otherwise.
    pub fn crossing(&self, last_of_side: u64) -> Option<&T> {
        let last = self.last.as_ref()?;
        (last.is_update && last.number > last_of_side).then_some(&last.what)
    }

    /// Whether a value was announced after the message with this number.
    pub fn is_sent_since(&self, number: u64) -> bool {
        self.last.as_ref().is_some_and(|last| last.number > number)
    }

    /// Keeps a value that came in an answer, as the last one. `number` is the number of the
    /// message.
    pub(super) fn answer(&mut self, what: T, number: u64) {
        self.set(Announcement { what, number, is_update: false });
    }

    /// Keeps a value that a notification announces, as the last one. `number` is the notification's
    /// message number.
    pub(super) fn report(&mut self, what: T, number: u64) {
        self.set(Announcement { what, number, is_update: true });
    }

    fn set(&mut self, announcement: Announcement<T>) {
        self.previous = self.last.replace(Box::new(announcement));
    }
}
