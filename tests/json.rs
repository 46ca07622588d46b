//! The tape against `serde_json`, which has read more JSON than we ever will.

use std::collections::BTreeSet;
use std::{borrow, fmt};

use acpcheck::json::{Doc, Kind, Node, Reason, Tape, TapeJson};
use acpcheck::source::{Layout, Origin};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, json};

use super::effort;

fn parsed(text: &str) -> Tape {
    let mut tape = Tape::new();
    if let Err(fault) = tape.parse(text) {
        panic!("{fault} at {} of {text}", fault.at);
    }
    tape
}

fn document<'t>(text: &'t str, tape: &'t Tape) -> Doc<'t> {
    Doc::new(text, tape, Origin::START)
}

/// The value of a node by way of its public accessors.
fn value(node: Node<'_>) -> Value {
    let text = |node: Node<'_>| node.text().unwrap().to_string();
    match node.kind() {
        Kind::Null => Value::Null,
        Kind::True => Value::Bool(true),
        Kind::False => Value::Bool(false),
        Kind::Number => serde_json::from_str(node.raw()).unwrap(),
        Kind::String => Value::String(text(node)),
        Kind::Array => node.elements().map(value).collect(),
        Kind::Object => node.members().map(|(name, node)| (text(name), value(node))).collect(),
    }
}

/// The normal text of a JSON text.
fn normal(text: &str) -> String {
    let tape = parsed(text);
    document(text, &tape).root().normal().into_owned()
}

#[test]
fn a_value_has_one_normal_text() {
    for (spelling, expected) in [
        (r#""\u0061\/b""#, r#""a/b""#),
        (r#""a \" b""#, r#""a \" b""#),
        ("[ ]", "[]"),
        ("{ }", "{}"),
        (r#"[1.0, 1e0, [ ], {"\u0061": [true, null]}, 10e-1]"#, r#"[1,1,[],{"a":[true,null]},1]"#),
        (r#"{"b": {}, "a": {"x": "\u0079"}, "b": 0}"#, r#"{"b":{},"a":{"x":"y"},"b":0}"#),
        ("[9223372036854775809, 9223372036854775808]", "[9223372036854775809,9223372036854775808]"),
    ] {
        assert_eq!(normal(spelling), expected, "{spelling}");
    }
}

#[test]
fn the_normal_text_of_deep_values_is_whole() {
    const DEPTH: usize = 20_000;
    let deep = "[".repeat(DEPTH) + "1.0" + &"]".repeat(DEPTH);
    assert_eq!(normal(&deep), deep.replace("1.0", "1"));
}

/// The root and all values below it.
fn everything<'t>(doc: &'t Doc<'_>) -> Vec<Node<'t>> {
    fn collect<'t>(node: Node<'t>, nodes: &mut Vec<Node<'t>>) {
        nodes.push(node);
        node.members().for_each(|(_, value)| collect(value, nodes));
        node.elements().for_each(|element| collect(element, nodes));
    }
    let mut nodes = Vec::new();
    collect(doc.root(), &mut nodes);
    nodes
}

/// Both read the text, to the same value, or neither does.
fn agree(text: &str) -> Result<(), TestCaseError> {
    let mut tape = Tape::new();
    let ours = tape.parse(text);
    match (ours, serde_json::from_str::<Value>(text)) {
        (Ok(()), Ok(theirs)) => prop_assert_eq!(value(document(text, &tape).root()), theirs),
        (Err(fault), Err(_)) => prop_assert!(fault.at as usize <= text.len()),
        (Err(fault), Ok(_)) => {
            prop_assert!(false, "only serde reads {text:?}: {fault} at {}", fault.at);
        }
        (Ok(()), Err(theirs)) => {
            let theirs = theirs.to_string();
            let limit = theirs.contains("number out of range") || theirs.contains("recursion");
            prop_assert!(limit, "only the tape reads {text:?}: {theirs}");
        }
    }
    Ok(())
}

fn blank() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", " ", "\n", "\t \r\n"])
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,2})",
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
        select(vec!["-9223372036854775808", "9223372036854775808.0", "1e2", "5e-05"])
            .prop_map(str::to_owned),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "b",
        "/",
        "~",
        "~1",
        " ",
        "é",
        "🦀",
        "\u{7f}",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u0061",
        "\\uD83E\\udd80",
        "\\u0000",
        "sessionUpdate",
        "sixteen letters.",
    ];
    prop::collection::vec(select(pieces), 0..5).prop_map(|all| format!("\"{}\"", all.concat()))
}

