//! `acpcheck redact`: takes what users wrote out of recordings, so that they can be sent.
#![expect(clippy::disallowed_methods, reason = "redacted recordings are kept in files")]

use std::{
    collections::HashSet,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    mem,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

use super::{
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    input::{self, Certainty, Input},
    reading,
    sequence::{InputFormat, Sequence},
    stories::Stories,
    workload::Workload,
};
use crate::{
    check::{Settings, Story},
    map::Set,
    redact::{Redacted, Redactor, StringPlace, Verdict},
    report::Plural,
};

/// Take what users wrote out of recordings, so that they can be sent.
///
/// Each string becomes a placeholder: prompts, answers, paths, ids, addresses, what tools read and
/// write. Equal strings become equal placeholders in all files. The words of the protocol, names of
/// members and methods, the implementations, numbers, and what an agent calls its modes, options and
/// commands stay. acpcheck checks all files of a run together, before and after: each new file has the
/// findings of the old one, at the same lines, or it is not written.
#[derive(Debug, clap::Args)]
#[command(
    after_help = HELP,
    mut_arg("input_format", |arg| {
        arg.help("The format of the recordings; `acpcheck formats` lists them")
    }),
)]
pub(super) struct Arguments {
    /// Recordings: files and folders as for `check`; `-` is standard input.
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// The folder for the redacted recordings. Nothing is written over.
    #[arg(short = 'o', long = "output", value_name = "DIR")]
    output: PathBuf,

    /// Write a file although strings had to stay in it, because a rule reads them.
    #[arg(long)]
    keep_needed: bool,

    #[command(flatten)]
    input_format: InputFormat,

    #[command(flatten)]
    unpacking: Unpacking,
}

const HELP: &str = "\
Placeholders: a text becomes `text 1`, or four words of a fixed list such as
`amber anchor candle ember`. A path becomes `/p1/p2`, an address
`https://h1.invalid/p1`, an id `tool-1`; a session id gets other letters and
digits. Marks around a text stay. Where recordings show parts of one session,
each letter of a text becomes a letter of these words, and spaces and marks stay.

What it cannot see: names of files stay as they are, and so do names of
members that look like those of programs. Amounts and the order of messages
show how somebody works. Look at the result before you send it.

Exit status:
  0  all recordings were redacted
  1  a recording was not written: its findings would change, or a rule reads a
     string that had to stay
  2  could not run: wrong arguments, or the output cannot be written
  3  some input cannot be read or is not a transcript

Example:
  acpcheck redact -o redacted recordings";

/// Most comparisons of findings, each without the recordings that differed in the one before. Then all
/// recordings that share a session are given up.
const ROUNDS: u32 = 3;

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let mut run = RedactRun {
        arguments,
        console,
        redactor: Redactor::default(),
        folder: tempfile::tempdir()?,
        made: Vec::new(),
        has_refused: false,
    };
    let Arguments { paths, unpacking, input_format, .. } = arguments;
    let inputs = input::gather(paths, "stdin.ndjson");
    let before: Vec<Input> = inputs.inputs.iter().flatten().cloned().collect();
    let sequence = Sequence::run(inputs, paths, *unpacking, console, |sequence, input| {
        let Some(recording) = sequence.whole(input, &input_format.settings()) else {
            return Ok(());
        };
        if let Some(redacted) = run.redacted(input, &recording) {
            run.put(input, redacted)?;
        }
        sequence.finish(input, None);
        Ok(())
    })?;
    run.prove(&before)?;
    if let Some(path) = run.overwritten() {
        let path = path.display();
        console.error(&format!("`{path}` would be written over, so no file is written"));
        return Ok(ExitStatus::Failed);
    }
    run.write()?;
    // A string counts once for each file that it is in.
    let strings: usize = run.made.iter().map(|made| made.redacted.replaced).sum();
    let (files, strings) =
        (Plural(run.made.len() as u64, "file"), Plural(strings as u64, "string"));
    writeln!(io::stdout(), "{files} written, {strings} replaced")?;
    let is_refused = run.has_refused && sequence.is_complete();
    Ok(if is_refused { ExitStatus::Findings } else { sequence.status() })
}

