//! Makes texts safe to show: they come from transcripts, names of files, arguments and configurations.
//!
//! A terminal obeys control characters. A CI server obeys commands in the output of a job, such as
//! `##vso[…]`. Both are spelled out, and so is what nobody sees.

use std::{borrow::Cow, fmt::Write as _};

/// The text on one line, with everything replaced that would move the cursor, reorder or hide text,
/// or that a CI server obeys. Use it for texts of a transcript in output.
pub fn printable(text: &str) -> Cow<'_, str> {
    let may_command = ["##", "::"].iter().chain(&COLON_WORDS).any(|part| text.contains(part))
        || HEADINGS.iter().any(|heading| text.starts_with(heading));
    if !may_command && text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    push_printable(&mut out, text.as_bytes());
    Cow::Owned(out)
}

/// Appends a text to `out`, made printable as by [`printable`]. `out` has what stands before it on
/// the line, which may be the beginning of a command.
pub(super) fn push_printable(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                character if completes_command(out, character) => {
                    out.extend(character.escape_unicode());
                }
                character if is_plain(character) => out.push(character),
                '\u{FE00}'..='\u{FE0F}' if selects_variant(out) => out.push(character),
                '\u{7F}' => out.push('␡'),
                // The picture of the control character.
                '\0'..='\u{1F}' => {
                    out.push(char::from_u32(0x2400 + u32::from(character)).unwrap_or('␦'));
                }
                _ => out.extend(character.escape_unicode()),
            }
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\x{byte:02X}");
        }
    }
}

/// Whether a character shows as itself and nothing else: no control character, line end, direction
/// mark or invisible one.
pub fn is_plain(character: char) -> bool {
    !character.is_control()
        // No character, and nothing that XML or HTML may hold.
        && u32::from(character) & 0xFFFE != 0xFFFE
        && !matches!(
            character,
            '\u{2028}'..='\u{202E}' // line ends, embeddings and overrides
                | '\u{FDD0}'..='\u{FDEF}' // no characters
                | '\u{FFF9}'..='\u{FFFB}' // annotations
                // The rest has the Unicode property Default_Ignorable_Code_Point.
                | '\u{AD}' // soft hyphen
                | '\u{034F}' // joins graphemes
                | '\u{061C}' // direction mark
                | '\u{115F}'..='\u{1160}' // fillers
                | '\u{17B4}'..='\u{17B5}' // inherent vowels
                | '\u{180B}'..='\u{180F}' // selectors and separators
                | '\u{200B}'..='\u{200F}' // no width, direction marks
                | '\u{2060}'..='\u{206F}' // no width, isolates
                | '\u{3164}' // filler
                | '\u{FE00}'..='\u{FE0F}' // variation selectors
                | '\u{FEFF}' // byte order mark
                | '\u{FFA0}' // filler
                | '\u{FFF0}'..='\u{FFF8}' // not assigned
                | '\u{1BCA0}'..='\u{1BCA3}' // shorthand
                | '\u{1D173}'..='\u{1D17A}' // musical beams
                | '\u{E0000}'..='\u{E0FFF}' // tags, variation selectors
        )
}

/// Whether a variation selector behind this text changes how a character looks, such as that of an
/// emoji. Letters of ASCII have no variants.
fn selects_variant(before: &str) -> bool {
    before.chars().next_back().is_some_and(|last| !last.is_ascii() && is_plain(last))
}

/// Texts that Buildkite takes for a heading at the beginning of a line, when a space follows.
const HEADINGS: [&str; 4] = ["---", "+++", "~~~", "^^^"];

/// Words that GitLab and Travis take for the beginning of a command, when a colon follows.
pub(crate) const COLON_WORDS: [&str; 4] =
    ["section_start", "section_end", "travis_fold", "travis_time"];

/// Whether a character would complete what a CI server takes for the beginning of a command.
/// `before` is the text that stands before the character on the line.
///
/// - `##[`, `##vso[`, `##teamcity[` anywhere: Azure Pipelines, GitHub, `TeamCity`
/// - `::` where a line can begin: GitHub. Long words may be broken anywhere.
/// - `section_start:`, `section_end:` anywhere: GitLab
/// - `travis_fold:`, `travis_time:` anywhere: Travis
/// - `--- `, `+++ `, `~~~ `, `^^^ ` at the beginning: Buildkite
pub fn completes_command(before: &str, character: char) -> bool {
    /// Most characters of a word that fits on any line that a CI server reads as a whole.
    const LONG: usize = 32;
    match character {
        '[' => before
            .trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '-')
            .ends_with("##"),
        ':' => match before.strip_suffix(':') {
            Some(word) => {
                let mut behind = word.chars().rev().take(LONG + 1);
                behind.position(char::is_whitespace).map_or_else(
                    || word.is_empty() || word.chars().nth(LONG).is_some(),
                    |length| length == 0,
                )
            }
            None => COLON_WORDS.iter().any(|word| before.ends_with(word)),
        },
        ' ' | '\t' => HEADINGS.contains(&before),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        assert_eq!(printable("a\u{202e}b\tc\nd"), "a\\u{202e}b␉c␊d");
        assert_eq!(printable("a\u{34f}\u{115f}\u{3164}"), "a\\u{34f}\\u{115f}\\u{3164}");
        assert!(matches!(printable("plain → text"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_unicode_calls_invisible_is_not_plain() {
        let pattern = r"[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]";
        let hidden = regex::Regex::new(pattern).expect("a regular expression");
        let wrong: Vec<_> = ('\0'..=char::MAX)
            .filter(|character| {
                is_plain(*character) && hidden.is_match(character.encode_utf8(&mut [0; 4]))
            })
            .collect();
        assert_eq!(wrong, Vec::<char>::new());
    }

    #[test]
    fn a_variant_stays_where_something_has_variants() {
        assert_eq!(printable("\u{2764}\u{fe0f}"), "\u{2764}\u{fe0f}");
        assert_eq!(printable("\u{2764}\u{fe0f}\u{fe0f}"), "\u{2764}\u{fe0f}\\u{fe0f}");
        assert_eq!(printable("a\u{fe0f}"), "a\\u{fe0f}");
        assert_eq!(printable("\u{fe00}"), "\\u{fe00}");
    }

    #[test]
    fn what_a_ci_server_would_obey_is_broken_up() {
        for (text, shown) in [
            ("##vso[task.x]y", "##vso\\u{5b}task.x]y"),
            ("x ###[error]", "x ###\\u{5b}error]"),
            ("##teamcity[x]", "##teamcity\\u{5b}x]"),
            ("##\u{200b}[x]", "##\\u{200b}[x]"),
            ("::error::x", ":\\u{3a}error::x"),
            (" \t::error::x", " ␉::error::x"),
            ("  ::error::x", "  :\\u{3a}error::x"),
            ("section_start:1:a", "section_start\\u{3a}1:a"),
            ("travis_fold:start:a", "travis_fold\\u{3a}start:a"),
            ("--- a", "---\\u{20}a"),
            ("^^^ +++", "^^^\\u{20}+++"),
        ] {
            assert_eq!(printable(text), shown, "{text}");
            assert_eq!(printable(shown), shown, "twice is once");
        }
        for text in ["## [x]", "a##b c[0]", "serde::de::Error", "a --- b", "#[x]", "----- x"] {
            assert_eq!(printable(text), text);
        }
        let long = "x".repeat(40) + "::error::x";
        assert!(!printable(&long).contains("::error"), "a line may be broken before it");
    }
}