fn name() -> impl Strategy<Value = String> {
    let common = vec!["a", "\\u0061", "b", "sessionId", "sessionIx", "", "0"];
    prop_oneof![select(common).prop_map(|name| format!("\"{name}\"")), string(), "\"[a-z]{1,12}\""]
}

/// JSON texts with odd white space, escapes and repeated names.
fn text() -> impl Strategy<Value = String> {
    let literal = select(vec!["null", "true", "false", "[]", "{}", "[ ]", "{\n}"]);
    let leaf = prop_oneof![literal.prop_map(str::to_owned), number(), string()];
    let nested = leaf.prop_recursive(5, 120, 24, |inner| {
        let padded = (blank(), inner, blank())
            .prop_map(|(before, value, after)| format!("{before}{value}{after}"))
            .boxed();
        let member = (blank(), name(), blank(), padded.clone())
            .prop_map(|(before, name, after, value)| format!("{before}{name}{after}:{value}"))
            .boxed();
        let object = |all: Vec<String>| format!("{{{}}}", all.join(","));
        prop_oneof![
            prop::collection::vec(padded, 1..6).prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec(member.clone(), 1..6).prop_map(object),
            prop::collection::vec(member, 14..24).prop_map(object),
        ]
    });
    (blank(), nested, blank()).prop_map(|(before, value, after)| format!("{before}{value}{after}"))
}

/// A member of an object as messages have them.
/// JSON texts in which no object repeats a name.
fn unique_text() -> impl Strategy<Value = String> {
    text().prop_map(|text| serde_json::from_str::<Value>(&text).unwrap().to_string())
}

/// Texts that come near the schemas below.
fn instance() -> impl Strategy<Value = String> {
    let literals = vec![
        "null",
        "true",
        "false",
        "0",
        "1",
        "1.0",
        "2.5",
        "-3",
        "1e2",
        "18446744073709551616",
        "\"\"",
        "\"x\"",
        "\"\\u0078\"",
        "\"text\"",
        "\"t\\u0065xt\"",
        "\"🦀🦀\"",
        "\"image\"",
        "{\"a\": [1.0, \"\\u0078\"]}",
    ];
    let leaf = prop_oneof![select(literals).prop_map(str::to_owned), number()];
    let names = vec!["type", "t\\u0079pe", "id", "next", "items", "x-any", "X", "a", "longer-name"];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let member = (select(names.clone()), inner.clone())
            .prop_map(|(name, value)| format!("\"{name}\": {value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|all| format!("[{}]", all.join(", "))),
            prop::collection::vec(member, 0..6).prop_map(|all| format!("{{{}}}", all.join(", "))),
        ]
    })
}

type Validators = (jsonschema::Validator<TapeJson>, jsonschema::Validator);

