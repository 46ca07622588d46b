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

/// How many bytes at the beginning of a file are examined to recognize its format and the
/// recorder's habits: the whole lines within them, and at least one line.
const BEGINNING: usize = 256 * 1024;
/// Most lines at the beginning of a file that are examined for that. Each costs microseconds, and the
/// shortest ones tell the least.
const BEGINNING_LINES: usize = 16 * 1024;
/// Most bytes of a line. Reading stops at a longer one, so that a peer that never ends a line
/// cannot fill the memory.
const LONGEST_LINE: usize = 128 << 20;
/// Most bytes of a file in a format that is read as a whole instead of line by line. A larger file
/// is not read.
const LARGEST_DOCUMENT: usize = 1 << 30;
/// Most bytes of a file that are handled at a time; after each such part, the length of unfinished
/// lines is checked.
const PIECE: usize = 128 * 1024;
/// Memory in bytes that the buffer for unfinished lines keeps after a line ends. A buffer that grew
/// beyond this for a long line is shrunk.
const KEPT: usize = 1 << 20;

/// Reads a transcript: bytes go in, [`Passage`]s come out.
///
/// It does no I/O and never fails. What it hands on depends on the bytes alone, not on the blocks
/// in which they come.
#[derive(Debug, Default)]
pub struct Reader {
    /// The format that the user or caller has named; `None` to recognize the format by the
    /// beginning of the file.
    chosen: Option<&'static Format>,
    /// Bytes that cannot be read yet: the file's beginning until the format is known, an unfinished
    /// line, or all of a file that is read as a whole.
    waiting: Vec<u8>,
    /// How many bytes behind the first [`BEGINNING`] were searched for a line break without
    /// success, so that they are not searched again.
    searched: usize,
    /// The reader of lines; `None` until the format is known.
    by_line: Option<LineReader>,
    refusal: Option<String>,
    /// What a file that is not ACP traffic seems to be, for [`Remarks::unread_form`].
    unread_form: Option<&'static str>,
    is_over: bool,
    /// Whether the first line alone decides the format and habits, so that no line of a live
    /// connection has to wait.
    is_live: bool,
}

/// What a reader has to say about a transcript after its end, for messages to the user.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// The name of the format as which the transcript was read; `None` when it ended before the
    /// format was known, such as an empty file.
    pub format: Option<&'static str>,
    /// Why the transcript, or its rest, was not read; a sentence without a full stop. `None` when
    /// all was read.
    pub refusal: Option<String>,
    /// What the recorder has changed in the messages, such as leaving out members; sentences
    /// without a full stop.
    pub notes: Vec<String>,
    /// What to say if the transcript had no message, by its format; a sentence without a full stop.
    pub silence: Option<&'static str>,
    /// What a transcript without messages seems to be instead; a sentence without a full stop.
    /// `None` when that is unknown.
    pub unread_form: Option<&'static str>,
    /// How many messages may be in the transcript that could not be read, such as lines that are
    /// cut off.
    pub unread: u64,
}

impl Reader {
    /// A reader for a file. `chosen` is the format; `None` to recognize it by the beginning of the
    /// file.
    pub fn new(chosen: Option<&'static Format>) -> Self {
        Self { chosen, ..Self::default() }
    }

    /// A reader for a live connection, which recognizes the format by the first line and hands on
    /// each line at once.
    pub fn live(chosen: Option<&'static Format>) -> Self {
        Self { is_live: true, ..Self::new(chosen) }
    }

    /// Whether reading has stopped, because a line or the file is too long; further bytes are
    /// ignored.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Reads further bytes of the transcript, and calls `on` for each item (a message, a faulty
    /// line or a remark) that they complete.
    pub fn feed(&mut self, bytes: &[u8], on: &mut impl FnMut(Passage<'_>)) {
        for piece in bytes.chunks(PIECE) {
            self.take(piece, false, on);
        }
    }

    /// Reads further bytes: recognizes the format, then reads lines. `is_last` says that the file
    /// ends after them.
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
                Some(end) => self.begin(end, is_last && end == self.waiting.len(), on),
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

    /// Reads the lines that these bytes complete, and keeps an unfinished one.
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

    /// Stops reading if the unfinished line, or the file that is read as a whole, is too long.
    fn check_length(&mut self, on: OnPassage<'_>) {
        let most = if self.is_whole() { LARGEST_DOCUMENT } else { LONGEST_LINE };
        if self.waiting.len() > most {
            self.stop(on);
        }
    }

    /// Stops reading, because the unfinished line or the file is too long, and says so in
    /// `refusal`.
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

    /// Reads what remains at the end of the file, and returns what there is to say about the
    /// transcript.
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

    /// Reads the last line, which has no line break, or the whole file if its format is read as a
    /// whole.
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

    /// Whether the format is read as a whole, so that all bytes are kept until the end of the file.
    fn is_whole(&self) -> bool {
        let read = self.by_line.as_ref().map(|reader| reader.format().read);
        matches!(read, Some(Read::Document(_) | Read::Text(_)))
    }

    /// The length in bytes of the beginning by which the format is recognized: [`BEGINNING_LINES`]
    /// lines, or up to the last line break within [`BEGINNING`], else the first one behind it. `None`
    /// when more bytes are needed. `is_last` says that none follow.
    fn beginning_end(&mut self, is_last: bool) -> Option<usize> {
        let most = if self.is_live { 0 } else { BEGINNING };
        let beginning = &self.waiting[..most.min(self.waiting.len())];
        if let Some(last) = memchr::memchr_iter(b'\n', beginning).nth(BEGINNING_LINES - 1) {
            return Some(last + 1);
        }
        if is_last {
            return Some(self.waiting.len());
        }
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

    /// Recognizes the format by the first `len` bytes that wait. `is_whole` says that they are the
    /// whole file.
    fn begin(&mut self, len: usize, is_whole: bool, on: OnPassage<'_>) {
        let beginning = &self.waiting[..len];
        self.unread_form = unread_form::of(beginning);
        let detected = Detected::of(beginning, is_whole, self.chosen);
        self.by_line = Some(LineReader::new(beginning, detected, on));
    }
}
