//! Frames what crosses a connection as the lines of an `acpcheck-record` file.
//!
//! Chunks of bytes go in, cut anywhere, each with its sender; the lines of the file go to a writer.
//! Both byte streams can be made again from them. Nothing here opens a file, starts a process, or
//! forwards a byte: see `cli::record`. The format is described in `schema/record.schema.json`.
//!
//! ```text
//! chunks ─▶ take ─▶ {"t":0.004178,"dir":"c2a","msg":{"jsonrpc":"2.0",…}}
//! end    ─▶         {"t":3.526931,"dir":"a2c","event":"eof"}
//! ```
//!
//! The form of a line depends on whether it is JSON, and to know that takes longer the longer it is. Who
//! forwards the bytes need not wait for it: [`Recording::take_ahead`] leaves a long line open, with all
//! of its bytes in the file, and [`Recording::settle`] ends it.

use std::{
    io::{self, Write},
    mem,
    time::Duration,
};

use base64::{engine::general_purpose::STANDARD, write::EncoderWriter};
use serde::de::IgnoredAny;

use crate::protocol::Side;

/// Most bytes of a line of a connection that are recorded. Of a longer line, only the number of
/// bytes is.
pub const LONGEST_LINE: usize = 256 << 20;
/// The longest line that is parsed at once, in bytes: that takes no longer than to write once more.
const SHORT: usize = 1 << 10;
/// How much memory is kept for the next line, in bytes.
const KEPT: usize = 1 << 20;
const TOO_LONG: &str = "a line longer than 256 MiB";

/// How one direction of a recorded connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The sender has closed its stream: the end of its bytes was read.
    Eof,
    /// The receiver has closed its stream, so that further bytes cannot be passed on.
    ReaderGone,
}

/// Turns the bytes of a connection into the lines of a recording in acpcheck's own format. Output
/// goes to a writer that the caller gives.
#[derive(Debug)]
pub struct Recording {
    /// The state of each direction: index 0 for what the client sends, 1 for the agent.
    directions: [Direction; 2],
    /// The last line, if it is not ended yet.
    open: Option<OpenLine>,
}

/// A line that is in the file but for its end, which depends on whether it is JSON.
#[derive(Debug)]
struct OpenLine {
    sender: Side,
    at: Duration,
    /// The line as it was sent, without its line feed.
    bytes: Vec<u8>,
}

/// What the first line of a recording says about the run of `drive` or `play` that made it.
#[derive(Clone, Copy, Debug)]
pub struct Driven<'a> {
    /// The random number of the run, 16 hexadecimal digits, which all its recordings have.
    pub run: &'a str,
    pub scenario: &'a str,
    /// The number of the agent's process in the scenario, from 1.
    pub process: u32,
    /// The side that acpcheck plays, which is not judged.
    pub plays: Side,
    /// Whether the agent may end at any time, because the scenario sends it broken input.
    pub ends_anywhere: bool,
    /// The scenarios that the run does not play, each with the reason. Only in the first recording
    /// of a run; empty in others.
    pub left_out: &'a [(&'a str, String)],
}

/// What is known of one direction of a connection between two calls.
#[derive(Debug, Default)]
struct Direction {
    /// The beginning of a line whose end has not come yet.
    unfinished: Vec<u8>,
    /// The number of bytes so far of an unfinished line that is too long to be kept; 0 otherwise.
    dropped: u64,
    has_ended: bool,
    /// Most bytes of a line that are kept; of a longer line, only the number of bytes is recorded.
    longest: usize,
}

/// A line that a side has sent, or the beginning of one that was never finished.
#[derive(Clone, Copy, Debug)]
struct Line<'b> {
    bytes: &'b [u8],
    /// How the line ends: `\n` or `\r\n`; empty for an unfinished line.
    eol: &'static str,
}

impl Default for Recording {
    fn default() -> Self {
        Self::with_longest_line(LONGEST_LINE)
    }
}

