//! `acpcheck help`: prints the help of a command, or explains the words that acpcheck uses.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use clap::Command;
use owo_colors::Style;

use super::{arguments::Completable, console::Console, exit_status::ExitStatus, usage};
use crate::{
    protocol::schema::nearest,
    report::{TextStyle, UNBROKEN, unbroken, wrapped},
};

/// The name of the topic of `acpcheck help` that explains words.
const TERMS: &str = "terms";

/// Print the help of a command, or explain the words that acpcheck uses.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// A command, or `terms`.
    ///
    /// Without it, the help of acpcheck is printed. `terms` explains the words that help texts and
    /// reports use, such as "surface".
    #[arg(
        value_name = "COMMAND|terms",
        value_parser = Completable { parse: topic, names: topics },
        hide_possible_values = true,
    )]
    topic: Option<String>,
}

/// The topics of `acpcheck help`, for the completion of shells.
fn topics() -> Vec<&'static str> {
    vec![
        "audit",
        "check",
        "completions",
        "diff",
        "drive",
        "explain",
        "formats",
        "man",
        "plans",
        "play",
        "record",
        "redact",
        "reduce",
        "report",
        "requirements",
        "rules",
        TERMS,
    ]
}

#[expect(clippy::unnecessary_wraps, reason = "it is a parser; what is unknown is found later")]
fn topic(text: &str) -> Result<String, String> {
    Ok(text.to_owned())
}

/// The command line with help texts broken to this many columns. Lines of code and text in
/// backticks stay on one line: their spaces are [`UNBROKEN`] until [`usage::report`] restores them.
pub(super) fn fitted(command: Command, columns: usize) -> Command {
    let command = command.term_width(columns).mut_args(|argument| {
        let [short, long] = [argument.get_help(), argument.get_long_help()]
            .map(|help| help.map(|help| unbroken(&help.to_string(), code_room(columns))));
        let argument = if let Some(help) = short { argument.help(help) } else { argument };
        if let Some(help) = long { argument.long_help(help) } else { argument }
    });
    let [about, long_about] = [command.get_about(), command.get_long_about()]
        .map(|help| help.map(|help| unbroken(&help.to_string(), code_room(columns))));
    let [after, long_after] = [command.get_after_help(), command.get_after_long_help()]
        .map(|help| help.map(|help| reflowed(&help.to_string(), columns)));
    let command = if let Some(help) = about { command.about(help) } else { command };
    let command = if let Some(help) = long_about { command.long_about(help) } else { command };
    let command = if let Some(help) = after { command.after_help(help) } else { command };
    let command = if let Some(help) = long_after { command.after_long_help(help) } else { command };
    command.mut_subcommands(|command| fitted(command, columns))
}

/// The groups of commands in the help of acpcheck, in order: a title and the commands. The last
/// group has all other commands.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Judge recordings", &["check", "report", "audit", "plans"]),
    ("Get recordings", &["record", "drive", "play"]),
    ("Compare and share recordings", &["diff", "reduce", "redact"]),
    ("Look something up", &["explain", "requirements", "rules", "formats", "help"]),
    ("Set up a shell", &[]),
];

