//! Cuts the bytes of a transcript into lines, and has them read as the file's format says.
//!
//! Blocks of bytes go in, cut anywhere; [`Passage`]s come out, which depend on the bytes alone. The
//! beginning of the file decides the format, see [`detect`](crate::transcript::detect). From there on
//! each line goes to a [`LineReader`]; a format that is read as a whole goes to
//! [`document_reader`].

use crate::transcript::{
    Format, Passage, Read, detect::Detected, document_reader, line_reader::LineReader,
    passage::OnPassage, unread_form, unwrapper::Ending,
};

/// How much of a file's beginning decides its format and what its recorder does, in bytes. Whole
/// lines of them, and one line at least.
const BEGINNING: usize = 256 * 1024;
/// How long a line may be, in bytes. Messages are far shorter. A peer that never ends a line cannot
/// take all memory.
const LONGEST_LINE: usize = 128 << 20;
/// How large a file may be that is read as a whole, in bytes.
const LARGEST_DOCUMENT: usize = 1 << 30;
/// How many bytes are taken at a time, at most. A line that is too long is noticed within them.
const PIECE: usize = 128 * 1024;
/// How much memory is kept for the next line, in bytes.
const KEPT: usize = 1 << 20;

/// Reads a transcript: bytes go in, [`Passage`]s come out.
///
/// It does no I/O and never fails. What it hands on depends on the bytes alone, not on the blocks in
/// which they come.
#[derive(Debug, Default)]
pub struct Reader {
    /// The format, when it is known beforehand.
    chosen: Option<&'static Format>,
    /// Bytes that wait for others: the beginning of the file, a file that is read as a whole, or the
    /// beginning of a line.
    waiting: Vec<u8>,
    /// How many bytes behind [`BEGINNING`] are known to have no line break.
    searched: usize,
    /// `None` until the format is known.
    by_line: Option<LineReader>,
    refusal: Option<String>,
    /// See [`Remarks::unread_form`].
    unread_form: Option<&'static str>,
    is_over: bool,
    /// Whether the first line decides what else the beginning decides, so that no line waits.
    is_live: bool,
}

/// What is to be said about a transcript that has been read.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// The format that the transcript was read as; `None` for one that ended before the format was known,
    /// such as an empty file.
    pub format: Option<&'static str>,
    /// Why nothing, or no more, was read: a sentence without a full stop.
    pub refusal: Option<String>,
    /// What the recorder did to the messages: sentences without a full stop.
    pub notes: Vec<String>,
    /// What is to be said if nothing in it was a message: a sentence without a full stop.
    pub silence: Option<&'static str>,
    /// What it seems to be if nothing in it was a message: a sentence without a full stop.
    pub unread_form: Option<&'static str>,
    /// How many messages it may hold that were not read: lines that are cut off, and messages that
    /// stand outside of what its recorder wrote.
    pub unread: u64,
}

