//! The capability `cancel` of a tool call or terminal, on version 2, and its use.

use crate::{
    json::Node,
    model::anchor::{Anchor, Pointer},
};

/// The capability `cancel` of one tool call or terminal, and its use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cancellation {
    /// The update that offered it; `None` while it is not offered.
    pub offered: Option<Anchor>,
    /// Number of the last message that offered or withdrew it.
    pub changed: u64,
    /// Seconds on the recorder's clock of that message.
    pub changed_at: Option<f64>,
    /// Whether the client has asked to cancel it.
    pub asked: bool,
    /// The answer that accepted a cancellation.
    pub accepted: Option<Anchor>,
}

impl Cancellation {
    /// Never offered.
    pub(super) const NONE: Self =
        Self { offered: None, changed: 0, changed_at: None, asked: false, accepted: None };

    /// Applies an update of the tool call or terminal. Absent and malformed capabilities change
    /// nothing.
    pub(super) fn apply(&mut self, update: Node<'_>, number: u64, time: Option<f64>) {
        self.apply_at(update, Pointer::ParamsUpdateCapabilities, number, time);
    }

    /// Applies an update of the tool call or terminal whose members stand at `pointer`.
    pub(super) fn apply_at(
        &mut self,
        update: Node<'_>,
        pointer: Pointer,
        number: u64,
        time: Option<f64>,
    ) {
        let Some(capabilities) = update.get("capabilities") else { return };
        if !capabilities.is_object() && !capabilities.is_null() {
            return;
        }
        let is_offered = offers(capabilities);
        if is_offered != self.offered.is_some() {
            self.changed = number;
            self.changed_at = time;
            let at = || Anchor::of(capabilities, pointer);
            self.offered = is_offered.then(at);
        }
    }
}

/// Whether a `capabilities` member offers to cancel.
pub fn offers(capabilities: Node<'_>) -> bool {
    capabilities.get("cancel").is_some_and(Node::is_object)
}
