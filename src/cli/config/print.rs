//! The configuration in force, as an `acpcheck.toml` that says the same (`--print-config`), and in
//! words.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use toml::Spanned;

use super::{
    Config,
    condition::Condition,
    file::{ConfigFile, Ignore, Override, Texts},
    precedence::{RuleOptions, Sources},
    selectors,
    values::{ByName, InputFormat, Named, Stale},
};
use crate::{
    check::{Head, Story, Tail},
    rule::Severity,
    source::printable,
};

/// The glob pattern of settings that hold for all paths.
const EVERYWHERE: &str = "**";

impl Config {
    /// The text for `--print-config`: an `acpcheck.toml` that means the same as file and options
    /// together. Comments at its end say which entries apply to each of the transcripts `names`.
    pub(in crate::cli) fn print(&self, names: &[String]) -> String {
        let file = self.source.as_ref().map(|(name, _)| name);
        let sources = match (file, self.command_line.has_settings()) {
            (Some(name), false) => name.clone(),
            (Some(name), true) => format!("{name}, and options of the command line"),
            (None, true) => "options of the command line; there is no acpcheck.toml".to_owned(),
            (None, false) => "the defaults; there is no acpcheck.toml".to_owned(),
        };
        let mut text = format!("# In force: {}\n\n", printable(&sources));
        let merged = toml::to_string_pretty(&self.merged()).expect("all keys are strings");
        for line in merged.lines() {
            // A line that changes here is one that a terminal or CI server would obey.
            let _ = writeln!(text, "{}", printable(line));
        }
        for name in names {
            let _ = writeln!(text, "\n{}", self.explain(name));
        }
        text
    }

    /// The `[[ignore]]` and `[[override]]` entries in force, each as a phrase, for the compliance
    /// report.
    pub(in crate::cli) fn exceptions(&self) -> Vec<String> {
        let file = self.remaining();
        let ignores = file.ignore.iter().map(|entry| {
            let rules: Vec<_> = entry.rules.iter().map(|ByName(rule)| rule.name()).collect();
            let scope = scope([&entry.paths, &entry.agents, &entry.methods]);
            format!("ignores {}{scope}: {}", rules.join(", "), entry.reason)
        });
        let overrides = file.overrides.iter().map(|entry| {
            let mut values = Vec::new();
            let mut add = |key: &str, value: Option<&str>| {
                values.extend(value.map(|value| format!("{key} = {value}")));
            };
            add("surface", entry.surface.map(|ByName(it)| it.name()));
            add("edition", entry.edition.map(|ByName(it)| it.name()));
            add("head", entry.head.map(|ByName(it)| it.name()));
            add("tail", entry.tail.map(|ByName(it)| it.name()));
            add("input-format", entry.input_format.map(|ByName(it)| it.name()));
            for (ByName(rule), ByName(severity)) in &entry.severity {
                add(rule.name(), Some(Named::name(*severity)));
            }
            let scope = scope([&entry.paths, &entry.agents, &entry.methods]);
            format!("sets {}{scope}", values.join(", "))
        });
        ignores.chain(overrides).collect()
    }

    /// The numbers of the entries of the file that apply to a transcript, as comment lines.
    fn explain(&self, name: &str) -> String {
        let path = self.root.relative(Path::new(name));
        let list = |conditions: &[Condition]| -> String {
            let numbers = (1..).zip(conditions).filter(|(_, it)| it.matches_path(&path));
            let numbers: Vec<_> =
                numbers.map(|(number, _): (usize, _)| number.to_string()).collect();
            if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") }
        };
        let shown = if path == name { String::new() } else { format!(" ({path} from there)") };
        format!(
            "# {}:\n#   ignores that apply: {}\n#   overrides that apply: {}",
            printable(&format!("{name}{shown}")),
            list(&self.ignores),
            list(&self.overrides)
        )
    }

