//! Which side a recorder's words mean. Recorders disagree (`in` means opposite things in two of
//! them), so the methods of the messages decide.

use crate::{
    json::Node,
    protocol::{
        Edition, Side, Surface,
        schema::{Handler, Protocol},
    },
};

/// How the labels of a recording relate to the sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// They say what the methods say, or there are none.
    #[default]
    Straight,
    /// They say the opposite.
    Swapped,
}

impl Labels {
    /// The side that a label means.
    pub fn side(self, label: Side) -> Side {
        match self {
            Self::Straight => label,
            Self::Swapped => label.peer(),
        }
    }

    /// Decides by messages with their labels: swapped when nearly all contradict their methods.
    pub fn calibrate<'t>(messages: impl Iterator<Item = (Node<'t>, Side)>) -> Self {
        let (mut agree, mut contradict) = (0_u32, 0_u32);
        for (message, label) in messages {
            match method_sender(message) {
                Some(side) if side == label => agree += 1,
                Some(_) => contradict += 1,
                None => {}
            }
        }
        if contradict > agree * 9 { Self::Swapped } else { Self::Straight }
    }
}

/// Who sends a message with this method, in whichever version knows it.
pub fn method_sender(message: Node<'_>) -> Option<Side> {
    let method = message.get("method")?.text()?;
    let method = method.as_cow();
    [Surface::V1Unstable, Surface::V2Unstable].into_iter().find_map(|surface| {
        let method = Protocol::of(surface, Edition::CURRENT).method(&method)?;
        let call = method.call(message.get("id").is_some())?;
        match call.handler {
            Handler::Client => Some(Side::Agent),
            Handler::Agent => Some(Side::Client),
            _ => None,
        }
    })
}
