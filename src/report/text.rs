//! Small words and numbers for people.

/// A number of things.
pub(super) fn grouped_plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

/// A sentence with a capital letter at its beginning, where a word begins it.
pub(super) fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// A number with its digits in groups.
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

/// A text whose passages between backticks are code.
pub(super) fn passages(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let pieces: Vec<_> = if is_paired { text.split('`').collect() } else { vec![text] };
    pieces.into_iter().enumerate().map(|(index, piece)| (index % 2 == 1, piece))
}