thread_local! {
    static VALIDATORS: Vec<Validators> = [
        json!({
            "type": "object",
            "required": ["type", "id"],
            "properties": {
                "type": {"enum": ["text", "image", null, 1]},
                "id": {"type": ["integer", "string"], "minimum": -5, "maxLength": 2},
                "next": {"$ref": "#"},
                "items": {"type": "array", "items": {"$ref": "#"}, "maxItems": 3},
            },
            "additionalProperties": false,
        }),
        json!({
            "oneOf": [
                {"type": "object", "required": ["type"], "properties": {"type": {"const": "text"}}},
                {"type": "object", "required": ["id"], "properties": {"id": {"const": 1}}},
                {"type": "array", "uniqueItems": true, "contains": {"const": 1}},
            ],
            "unevaluatedProperties": {"type": "string"},
        }),
        json!({
            "anyOf": [
                {"type": "string", "minLength": 2},
                {"type": "number", "multipleOf": 0.5},
                {"type": "object"},
            ],
            "propertyNames": {"maxLength": 4, "pattern": "^[a-z🦀]"},
            "patternProperties": {
                "^x-": {"type": "null"},
                "^i": {"minimum": 1, "exclusiveMaximum": 100},
            },
            "dependentRequired": {"a": ["id"]},
            "minProperties": 1,
            "maxProperties": 3,
            "not": {"required": ["X"]},
        }),
        json!({
            "if": {"properties": {"type": {"const": {"a": [1, "x"]}}}},
            "then": {"additionalProperties": {"type": ["object", "boolean", "number"]}},
            "else": {"prefixItems": [{"type": "integer"}], "items": false},
        }),
    ]
    .iter()
    .map(|schema| {
        let ours = jsonschema::options_for::<TapeJson>().build(schema).unwrap();
        (ours, jsonschema::validator_for(schema).unwrap())
    })
    .collect();
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: effort::cases(512),
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_json_text_has_the_value_it_has_for_serde(text in text()) {
        prop_assert!(serde_json::from_str::<Value>(&text).is_ok());
        agree(&text)?;
    }

    #[test]
    fn tokens_in_any_order_are_read_exactly_when_serde_reads_them(
        tokens in prop::collection::vec(
            select(vec![
                "{", "}", "[", "]", ":", ",", "\"", "\"a\"", "\\", "\\u", "u", "d83e", "dd80", "0",
                "1", ".", "-", "+", "e", "t", "true", "false", "null", " ", "\n", "\u{1f}", "é",
                "\u{feff}",
            ]),
            0..12,
        )
    ) {
        agree(&tokens.concat())?;
    }

    #[test]
    fn a_damaged_text_is_read_exactly_when_serde_reads_it(
        text in text(),
        at in any::<Index>(),
        removed in 0_usize..3,
        added in select(vec![
            "", "", "{", "}", "[", "]", ":", ",", "\"", "\\", "\\ud800", "\\udc00", "0", "-", ".",
            "e", "\u{1}", "x", "é", "\u{a0}", "tru",
        ]),
    ) {
        let mut letters: Vec<char> = text.chars().collect();
        let at = at.index(letters.len() + 1);
        let end = (at + removed).min(letters.len());
        letters.splice(at..end, added.chars());
        agree(&letters.into_iter().collect::<String>())?;
    }

    #[test]
    fn any_bytes_are_read_exactly_when_serde_reads_them(bytes in any::<Vec<u8>>()) {
        agree(&String::from_utf8_lossy(&bytes))?;
    }

    #[test]
    fn any_text_in_quotes_is_read_exactly_when_serde_reads_it(text in any::<String>()) {
        agree(&format!("\"{text}\""))?;
        agree(&serde_json::to_string(&text).unwrap())?;
    }

    #[test]
    fn a_span_covers_its_value_and_nothing_else(text in text()) {
        let tape = parsed(&text);
        let origin = Origin { start: 1000, line: 7, column: 40, layout: Layout::Line };
        let doc = Doc::new(&text, &tape, origin);
        for node in everything(&doc) {
            let span = node.span();
            let start = usize::try_from(span.start).unwrap() - 1000;
            let covered = &text[start..start + span.len as usize];
            prop_assert_eq!(covered, node.raw());
            prop_assert_eq!(covered, covered.trim());
            prop_assert_eq!(serde_json::from_str::<Value>(covered).unwrap(), value(node));
        }
    }

    #[test]
    fn what_is_missing_goes_before_the_closing_bracket(text in unique_text()) {
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        for node in everything(&doc) {
            let place = node.insertion();
            prop_assert_eq!(place.len, 0);
            if !node.is_array() && !node.is_object() {
                prop_assert_eq!(place.start, node.span().end());
                continue;
            }
            let at = usize::try_from(place.start).unwrap();
            let comma = if node.is_empty() { "" } else { "," };
            let added = if node.is_array() { "7" } else { "\"added here\":7" };
            let mended = format!("{}{comma}{added}{}", &text[..at], &text[at..]);
            let mended: Value = serde_json::from_str(&mended).unwrap();
            let last = match mended.pointer(&node.pointer()).unwrap() {
                Value::Array(elements) => elements.last(),
                other => other.get("added here"),
            };
            prop_assert_eq!(last, Some(&json!(7)));
        }
    }

    #[test]
    fn a_pointer_leads_serde_to_the_same_value(text in unique_text()) {
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        let theirs: Value = serde_json::from_str(&text).unwrap();
        for node in everything(&doc) {
            let pointer = node.pointer();
            prop_assert_eq!(theirs.pointer(&pointer), Some(&value(node)));
            prop_assert_eq!(doc.root().at_pointer(&pointer).unwrap().span(), node.span());
            for (name, value) in node.members() {
                prop_assert_eq!(name.pointer(), value.pointer());
            }
        }
    }

    #[test]
    fn pointers_below_another_root_count_from_there(text in unique_text(), at in any::<Index>()) {
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        let nodes = everything(&doc);
        let root = nodes[at.index(nodes.len())];
        let inner = doc.with_root(root);
        prop_assert_eq!(inner.root().pointer(), "");
        for node in everything(&inner) {
            let pointer = format!("{}{}", root.pointer(), node.pointer());
            prop_assert_eq!(doc.root().at_pointer(&pointer).unwrap().span(), node.span());
        }
    }

    #[test]
    fn a_member_is_the_last_of_its_name(text in text()) {
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        for node in everything(&doc) {
            let mut len = 0;
            match serde_json::from_str(node.raw()).unwrap() {
                Value::Object(members) => for (name, member) in members {
                    len += 1;
                    prop_assert_eq!(value(node.get(&name).unwrap()), member);
                },
                Value::Array(elements) => for element in elements {
                    prop_assert_eq!(value(node.at(len).unwrap()), element);
                    len += 1;
                },
                _ => {}
            }
            prop_assert_eq!(node.len(), len);
            prop_assert_eq!(node.is_empty(), len == 0);
            prop_assert!(node.at(len).is_none());
            prop_assert!(node.get("never a name").is_none());
        }
    }

    #[test]
    fn every_repeated_name_is_found(text in text()) {
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        prop_assert_eq!(doc.duplicate_names().count(), serde_json::from_str::<Repeats>(&text).unwrap().0);
        for (first, second) in doc.duplicate_names() {
            prop_assert!(first.text().unwrap() == second.text().unwrap());
            prop_assert!(first.span().end() < second.span().start);
        }
    }

    #[test]
    fn texts_on_one_tape_do_not_touch_each_other(texts in prop::collection::vec(text(), 1..5)) {
        fn repeats(doc: &Doc<'_>) -> Vec<(u64, u64)> {
            let places = doc.duplicate_names();
            places.map(|(first, second)| (first.span().start, second.span().start)).collect()
        }
        let mut tape = Tape::new();
        let mut parts = Vec::new();
        for text in &texts {
            let broken = tape.append("[{\"a\":1,\"a\":2},");
            prop_assert!(broken.is_err());
            parts.push(tape.append(text).unwrap());
        }
        for (text, part) in texts.iter().zip(parts) {
            let alone = parsed(text);
            let alone = document(text, &alone);
            let doc = Doc::of_part(text, &tape, part, Origin::START);
            prop_assert_eq!(value(doc.root()), value(alone.root()));
            prop_assert_eq!(repeats(&doc), repeats(&alone));
        }
    }

    #[test]
    fn a_number_is_what_rust_reads(number in number()) {
        let tape = parsed(&number);
        let doc = document(&number, &tape);
        let float: f64 = number.parse().unwrap();
        prop_assert_eq!(doc.root().number(), Some(float));
        let exact: Option<i64> = number.parse().ok();
        match doc.root().integer() {
            integer if exact.is_some() => prop_assert_eq!(integer, exact),
            #[expect(clippy::cast_precision_loss, reason = "it came from this `f64`")]
            Some(integer) => prop_assert!((integer as f64 - float).abs() < 1e-9),
            None => prop_assert!(float.fract() != 0.0 || float.abs() >= 9.2e18),
        }
    }

    #[test]
    fn a_validator_judges_the_tape_as_it_judges_serde(text in instance()) {
        fn places<'e>(
            errors: impl Iterator<Item = jsonschema::ValidationError<'e>>,
        ) -> Vec<(String, String)> {
            let place = |error: jsonschema::ValidationError<'_>| {
                // Not the message, which lists members in the order of serde's map.
                (error.instance_path().to_string(), error.schema_path().to_string())
            };
            let mut places: Vec<_> = errors.map(place).collect();
            places.sort();
            places
        }
        let tape = parsed(&text);
        let doc = document(&text, &tape);
        let value: Value = serde_json::from_str(&text).unwrap();
        VALIDATORS.with(|validators| {
            for (ours, theirs) in validators {
                prop_assert_eq!(ours.is_valid(doc.root()), theirs.is_valid(&value), "{}", text);
                let (ours, theirs) = (ours.iter_errors(doc.root()), theirs.iter_errors(&value));
                prop_assert_eq!(places(ours), places(theirs), "{}", text);
            }
            Ok(())
        })?;
    }
}

