//! Values made from schemas, mostly fitting, told what to be by a list of choices: so that
//! `proptest` can shrink them.

use std::fmt::Write;

use serde_json::{Map, Value, json};

/// The choices left; 0, the plainest, when there are none.
pub(crate) struct Choices<'c>(pub(crate) &'c [u16]);

impl Choices<'_> {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % limit.max(1)
    }

    /// True once in so many times; never when the choices have run out.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }
}

/// Choices by a simple generator of random numbers: the same in every run.
pub(crate) struct Chance(u32);

impl Chance {
    pub(crate) fn new() -> Self {
        Self(1)
    }

    pub(crate) fn choices(&mut self) -> Vec<u16> {
        let next = |_| {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u16::try_from(self.0 >> 16).unwrap()
        };
        (0..200).map(next).collect()
    }
}

/// How far values stray from their schema.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Stray {
    No,
    Sometimes,
}

pub(crate) struct Generator<'s, 'c> {
    pub(crate) definitions: &'s Map<String, Value>,
    pub(crate) choices: Choices<'c>,
    pub(crate) stray: Stray,
}

impl<'s> Generator<'s, '_> {
    pub(crate) fn value(&mut self, schema: &'s Value) -> Value {
        if self.stray == Stray::Sometimes && self.choices.once_in(24) {
            return self.anything();
        }
        let Some(keywords) = schema.as_object() else { return self.anything() };
        let mut value = Value::Null;
        let mut is_any = true;
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap();
            merge(&mut value, self.value(&self.definitions[name]));
            is_any = false;
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            merge(&mut value, self.value(part));
            is_any = false;
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = schema[union].as_array() {
                let branch = &branches[self.choices.below(branches.len())];
                merge(&mut value, self.value(branch));
                is_any = false;
            }
        }
        if let Some(constant) = schema.get("const") {
            let is_spoilt = self.stray == Stray::Sometimes && self.choices.once_in(16);
            return if is_spoilt { self.string() } else { constant.clone() };
        }
        if let Some(types) = keywords.get("type") {
            let name = match types {
                Value::Array(names) => names[self.choices.below(names.len())].as_str(),
                name => name.as_str(),
            };
            let typed = self.typed(name.unwrap(), schema);
            // What a union has said about a member is narrower than what the object says.
            match (typed, &mut value) {
                (Value::Object(ours), Value::Object(theirs)) => {
                    for (name, member) in ours {
                        theirs.entry(name).or_insert(member);
                    }
                }
                (typed, value) => *value = typed,
            }
            is_any = false;
        }
        if is_any { self.anything() } else { value }
    }

    fn typed(&mut self, kind: &str, schema: &'s Value) -> Value {
        match kind {
            "null" => Value::Null,
            "boolean" => json!(self.choices.below(2) == 1),
            "integer" | "number" => self.number(kind, schema),
            "string" => {
                let string = self.string();
                if schema.get("minLength").is_some() && string == "" { json!("x") } else { string }
            }
            "array" => {
                let length = self.choices.below(3) + usize::from(schema.get("minItems").is_some());
                let any = const { &Value::Bool(true) };
                let element = schema.get("items").unwrap_or(any);
                (0..length).map(|_| self.value(element)).collect()
            }
            "object" => self.object(schema),
            other => panic!("no type {other}"),
        }
    }

    fn object(&mut self, schema: &'s Value) -> Value {
        let mut object = Map::new();
        let strays = self.stray == Stray::Sometimes;
        let required: Vec<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_there = if required.contains(&name.as_str()) {
                !(strays && self.choices.once_in(16))
            } else {
                self.choices.below(3) == 1
            };
            if is_there {
                object.insert(name.clone(), self.value(member));
            }
        }
        if let Some(free) = schema.get("additionalProperties").filter(|free| free.is_object()) {
            for name in ["one", "two"].into_iter().take(self.choices.below(3)) {
                object.insert(name.into(), self.value(free));
            }
        }
        if strays && self.choices.once_in(12) {
            let name =
                ["model", "_meta", "type", "id", "sessionId", "value"][self.choices.below(6)];
            let value = self.anything();
            object.insert(name.into(), value);
        }
        Value::Object(object)
    }

    fn number(&mut self, kind: &str, schema: &Value) -> Value {
        let bound = |keyword| schema.get(keyword).cloned();
        let format = schema["format"].as_str().unwrap_or_default();
        let (least, greatest) = match format {
            "int32" => (json!(i32::MIN), json!(i32::MAX)),
            "uint16" => (json!(0), json!(u16::MAX)),
            "uint32" => (json!(0), json!(u32::MAX)),
            "uint64" => (json!(0), json!(u64::MAX)),
            _ => (json!(i64::MIN), json!(i64::MAX)),
        };
        let (least, greatest) =
            (bound("minimum").unwrap_or(least), bound("maximum").unwrap_or(greatest));
        if self.stray == Stray::Sometimes && self.choices.once_in(8) {
            let odd =
                [json!(-1), json!(0.5), json!(1e300), json!(4_294_967_296_u64), json!(u64::MAX)];
            return odd[self.choices.below(odd.len())].clone();
        }
        match self.choices.below(4) {
            1 => least,
            2 => greatest,
            3 if kind == "number" => json!(0.25),
            _ => json!(1),
        }
    }

    fn string(&mut self) -> Value {
        const PLAIN: [&str; 5] = ["x", "", "_custom", "custom", "ünï\n\"\\"];
        // Names of the schema, where they belong and where they do not.
        const NAMES: [&str; 8] =
            ["type", "text", "items", "plan", "http", "boolean", "idle", "unknown"];
        if self.stray == Stray::Sometimes && self.choices.once_in(4) {
            return json!(NAMES[self.choices.below(NAMES.len())]);
        }
        json!(PLAIN[self.choices.below(PLAIN.len())])
    }

    pub(crate) fn anything(&mut self) -> Value {
        match self.choices.below(8) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(7),
            3 => json!(1.5),
            4 => self.string(),
            5 => json!([]),
            6 => json!({}),
            _ => json!({"type": "text", "text": ["nested"], "sessionId": ""}),
        }
    }
}

