//! `--print-config`: what is in force, as a file that would say the same.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use toml::Spanned;

use super::{
    Condition, Config,
    file::{File, Ignore, Override, Texts},
    named::{Choice, InputFormat, Named, Stale},
    selectors,
};
use crate::{
    check::{Head, Tail},
    cli::selection::{Sources, Wishes},
    rule::Severity,
};

/// Where the options of the command line hold.
const EVERYWHERE: &str = "**";

impl Config {
    /// The configuration with the options in it; then, for each of the transcripts, which entries
    /// apply to it.
    pub(in crate::cli) fn print(&self, names: &[String]) -> String {
        let (file, options) = (self.source.as_ref(), self.has_options());
        let sources = match (file.map(|(name, _)| name), options) {
            (Some(name), false) => name.clone(),
            (Some(name), true) => format!("{name}, and options of the command line"),
            (None, true) => "options of the command line; there is no acpcheck.toml".to_owned(),
            (None, false) => "the defaults; there is no acpcheck.toml".to_owned(),
        };
        let mut text = format!("# In force: {sources}\n\n");
        // What is serialized has no maps with keys that are no texts, nor anything else to fail at.
        text.push_str(&toml::to_string_pretty(&self.merged()).unwrap_or_default());
        for name in names {
            let _ = writeln!(text, "\n{}", self.explain(name));
        }
        text
    }

    /// What the file ignores and what it says of some transcripts, agents or methods, in words.
    pub(in crate::cli) fn exceptions(&self) -> Vec<String> {
        let file = self.remaining();
        let ignores = file.ignore.iter().map(|entry| {
            let rules: Vec<_> = entry.rules.iter().map(|Choice(rule)| rule.name()).collect();
            let places = places([&entry.paths, &entry.agents, &entry.methods]);
            format!("ignores {}{places}: {}", rules.join(", "), entry.reason)
        });
        let overrides = file.overrides.iter().map(|entry| {
            let mut values = Vec::new();
            let mut add = |key: &str, value: Option<&str>| {
                values.extend(value.map(|value| format!("{key} = {value}")));
            };
            add("surface", entry.surface.map(|Choice(it)| it.name()));
            add("edition", entry.edition.map(|Choice(it)| it.name()));
            add("head", entry.head.map(|Choice(it)| it.name()));
            add("tail", entry.tail.map(|Choice(it)| it.name()));
            add("input-format", entry.input_format.map(|Choice(it)| it.name()));
            for (Choice(rule), Choice(severity)) in &entry.severity {
                add(rule.name(), Some(Named::name(*severity)));
            }
            let places = places([&entry.paths, &entry.agents, &entry.methods]);
            format!("sets {}{places}", values.join(", "))
        });
        ignores.chain(overrides).collect()
    }

    fn has_options(&self) -> bool {
        let options = &self.options;
        !(options.select.is_empty() && options.ignore.is_empty() && options.severity.is_empty())
            || options.profile.is_some()
            || options.fail_on.is_some()
            || options.surface.is_some()
            || options.edition.is_some()
            || options.schema.is_some()
            || options.head.is_some()
            || options.tail.is_some()
            || options.input_format.is_some()
    }

    /// Which entries of the file apply to a transcript, as comments.
    fn explain(&self, name: &str) -> String {
        let path = self.root.relative(Path::new(name));
        let list = |conditions: &[Condition]| -> String {
            let holding = conditions.iter().enumerate().filter(|(_, it)| it.holds(&path));
            let numbers: Vec<_> = holding.map(|(index, _)| (index + 1).to_string()).collect();
            if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") }
        };
        let shown = if path == name { String::new() } else { format!(" ({path} from there)") };
        format!(
            "# {name}{shown}:\n#   ignores that apply: {}\n#   overrides that apply: {}",
            list(&self.ignores),
            list(&self.overrides)
        )
    }

    /// The file, as far as the command line leaves it in force.
    fn remaining(&self) -> File {
        let Self { options, line, profile, .. } = self;
        let mut file = self.file.clone();
        // What the command line says holds for all transcripts.
        for entry in &mut file.overrides {
            entry.surface = entry.surface.filter(|_| options.surface.is_none());
            entry.edition = entry.edition.filter(|_| options.edition.is_none());
            entry.head = entry.head.filter(|_| options.head.is_none());
            entry.tail = entry.tail.filter(|_| options.tail.is_none());
            entry.input_format = entry.input_format.filter(|_| options.input_format.is_none());
        }
        let wishes = Wishes { select: selectors(&file.select), ..Wishes::default() };
        let sources = Sources { profile: *profile, file: &wishes, line };
        for entry in &mut file.ignore {
            let rules = entry.rules.iter().flat_map(|Choice(rule)| sources.still_ignored(*rule));
            entry.rules = rules.map(Choice).collect();
        }
        file.ignore.retain(|entry| !entry.rules.is_empty());
        file
    }

    /// A file that says what this one and the command line say together.
    fn merged(&self) -> File {
        let Self { options, line, .. } = self;
        let file = self.remaining();
        let surface = options.surface.map(|auto| Choice(auto.fixed()));
        let edition = options.edition.map(|auto| Choice(auto.fixed()));
        let format = options.input_format.map(|format| Choice(InputFormat(Some(format))));
        let stale = file.stale_baseline.unwrap_or(Choice(Stale::default()));
        let mut merged = File {
            profile: Some(Choice(self.profile)),
            surface: Some(surface.or(file.surface).unwrap_or(Choice(None))),
            edition: Some(edition.or(file.edition).unwrap_or(Choice(None))),
            schema: self.schemas().map(|folder| folder.display().to_string()),
            head: Some(options.head.map(Choice).or(file.head).unwrap_or(Choice(Head::Auto))),
            tail: Some(options.tail.map(Choice).or(file.tail).unwrap_or(Choice(Tail::Auto))),
            input_format: Some(format.or(file.input_format).unwrap_or(Choice(InputFormat(None)))),
            fail_on: Some(Choice(self.threshold())),
            stale_baseline: file.baseline.as_ref().map(|_| stale),
            ..file
        };
        let (ignored, off) = line.silenced(&selectors(&merged.select));
        for (rules, option) in [(ignored, "--ignore"), (off, "--severity")] {
            if !rules.is_empty() {
                let rules = rules.into_iter().map(Choice).collect();
                let reason = format!("{option} on the command line");
                let (paths, agents, methods) = (Vec::new(), Vec::new(), Vec::new());
                merged.ignore.push(Ignore { rules, paths, agents, methods, reason });
            }
        }
        if !line.select.is_empty() {
            merged.select = line.select.iter().copied().map(Choice).collect();
        }
        let loud = options.severity.iter().filter(|change| change.severity != Severity::Off);
        let severity: BTreeMap<_, _> =
            loud.map(|change| (Choice(change.selector), Choice(change.severity))).collect();
        if !severity.is_empty() {
            let paths = vec![Spanned::new(0..0, EVERYWHERE.to_owned())];
            merged.overrides.push(Override { paths, severity, ..Override::default() });
        }
        merged
    }
}

/// Where an entry applies, in words.
fn places([paths, agents, methods]: [&Texts; 3]) -> String {
    let mut words = String::new();
    for (word, texts) in [("in", paths), ("by", agents), ("at", methods)] {
        if !texts.is_empty() {
            let texts: Vec<_> = texts.iter().map(|text| text.get_ref().as_str()).collect();
            let _ = write!(words, " {word} {}", texts.join(", "));
        }
    }
    words
}
