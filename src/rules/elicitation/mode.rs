//! The capabilities for the modes of elicitation.

/// Path of the client's capability for a mode of elicitations; `None` for a mode that the protocol
/// does not define.
pub(super) fn capability(mode: &str) -> Option<&'static str> {
    match mode {
        "form" => Some("elicitation.form"),
        "url" => Some("elicitation.url"),
        _ => None,
    }
}
