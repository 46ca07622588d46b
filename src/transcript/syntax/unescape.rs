//! The text of a message that a recorder put into a JSON string, and where each part of it stands.

use crate::source::narrow;

/// Decodes the inside of a valid JSON string literal, given without quotes. Also returns which
/// offset in the text stands for which in the literal, as in [`crate::source::Layout::Mapped`].
pub(crate) fn unescape(literal: &str) -> (String, Vec<(u32, u32)>) {
    let mut text = String::with_capacity(literal.len());
    let mut steps = vec![(0, 0)];
    let bytes = literal.as_bytes();
    let mut from = 0;
    while let Some(offset) = memchr::memchr(b'\\', &bytes[from..]) {
        let escape = from + offset;
        text.push_str(&literal[from..escape]);
        let (character, length) = decode(&literal[escape..]);
        text.push(character);
        from = escape + length;
        steps.push((narrow(text.len()), narrow(from)));
    }
    text.push_str(&literal[from..]);
    (text, steps)
}

/// The character that the escape sequence at the start of a text stands for, and its length in
/// bytes.
fn decode(text: &str) -> (char, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    match text.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => match (unit(2), text.get(6..8), unit(8)) {
            (Some(high @ 0xd800..=0xdbff), Some("\\u"), Some(low @ 0xdc00..=0xdfff)) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
            }
            (Some(code), ..) => (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 6),
            (None, ..) => (char::REPLACEMENT_CHARACTER, 2),
        },
        Some(other) => (char::from(*other), 2),
        None => ('\\', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn text_and_literal_run_alike_between_steps() {
        let literal = r#"{\"a\":\"\u00e9\ud83d\ude00x\\n\"}"#;
        let (text, steps) = unescape(literal);
        assert_eq!(text, "{\"a\":\"é😀x\\n\"}");
        let outer = |inner: u32| {
            let step = steps[steps.partition_point(|step| step.0 <= inner) - 1];
            (step.1 + inner - step.0) as usize
        };
        let x = u32::try_from(text.find('x').unwrap()).unwrap();
        assert_eq!(&literal[outer(x)..=outer(x)], "x");
        let a = u32::try_from(text.find('a').unwrap()).unwrap();
        assert_eq!(&literal[outer(a)..=outer(a)], "a");
    }
}
