//! Reads a transcript block by block while it is checked, for all commands that check.
//!
//! A transcript goes in, as far as it can be read; what was found in it comes out, and why it could
//! not be read to its end.

use std::io;

use super::{
    bounded::Unpacking,
    input::{Certainty, Input, Transcript},
    progress::Progress,
};
use crate::{
    check::{self, Check, Settings},
    diagnostic::Diagnostic,
};

/// How many bytes of a transcript are read with one call.
const BLOCK: usize = 256 * 1024;

/// Most bytes of a transcript that must be read into memory as a whole, as for `redact`; a larger
/// one is refused.
const LARGEST: usize = 1 << 30;

/// The error for an input in which no message is found.
const NO_MESSAGE: &str = "no message found in a form that acpcheck reads (`acpcheck formats`); \
                          `acpcheck record` makes a recording";

/// What came out of reading and checking a transcript: findings, notes, and why reading ended
/// early.
#[derive(Debug)]
pub(super) struct Reading {
    pub(super) outcome: check::Outcome,
    /// The diagnostics in the order of the messages.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Why the transcript could not be read to its end, as a sentence without a full stop; `None`
    /// when it could.
    pub(super) failure: Option<String>,
    /// Whether the input has no bytes at all.
    pub(super) is_empty: bool,
    /// Whether `acpcheck record` is still writing the transcript.
    pub(super) is_open: bool,
}

/// Why an input is missing in a report: it was not read, or has no messages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotJudged {
    /// The input has no message and may be another kind of file, see [`Certainty::Perhaps`]; it is
    /// left out without an error.
    PassedOver,
    /// The input could not be read, for this reason: a sentence without a full stop.
    Unread(String),
}

/// Reads a transcript to its end and feeds it to `check`. `after_block` is called after each block
/// and once more at the end; its error ends the reading.
pub(super) fn judge(
    transcript: &mut Transcript,
    mut check: Check,
    progress: &Progress,
    mut after_block: impl FnMut() -> io::Result<()>,
) -> io::Result<Reading> {
    // A small file is read with one call, and the end behind it is seen.
    let size = usize::try_from(transcript.size()).unwrap_or(BLOCK);
    let mut block = vec![0; if size == 0 { BLOCK } else { BLOCK.min(size + 1) }];
    let mut is_empty = true;
    while !check.is_over() {
        let count = transcript.read(&mut block)?;
        is_empty &= count == 0;
        if count == 0 {
            break;
        }
        check.feed(&block[..count]);
        progress.advance(count);
        after_block()?;
    }
    let failure = transcript.failure();
    if failure.is_some() {
        check.truncate();
    }
    let (diagnostics, mut outcome) = check.finish();
    outcome.notes.extend(transcript.note());
    after_block()?;
    if transcript.is_open() && outcome.messages == 0 {
        outcome.refusal = Some("still being recorded: no message so far".to_owned());
    }
    let failure = failure.or_else(|| outcome.refusal.clone());
    Ok(Reading { outcome, diagnostics, failure, is_empty, is_open: transcript.is_open() })
}

/// Reads a transcript into memory, unpacked and as UTF-8, for commands that check it more than
/// once. Fails beyond 1 GiB.
pub(super) fn whole(
    input: &Input,
    unpacking: Unpacking,
    settings: &Settings,
) -> Result<Vec<u8>, NotJudged> {
    let said = |error: io::Error| NotJudged::Unread(error.to_string());
    let mut transcript = input.open(unpacking).map_err(said)?;
    let mut check = Check::new(settings);
    let mut bytes = Vec::new();
    let mut block = vec![0; BLOCK];
    while !check.is_over() {
        let count = transcript.read(&mut block).map_err(said)?;
        if count == 0 {
            break;
        }
        check.feed(&block[..count]);
        bytes.extend_from_slice(&block[..count]);
        if bytes.len() > LARGEST {
            return Err(NotJudged::Unread(format!("it has more than {} MiB", LARGEST >> 20)));
        }
    }
    let (diagnostics, outcome) = check.finish();
    let failure = transcript.failure().or_else(|| outcome.refusal.clone());
    if let Some(failure) = failure {
        return Err(NotJudged::Unread(failure));
    }
    let is_empty = bytes.is_empty();
    let reading = Reading { outcome, diagnostics, failure: None, is_empty, is_open: false };
    reading.not_judged(input.certainty()).map_or(Ok(bytes), Err)
}

impl Reading {
    /// Why the input is not part of the report, such as a file without messages; `None` when it has
    /// a message.
    pub(super) fn not_judged(&self, certainty: Certainty) -> Option<NotJudged> {
        let Self { outcome, failure, .. } = self;
        if outcome.format.is_some() {
            return None;
        }
        Some(match (failure, certainty) {
            (Some(reason), _) => NotJudged::Unread(reason.clone()),
            (None, Certainty::Sure) if self.is_empty => {
                NotJudged::Unread("the file is empty".to_owned())
            }
            (None, Certainty::Sure) => {
                NotJudged::Unread(outcome.unread_form.unwrap_or(NO_MESSAGE).to_owned())
            }
            (None, Certainty::Perhaps) => NotJudged::PassedOver,
        })
    }
}
