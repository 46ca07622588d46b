//! How a transcript is read while it is judged, the same for all commands: block by block, as far
//! as it can be read.

use std::io;

use super::{
    input::{Claim, Transcript},
    parallel::Spare,
    progress::Progress,
};
use crate::{
    check::{self, Check},
    diagnostic::Diagnostic,
    source::{Landmarks, Locator},
};

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;
/// A transcript that has been read.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) outcome: check::Outcome,
    /// Why it could not be read to its end, as a sentence without a full stop.
    pub(super) failure: Option<String>,
}

/// Why there is nothing to say about an input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Blank {
    /// There is no message in it, and nobody said that there is.
    PassedOver,
    /// For this reason, a sentence without a full stop.
    Unread(String),
}

/// What there is beside an input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Help<'h> {
    pub(super) progress: &'h Progress,
    /// Threads that may help with a large input.
    pub(super) spare: &'h Spare,
}

/// Sees what is found, which it may take, and where that stands.
type Heed<'h> = dyn FnMut(&mut Vec<Diagnostic>, &mut Locator<'_>) -> io::Result<()> + Send + 'h;

/// Lets `check` judge the whole of a transcript, and `heed` see what it finds; that is called after
/// each block and once more at the end.
pub(super) fn judge(
    transcript: &mut Transcript,
    mut check: Check,
    Help { progress, .. }: Help<'_>,
    heed: &mut Heed<'_>,
) -> io::Result<Reading> {
    let mut landmarks = Landmarks::default();
    let mut block = vec![0; BLOCK];
    while !check.is_over() {
        let count = transcript.read(&mut block)?;
        if count == 0 {
            break;
        }
        check.feed(&block[..count]);
        let mut found = check.drain().collect();
        let mut locator = Locator::with(transcript, landmarks);
        heed(&mut found, &mut locator)?;
        landmarks = locator.into_landmarks();
        progress.advance(count);
    }
    let failure = transcript.failure();
    if failure.is_some() {
        check.cut();
    }
    let mut last = Vec::new();
    let mut outcome = check.finish(&mut last);
    outcome.notes.extend(transcript.note());
    heed(&mut last, &mut Locator::with(transcript, landmarks))?;
    let failure = failure.or_else(|| outcome.refusal.clone());
    Ok(Reading { outcome, failure })
}

impl Reading {
    /// Why there is nothing to say about it; `None` if there were messages in it.
    pub(super) fn blank(&self, claim: Claim) -> Option<Blank> {
        let Self { outcome, failure } = self;
        if outcome.format.is_some() {
            return None;
        }
        let reason = failure.as_ref().or(outcome.refusal.as_ref());
        Some(match (reason, claim) {
            (Some(reason), _) => Blank::Unread(reason.clone()),
            (None, Claim::Sure) => {
                Blank::Unread("no transcript: there is no JSON-RPC message in it".to_owned())
            }
            (None, Claim::Perhaps) => Blank::PassedOver,
        })
    }
}
