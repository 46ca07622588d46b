//! The two readers of the schemas: the walk is sure only of what the judge accepts, and there are
//! faults exactly where it refuses.
//!
//! The first byte chooses surface and edition and whether a text follows, or choices by which a value
//! is made from a definition.
#![no_main]

#[path = "../../schema/generate.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod generate;

use std::sync::LazyLock;

use acpcheck::{
    json::{Doc, Node, Tape},
    protocol::{
        Edition, Surface,
        schema::{Definition, Observation, Protocol, Accepts},
    },
    source::Origin,
};
use generate::{Choices, Generator, Stray, write};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

static DOCUMENTS: LazyLock<[Value; 4]> = LazyLock::new(|| {
    [
        include_str!("../../../schema/v1/schema.json"),
        include_str!("../../../schema/v1/schema.unstable.json"),
        include_str!("../../../schema/v2/schema.json"),
        include_str!("../../../schema/v2/schema.unstable.json"),
    ]
    .map(|text| serde_json::from_str(text).expect("the schemas are JSON"))
});

fuzz_target!(|data: &[u8]| {
    let Some((first, rest)) = data.split_first() else { return };
    let first = usize::from(first.wrapping_sub(b'0'));
    let surface = Surface::ALL[first % 4];
    let edition = Edition::ALL[Edition::ALL.len() - 1 - first / 8 % Edition::ALL.len()];
    if first / 4 % 2 == 0 {
        let Ok(text) = std::str::from_utf8(rest) else { return };
        let mut tape = Tape::new();
        if tape.parse(text).is_err() {
            return;
        }
        let doc = Doc::new(text, &tape, Origin::START);
        let root = doc.root();
        let method = root.get("method").and_then(|method| Some(method.text()?.to_string()));
        let method = method.and_then(|name| Protocol::of(surface, edition).method(&name));
        let calls = method.into_iter().flat_map(|it| [it.request, it.notification]).flatten();
        for call in calls {
            if let Some(params) = root.get("params") {
                agree(surface, edition, call.params, params);
            }
            // What tells what a result answers is a request that stands beside it.
            if let (Some(definition), Some(result)) = (call.result, root.get("result")) {
                agree(surface, edition, definition, result);
            }
        }
        return;
    }
    let choices: Vec<u16> =
        rest.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let Some((number, choices)) = choices.split_first() else { return };
    let definitions = DOCUMENTS[surface as usize]["$defs"].as_object().expect("definitions");
    let count = definitions.len();
    let (name, schema) =
        definitions.iter().nth(usize::from(*number) % count).expect("there are so many");
    let mut generator =
        Generator { definitions, choices: Choices(choices), stray: Stray::Sometimes };
    let value = generator.value(schema);
    let text = write(&value, &mut generator.choices);
    let mut tape = Tape::new();
    tape.parse(&text).expect("what was written is JSON");
    let doc = Doc::new(&text, &tape, Origin::START);
    // An older edition may lack it.
    if let Some(definition) = Protocol::of(surface, edition).definition(name) {
        agree(surface, edition, definition, doc.root());
    }
});

fn agree(surface: Surface, edition: Edition, definition: &'static Definition, value: Node<'_>) {
    let range = value.range();
    let faults = definition.faults(value);
    let is_valid = definition.is_valid(value);
    assert_eq!(definition.fits(value), is_valid, "{definition:?} {value:?}");
    assert_eq!(faults.is_empty(), is_valid, "{definition:?} {value:?} {faults:?}");
    let all = definition.all_faults(value);
    assert_eq!(format!("{faults:?}"), format!("{all:?}"), "{definition:?} {value:?}");
    for fault in &faults {
        let place = fault.node.range();
        assert!(range.start <= place.start && place.end <= range.end);
    }
    let version = surface.version();
    let mut seen = |observation: Observation<'_>| {
        let place = observation.node().range();
        assert!(range.start <= place.start && place.end <= range.end);
    };
    if definition.walk(value, &mut seen) == Accepts::Surely {
        for surface in [Surface::stable(version), Surface::unstable(version)] {
            let definition = Protocol::of(surface, edition).definition(definition.name());
            let fits = definition.is_none_or(|definition| definition.is_valid(value));
            assert!(fits, "{definition:?} refuses {value:?}");
        }
    }
}
