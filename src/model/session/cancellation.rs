//! The capability `cancel` of a tool call or terminal, on version 2, and its use.

use crate::{
    json::Node,
    model::anchor::{Anchor, Pointer},
};

/// Whether a tool call or terminal offers to be cancelled (`capabilities.cancel`), and how the
/// client used that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cancellation {
    /// Place of the `capabilities` that offer to cancel the tool call or terminal; `None` while it
    /// cannot be cancelled.
    pub offered: Option<Anchor>,
    /// Message number of the last update that offered or withdrew the capability to cancel; 0
    /// without one.
    pub changed: u64,
    /// Time of the last update that offered or withdrew the capability to cancel, in seconds on the
    /// recorder's clock; `None` without a time.
    pub changed_at: Option<f64>,
    /// Whether the client has asked to cancel the tool call or terminal.
    pub asked: bool,
    /// Place of the answer that accepted a cancellation; `None` without one.
    pub accepted: Option<Anchor>,
}

impl Cancellation {
    /// The state before any update: the agent has not offered that the client may cancel.
    pub(super) const NONE: Self =
        Self { offered: None, changed: 0, changed_at: None, asked: false, accepted: None };

    /// Notes in the `capabilities` of an update whether the client may cancel. Absent and malformed
    /// ones change nothing. `number` and `time` are the number and time of the message.
    pub(super) fn apply(&mut self, update: Node<'_>, number: u64, time: Option<f64>) {
        self.apply_at(update, &"/params/update/capabilities", number, time);
    }

    /// Notes in the `capabilities` of a tool call or terminal, which the message has at `pointer`,
    /// whether the client may cancel. `number` and `time` are the number and time of the message.
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

/// Whether a `capabilities` value offers to cancel: its `cancel` is an object.
pub fn offers(capabilities: Node<'_>) -> bool {
    capabilities.get("cancel").is_some_and(Node::is_object)
}
