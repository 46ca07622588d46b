//! The capabilities for the modes of elicitation.

/// The capability that a client advertises for a mode; `None` for a mode that the protocol does not
/// define.
pub(super) fn capability(mode: &str) -> Option<&'static str> {
    match mode {
        "form" => Some("elicitation.form"),
        "url" => Some("elicitation.url"),
        _ => None,
    }
}
