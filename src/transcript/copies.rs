//! Tells whether a recording has messages twice that were sent once.

use crate::{json::Node, protocol::Side, transcript::labels::method_sender};

/// Whether a recording has messages more than once that were sent once, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copies {
    None,
    /// Two recordings of one connection were merged: each message occurs twice in a row.
    Merged,
    /// One side sends the messages of the other back, as a terminal does that echoes its input.
    Echoed,
}

impl Copies {
    /// Finds out by the first messages of a file whether messages are recorded twice. Each message
    /// comes with its sender by the recorder's label; `None` without a label.
    pub(super) fn of(messages: &[(Node<'_>, Option<Side>)]) -> Self {
        /// Least number of pairs of equal messages that show a merged recording. Fewer can be a
        /// fault of a side.
        const ENOUGH: usize = 3;
        let (mut pairs, mut crossing) = (0, 0);
        // Messages with an id, and requests of the client, each with how many stand twice.
        let (mut ids, mut requests) = ([0, 0], [0, 0]);
        let mut position = 0;
        while let Some(&(message, from)) = messages.get(position) {
            let next = messages.get(position + 1);
            let copy = next.filter(|(next, _)| next.raw() == message.raw());
            let is_paired = usize::from(copy.is_some());
            pairs += is_paired;
            // What one side is said to have sent twice, it has not echoed.
            let is_of_one = copy.is_some_and(|(_, back)| from.is_some() && from == *back);
            if let Some((_, Some(back))) = copy
                && from.is_some_and(|from| from != *back)
            {
                crossing += 1;
            }
            if message.get("id").is_some() {
                ids[0] += 1;
                ids[1] += is_paired;
                if method_sender(message) == Some(Side::Client) {
                    requests[0] += 1;
                    requests[1] += is_paired * usize::from(!is_of_one);
                }
            }
            position += 1 + is_paired;
        }
        let most = |[all, paired]: [usize; 2]| paired * 2 > all;
        if crossing > 0 {
            Self::Echoed
        } else if pairs >= ENOUGH && pairs * 4 > messages.len() && most(ids) {
            Self::Merged
        } else if requests[1] > 1 && most(requests) {
            Self::Echoed
        } else {
            Self::None
        }
    }
}
