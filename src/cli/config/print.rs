//! `--print-config`: what is in force, as a file that would say the same.

use std::{collections::BTreeMap, fmt::Write as _, path::Path};

use toml::Spanned;

use super::{
    Condition, Config,
    file::{File, Ignore, Override},
    named::{Choice, InputFormat, Stale},
};
use crate::{
    check::{Head, Tail},
    cli::selection::{Change, Sources, Wishes},
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

    fn has_options(&self) -> bool {
        let options = &self.options;
        !(options.select.is_empty() && options.ignore.is_empty() && options.severity.is_empty())
            || options.profile.is_some()
            || options.fail_on.is_some()
            || options.surface.is_some()
            || options.edition.is_some()
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

    fn merged(&self) -> File {
        let Self { file, options, line, .. } = self;
        let surface = options.surface.map(|auto| Choice(auto.fixed()));
        let edition = options.edition.map(|auto| Choice(auto.fixed()));
        let format = options.input_format.map(|format| Choice(InputFormat(Some(format))));
        let mut merged = File {
            profile: Some(Choice(self.profile)),
            surface: Some(surface.or(file.surface).unwrap_or(Choice(None))),
            edition: Some(edition.or(file.edition).unwrap_or(Choice(None))),
            head: Some(options.head.map(Choice).or(file.head).unwrap_or(Choice(Head::Auto))),
            tail: Some(options.tail.map(Choice).or(file.tail).unwrap_or(Choice(Tail::Auto))),
            input_format: Some(format.or(file.input_format).unwrap_or(Choice(InputFormat(None)))),
            fail_on: Some(Choice(self.threshold())),
            stale_baseline: file
                .baseline
                .as_ref()
                .map(|_| file.stale_baseline.unwrap_or(Choice(Stale::default()))),
            ..file.clone()
        };
        if !line.select.is_empty() {
            merged.select = line.select.iter().copied().map(Choice).collect();
        }
        // What the command line says holds for all transcripts.
        for entry in &mut merged.overrides {
            entry.surface = entry.surface.filter(|_| surface.is_none());
            entry.edition = entry.edition.filter(|_| edition.is_none());
            entry.head = entry.head.filter(|_| options.head.is_none());
            entry.tail = entry.tail.filter(|_| options.tail.is_none());
            entry.input_format = entry.input_format.filter(|_| format.is_none());
        }
        self.merge_rules(&mut merged);
        merged
    }

    /// What the command line wants of rules.
    fn merge_rules(&self, merged: &mut File) {
        let select = self.file.select.iter().map(|Choice(selector)| *selector);
        let file = Wishes { select: select.collect(), ..Wishes::default() };
        let sources = Sources { profile: self.profile, file: &file, line: &self.line };
        for entry in &mut merged.ignore {
            let rules = entry.rules.iter().flat_map(|Choice(rule)| sources.still_ignored(*rule));
            entry.rules = rules.map(Choice).collect();
        }
        merged.ignore.retain(|entry| !entry.rules.is_empty());
        let (ignored, off) = self.line.silenced(&file.select);
        for (rules, option) in [(ignored, "--ignore"), (off, "--severity")] {
            if !rules.is_empty() {
                let rules = rules.into_iter().map(Choice).collect();
                let reason = format!("{option} on the command line");
                let (paths, agents, methods) = (Vec::new(), Vec::new(), Vec::new());
                merged.ignore.push(Ignore { rules, paths, agents, methods, reason });
            }
        }
        let loud = |change: &&Change| change.severity != Severity::Off;
        let severity: BTreeMap<_, _> = (self.options.severity.iter().filter(loud))
            .map(|change| (Choice(change.selector), Choice(change.severity)))
            .collect();
        if !severity.is_empty() {
            let paths = vec![Spanned::new(0..0, EVERYWHERE.to_owned())];
            merged.overrides.push(Override { paths, severity, ..Override::default() });
        }
    }
}
