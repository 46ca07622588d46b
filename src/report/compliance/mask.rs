//! Masks what strings of a transcript hold, and leaves what a reader needs to follow a finding:
//! the protocol's own words, structure, numbers, lengths.

use super::document::ExcerptPart;
pub(super) use crate::report::mask::{mask, masked, value};
use crate::vocabulary::is_word;

/// Masks a JSON pointer. Array indices and words of the protocol stay.
pub(super) fn pointer(pointer: &str) -> String {
    let is_index = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let part = |part| if is_index(part) { part.to_owned() } else { value(part) };
    pointer.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// Masks the values that a message of a rule quotes in backticks, unless they are words of the
/// protocol or of acpcheck. `None` when a quoted value has backticks in it, so that its end is
/// unclear.
pub(super) fn sentence(text: &str) -> Option<String> {
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    let piece = |(index, piece): (usize, &&str)| {
        if index % 2 == 0 {
            let is_begun = index == 0
                || piece.starts_with([' ', ',', '.', ';', ':', '?', ')', ']', '…'])
                || (piece.is_empty() && index == last);
            let is_ended = index == last
                || piece.ends_with([' ', '(', '['])
                || (piece.is_empty() && index == 0);
            return (is_begun && is_ended).then(|| (*piece).to_owned());
        }
        let is_whole = index < last && !piece.is_empty() && piece.trim() == *piece;
        (is_whole && !piece.contains(char::is_control)).then(|| words(piece))
    };
    let pieces: Option<Vec<String>> = pieces.iter().enumerate().map(piece).collect();
    Some(pieces?.join("`"))
}

/// Masks a quoted value. Parts of a message (`"type": "text"`), paths of members (`session.prompt`)
/// and options (`--tail closed`) stay when they consist of known words.
fn words(quoted: &str) -> String {
    let is_inner =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '/' | '$' | '-');
    let is_part = !quoted.contains(' ') || quoted.contains('"') || quoted.starts_with("--");
    let mut words = quoted.split(|character| !is_inner(character)).filter(|word| !word.is_empty());
    let is_known = |word: &str| is_word(word) || is_position(word, quoted);
    let is_plain = is_word(quoted) || (is_part && words.all(is_known));
    if is_plain { quoted.to_owned() } else { masked(quoted) }
}

/// Whether `word` is an index in the quoted text, as in `prompt[0]`.
fn is_position(word: &str, quoted: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit()) && quoted.contains(&format!("[{word}]"))
}

/// Masks the strings in an excerpt of a line of JSON, which is cut into parts. Structure, numbers
/// and words of the protocol stay.
pub(super) fn excerpt(parts: &mut [ExcerptPart]) {
    // Escapes may be those of a message in a string: then quotes do not tell what is a value.
    let is_nested = parts.iter().any(|part| part.text.contains('\\'));
    let first = parts.iter().position(|part| part.label.is_some());
    for (index, part) in parts.iter_mut().enumerate() {
        let text = &part.text;
        part.text = if is_nested {
            loose(text)
        } else if first.is_some_and(|first| index < first) {
            backwards(text)
        } else if let (Some(_), Some((head, rest))) = (part.label, text.split_once('…')) {
            // A value too long to show has lost its middle.
            let (middle, tail) = rest.rsplit_once('…').unwrap_or(("", rest));
            format!("{}…{}{}", forwards(head), masked(middle), backwards(tail))
        } else {
            forwards(text)
        };
    }
}

/// Masks all of an excerpt, because its line is not JSON and so may hold anything.
pub(super) fn passage(parts: &mut [ExcerptPart]) {
    for part in parts {
        part.text = masked(&part.text);
    }
}

/// Masks the strings in a part of JSON whose beginning is outside of strings.
fn forwards(text: &str) -> String {
    let pieces: Vec<&str> = text.split('"').collect();
    let last = pieces.len() - 1;
    let piece = |(index, piece): (usize, &&str)| match index % 2 {
        0 => structure(piece),
        _ if index == last => masked(piece),
        _ => value(piece),
    };
    pieces.iter().enumerate().map(piece).collect::<Vec<_>>().join("\"")
}

/// Masks the strings in a part of JSON whose end is outside of strings.
fn backwards(text: &str) -> String {
    let pieces: Vec<&str> = text.split('"').collect();
    let last = pieces.len() - 1;
    let piece = |(index, piece): (usize, &&str)| match (last - index) % 2 {
        0 => structure(piece),
        _ if index == 0 => masked(piece),
        _ => value(piece),
    };
    pieces.iter().enumerate().map(piece).collect::<Vec<_>>().join("\"")
}

/// Masks JSON text between strings. Structure, numbers and literals stay.
fn structure(text: &str) -> String {
    let is_structure = |character: char| {
        matches!(character, '{' | '}' | '[' | ']' | ',' | ':' | ' ' | '␉' | '␊' | '␍')
    };
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_structure) {
        let token = piece.trim_end_matches(is_structure);
        let is_number = !token.is_empty()
            && token.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
        let is_plain = token.is_empty() || is_number || ["true", "false", "null"].contains(&token);
        out.push_str(&if is_plain { token.to_owned() } else { masked(token) });
        out.push_str(&piece[token.len()..]);
    }
    out
}

