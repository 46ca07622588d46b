//! `acpcheck explain`: the page about a rule, with its first example and the diagnostics of it.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use owo_colors::Style;

use super::{arguments::Completable, console::Console, exit_status::ExitStatus, selector};
use crate::{
    check::{self, Settings, Severities, Tail},
    report::{self, TextStyle, rules},
    rule::{Citation, Example, Opening, Rule, Severity, opening::opening},
    source::Locator,
};

/// Explain a rule.
///
/// Says what is required, where, of whom, and why it matters, and shows a conversation that breaks
/// the rule, with what is reported, beside one that does not.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The rule, such as `plan/duplicate-id`.
    #[arg(
        value_name = "RULE",
        value_parser = Completable { parse: selector::rule, names: selector::rule_ids },
        hide_possible_values = true,
    )]
    rule: &'static Rule,
}

/// Prints the page.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let page = RulePage { rule: arguments.rule, style: console.out }.write()?;
    io::stdout().lock().write_all(page.as_bytes())?;
    Ok(ExitStatus::Clean)
}

/// The page about a rule.
#[derive(Clone, Copy, Debug)]
struct RulePage {
    rule: &'static Rule,
    style: TextStyle,
}

impl RulePage {
    fn write(self) -> io::Result<String> {
        let rule = self.rule;
        let mut page = String::new();
        let _ = writeln!(page, "{}", self.bold(rule.id));
        let _ = writeln!(page, "{}\n", rule.summary);
        for (name, value) in self.facts() {
            let name = self.bold(&format!("{name:<12}"));
            let _ = writeln!(page, "{name} {value}");
        }
        self.write_section(&mut page, "Why it matters", rule.explanation.trim());
        if let Some(example) = rule.examples.first() {
            self.write_section(
                &mut page,
                &title("Bad", example, example.bad),
                &indented(example.bad),
            );
            let _ = writeln!(page, "\n{}", self.diagnostics(example)?.trim_end());
            self.write_section(
                &mut page,
                &title("Good", example, example.good),
                &indented(example.good),
            );
        }
        Ok(page)
    }

    fn write_section(self, page: &mut String, title: &str, text: &str) {
        let _ = writeln!(page, "\n{}\n\n{text}", self.bold(title));
    }

    /// Names and values of the rule, a line each. A line without a name continues the one before.
    fn facts(self) -> Vec<(&'static str, String)> {
        let rule = self.rule;
        let mut facts = Vec::new();
        for same in rule.cites.chunk_by(|one, next| one.requires == next.requires) {
            facts
                .extend(same.first().map(|citation| ("Requirement", citation.requires.to_owned())));
            facts.extend(same.iter().map(|citation| ("", source(citation))));
        }
        facts.push(("Level", rules::by_version(rule, rule.level, |it| it.name().to_owned())));
        facts.push(("Severity", rules::by_version(rule, rule.severity, |it| it.name().to_owned())));
        facts.push(("Bound", rule.binds.name().to_owned()));
        facts.push(("Surfaces", rules::surfaces(rule.surfaces)));
        let gates = rules::by_version(rule, rule.gates, |it| {
            rules::gates(it).unwrap_or("always".to_owned())
        });
        if gates != "always" {
            facts.push(("Speaks when", gates));
        }
        let editions = rules::by_version(rule, rule.editions, |it| {
            rules::editions(it).unwrap_or("all".to_owned())
        });
        if editions != "all" {
            facts.push(("Editions", editions));
        }
        if !rule.tck.is_empty() {
            facts.push(("TCK", rule.tck.join(", ")));
        }
        facts
    }

    /// The diagnostics of the bad example.
    fn diagnostics(self, example: &Example) -> io::Result<String> {
        let transcript = format!("{}{}", preamble(example), example.bad.trim_start());
        let (diagnostics, _) = check::check(transcript.as_bytes(), &self.settings(example));
        let mut bytes = transcript.as_bytes();
        let mut locator = Locator::new(&mut bytes);
        let mut drawings = String::new();
        for diagnostic in &diagnostics {
            drawings.push_str(&report::draw(diagnostic, "bad", self.style, &mut locator)?);
            drawings.push('\n');
        }
        Ok(drawings)
    }

    fn settings(self, example: &Example) -> Settings {
        let mut severities = Severities::default();
        let own = self.rule.severity.of(example.surface.version());
        if let (Some((index, _)), Severity::Off) = (crate::rules::find(self.rule.id), own) {
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

    fn bold(self, text: &str) -> String {
        self.style.paint(text, Style::new().bold())
    }
}

/// The source of a requirement, with the version that it holds for.
fn source(citation: &Citation) -> String {
    match citation.version {
        Some(version) => format!("v{version}: {}", citation.source),
        None => citation.source.to_string(),
    }
}

/// The messages before those of the example, each with a line end.
fn preamble(example: &Example) -> String {
    let mut preamble = opening(example.surface, example.opening);
    if !preamble.is_empty() && !preamble.ends_with('\n') {
        preamble.push('\n');
    }
    preamble
}

/// A title with the state before an example and its line numbers, which its diagnostics refer to.
fn title(word: &str, example: &Example, messages: &str) -> String {
    let opened = match example.opening {
        Opening::None => return format!("{word} ({})", example.surface),
        Opening::Initialized => "after `initialize`",
        Opening::Session => "in a session",
        Opening::Turn => "in a turn",
        Opening::Bare => "in a session without capabilities",
    };
    let first = preamble(example).lines().count() + 1;
    let last = first + messages.trim().lines().count() - 1;
    let lines =
        if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    format!("{word} ({}, {opened}: {lines})", example.surface)
}

fn indented(messages: &str) -> String {
    let lines: Vec<_> = messages.trim().lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
