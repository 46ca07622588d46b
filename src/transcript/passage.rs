//! What reading hands on, in the order of the file: [`Passage`]s.
//!
//! A [`Reader`](crate::transcript::Reader) makes them from bytes. Whoever takes them needs to know
//! nothing of formats, lines and encodings.

use crate::{
    json::Node,
    protocol::Side,
    transcript::{Driven, Flaw, RecordingTraits, ScenarioState},
};

/// One item of a recording, as the reader passes it on to the check.
#[derive(Clone, Copy, Debug)]
pub enum Passage<'t> {
    /// What the beginning of the file shows about the whole. Comes before all messages; a second
    /// time, also before them, where the whole file shows more.
    Traits(&'t RecordingTraits),
    /// The connection of the messages that follow, by its name in the recording; `None` for
    /// messages without a name.
    Connection(Option<&'t str>),
    Message(RecordedMessage<'t>),
    /// Text of a peer that is not a message.
    Flaw(&'t Flaw),
    /// Messages may be missing at this point.
    Gap,
    /// A message that is not judged because it has too many values.
    Overfull,
    /// A message that is not judged because its end is missing.
    Fragment,
    /// A message that is not judged because it repeats the one before.
    Copy,
    /// The end of the file is missing.
    Cut,
    /// The side sends no more messages.
    Ended(Side),
    /// A recording of acpcheck begins; with details where acpcheck plays a side.
    Started(Option<&'t Driven>),
    /// A scenario that acpcheck plays has ended.
    Scenario(&'t ScenarioState),
}

/// A message with what the recorder says about it.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMessage<'t> {
    pub node: Node<'t>,
    /// The side that sent the message; `None` where the recorder does not say.
    pub sender: Option<Side>,
    /// Time of the recording, in seconds on the recorder's clock; `None` where the recorder does
    /// not say.
    pub at: Option<f64>,
    /// Offsets in the message's text of values that the recording does not give for sure.
    pub unsure: &'t [u32],
}

/// Receives the passages of a recording in order.
pub(super) type OnPassage<'a> = &'a mut dyn FnMut(Passage<'_>);
