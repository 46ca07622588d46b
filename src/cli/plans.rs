//! `acpcheck plans`: prints the plan timeline of transcripts.

use std::{
    io::{self, Write},
    num::NonZero,
    path::PathBuf,
    sync::mpsc::Receiver,
};

use owo_colors::Style;

use super::{
    arguments::{Completable, checked, choice, counted},
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    formats,
    input::{self, Gathered, Input, Transcript},
    progress::Progress,
    reading::{self, NotJudged, Reading},
};
use crate::{
    check::Settings,
    plans::{self, PlanStep},
    report::plans::TimelineWriter,
    source::{Reread, printable},
    transcript,
};

/// Show how plans develop.
///
/// Shows message by message how an agent changes its plans: entries added (+), changed (~) and
/// removed (-), with their status: pending (○), in progress (◐), completed (●), cancelled (⊘). At
/// the end come the plans that a conforming client shows.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Transcripts: files and folders as for `check`; `-` is standard input.
    #[arg(required = true, value_name = "PATHS")]
    paths: Vec<PathBuf>,

    /// Show only the plans that a client shows after this line.
    #[arg(long, value_name = "LINE", value_parser = checked(line))]
    at: Option<NonZero<u32>>,

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
            ("text", PlansFormat::Text, "For people"),
            ("json", PlansFormat::Json, "For programs: one document for each transcript"),
        ]),
    )]
    format: PlansFormat,

    #[command(flatten)]
    unpacking: Unpacking,
}

fn line(text: &str) -> Result<NonZero<u32>, String> {
    counted(text, "the number of a line")
}

#[derive(Clone, Copy, Debug)]
enum PlansFormat {
    Text,
    Json,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let Gathered { inputs, left_out } = input::gather(&arguments.paths, "<stdin>");
    let mut run = PlansRun {
        arguments,
        console,
        has_titles: inputs.len() > 1,
        shown: Vec::new(),
        skipped: Vec::new(),
        unread: 0,
    };
    for input in &inputs {
        match input {
            Ok(input) => run.show(input)?,
            Err(unread) => run.unread(&unread.path, &unread.reason),
        }
    }
    if let Some(note) = left_out.note() {
        console.note(&note);
    }
    let judged = run.shown.iter().map(|name| &**name);
    for folder in input::empty_folders(&arguments.paths, &judged, &run.skipped, run.unread) {
        run.unread(&folder.path, &folder.reason);
    }
    Ok(if run.unread > 0 { ExitStatus::Unreadable } else { ExitStatus::Clean })
}

/// Writes the timelines of some transcripts, one after the other.
struct PlansRun<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    /// Whether each timeline has the name of its transcript above.
    has_titles: bool,
    /// The names of the transcripts that were shown.
    shown: Vec<String>,
    /// The names of the files in folders that turned out to be no transcripts.
    skipped: Vec<String>,
    /// How many inputs were not shown, or not to their end.
    unread: usize,
}

impl PlansRun<'_> {
    fn unread(&mut self, name: &str, reason: &str) {
        self.console.unread(name, reason);
        self.unread += 1;
    }

    fn show(&mut self, input: &Input) -> io::Result<()> {
        let Self { arguments: &Arguments { at, format, input_format, .. }, console, .. } = *self;
        let at = at.map(NonZero::get);
        let name = input.name();
        let settings = Settings { format: input_format, ..Settings::default() };
        let (check, steps) = plans::watched(&settings);
        let (plans, title) = match format {
            PlansFormat::Text => (TimelineWriter::text(at, console.out), self.title(&name)),
            PlansFormat::Json => (TimelineWriter::json(at, &name), None),
        };
        let mut writer = Writer { steps, plans, title, text: String::new(), is_writable: true };
        let read = input.open(self.arguments.unpacking).and_then(|mut transcript| {
            let progress = Progress::hidden();
            let reading = reading::judge(&mut transcript, check, &progress, || writer.write())?;
            let lines = if at.is_some() { lines(&mut transcript)? } else { 0 };
            Ok((reading, lines))
        });
        let (reading, lines) = match read {
            Ok(read) => read,
            Err(error) if writer.is_writable => {
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
        let Reading { outcome, failure, .. } = reading;
        // The first notes are about rules, not plans.
        for note in outcome.notes.iter().skip(outcome.unassessed.len()) {
            console.note(&format!("`{name}`: {note}"));
        }
        if let Some(at) = at.filter(|at| u64::from(*at) > lines) {
            let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
            console.note(&format!("`{name}` has only {lines}: line {at} is after its end"));
        }
        writer.finish(outcome.format.unwrap_or_default())?;
        if let Some(reason) = failure {
            self.unread(&name, &reason);
        }
        self.shown.push(name);
        Ok(())
    }

    /// What stands above the timeline of a transcript with this name.
    fn title(&self, name: &str) -> Option<String> {
        let gap = if self.shown.is_empty() { "" } else { "\n" };
        let name = self.console.out.paint(&printable(name), Style::new().bold());
        self.has_titles.then(|| format!("{gap}{name}\n\n"))
    }
}

/// The number of lines in a transcript that has been read.
fn lines(transcript: &mut Transcript) -> io::Result<u64> {
    let mut block = vec![0; 64 << 10];
    let (mut at, mut lines, mut last) = (0, 0, b'\n');
    loop {
        let count = transcript.read_at(at, &mut block)?;
        let Some(end) = block[..count].last() else { break };
        last = *end;
        at += count as u64;
        lines += memchr::memchr_iter(b'\n', &block[..count]).count() as u64;
    }
    Ok(lines + u64::from(last != b'\n'))
}

/// Writes each step as soon as it is known.
#[derive(Debug)]
struct Writer<'a> {
    steps: Receiver<PlanStep>,
    plans: TimelineWriter<'a>,
    /// What is to be written before all else.
    title: Option<String>,
    /// What is not written yet.
    text: String,
    /// Whether standard output takes what is written.
    is_writable: bool,
}

impl Writer<'_> {
    /// Writes the steps that have arrived.
    fn write(&mut self) -> io::Result<()> {
        for step in self.steps.try_iter() {
            self.plans.step(step, &mut self.text);
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let text = self.title.take().unwrap_or_default() + &self.text;
        self.text.clear();
        let written = io::stdout().write_all(text.as_bytes());
        written.inspect_err(|_| self.is_writable = false)
    }

    /// Writes what comes last.
    fn finish(self, format: &str) -> io::Result<()> {
        let Self { plans, title, mut text, .. } = self;
        plans.finish(format, &mut text);
        io::stdout().write_all((title.unwrap_or_default() + &text).as_bytes())
    }
}