/// How many members of a text are overridden, as `serde` sees them go by.
struct Repeats(usize);

impl<'de> Deserialize<'de> for Repeats {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Counter;
        impl<'de> Visitor<'de> for Counter {
            type Value = Repeats;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_unit<E>(self) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_u64<E>(self, _: u64) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_f64<E>(self, _: f64) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_str<E>(self, _: &str) -> Result<Repeats, E> {
                Ok(Repeats(0))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Repeats, A::Error> {
                let mut sum = 0;
                while let Some(Repeats(below)) = access.next_element()? {
                    sum += below;
                }
                Ok(Repeats(sum))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Repeats, A::Error> {
                let mut names = BTreeSet::new();
                let mut sum = 0;
                while let Some((name, Repeats(below))) = access.next_entry::<String, _>()? {
                    sum += below + usize::from(!names.insert(name));
                }
                Ok(Repeats(sum))
            }
        }
        deserializer.deserialize_any(Counter)
    }
}

/// What is remembered of long lists changes nothing, in whatever order their values are asked for.
#[test]
fn values_of_long_lists_are_found_in_any_order() {
    const LONG: usize = 3_000;
    let elements: Vec<_> = (0..LONG).map(|number| format!("[{number},{{\"a\":0}}]")).collect();
    let members: Vec<_> = (0..LONG).map(|number| format!("\"m{number}\":[{number}]")).collect();
    let text = format!("[0,[{}],{{{}}},[1]]", elements.join(","), members.join(","));
    let tape = parsed(&text);
    let doc = document(&text, &tape);
    let [list, object] = [1, 2].map(|position| doc.root().at(position).unwrap());
    let values: Vec<_> = list.elements().collect();
    // Far from each other, near each other, from both ends.
    let scattered = (0..LONG).map(|number| number * 1_237 % LONG);
    let mirrored = (0..LONG).map(|number| if number % 2 == 0 { number } else { LONG - number });
    for number in scattered.chain(mirrored).chain(0..LONG).chain((0..LONG).rev()) {
        let element = list.at(number).unwrap();
        assert_eq!(element.range(), values[number].range());
        let inner = element.at(1).and_then(|inner| inner.get("a")).unwrap();
        assert_eq!(inner.pointer(), format!("/1/{number}/1/a"));
        assert_eq!(doc.root().at_pointer(&inner.pointer()).unwrap().range(), inner.range());
        let pointer = format!("/2/m{number}");
        let member = doc.root().at_pointer(&pointer).unwrap();
        assert_eq!(member.at(0).unwrap().raw(), number.to_string());
        assert_eq!(member.pointer(), pointer);
    }
    assert!(list.at(LONG).is_none() && object.at(0).is_none());
    assert!(doc.root().at_pointer(&format!("/2/m{LONG}")).is_none());
    let name = object.name_of("m2999").unwrap();
    assert_eq!(name.pointer(), "/2/m2999");
    let below = doc.with_root(list);
    assert_eq!(below.root().at(2_998).unwrap().pointer(), "/2998");
}

#[test]
fn fifty_thousand_nested_brackets_are_read() {
    const DEPTH: usize = 50_000;
    let arrays = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    let tape = parsed(&arrays);
    let doc = document(&arrays, &tape);
    let depth = std::iter::successors(Some(doc.root()), |node| node.at(0)).count();
    assert_eq!(depth, DEPTH);

    let objects = format!("{}1{}", "{\"a\":".repeat(DEPTH), "}".repeat(DEPTH));
    let tape = parsed(&objects);
    let doc = document(&objects, &tape);
    let innermost = std::iter::successors(Some(doc.root()), |node| node.get("a")).last().unwrap();
    assert_eq!(innermost.integer(), Some(1));
    assert_eq!(innermost.pointer().len(), 2 * DEPTH);

    let fault = Tape::new().parse(&"[".repeat(DEPTH)).unwrap_err();
    assert_eq!(fault.at as usize, DEPTH);
}

/// However little is written for a value, the tape takes a bounded multiple of the text.
#[test]
fn a_long_text_of_tiny_values_is_refused() {
    const MANY: usize = 250_000;
    let list = |value: &str, count: usize| format!("[{}0]", format!("{value},").repeat(count));
    for value in ["1", "{}", "[]", "\"\""] {
        assert!(Tape::new().parse(&list(value, MANY - 2)).is_ok(), "{value}");
        let fault = Tape::new().parse(&list(value, MANY)).expect_err(value);
        assert_eq!(fault.reason, Reason::Values, "{value}");
    }
    // Values of four bytes are read, however many there are.
    for value in ["1   ", "true", "\"abc\""] {
        assert!(Tape::new().parse(&list(value, 2 * MANY)).is_ok(), "{value}");
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}0{}", open.repeat(60_000), close.repeat(60_000));
        assert_eq!(Tape::new().parse(&text).expect_err(open).reason, Reason::Values, "{open}");
    }
}

