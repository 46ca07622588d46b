//! `acpcheck.toml`: how to judge, for a whole project, with the reasons.
//!
//! What holds for a transcript comes from the profile, the file and the command line, each of which
//! outweighs the one before; within the file, from overrides by path. Exceptions for agents and
//! methods go along with the settings, because they are known only while a transcript is read.
#![expect(clippy::disallowed_methods, reason = "the configuration is a file")]

use std::{
    cell::RefCell,
    collections::HashMap,
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use thread_local::ThreadLocal;
use toml::Spanned;

use super::{
    Completable, Console, Outcome, choice, formats,
    selection::{self, Change, Selector, Sources, Special, Wishes},
};
use crate::{
    check::{Exception, Head, Names, Settings, Tail},
    protocol::{Edition, Surface},
    rule::Severity,
    transcript,
};

mod document;
mod file;
mod named;
mod place;
mod print;
mod schemas;

pub(super) use document::{Faults, read};
use file::{File, Ignore, Override, Texts};
use named::{Choice, InputFormat};
pub(super) use named::{Profile, Stale, Threshold};
use place::{Patterns, Root};

/// The name of the file that is looked for.
const NAME: &str = "acpcheck.toml";

/// Where the configuration comes from, and what is said about it on the command line.
#[derive(Clone, Debug, clap::Args)]
#[cfg_attr(fuzzing, derive(Default))]
pub(super) struct Options {
    /// Read the configuration from this file.
    ///
    /// Without it, `acpcheck.toml` is looked for in the current folder and in those around it.
    #[arg(long, value_name = "FILE", help_heading = "Configuration", conflicts_with = "isolated")]
    config: Option<PathBuf>,

    /// Read no configuration.
    #[arg(long, help_heading = "Configuration")]
    isolated: bool,

    /// What to start from [default: default].
    #[arg(
        long,
        value_name = "PROFILE",
        value_parser = choice([
            ("default", Profile::Default, "What the protocol obliges to, and what is odd"),
            ("strict", Profile::Strict, "Also what it recommends, and all hints; warnings fail"),
            ("registry", Profile::Registry, "What the gate of the agents registry looks at, only"),
        ]),
        help_heading = "Rules",
    )]
    profile: Option<Profile>,

    /// Report only these rules or families, also those that are off by default.
    ///
    /// Repeatable; several may be given with commas between them. `all` selects every rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Completable { parse: Selector::parse, names: selection::names },
        hide_possible_values = true,
        help_heading = "Rules",
    )]
    select: Vec<Selector>,

    /// Do not report these rules or families.
    ///
    /// A rule outweighs a family: `--ignore plan --select plan/duplicate-id` reports the rule.
    #[arg(
        long,
        value_name = "RULE|FAMILY",
        value_delimiter = ',',
        value_parser = Completable { parse: Selector::parse, names: selection::names },
        hide_possible_values = true,
        help_heading = "Rules",
    )]
    ignore: Vec<Selector>,

    /// Report a rule or family as off, info, warning or error.
    ///
    /// Repeatable. It also switches on rules that are off by default.
    #[arg(
        long,
        value_name = "RULE=LEVEL",
        value_delimiter = ',',
        value_parser = Change::parse,
        help_heading = "Rules",
    )]
    severity: Vec<Change>,

    /// The least severity that makes the exit status 1 [default: error].
    #[arg(
        long,
        value_name = "LEVEL",
        value_parser = choice([
            ("error", Threshold::At(Severity::Error), ""),
            ("warning", Threshold::At(Severity::Warning), ""),
            ("info", Threshold::At(Severity::Info), ""),
            ("never", Threshold::Never, ""),
        ]),
    )]
    fail_on: Option<Threshold>,

    /// The part of the protocol to judge by [default: auto].
    #[arg(
        long,
        value_name = "SURFACE",
        value_parser = choice([
            (
                "auto",
                Auto::Auto,
                "The negotiated version; drafts are judged by their schema and named once",
            ),
            ("v1", Auto::Fixed(Surface::V1), "Version 1"),
            ("v1-unstable", Auto::Fixed(Surface::V1Unstable), "Version 1 with its drafts"),
            ("v2", Auto::Fixed(Surface::V2), "Version 2"),
            ("v2-unstable", Auto::Fixed(Surface::V2Unstable), "Version 2 with its drafts"),
        ]),
        help_heading = "Protocol",
    )]
    surface: Option<Auto<Surface>>,

    /// The state of the protocol's drafts to judge by [default: auto].
    #[arg(
        long,
        value_name = "EDITION",
        value_parser = choice([
            ("auto", Auto::Auto, "The last, with older spellings of plans accepted and named once"),
            ("2026-05", Auto::Fixed(Edition::May2026), "Capability `planCapabilities`, plan `id`"),
            ("2026-06", Auto::Fixed(Edition::June2026), "Capability `plan`, plan `id`"),
            ("2026-08", Auto::Fixed(Edition::August2026), "Plan `planId`"),
            ("2026-09", Auto::Fixed(Edition::September2026), "As the official test suite has it"),
            ("2026-11", Auto::Fixed(Edition::November2026), "Plan operations are drafts"),
            ("2026-11-20", Auto::Fixed(Edition::LateNovember2026), "As the schemas in this program"),
            ("current", Auto::Fixed(Edition::CURRENT), "The last, strictly"),
        ]),
        help_heading = "Protocol",
    )]
    edition: Option<Auto<Edition>>,

    /// Judge by the schemas in this folder, for the current edition. Experimental.
    ///
    /// For a protocol that is newer than this program. The files are named as upstream names them:
    /// v1/schema.json, v1/schema.unstable.json, v2/schema.json, v2/schema.unstable.json. Those that
    /// are missing stay as they are built in. Reports tell the hash of what was used.
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = "Protocol")]
    schema: Option<PathBuf>,

    /// The format of the transcripts; `acpcheck formats` lists them.
    ///
    /// Without it, each transcript's beginning tells.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Completable { parse: formats::parse, names: formats::names },
        hide_possible_values = true,
    )]
    input_format: Option<&'static transcript::Format>,

    /// Whether transcripts begin where their connection begins [default: auto].
    #[arg(
        long,
        value_name = "STATE",
        value_parser = choice([
            ("auto", Head::Auto, "As the first message tells"),
            ("complete", Head::Complete, "They do"),
            ("truncated", Head::Truncated, "They may begin later"),
        ]),
        help_heading = "Protocol",
    )]
    head: Option<Head>,

    /// Whether transcripts end where their connection ends [default: auto].
    #[arg(
        long,
        value_name = "STATE",
        value_parser = choice([
            ("auto", Tail::Auto, "As the last messages tell"),
            ("open", Tail::Open, "They may end earlier"),
            ("closed", Tail::Closed, "They do: what is unanswered stays so"),
        ]),
        help_heading = "Protocol",
    )]
    tail: Option<Tail>,
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug)]
enum Auto<T> {
    Auto,
    Fixed(T),
}

