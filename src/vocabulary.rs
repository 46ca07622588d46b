//! The words of a transcript that may be shown to anybody: those of the protocol, of JSON-RPC and of
//! acpcheck itself. Reports that mask and recordings that are redacted keep these, and nothing else
//! that a user may have written.

use std::{collections::BTreeSet, sync::OnceLock};

use crate::{
    protocol::{Edition, Surface, schema},
    rule::Rule,
    rules::CATALOGUE,
    transcript,
};

/// Further words that rules quote in messages, in addition to the words of schemas and of the
/// rules' own texts. Masking keeps them.
const FURTHER: [&str; 35] = [
    "jsonrpc",
    "id",
    "method",
    "params",
    "result",
    "error",
    "code",
    "data",
    "message",
    "2.0",
    "null",
    "true",
    "false",
    "--edition",
    "--head",
    "--ignore",
    "--input-format",
    "--profile",
    "--select",
    "--severity",
    "--statistics",
    "--surface",
    "--tail",
    "closed",
    "complete",
    "registry",
    "-Encoding utf8",
    "2026-11-21T07:53:43Z",
    "file:///home/me/plan.md",
    "file:///C:/…",
    "file:///…",
    "git diff --no-prefix",
    "image/png",
    "sh",
    "-c",
];

/// Whether a text is a word of the protocol, of JSON-RPC or of acpcheck. Reports that mask and
/// redacted recordings keep such words, since no user wrote them.
pub fn is_word(text: &str) -> bool {
    own_words().contains(text) || schema::words().contains(text)
}

/// The words that do not depend on a transcript: quoted words in the rules' texts, and the names of
/// rules, surfaces, editions and formats.
fn own_words() -> &'static BTreeSet<&'static str> {
    static WORDS: OnceLock<BTreeSet<&'static str>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let quoted = |text: &'static str| text.split('`').skip(1).step_by(2);
        let texts = |rule: &'static Rule| {
            let requirements = rule.cites.iter().map(|citation| citation.requires);
            [rule.summary, rule.explanation].into_iter().chain(requirements)
        };
        let own = CATALOGUE.iter().copied().flat_map(texts).flat_map(quoted);
        let rules = CATALOGUE.iter().flat_map(|rule| [rule.id, rule.family()]);
        let surfaces = Surface::ALL.into_iter().map(Surface::name);
        let editions = Edition::ALL.into_iter().map(Edition::name);
        let formats = transcript::FORMATS.iter().map(|format| format.name);
        let own = own.chain(rules).chain(surfaces).chain(editions).chain(formats);
        own.chain(FURTHER).collect()
    })
}
