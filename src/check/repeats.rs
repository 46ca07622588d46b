//! Skips the rules for a chunk of text that differs from the chunk before it in its text alone.
//!
//! A streaming agent sends thousands of them in a row. When rules had no finding about two such chunks,
//! they have none about the next: their verdicts on the last one are counted once more. The model takes
//! every chunk.
//!
//! This exists for speed alone. BARTEXT To remove it, delete this module and the calls of
//! [`Repeats`] and `begin_message`.

use crate::{json::Node, protocol::Side, transcript::RecordedMessage};

/// The updates that are chunks of text.
const CHUNKS: [&str; 2] = ["agent_message_chunk", "agent_thought_chunk"];

/// The chunks in a row that differ in their text alone.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    /// The last one; empty where the last message was another one.
    last: String,
    /// Who sent it, as the recorder says.
    sender: Option<Side>,
    /// The number of bytes before and after its text.
    around: (usize, usize),
    /// How many of them the rules have run for, without a finding.
    judged: u32,
}

impl Repeats {
    /// Takes the next message. Returns whether the rules need not run for it.
    pub(super) fn take(&mut self, message: &RecordedMessage<'_>) -> bool {
        let raw = message.node.raw();
        if self.sender == message.sender && self.is_like_last(raw) {
            return self.judged >= 2;
        }
        self.clear();
        if let Some(around) = around_text(message.node) {
            self.last.push_str(raw);
            (self.sender, self.around) = (message.sender, around);
        }
        false
    }

    /// The rules have run for the message that was taken last. `is_clean`: without a finding.
    pub(super) fn record(&mut self, is_clean: bool) {
        if is_clean {
            self.judged += 1;
        } else {
            self.clear();
        }
    }

    /// Ends the row: something else stands between.
    pub(super) fn clear(&mut self) {
        self.last.clear();
        self.judged = 0;
    }

    fn is_like_last(&self, raw: &str) -> bool {
        let (before, after) = self.around;
        let (raw, last) = (raw.as_bytes(), self.last.as_bytes());
        if last.is_empty() || raw.len() <= before + after {
            return false;
        }
        let (head, rest) = raw.split_at(before);
        let (text, tail) = rest.split_at(rest.len() - after);
        head == &last[..before]
            && tail == &last[last.len() - after..]
            && memchr::memchr2(b'"', b'\\', text).is_none()
    }
}

/// The number of bytes before and after the text of a chunk, without its quotes. `None` for other
/// messages, and for a text that is empty or has escapes.
fn around_text(message: Node<'_>) -> Option<(usize, usize)> {
    let update = message.path(&["params", "update"])?;
    let kind = update.get("sessionUpdate")?;
    if !CHUNKS.iter().any(|chunk| kind.is(chunk)) {
        return None;
    }
    let text = update.path(&["content", "text"]).filter(|text| text.is_string())?;
    let inner = text.raw().len().checked_sub(2).filter(|length| *length > 0)?;
    if memchr::memchr(b'\\', text.raw().as_bytes()).is_some() {
        return None;
    }
    let before = text.range().start - message.range().start + 1;
    Some((before, message.raw().len() - before - inner))
}