    /// The configuration file without values that options of the command line outweigh.
    fn remaining(&self) -> ConfigFile {
        let Self { command_line: options, rule_options, profile, .. } = self;
        let mut file = self.file.clone();
        // An option applies to all transcripts.
        for entry in &mut file.overrides {
            entry.surface = entry.surface.filter(|_| options.surface.is_none());
            entry.edition = entry.edition.filter(|_| options.edition.is_none());
            entry.head = entry.head.filter(|_| options.head.is_none());
            entry.tail = entry.tail.filter(|_| options.tail.is_none());
            entry.input_format = entry.input_format.filter(|_| options.input_format.is_none());
        }
        let in_file = RuleOptions { select: selectors(&file.select), ..RuleOptions::default() };
        let sources = Sources { profile: *profile, file: &in_file, command_line: rule_options };
        for entry in &mut file.ignore {
            let rules = entry.rules.iter().flat_map(|ByName(rule)| sources.still_ignored(*rule));
            entry.rules = rules.map(ByName).collect();
        }
        file.ignore.retain(|entry| !entry.rules.is_empty());
        file
    }

    /// The configuration file that means the same as file and options together.
    fn merged(&self) -> ConfigFile {
        let Self { command_line: options, rule_options, .. } = self;
        let file = self.remaining();
        let surface = options.surface.map(|auto| ByName(auto.fixed()));
        let edition = options.edition.map(|auto| ByName(auto.fixed()));
        let format = options.input_format.map(|format| ByName(InputFormat(Some(format))));
        let stale = file.stale_baseline.unwrap_or(ByName(Stale::default()));
        let mut merged = ConfigFile {
            profile: Some(ByName(self.profile)),
            surface: Some(surface.or(file.surface).unwrap_or(ByName(None))),
            edition: Some(edition.or(file.edition).unwrap_or(ByName(None))),
            schema: self.schemas().map(|folder| folder.display().to_string()),
            head: Some(options.head.map(ByName).or(file.head).unwrap_or(ByName(Head::Auto))),
            tail: Some(options.tail.map(ByName).or(file.tail).unwrap_or(ByName(Tail::Auto))),
            story: Some(options.story.map(ByName).or(file.story).unwrap_or(ByName(Story::Auto))),
            input_format: Some(format.or(file.input_format).unwrap_or(ByName(InputFormat(None)))),
            fail_on: Some(ByName(self.threshold())),
            side: options.side.map(ByName).or(file.side),
            stale_baseline: file.baseline.as_ref().map(|_| stale),
            ..file
        };
        let (ignored, off) = rule_options.silenced(&selectors(&merged.select));
        for (rules, option) in [(ignored, "--ignore"), (off, "--severity")] {
            if !rules.is_empty() {
                let rules = rules.into_iter().map(ByName).collect();
                let reason = format!("{option} on the command line");
                let (paths, agents, methods) = (Vec::new(), Vec::new(), Vec::new());
                merged.ignore.push(Ignore { rules, paths, agents, methods, reason });
            }
        }
        if !rule_options.select.is_empty() {
            merged.select = rule_options.select.iter().copied().map(ByName).collect();
        }
        let changes = options.severity.iter().filter(|change| change.severity != Severity::Off);
        let severity: BTreeMap<_, _> =
            changes.map(|change| (ByName(change.selector), ByName(change.severity))).collect();
        if !severity.is_empty() {
            let paths = vec![Spanned::new(0..0, EVERYWHERE.to_owned())];
            merged.overrides.push(Override { paths, severity, ..Override::default() });
        }
        merged
    }
}

/// The paths, agents and methods to which an entry applies, in words; empty for all.
fn scope([paths, agents, methods]: [&Texts; 3]) -> String {
    let mut words = String::new();
    for (word, texts) in [("in", paths), ("by", agents), ("at", methods)] {
        if !texts.is_empty() {
            let texts: Vec<_> = texts.iter().map(|text| text.get_ref().as_str()).collect();
            let _ = write!(words, " {word} {}", texts.join(", "));
        }
    }
    words
}
