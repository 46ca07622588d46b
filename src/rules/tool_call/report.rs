//! Reads what an update or a permission request reports about a tool call.

use std::ops::Range;

use crate::{
    event::Call,
    json::{Node, Text},
    model::Mark,
};

/// The updates that may have diffs with patches.
pub(super) const WITH_PATCHES: &[&str] = &["tool_call_update", "tool_call_content_chunk"];

/// The tool call in a permission request; `None` without one.
pub(crate) fn in_request<'t>(request: &Call<'t>) -> Option<Node<'t>> {
    request.param("toolCall").or_else(|| request.param("subject")?.get("toolCall"))
}

/// The items of the content of a report, or the one item of a chunk.
pub(super) fn content(report: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let content = report.get("content");
    let single = content.filter(|content| content.is_object());
    content.into_iter().flat_map(Node::elements).chain(single)
}

/// The items of the content of a report that have this type.
pub(crate) fn content_of<'t>(
    report: Node<'t>,
    kind: &'static str,
) -> impl Iterator<Item = Node<'t>> {
    content(report).filter(move |item| item.get("type").is_some_and(|found| found.is(kind)))
}

/// The diffs of a report that have a git patch, each with the text of its patch.
pub(super) fn git_patches(report: Node<'_>) -> impl Iterator<Item = (Node<'_>, Text<'_>)> {
    content_of(report, "diff").filter_map(|diff| {
        let patch = diff.get("patch")?;
        patch.get("format").filter(|format| format.is("git_patch"))?;
        Some((diff, patch.get("text")?.text()?))
    })
}

/// The place of some bytes of a patch.
pub(super) fn in_patch(text: Text<'_>, bytes: Range<usize>) -> Mark {
    Mark { span: text.place(bytes), pointer: Some(text.node().pointer().into()), file: None }
}
