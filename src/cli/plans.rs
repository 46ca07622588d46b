//! `acpcheck plans`: prints the plan timeline of transcripts.

use std::{
    io::{self, Write},
    num::NonZero,
    path::PathBuf,
    sync::mpsc::Receiver,
};

use owo_colors::Style;

use super::{
    arguments::{checked, choice, counted},
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    input::{self, Transcript},
    sequence::{InputFormat, Sequence},
};
use crate::{
    plans::{self, PlanStep},
    report::{Plural, plans::TimelineWriter},
    source::{Reread, printable},
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

    #[command(flatten)]
    input_format: InputFormat,

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
    let Arguments { paths, at, input_format, format, unpacking } = arguments;
    let at = at.map(NonZero::get);
    let inputs = input::gather(paths, "<stdin>");
    let has_titles = inputs.inputs.len() > 1;
    let sequence = Sequence::run(inputs, paths, *unpacking, console, |sequence, input| {
        let name = input.name();
        let (check, steps) = plans::watched(&input_format.settings());
        let (plans, has_title) = match format {
            PlansFormat::Text => (TimelineWriter::text(at, console.out), has_titles),
            PlansFormat::Json => (TimelineWriter::json(at, &name), false),
        };
        let title = has_title.then(|| title(&name, sequence.is_empty(), console));
        let mut writer = Writer { steps, plans, title, text: String::new() };
        let read = sequence.judge(input, check, || writer.write())?;
        let Some((reading, mut transcript)) = read else { return Ok(()) };
        if let Some(at) = at {
            let lines = match lines(&mut transcript) {
                Ok(lines) => lines,
                Err(error) => {
                    sequence.unread(&name, &error.to_string());
                    return Ok(());
                }
            };
            if u64::from(at) > lines {
                let lines = Plural(lines, "line");
                console.note(&format!("`{name}` has only {lines}: line {at} is after its end"));
            }
        }
        writer.finish(reading.outcome.format.unwrap_or_default())?;
        sequence.finish(input, reading.failure);
        Ok(())
    })?;
    Ok(sequence.status())
}

/// The heading above the timeline of a transcript, with a blank line before unless `is_first`. Used
/// only when several transcripts are shown.
fn title(name: &str, is_first: bool, console: &Console) -> String {
    let gap = if is_first { "" } else { "\n" };
    let name = console.out.paint(&printable(name), Style::new().bold());
    format!("{gap}{name}\n\n")
}

/// The number of lines of a transcript; a last line without a line break counts. Reads the
/// transcript again.
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

/// Writes the timeline of the plans in a transcript while it is read: each change as soon as it is
/// known.
#[derive(Debug)]
struct Writer<'a> {
    steps: Receiver<PlanStep>,
    plans: TimelineWriter<'a>,
    /// The heading to be written before the first change of a plan; `None` once it is written.
    title: Option<String>,
    /// Text that has not been written to standard output yet.
    text: String,
}

impl Writer<'_> {
    /// Writes the steps of plans that have arrived from the check to standard output. Fails when
    /// writing fails.
    fn write(&mut self) -> io::Result<()> {
        for step in self.steps.try_iter() {
            self.plans.step(step, &mut self.text);
        }
        if self.text.is_empty() {
            return Ok(());
        }
        let text = self.title.take().unwrap_or_default() + &self.text;
        self.text.clear();
        io::stdout().write_all(text.as_bytes())
    }

    /// Writes, at the end of the transcript, the rest of the timeline, then the plans that the
    /// client shows at that point. `format` is the name of the format. Fails when writing fails.
    fn finish(self, format: &str) -> io::Result<()> {
        let Self { plans, title, mut text, .. } = self;
        plans.finish(format, &mut text);
        io::stdout().write_all((title.unwrap_or_default() + &text).as_bytes())
    }
}
