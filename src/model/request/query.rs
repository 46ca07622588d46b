//! The query of a `session/list`.

use crate::{event::Call, model::anchor::Anchor};

/// The query of a `session/list` request, kept for rules on its answer. Each member has its place.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// Place of the whole request, so that a finding can point at it.
    pub at: Anchor,
    pub cwd: Option<(Box<str>, Anchor)>,
    /// The `archived` filter of the query, a string, and where it stands; `None` without one.
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
