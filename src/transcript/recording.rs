//! What a recorder does to all messages of a file.

use crate::{
    protocol::{Side, Version},
    transcript::{format::Extent, limits::Limit},
};

/// What the beginning of a transcript tells of the whole: what the messages look like, and what the
/// recorder has done to them, which is not their senders' fault.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct RecordingTraits {
    /// The version that the messages look like, for connections without `initialize`. `None` as long
    /// as no message has been looked at.
    pub apparent: Option<Version>,
    /// The first messages of a connection may stand under the name of another connection.
    pub scatters: bool,
    /// It leaves the member `jsonrpc` out of every message.
    pub strips_jsonrpc: bool,
    /// Members that it adds to every message.
    pub adds: Vec<Box<str>>,
    /// It keeps the lines as they crossed the wire: what is not a message can show in it.
    pub is_raw: bool,
    /// It puts words such as `<REDACTED>` in place of some values.
    pub masks: bool,
    /// Such words are seen in it, so that `~` may stand for somebody's home.
    pub is_masked: bool,
    /// It has messages of several connections that take turns, and nothing tells them apart.
    pub is_mixed: bool,
    pub extent: Extent,
    /// It never has the answers of this side.
    pub no_answers_of: Option<Side>,
    /// It has the messages of this side alone.
    pub only: Option<Side>,
    /// Whether requests of that side find answers all the same, so that others may have written the
    /// answers that tell of one side.
    pub is_only_doubtful: bool,
    /// Messages at the beginning of the file whose labels contradict their methods, though the side
    /// that they are taken for has others of its own.
    pub mislabelled: u64,
    /// Messages at the beginning of the file that only the reader of another format finds, since their
    /// lines look like those of another recorder. One of the two logs is not the recorder's.
    pub contested: u64,
    /// What else it drops, rewrites or cuts off.
    pub limits: Vec<Limit>,
}