impl<T> Auto<T> {
    fn fixed(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Fixed(value) => Some(value),
        }
    }
}

/// Why there is no configuration.
#[derive(Debug)]
pub(super) enum Trouble {
    Unreadable(String),
    Faulty(Faults),
}

impl Trouble {
    /// Says it; how the run ends then.
    pub(super) fn tell(&self, console: &Console) -> Outcome {
        match self {
            Self::Unreadable(why) => console.error(why),
            Self::Faulty(faults) => {
                let (name, drawing) = (faults.name(), faults.draw(console.err));
                console.error(&format!("`{name}` cannot be used"));
                Console::tell(drawing.trim_end());
            }
        }
        Outcome::Failed
    }
}

/// How everything is to be judged.
#[derive(Clone, Debug)]
pub(super) struct Config {
    /// The file, as it is called in messages, and its folder.
    source: Option<(String, PathBuf)>,
    profile: Profile,
    file: File,
    /// What the command line wants.
    line: Wishes,
    options: Options,
    /// From where the paths of transcripts are seen.
    root: Root,
    ignores: Vec<Condition>,
    overrides: Vec<Condition>,
    /// Settings by the ignores and overrides that hold; each thread has its own, since to share what is
    /// counted and kept with them costs threads more than to make them.
    settled: Arc<ThreadLocal<RefCell<HashMap<Holding, Settings>>>>,
}

