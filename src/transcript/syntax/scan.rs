//! Finds JSON values within other text, by counting brackets.

use std::ops::Range;

/// Place of the value that begins with the first bracket of a text, in bytes. The value ends where
/// all brackets are closed, or with the text. `None` without a bracket.
pub(crate) fn value(text: &str) -> Option<Range<usize>> {
    let start = text.find(['{', '['])?;
    Some(start..start + length(&text[start..]))
}

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

/// The places of the values in brackets that directly follow a heading in a text, each with what
/// `heading` returns for its heading. A value ends before the next heading; headings without a
/// value are left out.
pub(crate) fn blocks<'t, H>(
    text: &'t str,
    mut heading: impl FnMut(&'t str) -> Option<H>,
) -> Vec<(H, Range<usize>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(H, usize)> = None;
    let mut close = |open: Option<(H, usize)>, end: usize| {
        let Some((head, start)) = open else { return };
        let Some(place) = value(&text[start..end]) else { return };
        if text[start..start + place.start].trim().is_empty() {
            blocks.push((head, start + place.start..start + place.end));
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
