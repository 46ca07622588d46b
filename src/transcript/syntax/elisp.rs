//! Parses values that Emacs Lisp prints, and rebuilds the JSON that they were made from.
//!
//! Objects are association lists, arrays are vectors. `nil` may have been an empty object, an empty
//! array or `null`: it is read as what is likelier there, and marked.

use std::{cell::Cell, ops::Range};

use crate::{map::Map, transcript::rebuilt::Rebuilt};

/// The values of an Emacs Lisp text, in a flat list; inner values come before the lists around
/// them.
#[derive(Debug)]
pub(crate) struct Forms<'t> {
    text: &'t str,
    nodes: Vec<Expression>,
    /// Index in `nodes` of each value that is referred to elsewhere, by its number, such as 1 in
    /// `#1=`.
    shared: Map<u32, usize>,
    /// Start of the last element of the outermost list, if the file ends within that element;
    /// `None` otherwise.
    cut: Option<usize>,
    /// Bytes of shared values that may still be written out, so that values that contain one
    /// another end.
    budget: Cell<usize>,
}

/// Where a value stands in a message, which decides the JSON for `nil`.
#[derive(Clone, Copy, Debug, Default)]
struct ValuePlace {
    levels: usize,
    /// Whether the value is in a session update outside of capabilities, so that `nil` becomes
    /// `null`.
    is_update: bool,
}

impl ValuePlace {
    /// The place of values that are below this key.
    fn below(self, key: &str) -> Self {
        let is_update = key == "update" || self.is_update && key != "capabilities";
        Self { levels: self.levels + 1, is_update }
    }

    /// JSON for `nil`: `null` in session updates, where it clears something; elsewhere `{}`, such
    /// as an empty capability.
    fn nil(self) -> &'static str {
        if self.is_update { "null" } else { "{}" }
    }
}

/// Bytes of a shared value that cost one unit of the budget when the value is written out again.
const COST: usize = 64;

#[derive(Debug)]
struct Expression {
    kind: ExpressionKind,
    range: Range<usize>,
    children: Vec<usize>,
}

/// The kinds of values in Emacs Lisp texts that messages are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpressionKind {
    List,
    Vector,
    String,
    /// A symbol such as `nil` or `:type`, or a number.
    Symbol,
    /// A reference such as `#1#` to a shared value, by the number of the value.
    Shared(u32),
}

/// A list or vector that the parser has begun and whose end has not come yet.
struct OpenList {
    kind: ExpressionKind,
    start: usize,
    children: Vec<usize>,
    label: Option<u32>,
}

