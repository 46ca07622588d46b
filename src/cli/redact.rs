//! `acpcheck redact`: takes what users wrote out of recordings, so that they can be sent.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    input::{self, Input},
    sequence::{InputFormat, Sequence},
};
use crate::{
    redact::{Redacted, Redactor, StringPlace},
    report::Plural,
};

/// Take what users wrote out of recordings, so that they can be sent.
///
/// Each string becomes a placeholder: prompts, answers, paths, ids, addresses, what tools read and
/// write. Equal strings become equal placeholders in all files. The words of the protocol, names of
/// members and methods, the implementations, numbers, and what an agent calls its modes, options and
/// commands stay. acpcheck checks each new file: its findings are those of the old one, at the same
/// lines, or the file is not written.
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

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let mut run = RedactRun {
        arguments,
        console,
        redactor: Redactor::default(),
        written: 0,
        strings: 0,
        has_refused: false,
    };
    let inputs = input::gather(&arguments.paths, "stdin.ndjson");
    let Arguments { paths, unpacking, .. } = arguments;
    let sequence = Sequence::run(inputs, paths, *unpacking, console, |sequence, input| {
        let Some(recording) = sequence.whole(input, &arguments.input_format.settings()) else {
            return Ok(());
        };
        run.redact(input, &recording)?;
        sequence.finish(input, None);
        Ok(())
    })?;
    let RedactRun { written, strings, has_refused, .. } = run;
    let (files, strings) = (Plural(written, "file"), Plural(strings as u64, "string"));
    writeln!(io::stdout(), "{files} written, {strings} replaced")?;
    let is_refused = has_refused && sequence.is_complete();
    Ok(if is_refused { ExitStatus::Findings } else { sequence.status() })
}

struct RedactRun<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    redactor: Redactor,
    /// How many redacted recordings were written so far, for the last message.
    written: u64,
    /// How many strings were replaced. A string counts once for each file that it is in.
    strings: usize,
    /// Whether a recording was not written, or had to keep strings that a rule reads.
    has_refused: bool,
}

impl RedactRun<'_> {
    fn redact(&mut self, input: &Input, recording: &[u8]) -> io::Result<()> {
        let name = input.name();
        let Arguments { input_format, keep_needed, .. } = *self.arguments;
        let settings = input_format.settings();
        let Some(redacted) = self.redactor.redact(recording, &settings) else {
            self.refuse(&name, "its findings would change, so it is not written");
            return Ok(());
        };
        let Redacted { bytes, replaced, kept, .. } = redacted;
        if !kept.is_empty() {
            let why = if keep_needed { "" } else { ", so it is not written (`--keep-needed`)" };
            let place = |place: &StringPlace| format!("line {}, {}", place.line, place.pointer);
            let places: Vec<_> = kept.iter().map(place).collect();
            let places = places.join("; ");
            self.refuse(&name, &format!("a rule reads strings that had to stay{why}: {places}"));
            if !keep_needed {
                return Ok(());
            }
        }
        self.write(&name, &self.target(input), &bytes)?;
        self.strings += replaced;
        Ok(())
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

    fn write(&mut self, name: &str, target: &Path, bytes: &[u8]) -> io::Result<()> {
        let path = self.arguments.output.join(target);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file.and_then(|mut file| file.write_all(bytes)) {
            Ok(()) => self.written += 1,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let path = path.display();
                self.refuse(name, &format!("`{path}` exists and is not written over"));
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}