/// The command line with a help that lists the commands in groups, in this many columns.
pub(super) fn grouped(command: Command, columns: usize) -> Command {
    let header = *command.get_styles().get_header();
    let literal = *command.get_styles().get_literal();
    let is_named = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let commands: Vec<_> = command.get_subcommands().collect();
    let width = commands.iter().map(|it| it.get_name().len()).max().unwrap_or_default();
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(groups, "{header}{title}:{header:#}");
        let others = commands.iter().filter(|it| names.is_empty() && !is_named(it.get_name()));
        let own = names.iter().filter_map(|name| commands.iter().find(|it| it.get_name() == *name));
        for command in own.chain(others) {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let indent = " ".repeat(width + 4);
            let about = wrapped(&indent, &indent, &about, columns);
            let about = about.trim_start();
            let _ = writeln!(groups, "  {literal}{name:width$}{literal:#}  {about}");
        }
        groups.push('\n');
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// The columns in which code is not broken: those beside the deepest indent of a help text.
const fn code_room(columns: usize) -> usize {
    columns.saturating_sub(20)
}

/// The text broken into lines of at most this many columns. A paragraph begins with a capital
/// letter, a backtick or the number of an item, and continues in the lines below it that begin in
/// the same column. Other lines are code and stay.
fn reflowed(text: &str, columns: usize) -> String {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let number = words.len() - words.trim_start_matches(|it: char| it.is_ascii_digit()).len();
        let item = words[number..].trim_start_matches(' ');
        let column = if number > 0 { line.len() - item.len() } else { indent };
        let is_text = words
            .starts_with(|it: char| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '`');
        match blocks.last_mut() {
            Some(block) if block.is_text && !words.is_empty() && block.column == indent => {
                block.words.push(words);
            }
            _ => blocks.push(Block {
                head: &line[..column],
                column,
                words: vec![&line[column..]],
                is_text,
            }),
        }
    }
    let lines = blocks.into_iter().map(|Block { head, column, words, is_text }| {
        if is_text {
            wrapped(head, &" ".repeat(column), &words.join(" "), columns)
        } else {
            format!("{head}{}", words.concat()).replace(' ', UNBROKEN)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A paragraph of a help text, or a line of code.
struct Block<'a> {
    /// The indent of the first line of the paragraph, with the number of a list item.
    head: &'a str,
    /// The column, from 0, in which each line of the paragraph begins.
    column: usize,
    words: Vec<&'a str>,
    is_text: bool,
}

/// Prints the help of a command or topic. `command` is the whole command line of acpcheck.
pub(super) fn run(
    arguments: &Arguments,
    mut command: Command,
    console: &Console,
) -> io::Result<ExitStatus> {
    let mut line = vec![env!("CARGO_PKG_NAME")];
    match arguments.topic.as_deref() {
        None => {}
        Some(TERMS) => {
            io::stdout().lock().write_all(terms(console.out).as_bytes())?;
            return Ok(ExitStatus::Clean);
        }
        Some(name) if command.find_subcommand(name).is_some() => line.push(name),
        Some(name) if is_term(name) => {
            console.error(&format!(
                "`{name}` is a word, not a command; `acpcheck help terms` explains it"
            ));
            return Ok(ExitStatus::Failed);
        }
        Some(name) => {
            console.error(&unknown(&command, name, &[TERMS]));
            return Ok(ExitStatus::Failed);
        }
    }
    line.push("--help");
    Ok(match command.try_get_matches_from_mut(line) {
        Err(help) => usage::report(help)?,
        Ok(_) => ExitStatus::Clean,
    })
}

/// The message for a name that is neither a command nor one of `others`, with a suggestion.
pub(super) fn unknown(command: &Command, name: &str, others: &[&str]) -> String {
    let names = command.get_subcommands().map(Command::get_name).chain(others.iter().copied());
    let names: Vec<_> = names.collect();
    match nearest(name, names.iter().copied()) {
        Some(nearest) => format!("`{name}` is not a command; did you mean `{nearest}`?"),
        None => format!("`{name}` is not a command; the commands are {}", names.join(", ")),
    }
}

/// The words that `acpcheck help terms` explains, each with its meaning. Words about one subject
/// stand together.
const WORDS: &[(&str, &str)] = &[
    (
        "transcript",
        "A recording of the messages between a client and an agent: a file, or standard input. \
         `acpcheck formats` lists the formats.",
    ),
    (
        "rule, family",
        "A rule is one requirement of the protocol. Its name is FAMILY/NAME, such as \
         `plan/status-regression`. `acpcheck rules` lists all rules.",
    ),
    (
        "requirement",
        "A sentence of the protocol that demands something, in acpcheck's words. Its name is \
         TOPIC.NAME, such as `plan.whole-list`. Rules check requirements; `acpcheck requirements` \
         lists them, and says why some have no rule.",
    ),
    (
        "finding",
        "A place in a transcript where a message violates a rule. A finding is an error, a warning \
         or an info. An info is advice.",
    ),
    (
        "cause",
        "Findings of one rule against one side that say the same thing have one cause. The report \
         in `full` shows one finding for each cause.",
    ),
    (
        "severity",
        "How serious a finding is: error, warning or info. Some rules are off by default: they \
         report only when you select them.",
    ),
    (
        "bound",
        "Who must follow the rule: the client, the agent, either of them, the sender of the \
         message, or the responder (who answers a request). A finding counts against that side.",
    ),
    ("level", "How strongly the protocol states a requirement. The next six words are the levels."),
    ("MUST, MUST NOT", "The protocol's text demands it with this word."),
    ("SHOULD, SHOULD NOT", "The protocol's text recommends it with this word."),
    ("schema", "The protocol's JSON schema demands it. The text has no such word for it."),
    ("derived", "It follows from a MUST or from a definition. The text does not state it."),
    ("hint", "Advice. Nothing in the protocol demands it."),
    (
        "contract",
        "The protocol leaves the question open. acpcheck decides it, and `acpcheck explain RULE` \
         says why.",
    ),
    (
        "TCK",
        "The protocol's official test kit, which tests a running agent. `acpcheck explain RULE` \
         names the requirements of the kit that the rule covers.",
    ),
    (
        "surface",
        "The part of the protocol to judge by: version 1 (`v1`) or version 2 (`v2`), each also \
         with its drafts (`v1-unstable`, `v2-unstable`).",
    ),
    ("draft", "A part of the protocol that is not stable yet. The protocol calls it unstable."),
    (
        "edition",
        "The protocol's schemas as they were at a date, such as `2026-09`. Drafts change from one \
         edition to the next.",
    ),
    (
        "on record",
        "The transcript contains it. Example: \"the `initialize` exchange is on record\". A \
         transcript may begin late or end early. Then some rules cannot be checked.",
    ),
    ("exercised", "The transcript has messages that the rule is about, so the rule was checked."),
    ("upheld", "The rule was exercised, and nothing violated it."),
    ("violated", "At least one message breaks the rule, and the finding is an error."),
    ("not followed", "At least one message breaks the rule, and the finding is a warning."),
    ("noted", "At least one message breaks the rule, and the finding is only an info."),
    (
        "not exercised",
        "Nothing in the transcript is about the rule. This says nothing about the program.",
    ),
    (
        "not assessable",
        "The transcript cannot show whether the rule was followed: its format drops or changes \
         what the rule needs, or it begins late or ends early.",
    ),
    (
        "unjudged",
        "A message, a file or a rule that could not be checked because of what a transcript \
         contains, such as a message with too many values. The summary counts these, and \
         `--fail-on unjudged` makes them fail.",
    ),
    (
        "official readers",
        "The libraries of the protocol's authors that parse messages, for example in Rust and \
         TypeScript. Many clients and agents use them.",
    ),
    (
        "fingerprint",
        "What makes two findings the same: rule, method, place in the message, and the client or \
         agent at fault. The line does not count, so a finding keeps its fingerprint in a new \
         recording.",
    ),
    (
        "baseline",
        "A file with fingerprints of known findings. `acpcheck check --baseline FILE` hides those \
         and shows what is new. `--write-baseline FILE` writes it.",
    ),
    (
        "profile",
        "A choice of rules and severities to start from: default, strict, registry or audit.",
    ),
    (
        "policy",
        "A rule about what the protocol permits but some projects forbid, such as work that was \
         never asked for. Policies are off by default; `--profile audit` turns them on.",
    ),
    (
        "replay, owed",
        "The messages with which an agent shows the history of a session that is loaded. What was \
         said and done in ended turns is owed: the replay must show it. acpcheck compares across \
         transcripts only where they prove that they are about one session.",
    ),
    (
        "action",
        "What the command `audit` lists: one thing that was done, or was to be done, to one target, \
         such as a file that is written or a command that runs.",
    ),
    (
        "asked, not asked",
        "The agent requested permission for an action, or no such request is in the transcript. \
         The protocol does not require one.",
    ),
    (
        "allowed, done",
        "Allowed: the client answered that the agent may. Done: the client did it, or the agent \
         reports that it is completed. Neither follows from the other.",
    ),
    (
        "scenario",
        "A short conversation that `drive` has with an agent, or `play` with a client. Its state \
         says how it went: done; refused (with an error, or by the user); silent (no answer in \
         time); ended (the other program ended); closed (the client closed the connection); not \
         cancelled (the client let the turn run to its end); not offered (a capability is missing); \
         not done, or not played (the text behind it says why). Only rules report faults.",
    ),
    (
        "fact, breaking",
        "The command `diff` compares facts: what an agent declares or does where it could. A change \
         is breaking if a program that relied on the fact now fails or waits forever.",
    ),
    (
        "placeholder",
        "What `redact` writes in place of a string that may be private, such as `text 1`. Equal \
         strings get equal placeholders.",
    ),
    (
        "note",
        "A remark about a recording. It is not a finding and does not change the exit status.",
    ),
    (
        "repeat",
        "The same finding again, in one place of a conversation that comes many times, such as in \
         every update. The summary counts such findings once, and says how many there are \
         \"with each repeat\".",
    ),
    (
        "like it",
        "\"5 more like it\" behind a finding: five more findings have the same cause. The report in \
         `full` shows one of them, and says in which lines or files the others are. `--all` shows \
         all.",
    ),
];

/// Whether `acpcheck help terms` explains this word.
pub(super) fn is_term(word: &str) -> bool {
    WORDS.iter().any(|(words, _)| words.split(", ").any(|it| it == word))
}

fn terms(style: TextStyle) -> String {
    const INDENT: &str = "    ";
    let mut text = wrapped("", "", "Words that help texts and reports use:", style.page());
    text.push('\n');
    for &(word, meaning) in WORDS {
        let _ = writeln!(text, "\n{}", style.paint(word, Style::new().bold()));
        let _ = writeln!(text, "{}", wrapped(INDENT, INDENT, meaning, style.page()));
    }
    text
}