#[test]
fn the_tape_keeps_the_contract_of_jsonschema() {
    let text = jsonschema::json::conformance::document().to_string();
    let tape = parsed(&text);
    let doc = document(&text, &tape);
    jsonschema::json::conformance::assert_conformance::<TapeJson>(&doc.root());
}

#[test]
fn a_validator_that_must_have_a_value_whole_gets_null_for_its_depths() {
    let text = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let tape = parsed(&text);
    let doc = document(&text, &tape);
    let whole = jsonschema::json::Node::to_value(&doc.root()).to_string();
    assert_eq!(whole, format!("{}null{}", "[".repeat(128), "]".repeat(128)));
}

#[test]
fn a_fault_says_where_and_what_would_have_been_right() {
    const LOW: &str = "expected the second half of a surrogate pair, `\\udc00` to `\\udfff`";
    for (text, at, expected) in [
        ("", 0, "expected a value"),
        (" \n", 2, "expected a value"),
        ("{", 1, "expected a member name in double quotes or `}`"),
        ("{'a':1}", 1, "expected a member name in double quotes or `}`"),
        ("{\"a\":1,}", 7, "expected a member name in double quotes"),
        ("{\"a\" 1}", 5, "expected `:`"),
        ("{\"a\":}", 5, "expected a value"),
        ("{\"a\":1 \"b\":2}", 7, "expected `,` or `}`"),
        ("[1 2]", 3, "expected `,` or `]`"),
        ("[1,]", 3, "expected a value"),
        ("[,1]", 1, "expected a value or `]`"),
        ("[1}", 2, "expected `,` or `]`"),
        ("1 2", 2, "expected nothing after the value"),
        ("01", 1, "expected nothing after the value"),
        ("nul", 0, "expected `true`, `false` or `null`"),
        ("-", 1, "expected a digit"),
        ("1.", 2, "expected a digit"),
        ("1e+", 3, "expected a digit"),
        ("\"abc", 4, "expected the `\"` that ends the string"),
        ("\"a\tb\"", 2, "expected an escape such as `\\n`: strings have no raw control characters"),
        ("\"\\x\"", 2, "expected one of `\"\\/bfnrtu` after `\\`"),
        ("\"\\u00g0\"", 5, "expected four hexadecimal digits after `\\u`"),
        ("\"\\ud800\"", 7, LOW),
        ("\"\\ud800\\u0041\"", 7, LOW),
        ("\"\\udc00\"", 1, "expected the first half of a surrogate pair before this second half"),
    ] {
        let fault = Tape::new().parse(text).unwrap_err();
        assert_eq!((fault.at, fault.to_string().as_str()), (at, expected), "{text}");
        assert!(serde_json::from_str::<Value>(text).is_err(), "{text}");
    }
}

