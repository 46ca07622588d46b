//! Tells how well a result fits a method: whether it can be the answer to a request of that method.

use super::Protocol;
use crate::json::Node;

/// How well a result fits as the answer to a request, to find out which request or side it belongs
/// to. Ordered from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ResponseFit {
    /// The other side cannot have given this result: only the side that sent the request gives such
    /// results.
    Never,
    /// The result does not fit the schema of the method's result.
    Hardly,
    /// The result fits the schema of the method, but also those of many other methods.
    Perhaps,
    /// The result has members that the schema of the method's result defines.
    Well,
}

impl Protocol {
    /// How well a result fits what the schema defines as the result of a method.
    ///
    /// An extension method fits every result. A method that the schema lacks fits none.
    pub fn fit(&self, method: &str, result: Node<'_>) -> ResponseFit {
        if method.starts_with('_') {
            return ResponseFit::Perhaps;
        }
        let call = self.method(method).and_then(|method| method.call(true));
        let definition = call.and_then(|call| call.result).filter(|it| it.fits(result));
        let Some(definition) = definition else { return ResponseFit::Hardly };
        let has_member = || definition.members().any(|name| result.get(name).is_some());
        if definition.is_demanding() || has_member() {
            ResponseFit::Well
        } else {
            ResponseFit::Perhaps
        }
    }
}
