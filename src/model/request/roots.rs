//! The working directory and the additional directories that a request names.

use crate::{
    event::Call,
    json::{Node, Text},
    model::anchor::{Anchor, Pointer},
};

/// The directories of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// The `cwd` that names the first one.
    pub at: Anchor,
    /// The working directory, then the additional ones.
    pub directories: Vec<Box<str>>,
}

impl Roots {
    /// The directories that a request names; `None` without a working directory.
    pub(in crate::model) fn of(call: &Call<'_>) -> Option<Self> {
        let cwd = call.param("cwd")?;
        let additional = call.param("additionalDirectories");
        let additional = additional.into_iter().flat_map(Node::elements).filter_map(Node::text);
        let directories = cwd.text().into_iter().chain(additional).map(Text::to_boxed).collect();
        Some(Self { at: Anchor::of(cwd, Pointer::ParamsCwd), directories })
    }
}
