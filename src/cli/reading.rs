//! How a transcript is read while it is judged, the same for all commands: block by block, as far
//! as it can be read.

use std::io;

use super::{
    input::{Claim, Input, Transcript},
    progress::Progress,
};
use crate::{
    check::{self, Check},
    diagnostic::Diagnostic,
    source::Locator,
};

/// How much is read at a time, in bytes.
const BLOCK: usize = 512 * 1024;

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

/// Lets `check` judge the whole of an input, `transcript`, and `heed` take what it finds; that is
/// called after each block and once more at the end.
pub(super) fn judge(
    input: &Input,
    transcript: &mut Transcript,
    mut check: Check,
    progress: &Progress,
    mut heed: impl FnMut(&mut dyn Iterator<Item = Diagnostic>, &mut Locator<'_>) -> io::Result<()>,
) -> io::Result<Reading> {
    let size = usize::try_from(input.size()).unwrap_or(BLOCK);
    let mut block = vec![0; if size == 0 { BLOCK } else { BLOCK.min(size + 1) }];
    loop {
        let count = transcript.read(&mut block)?;
        if count == 0 || check.is_over() {
            break;
        }
        check.feed(&block[..count]);
        heed(&mut check.drain(), &mut Locator::new(transcript))?;
        progress.advance(count);
    }
    let failure = transcript.failure();
    if failure.is_some() {
        check.cut();
    }
    let mut last = Vec::new();
    let mut outcome = check.finish(&mut last);
    outcome.notes.extend(transcript.note());
    heed(&mut last.into_iter(), &mut Locator::new(transcript))?;
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
