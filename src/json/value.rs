//! Messages as values of `serde_json`, for acpcheck's own client and agent, which understand what the
//! rules understand.

use serde_json::{Map, Number, Value};

use super::{Doc, Kind, Node, Tape};
use crate::source::Origin;

/// How deeply nested values are copied. Deeper ones become null: no message has anything of its own
/// there.
const DEEPEST: usize = 128;

/// The text as a value; `None` when it is not JSON, or not wanted. A value takes much more memory than
/// its text, so `is_wanted` is asked before.
pub fn value(text: &[u8], is_wanted: impl FnOnce(Node<'_>) -> bool) -> Option<Value> {
    let text = std::str::from_utf8(text).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut tape = Tape::default();
    tape.parse(text).ok()?;
    let doc = Doc::new(text, &tape, Origin::START);
    is_wanted(doc.root()).then(|| of(doc.root()))
}

pub(super) fn of(node: Node<'_>) -> Value {
    copied(node, DEEPEST)
}

fn copied(node: Node<'_>, depth: usize) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Number => Value::Number(number(node)),
        Kind::String => node.text().map_or(Value::Null, |text| text.as_cow().into()),
        Kind::Array => node.elements().map(|element| copied(element, depth - 1)).collect(),
        Kind::Object => {
            let member = |(name, value): (Node<'_>, Node<'_>)| {
                Some((name.text()?.as_cow().into_owned(), copied(value, depth - 1)))
            };
            node.members().filter_map(member).collect::<Map<_, _>>().into()
        }
    }
}

/// A number as `serde_json` has it: `1.0` is an integer. Beyond the range of `f64`, the greatest finite
/// number of the same sign.
pub(super) fn number(node: Node<'_>) -> Number {
    if let Some(integer) = node.integer() {
        return integer.into();
    }
    serde_json::from_str(node.raw()).unwrap_or_else(|_| {
        let greatest = if node.raw().starts_with('-') { f64::MIN } else { f64::MAX };
        Number::from_f64(greatest).unwrap_or_else(|| 0.into())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn messages_are_read_as_rules_read_them() {
        let read = |text: &str| value(text.as_bytes(), |_| true).unwrap();
        assert_eq!(
            read(r#"{"id":0.0,"a":[null,true,"\u00fc",1.5]}"#),
            json!({"id": 0, "a": [null, true, "ü", 1.5]})
        );
        assert_eq!(read(r#"{"id":1,"id":2}"#), json!({"id": 2}));
        assert_eq!(read("9007199254740993"), json!(9_007_199_254_740_993_u64));
        assert_eq!(read("\u{feff}{}"), json!({}));
        assert_eq!(read("-1e999"), json!(f64::MIN));
        let deep = format!(r#"{{"a":{}{},"id":1}}"#, "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(read(&deep)["id"], 1);
        assert_eq!(value(b"{", |_| true), None);
        assert_eq!(value(b"\xff", |_| true), None);
    }
}
