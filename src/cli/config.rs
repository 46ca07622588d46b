//! The configuration: `acpcheck.toml` together with the options of the command line.
//!
//! [`Config::load`] finds and reads the file. [`Config::settings`] then returns how to check one
//! transcript. Each source outweighs the one before: profile, file, overrides in the file whose paths
//! match, command line. Entries for some agents or methods become exceptions in the settings, because
//! agents and methods are known only while a transcript is read.

use std::{
    collections::HashMap,
    env,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::{
    selector::{Selector, SeverityChange},
    toml_errors::{self, TomlError, TomlErrors},
};
use crate::{
    check::Settings,
    protocol::{Edition, Surface, schema},
    rule::Severity,
};

mod command_line;
mod condition;
mod file;
mod paths;
mod precedence;
mod print;
mod schemas;
mod values;

pub(super) use super::toml_errors::ConfigError;
pub(super) use command_line::CommandLine;
use condition::Condition;
use file::{ConfigFile, Ignore, Override, Texts};
use paths::Root;
use precedence::{Conditional, RuleOptions, Sources};
use values::{ByName, InputFormat, Profile};
pub(super) use values::{Stale, Threshold};

/// The name of the configuration file that is looked for in the current folder and above.
const NAME: &str = "acpcheck.toml";

/// The configuration of a run: `acpcheck.toml` together with the options of the command line.
#[derive(Debug)]
pub(super) struct Config {
    /// The configuration file's name in messages and its folder; `None` without a file.
    source: Option<(String, PathBuf)>,
    profile: Profile,
    file: ConfigFile,
    command_line: CommandLine,
    /// Which rules the options of the command line select, ignore and change.
    rule_options: RuleOptions,
    /// The folder from which patterns of paths start: that of the configuration file, else the
    /// current one.
    root: Root,
    /// The condition of each `[[ignore]]` table of the configuration, in the order of the file.
    ignores: Vec<Condition>,
    /// The condition of each `[[override]]` of the file, in its order.
    overrides: Vec<Condition>,
    /// A cache of the settings made so far. Transcripts to which the same entries apply share
    /// settings.
    settings: Mutex<HashMap<Entries, Settings>>,
}

/// The entries of the configuration that apply to a transcript: indices of its `[[ignore]]` tables,
/// and of its `[[override]]` tables.
type Entries = (Vec<usize>, Vec<usize>);

impl Config {
    /// Finds and reads the configuration file, and the schemas that the file or the command line
    /// names. Fails when one cannot be read or has an error.
    pub(super) fn load(command_line: &CommandLine) -> Result<Self, ConfigError> {
        let config = match find(command_line) {
            Some((name, path)) => {
                let text = toml_errors::read(&name, &path)?;
                let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                Self::parse(command_line, &name, folder, &text)?
            }
            None => Self::new(None, ConfigFile::default(), command_line)
                .map_err(|error| TomlErrors::one("", "", error))?,
        };
        if let Some(folder) = config.schemas() {
            schemas::load(&folder, config.is_current()).map_err(ConfigError::Unreadable)?;
        }
        Ok(config)
    }

    /// Reads a configuration from the text of its file. `name` is the name of the file in messages.
    pub(super) fn parse(
        command_line: &CommandLine,
        name: &str,
        folder: PathBuf,
        text: &str,
    ) -> Result<Self, TomlErrors> {
        let file: ConfigFile = toml_errors::parse(name, text, file::SCHEMA)?;
        Self::new(Some((name.to_owned(), folder)), file, command_line)
            .map_err(|error| TomlErrors::one(name, text, error))
    }

    /// The path of the configuration file that [`Config::load`] reads; `None` when there is none.
    pub(super) fn path(command_line: &CommandLine) -> Option<PathBuf> {
        find(command_line).map(|(_, path)| path)
    }

    /// The name, such as `../acpcheck.toml`, of the configuration file in the current folder or the
    /// nearest one above; `None` when there is none.
    pub(super) fn name_here() -> Option<String> {
        nearest_file().map(|(name, _)| name)
    }

    fn new(
        source: Option<(String, PathBuf)>,
        file: ConfigFile,
        command_line: &CommandLine,
    ) -> Result<Self, TomlError> {
        let folder = source.as_ref().map_or(Path::new(""), |(_, folder)| folder);
        let root = if folder == Path::new("") { Path::new(".") } else { folder };
        let ignores = file
            .ignore
            .iter()
            .map(|Ignore { paths, agents, methods, .. }| Condition::new(paths, agents, methods))
            .collect::<Result<_, _>>()?;
        let overrides = file
            .overrides
            .iter()
            .map(|Override { paths, agents, methods, .. }| Condition::new(paths, agents, methods))
            .collect::<Result<_, _>>()?;
        let command_line = command_line.clone();
        let in_file = file.profile.map(|ByName(profile)| profile);
        Ok(Self {
            profile: command_line.profile.or(in_file).unwrap_or_default(),
            rule_options: RuleOptions {
                select: command_line.select.clone(),
                ignore: command_line.ignore.clone(),
                changes: vec![command_line.severity.clone()],
            },
            root: Root::new(root),
            source,
            file,
            command_line,
            ignores,
            overrides,
            settings: Mutex::default(),
        })
    }

    /// Whether any transcript may be checked by the current edition, so that schema files of the
    /// user matter.
    fn is_current(&self) -> bool {
        let is_current = |edition: Option<Edition>| edition.is_none_or(|it| it == Edition::CURRENT);
        if let Some(auto) = &self.command_line.edition {
            return is_current(auto.fixed());
        }
        let entries = self.file.overrides.iter().filter_map(|entry| entry.edition.as_ref());
        let all = entries.chain(&self.file.edition).map(|ByName(edition)| *edition);
        let mut all = all.peekable();
        self.file.edition.is_none() || all.peek().is_none() || all.any(is_current)
    }

    /// The folder with schemas of the user that replace the built-in ones; `None` without any.
    fn schemas(&self) -> Option<PathBuf> {
        let in_file = || {
            let folder = self.file.schema.as_ref()?;
            let base = self.source.as_ref().map_or(Path::new(""), |(_, folder)| folder);
            Some(base.join(folder))
        };
        self.command_line.schema.clone().or_else(in_file)
    }

    /// The paths of the schema files that replace the built-in ones; empty without any. Some may
    /// not exist.
    pub(super) fn schema_files(&self) -> Vec<PathBuf> {
        let folder = self.schemas();
        let file = |surface| Some(folder.as_ref()?.join(schema::file_name(surface)));
        Surface::ALL.into_iter().filter_map(file).collect()
    }

    /// The findings that make the exit status 1, by command line, file or profile.
    pub(super) fn threshold(&self) -> Threshold {
        let in_file = self.file.fail_on.map(|ByName(threshold)| threshold);
        let by_profile = match self.profile {
            Profile::Strict => Threshold::at(Severity::Warning),
            Profile::Default | Profile::Registry | Profile::Audit => Threshold::at(Severity::Error),
        };
        Threshold::of(&self.command_line.fail_on).or(in_file).unwrap_or(by_profile)
    }

    /// The path of the baseline that the configuration file names, joined to the folder of that
    /// file; `None` without one.
    pub(super) fn baseline(&self) -> Option<PathBuf> {
        let (_, folder) = self.source.as_ref()?;
        self.file.baseline.as_ref().map(|path| folder.join(path))
    }

    /// What the configuration file says about stale baseline entries (those that match no finding);
    /// `None` when it says nothing.
    pub(super) fn stale_baseline(&self) -> Option<Stale> {
        self.file.stale_baseline.map(|ByName(stale)| stale)
    }

    /// The settings for a transcript without a path: only entries of the file without `paths`
    /// apply.
    pub(super) fn general(&self) -> Settings {
        self.settings_where(Condition::has_all_paths)
    }

    /// The settings for checking the transcript with this name. Entries of the file apply by their
    /// `paths`.
    pub(super) fn settings(&self, name: &str) -> Settings {
        let path = self.root.relative(Path::new(name));
        self.settings_where(|condition| condition.matches_path(&path))
    }

    /// A sentence, without a full stop, for each `[[ignore]]` and `[[override]]` whose paths have
    /// matched no transcript so far.
    pub(super) fn unmatched(&self) -> Vec<String> {
        let settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((name, _)) = self.source.as_ref().filter(|_| !settings.is_empty()) else {
            return Vec::new();
        };
        let note = |kind: &str, paths: &Texts| {
            let paths: Vec<_> = paths.iter().map(|path| format!("`{}`", path.get_ref())).collect();
            let paths = paths.join(", ");
            format!("`{name}`: no transcript has a path of this `[[{kind}]]`: {paths}")
        };
        let is_ignore_met = |index| settings.keys().any(|(ignores, _)| ignores.contains(&index));
        let is_override_met = |index| settings.keys().any(|(_, met)| met.contains(&index));
        let ignores = self.file.ignore.iter().enumerate();
        let ignores = ignores.filter(|(index, _)| !is_ignore_met(*index));
        let overrides = self.file.overrides.iter().enumerate();
        let overrides = overrides.filter(|(index, _)| !is_override_met(*index));
        let ignores = ignores.map(|(_, entry)| note("ignore", &entry.paths));
        ignores.chain(overrides.map(|(_, entry)| note("override", &entry.paths))).collect()
    }

    /// The settings for a transcript, from the defaults and those entries of the configuration
    /// whose conditions `applies` accepts. Computed once for each set of entries.
    fn settings_where(&self, applies: impl Fn(&Condition) -> bool) -> Settings {
        let indices = |conditions: &[Condition]| -> Vec<usize> {
            (0..conditions.len()).filter(|index| applies(&conditions[*index])).collect()
        };
        let entries = (indices(&self.ignores), indices(&self.overrides));
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = settings.get(&entries) {
            return settings.clone();
        }
        let made = self.make_settings(&entries.0, &entries.1);
        settings.insert(entries, made.clone());
        made
    }

    fn make_settings(&self, ignores: &[usize], overrides: &[usize]) -> Settings {
        let Self { file, command_line, .. } = self;
        let changes_of = |index: usize| changes(&file.overrides[index].severity);
        let ignored_by = |index: usize| selectors(&file.ignore[index].rules);
        let is_conditional = |index: usize| self.overrides[index].exception().is_some();

        let mut in_file = RuleOptions {
            select: selectors(&file.select),
            changes: vec![changes(&file.severity)],
            ..RuleOptions::default()
        };
        for index in overrides.iter().copied().filter(|index| !is_conditional(*index)) {
            in_file.changes.push(changes_of(index));
        }
        for index in ignores.iter().copied() {
            if self.ignores[index].exception().is_none() {
                in_file.ignore.extend(ignored_by(index));
            }
        }
        let sources =
            Sources { profile: self.profile, file: &in_file, command_line: &self.rule_options };
        let mut severities = sources.severities();
        for (position, index) in overrides.iter().copied().enumerate() {
            if let Some(mut exception) = self.overrides[index].exception() {
                let later = overrides[position + 1..].iter().copied();
                let later = later.filter(|index| !is_conditional(*index)).map(changes_of).collect();
                let entry = Conditional::Override { changes: changes_of(index), later };
                sources.except(&entry, &mut exception);
                severities.except(exception);
            }
        }
        for index in ignores.iter().copied() {
            if let Some(mut exception) = self.ignores[index].exception() {
                sources.except(&Conditional::Ignore(ignored_by(index)), &mut exception);
                severities.except(exception);
            }
        }

        // A later override outweighs an earlier one, and any outweighs the rest of the file.
        let entries = || overrides.iter().rev().map(|index| &file.overrides[*index]);
        let surface = entries().find_map(|entry| entry.surface).or(file.surface);
        let edition = entries().find_map(|entry| entry.edition).or(file.edition);
        let head = entries().find_map(|entry| entry.head).or(file.head);
        let tail = entries().find_map(|entry| entry.tail).or(file.tail);
        let format = entries().find_map(|entry| entry.input_format).or(file.input_format);
        Settings {
            surface: match command_line.surface {
                Some(auto) => auto.fixed(),
                None => surface.and_then(|ByName(surface)| surface),
            },
            edition: match command_line.edition {
                Some(auto) => auto.fixed(),
                None => edition.and_then(|ByName(edition)| edition),
            },
            format: command_line
                .input_format
                .or_else(|| format.and_then(|ByName(InputFormat(format))| format)),
            head: command_line.head.or(head.map(|ByName(head)| head)).unwrap_or_default(),
            tail: command_line.tail.or(tail.map(|ByName(tail)| tail)).unwrap_or_default(),
            story: command_line.story.or(file.story.map(|ByName(story)| story)).unwrap_or_default(),
            shelves: None,
            file: 0,
            side: command_line.side.or(file.side.map(|ByName(side)| side)),
            severities,
        }
    }
}

/// The configuration file that the command line names, else the nearest one: its name in messages,
/// and its path. `None` with `--isolated` or when there is none.
fn find(command_line: &CommandLine) -> Option<(String, PathBuf)> {
    if command_line.isolated {
        return None;
    }
    if let Some(path) = &command_line.config {
        return Some((path.display().to_string(), path.clone()));
    }
    nearest_file()
}

/// The configuration file in the current folder or the nearest folder above: its name in messages,
/// such as `../acpcheck.toml`, and its path. `None` when there is none.
fn nearest_file() -> Option<(String, PathBuf)> {
    let here = env::current_dir().ok()?;
    let (levels, folder) =
        here.ancestors().enumerate().find(|(_, folder)| folder.join(NAME).is_file())?;
    Some(("../".repeat(levels) + NAME, folder.join(NAME)))
}

fn selectors(names: &[ByName<Selector>]) -> Vec<Selector> {
    names.iter().map(|ByName(selector)| *selector).collect()
}

fn changes(severities: &file::SeverityTable) -> Vec<SeverityChange> {
    severities
        .iter()
        .map(|(ByName(selector), ByName(severity))| SeverityChange {
            selector: *selector,
            severity: *severity,
        })
        .collect()
}

#[cfg(test)]
mod tests;