impl Recording {
    /// An empty recording. Of a line with more than `longest` bytes, only the number of its bytes
    /// is recorded.
    pub fn with_longest_line(longest: usize) -> Self {
        let direction = || Direction { longest, ..Direction::default() };
        Self { directions: [direction(), direction()], open: None }
    }

    /// Writes the first line of a recording. `at` is the time in RFC 3339; `arguments` is the
    /// number of the agent's arguments, whose texts may be secret. `driven` is given when acpcheck
    /// plays a side.
    pub fn start(
        at: &str,
        agent: &str,
        arguments: usize,
        driven: Option<&Driven<'_>>,
        mut out: impl Write,
    ) -> io::Result<()> {
        let tool = concat!("acpcheck ", env!("CARGO_PKG_VERSION"));
        let head = r#"{"type":"start","format":"acpcheck-record","version":1,"at":"#;
        out.write_all(head.as_bytes())?;
        serde_json::to_writer(&mut out, at)?;
        write!(out, ",\"tool\":\"{tool}\",\"agent\":")?;
        serde_json::to_writer(&mut out, agent)?;
        write!(out, ",\"arguments\":{arguments}")?;
        if let Some(Driven { run, scenario, process, plays, ends_anywhere, left_out }) = driven {
            out.write_all(b",\"driven\":{\"run\":")?;
            serde_json::to_writer(&mut out, run)?;
            out.write_all(b",\"scenario\":")?;
            serde_json::to_writer(&mut out, scenario)?;
            write!(out, ",\"process\":{process},\"plays\":\"{plays}\"")?;
            for (index, (scenario, why)) in left_out.iter().enumerate() {
                let before = if index == 0 { ",\"left_out\":[" } else { "," };
                write!(out, "{before}{{\"scenario\":")?;
                serde_json::to_writer(&mut out, scenario)?;
                out.write_all(b",\"why\":")?;
                serde_json::to_writer(&mut out, why)?;
                out.write_all(b"}")?;
            }
            out.write_all(if left_out.is_empty() { b"}" } else { b"]}" })?;
            if *ends_anywhere {
                out.write_all(b",\"ends\":\"anywhere\"")?;
            }
        }
        out.write_all(b"}\n")
    }

    /// Records bytes that a side has sent: writes each line that they complete to `out`, and keeps
    /// the rest. `at` is the time since the first line. Bytes after the end of the direction are
    /// ignored.
    pub fn take(
        &mut self,
        sender: Side,
        chunk: &[u8],
        at: Duration,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let direction = &mut self.directions[sender as usize];
        if direction.has_ended {
            return Ok(());
        }
        let mut rest = chunk;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            direction.line(&rest[..end], sender, at, out)?;
            rest = &rest[end + 1..];
        }
        direction.keep(rest);
        Ok(())
    }

    /// Writes lines as [`Recording::take`] does, but for a long one: it is left open, and is then all that
    /// is written. Returns how many bytes of the chunk were taken.
    pub fn take_ahead(
        &mut self,
        sender: Side,
        chunk: &[u8],
        at: Duration,
        out: &mut impl Write,
    ) -> io::Result<usize> {
        let direction = &mut self.directions[sender as usize];
        if direction.has_ended {
            return Ok(chunk.len());
        }
        let mut taken = 0;
        while let Some(length) = memchr::memchr(b'\n', &chunk[taken..]) {
            let line = &chunk[taken..taken + length];
            let end = taken + length + 1;
            if direction.unfinished.len() + length <= SHORT {
                direction.line(line, sender, at, out)?;
            } else if taken == 0 {
                self.open = direction.long_line(line, sender, at, out)?;
                return Ok(end);
            } else {
                return Ok(taken);
            }
            taken = end;
        }
        direction.keep(&chunk[taken..]);
        Ok(chunk.len())
    }

    /// Who has sent the line that is left open, and how many bytes it has.
    pub fn open_line(&self) -> Option<(Side, u64)> {
        self.open.as_ref().map(|open| (open.sender, open.bytes.len() as u64 + 1))
    }

    /// Ends the line that is left open, if there is one. `undo` removes it from the file: it is no JSON,
    /// and is written in another form.
    pub fn settle<W: Write>(
        &mut self,
        out: &mut W,
        undo: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        let Some(OpenLine { sender, at, bytes }) = self.open.take() else { return Ok(()) };
        if std::str::from_utf8(&bytes).is_ok_and(is_json) {
            return out.write_all(b"}\n");
        }
        undo(out)?;
        Line::ended(&bytes).write(sender, at, out)
    }

    /// Writes an unfinished line, and that the direction has ended. The first end of a direction
    /// counts.
    pub fn end(
        &mut self,
        sender: Side,
        end: End,
        at: Duration,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let direction = &mut self.directions[sender as usize];
        if mem::replace(&mut direction.has_ended, true) {
            return Ok(());
        }
        let unfinished = mem::take(&mut direction.unfinished);
        if direction.dropped > 0 {
            gap(sender, direction.dropped, TOO_LONG, at, out)?;
        } else if !unfinished.is_empty() {
            Line { bytes: &unfinished, eol: "" }.write(sender, at, out)?;
        }
        head(sender, at, out)?;
        let event = match end {
            End::Eof => "eof",
            End::ReaderGone => "reader-gone",
        };
        writeln!(out, ",\"event\":\"{event}\"}}")
    }

    /// Whether the direction in which this side sends has ended.
    pub fn has_ended(&self, sender: Side) -> bool {
        self.directions[sender as usize].has_ended
    }

    /// Whether both directions have ended, so that the recording is complete.
    pub fn is_whole(&self) -> bool {
        self.directions.iter().all(|direction| direction.has_ended)
    }
}