impl Reader {
    /// `chosen`: the format; `None` to tell it from the beginning of the file.
    pub fn new(chosen: Option<&'static Format>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// A reader that waits for no more than the first line.
    pub fn live(chosen: Option<&'static Format>) -> Self {
        Self { is_live: true, ..Self::new(chosen) }
    }

    /// Whether nothing is read any more, whatever follows: a line is too long.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Takes the next bytes, and hands what they complete to `on`.
    pub fn feed(&mut self, bytes: &[u8], on: &mut impl FnMut(Passage<'_>)) {
        for piece in bytes.chunks(PIECE) {
            self.take(piece, false, on);
        }
    }

    /// Takes the next bytes. `is_last`: the file ends behind them.
    fn take(&mut self, bytes: &[u8], is_last: bool, on: OnPassage<'_>) {
        if self.is_over {
            return;
        }
        let beginning;
        let mut bytes = bytes;
        if self.by_line.is_none() {
            self.waiting.extend_from_slice(bytes);
            match self.beginning_end(is_last) {
                Some(end) if end > LONGEST_LINE => return self.stop(on),
                Some(end) => self.begin(end, is_last, on),
                None => return self.check_length(on),
            }
            beginning = std::mem::take(&mut self.waiting);
            bytes = &beginning;
        }
        if self.is_whole() {
            self.waiting.extend_from_slice(bytes);
            self.check_length(on);
        } else {
            self.lines(bytes, on);
        }
        if is_last && !self.is_over {
            self.end(on);
        }
    }

    /// Reads the whole lines that the next bytes complete, and keeps the rest.
    fn lines(&mut self, mut bytes: &[u8], on: OnPassage<'_>) {
        let Some(reader) = self.by_line.as_mut().filter(|reader| !reader.is_over()) else { return };
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let mut line = &bytes[..end];
            if !self.waiting.is_empty() {
                self.waiting.extend_from_slice(line);
                line = &self.waiting;
            }
            if line.len() > LONGEST_LINE {
                return self.stop(on);
            }
            reader.line(line, Ending::Break, on);
            self.waiting.clear();
            self.waiting.shrink_to(KEPT);
            bytes = &bytes[end + 1..];
        }
        self.waiting.extend_from_slice(bytes);
        self.check_length(on);
    }

    /// Stops if more bytes wait than may.
    fn check_length(&mut self, on: OnPassage<'_>) {
        let most = if self.is_whole() { LARGEST_DOCUMENT } else { LONGEST_LINE };
        if self.waiting.len() > most {
            self.stop(on);
        }
    }

    /// Reads nothing any more: what waits has grown too long.
    fn stop(&mut self, on: OnPassage<'_>) {
        self.is_over = true;
        self.waiting = Vec::new();
        let too_long = if self.is_whole() {
            format!(
                "it is larger than {} MiB, the limit for formats that are read as a whole; split \
                 it into parts",
                LARGEST_DOCUMENT >> 20
            )
        } else {
            let line = self.by_line.as_ref().map_or(1, LineReader::next_line);
            let most = LONGEST_LINE >> 20;
            format!("line {line} is longer than {most} MiB; acpcheck stops reading there")
        };
        self.refusal = Some(too_long);
        on(Passage::Cut);
        if !self.is_whole()
            && let Some(reader) = &mut self.by_line
        {
            reader.end(on);
        }
    }

    /// Reads what waits, since the file has ended, and returns what is to be said about it.
    pub fn finish(mut self, on: &mut impl FnMut(Passage<'_>)) -> Remarks {
        self.take(&[], true, on);
        let format = self.by_line.as_ref().map(|reader| reader.format().name);
        let other = self.by_line.as_ref().and_then(LineReader::foreign);
        let is_other = |name: &str| format!("this looks like traffic of {name}, not of ACP");
        let refusal = self.refusal.or_else(|| other.map(is_other));
        let silence = self.by_line.as_mut().and_then(|reader| reader.unwrapper().silence());
        let unread = self.by_line.as_mut().map_or(0, |reader| reader.unwrapper().unread());
        let notes = self.by_line.map(LineReader::into_notes).unwrap_or_default();
        Remarks { format, refusal, notes, silence, unread_form: self.unread_form, unread }
    }

    /// Reads the bytes behind the last line break, or all of a file that is read as a whole.
    fn end(&mut self, on: OnPassage<'_>) {
        let Some(reader) = &mut self.by_line else { return };
        let mut rest = std::mem::take(&mut self.waiting);
        if reader.is_over() {
            rest.clear();
        }
        match reader.format().read {
            Read::Document(_) | Read::Text(_) => {
                self.refusal = document_reader::read(rest, reader.unwrapper(), on).err();
            }
            Read::Refused(reason) => self.refusal = Some(reason.to_owned()),
            Read::Values(_) | Read::Messages { .. } | Read::Lines(_) | Read::Joined(_) => {
                if !rest.is_empty() {
                    reader.last_line(rest, on);
                }
                reader.end(on);
            }
        }
    }

    /// Whether the bytes are kept until all are there.
    fn is_whole(&self) -> bool {
        let read = self.by_line.as_ref().map(|reader| reader.format().read);
        matches!(read, Some(Read::Document(_) | Read::Text(_)))
    }

    /// Where the beginning ends that decides the format: behind the last line break within
    /// [`BEGINNING`], else behind the first one at all, since half a line tells nothing. `None` as
    /// long as that is not known, or nothing stands behind it. `is_last`: no bytes follow.
    fn beginning_end(&mut self, is_last: bool) -> Option<usize> {
        if is_last {
            return Some(self.waiting.len());
        }
        let most = if self.is_live { 0 } else { BEGINNING };
        let (beginning, rest) =
            self.waiting.split_at_checked(most).filter(|(_, rest)| !rest.is_empty())?;
        if let Some(last) = memchr::memrchr(b'\n', beginning) {
            return Some(last + 1);
        }
        let known = self.searched;
        match memchr::memchr(b'\n', &rest[known..]) {
            Some(first) if known + first + 1 == rest.len() => None,
            Some(first) => Some(most + known + first + 1),
            None => {
                self.searched = rest.len();
                None
            }
        }
    }

    /// Decides the format by the first `len` bytes. `is_whole`: they are the file.
    fn begin(&mut self, len: usize, is_whole: bool, on: OnPassage<'_>) {
        let beginning = &self.waiting[..len];
        self.unread_form = unread_form::of(beginning);
        let detected = Detected::of(beginning, is_whole, self.chosen);
        self.by_line = Some(LineReader::new(beginning, detected, on));
    }
}
