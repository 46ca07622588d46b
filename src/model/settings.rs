//! What the user has pinned about a connection, such as its version, and what is known of the
//! recording, such as what the recorder changes.

use crate::{
    protocol::{Edition, Side, Surface, Version},
    transcript::Extent,
};

/// How the connection is judged, as far as it does not follow from its messages.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// `None`: the negotiated version; drafts are judged by the unstable schema and named once.
    pub surface: Option<Surface>,
    /// `None`: the current one, lenient where a peer may honestly be a little older.
    pub edition: Option<Edition>,
    /// Whether the beginning is on record; `None`: as the first message tells.
    pub head: Option<bool>,
    /// Whether the end is on record; `None`: as the last messages tell.
    pub tail: Option<bool>,
    /// The version that the messages look like when no `initialize` tells.
    pub apparent: Option<Version>,
    pub recording: Recording,
}

/// What the recorder has done to the messages, by a sample of them: it is not their senders' fault.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Recording {
    /// It leaves the member `jsonrpc` out of every message.
    pub strips_jsonrpc: bool,
    /// Members that it adds to every message.
    pub adds: Vec<Box<str>>,
    /// It keeps the lines as they crossed the wire: what is no message can show in it.
    pub is_raw: bool,
    /// It puts words such as `<REDACTED>` in place of some values.
    pub masks: bool,
    /// Such words are seen in it, so that `~` may stand for somebody's home.
    pub is_masked: bool,
    pub extent: Extent,
    /// It never has the answers of this side.
    pub no_answers_of: Option<Side>,
    /// It has the messages of this side alone.
    pub only: Option<Side>,
}
