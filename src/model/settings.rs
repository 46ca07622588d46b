//! What the user has set about a connection, such as its version, and what the recorder does.

use crate::{
    protocol::{Edition, Surface},
    transcript::RecordingTraits,
};

/// What determines how a connection is judged, apart from its messages.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// The surface that the user pins. `None`: the surface of the negotiated version; drafts are
    /// judged by the unstable schema and reported once.
    pub surface: Option<Surface>,
    /// The edition that the user pins. `None`: the current one, lenient where a peer may follow the
    /// one before.
    pub edition: Option<Edition>,
    /// Whether the beginning is on record. `None`: the first message decides.
    pub head: Option<bool>,
    /// Whether the end is on record. `None`: the last messages decide.
    pub tail: Option<bool>,
    /// What the recorder does to the messages.
    pub recording: RecordingTraits,
}
