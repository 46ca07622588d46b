//! `acpcheck explain`: the page about a rule, with its first example and the diagnostics of it.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use owo_colors::Style;

use super::{
    Completable,
    console::Console,
    exit_status::ExitStatus,
    help::is_term,
    requirements::page,
    selector::{self, Selector},
};
use crate::{
    report::{TextStyle, examples, rules, wrapped},
    requirements,
    rule::{Citation, Rule},
    rules::{CATALOGUE, FAMILIES},
};

/// Explain a rule or a requirement, or list the rules of a family.
///
/// Shows what a rule requires, which side is bound by it, where the protocol says so and why it
/// matters. Then come two conversations: a bad one, with what acpcheck reports about it, and a good
/// one. `acpcheck help terms` explains the words, such as "surface" and "on record".
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A rule, such as `plan/status-regression`; a family of rules, such as `plan`; or a requirement of
    /// the protocol, such as `plan.whole-list`.
    #[arg(value_name = "RULE|FAMILY|REQUIREMENT", value_parser = PARSER, hide_possible_values = true)]
    subject: Subject,
}

/// What `acpcheck explain` explains: a rule or family of rules, or a requirement.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Rules(Selector),
    Requirement(&'static str),
}

impl Subject {
    fn parse(name: &str) -> Result<Self, String> {
        match requirements::find(name) {
            Some(requirement) => Ok(Self::Requirement(requirement.id)),
            None if name.contains('.') => {
                Err("unknown requirement; `acpcheck requirements` lists all".to_owned())
            }
            None => Selector::parse(name).map(Self::Rules).map_err(|_| {
                if is_term(name) {
                    "this is a word, not a rule; `acpcheck help terms` explains it".to_owned()
                } else {
                    format!(
                        "unknown rule, family or requirement; {} (other words: `acpcheck help terms`)",
                        selector::similar_name(name)
                    )
                }
            }),
        }
    }
}

const PARSER: Completable<Subject> = Completable { parse: Subject::parse, names: selector::names };

/// Runs `acpcheck explain`: prints the page about a rule or a requirement, or the list of a
/// family's rules.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let style = console.out;
    let page = match arguments.subject {
        Subject::Requirement(id) => {
            requirements::find(id).map(|it| page(it, style)).unwrap_or_default()
        }
        Subject::Rules(selector) => {
            match CATALOGUE.iter().find(|rule| selector == Selector::Rule(rule.id)) {
                Some(rule) => RulePage { rule, style }.write()?,
                None => list(selector, style),
            }
        }
    };
    io::stdout().lock().write_all(page.as_bytes())?;
    Ok(ExitStatus::Clean)
}

/// The page about a family or all rules: the rules that a selector stands for, with their
/// summaries.
fn list(selector: Selector, style: TextStyle) -> String {
    let rules: Vec<_> = CATALOGUE.iter().copied().filter(|rule| selector.matches(rule)).collect();
    let count = rules.len();
    let title = match selector {
        Selector::All => format!("{count} rules"),
        _ if count == 1 => format!("{}: 1 rule", selector.name()),
        _ => format!("{}: {count} rules", selector.name()),
    };
    let title = style.paint(&title, Style::new().bold());
    let about = FAMILIES.iter().find(|(family, _)| selector == Selector::Family(family));
    let title = match about {
        Some((_, about)) => format!("{title}\n{}", wrapped("", "", about, style.page())),
        None => title,
    };
    let hint = "`acpcheck explain RULE` says more about one of them.";
    let hint = wrapped("", "", hint, style.page());
    format!("{title}\n\n{}\n{hint}\n", rules::list(&rules, style))
}

/// The page of `acpcheck explain` about one rule.
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
        let width = self.style.page();
        let _ = writeln!(page, "{}\n", wrapped("", "", rule.summary, width));
        for (name, value) in self.facts() {
            let _ = writeln!(page, "{}", self.fact(name, &value));
        }
        self.write_section(&mut page, "Why it matters", &reflowed(rule.explanation, width));
        if let Some(example) = rule.examples.first() {
            self.write_section(
                &mut page,
                &examples::title("Bad", example, example.bad),
                &indented(example.bad),
            );
            let _ =
                writeln!(page, "\n{}", examples::findings(rule, example, self.style)?.trim_end());
            self.write_section(
                &mut page,
                &examples::title("Good", example, example.good),
                &indented(example.good),
            );
        }
        Ok(page)
    }

    /// A line of the page about a rule: a name and its value. A web address begins at the left
    /// instead, so that more of them fit on a line.
    fn fact(self, name: &str, value: &str) -> String {
        const INDENT: &str = "             ";
        const ADDRESS_INDENT: &str = "    ";
        let width = self.style.page();
        if value.contains("https://") {
            return wrapped(ADDRESS_INDENT, ADDRESS_INDENT, value, width);
        }
        let name = format!("{name:<12}");
        let value = wrapped(INDENT, INDENT, value, width).split_off(name.len());
        format!("{}{value}", self.bold(&name))
    }

    fn write_section(self, page: &mut String, title: &str, text: &str) {
        let title = self.style.wrap("", "  ", title);
        let _ = writeln!(page, "\n{}\n\n{text}", self.bold(&title));
    }

    /// Names and values of the rule, one line each. An empty name means that the line continues the
    /// one before.
    fn facts(self) -> Vec<(&'static str, String)> {
        let rule = self.rule;
        let mut facts = Vec::new();
        for same in rule.cites.chunk_by(|one, next| one.requires == next.requires) {
            facts
                .extend(same.first().map(|citation| ("Requirement", citation.requires.to_owned())));
            facts.extend(same.iter().map(|citation| ("", source(citation))));
        }
        if !rule.requirements.is_empty() {
            facts.push(("Checks", rule.requirements.join(", ")));
        }
        facts.push(("Level", rules::by_version(rule, rule.level, |it| it.name().to_owned())));
        facts.push(("Severity", rules::severity(rule)));
        facts.push(("Bound", rule.binds.name().to_owned()));
        facts.push(("Surfaces", rules::surfaces(rule.surfaces)));
        let gates = rules::by_version(rule, rule.gates, |it| {
            rules::gates(it).unwrap_or("always".to_owned())
        });
        if gates != "always" {
            facts.push(("Applies when", gates));
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

    fn bold(self, text: &str) -> String {
        self.style.paint(text, Style::new().bold())
    }
}

/// The text for the source of a requirement, such as a page of the protocol, with the version that
/// it holds for.
fn source(citation: &Citation) -> String {
    match citation.version {
        Some(version) => format!("v{version}: {}", citation.source),
        None => citation.source.to_string(),
    }
}

/// A Markdown text with its paragraphs and list items broken into lines of at most `width` columns.
fn reflowed(text: &str, width: usize) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.trim().lines() {
        let is_item = line.starts_with("- ");
        match blocks.last_mut().filter(|_| is_open && !is_item && !line.is_empty()) {
            Some(block) => {
                block.push(' ');
                block.push_str(line);
            }
            None => blocks.push(line.to_owned()),
        }
        is_open = !line.is_empty();
    }
    let lines = blocks.iter().map(|block| match block.strip_prefix("- ") {
        Some(item) => wrapped("- ", "  ", item, width),
        None => wrapped("", "", block, width),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn indented(messages: &str) -> String {
    let lines: Vec<_> = messages.trim().lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}
