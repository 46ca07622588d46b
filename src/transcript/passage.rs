//! What reading hands on, in the order of the file: [`Passage`]s.
//!
//! A [`Reader`](crate::transcript::Reader) makes them from bytes. Whoever takes them needs to know
//! nothing of formats, lines and encodings.

use crate::{
    json::Node,
    protocol::Side,
    transcript::{Driven, Flaw, RecordingTraits, ScenarioState},
};

/// One item of a recording that the reader passes on to the check: a message, a faulty line, or a
/// remark of the recorder.
#[derive(Clone, Copy, Debug)]
pub enum Passage<'t> {
    /// What the beginning of the file shows about the whole recording, before the first message.
    /// Comes once more, still before the first message, if the whole file shows more.
    Traits(&'t RecordingTraits),
    /// The name in the recording of the connection that the next messages belong to; `None` for
    /// messages without a name.
    Connection(Option<&'t str>),
    Message(RecordedMessage<'t>),
    /// Text of a client or agent that is not a message, such as a line that is not JSON.
    Flaw(&'t Flaw),
    /// The recorder may have lost messages at this point.
    Gap,
    /// A message was read and is not judged, because it has too many JSON values.
    Overfull,
    /// A message was begun and is not judged, because its end is missing.
    Fragment,
    /// A message is not judged, because it repeats the message before.
    Copy,
    /// The file breaks off: its end is missing.
    Cut,
    /// The sender sends no more messages. `left` is the side that ended that: the sender, which has
    /// closed its stream, or its peer, which reads no more.
    Ended {
        sender: Side,
        left: Side,
    },
    /// A recording by acpcheck begins; with `Driven` if acpcheck plays a side in it.
    Started(Option<&'t Driven>),
    /// The scenario that acpcheck plays in the recording has ended, in this state.
    Scenario(&'t ScenarioState),
}

/// A message of the recording, with what the recorder says about it: sender and time.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMessage<'t> {
    pub node: Node<'t>,
    /// The side that sent the message; `None` where the recorder does not say.
    pub sender: Option<Side>,
    /// Time of the recording, in seconds on the recorder's clock; `None` where the recorder does
    /// not say.
    pub at: Option<f64>,
    /// Offsets in the message's text of values that the recording does not have and that acpcheck
    /// guessed, so that rules do not judge them.
    pub unsure: &'t [u32],
}

/// A function that receives the items of a recording (messages, faulty lines, remarks) in order.
pub(super) type OnPassage<'a> = &'a mut dyn FnMut(Passage<'_>);