#[test]
fn a_tape_is_empty_after_a_fault_and_good_for_the_next_text() {
    let mut tape = parsed("{\"a\":1,\"a\":2}");
    assert!(tape.parse("[{\"b\":1,\"b\":2}").is_err());
    let doc = document("", &tape);
    assert!(doc.root().is_null());
    assert_eq!((doc.root().raw(), doc.root().len(), doc.duplicate_names().count()), ("", 0, 0));
    tape.parse("[7]").unwrap();
    assert_eq!(value(document("[7]", &tape).root()), json!([7]));
}

#[test]
fn numbers_beyond_the_range_are_read_and_known_to_be_out_of_it() {
    let text = "[1e999, -1e999, 123456789012345678901234567890, -0, 1e-999]";
    let tape = parsed(text);
    let doc = document(text, &tape);
    let [large, small, long, zero, tiny] = [0, 1, 2, 3, 4].map(|at| doc.root().at(at).unwrap());
    assert_eq!(large.number(), Some(f64::INFINITY));
    assert_eq!((large.integer(), small.integer(), long.integer()), (None, None, None));
    assert_eq!((zero.integer(), tiny.integer()), (Some(0), Some(0)));
    let valid = |schema: Value, node| {
        jsonschema::options_for::<TapeJson>().build(&schema).unwrap().is_valid(node)
    };
    assert!(valid(json!({"minimum": 5}), large));
    assert!(!valid(json!({"minimum": 5}), small));
    assert!(valid(json!({"type": "integer", "minimum": 5}), long));
    assert!(!valid(json!({"enum": [5]}), large));
}

