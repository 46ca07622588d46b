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

/// A checker on another thread, to which this thread sends passages in batches.
#[derive(Debug)]
pub(super) struct Ahead {
    batch: Batch,
    batches: SyncSender<Batch>,
    thread: JoinHandle<Box<Checker>>,
}

impl Ahead {
    /// Moves the checker to a new thread. Gives it back where the system cannot start one.
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

    /// Takes the next passage, and sends a batch to the other thread when one is full.
    pub(super) fn see(&mut self, passage: Passage<'_>) {
        self.batch.push(passage);
        if self.batch.is_full() {
            // It fails after a panic alone, which `finish` passes on.
            let _ = self.batches.send(mem::take(&mut self.batch));
        }
    }

    /// Waits until the other thread has checked all passages, and returns the checker.
    pub(super) fn finish(self) -> Box<Checker> {
        let Self { batch, batches, thread } = self;
        let _ = batches.send(batch);
        drop(batches);
        thread.join().unwrap_or_else(|cause| panic::resume_unwind(cause))
    }
}
