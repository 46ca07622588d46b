//! Baselines: known findings, which are held back so that new ones show.
//!
//! A baseline file has an entry for each fingerprint (rule, method, place in the message, agent) with
//! the number of findings to hold back. These are the first ones in the order of the transcripts.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, VecDeque, btree_map},
    fmt::Write as _,
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::{
    folders,
    interrupts::Interrupts,
    output::Destination,
    toml_errors::{self, ConfigError, TomlErrors},
};
use crate::{
    diagnostic::Diagnostic,
    report::{
        compliance::{Acceptance, RuleId},
        fingerprint::Fingerprint,
    },
    rules,
    source::is_plain,
};

/// The JSON Schema of [`BaselineFile`], by which errors in the file are found and drawn.
const SCHEMA: &str = include_str!("../../schema/baseline.schema.json");

/// The reason of an entry in a new baseline, which the user is to replace.
const PLACEHOLDER: &str = "TODO: why is this accepted?";

/// The version of the format of baseline files, which each file states.
const VERSION: u32 = 1;

/// The contents of a baseline file: findings that the user accepts for now.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    version: u32,
    #[serde(default, rename = "finding", skip_serializing_if = "Vec::is_empty")]
    findings: Vec<BaselineEntry>,
}

/// An entry of a baseline: the findings with one fingerprint that are held back, and why.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct BaselineEntry {
    rule: Spanned<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    implementation: Option<String>,
    /// How many findings with this fingerprint are held back; further ones are reported.
    count: u64,
    reason: String,
}

impl BaselineEntry {
    /// The fingerprint of the findings that the entry holds back; `None` when its rule no longer
    /// exists.
    fn fingerprint(&self) -> Option<Fingerprint> {
        let (_, rule) = rules::find(self.rule.get_ref())?;
        let shared = |text: &Option<String>| text.as_deref().map(Into::into);
        Some(Fingerprint {
            rule: rule.id,
            method: shared(&self.method),
            shape: self.pointer.clone(),
            implementation: shared(&self.implementation),
        })
    }

    /// The fingerprint of the entry in words, for messages to the user.
    fn describe(&self) -> String {
        let mut text = format!("`{}`", self.rule.get_ref());
        let parts = [("in", &self.method), ("at", &self.pointer), ("by", &self.implementation)];
        for (word, part) in parts {
            if let Some(part) = part {
                let _ = write!(text, " {word} `{part}`");
            }
        }
        text
    }
}

/// What `check` does with the findings of a run, by `--baseline` and `--write-baseline`.
#[derive(Debug)]
pub(super) enum BaselineMode {
    /// No baseline: all findings are reported.
    None,
    /// Findings that the baseline lists are held back, others are reported.
    HoldBack(Baseline),
    /// All findings are recorded for a new baseline, and none is reported.
    Record(BaselineWriter),
}

impl BaselineMode {
    /// Removes the diagnostics that are not to be reported. Must be called once for each
    /// transcript, in the order of the run, since a baseline holds back the first findings of a
    /// kind.
    pub(super) fn hold_back(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        match self {
            Self::None => {}
            Self::HoldBack(baseline) => {
                diagnostics.retain(|diagnostic| !baseline.holds_back(diagnostic));
            }
            Self::Record(writer) => {
                diagnostics.drain(..).for_each(|diagnostic| writer.add(&diagnostic));
            }
        }
    }
}

/// A baseline file that has been read, with counts of the findings that matched its entries so far.
#[derive(Debug)]
pub(super) struct Baseline {
    /// The name of the baseline file, for messages to the user.
    name: String,
    entries: Vec<BaselineEntry>,
    /// The line of each entry in the file, from 1.
    lines: Vec<usize>,
    /// Indices of the entries with a fingerprint. Entries that hold back no more findings are
    /// removed, except the last one, in which further findings are counted.
    index: HashMap<Fingerprint, VecDeque<usize>>,
    /// For each entry of `lines`, the number of findings that matched the entry so far, to find
    /// stale entries.
    matches: Vec<u64>,
}

impl Baseline {
    /// Reads the baseline file at a path. Fails when the file cannot be read or has errors.
    pub(super) fn load(path: &Path) -> Result<Self, ConfigError> {
        let name = path.display().to_string();
        let text = toml_errors::read(&name, path).map_err(|error| match error {
            ConfigError::Unreadable(why) if !path.exists() => ConfigError::Unreadable(format!(
                "{why}; `acpcheck check --write-baseline {name}` writes a new baseline"
            )),
            error => error,
        })?;
        Ok(Self::parse(name, &text)?)
    }

