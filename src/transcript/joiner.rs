//! Puts the lines of a log or of Markdown together that hold one message.

use crate::{
    json::Tape,
    source::Origin,
    transcript::multiline::{Depth, LineStart, OpenMessage, is_beginning},
};

/// Most bytes of lines that are joined to one message; lines of a longer message stay separate.
const LONGEST: usize = 8 * 1024 * 1024;

/// Joins lines of a log into texts: each is one line, or the lines of one message with blanks in
/// place of line breaks.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    open: Option<OpenMessage>,
}

/// Receives joined texts. Returns whether the text holds a message.
pub(super) type OnText<'a> = &'a mut dyn FnMut(&str, Origin<'_>) -> bool;

impl Joiner {
    /// Takes the next line, whose text begins `skipped` bytes after the line's start, and passes on
    /// the texts that are complete.
    pub(super) fn line(&mut self, body: &str, at: LineStart, skipped: usize, on: OnText<'_>) {
        if let Some(mut open) = self.open.take() {
            let fits = open.len_with(body, at, skipped).is_some_and(|len| len <= LONGEST);
            if fits && goes_on(body) {
                open.push(body, at, skipped);
                if !open.is_closed() {
                    self.open = Some(open);
                } else if !on(&open.text, open.origin()) {
                    each_line(&open, on);
                }
                return;
            }
            each_line(&open, on);
        }
        match opening(body) {
            Some(start) => self.open = Some(OpenMessage::behind(body, at, skipped, start)),
            None => drop(on(body, at.origin(skipped))),
        }
    }

    /// Passes on the lines that still wait for others, at the end of the file.
    pub(super) fn end(&mut self, on: OnText<'_>) {
        if let Some(open) = self.open.take() {
            each_line(&open, on);
        }
    }

    /// All texts of a file after joining lines, to recognize the format by them.
    pub(super) fn texts(text: &str) -> Vec<String> {
        let mut texts = Vec::new();
        let mut joiner = Self::default();
        let mut keep = |text: &str, _: Origin<'_>| {
            texts.push(text.to_owned());
            true
        };
        let (mut start, mut line) = (0, 0);
        for body in text.split_inclusive('\n') {
            line += 1;
            let text = body.trim_end_matches(['\n', '\r']);
            joiner.line(text, LineStart { start, line }, 0, &mut keep);
            start += body.len() as u64;
        }
        joiner.end(&mut keep);
        texts
    }
}

/// Passes on lines one by one that do not form a message together.
fn each_line(open: &OpenMessage, on: OnText<'_>) {
    for (line, origin) in open.split() {
        on(line, origin);
    }
}

/// Byte offset on a line at which a JSON value begins that goes on to the next line; `None` without
/// one.
fn opening(body: &str) -> Option<usize> {
    /// Most opening brackets of a line at which the beginning of a value is looked for.
    const TRIES: usize = 8;
    let mut tape = Tape::default();
    let mut starts = body.match_indices(['{', '[']).map(|(start, _)| start).take(TRIES);
    starts.find(|start| {
        let rest = &body[*start..];
        !Depth::default().after(rest).is_closed()
            && tape.parse(rest).is_err_and(|fault| is_beginning(rest, fault))
    })
}

/// Whether a line may be the middle of a value that is printed over several lines. A message, or a
/// bracket at the start of a line, begins a new value.
fn goes_on(body: &str) -> bool {
    let text = body.trim();
    let is_scalar = || Tape::default().parse(text.trim_end_matches(',').trim_end()).is_ok();
    !body.starts_with('{')
        && (text.is_empty() || text.starts_with(['"', '{', '}', '[', ']', ',']) || is_scalar())
}
