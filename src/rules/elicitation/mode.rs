//! The modes in which an agent may ask.

/// The client's capability for a mode; `None` for modes that the protocol does not define.
pub(super) fn capability(mode: &str) -> Option<&'static str> {
    match mode {
        "form" => Some("elicitation.form"),
        "url" => Some("elicitation.url"),
        _ => None,
    }
}
