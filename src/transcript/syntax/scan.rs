//! Finds JSON values within other text, by counting brackets.

use std::ops::Range;

/// Length in bytes of the value with which a text begins.
pub(crate) fn length(text: &str) -> usize {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// The lines of a text without their breaks, each with the offset at which it begins.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Whether a value that is not a message may have one within it, such as in a string.
pub(crate) fn hides_message(value: &str) -> bool {
    value.contains("jsonrpc") || value.contains("\\u00")
}

/// The places of the values in brackets that directly follow a heading in a text, each with what
/// `heading` returns for its heading. A value ends before the next heading. `None` in place of a
/// value that [hides a message](hides_message); headings without a value are left out.
pub(crate) fn blocks<'t, H>(
    text: &'t str,
    mut heading: impl FnMut(&'t str) -> Option<H>,
) -> Vec<(H, Option<Range<usize>>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(H, usize)> = None;
    let mut close = |open: Option<(H, usize)>, end: usize| {
        let Some((head, start)) = open else { return };
        let text = text[start..end].trim_start();
        let start = end - text.len();
        if text.starts_with(['{', '[']) {
            blocks.push((head, Some(start..start + length(text))));
        } else if text.lines().next().is_some_and(hides_message) {
            blocks.push((head, None));
        }
    };
    for (start, line) in lines(text) {
        if let Some(head) = heading(line) {
            close(open.take(), start);
            open = Some((head, start + line.len()));
        }
    }
    close(open, text.len());
    blocks
}