/// Indices of ignores and overrides.
type Holding = (Vec<usize>, Vec<usize>);

/// Where an entry of the file applies.
#[derive(Clone, Debug)]
struct Condition {
    /// `None`: everywhere.
    paths: Option<Patterns>,
    agents: Option<Names>,
    methods: Option<Names>,
}

impl Condition {
    fn of(paths: &Texts, agents: &Texts, methods: &Texts) -> Result<Self, document::Fault> {
        let fault = |text: &Spanned<String>, why: &str| {
            let message = format!("`{}` is no pattern", text.get_ref());
            document::Fault::new(text.span(), message, why)
        };
        let names = |texts: &Texts| {
            let bad = |text: &&Spanned<String>| Names::new([text.get_ref().as_str()]).is_err();
            match Names::new(texts.iter().map(|text| text.get_ref().as_str())) {
                Ok(names) => Ok((!texts.is_empty()).then_some(names)),
                Err(why) => Err(texts.iter().find(bad).map(|text| fault(text, &why))),
            }
        };
        let path_texts = paths.iter().map(|text| text.get_ref().as_str());
        let patterns = match Patterns::new(path_texts) {
            Ok(patterns) => (!paths.is_empty()).then_some(patterns),
            Err((index, why)) => return Err(fault(&paths[index], &why)),
        };
        let whole = |fault: Option<document::Fault>| {
            fault
                .unwrap_or_else(|| document::Fault::new(0..0, "the patterns are too large", "here"))
        };
        Ok(Self {
            paths: patterns,
            agents: names(agents).map_err(whole)?,
            methods: names(methods).map_err(whole)?,
        })
    }

    /// Whether it holds for the transcript with this path from the root.
    fn holds(&self, path: &str) -> bool {
        self.paths.as_ref().is_none_or(|patterns| patterns.contain(path))
    }

    /// The exception that an entry is if it depends on agents or methods; `None` if it does not.
    fn exception(&self) -> Option<Exception> {
        let depends = self.agents.is_some() || self.methods.is_some();
        depends.then(|| Exception {
            agents: self.agents.clone(),
            methods: self.methods.clone(),
            ..Exception::default()
        })
    }
}

impl Config {
    /// The folder of the schemas to judge by; `None` where the built-in ones hold.
    fn schemas(&self) -> Option<PathBuf> {
        let of_file = || {
            let folder = self.file.schema.as_ref()?;
            let base = self.source.as_ref().map_or(Path::new(""), |(_, folder)| folder);
            Some(base.join(folder))
        };
        self.options.schema.clone().or_else(of_file)
    }

    /// Whether anything may be judged by the current edition.
    fn is_current(&self) -> bool {
        let is_current = |edition: Option<Edition>| edition.is_none_or(|it| it == Edition::CURRENT);
        if let Some(auto) = &self.options.edition {
            return is_current(auto.fixed());
        }
        let entries = self.file.overrides.iter().filter_map(|entry| entry.edition.as_ref());
        let all = entries.chain(&self.file.edition).map(|Choice(edition)| *edition);
        let mut all = all.peekable();
        self.file.edition.is_none() || all.peek().is_none() || all.any(is_current)
    }

    /// Reads the schemas to judge by, before anything is judged.
    fn with_schemas(self) -> Result<Self, Trouble> {
        if let Some(folder) = self.schemas() {
            schemas::load(&folder, self.is_current()).map_err(Trouble::Unreadable)?;
        }
        Ok(self)
    }
}

