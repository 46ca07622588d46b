//! Parses Lua tables as `vim.inspect` of Neovim writes them, and rebuilds their JSON.

use std::ops::Range;

use crate::transcript::rebuilt::Rebuilt;

/// Appends the JSON of the Lua table at `place` in a text; `None` where that is not a table, or is
/// cut off.
pub(crate) fn table(text: &str, place: Range<usize>, rebuilt: &mut Rebuilt) -> Option<()> {
    let mut parser = LuaParser { text, at: place.start, end: place.end, rebuilt };
    parser.run()?;
    parser.space();
    parser.rest().is_empty().then_some(())
}

/// Whether a table has named entries, and so becomes an object, or a list of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TableKind {
    Object,
    Array,
}

struct LuaParser<'t, 'r> {
    text: &'t str,
    at: usize,
    end: usize,
    rebuilt: &'r mut Rebuilt,
}

impl<'t> LuaParser<'t, '_> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn space(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Skips this word; `None` when the text does not continue with it.
    fn skip(&mut self, word: &str) -> Option<()> {
        self.rest().starts_with(word).then(|| self.at += word.len())
    }

    /// Skips this word and writes `json` in its place; `None` when the text does not continue with
    /// it.
    fn put(&mut self, word: &str, json: &str) -> Option<()> {
        let start = self.at;
        self.skip(word)?;
        self.rebuilt.write(json, start..self.at);
        Some(())
    }

    /// Translates the table. Nesting is kept in a list, so that deep tables do not overflow the
    /// stack.
    fn run(&mut self) -> Option<()> {
        let mut open: Vec<TableKind> = Vec::new();
        loop {
            self.space();
            if let Some(kind) = open.last().copied() {
                if self.rest().starts_with('}') {
                    self.put("}", if kind == TableKind::Object { "}" } else { "]" })?;
                    open.pop();
                    if open.is_empty() {
                        return Some(());
                    }
                    self.separate();
                    continue;
                }
                if kind == TableKind::Object {
                    self.name()?;
                    self.space();
                    self.put("=", ":")?;
                    self.space();
                }
            }
            if self.rest().starts_with('{') {
                let start = self.at;
                self.at += 1;
                self.space();
                if self.rest().starts_with('}') {
                    // `vim.empty_dict()` is the empty object, so `{}` is an empty array.
                    self.at += 1;
                    self.rebuilt.guess("[]", start..self.at);
                } else {
                    let kind = self.kind();
                    let json = if kind == TableKind::Object { "{" } else { "[" };
                    self.rebuilt.write(json, start..start + 1);
                    open.push(kind);
                    continue;
                }
            } else {
                self.scalar()?;
            }
            if open.is_empty() {
                return Some(());
            }
            self.separate();
        }
    }

    /// Translates the comma before the next entry, if there is one; drops the one before a closing
    /// brace.
    fn separate(&mut self) {
        self.space();
        if self.rest().starts_with(',') {
            let is_last = self.rest()[1..].trim_start().starts_with('}');
            let json = if is_last { "" } else { "," };
            self.rebuilt.write(json, self.at..self.at + 1);
            self.at += 1;
        }
    }

    /// The kind of the table whose first entry comes next.
    fn kind(&self) -> TableKind {
        let rest = self.rest();
        if rest.starts_with('[') {
            return TableKind::Object;
        }
        let name = rest.find(|next: char| !is_of_name(next)).unwrap_or(rest.len());
        let is_named = name > 0 && rest[name..].trim_start().starts_with('=');
        if is_named { TableKind::Object } else { TableKind::Array }
    }

    fn name(&mut self) -> Option<()> {
        if self.rest().starts_with('[') {
            self.at += 1;
            if self.rest().starts_with(['"', '\'']) {
                self.string()?;
            } else {
                // A number as a name becomes a string.
                let length = self.rest().find(']')?;
                let range = self.at..self.at + length;
                self.rebuilt.string(&self.text[range.clone()], range.clone());
                self.at = range.end;
            }
            return self.skip("]");
        }
        let length = self.rest().find(|next: char| !is_of_name(next))?;
        let range = self.at..self.at + length;
        (length > 0).then(|| self.rebuilt.string(&self.text[range.clone()], range.clone()))?;
        self.at = range.end;
        Some(())
    }

    fn scalar(&mut self) -> Option<()> {
        let rest = self.rest();
        if rest.starts_with(['"', '\'']) {
            return self.string();
        }
        for (word, json) in [
            ("vim.empty_dict()", "{}"),
            ("vim.NIL", "null"),
            ("true", "true"),
            ("false", "false"),
            ("nil", "null"),
        ] {
            if rest.starts_with(word) {
                return self.put(word, json);
            }
        }
        let is_end = |next: char| !matches!(next, '0'..='9' | '.' | 'e' | 'E' | '+' | '-');
        let length = rest.find(is_end).unwrap_or(rest.len());
        let range = self.at..self.at + length;
        (length > 0).then(|| self.rebuilt.copy(self.text, range.clone()))?;
        self.at = range.end;
        Some(())
    }

    fn string(&mut self) -> Option<()> {
        let quote = self.rest().chars().next()?;
        self.rebuilt.write("\"", self.at..self.at + 1);
        self.at += 1;
        loop {
            let start = self.at;
            let rest = self.rest();
            let plain = rest.find(|next: char| {
                next == quote || matches!(next, '\\' | '"') || next < ' ' || next == '\u{7f}'
            })?;
            if plain > 0 {
                self.at += plain;
                self.rebuilt.copy(self.text, start..self.at);
                continue;
            }
            let first = rest.chars().next()?;
            let (json, length) = if first == '\\' {
                escape(rest)?
            } else if first == quote {
                self.at += 1;
                self.rebuilt.write("\"", start..self.at);
                return Some(());
            } else {
                (json(first)?, first.len_utf8())
            };
            self.at += length;
            self.rebuilt.write(&json, start..self.at);
        }
    }
}