/// `serde_json` reads the string as JSON and has its value in place of the object's, here none.
#[test]
fn a_name_that_serde_keeps_for_itself_is_one_like_any_other() {
    let text = r#"{"$serde_json::private::RawValue": "se{sion/new"}"#;
    let tape = parsed(text);
    let doc = document(text, &tape);
    let member = doc.root().get("$serde_json::private::RawValue").unwrap();
    assert_eq!((doc.root().len(), member.raw()), (1, "\"se{sion/new\""));
}

#[test]
fn a_repeated_name_is_found_through_its_escapes() {
    let text = r#"{"a": 1, "b": {"c": 2, "c": 3, "c": 4}, "\u0061": 5}"#;
    let tape = parsed(text);
    let doc = document(text, &tape);
    let repeats: Vec<_> =
        doc.duplicate_names().map(|(first, second)| (first.raw(), second.raw())).collect();
    assert_eq!(repeats, [("\"a\"", "\"\\u0061\""), ("\"c\"", "\"c\""), ("\"c\"", "\"c\"")]);
    assert_eq!(doc.root().get("a").unwrap().raw(), "5");
    assert_eq!(doc.root().path(&["b", "c"]).unwrap().raw(), "4");
    assert_eq!((doc.root().len(), doc.root().get("b").unwrap().len()), (2, 1));
    let names: Vec<_> = doc.root().members().map(|(name, _)| name.raw()).collect();
    assert_eq!(names, ["\"b\"", "\"\\u0061\""]);
    assert_eq!(doc.with_root(doc.root().get("b").unwrap()).duplicate_names().count(), 2);
}

#[test]
fn a_validator_sees_only_the_last_of_a_repeated_name() {
    let text = r#"{"a": "no", "b": "no", "a": 1}"#;
    let tape = parsed(text);
    let doc = document(text, &tape);
    let schema = json!({"additionalProperties": {"type": "integer"}, "maxProperties": 2});
    let validator = jsonschema::options_for::<TapeJson>().build(&schema).unwrap();
    let errors: Vec<_> = validator.iter_errors(doc.root()).collect();
    let places: Vec<_> = errors.iter().map(|error| error.instance_path().to_string()).collect();
    assert_eq!(places, ["/b"]);
}

#[test]
fn a_repeated_name_is_found_among_many() {
    let members: Vec<_> = (0..100_000).map(|number| format!("\"member {number}\":0")).collect();
    let text = format!("{{{},\"member 7\":1}}", members.join(","));
    let tape = parsed(&text);
    let doc = document(&text, &tape);
    assert_eq!(doc.root().len(), 100_000);
    assert_eq!(doc.duplicate_names().count(), 1);
    assert_eq!(doc.root().get("member 7").unwrap().integer(), Some(1));
}

#[test]
fn a_long_array_knows_its_length() {
    for length in [65_534, 65_535, 65_536, 70_000] {
        let text = format!("[{}]", vec!["1"; length].join(","));
        let tape = parsed(&text);
        assert_eq!(document(&text, &tape).root().len(), length);
    }
}