impl Direction {
    /// Writes the line of which `bytes` are the end, without its line feed, to `out`.
    fn line(
        &mut self,
        bytes: &[u8],
        sender: Side,
        at: Duration,
        out: &mut impl Write,
    ) -> io::Result<()> {
        if self.unfinished.is_empty() && self.dropped == 0 && bytes.len() <= self.longest {
            return Line::ended(bytes).write(sender, at, out);
        }
        self.keep(bytes);
        if self.dropped > 0 {
            let dropped = mem::take(&mut self.dropped) + 1;
            return gap(sender, dropped, TOO_LONG, at, out);
        }
        let written = Line::ended(&self.unfinished).write(sender, at, out);
        self.unfinished.clear();
        self.unfinished.shrink_to(KEPT);
        written
    }

    /// Writes the long line that ends with these bytes. Returns it if it is left open.
    fn long_line(
        &mut self,
        bytes: &[u8],
        sender: Side,
        at: Duration,
        out: &mut impl Write,
    ) -> io::Result<Option<OpenLine>> {
        self.keep(bytes);
        if self.dropped > 0 {
            return self.line(b"", sender, at, out).map(|()| None);
        }
        let bytes = mem::take(&mut self.unfinished);
        let line = Line::ended(&bytes);
        // A line that is not a message is seldom long; its first characters show that it is not JSON.
        if !(line.bytes.starts_with(b"{") && line.bytes.ends_with(b"}"))
            || std::str::from_utf8(line.bytes).is_err()
        {
            return line.write(sender, at, out).map(|()| None);
        }
        head(sender, at, out)?;
        line.write_message(out)?;
        Ok(Some(OpenLine { sender, at, bytes }))
    }

    /// Keeps a part of a line, unless the line is too long.
    fn keep(&mut self, bytes: &[u8]) {
        if self.dropped > 0 {
            self.dropped += bytes.len() as u64;
        } else if self.unfinished.len() + bytes.len() > self.longest {
            self.dropped = (self.unfinished.len() + bytes.len()) as u64;
            self.unfinished = Vec::new();
        } else {
            self.unfinished.extend_from_slice(bytes);
        }
    }
}

impl<'b> Line<'b> {
    /// A finished line. `bytes` are those before its line feed.
    fn ended(bytes: &'b [u8]) -> Self {
        match bytes.strip_suffix(b"\r") {
            Some(bytes) => Self { bytes, eol: "\r\n" },
            None => Self { bytes, eol: "\n" },
        }
    }

