//! What a recorder does to all messages of a file.

use crate::{
    protocol::{Side, Version},
    transcript::{format::Extent, limits::Limit},
};

/// What the beginning of a recording shows about the whole: the look of the messages, and what the
/// recorder did to them, for which their senders are not to blame.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct RecordingTraits {
    /// The version that the messages seem to speak, for connections without `initialize`. `None`
    /// until messages have been examined.
    pub apparent: Option<Version>,
    /// Whether the first messages of a connection may have the name of another connection.
    pub scatters: bool,
    /// Whether the recorder leaves the member `jsonrpc` out of every message.
    pub strips_jsonrpc: bool,
    /// Names of members that the recorder adds to every message.
    pub adds: Vec<Box<str>>,
    /// Whether the recorder keeps lines as they were sent, so that text other than messages can
    /// show.
    pub is_raw: bool,
    /// Whether messages stand on lines of their own, so that a peer may write each line, also those by
    /// which the format is recognised.
    pub is_bare: bool,
    /// Whether the recorder replaces some values by words such as `<REDACTED>`.
    pub masks: bool,
    /// Whether such words occur in the recording, so that `~` may stand for a home directory.
    pub is_masked: bool,
    /// Whether messages of several connections alternate without a name that separates them.
    pub is_mixed: bool,
    pub extent: Extent,
    /// The side whose answers are never recorded; `None` where there is none.
    pub no_answers_of: Option<Side>,
    /// The side whose messages alone are recorded; `None` where both are.
    pub only: Option<Side>,
    /// Whether `only` is in doubt, since some requests of that side seem to have answers.
    pub is_only_doubtful: bool,
    /// Number of messages at the beginning whose sender label contradicts their method, although
    /// the labelled side has other messages. They may be rightly labelled.
    pub mislabelled: u64,
    /// Number of messages at the beginning that only the reader of another format finds, because
    /// another program wrote into the same log.
    pub contested: u64,
    /// Everything that the recorder drops, rewrites or cuts off.
    pub limits: Vec<Limit>,
}

impl RecordingTraits {
    /// Whether a value may be a mask: all values are kept only by what records both directions of a
    /// connection from its beginning, byte for byte.
    pub fn may_mask(&self) -> bool {
        self.extent != Extent::Complete
    }
}
