//! The text of an issue about a finding: what is wrong, where the protocol says so, and a recording that
//! shows it.
//!
//! Texts of the recording have no effect in it: neither on the page of the issue, nor on a terminal or
//! CI server that shows it.

use std::fmt::Write as _;

use super::Reduced;
use crate::{
    check::{self, Check, Conduct, Head, Implementation, Pairing, Settings, Severities, Tail},
    diagnostic::Diagnostic,
    protocol::{Side, schema::upstream},
    redact::FindingKey,
    report::{capitalized, code, harmless_json, prose},
    rule::{Label, Rule},
    rules,
    source::{completes_command, printable},
    transcript::{Passage, Reader},
};

/// The parts of a bug report about a finding, to be sent to the developers of an agent or client.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    /// The bytes of the whole recording, before it was reduced.
    pub recording: &'a [u8],
    pub settings: &'a Settings,
    pub reduced: &'a Reduced,
    /// The file name under which readers of the issue save the reduced recording.
    pub name: &'a str,
    /// Whether strings of the recording were replaced by placeholders, which the text mentions.
    pub is_redacted: bool,
}

/// The length in bytes up to which the recording stands in the text. A longer one is to be
/// attached.
const LONGEST: usize = 60_000;

impl Issue<'_> {
    /// The text of the issue in Markdown; empty when the reduced recording no longer has the
    /// finding.
    pub fn text(&self) -> String {
        let Self { reduced, .. } = *self;
        let format = if reduced.is_rewritten { None } else { self.settings.format };
        let settings = Settings { format, ..self.settings.clone() };
        let (diagnostics, _) = check::check(&reduced.bytes, &settings);
        let found = diagnostics.iter().find(|it| is_of(it, &reduced.finding));
        let Some(diagnostic) = found else { return String::new() };
        let rule = diagnostic.rule;
        let mut text = String::new();
        let _ = writeln!(text, "**{}**\n", prose(&capitalized(&diagnostic.finding.message)));
        let _ = writeln!(text, "{}", self.parties(diagnostic));
        let (id, severity) = (rule.id, diagnostic.severity);
        let _ = writeln!(text, "Rule `{id}` ({severity}): {}", requirement(diagnostic, rule));
        if let Some(url) = diagnostic.url() {
            let _ = writeln!(text, "Protocol: {url}");
        }
        let messages = self.messages(&diagnostic.finding.labels, &settings);
        if !messages.is_empty() {
            let _ = writeln!(text, "\n{}", fenced("jsonc", messages.trim_end()));
        }
        let options = options(&reduced.bytes, &reduced.finding, &settings);
        let options: String = options.iter().map(|option| format!(" {option}")).collect();
        let (name, version) = (self.name, env!("CARGO_PKG_VERSION"));
        let lines = self.lines(&settings);
        let save = if lines.is_some() { "save the lines below as" } else { "attach" };
        let command = format!("acpcheck check{options} {}", shell_word(name));
        let (name, command) = (code(name), code(&command));
        let _ = writeln!(
            text,
            "\nTo reproduce: {save} {name}; {command} (acpcheck {version}, ACP schemas of {}).",
            upstream().date
        );
        if let Some(lines) = lines {
            let _ = writeln!(text, "\n{}\n", fenced("", lines.trim_end_matches('\n')));
        }
        let Reduced { messages, all_messages, .. } = reduced;
        let strings = if self.is_redacted { " Strings are placeholders." } else { "" };
        let _ = writeln!(
            text,
            "{messages} of {all_messages} messages. Left out: other messages, optional members.{strings}"
        );
        text
    }

    /// The reduced recording as the issue shows it; `None` when it is to be attached, since it is too
    /// long, or has no harmless form with the finding.
    fn lines(&self, settings: &Settings) -> Option<String> {
        let Reduced { bytes, finding, .. } = self.reduced;
        let recording = String::from_utf8_lossy(bytes);
        if recording.len() > LONGEST {
            return None;
        }
        let lines = harmless(&recording);
        let is_kept = || {
            let (diagnostics, _) = check::check(lines.as_bytes(), settings);
            diagnostics.iter().any(|it| is_of(it, finding))
        };
        let is_shown = !begins_command(&lines) && (lines.as_bytes() == &bytes[..] || is_kept());
        is_shown.then_some(lines)
    }

    /// Names and versions of agent and client in the whole recording, and the version of the
    /// protocol.
    fn parties(&self, diagnostic: &Diagnostic) -> String {
        let mut check = Check::new(self.settings).with_conduct();
        check.feed(self.recording);
        let (diagnostics, outcome) = check.finish();
        // The recording has more connections than its part.
        let own = diagnostics.iter().find(|it| is_like(it, diagnostic));
        let connection = own.map_or(0, |it| it.connection);
        let pairing = |conduct: &Conduct| {
            let index = *conduct.of_connection.get(connection as usize)?;
            conduct.pairings.get(index as usize).cloned()
        };
        let pairing = outcome.conduct.as_ref().and_then(pairing).unwrap_or_default();
        let Pairing { client, agent, .. } = pairing;
        let named = |it: Option<Implementation>, side: Side| match it {
            Some(Implementation { name, version: Some(version) }) => {
                format!("{} ({side})", code(&format!("{name} {version}")))
            }
            Some(Implementation { name, version: None }) => format!("{} ({side})", code(&name)),
            None => format!("{side} without a name"),
        };
        let [agent, client] = [named(agent, Side::Agent), named(client, Side::Client)];
        format!("{agent}, {client}, protocol {}", diagnostic.version)
    }

    /// The messages of the reduced recording at which the finding points. The texts of its labels
    /// stand above each message, as comments.
    fn messages(&self, labels: &[Label], settings: &Settings) -> String {
        let sendings = check::sendings(&self.reduced.bytes, settings);
        let mut text = String::new();
        let mut on = |passage: Passage<'_>| {
            let Passage::Message(message) = passage else { return };
            let span = message.node.span();
            let is_here = |label: &&Label| {
                (span.start..=span.end()).contains(&label.span.start)
                    && label.span.line >= span.line
            };
            let told = || sendings.get(&span.start)?.sender;
            let direction = match message.sender.or_else(told) {
                Some(Side::Client) => "client → agent: ",
                Some(Side::Agent) => "agent → client: ",
                None => "",
            };
            let mut is_labelled = false;
            for label in labels.iter().rev().filter(is_here) {
                is_labelled = true;
                let _ = writeln!(text, "// {direction}{}", printable(&label.message));
            }
            if is_labelled {
                let _ = writeln!(text, "{}", harmless(message.node.raw()));
            }
        };
        let mut reader = Reader::new(settings.format);
        reader.feed(&self.reduced.bytes, &mut on);
        reader.finish(&mut on);
        text
    }
}

