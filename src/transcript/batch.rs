//! Passages that are kept, to be taken by another thread than the one that reads.
//!
//! It exists for speed alone: a large file is read and parsed on one thread and checked on another. Nothing
//! else depends on it.

use std::ops::Range;

use crate::{
    json::{Doc, Part, Tape},
    protocol::Side,
    source::OwnedOrigin,
    transcript::{Driven, Flaw, Passage, RecordedMessage, RecordingTraits, ScenarioState},
};

/// Copies of messages and other items of a recording, which are passed to another thread. All texts
/// share one buffer.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    text: String,
    tape: Tape,
    passages: Vec<OwnedPassage>,
}

/// A copy of a [`Passage`]. The texts of messages are in [`Batch::text`].
#[derive(Debug)]
enum OwnedPassage {
    Traits(Box<RecordingTraits>),
    Connection(Option<Box<str>>),
    Message(Box<OwnedMessage>),
    Flaw(Box<Flaw>),
    Gap,
    Overfull,
    Fragment,
    Copy,
    Cut,
    Ended { sender: Side, left: Side },
    Started(Option<Box<Driven>>),
    Scenario(Box<ScenarioState>),
}

/// A copy of a [`RecordedMessage`] that another thread can judge.
#[derive(Debug)]
struct OwnedMessage {
    /// Byte range of the message's text in the text of the batch.
    text: Range<usize>,
    tokens: Part,
    origin: OwnedOrigin,
    sender: Option<Side>,
    at: Option<f64>,
    unsure: Box<[u32]>,
}

impl Batch {
    /// Whether the batch has enough text to be passed on.
    pub(crate) fn is_full(&self) -> bool {
        /// Number of bytes of text from which on a batch is full and is passed on.
        const TEXT: usize = 256 * 1024;
        const PASSAGES: usize = 4096;
        self.text.len() >= TEXT || self.passages.len() >= PASSAGES
    }

    /// Appends a copy of an item of the recording, such as a message.
    pub(crate) fn push(&mut self, passage: Passage<'_>) {
        let copy = match passage {
            Passage::Traits(traits) => OwnedPassage::Traits(Box::new(traits.clone())),
            Passage::Connection(lane) => OwnedPassage::Connection(lane.map(Box::from)),
            Passage::Message(message) => OwnedPassage::Message(Box::new(self.copy(message))),
            Passage::Flaw(flaw) => OwnedPassage::Flaw(Box::new(flaw.clone())),
            Passage::Gap => OwnedPassage::Gap,
            Passage::Overfull => OwnedPassage::Overfull,
            Passage::Fragment => OwnedPassage::Fragment,
            Passage::Copy => OwnedPassage::Copy,
            Passage::Cut => OwnedPassage::Cut,
            Passage::Ended { sender, left } => OwnedPassage::Ended { sender, left },
            Passage::Started(driven) => OwnedPassage::Started(driven.cloned().map(Box::new)),
            Passage::Scenario(state) => OwnedPassage::Scenario(Box::new(state.clone())),
        };
        self.passages.push(copy);
    }

    fn copy(&mut self, message: RecordedMessage<'_>) -> OwnedMessage {
        let RecordedMessage { node, sender, at, unsure } = message;
        let (place, start) = (node.place(), self.text.len());
        self.text.push_str(node.raw());
        OwnedMessage {
            text: start..self.text.len(),
            tokens: node.copy_to(&mut self.tape),
            origin: node.doc().origin().part(place.clone()),
            sender,
            at,
            unsure: unsure
                .iter()
                .filter(|value| place.contains(value))
                .map(|value| value - place.start)
                .collect(),
        }
    }

    /// Calls `on` with each item of the recording in the batch, in order.
    pub(crate) fn each(&self, on: &mut impl FnMut(Passage<'_>)) {
        for passage in &self.passages {
            on(match passage {
                OwnedPassage::Traits(traits) => Passage::Traits(traits),
                OwnedPassage::Connection(lane) => Passage::Connection(lane.as_deref()),
                OwnedPassage::Flaw(flaw) => Passage::Flaw(flaw),
                OwnedPassage::Gap => Passage::Gap,
                OwnedPassage::Overfull => Passage::Overfull,
                OwnedPassage::Fragment => Passage::Fragment,
                OwnedPassage::Copy => Passage::Copy,
                OwnedPassage::Cut => Passage::Cut,
                OwnedPassage::Ended { sender, left } => {
                    Passage::Ended { sender: *sender, left: *left }
                }
                OwnedPassage::Started(driven) => Passage::Started(driven.as_deref()),
                OwnedPassage::Scenario(state) => Passage::Scenario(state),
                OwnedPassage::Message(message) => {
                    let OwnedMessage { text, tokens, origin, sender, at, unsure } = &**message;
                    let text = &self.text[text.clone()];
                    let doc = Doc::of_part(text, &self.tape, *tokens, origin.as_origin());
                    let (node, sender, at) = (doc.root(), *sender, *at);
                    on(Passage::Message(RecordedMessage { node, sender, at, unsure }));
                    continue;
                }
            });
        }
    }
}