#[test]
fn a_string_ends_at_its_quote_wherever_that_stands() {
    for (piece, length) in [("x", 1), ("é", 2), ("\\n", 2)] {
        for count in 0..80 {
            let text = format!("[\"{}\",\"next\"]", piece.repeat(count));
            let tape = parsed(&text);
            let doc = document(&text, &tape);
            assert_eq!(doc.root().at(0).unwrap().raw().len(), length * count + 2);
            assert!(doc.root().at(1).unwrap().is("next"));
            for (at, _) in text.char_indices().skip(2).take(count) {
                let mut broken = text.clone();
                broken.insert(at, '\u{1f}');
                assert!(Tape::new().parse(&broken).is_err(), "{broken:?}");
            }
        }
    }
}

#[test]
fn a_text_compares_and_shows_what_it_says() {
    let text = r#"["na\u00efve\n", "naïve\n", "", "plain", 1]"#;
    let tape = parsed(text);
    let doc = document(text, &tape);
    let text = |at| doc.root().at(at).unwrap().text();
    let [escaped, same, empty, plain] = [0, 1, 2, 3].map(|at| text(at).unwrap());
    assert!(escaped == "naïve\n" && escaped == *"naïve\n" && escaped == same && escaped != plain);
    assert_eq!(escaped.len_chars(), 6);
    assert!(escaped.starts_with("naï") && !escaped.starts_with("na\\u"));
    assert!(empty.is_empty() && !plain.is_empty());
    assert!(matches!(plain.as_cow(), borrow::Cow::Borrowed("plain")));
    assert_eq!(format!("[{plain:>7}]"), "[  plain]");
    assert_eq!(&*escaped.to_boxed(), "naïve\n");
    assert!(text(4).is_none() && !doc.root().at(4).unwrap().is("1"));
}

#[test]
fn a_long_value_is_cut_where_it_is_printed() {
    let text = format!("\"{}\"", "é".repeat(100));
    let tape = parsed(&text);
    let doc = document(&text, &tape);
    assert_eq!(format!("{:?}", doc.root()), format!("\"{}…", "é".repeat(39)));
}

#[test]
fn what_is_not_there_is_none() {
    let text = r#"{"a": [true, null], "é/~": {"b": 1.0}}"#;
    let tape = parsed(text);
    let doc = document(text, &tape);
    let root = doc.root();
    assert!(root.at(0).is_none() && root.text().is_none() && root.number().is_none());
    assert!(root.path(&["a", "b"]).is_none() && root.path(&["a"]).unwrap().get("b").is_none());
    assert_eq!(root.path(&["é/~", "b"]).unwrap().integer(), Some(1));
    assert_eq!(root.path(&["é/~", "b"]).unwrap().pointer(), "/é~1~0/b");
    assert_eq!(root.at_pointer("/a/0").unwrap().boolean(), Some(true));
    for pointer in ["a", "/a/00", "/a/+1", "/a/2", "/a/-", "/a/", "/b", "/a/0/0"] {
        assert!(root.at_pointer(pointer).is_none(), "{pointer}");
    }
}

#[test]
fn strings_with_escapes_are_compared_as_what_they_stand_for() {
    let texts = [
        "",
        "p",
        "pl",
        "plan",
        "plans",
        "p\nlan",
        "p\\lan",
        "\u{1f642}",
        "\u{1f642}x",
        "x\u{1f642}",
        "計",
    ];
    let escaped = |text: &str| {
        let units = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
        format!("\"{}\"", units.collect::<String>())
    };
    for own in texts {
        let half = own.chars().next().map_or(0, char::len_utf8);
        let written = serde_json::to_string(&own[half..]).unwrap();
        let mixed =
            format!("{}{}", escaped(&own[..half]).strip_suffix('"').unwrap(), &written[1..]);
        for json in [escaped(own), mixed] {
            let mut tape = Tape::new();
            tape.parse(&json).unwrap();
            let doc = Doc::new(&json, &tape, Origin::START);
            for other in texts {
                assert_eq!(doc.root().is(other), own == other, "{json} {other:?}");
                let text = doc.root().text().unwrap();
                assert_eq!(text.starts_with(other), own.starts_with(other), "{json} {other:?}");
            }
        }
    }
}
