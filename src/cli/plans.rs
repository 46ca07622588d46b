//! `acpcheck plans`: prints the plan timeline of one transcript.

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::mpsc::Receiver,
};

use super::{
    arguments::{Completable, choice},
    console::Console,
    exit_status::ExitStatus,
    formats,
    input::{self, Certainty},
    progress::Progress,
    reading::{self, NotJudged, Reading},
};
use crate::{
    check::Settings,
    plans::{self, PlanStep},
    report::plans::TimelineWriter,
    transcript,
};

/// Show how plans develop.
///
/// Tells message by message what an agent shows of its plans and what changes: entries added (+),
/// changed (~) and gone (-), with their status: pending (○), in progress (◐), completed (●),
/// cancelled (⊘). At the end stands what a conforming client has on display.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The transcript; `-` is standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Show only what is on display after this line.
    #[arg(long, value_name = "LINE", value_parser = clap::value_parser!(u32).range(1..))]
    at: Option<u32>,

    /// The format of the transcript; `acpcheck formats` lists them.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = Completable { parse: formats::parse, names: formats::names },
        hide_possible_values = true,
    )]
    input_format: Option<&'static transcript::Format>,

    /// How to write it.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = choice([
            ("text", PlansFormat::Text, "For people"),
            ("json", PlansFormat::Json, "One document, for programs"),
        ]),
    )]
    format: PlansFormat,
}

#[derive(Clone, Copy, Debug)]
enum PlansFormat {
    Text,
    Json,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let name = arguments.file.display().to_string();
    let fail = |reason: &str| {
        console.unread(&name, reason);
        Ok(ExitStatus::Unreadable)
    };
    if arguments.file.is_dir() {
        return fail("a folder; name one transcript");
    }
    let Some(Ok(input)) = input::gather(std::slice::from_ref(&arguments.file), "<stdin>").pop()
    else {
        return fail("not there");
    };
    let format = arguments.input_format;
    let settings = Settings { format, ..Settings::default() };
    let (check, steps) = plans::watched(&settings);
    let path = input.name();
    let plans = match arguments.format {
        PlansFormat::Text => TimelineWriter::text(arguments.at, console.out),
        PlansFormat::Json => TimelineWriter::json(arguments.at, &path),
    };
    let mut writer = Writer { steps, plans, text: String::new(), is_writable: true };
    let read = input.open().and_then(|mut transcript| {
        reading::judge(&mut transcript, check, &Progress::hidden(), || writer.write())
    });
    let reading = match read {
        Ok(reading) => reading,
        Err(error) if writer.is_writable => return fail(&error.to_string()),
        Err(error) => return Err(error),
    };
    if let Some(NotJudged::Unread(reason)) = reading.not_judged(Certainty::Sure) {
        return fail(&reason);
    }
    let Reading { outcome, failure, .. } = reading;
    // The first notes are about rules, not plans.
    for note in outcome.notes.iter().skip(outcome.unassessed.len()) {
        console.note(&format!("`{name}`: {note}"));
    }
    let Writer { plans, mut text, .. } = writer;
    plans.finish(outcome.format.unwrap_or_default(), &mut text);
    io::stdout().write_all(text.as_bytes())?;
    match failure {
        Some(reason) => fail(&reason),
        None => Ok(ExitStatus::Clean),
    }
}

/// Writes each step as soon as it is known.
#[derive(Debug)]
struct Writer<'a> {
    steps: Receiver<PlanStep>,
    plans: TimelineWriter<'a>,
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
        let written = io::stdout().write_all(self.text.as_bytes());
        self.text.clear();
        written.inspect_err(|_| self.is_writable = false)
    }
}
