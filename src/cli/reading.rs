//! How a transcript is read while it is judged, the same for all commands: block by block, as far
//! as it can be read.

use std::{
    io, mem,
    ops::RangeInclusive,
    panic,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use super::{
    input::{Claim, Transcript},
    parallel::Spare,
    progress::Progress,
};
use crate::{
    check::{self, Block, Check, Parser},
    diagnostic::Diagnostic,
    source::{Landmarks, Locator, Reread},
};

/// How much is read at a time, in bytes.
const BLOCK: usize = 256 * 1024;
/// Files of up to so many bytes may be parsed before others are judged: they are kept as long as that.
const SHORT: u64 = 64 * 1024;
/// How much is read at first, where the file's format is to be seen.
const FIRST: usize = 2 * BLOCK;
/// The least that is read at a time.
const LEAST: usize = 4 * 1024;
/// From how many bytes on a file is worth another thread.
const LARGE: u64 = 2 << 20;
/// How many blocks there are, between the threads and at work: as many as it takes that neither waits
/// for the other often, which costs both.
const BLOCKS: RangeInclusive<usize> = 2..=6;
/// Where there are more findings in a block, fewer blocks are read ahead: findings take memory until
/// they are written.
const MANY: usize = 1000;
/// A longer line is not read while others are judged, in bytes: it takes memory enough.
const LONG: usize = 1 << 20;

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

/// Lets `check` parse a transcript if it is short, for [`judge`] to go on with when others have been
/// parsed; it [is read](Transcript::is_read) then.
pub(super) fn parse(transcript: &mut Transcript, check: &mut Check, progress: &Progress) {
    if transcript.size() <= SHORT
        && let Some(count) = transcript.give_whole(check)
    {
        progress.advance(count);
        check.settle();
        check.parse();
        check.set_aside();
    }
}

/// Lets `check` judge the whole of a transcript, and `heed` see what it finds; that is
/// called after each block and once more at the end.
pub(super) fn judge(
    transcript: &mut Transcript,
    mut check: Check,
    Help { progress, spare }: Help<'_>,
    heed: &mut Heed<'_>,
) -> io::Result<Reading> {
    check.take_up();
    let size = transcript.size();
    // To be read at once, and its end be seen, if it is small.
    let expected = usize::try_from(size).map_or(FIRST, |size| size.saturating_add(1));
    let mut wanted = if size == 0 { BLOCK } else { expected.min(FIRST) };
    let mut landmarks = Landmarks::default();
    let is_parsed = transcript.is_read();
    while !is_parsed && !check.is_over() {
        if size > LARGE
            && let Some(hand) = spare.take()
            && let Some(parser) = check.lend()
        {
            let mut reader = Reader::new(transcript, progress, heed, &mut landmarks);
            let is_done = judge_ahead(&mut reader, &mut check, parser)?;
            drop(hand);
            if is_done {
                break;
            }
        }
        let count = if let Some(count) = transcript.give_whole(&mut check) {
            count
        } else {
            let count = transcript.read(check.room(wanted))?;
            check.advance(count);
            count
        };
        if count == 0 {
            break;
        }
        let is_last = count < wanted && transcript.is_read();
        wanted = if count < wanted { LEAST.max(BLOCK.min(wanted - count)) } else { BLOCK };
        judge_lines(&mut check, transcript, &mut landmarks, heed)?;
        progress.advance(count);
        if is_last {
            break;
        }
    }
    let failure = transcript.failure();
    if failure.is_some() {
        check.cut();
    }
    check.settle();
    judge_lines(&mut check, transcript, &mut landmarks, heed)?;
    let mut last = Vec::new();
    let mut outcome = check.finish(&mut last);
    outcome.notes.extend(transcript.note());
    heed(&mut last, &mut Locator::with(transcript, landmarks))?;
    let failure = failure.or_else(|| outcome.refusal.clone());
    Ok(Reading { outcome, failure })
}

/// Judges the lines that are there.
fn judge_lines(
    check: &mut Check,
    transcript: &mut Transcript,
    landmarks: &mut Landmarks,
    heed: &mut Heed<'_>,
) -> io::Result<()> {
    while check.step() {
        let (found, block) = check.found();
        tell(found, &mut Near { block, others: transcript }, landmarks, heed)?;
        found.clear();
    }
    Ok(())
}

/// Lets `heed` see what was found in lines, and where it stands.
fn tell(
    found: &mut Vec<Diagnostic>,
    near: &mut Near<'_>,
    landmarks: &mut Landmarks,
    heed: &mut Heed<'_>,
) -> io::Result<()> {
    let mut locator = Locator::with(near, mem::take(landmarks));
    heed(found, &mut locator)?;
    *landmarks = locator.into_landmarks();
    Ok(())
}

/// Reads and parses in another thread what is judged in this one, as far as it goes; `heed` is called
/// there, with the findings in each block. To judge takes longer, and keeps what lasts: the first
/// thread has most memory where that is short. `false`: there is no thread to be had, and nothing has
/// been read.
fn judge_ahead(reader: &mut Reader<'_, '_>, check: &mut Check, parser: Parser) -> io::Result<bool> {
    thread::scope(|scope| {
        let (full, blocks) = mpsc::channel();
        let (judged, used) = mpsc::channel();
        let (lend, lent) = mpsc::channel();
        let read = move || match lent.recv() {
            Ok(parser) => reader.read(parser, full, used),
            Err(_) => Ok(Parser::default()),
        };
        let Ok(reader) = thread::Builder::new().spawn_scoped(scope, read) else {
            check.take_back(parser);
            return Ok(false);
        };
        // It waits for it.
        _ = lend.send(parser);
        for (mut block, mut found) in blocks {
            check.judge(&mut block);
            // What was found before, and has been seen. Memory is given back in the thread that took
            // it, or the threads would wait for each other.
            found.clear();
            found.extend(check.drain());
            if judged.send((block, found)).is_err() || check.is_over() {
                break;
            }
        }
        drop(judged);
        let parser = reader.join().unwrap_or_else(|cause| panic::resume_unwind(cause))?;
        check.take_back(parser);
        Ok(true)
    })
}

/// What goes from thread to thread: a block, and what was found in it, or in the one before it.
type Load = (Block, Vec<Diagnostic>);

/// Reads ahead of what is judged in another thread.
struct Reader<'r, 'h> {
    transcript: &'r mut Transcript,
    progress: &'r Progress,
    heed: &'r mut Heed<'h>,
    landmarks: &'r mut Landmarks,
    /// Blocks that are here, with nothing in them.
    spare: Vec<Load>,
    /// How many there are in all.
    blocks: usize,
}

impl<'r, 'h> Reader<'r, 'h> {
    fn new(
        transcript: &'r mut Transcript,
        progress: &'r Progress,
        heed: &'r mut Heed<'h>,
        landmarks: &'r mut Landmarks,
    ) -> Self {
        let blocks = *BLOCKS.start();
        let mut spare = Vec::new();
        spare.resize_with(blocks, Load::default);
        Self { transcript, progress, heed, landmarks, spare, blocks }
    }

    /// Reads to the end, or until nobody takes the blocks any more, or until a line is too long.
    fn read(
        &mut self,
        mut parser: Parser,
        full: Sender<Load>,
        used: Receiver<Load>,
    ) -> io::Result<Parser> {
        loop {
            // Where a line is long, nothing else is kept.
            let is_long = parser.rest().len() > LONG;
            if self.spare.len() < if is_long { self.blocks } else { 1 } {
                let Ok(judged) = used.recv() else { break };
                self.take_back(judged)?;
                continue;
            }
            let Some((mut block, found)) = self.spare.pop() else { break };
            if parser.cut(&mut block) {
                if full.send((block, found)).is_err() {
                    break;
                }
                continue;
            }
            self.spare.push((block, found));
            if parser.is_stuck() {
                break;
            }
            let count = self.transcript.read(parser.room(BLOCK))?;
            if count == 0 {
                break;
            }
            parser.advance(count);
        }
        drop(full);
        used.into_iter().try_for_each(|judged| self.take_back(judged))?;
        Ok(parser)
    }

    /// Takes a block back, and heeds what was found in it.
    fn take_back(&mut self, (mut block, mut found): Load) -> io::Result<()> {
        let is_much = found.len() > MANY;
        let mut near = Near { block: &block, others: self.transcript };
        tell(&mut found, &mut near, self.landmarks, self.heed)?;
        self.progress.advance(block.len());
        block.clear();
        if !is_much {
            self.spare.push((block, found));
            if self.blocks < *BLOCKS.end() {
                self.blocks += 1;
                self.spare.push(Load::default());
            }
        } else if self.blocks > *BLOCKS.start() {
            self.blocks -= 1;
        } else {
            self.spare.push((block, Vec::new()));
        }
        Ok(())
    }
}

/// A transcript, and those lines of it that are in memory because they have just been judged.
struct Near<'b> {
    block: &'b Block,
    others: &'b mut dyn Reread,
}

impl Reread for Near<'_> {
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.others.read_at(at, buffer)
    }

    fn held(&self, at: u64) -> &[u8] {
        match self.block.held(at) {
            [] => self.others.held(at),
            bytes => bytes,
        }
    }
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
