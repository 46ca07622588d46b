//! What the user has set about a connection, such as its version, and what the recorder does.

use crate::{
    protocol::{Edition, Surface},
    transcript::RecordingTraits,
};

/// What decides how a connection is judged besides its messages: the user's choices, and what is
/// known of the recorder.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// The surface (version, with or without drafts) that the user has chosen. `None` for that of
    /// the negotiated version, with drafts judged by the unstable schema and reported once.
    pub surface: Option<Surface>,
    /// The edition of the schemas that the user has chosen. `None`: the current one, lenient where
    /// a peer may follow the one before.
    pub edition: Option<Edition>,
    /// Whether the beginning of the connection is on record. `None`: the first message decides.
    pub head: Option<bool>,
    /// Whether the end of the connection is on record. `None`: the last messages decide.
    pub tail: Option<bool>,
    /// What the recorder does to messages: members it drops or adds, words it masks, sides it
    /// leaves out.
    pub recording: RecordingTraits,
}