/// Whether a diagnostic is the finding `finding`. The number of repeats may differ.
fn is_of(diagnostic: &Diagnostic, finding: &FindingKey) -> bool {
    FindingKey { repeats: finding.repeats, ..FindingKey::of(diagnostic) } == *finding
}

/// Whether two diagnostics are equal but for lines and counts, as those of a recording and its
/// reduced form are.
fn is_like(one: &Diagnostic, other: &Diagnostic) -> bool {
    let key = |it: &Diagnostic| FindingKey { lines: Vec::new(), repeats: 0, ..FindingKey::of(it) };
    key(one) == key(other)
}

/// The requirement of the protocol that the finding violates, as a sentence: of the citation for
/// the version spoken, else the rule's summary.
fn requirement(diagnostic: &Diagnostic, rule: &Rule) -> String {
    let is_own = |version: Option<_>| version.is_none_or(|own| own == diagnostic.version);
    let cited = rule.cites.iter().find(|citation| is_own(citation.version));
    let text = cited.map_or(rule.summary, |citation| citation.requires);
    format!("{}.", text.trim_end_matches('.'))
}

/// The options of `acpcheck check` without which the finding does not appear, so that readers can
/// reproduce it. Runs a check for each option that is set.
fn options(recording: &[u8], finding: &FindingKey, settings: &Settings) -> Vec<String> {
    let mut needed = Settings { side: None, ..settings.clone() };
    let is_there = |settings: &Settings| {
        let (diagnostics, _) = check::check(recording, settings);
        diagnostics.iter().any(|it| is_of(it, finding))
    };
    let mut options = Vec::new();
    let tried = Settings { severities: Severities::default(), ..needed.clone() };
    if is_there(&tried) {
        needed = tried;
    } else {
        options.push(format!("--severity {}={}", finding.rule, finding.severity));
        let mut severities = Severities::default();
        if let Some((index, _)) = rules::find(finding.rule) {
            severities.set(index, finding.severity);
        }
        let tried = Settings { severities, ..needed.clone() };
        if is_there(&tried) {
            needed = tried;
        }
    }
    let mut leave_out = |option: Option<String>, reset: &dyn Fn(&mut Settings)| {
        let Some(option) = option else { return };
        let mut tried = needed.clone();
        reset(&mut tried);
        if is_there(&tried) {
            needed = tried;
        } else {
            options.push(option);
        }
    };
    let surface = settings.surface.map(|surface| format!("--surface {surface}"));
    leave_out(surface, &|it| it.surface = None);
    let edition = settings.edition.map(|edition| format!("--edition {edition}"));
    leave_out(edition, &|it| it.edition = None);
    let format = settings.format.map(|format| format!("--input-format {}", format.name));
    leave_out(format, &|it| it.format = None);
    let head = match settings.head {
        Head::Auto => None,
        Head::Complete => Some("--head complete".to_owned()),
        Head::Truncated => Some("--head truncated".to_owned()),
    };
    leave_out(head, &|it| it.head = Head::Auto);
    let tail = match settings.tail {
        Tail::Auto => None,
        Tail::Open => Some("--tail open".to_owned()),
        Tail::Closed => Some("--tail closed".to_owned()),
    };
    leave_out(tail, &|it| it.tail = Tail::Auto);
    options
}

