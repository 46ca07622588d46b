//! Which content an agent has to accept.

/// What an agent needs to have advertised before it has to accept a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    Capability(&'static str),
    /// The protocol does not define the type.
    Unknown,
}

/// What blocks of this type need.
pub(super) fn need(kind: &str) -> Need {
    match kind {
        "text" | "resource_link" => Need::Nothing,
        "image" => Need::Capability("session.prompt.image"),
        "audio" => Need::Capability("session.prompt.audio"),
        "resource" => Need::Capability("session.prompt.embeddedContext"),
        _ => Need::Unknown,
    }
}
