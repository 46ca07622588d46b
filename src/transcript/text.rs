//! What the text of a transcript may begin with, and what is no UTF-8 text at all.

use crate::{
    json::{Fault, Node, Reason},
    protocol::ENVELOPE_MEMBERS,
    transcript::wrapper::{first, looks_like_message},
};

/// The character that some editors write before the text of a file.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Whether bytes are UTF-16 in either byte order, with or without a byte order mark. A file with a
/// line of JSON in single bytes is not.
pub(super) fn is_utf16(bytes: &[u8]) -> bool {
    looks_like_utf16(bytes) && !bytes.split(|byte| *byte == b'\n').any(is_plain_object)
}

/// Whether a line may be a JSON object in UTF-8 or another encoding with single bytes.
fn is_plain_object(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{\"") && line.ends_with(b"}") && memchr::memchr(0, line).is_none()
}

fn looks_like_utf16(bytes: &[u8]) -> bool {
    const ENOUGH: usize = 4096;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return true;
    }
    let bytes = &bytes[..bytes.len().min(ENOUGH)];
    if memchr::memchr(0, bytes).is_none() {
        return false;
    }
    let pairs = bytes.len() / 2;
    let zeros = |from: usize| bytes.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let mostly = |many: usize, few: usize| many * 10 >= pairs * 9 && few * 10 <= pairs;
    pairs >= 2 && (mostly(even, odd) || mostly(odd, even))
}

/// The LSP header (`Content-Length:` or `Content-Type:`) with which a text begins; `None` where it
/// begins otherwise.
pub(super) fn lsp_header(text: &str) -> Option<&str> {
    let is_header = text.starts_with("Content-Length:") || text.starts_with("Content-Type:");
    is_header.then(|| text.lines().next().unwrap_or(text).trim_end())
}

/// Whether an object has `jsonrpc`, `method`, `result` or `error`, and so may be a message.
pub(super) fn is_message_like(node: Node<'_>) -> bool {
    ["jsonrpc", "method", "result", "error"].iter().any(|name| node.get(name).is_some())
}

/// Whether an object is a message without anything around it: it has `jsonrpc`, or only members
/// that JSON-RPC defines. Of an array, the first element counts.
pub(super) fn is_bare_message(node: Node<'_>) -> bool {
    let node = first(node);
    let is_own = |name: Node<'_>| ENVELOPE_MEMBERS.iter().any(|own| name.is(own));
    looks_like_message(node)
        && (node.get("jsonrpc").is_some() || node.members().all(|(name, _)| is_own(name)))
}

/// Whether a text is empty or only white space, as JSON defines that.
pub(super) fn is_blank(text: &str) -> bool {
    text.trim_matches([' ', '\t', '\r', '\n']).is_empty()
}

/// Splits a line at the end of a message to which the next LSP header is glued. `None` for other
/// lines.
pub(super) fn framed(body: &str, fault: Fault) -> Option<(&str, &str)> {
    let (message, rest) = body.split_at_checked(fault.at as usize)?;
    (fault.reason == Reason::End).then_some(())?;
    Some((message, lsp_header(rest)?))
}