fn is_of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// A character as JSON writes it inside a string, with an escape sequence where JSON demands one.
fn json(character: char) -> Option<String> {
    let quoted = serde_json::to_string(&character).ok()?;
    Some(quoted.get(1..quoted.len() - 1)?.to_owned())
}

/// The JSON text for the Lua escape sequence at the start of a text, and the sequence's length in
/// bytes; `None` for an invalid one.
fn escape(text: &str) -> Option<(String, usize)> {
    let digits = text[1..].bytes().take(3).take_while(u8::is_ascii_digit).count();
    if digits > 0 {
        let code = text[1..=digits].parse::<u8>().ok()?;
        return Some((json(char::from(code))?, 1 + digits));
    }
    let character = match text.chars().nth(1)? {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' | '\n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        other @ ('\\' | '"' | '\'') => other,
        _ => return None,
    };
    Some((json(character)?, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<serde_json::Value> {
        let mut rebuilt = Rebuilt::default();
        table(text, 0..text.len(), &mut rebuilt)?;
        Some(serde_json::from_str(&rebuilt.text).unwrap())
    }

    #[test]
    fn tables_become_json() {
        let text = r#"{
  _meta = vim.empty_dict(),
  ["a-b"] = vim.NIL,
  entries = { {
      content = 'say "hi"',
      done = false
    }, "x\ny\27\\ \"q\" é" },
  id = 1,
  none = {},
  size = -1.5e+15,
}"#;
        let expected = serde_json::json!({
            "_meta": {}, "a-b": null, "id": 1, "none": [], "size": -1.5e15,
            "entries": [{"content": "say \"hi\"", "done": false}, "x\ny\u{1b}\\ \"q\" é"],
        });
        assert_eq!(parsed(text), Some(expected));
        assert_eq!(parsed("{ 1, 2, 3 }"), Some(serde_json::json!([1, 2, 3])));
    }

    #[test]
    fn what_is_no_table_is_refused() {
        for text in ["{ a = <function 1> }", "{ a = ", "{ a = 1 } }", "{ a 1 }", "\"", "{ [", ""] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }
}
