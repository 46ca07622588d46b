//! Which content an agent has to accept.

/// The capability for blocks of this type, `Some(None)` where none is needed; `None` for types that
/// the protocol does not define.
pub(super) fn capability(kind: &str) -> Option<Option<&'static str>> {
    match kind {
        "text" | "resource_link" => Some(None),
        "image" => Some(Some("session.prompt.image")),
        "audio" => Some(Some("session.prompt.audio")),
        "resource" => Some(Some("session.prompt.embeddedContext")),
        _ => None,
    }
}
