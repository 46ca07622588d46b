//! The tape against `serde_json`: both read a text, to the same values, or neither does.
#![no_main]

use acpcheck::{
    json::{Doc, Kind, Node, Tape},
    source::Origin,
};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The name by which `serde_json` tells itself that a string is to be read as JSON in place of the
    // object: what it then reads is not what is written.
    if text.contains("::private::RawValue") {
        return;
    }
    let mut tape = Tape::new();
    match (tape.parse(text), serde_json::from_str::<Value>(text)) {
        (Ok(()), Ok(theirs)) => {
            let doc = Doc::new(text, &tape, Origin::START);
            assert_eq!(value(doc.root()), theirs);
            walk(&doc, doc.root());
            for (first, second) in doc.duplicate_names() {
                assert!(first.text() == second.text());
                assert!(first.span().end() < second.span().start);
            }
            append(text, &theirs);
        }
        (Err(fault), Err(_)) => {
            assert!(text.is_char_boundary(fault.at as usize), "{}", fault.at);
            assert!(Doc::new(text, &tape, Origin::START).root().is_null());
        }
        (Err(fault), Ok(_)) => panic!("only serde reads it: {fault} at {}", fault.at),
        (Ok(()), Err(theirs)) => {
            let why = theirs.to_string();
            assert!(why.contains("out of range") || why.contains("recursion"), "{why}");
        }
    }
});

fn value(node: Node<'_>) -> Value {
    let text = |node: Node<'_>| node.text().expect("a string").to_string();
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Number => serde_json::from_str(node.raw()).expect("a number"),
        Kind::String => Value::String(text(node)),
        Kind::Array => node.elements().map(value).collect(),
        Kind::Object => node.members().map(|(name, node)| (text(name), value(node))).collect(),
    }
}

/// Looks at each value in the ways that there are.
fn walk(doc: &Doc<'_>, node: Node<'_>) {
    let mut length = 0;
    for (name, value) in node.members() {
        length += 1;
        let name = name.text().expect("a name is a string").to_string();
        assert_eq!(node.get(&name).expect("it is there").range(), value.range());
        walk(doc, value);
    }
    for (position, element) in node.elements().enumerate() {
        length += 1;
        assert_eq!(element.range(), node.at(position).expect("it is there").range());
        walk(doc, element);
    }
    assert_eq!(node.len(), length);
    assert_eq!(node.raw(), &doc.text()[node.range()]);
    let pointed = doc.root().at_pointer(&node.pointer()).expect("pointers lead back");
    assert_eq!(pointed.range(), node.range());
    if node.is_number() {
        assert_eq!(node.number(), node.raw().parse().ok());
        if let Some(integer) = node.integer() {
            assert_eq!(integer as f64, node.number().expect("a number"));
        }
    }
}

/// A text among others is read as it is alone.
fn append(text: &str, alone: &Value) {
    let mut tape = Tape::new();
    let _ = tape.append("[{\"a\":1,\"a\":2}");
    let first = tape.append("{\"a\":1,\"a\":2}").expect("JSON");
    let part = tape.append(text).expect("it was read before");
    assert_eq!(value(Doc::of_part(text, &tape, part, Origin::START).root()), *alone);
    let doc = Doc::of_part("{\"a\":1,\"a\":2}", &tape, first, Origin::START);
    assert_eq!(doc.duplicate_names().count(), 1);
}
