//! What the user has pinned about a connection, such as its version, and what is known of the
//! recording, such as what the recorder changes.

use crate::{
    protocol::{Edition, Surface},
    transcript::RecordingTraits,
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
    /// What the recorder does to the messages.
    pub recording: RecordingTraits,
}
