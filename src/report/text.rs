//! Numbers and sentences for people: digits in groups, plurals, capital letters, lines, code passages.

use textwrap::{
    core::{Word, display_width},
    wrap_algorithms::wrap_first_fit,
};

/// A number with its digits in groups of three, and its noun, which gets an `s` unless the number
/// is 1.
pub(super) fn grouped_plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(count as u64)) }
}

/// A sentence with its first character in upper case, as reports begin it.
pub fn capitalized(sentence: &str) -> String {
    let mut characters = sentence.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

/// A number with its digits in groups of three, such as `1,234`.
pub fn grouped(number: u64) -> String {
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

/// The text broken into lines of at most `width` columns; longer words stay whole. The first line
/// begins with `first`, the others with `rest`. Words in backticks stay together on one line where
/// they fit on one.
pub fn wrapped(first: &str, rest: &str, text: &str, width: usize) -> String {
    let room = |indent: &str| width.saturating_sub(display_width(indent));
    let units = units(text, room(rest));
    let words: Vec<_> = units.iter().map(|unit| Word::from(unit)).collect();
    let widths = [room(first), room(rest)];
    let widths = widths.map(|room| f64::from(u16::try_from(room).unwrap_or(u16::MAX)));
    let mut out = first.to_owned();
    for (index, line) in wrap_first_fit(&words, &widths).into_iter().enumerate() {
        if index > 0 {
            out.push('\n');
            out.push_str(rest);
        }
        for (index, word) in line.iter().enumerate() {
            out.push_str(word);
            if index + 1 < line.len() {
                out.push_str(word.whitespace);
            }
        }
    }
    out
}

/// Cuts a text into the parts between which lines may break, each with a space behind it. Code
/// between backticks stays with the words that touch it, unless it has more than `most` columns.
fn units(text: &str, most: usize) -> Vec<String> {
    let mut units = Vec::new();
    let mut words = Vec::new();
    let mut is_code = false;
    for word in text.split_whitespace() {
        words.push(word);
        is_code ^= !word.matches('`').count().is_multiple_of(2);
        if !is_code {
            units.extend(joined(&mut words, most));
        }
    }
    // The text has an odd number of backticks.
    units.extend(words.into_iter().map(|word| format!("{word} ")));
    units
}

/// The words as one part that does not break; each by itself when together they have more than
/// `most` columns. Empties `words`.
fn joined(words: &mut Vec<&str>, most: usize) -> Vec<String> {
    let unit = words.join(" ");
    if words.len() > 1 && display_width(&unit) > most {
        return words.drain(..).map(|word| format!("{word} ")).collect();
    }
    words.clear();
    vec![unit + " "]
}

/// The text with the spaces inside backticks replaced by [`UNBROKEN`] spaces, for libraries that
/// break lines at spaces. Code of more than `most` columns stays as it is.
pub fn unbroken(text: &str, most: usize) -> String {
    let mut out = String::new();
    for (is_code, passage) in passages(text) {
        match is_code {
            true if display_width(passage) + 2 <= most => {
                out.extend(["`", &passage.replace(' ', UNBROKEN), "`"]);
            }
            true => out.extend(["`", passage, "`"]),
            false => out.push_str(passage),
        }
    }
    out
}

/// The no-break space, which [`unbroken`] puts into code; to be replaced by a space in the end.
pub const UNBROKEN: &str = "\u{a0}";

/// Splits a text at its backticks. The flag is `true` for the parts between two backticks, which
/// are code. A text with an odd number of backticks stays whole.
pub(super) fn passages(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let is_paired = text.matches('`').count().is_multiple_of(2);
    let pieces: Vec<_> = if is_paired { text.split('`').collect() } else { vec![text] };
    pieces.into_iter().enumerate().map(|(index, piece)| (index % 2 == 1, piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_stays_on_one_line() {
        for (text, width, expected) in [
            ("use `a b` or `c d`, then", 12, "use `a b` or\n`c d`, then"),
            ("read (`one two`) now", 9, "read\n(`one\ntwo`) now"),
            ("read (`one two`) now", 11, "read\n(`one two`)\nnow"),
            ("`a b`/`c d` is `left open", 11, "`a b`/`c d`\nis `left\nopen"),
            ("see https://example.com/page", 10, "see\nhttps://example.com/page"),
            ("wide 漢字漢字 text", 9, "wide\n漢字漢字\ntext"),
            ("  two  spaces  ", 20, "two spaces"),
            ("", 20, ""),
        ] {
            assert_eq!(wrapped("", "", text, width), expected, "{text:?} in {width}");
        }
        assert_eq!(wrapped("- ", "  ", "one two three", 7), "- one\n  two\n  three");
    }

    #[test]
    fn spaces_of_code_are_unbroken() {
        assert_eq!(unbroken("run `a b` and `c d e`", 6), "run `a\u{a0}b` and `c d e`");
        assert_eq!(unbroken("an odd ` one", 80), "an odd ` one");
    }
}
