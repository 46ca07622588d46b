//! The query of a `session/list`.

use crate::{event::Call, model::anchor::Anchor};

/// The filters and cursor of a `session/list` request, each with its place, so that rules can judge
/// the answer.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Place of the whole request, so that a finding can point at it.
    pub at: Anchor,
    pub cwd: Option<(Box<str>, Anchor)>,
    /// The `archived` filter and its place; `None` when it is absent or not a string.
    pub archived: Option<(Box<str>, Anchor)>,
    pub cursor: Option<(Box<str>, Anchor)>,
}

impl ListQuery {
    pub(in crate::model) fn of(call: &Call<'_>) -> Self {
        let text = |name, pointer| {
            let node = call.param(name)?;
            Some((node.text()?.to_boxed(), Anchor::of(node, pointer)))
        };
        Self {
            at: Anchor::of(call.node, &""),
            cwd: text("cwd", &"/params/cwd"),
            archived: text("archived", &"/params/archived"),
            cursor: text("cursor", &"/params/cursor"),
        }
    }
}