impl<'t> Forms<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut forms = Self {
            text,
            nodes: Vec::new(),
            shared: Map::default(),
            cut: None,
            budget: Cell::new(1 << 16),
        };
        forms.parse();
        forms
    }

    /// Parses the text to its end or to the first syntax error, and closes the lists that are open
    /// there.
    fn parse(&mut self) {
        let bytes = self.text.as_bytes();
        let mut open: Vec<OpenList> = Vec::new();
        let mut label = None;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let start = at;
            at += 1;
            match byte {
                byte if byte.is_ascii_whitespace() => {}
                b';' => at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
                b'(' | b'[' => {
                    let kind =
                        if *byte == b'(' { ExpressionKind::List } else { ExpressionKind::Vector };
                    open.push(OpenList { kind, start, children: Vec::new(), label: label.take() });
                }
                b')' | b']' => {
                    let Some(list) = open.pop() else { break };
                    self.close(list, at, &mut open);
                    if open.is_empty() {
                        break;
                    }
                }
                b'"' => {
                    at = string_end(bytes, at);
                    self.add(ExpressionKind::String, start..at, &mut open, label.take());
                }
                b'#' => {
                    let digits =
                        bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let number = self.text[at..at + digits].parse::<u32>();
                    at += digits;
                    match (number, bytes.get(at)) {
                        (Ok(number), Some(b'=')) => label = Some(number),
                        (Ok(number), Some(b'#')) => {
                            self.add(
                                ExpressionKind::Shared(number),
                                start..at + 1,
                                &mut open,
                                None,
                            );
                        }
                        _ => break,
                    }
                    at += 1;
                }
                _ => {
                    let rest = &bytes[at..];
                    let is_end = |byte: &u8| {
                        byte.is_ascii_whitespace()
                            || matches!(byte, b'(' | b')' | b'[' | b']' | b'"')
                    };
                    at += rest.iter().position(is_end).unwrap_or(rest.len());
                    self.add(ExpressionKind::Symbol, start..at, &mut open, label.take());
                }
            }
        }
        self.cut = open.get(1).map(|list| list.start);
        while let Some(list) = open.pop() {
            self.close(list, self.text.len(), &mut open);
        }
    }

    /// Whether the text ends within this element of the outermost list.
    pub(crate) fn is_cut(&self, element: usize) -> bool {
        self.cut == Some(self.nodes[element].range.start)
    }

    fn close(&mut self, list: OpenList, end: usize, open: &mut [OpenList]) {
        let OpenList { kind, start, children, label } = list;
        self.add(kind, start..end, open, label);
        if let Some(node) = self.nodes.last_mut() {
            node.children = children;
        }
    }

    fn add(
        &mut self,
        kind: ExpressionKind,
        range: Range<usize>,
        open: &mut [OpenList],
        label: Option<u32>,
    ) {
        let index = self.nodes.len();
        self.nodes.push(Expression { kind, range, children: Vec::new() });
        if let Some(list) = open.last_mut() {
            list.children.push(index);
        }
        if let Some(label) = label {
            self.shared.entry(label).or_insert(index);
        }
    }

    /// Index of the outermost value; `None` for an empty text.
    pub(crate) fn root(&self) -> Option<usize> {
        self.nodes.len().checked_sub(1)
    }

    pub(crate) fn kind(&self, index: usize) -> ExpressionKind {
        self.nodes[index].kind
    }

    pub(crate) fn elements(&self, index: usize) -> impl Iterator<Item = usize> {
        self.nodes[index].children.iter().copied()
    }

    pub(crate) fn text(&self, index: usize) -> &'t str {
        self.text.get(self.nodes[index].range.clone()).unwrap_or_default()
    }

    /// Index of the value of a key in an association list: the value behind the dot, or else the
    /// list of the pair itself. `None` where the key is missing.
    pub(crate) fn association(&self, list: usize, key: &str) -> Option<usize> {
        let pair = self.elements(list).find(|pair| self.key(*pair) == Some(key))?;
        match self.nodes[pair].children.as_slice() {
            [_, dot, value] if self.is_dot(*dot) => Some(*value),
            _ => Some(pair),
        }
    }

    fn is_dot(&self, index: usize) -> bool {
        self.kind(index) == ExpressionKind::Symbol && self.text(index) == "."
    }

    /// The key of a pair such as `(key . value)`; `None` for other values.
    fn key(&self, pair: usize) -> Option<&'t str> {
        let first = *self.nodes[pair].children.first()?;
        let is_key =
            self.kind(pair) == ExpressionKind::List && self.kind(first) == ExpressionKind::Symbol;
        is_key.then(|| self.text(first))
    }

    /// JSON of a value that [`Self::association`] returns; `None` where it cannot be written.
    pub(crate) fn json(&self, index: usize) -> Option<Rebuilt> {
        let mut rebuilt = Rebuilt::default();
        let children = &self.nodes[index].children;
        let is_rest = self.key(index) == Some(":object");
        if is_rest {
            self.object(
                &children[1..],
                self.nodes[index].range.clone(),
                &mut rebuilt,
                ValuePlace::default(),
            )?;
        } else {
            self.value(index, &mut rebuilt, ValuePlace::default())?;
        }
        Some(rebuilt)
    }

    fn value(&self, index: usize, rebuilt: &mut Rebuilt, depth: ValuePlace) -> Option<()> {
        /// Most levels of nesting that are converted to JSON; messages have fewer. A deeper value
        /// is not converted.
        const DEPTH: usize = 100;
        if depth.levels > DEPTH {
            return None;
        }
        let Expression { kind, range, children } = &self.nodes[index];
        match kind {
            ExpressionKind::List => self.object(children, range.clone(), rebuilt, depth)?,
            ExpressionKind::Vector => {
                rebuilt.write("[", range.start..range.start + 1);
                for (position, child) in children.iter().enumerate() {
                    if position > 0 {
                        let start = self.nodes[*child].range.start;
                        rebuilt.write(",", start..start);
                    }
                    self.value(*child, rebuilt, depth.below(""))?;
                }
                rebuilt.write("]", range.end - 1..range.end);
            }
            ExpressionKind::String => self.string(range.clone(), rebuilt),
            ExpressionKind::Symbol => Self::symbol(self.text(index), range.clone(), depth, rebuilt),
            ExpressionKind::Shared(number) => {
                // The value stands at another place; this place is where it is used.
                let shared = *self.shared.get(number)?;
                self.budget.set(self.budget.get().checked_sub(1)?);
                let mut inner = Rebuilt::default();
                self.value(shared, &mut inner, depth.below(""))?;
                self.budget.set(self.budget.get().checked_sub(inner.text.len() / COST)?);
                if inner.unsure.is_empty() {
                    rebuilt.write(&inner.text, range.clone());
                } else {
                    rebuilt.guess(&inner.text, range.clone());
                }
            }
        }
        Some(())
    }

    /// Writes an object; each of `pairs` is a list of key and value. `None` where a pair is faulty.
    fn object(
        &self,
        pairs: &[usize],
        place: Range<usize>,
        rebuilt: &mut Rebuilt,
        depth: ValuePlace,
    ) -> Option<()> {
        rebuilt.write("{", place.start..place.start + 1);
        for (position, pair) in pairs.iter().copied().enumerate() {
            let key = self.key(pair)?;
            let own = &self.nodes[pair];
            if position > 0 {
                rebuilt.write(",", own.range.start..own.range.start);
            }
            let first = self.nodes[own.children[0]].range.clone();
            rebuilt.string(&key.replace('\\', ""), first.clone());
            rebuilt.write(":", first.end..first.end);
            match &own.children[1..] {
                [dot, value] if self.is_dot(*dot) => {
                    self.value(*value, rebuilt, depth.below(key))?;
                }
                // The pair is `(key . nil)`. What is there is asked for more often than what it is.
                [] if depth.levels == 0 && matches!(key, "id" | "error") => {
                    rebuilt.guess("null", first.end..own.range.end);
                }
                [] => rebuilt.guess(depth.nil(), first.end..own.range.end),
                rest => {
                    let start = self.nodes[rest[0]].range.start;
                    // The brackets of the object are those of the pair.
                    let place = start.saturating_sub(1).max(first.end)..own.range.end;
                    self.object(rest, place, rebuilt, depth.below(key))?;
                }
            }
        }
        let end = place.end;
        rebuilt.write("}", end.saturating_sub(1).max(place.start)..end);
        Some(())
    }

    fn symbol(text: &str, place: Range<usize>, depth: ValuePlace, rebuilt: &mut Rebuilt) {
        match text {
            "t" => rebuilt.write("true", place),
            ":false" | ":json-false" => rebuilt.write("false", place),
            ":null" | ":json-null" => rebuilt.write("null", place),
            "nil" => rebuilt.guess(depth.nil(), place),
            number if serde_json::from_str::<serde_json::Number>(number).is_ok() => {
                rebuilt.write(number, place);
            }
            other => rebuilt.string(other, place),
        }
    }

    /// Writes a JSON string. Lisp escapes neither line breaks nor most other characters.
    fn string(&self, place: Range<usize>, rebuilt: &mut Rebuilt) {
        let Range { start, end } = place;
        rebuilt.write("\"", start..start + 1);
        let mut from = start + 1;
        let last = end.saturating_sub(1).max(from);
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < last {
            let byte = bytes[at];
            if byte != b'\\' && byte >= b' ' {
                at += 1;
                continue;
            }
            if from < at {
                rebuilt.copy(self.text, from..at);
            }
            let (json, length) = if byte == b'\\' {
                escape(self.text.get(at..last).unwrap_or_default())
            } else {
                (format!("\\u{byte:04x}"), 1)
            };
            rebuilt.write(&json, at..at + length);
            at += length;
            from = at;
        }
        if from < last {
            rebuilt.copy(self.text, from..last);
        }
        rebuilt.write("\"", last..end.max(last));
    }
}

