//! What reading hands on, in the order of the file: [`Passage`]s.
//!
//! A [`Reader`](crate::transcript::Reader) makes them from bytes. Whoever takes them needs to know
//! nothing of formats, lines and encodings.

use crate::{
    json::Node,
    protocol::Side,
    transcript::{Driven, Flaw, RecordingTraits, ScenarioState},
};

/// One thing that a transcript says.
#[derive(Clone, Copy, Debug)]
pub enum Passage<'t> {
    /// What the beginning of the file tells of the whole. Comes before all messages. Comes a second
    /// time, before all messages too, where the whole file tells more.
    Traits(&'t RecordingTraits),
    /// The messages that follow belong to the connection that the recorder calls so. `None`: to the
    /// one that it gives no name.
    Connection(Option<&'t str>),
    Message(RecordedMessage<'t>),
    /// Text that is not a message, which a peer sent.
    Flaw(&'t Flaw),
    /// Messages may be missing here.
    Gap,
    /// A message that is not judged, since it has too many values.
    Overfull,
    /// A message is not judged, since its end is missing: its recorder or its sender has cut it off.
    Fragment,
    /// A message is not judged, since it repeats the one before: its recorder or its sender has written it
    /// twice.
    Copy,
    /// The end of the file is missing.
    Cut,
    /// The messages of a side have ended.
    Ended(Side),
    /// A recording of acpcheck begins; set where it plays a side.
    Started(Option<&'t Driven>),
    /// A scenario that acpcheck plays has ended.
    Scenario(&'t ScenarioState),
}

/// A message, with what the recorder says of it.
#[derive(Clone, Copy, Debug)]
pub struct RecordedMessage<'t> {
    pub node: Node<'t>,
    /// Who sent it; `None` where the recorder does not say.
    pub sender: Option<Side>,
    /// When it was recorded, in seconds on the recorder's clock; `None` where it does not say.
    pub at: Option<f64>,
    /// Offsets in the message's text at which values begin that the recorder does not give for sure.
    pub unsure: &'t [u32],
}

/// Where passages go.
pub(super) type OnPassage<'a> = &'a mut dyn FnMut(Passage<'_>);
