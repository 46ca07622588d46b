//! `acpcheck audit`: lists what was done, and what the client was asked and answered.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::{
    arguments::{Completable, checked, choice},
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    formats,
    input::{self, Gathered, Input},
    progress::Progress,
    reading::{self, NotJudged},
};
use crate::{
    audit,
    check::{Check, Settings},
    report::audit::{AnyWord, AuditFormat, AuditWriter},
    transcript,
};

/// List what was done, and who allowed it.
///
/// Lists which files were written and read, which commands ran and which tools were used; whether the
/// client was asked before, and what it answered. It lists and counts; only `check` finds faults. What
/// fits two ways is `unclear`.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Arguments {
    /// Transcripts: files and folders as for `check`; `-` is standard input.
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// Show only rows with one of these words, such as `write,run`.
    ///
    /// A word is a value of the column action, decision, result, order, outside, proof or join. When the
    /// option is repeated, a row must have a word of each.
    #[arg(long, value_name = "WORDS", value_parser = checked(AnyWord::read))]
    only: Vec<AnyWord>,

    /// Mask what users wrote: targets, ids, names of options and modes.
    #[arg(long)]
    redact: bool,

    /// The format of the transcripts; `acpcheck formats` lists them.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Completable { parse: formats::parse, names: formats::names },
        hide_possible_values = true,
    )]
    input_format: Option<&'static transcript::Format>,

    /// The format of the output.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = choice([
            ("text", AuditFormat::Text, "For people: totals, then equal actions together, the remarkable first"),
            ("ndjson", AuditFormat::Ndjson, "For programs: a JSON object for each action"),
            ("csv", AuditFormat::Csv, "For tables: a row for each action"),
        ]),
    )]
    format: AuditFormat,

    #[command(flatten)]
    unpacking: Unpacking,
}

const HELP: &str = "\
The words:

Asked: the agent sent `session/request_permission` about it. Not asked: no
question about it is on record. The protocol does not require one.

Allowed: the client chose an option of the kind allow_once or allow_always. Who
or what in the client chose it is not on record.

Done: the client did it. Reported: only the agent says that it completed it.

What it cannot know: tools that the agent neither reports nor asks of the
client; what a command did; how far an answer \"always\" reaches; where links
lead; what was before and after the recording.

Exit status:
  0  the transcripts were read
  2  could not run: wrong arguments, or the output cannot be written
  3  some input cannot be read or is not a transcript

Examples:
  acpcheck audit recordings
  acpcheck audit --only write,run --only not_asked recordings
  acpcheck audit --format csv recordings > actions.csv";

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let Gathered { inputs, left_out } = input::gather(&arguments.paths, "<stdin>");
    let writer = AuditWriter::new(arguments.format, console.out)
        .only(arguments.only.clone())
        .redacted(arguments.redact);
    let mut run = AuditRun {
        arguments,
        console,
        writer,
        text: String::new(),
        listed: Vec::new(),
        skipped: Vec::new(),
        unread: 0,
    };
    for input in &inputs {
        match input {
            Ok(input) => run.list(input)?,
            Err(unread) => run.unread(&unread.path, &unread.reason),
        }
    }
    if let Some(note) = left_out.note() {
        console.note(&note);
    }
    let listed = run.listed.iter().map(|name| &**name);
    for folder in input::empty_folders(&arguments.paths, &listed, &run.skipped, run.unread) {
        run.unread(&folder.path, &folder.reason);
    }
    let AuditRun { writer, mut text, listed, unread, .. } = run;
    if !listed.is_empty() || unread == 0 {
        writer.finish(&mut text);
    }
    io::stdout().write_all(text.as_bytes())?;
    Ok(if unread > 0 { ExitStatus::Unreadable } else { ExitStatus::Clean })
}

/// Writes the audit log of some transcripts.
struct AuditRun<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    writer: AuditWriter,
    /// What is not written yet.
    text: String,
    /// The names of the transcripts that were listed.
    listed: Vec<String>,
    /// The names of the files in folders that turned out to be no transcripts.
    skipped: Vec<String>,
    /// How many inputs were not listed, or not to their end.
    unread: usize,
}

impl AuditRun<'_> {
    fn unread(&mut self, name: &str, reason: &str) {
        self.console.unread(name, reason);
        self.unread += 1;
    }

    fn list(&mut self, input: &Input) -> io::Result<()> {
        let name = input.name();
        let settings = Settings { format: self.arguments.input_format, ..Settings::default() };
        let (check, events) = audit::watched(Check::new(&settings));
        let mut is_writable = true;
        let (writer, text) = (&mut self.writer, &mut self.text);
        let mut write = || {
            for event in events.try_iter() {
                writer.event(&name, event, text);
            }
            let written = io::stdout().write_all(text.as_bytes());
            text.clear();
            written.inspect_err(|_| is_writable = false)
        };
        let read = input.open(self.arguments.unpacking).and_then(|mut transcript| {
            reading::judge(&mut transcript, check, &Progress::hidden(), &mut write)
        });
        let reading = match read {
            Ok(reading) => reading,
            Err(error) if is_writable => {
                self.unread(&name, &error.to_string());
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        match reading.not_judged(input.certainty()) {
            None => {}
            Some(NotJudged::PassedOver) => {
                self.skipped.push(name);
                return Ok(());
            }
            Some(NotJudged::Unread(reason)) => {
                self.unread(&name, &reason);
                return Ok(());
            }
        }
        // The first notes are about rules, not actions.
        for note in reading.outcome.notes.iter().skip(reading.outcome.unassessed.len()) {
            self.console.note(&format!("`{name}`: {note}"));
        }
        if let Some(reason) = reading.failure {
            self.unread(&name, &reason);
        }
        self.listed.push(name);
        Ok(())
    }
}