/// Offset behind the closing quote of a string whose inside begins at `from`.
fn string_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(offset) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += offset + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at = (at + 1).min(bytes.len());
    }
    bytes.len()
}

/// JSON for the Lisp escape sequence at the start of a text, and the length of the sequence in
/// bytes.
fn escape(text: &str) -> (String, usize) {
    let Some(next) = text.chars().nth(1) else { return (String::new(), text.len()) };
    let code = |digits: &str, length: usize| {
        let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
        let json = serde_json::to_string(&code.unwrap_or(char::REPLACEMENT_CHARACTER));
        (json.unwrap_or_default().trim_matches('"').to_owned(), length)
    };
    match next {
        'n' | 't' | 'r' | 'b' | 'f' => (format!("\\{next}"), 2),
        '"' => ("\\\"".to_owned(), 2),
        '\\' => ("\\\\".to_owned(), 2),
        'e' => ("\\u001b".to_owned(), 2),
        // An escaped line break or space stands for nothing.
        '\n' | ' ' => (String::new(), 2),
        'u' if text.len() >= 6 => code(text.get(2..6).unwrap_or_default(), 6),
        other => {
            let json = serde_json::to_string(&other).unwrap_or_default();
            (json.trim_matches('"').to_owned(), 1 + other.len_utf8())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> serde_json::Value {
        let forms = Forms::of(text);
        let rebuilt = forms.json(forms.root().unwrap()).unwrap();
        serde_json::from_str(&rebuilt.text).unwrap_or_else(|error| panic!("{rebuilt:?}: {error}"))
    }

    #[test]
    fn values_become_json() {
        let text =
            r#"((a . #1="x\"y\\") (b . [1 -2.5 t :false :null nil]) (c (d . #1#) (e)) (id))"#;
        let expected = serde_json::json!({
            "a": "x\"y\\", "b": [1, -2.5, true, false, null, {}],
            "c": {"d": "x\"y\\", "e": {}}, "id": null
        });
        assert_eq!(json(text), expected);
        let text = "((update (title) (capabilities (cancel))))";
        let expected =
            serde_json::json!({"update": {"title": null, "capabilities": {"cancel": {}}}});
        assert_eq!(json(text), expected);
        assert_eq!(json("((a . \"one\ntwo \\u00e9\"))"), serde_json::json!({"a": "one\ntwo é"}));
    }

    #[test]
    fn what_breaks_off_does_no_harm() {
        for text in ["", "(", "((a . \"", "((a . #", "#1", ")", "\"\\", "((a . b", "(a b . c)"] {
            let forms = Forms::of(text);
            let _ = forms.root().and_then(|root| forms.json(root));
        }
    }
}