    /// The member that says what ends the line; empty where that is a line feed.
    fn eol_member(self) -> &'static str {
        match self.eol {
            "\n" => "",
            "\r\n" => r#","eol":"\r\n""#,
            _ => r#","eol":"""#,
        }
    }

    /// Writes the member that has the line as it is.
    fn write_message(self, out: &mut impl Write) -> io::Result<()> {
        write!(out, "{},\"msg\":", self.eol_member())?;
        out.write_all(self.bytes)
    }

    fn write(self, sender: Side, at: Duration, out: &mut impl Write) -> io::Result<()> {
        let Self { bytes, .. } = self;
        let eol = self.eol_member();
        head(sender, at, out)?;
        match std::str::from_utf8(bytes) {
            Ok(text) if is_json(text) => self.write_message(out)?,
            Ok(text) => {
                out.write_all(b",\"text\":")?;
                serde_json::to_writer(&mut *out, text)?;
                out.write_all(eol.as_bytes())?;
            }
            Err(_) => {
                out.write_all(b",\"base64\":\"")?;
                let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
                encoder.write_all(bytes)?;
                encoder.finish()?;
                drop(encoder);
                write!(out, "\"{eol}")?;
            }
        }
        out.write_all(b"}\n")
    }
}

/// Whether a text is JSON that every reader can decode, so that it can be recorded as JSON. Parses
/// without memory for the values.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok() && !has_lone_surrogate(text)
}

/// Whether a JSON text has a `\u` escape for half of a UTF-16 pair without the other half, which
/// many readers refuse.
fn has_lone_surrogate(text: &str) -> bool {
    // Texts with many other escapes are common, such as source code.
    if memchr::memmem::find(text.as_bytes(), br"\u").is_none() {
        return false;
    }
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    while let Some(offset) = memchr::memchr(b'\\', &text.as_bytes()[at..]) {
        at += offset;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => return true,
            (Some(_), _) => 6,
            (None, _) => 2,
        };
    }
    false
}

/// Writes the beginning of a line in a recording: its time and the direction.
fn head(sender: Side, at: Duration, out: &mut impl Write) -> io::Result<()> {
    write!(out, "{{\"t\":{},\"dir\":\"{}\"", Seconds(at), sender.direction())
}

/// Writes a line that says that `bytes` bytes of this side were forwarded but not recorded, and
/// why.
pub fn gap(
    sender: Side,
    bytes: u64,
    why: &str,
    at: Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    head(sender, at, out)?;
    write!(out, ",\"gap\":{{\"bytes\":{bytes},\"why\":")?;
    serde_json::to_writer(&mut *out, why)?;
    out.write_all(b"}}\n")
}

/// Writes a line that says that the agent could not be started. `status` is the exit status of
/// `record`.
pub fn not_started(status: u8, at: Duration, out: &mut impl Write) -> io::Result<()> {
    let at = Seconds(at);
    writeln!(out, "{{\"t\":{at},\"event\":\"not-started\",\"status\":{status}}}")
}

/// Writes a line with the name and final state of a scenario. `step` is the text beside the state
/// in the table of `drive`; it is left out when empty.
pub fn scenario(
    name: &str,
    state: &str,
    step: &str,
    at: Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    write!(out, "{{\"t\":{},\"event\":\"scenario\",\"name\":", Seconds(at))?;
    serde_json::to_writer(&mut *out, name)?;
    out.write_all(b",\"state\":")?;
    serde_json::to_writer(&mut *out, state)?;
    if !step.is_empty() {
        out.write_all(b",\"step\":")?;
        serde_json::to_writer(&mut *out, step)?;
    }
    out.write_all(b"}\n")
}

/// A time that is written in seconds with six decimals.
struct Seconds(Duration);

impl std::fmt::Display for Seconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:06}", self.0.as_secs(), self.0.subsec_micros())
    }
}