/// Masks a part of JSON of which it is unknown where strings begin and end. Only words of the
/// protocol in quotation marks stay.
fn loose(text: &str) -> String {
    let is_inner =
        |character: char| character.is_alphanumeric() || matches!(character, '_' | '/' | '$' | '-');
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(begin) = rest.find(is_inner) {
        let (between, from) = rest.split_at(begin);
        let end = from.find(|character| !is_inner(character)).unwrap_or(from.len());
        let (word, behind) = from.split_at(end);
        before = between.chars().next_back().or(before);
        let is_quoted = before == Some('"') && behind.starts_with(['"', '\\']);
        out.extend(between.chars().map(shape));
        out.push_str(&if is_quoted && is_word(word) { word.to_owned() } else { masked(word) });
        before = word.chars().next_back();
        rest = behind;
    }
    out.extend(rest.chars().map(shape));
    out
}

/// Masks a character between words where it is unknown what is a string. Brackets, commas and
/// quotation marks stay.
fn shape(character: char) -> char {
    if "{}[],\"".contains(character) { character } else { mask(character) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(texts: &[(&str, Option<usize>)]) -> Vec<ExcerptPart> {
        let part = |(text, label): &(&str, Option<usize>)| ExcerptPart {
            text: (*text).to_owned(),
            label: *label,
        };
        texts.iter().map(part).collect()
    }

    fn masked_excerpt(texts: &[(&str, Option<usize>)]) -> String {
        let mut parts = parts(texts);
        excerpt(&mut parts);
        parts.into_iter().map(|part| part.text).collect()
    }

    #[test]
    fn values_keep_their_length_and_shape() {
        assert_eq!(masked("/home/Jane/a-1.rs …"), "/xxxx/Xxxx/x-0.xx …");
        assert_eq!(masked("日本!"), "xx*");
        assert_eq!(value("in_progress"), "in_progress");
        assert_eq!(value("in progress"), "xx xxxxxxxx");
    }

    #[test]
    fn sentences_keep_the_words_of_the_protocol() {
        let quoting = "`Buy milk` is sent to `session/prompt` before `s-1`, not after";
        let expected = "`Xxx xxxx` is sent to `session/prompt` before `x-0`, not after";
        assert_eq!(sentence(quoting).as_deref(), Some(expected));
        assert_eq!(sentence("nothing is quoted").as_deref(), Some("nothing is quoted"));
        for plain in [
            "`prompt[0]` is a string",
            "send `session/resume` with `\"replayFrom\": {\"type\": \"start\"}`",
            "say `--tail closed`, or leave `git diff --no-prefix` out",
            "rests on `auth.terminal`",
            "`plan/removed-unknown` is not assessable in `acp-kit`",
            "run with `--surface v1-unstable`, `--edition 2026-06` or `--profile registry`",
        ] {
            assert_eq!(sentence(plain).as_deref(), Some(plain));
        }
        let quoting = "`start plan` and `\"plan\": \"B 7\"` and `plan 0`";
        let expected = "`xxxxx xxxx` and `*xxxx*: *X 0*` and `xxxx 0`";
        assert_eq!(sentence(quoting).as_deref(), Some(expected));
    }

    #[test]
    fn sentences_that_quote_quotes_are_not_kept() {
        for text in [
            "unknown id `Run `cargo test``",
            "unknown id ``cargo` and `rustc``",
            "unknown id `a`b`",
            "unknown id `a`b`c`",
            "unknown id `a`",
        ] {
            assert_eq!(sentence(text).is_some(), text.ends_with("id `a`"), "{text}");
        }
    }

    #[test]
    fn strings_of_excerpts_are_masked() {
        let texts = [
            ("…ret\",\"sessionId\":\"s1\",\"n\":-1.5e3,\"cwd\":", None),
            ("\"/home/jane\"", Some(0)),
            (
                ",\"plan\":[true,{\"content\":\"Buy 2 eggs\",\"status\":\"pending\"}],\"x\":\"cut o…",
                None,
            ),
        ];
        assert_eq!(
            masked_excerpt(&texts),
            "…xxx\",\"sessionId\":\"x0\",\"n\":-1.5e3,\"cwd\":\"/xxxx/xxxx\",\"plan\":[true,\
             {\"content\":\"Xxx 0 xxxx\",\"status\":\"pending\"}],\"x\":\"xxx x…"
                .replace("\"n\"", "\"x\""),
        );
    }

    #[test]
    fn where_strings_begin_may_be_unknown() {
        let texts = [
            ("{\"raw\":\"{\\\"method\\\":\\\"session/prompt\\\",\\\"id\\\":12,\\\"text\\\":", None),
            ("\\\"say \\\\\\\"hi\\\\\\\" 12\\\"", Some(0)),
        ];
        assert_eq!(
            masked_excerpt(&texts),
            "{\"xxx\":\"{\\\"method\\\":\\\"session/prompt\\\",\\\"id\\\":00,\\\"text\\\":\
             \\\"xxx \\\\\\\"xx\\\\\\\" 00\\\"",
        );
    }

    #[test]
    fn a_value_that_is_cut_is_masked_whole() {
        let texts = [("{\"x\":", None), ("{\"a\":\"12 3…45\",\"b\":678}", Some(0)), ("}", None)];
        assert_eq!(masked_excerpt(&texts), "{\"x\":{\"x\":\"00 0…00\",\"x\":678}}");
    }
}
