//! Checks on a thread of its own what another thread reads.
//!
//! It exists for speed alone: without it, [`Check`](super::Check) hands passages to the checker one by one.

use std::{
    mem, panic,
    sync::mpsc::{self, SyncSender},
    thread::{Builder, JoinHandle},
};

use crate::{
    check::checker::Checker,
    transcript::{Batch, Passage},
};

/// Most batches of messages that wait for the other thread; the reading thread stops until there is
/// room.
const WAITING: usize = 4;

/// A checker on another thread, to which this thread sends the items of the recording in batches.
#[derive(Debug)]
pub(super) struct Ahead {
    batch: Batch,
    batches: SyncSender<Batch>,
    thread: JoinHandle<Box<Checker>>,
}

impl Ahead {
    /// Moves the checker to a new thread. Fails when the system cannot start a thread, and then
    /// returns the checker.
    pub(super) fn new(checker: Box<Checker>) -> Result<Self, Box<Checker>> {
        let (batches, given) = mpsc::sync_channel::<Batch>(WAITING);
        let (hand_over, handed) = mpsc::sync_channel(1);
        let work = move || {
            let mut checker: Box<Checker> = handed.recv().expect("it is handed over at once");
            for batch in given {
                batch.each(&mut |passage| checker.see(passage));
            }
            checker
        };
        match Builder::new().name("check".to_owned()).spawn(work) {
            Err(_) => Err(checker),
            Ok(thread) => {
                let _ = hand_over.send(checker);
                Ok(Self { batch: Batch::default(), batches, thread })
            }
        }
    }

    /// Adds the next item of the recording to a batch, and sends the batch to the other thread when
    /// it is full.
    pub(super) fn see(&mut self, passage: Passage<'_>) {
        self.batch.push(passage);
        if self.batch.is_full() {
            // It fails after a panic alone, which `finish` passes on.
            let _ = self.batches.send(mem::take(&mut self.batch));
        }
    }

    /// Waits until the other thread has checked all items, and returns the checker.
    pub(super) fn finish(self) -> Box<Checker> {
        let Self { batch, batches, thread } = self;
        let _ = batches.send(batch);
        drop(batches);
        thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause))
    }
}