/// Adds the members of one object to another; anything else takes the place of what was there.
fn merge(value: &mut Value, other: Value) {
    match (value, other) {
        (Value::Object(value), Value::Object(other)) => {
            for (name, member) in other {
                value.entry(name).or_insert(member);
            }
        }
        (value, other) => *value = other,
    }
}

/// Writes a value, now and then in an odd but equal spelling.
pub(crate) fn write(value: &Value, choices: &mut Choices<'_>) -> String {
    let mut text = String::new();
    spell(value, choices, &mut text);
    text
}

fn spell(value: &Value, choices: &mut Choices<'_>, text: &mut String) {
    match value {
        Value::Object(members) => {
            text.push('{');
            for (place, (name, member)) in members.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                if choices.once_in(32) {
                    // Overridden by the one that follows.
                    spell_string(name, choices, text);
                    text.push_str(":[null],");
                }
                spell_string(name, choices, text);
                text.push_str(if choices.once_in(16) { " :\t" } else { ":" });
                spell(member, choices, text);
            }
            text.push('}');
        }
        Value::Array(elements) => {
            text.push('[');
            for (place, element) in elements.iter().enumerate() {
                text.push_str(if place == 0 { "" } else { "," });
                spell(element, choices, text);
            }
            text.push(']');
        }
        Value::String(string) => spell_string(string, choices, text),
        Value::Number(number) if number.is_u64() && choices.once_in(16) => {
            let suffix = [".0", "e0", "E+0", "e-0"][choices.below(4)];
            write!(text, "{number}{suffix}").unwrap();
        }
        value => text.push_str(&value.to_string()),
    }
}

fn spell_string(string: &str, choices: &mut Choices<'_>, text: &mut String) {
    if !choices.once_in(24) {
        text.push_str(&json!(string).to_string());
        return;
    }
    text.push('"');
    for unit in string.encode_utf16() {
        write!(text, "\\u{unit:04x}").unwrap();
    }
    text.push('"');
}
