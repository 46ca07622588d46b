//! Reads what an update or a permission request reports about a tool call.

use std::ops::Range;

use crate::{
    event::Call,
    json::{Node, Text},
    model::Mark,
};

/// Session updates that may have diffs with patches.
pub(super) const WITH_PATCHES: &[&str] = &["tool_call_update", "tool_call_content_chunk"];

/// The tool call in a permission request, on either version; `None` where there is none.
pub(crate) fn in_request<'t>(request: &Call<'t>) -> Option<Node<'t>> {
    request.param("toolCall").or_else(|| request.param("subject")?.get("toolCall"))
}

/// Content items of a report of a tool call, or the single item of a chunk.
pub(super) fn content(report: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let content = report.get("content");
    let single = content.filter(|content| content.is_object());
    content.into_iter().flat_map(Node::elements).chain(single)
}

/// Content items of this type in a report of a tool call.
pub(crate) fn content_of<'t>(
    report: Node<'t>,
    kind: &'static str,
) -> impl Iterator<Item = Node<'t>> {
    content(report).filter(move |item| item.get("type").is_some_and(|found| found.is(kind)))
}

/// Diffs with a git patch in a report of a tool call, each with the patch's text.
pub(super) fn git_patches(report: Node<'_>) -> impl Iterator<Item = (Node<'_>, Text<'_>)> {
    content_of(report, "diff").filter_map(|diff| {
        let patch = diff.get("patch")?;
        patch.get("format").filter(|format| format.is("git_patch"))?;
        Some((diff, patch.get("text")?.text()?))
    })
}

/// Place of a range of bytes of a patch in the file, so that a finding can point at it.
pub(super) fn in_patch(text: Text<'_>, bytes: Range<usize>) -> Mark {
    Mark { span: text.place(bytes), pointer: Some(text.node().pointer().into()), file: None }
}
