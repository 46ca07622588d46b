//! Conversations, and what can be done to them.

use std::{fs, path::Path};

use acpcheck::{
    check::{Head, Settings, Tail},
    protocol::{Edition, Surface},
    rules::CATALOGUE,
};
use proptest::prelude::*;

use super::places::everything;

pub(crate) fn settings() -> impl Strategy<Value = Settings> {
    let surfaces = prop::option::of(prop::sample::select(Surface::ALL.to_vec()));
    let editions = prop::option::of(prop::sample::select(Edition::ALL.to_vec()));
    let heads = prop::sample::select(vec![Head::Auto, Head::Complete, Head::Truncated]);
    let tails = prop::sample::select(vec![Tail::Auto, Tail::Open, Tail::Closed]);
    (surfaces, editions, heads, tails).prop_map(|(surface, edition, head, tail)| Settings {
        surface,
        edition,
        head,
        tail,
        severities: everything(),
        ..Settings::default()
    })
}

/// Conversations: the fixtures of all rules, and their examples.
pub(crate) fn conversations() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut files: Vec<Vec<u8>> = walkdir::WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"))
        .map(|path| fs::read(path).unwrap())
        .filter(|bytes| bytes.len() < 20_000)
        .collect();
    for example in CATALOGUE.iter().flat_map(|rule| rule.examples) {
        let before = acpcheck::rule::opening::opening(example.surface, example.opening);
        files.push(format!("{before}{}\n", example.bad).into_bytes());
    }
    files
}

/// A change to a file, at places given as fractions of its length.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    Set(u16, u8),
    Insert(u16, Vec<u8>),
    Remove(u16, usize),
    /// Takes a line from the first place to the second, or leaves a copy there.
    Move(u16, u16),
    Copy(u16, u16),
    Drop(u16),
    Cut(u16),
    /// Exchanges the values of two numbers, strings or names.
    Swap(u16, u16),
}

pub(crate) fn mutation() -> impl Strategy<Value = Mutation> {
    let token = prop::sample::select(vec![
        "null",
        "true",
        "-1",
        "1.5",
        "1e999",
        "\"\"",
        "{}",
        "[]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "\\ud800",
        "ü",
        "\u{feff}",
        "\"s\"",
        "\"_x\"",
        "0",
        "2",
        "\r",
        "\0",
        "9223372036854775808",
        "{\"a\":1,\"a\":2}",
        "Content-Length: 1\r\n",
    ]);
    prop_oneof![
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<u16>(), token).prop_map(|(at, token)| Mutation::Insert(at, token.into())),
        (any::<u16>(), 1_usize..9).prop_map(|(at, count)| Mutation::Remove(at, count)),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Mutation::Move(from, to)),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Mutation::Copy(from, to)),
        any::<u16>().prop_map(Mutation::Drop),
        any::<u16>().prop_map(Mutation::Cut),
        (any::<u16>(), any::<u16>()).prop_map(|(one, other)| Mutation::Swap(one, other)),
    ]
}

/// The place at this fraction of a length.
fn place(fraction: u16, len: usize) -> usize {
    usize::from(fraction) * len / (usize::from(u16::MAX) + 1)
}

impl Mutation {
    pub(crate) fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match self {
            Self::Set(at, byte) => bytes[place(*at, len)] = *byte,
            Self::Insert(at, token) => {
                let at = place(*at, len);
                bytes.splice(at..at, token.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = place(*at, len);
                bytes.drain(at..(at + count).min(len));
            }
            Self::Cut(at) => bytes.truncate(place(*at, len)),
            Self::Move(from, to) | Self::Copy(from, to) => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split(|byte| *byte == b'\n').map(Vec::from).collect();
                let from = place(*from, lines.len());
                let line = match self {
                    Self::Move(..) => lines.remove(from),
                    _ => lines[from].clone(),
                };
                lines.insert(place(*to, lines.len() + 1), line);
                *bytes = lines.join(&b'\n');
            }
            Self::Drop(at) => {
                let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
                lines.remove(place(*at, lines.len()));
                *bytes = lines.join(&b'\n');
            }
            Self::Swap(one, other) => {
                let is_mark = |byte: &u8| b"{}[]:,\n".contains(byte);
                let mut tokens: Vec<&[u8]> = bytes.split_inclusive(is_mark).collect();
                let (one, other) = (place(*one, tokens.len()), place(*other, tokens.len()));
                // Only tokens that end alike, so that most texts stay JSON.
                if tokens[one].last() == tokens[other].last() {
                    tokens.swap(one, other);
                    *bytes = tokens.concat();
                }
            }
        }
    }
}