/// Lines with JSON in them, made harmless for terminals and CI servers that show them. The JSON keeps
/// its meaning.
fn harmless(text: &str) -> String {
    // Tabs do no harm. JSON has them between its values, where no escape may stand.
    let part = |part: &str| harmless_json(part.to_owned());
    let line = |line: &str| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\t').map(part).collect::<Vec<_>>().join("\t")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Whether a CI server would obey a line of the text for its first characters.
fn begins_command(text: &str) -> bool {
    /// Most characters of the beginning of such a line.
    const LONGEST: usize = 4;
    text.lines().map(str::trim_start).any(|line| {
        let mut first = line.char_indices().take(LONGEST);
        first.any(|(at, character)| completes_command(&line[..at], character))
    })
}

/// The name of a file as one word of a command for a shell, in quotes where it needs them.
fn shell_word(name: &str) -> String {
    // A name is no option.
    let name = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
    let is_safe = |character: char| character.is_alphanumeric() || "-_./".contains(character);
    if !name.is_empty() && name.chars().all(is_safe) {
        return name;
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}

/// A Markdown code block with a fence longer than any run of backticks in `text`.
fn fenced(language: &str, text: &str) -> String {
    let run = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(run.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_file_is_a_command() {
        for (name, word) in [
            ("small.ndjson", "small.ndjson"),
            ("a b;c`d`.ndjson", "'a b;c`d`.ndjson'"),
            ("it's $x", r"'it'\''s $x'"),
            ("-o", "./-o"),
            ("", "''"),
        ] {
            assert_eq!(shell_word(name), word);
        }
    }
}