impl Options {
    /// Reads the file, if there is to be one.
    pub(super) fn load(&self) -> Result<Config, Trouble> {
        let Some((name, path)) = self.find() else {
            let config = Config::new(None, File::default(), self.clone())
                .map_err(|fault| Trouble::Faulty(Faults::one("", "", fault)))?;
            return config.with_schemas();
        };
        let text = fs::read_to_string(&path)
            .map_err(|error| Trouble::Unreadable(format!("cannot read `{name}`: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        self.read(&name, folder, &text).map_err(Trouble::Faulty)?.with_schemas()
    }

    /// The configuration that a file with this name in messages, in this folder, has as its text.
    pub(super) fn read(&self, name: &str, folder: PathBuf, text: &str) -> Result<Config, Faults> {
        let file: File = read(name, text, file::SCHEMA)?;
        Config::new(Some((name.to_owned(), folder)), file, self.clone())
            .map_err(|fault| Faults::one(name, text, fault))
    }

    /// The file that is read, if there is one.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.find().map(|(_, path)| path)
    }

    /// The file's name as the user may see it, and its path.
    fn find(&self) -> Option<(String, PathBuf)> {
        if self.isolated {
            return None;
        }
        if let Some(path) = &self.config {
            return Some((path.display().to_string(), path.clone()));
        }
        let here = env::current_dir().ok()?;
        let (up, folder) =
            here.ancestors().enumerate().find(|(_, folder)| folder.join(NAME).is_file())?;
        Some(("../".repeat(up) + NAME, folder.join(NAME)))
    }
}

impl Config {
    fn new(
        source: Option<(String, PathBuf)>,
        file: File,
        options: Options,
    ) -> Result<Self, document::Fault> {
        let folder = source.as_ref().map_or(Path::new(""), |(_, folder)| folder);
        let root = if folder == Path::new("") { Path::new(".") } else { folder };
        let ignores = file
            .ignore
            .iter()
            .map(|Ignore { paths, agents, methods, .. }| Condition::of(paths, agents, methods))
            .collect::<Result<_, _>>()?;
        let overrides = file
            .overrides
            .iter()
            .map(|Override { paths, agents, methods, .. }| Condition::of(paths, agents, methods))
            .collect::<Result<_, _>>()?;
        let line = Wishes {
            select: options.select.clone(),
            ignore: options.ignore.clone(),
            changes: vec![options.severity.clone()],
        };
        let in_file = file.profile.map(|Choice(profile)| profile);
        Ok(Self {
            profile: options.profile.or(in_file).unwrap_or_default(),
            root: Root::new(root),
            source,
            file,
            line,
            options,
            ignores,
            overrides,
            settled: Arc::default(),
        })
    }

    /// What makes a run fail.
    pub(super) fn threshold(&self) -> Threshold {
        let in_file = self.file.fail_on.map(|Choice(threshold)| threshold);
        let by_profile = match self.profile {
            Profile::Strict => Threshold::At(Severity::Warning),
            Profile::Default | Profile::Registry => Threshold::At(Severity::Error),
        };
        self.options.fail_on.or(in_file).unwrap_or(by_profile)
    }

    /// The baseline that the file names.
    pub(super) fn baseline(&self) -> Option<PathBuf> {
        let (_, folder) = self.source.as_ref()?;
        self.file.baseline.as_ref().map(|path| folder.join(path))
    }

    /// What the file says about entries of the baseline that nothing matches.
    pub(super) fn stale_baseline(&self) -> Option<Stale> {
        self.file.stale_baseline.map(|Choice(stale)| stale)
    }

    /// How to judge transcripts of which nothing is known.
    pub(super) fn general(&self) -> Settings {
        self.settled(|condition| condition.paths.is_none())
    }

    /// How to judge the transcript with this name.
    pub(super) fn settings(&self, name: &str) -> Settings {
        if self.ignores.is_empty() && self.overrides.is_empty() {
            return self.settled(|_| false);
        }
        let path = self.root.relative(Path::new(name));
        self.settled(|condition| condition.holds(&path))
    }

    /// How to judge transcripts for which the conditions hold of which `holds` says so; the same
    /// settings for all with the same ones, since what follows from settings is kept with them.
    fn settled(&self, holds: impl Fn(&Condition) -> bool) -> Settings {
        let holding = |conditions: &[Condition]| {
            let indices = 0..conditions.len();
            indices.filter(|index| holds(&conditions[*index])).collect::<Vec<_>>()
        };
        let key = (holding(&self.ignores), holding(&self.overrides));
        let mut settled = self.settled.get_or_default().borrow_mut();
        let settings = || self.settle(&key.0, &key.1);
        settled.entry(key.clone()).or_insert_with(settings).clone()
    }

    fn settle(&self, ignores: &[usize], overrides: &[usize]) -> Settings {
        let Self { file, options, .. } = self;
        let mut wishes = Wishes { changes: vec![changes(&file.severity)], ..Wishes::default() };
        wishes.select = selectors(&file.select);
        for at in overrides {
            if self.overrides[*at].exception().is_none() {
                wishes.changes.push(changes(&file.overrides[*at].severity));
            }
        }
        for at in ignores {
            if self.ignores[*at].exception().is_none() {
                wishes.ignore.extend(selectors(&file.ignore[*at].rules));
            }
        }
        let sources = Sources { profile: self.profile, file: &wishes, line: &self.line };
        let mut severities = sources.severities();
        for (place, at) in overrides.iter().enumerate() {
            if let Some(mut exception) = self.overrides[*at].exception() {
                let later = overrides[place + 1..].iter().copied();
                let later = later.filter(|at| self.overrides[*at].exception().is_none());
                let later = later.map(|at| changes(&file.overrides[at].severity)).collect();
                let special = Special::Change(changes(&file.overrides[*at].severity), later);
                sources.except(&special, &mut exception);
                severities.except(exception);
            }
        }
        for at in ignores {
            if let Some(mut exception) = self.ignores[*at].exception() {
                let special = Special::Ignore(selectors(&file.ignore[*at].rules));
                sources.except(&special, &mut exception);
                severities.except(exception);
            }
        }

        // Later overrides outweigh earlier ones, and those the rest of the file.
        let entries = || overrides.iter().rev().map(|at| &file.overrides[*at]);
        let surface = entries().find_map(|entry| entry.surface).or(file.surface);
        let edition = entries().find_map(|entry| entry.edition).or(file.edition);
        let head = entries().find_map(|entry| entry.head).or(file.head);
        let tail = entries().find_map(|entry| entry.tail).or(file.tail);
        let format = entries().find_map(|entry| entry.input_format).or(file.input_format);
        Settings {
            surface: match options.surface {
                Some(auto) => auto.fixed(),
                None => surface.and_then(|Choice(surface)| surface),
            },
            edition: match options.edition {
                Some(auto) => auto.fixed(),
                None => edition.and_then(|Choice(edition)| edition),
            },
            format: options
                .input_format
                .or_else(|| format.and_then(|Choice(InputFormat(format))| format)),
            head: options.head.or(head.map(|Choice(head)| head)).unwrap_or_default(),
            tail: options.tail.or(tail.map(|Choice(tail)| tail)).unwrap_or_default(),
            severities,
            untallied: false,
            is_last: false,
        }
    }
}

fn selectors(choices: &[Choice<Selector>]) -> Vec<Selector> {
    choices.iter().map(|Choice(selector)| *selector).collect()
}

fn changes(severities: &file::Severities) -> Vec<Change> {
    let change = |(Choice(selector), Choice(severity)): (&Choice<Selector>, &Choice<Severity>)| {
        Change { selector: *selector, severity: *severity }
    };
    severities.iter().map(change).collect()
}

#[cfg(test)]
mod tests;