    /// Reads a baseline from the TOML text of its file. `name` is the name of the file in error
    /// messages.
    pub(super) fn parse(name: String, text: &str) -> Result<Self, TomlErrors> {
        let BaselineFile { findings: entries, .. } = toml_errors::parse(&name, text, SCHEMA)?;
        // Entries stand one behind the other: each line break is counted once.
        let (mut line, mut counted) = (1, 0);
        let line_of = |entry: &BaselineEntry| {
            let start = entry.rule.span().start;
            line += text[counted..start].matches('\n').count();
            counted = start;
            line
        };
        let lines = entries.iter().map(line_of).collect();
        let mut index: HashMap<Fingerprint, VecDeque<usize>> = HashMap::new();
        for (at, entry) in entries.iter().enumerate() {
            if let Some(fingerprint) = entry.fingerprint() {
                index.entry(fingerprint).or_default().push_back(at);
            }
        }
        let matches = vec![0; entries.len()];
        Ok(Self { name, entries, lines, index, matches })
    }

    /// Whether a finding is held back; counts it for its entry. Must be called once for each
    /// finding, in the order of the run.
    fn holds_back(&mut self, diagnostic: &Diagnostic) -> bool {
        let Some(entries) = self.index.get_mut(&Fingerprint::of(diagnostic)) else { return false };
        let is_open = |at: usize| self.matches[at] < self.entries[at].count;
        while entries.len() > 1 && entries.front().is_some_and(|first| !is_open(*first)) {
            entries.pop_front();
        }
        let Some(at) = entries.front().copied() else { return false };
        let is_held_back = is_open(at);
        // Further findings are counted in the last entry.
        self.matches[at] += 1;
        is_held_back
    }

    /// The sentences about the baseline that `check` prints after all transcripts have been
    /// checked.
    pub(super) fn summary(&self) -> BaselineSummary {
        let mut summary = BaselineSummary { name: self.name.clone(), ..BaselineSummary::default() };
        for ((entry, line), matches) in self.entries.iter().zip(&self.lines).zip(&self.matches) {
            let place = format!("`{}:{line}`", self.name);
            let what = entry.describe();
            let count = entry.count;
            if rules::find(entry.rule.get_ref()).is_none() {
                summary.stale.push(format!("{place}: the rule of {what} no longer exists"));
            } else if *matches == 0 {
                summary.stale.push(format!("{place}: no finding matches {what} any more"));
            } else if *matches < count {
                summary.stale.push(format!("{place}: {what}: expected {count}, found {matches}"));
            } else if *matches > count {
                summary.exceeded.push(format!(
                    "{place}: {what}: expected {count}, found {matches}; the last ones are \
                     reported, but any of them may be new"
                ));
            }
            summary.unexplained += u64::from(entry.reason == PLACEHOLDER);
        }
        summary
    }
}

/// The sentences about a baseline that `check` prints after a run, without full stops.
#[derive(Debug, Default)]
pub(super) struct BaselineSummary {
    /// The name of the baseline file, for the summary.
    pub(super) name: String,
    /// A sentence for each entry that matched fewer findings than it states, or whose rule no
    /// longer exists.
    pub(super) stale: Vec<String>,
    /// A sentence for each entry that matched more findings than it states.
    pub(super) exceeded: Vec<String>,
    /// The number of entries whose reason the user has not written yet.
    pub(super) unexplained: u64,
}

/// Counts the findings of a run by fingerprint, and writes them as a new baseline.
#[derive(Debug)]
pub(super) struct BaselineWriter {
    path: PathBuf,
    to: Destination,
    interrupts: Interrupts,
    /// The reasons that the user wrote in the file that is replaced; they are kept.
    reasons: HashMap<Fingerprint, String>,
    /// The number of findings with each fingerprint.
    found: BTreeMap<Fingerprint, u64>,
}

impl BaselineWriter {
    /// Prepares to write a baseline at a path, and reads the reasons of the file that is there.
    /// Fails when that file is not a baseline, or the path cannot be written.
    pub(super) fn open(path: &Path, interrupts: &Interrupts) -> Result<Self, ConfigError> {
        let mut reasons = HashMap::new();
        if path.exists() {
            for entry in read_entries(path)? {
                if let Some(fingerprint) = entry.fingerprint() {
                    reasons.entry(fingerprint).or_insert(entry.reason);
                }
            }
        }
        let to = Destination::of(path, interrupts).map_err(|error| {
            ConfigError::Unreadable(format!("cannot write `{}`: {error}", folders::name(path)))
        })?;
        let (path, interrupts) = (path.to_owned(), interrupts.clone());
        Ok(Self { path, to, interrupts, reasons, found: BTreeMap::new() })
    }

    /// Adds a finding to the baseline to be written; equal findings are counted in one entry.
    fn add(&mut self, diagnostic: &Diagnostic) {
        *self.found.entry(Fingerprint::of(diagnostic)).or_default() += 1;
    }

    /// Writes the baseline file, and makes the folders that lead to it. Returns a sentence without
    /// a full stop: what was written, or why it could not be.
    pub(super) fn write(&self) -> Result<String, String> {
        self.try_to_write()
            .map_err(|error| format!("cannot write `{}`: {error}", self.path.display()))
    }