struct RedactRun<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    redactor: Redactor,
    /// Holds the redacted recordings until the findings of all together are compared.
    folder: TempDir,
    made: Vec<Made>,
    /// Whether a recording was not written, or had to keep strings that a rule reads.
    has_refused: bool,
}

/// A redacted recording.
struct Made {
    before: Input,
    /// The redacted recording in the folder of the run.
    after: PathBuf,
    /// The path below the output folder.
    target: PathBuf,
    /// What was done to the recording; its bytes are in the file.
    redacted: Redacted,
}

impl Made {
    fn after(&self) -> Input {
        Input::File { path: self.after.clone(), certainty: Certainty::Sure }
    }
}

impl RedactRun<'_> {
    /// The redacted recording; `None`, with a message, when its findings would change.
    fn redacted(&mut self, input: &Input, recording: &[u8]) -> Option<Redacted> {
        let settings = self.arguments.input_format.settings();
        let redacted = self.redactor.redact(recording, &settings);
        if redacted.is_none() {
            self.refuse(&input.name(), "its findings would change, so it is not written");
        }
        redacted.filter(|redacted| self.may_write(input, redacted))
    }

    /// Whether the redacted recording has no string that had to stay, or may have some. Says where
    /// they are.
    fn may_write(&mut self, input: &Input, redacted: &Redacted) -> bool {
        let keep_needed = self.arguments.keep_needed;
        let Redacted { kept, .. } = redacted;
        if !kept.is_empty() {
            let why = if keep_needed { "" } else { ", so it is not written (`--keep-needed`)" };
            let place = |place: &StringPlace| format!("line {}, {}", place.line, place.pointer);
            let places: Vec<_> = kept.iter().map(place).collect();
            let why = format!("a rule reads strings that had to stay{why}: {}", places.join("; "));
            self.refuse(&input.name(), &why);
        }
        kept.is_empty() || keep_needed
    }

    /// Keeps a redacted recording in the folder of the run.
    fn put(&mut self, input: &Input, mut redacted: Redacted) -> io::Result<()> {
        let target = self.target(input);
        // As many files as there are names: two files may have one target.
        let after = self.folder.path().join(self.made.len().to_string()).join(&target);
        fs::create_dir_all(after.parent().unwrap_or(self.folder.path()))?;
        fs::write(&after, mem::take(&mut redacted.bytes))?;
        self.made.push(Made { before: input.clone(), after, target, redacted });
        Ok(())
    }

    /// Compares the findings that `before`, all recordings of the run, have together with those of
    /// the redacted ones. Recordings that share a session are redacted once more where findings
    /// differ; those whose findings differ even so are given up.
    fn prove(&mut self, before: &[Input]) -> io::Result<()> {
        let unpacking = self.arguments.unpacking;
        let workload = Workload::of_files(before.iter().cloned(), unpacking);
        let settings = self.arguments.input_format.settings();
        let stories = Stories::read_with(&workload, Story::Auto, |_| settings.clone());
        let mut differing = self.differing(&stories);
        if !differing.is_empty() {
            self.redactor.by_letters = true;
            let shared = |made: &Made| stories.tell_of(&made.before.name());
            let again = self.made.iter().enumerate().filter(|(_, made)| shared(made));
            for index in again.map(|(index, _)| index).collect::<Vec<_>>() {
                self.make_again(index)?;
            }
            differing = self.differing(&stories);
        }
        // Without one recording, others may have other findings.
        let mut rounds = 0;
        while !differing.is_empty() {
            rounds += 1;
            for index in differing.into_iter().rev() {
                let made = self.made.remove(index);
                let why = "its findings together with other recordings would change";
                self.refuse(&made.before.name(), &format!("{why}, so it is not written"));
            }
            differing = if rounds < ROUNDS {
                self.differing(&stories)
            } else {
                let made = self.made.iter().enumerate();
                let shared = made.filter(|(_, made)| stories.tell_of(&made.before.name()));
                shared.map(|(index, _)| index).collect()
            };
        }
        Ok(())
    }

    /// Redacts a recording once more, letter by letter.
    fn make_again(&mut self, index: usize) -> io::Result<()> {
        let Arguments { input_format, unpacking, .. } = *self.arguments;
        let made = &mut self.made[index];
        let recording = reading::whole(&made.before, unpacking, &input_format.settings()).ok();
        let redacted = recording.and_then(|it| self.redactor.redact(&it, &input_format.settings()));
        // Else the first one stands, whose findings differ.
        if let Some(mut redacted) = redacted
            && redacted.kept.len() <= made.redacted.kept.len()
        {
            fs::write(&made.after, mem::take(&mut redacted.bytes))?;
            made.redacted = redacted;
        }
        Ok(())
    }

    /// The redacted recordings that share a session with others and whose findings differ from
    /// those that the recordings had, by their indices.
    fn differing(&self, stories: &Stories) -> Vec<usize> {
        let Arguments { unpacking, input_format, .. } = *self.arguments;
        let settings = input_format.settings();
        let rewritten = self.made.iter().filter(|made| made.redacted.is_rewritten);
        let rewritten: Set<String> = rewritten.map(|made| made.after().name()).collect();
        let settings_after = |name: &str| {
            let format = settings.format.filter(|_| !rewritten.contains(name));
            Settings { format, ..settings.clone() }
        };
        let files = self.made.iter().map(Made::after);
        let workload = Workload::of_files(files, unpacking);
        let stories_after = Stories::read_with(&workload, Story::Auto, settings_after);
        let mut differing = Vec::new();
        for (index, made) in self.made.iter().enumerate() {
            let after = made.after();
            let name = after.name();
            if !stories.tell_of(&made.before.name()) && !stories_after.tell_of(&name) {
                continue;
            }
            let verdict = |input: &Input, stories: &Stories, mut settings: Settings| {
                let name = input.name();
                stories.place(&mut settings, &name);
                let bytes = reading::whole(input, unpacking, &settings).unwrap_or_default();
                Verdict::of(&bytes, &settings)
            };
            let before = verdict(&made.before, stories, settings.clone());
            let after = verdict(&after, &stories_after, settings_after(&name));
            let place = |file: &Arc<str>, line: u32| {
                let other = self.made.iter().find(|other| *other.before.name() == **file);
                other.map_or((Arc::clone(file), line), |other| {
                    (other.after().name().into(), other.redacted.lines.new_line(line))
                })
            };
            let lines = &made.redacted.lines;
            let before = before.with_lines(|line| lines.new_line(line)).with_elsewhere(place);
            if before != after {
                differing.push(index);
            }
        }
        differing
    }

    /// Writes the redacted recordings to the output folder.
    fn write(&self) -> io::Result<()> {
        for Made { after, target, .. } in &self.made {
            let path = self.arguments.output.join(target);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            io::copy(&mut File::open(after)?, &mut file)?;
        }
        Ok(())
    }

    /// The first file that would be written over, since it exists or is the target of two
    /// recordings; `None` without one.
    fn overwritten(&self) -> Option<PathBuf> {
        let mut targets = HashSet::new();
        let mut paths = self.made.iter().map(|made| self.arguments.output.join(&made.target));
        paths.find(|path| path.exists() || !targets.insert(path.clone()))
    }

    fn refuse(&mut self, name: &str, why: &str) {
        self.console.unread(name, why);
        self.has_refused = true;
    }

    /// The path of the redacted recording below the output folder: as the recording stands below
    /// the folder that the user names, without the endings of packed files.
    fn target(&self, input: &Input) -> PathBuf {
        let path = input.path().map_or_else(|| PathBuf::from(input.name()), Path::to_owned);
        let folders = self.arguments.paths.iter().filter(|folder| folder.is_dir());
        let below = folders.filter_map(|folder| path.strip_prefix(folder).ok());
        let own = path.file_name().map(PathBuf::from).unwrap_or_default();
        let mut target =
            below.min_by_key(|path| path.as_os_str().len()).map_or(own, Path::to_owned);
        while target.extension().is_some_and(|ending| ending == "gz" || ending == "zst") {
            target.set_extension("");
        }
        target
    }
}
