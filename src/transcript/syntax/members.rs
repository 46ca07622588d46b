//! Reads the members of an object whose end is missing.

/// Members of the object with which a text begins, even if the text is cut off: each name with the
/// text from its value on.
pub(crate) fn of(text: &str) -> Vec<(&str, &str)> {
    let mut members = Vec::new();
    let text = text.trim_start();
    if !text.starts_with('{') {
        return members;
    }
    let (mut depth, mut escaped) = (0_usize, false);
    let mut string: Option<usize> = None;
    let mut name = "";
    for (at, byte) in text.bytes().enumerate() {
        match (byte, string) {
            (_, Some(_)) if escaped => escaped = false,
            (b'\\', Some(_)) => escaped = true,
            (b'"', Some(start)) => {
                name = &text[start..at];
                string = None;
            }
            (b'"', None) => string = Some(at + 1),
            (b'{' | b'[', None) => depth += 1,
            (b'}' | b']', None) => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            (b':', None) if depth == 1 => members.push((name, text[at + 1..].trim_start())),
            _ => {}
        }
    }
    members
}

/// Whether the object with which a text begins has all these members, even if the text is cut off.
pub(crate) fn has(text: &str, names: &[&str]) -> bool {
    // A search for the names is fast, and rules out most texts.
    let is_there = |name: &&str| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some();
    if !text.trim_start().starts_with('{') || !names.iter().all(is_there) {
        return false;
    }
    let members = of(text);
    names.iter().all(|name| members.iter().any(|(own, _)| own == name))
}

/// The text of an array from its first element on; empty for other texts.
pub(crate) fn first_element(array: &str) -> &str {
    array.trim_start().strip_prefix('[').unwrap_or_default().trim_start()
}
