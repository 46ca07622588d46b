//! What a `session/list` asks for.

use crate::{
    event::Call,
    model::anchor::{Place, Pointer},
};

/// What a `session/list` asks for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The whole request.
    pub at: Place,
    pub cwd: Option<(Box<str>, Place)>,
    /// The archive filter.
    pub archived: Option<(Box<str>, Place)>,
    pub cursor: Option<(Box<str>, Place)>,
}

impl Query {
    pub(in crate::model) fn of(call: &Call<'_>) -> Self {
        let text = |name, pointer| {
            let node = call.param(name)?;
            Some((node.text()?.to_boxed(), Place::of(node, pointer)))
        };
        Self {
            at: Place::of(call.node, Pointer::Whole),
            cwd: text("cwd", Pointer::ParamsCwd),
            archived: text("archived", Pointer::ParamsArchived),
            cursor: text("cursor", Pointer::ParamsCursor),
        }
    }
}
