//! What the walk is sure of, the judge accepts.

use std::sync::LazyLock;

use acpcheck::{
    json::{Doc, Tape},
    protocol::{
        Edition, Surface,
        schema::{Accepts, Protocol, SchemaFault},
    },
    source::Origin,
};
use proptest::prelude::*;
use serde_json::Value;

use super::generate::{Chance, Choices, Generator, Stray, write};
use crate::effort;

static DOCUMENTS: LazyLock<[Value; 4]> = LazyLock::new(|| {
    [
        include_str!("../../schema/v1/schema.json"),
        include_str!("../../schema/v1/schema.unstable.json"),
        include_str!("../../schema/v2/schema.json"),
        include_str!("../../schema/v2/schema.unstable.json"),
    ]
    .map(|text| serde_json::from_str(text).unwrap())
});

pub(crate) fn document(surface: Surface) -> &'static Value {
    &DOCUMENTS[surface as usize]
}

/// A text made from the definition of this number.
fn text(document: &Value, number: usize, choices: &[u16], stray: Stray) -> (String, String) {
    let definitions = document["$defs"].as_object().unwrap();
    let (name, schema) = definitions.iter().nth(number % definitions.len()).unwrap();
    let mut generator = Generator { definitions, choices: Choices(choices), stray };
    let value = generator.value(schema);
    let none = &mut Choices(&[]);
    let spelling = if stray == Stray::No { none } else { &mut generator.choices };
    (name.clone(), write(&value, spelling))
}

fn surface() -> impl Strategy<Value = Surface> {
    proptest::sample::select(Surface::ALL.to_vec())
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    proptest::collection::vec(any::<u16>(), 0..120)
}

/// All there is to say about faults.
fn words(faults: &[SchemaFault<'_>]) -> Vec<String> {
    let words = |fault: &SchemaFault<'_>| {
        let SchemaFault { node, kind, effect, type_name, .. } = fault;
        format!("{:?} {kind:?} {effect:?} {type_name}", node.range())
    };
    faults.iter().map(words).collect()
}

/// How sure the walk is, and whether the judges of the version with and without drafts accept.
fn verdicts(surface: Surface, name: &str, text: &str) -> (Accepts, Vec<bool>) {
    let mut tape = Tape::new();
    tape.parse(text).unwrap();
    let doc = Doc::new(text, &tape, Origin::START);
    let version = surface.version();
    let definitions: Vec<_> = [Surface::stable(version), Surface::unstable(version)]
        .into_iter()
        .filter_map(|surface| Protocol::of(surface, Edition::CURRENT).definition(name))
        .collect();
    let accepts = definitions[0].walk(doc.root(), &mut |_| {});
    (accepts, definitions.iter().map(|definition| definition.is_valid(doc.root())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(4_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_walk_is_sound(surface in surface(), number: usize, choices in choices()) {
        let (name, text) = text(document(surface), number, &choices, Stray::Sometimes);
        let (accepts, fits) = verdicts(surface, &name, &text);
        if accepts == Accepts::Surely {
            prop_assert!(fits.iter().all(|fits| *fits), "{surface} {name} {text} {fits:?}");
        }
    }

    #[test]
    fn faults_are_found_where_the_judge_refuses(
        surface in surface(), number: usize, choices in choices(),
    ) {
        let (name, text) = text(document(surface), number, &choices, Stray::Sometimes);
        let mut tape = Tape::new();
        tape.parse(&text).unwrap();
        let doc = Doc::new(&text, &tape, Origin::START);
        let definition = Protocol::of(surface, Edition::CURRENT).definition(&name).unwrap();
        let faults = definition.faults(doc.root());
        let is_valid = definition.is_valid(doc.root());
        prop_assert_eq!(definition.fits(doc.root()), is_valid, "{} {} {}", surface, name, text);
        prop_assert_eq!(faults.is_empty(), is_valid, "{} {} {:?}", name, text, faults);
        let all = definition.all_faults(doc.root());
        prop_assert_eq!(words(&faults), words(&all), "{} {} {}", surface, name, text);
        if definition.is_settled_for(doc.root()) {
            let unstable = Surface::unstable(surface.version());
            let before = Protocol::of(unstable, Edition::PREVIOUS).definition(&name).unwrap();
            let before = before.all_faults(doc.root());
            prop_assert_eq!(words(&before), words(&all), "{} {} {}", surface, name, text);
        }
    }
}

/// The walk would be sound, too, if it were sure of nothing.
#[test]
fn the_walk_is_sure_of_what_fits() {
    let mut chance = Chance::new();
    for surface in [Surface::V1, Surface::V2] {
        let document = document(surface);
        for number in 0..document["$defs"].as_object().unwrap().len() {
            for _ in 0..20 {
                let (name, text) = text(document, number, &chance.choices(), Stray::No);
                let (accepts, fits) = verdicts(surface, &name, &text);
                assert_eq!(fits, [true, true], "{surface} {name} {text}");
                // The only thing left to the judge.
                let is_beyond_64_bits = text.contains(&u64::MAX.to_string());
                assert!(accepts == Accepts::Surely || is_beyond_64_bits, "{surface} {name} {text}");
            }
        }
    }
}
