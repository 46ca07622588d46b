//! Parses Python values as `repr` writes them, and rebuilds their JSON.

use std::ops::Range;

use crate::transcript::rebuilt::Rebuilt;

/// JSON of the Python value at `place` in a text; `None` where that is not a value, or is cut off.
pub(crate) fn message(text: &str, place: Range<usize>) -> Option<Rebuilt> {
    let mut parser =
        PythonParser { text, at: place.start, end: place.end, rebuilt: Rebuilt::default() };
    parser.run()?;
    Some(parser.rebuilt)
}

struct PythonParser<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    rebuilt: Rebuilt,
}

impl PythonParser<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    /// Translates token by token. The JSON parser checks the result, since the grammars differ only
    /// in words and strings.
    fn run(&mut self) -> Option<()> {
        while let Some(first) = self.rest().chars().next() {
            let start = self.at;
            match first {
                '\'' | '"' => self.string(first)?,
                '(' | ')' => {
                    self.at += 1;
                    self.rebuilt.write(if first == '(' { "[" } else { "]" }, start..self.at);
                }
                _ if first.is_ascii_digit() => {
                    let is_end = |next: char| !matches!(next, '0'..='9' | '.' | 'e' | '+' | '-');
                    self.at += self.rest().find(is_end).unwrap_or(self.rest().len());
                    self.rebuilt.copy(self.text, start..self.at);
                }
                _ if first.is_alphabetic() => self.word()?,
                _ => {
                    self.at += first.len_utf8();
                    self.rebuilt.copy(self.text, start..self.at);
                }
            }
        }
        Some(())
    }

    fn word(&mut self) -> Option<()> {
        let rest = self.rest();
        let length = rest.find(|next: char| !next.is_alphabetic()).unwrap_or(rest.len());
        let json = match &rest[..length] {
            "True" => "true",
            "False" => "false",
            "None" => "null",
            _ => return None,
        };
        let start = self.at;
        self.at += length;
        self.rebuilt.write(json, start..self.at);
        Some(())
    }

    fn string(&mut self, quote: char) -> Option<()> {
        self.rebuilt.write("\"", self.at..self.at + 1);
        self.at += 1;
        loop {
            let start = self.at;
            let rest = self.rest();
            let plain = rest.find([quote, '\\', '"'])?;
            if plain > 0 {
                self.at += plain;
                self.rebuilt.copy(self.text, start..self.at);
                continue;
            }
            let (json, length) = match rest.as_bytes()[0] {
                b'\\' => escape(rest)?,
                byte if char::from(byte) == quote => {
                    self.at += 1;
                    self.rebuilt.write("\"", start..self.at);
                    return Some(());
                }
                _ => ("\\\"".to_owned(), 1),
            };
            self.at += length;
            self.rebuilt.write(&json, start..self.at);
        }
    }
}

/// The JSON text for the Python escape sequence at the start of a text, and the sequence's length
/// in bytes; `None` for an invalid one.
fn escape(text: &str) -> Option<(String, usize)> {
    let hex = |length: usize| {
        let code = u32::from_str_radix(text.get(2..2 + length)?, 16).ok()?;
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        let json = serde_json::to_string(&character).ok()?;
        Some((json.trim_matches('"').to_owned(), 2 + length))
    };
    match text.chars().nth(1)? {
        'x' => hex(2),
        'u' => hex(4),
        'U' => hex(8),
        '\'' => Some(("'".to_owned(), 2)),
        '"' => Some(("\\\"".to_owned(), 2)),
        '\\' => Some(("\\\\".to_owned(), 2)),
        'a' => Some(("\\u0007".to_owned(), 2)),
        'v' => Some(("\\u000b".to_owned(), 2)),
        '0' => Some(("\\u0000".to_owned(), 2)),
        known @ ('n' | 't' | 'r' | 'b' | 'f') => Some((format!("\\{known}"), 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn values_become_json() {
        let line =
            r#"[client] {'a': True, 'b': [None, 1.5e3], "it's": 'a "b" \'c\' \x1b\\ \u00e9'}"#;
        let rebuilt = message(line, 9..line.len()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&rebuilt.text).unwrap();
        let expected = serde_json::json!({
            "a": true, "b": [null, 1500.0], "it's": "a \"b\" 'c' \u{1b}\\ é"
        });
        assert_eq!(value, expected);
        assert!(message("{'a': <object>}", 0..15).is_none());
        assert!(message("{'a", 0..3).is_none());
    }
}