    fn try_to_write(&self) -> io::Result<String> {
        const HEAD: &str = "\
# Known findings, which acpcheck hides. Give each a reason: `acpcheck check --write-baseline` keeps
# the reasons when it writes this file again.
";
        let found = &self.found;
        let entry = |(fingerprint, count): (&Fingerprint, &u64)| BaselineEntry {
            rule: Spanned::new(0..0, fingerprint.rule.to_owned()),
            method: fingerprint.method.as_deref().map(str::to_owned),
            pointer: fingerprint.shape.clone(),
            implementation: fingerprint.implementation.as_deref().map(str::to_owned),
            count: *count,
            reason: self.reasons.get(fingerprint).map_or(PLACEHOLDER, String::as_str).to_owned(),
        };
        let findings: Vec<_> = found.iter().map(entry).collect();
        let unexplained = findings.iter().filter(|entry| entry.reason == PLACEHOLDER).count();
        let (kinds, all) = (findings.len(), found.values().sum::<u64>());
        let file = BaselineFile { version: VERSION, findings };
        let text = toml::to_string(&file).map_err(io::Error::other)?;
        let text: String = text.split_inclusive('\n').map(spelled_out).collect();
        self.to.put(&self.interrupts, |out| write!(out, "{HEAD}{text}"))?;
        let kinds = if kinds == 1 { "1 kind".to_owned() } else { format!("{kinds} kinds") };
        let findings = if all == 1 { "finding" } else { "findings" };
        let mut message = format!("wrote `{}`: {all} {findings} of {kinds}", self.path.display());
        if unexplained > 0 {
            let _ = write!(message, "; {unexplained} without a reason yet: add one for each");
        }
        Ok(message)
    }
}

/// A line of TOML with the same value, in which characters that hide or reorder text become
/// escapes.
fn spelled_out(line: &str) -> Cow<'_, str> {
    let is_harmless = |character| is_plain(character) || character == '\n';
    if line.chars().all(is_harmless) {
        return line.into();
    }
    let value = toml::from_str::<toml::Table>(line).ok().and_then(|table| table.into_iter().next());
    let Some((name, toml::Value::String(text))) = value else { return line.into() };
    let mut out = format!("{name} = \"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            character if is_plain(character) => out.push(character),
            // Writing to a string cannot fail.
            character => {
                let _ = write!(out, "\\U{:08X}", u32::from(character));
            }
        }
    }
    (out + "\"\n").into()
}

/// The findings that a baseline accepts, for the compliance report: one item for each fingerprint.
/// Entries whose rule no longer exists are left out.
pub(super) fn accepted(path: &Path) -> Result<Vec<Acceptance>, ConfigError> {
    let mut accepted: BTreeMap<Fingerprint, Acceptance> = BTreeMap::new();
    for entry in read_entries(path)? {
        let Some((rule, _)) = rules::find(entry.rule.get_ref()) else { continue };
        let Some(fingerprint) = entry.fingerprint() else { continue };
        let BaselineEntry { method, pointer, implementation, count, reason, .. } = entry;
        let reason = if reason == PLACEHOLDER { String::new() } else { reason };
        match accepted.entry(fingerprint) {
            btree_map::Entry::Vacant(place) => {
                let rule = RuleId(rule);
                place.insert(Acceptance { rule, method, pointer, implementation, count, reason });
            }
            btree_map::Entry::Occupied(mut place) => {
                let other = place.get_mut();
                other.count = other.count.saturating_add(count);
                let reasons = [std::mem::take(&mut other.reason), reason];
                let given: Vec<_> = reasons.into_iter().filter(|it| !it.is_empty()).collect();
                other.reason = given.join("; ");
            }
        }
    }
    Ok(accepted.into_values().collect())
}

/// Reads the entries of the baseline file at this path. Fails when the file cannot be read or has
/// an error.
fn read_entries(path: &Path) -> Result<Vec<BaselineEntry>, ConfigError> {
    let name = path.display().to_string();
    let text = toml_errors::read(&name, path)?;
    let file: BaselineFile = toml_errors::parse(&name, &text, SCHEMA)?;
    Ok(file.findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reorders_a_text_is_written_as_an_escape() {
        let text = "a\u{202e}b\"\\c\u{1b}\u{e0041}";
        let entry = BTreeMap::from([("reason", text)]);
        let line = toml::to_string(&entry).unwrap();
        let shown = spelled_out(&line);
        assert!(shown.chars().all(|character| is_plain(character) || character == '\n'), "{shown}");
        let read: BTreeMap<String, String> = toml::from_str(&shown).unwrap();
        assert_eq!(read["reason"], text);
        assert_eq!(spelled_out("count = 1\n"), "count = 1\n");
    }
}
