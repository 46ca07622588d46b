//! The examples of rules: their titles, and what the checker says of the bad ones.

use std::io;

use super::{TextStyle, draw};
use crate::{
    check::{self, Settings, Severities, Tail},
    rule::{Example, Opening, Rule, Severity, opening::opening},
    rules,
    source::Locator,
};

/// The findings that the checker has in the bad example of a rule, drawn one below the other, for
/// `explain` and the page of rules.
pub fn findings(rule: &Rule, example: &Example, style: TextStyle) -> io::Result<String> {
    let transcript = format!("{}{}", preamble(example), example.bad.trim_start());
    let (diagnostics, _) = check::check(transcript.as_bytes(), &settings(rule, example));
    let mut bytes = transcript.as_bytes();
    let mut locator = Locator::new(&mut bytes);
    let mut drawings = String::new();
    for diagnostic in &diagnostics {
        drawings.push_str(&draw(diagnostic, "bad", style, &mut locator)?);
        drawings.push('\n');
    }
    Ok(drawings)
}

fn settings(rule: &Rule, example: &Example) -> Settings {
    let mut severities = Severities::default();
    let own = rule.severity.of(example.surface.version());
    if let (Some((index, _)), Severity::Off) = (rules::find(rule.id), own) {
        severities.set(index, Severity::Info);
    }
    Settings {
        surface: example.pinned(),
        edition: example.edition,
        tail: if example.closed { Tail::Closed } else { Tail::Open },
        severities,
        ..Settings::default()
    }
}

/// The messages that come before those of an example, such as `initialize`, each with a line end.
fn preamble(example: &Example) -> String {
    let mut preamble = opening(example.surface, example.opening);
    if !preamble.is_empty() && !preamble.ends_with('\n') {
        preamble.push('\n');
    }
    preamble
}

/// A heading for an example: `word`, the surface, the line numbers to which its findings refer, and
/// what stands in the lines before. `messages` is the good or the bad half of the example.
pub fn title(word: &str, example: &Example, messages: &str) -> String {
    let opened = match example.opening {
        Opening::None => return format!("{word} ({})", example.surface),
        Opening::Initialized => "`initialize` is",
        Opening::Session => "`initialize` and `session/new` are",
        Opening::Turn => "`initialize`, `session/new` and a prompt are",
        Opening::Bare => "`initialize` without capabilities and `session/new` are",
    };
    let first = preamble(example).lines().count() + 1;
    let last = first + messages.trim().lines().count() - 1;
    let lines =
        if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    format!("{word} ({}, {lines}; {opened} in the lines before)", example.surface)
}
