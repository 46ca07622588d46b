//! Numbers and sentences for people: digits in groups, plurals, capital letters, code passages.

/// A number with its digits in groups, and its noun, which gets an `s` unless the number is 1.
pub(super) fn grouped_plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

/// The sentence with its first character in upper case.
pub(super) fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// The number with its digits in groups of three: `1,234`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The text in lines of at most this many columns, but for longer words. The first line begins with
/// `first`, the others with `rest`.
pub fn wrapped(first: &str, rest: &str, text: &str, width: usize) -> String {
    let mut out = first.to_owned();
    let mut column = first.chars().count();
    let mut is_fresh = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_fresh && column + 1 + length > width {
            out.push('\n');
            out.push_str(rest);
            column = rest.chars().count();
            is_fresh = true;
        }
        if !is_fresh {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        is_fresh = false;
    }
    out
}

/// Splits a text at its backticks into passages, each with whether it is code. A text with an odd number
/// of backticks is one passage.
pub(super) fn passages(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let pieces: Vec<_> = if is_paired { text.split('`').collect() } else { vec![text] };
    pieces.into_iter().enumerate().map(|(index, piece)| (index % 2 == 1, piece))
}
