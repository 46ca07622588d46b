//! Tells whether a recorder has written the messages of one side twice, as logs do that have a line where
//! a message is received and another where it is handled.
//!
//! What a peer sends twice looks the same twice. So it counts only if what the recorder has written around
//! the two copies differs, and differs in the same way each time.

use crate::{
    json::Node,
    map::{Map, Set, hash_of},
    protocol::Side,
    transcript::{labels::method_sender, lanes::Frame},
};

/// Finds the sender of each message, by the recorder's label, the method, or the request that it
/// answers.
#[derive(Debug, Default)]
pub(super) struct Senders {
    /// The side that waits for an answer with this id. Ids are written as in the file.
    asked: Map<Box<str>, Side>,
}

impl Senders {
    /// Sender of the next message; `None` when unknown. `said` is the sender by the recorder's
    /// label. Must be called for all messages in order.
    pub(super) fn next(&mut self, message: Node<'_>, said: Option<Side>) -> Option<Side> {
        /// Most request ids that are kept to know the senders of answers. When there are more, all
        /// are forgotten.
        const MOST: usize = 10_000;
        let id = message.get("id").map(Node::raw);
        if message.get("method").is_none() {
            return said.or_else(|| self.asked.get(id?).map(|side| side.peer()));
        }
        let side = said.or_else(|| method_sender(message));
        if let (Some(id), Some(side)) = (id, side) {
            if self.asked.len() >= MOST {
                self.asked.clear();
            }
            self.asked.insert(id.into(), side);
        }
        side
    }
}

/// Finds messages that the recorder has written twice, so that the second copy is left out.
#[derive(Debug, Default)]
pub(super) struct Doubled {
    senders: Senders,
    /// Hash of the previous message of the client (index 0) and of the agent (index 1); `None`
    /// after a copy, and before the first.
    before: [Option<u64>; 2],
}

impl Doubled {
    /// How a message is recognized as the second copy of its side's previous message;
    /// `Doubling::None` if it is none. `sides` says for the client (index 0) and the agent (index
    /// 1) whether messages are recorded twice.
    pub(super) fn copy(
        &mut self,
        message: Node<'_>,
        said: Option<Side>,
        sides: [Doubling; 2],
    ) -> Doubling {
        let Some(side) = self.senders.next(message, said) else { return Doubling::None };
        let doubling = sides[side as usize];
        if doubling == Doubling::None {
            return doubling;
        }
        let hash = hash_of(message.normal());
        let before = &mut self.before[side as usize];
        let is_copy = *before == Some(hash);
        *before = (!is_copy).then_some(hash);
        if is_copy { doubling } else { Doubling::None }
    }
}

/// Whether the messages of a side are recorded twice, and how the copies differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Doubling {
    #[default]
    None,
    /// The two copies of a message have different text of the recorder around them.
    ByFrames,
    /// The copies have different spaces. The side itself may have sent both.
    BySpaces,
}

/// A message of one side, to compare the side's next message with it.
struct Sent<'t> {
    hash: u64,
    frame: String,
    raw: &'t str,
}

/// How most messages of the client (index 0) and of the agent (index 1) occur twice in a row;
/// `Doubling::None` for a side whose messages do not.
pub(super) fn sides(messages: &[(Node<'_>, Option<Side>, Option<Frame<'_>>)]) -> [Doubling; 2] {
    let mut senders = Senders::default();
    let mut sent: [Vec<Sent<'_>>; 2] = Default::default();
    for (message, said, frame) in messages {
        let Some(side) = senders.next(*message, *said) else { continue };
        let Some(frame) = frame else { return Default::default() };
        let (hash, frame) = (hash_of(message.normal()), text_of(*frame));
        sent[side as usize].push(Sent { hash, frame, raw: message.raw() });
    }
    sent.map(|sent| {
        if is_doubled(&sent, |message| message.frame.as_str()) {
            Doubling::ByFrames
        } else if is_doubled(&sent, |message| spacing(message.raw)) {
            Doubling::BySpaces
        } else {
            Doubling::None
        }
    })
}

/// Whether most messages of a side occur twice in a row, and the first and second copies always
/// differ in the same way. `look` is what may differ.
fn is_doubled<'t>(sent: &'t [Sent<'_>], look: impl Fn(&'t Sent<'_>) -> &'t str) -> bool {
    /// Least number of pairs that show a habit of the recorder. Fewer can be a fault of the side.
    const ENOUGH: usize = 2;
    let (mut firsts, mut seconds): (Set<&str>, Set<&str>) = (Set::default(), Set::default());
    let (mut pairs, mut at) = (0, 0);
    while let Some(first) = sent.get(at) {
        let is_copy = |second: &&Sent<'_>| second.hash == first.hash;
        at += 1;
        if let Some(second) = sent.get(at).filter(is_copy).filter(|it| look(it) != look(first)) {
            firsts.insert(look(first));
            seconds.insert(look(second));
            pairs += 1;
            at += 1;
        }
    }
    // Who writes two lines for each message does it in few ways. A counter or a random id differs each time.
    let is_repeated = firsts.len() < pairs && seconds.len() < pairs;
    pairs >= ENOUGH && pairs * 5 >= sent.len() * 2 && is_repeated && firsts.is_disjoint(&seconds)
}

/// The spaces behind the first colon of a message's text. A log that holds a message twice may have
/// it once as the sender wrote it and once as the logger did; the spaces tell which is which.
fn spacing(raw: &str) -> &str {
    let behind = raw.find(':').map_or(0, |at| at + 1);
    let end = raw[behind..].find(|edge: char| !edge.is_whitespace()).unwrap_or(0);
    &raw[behind..behind + end]
}

/// Text that a recorder has written around a message, without numbers.
fn text_of(frame: Frame<'_>) -> String {
    /// Longest string, in bytes, that counts as repeated by a recorder.
    const LONGEST: usize = 100;
    let mut text = String::new();
    match frame {
        Frame::Prefix(prefix) => text.push_str(prefix),
        Frame::Object(object) => {
            for (name, value) in object.members() {
                text.push_str(name.raw());
                if value.is_string() && value.raw().len() <= LONGEST && !value.raw().contains('{') {
                    text.push_str(value.raw());
                }
            }
        }
    }
    text.retain(|character| !character.is_ascii_digit());
    text
}
