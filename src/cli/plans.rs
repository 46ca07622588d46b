//! `acpcheck plans`: how the plans of a transcript develop.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::{
    Console, Outcome, choice, formats,
    input::{self, Input},
};
use crate::{
    check,
    report::plans::Plans,
    timeline::{Step, Timeline},
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
    #[arg(long, value_name = "NAME", value_parser = formats::parse)]
    input_format: Option<&'static transcript::Format>,

    /// How to write it.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        value_parser = choice([
            ("text", Format::Text, "For people"),
            ("json", Format::Json, "One document, for programs"),
        ]),
    )]
    format: Format,
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Text,
    Json,
}

pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<Outcome> {
    let name = arguments.file.display().to_string();
    let fail = |reason: &str| {
        console.error(&format!("`{name}`: {reason}"));
        Ok(Outcome::Unreadable)
    };
    if arguments.file.is_dir() {
        return fail("a folder; name one transcript");
    }
    let Some(Ok(input)) = input::gather(std::slice::from_ref(&arguments.file), "<stdin>").pop()
    else {
        return fail("not there");
    };
    let (steps, outcome, failure) = match read(&input, arguments.input_format) {
        Ok(read) => read,
        Err(error) => return fail(&error.to_string()),
    };
    if let Some(refusal) = &outcome.refusal {
        return fail(refusal);
    }
    let Some(format) = outcome.format else {
        return fail(
            failure.as_deref().unwrap_or("no transcript: there is no JSON-RPC message in it"),
        );
    };
    let path = input.name();
    let plans = Plans { path: &path, format, at: arguments.at, steps: &steps };
    let text = match arguments.format {
        Format::Text => plans.text(console.out),
        Format::Json => plans.json(),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    match failure {
        Some(reason) => fail(&reason),
        None => Ok(Outcome::Clean),
    }
}

/// The steps, what is known of the transcript, and why it could not be read to its end.
fn read(
    input: &Input,
    format: Option<&'static transcript::Format>,
) -> io::Result<(Vec<Step>, check::Outcome, Option<String>)> {
    const BLOCK: usize = 512 * 1024;

    let mut transcript = input.open()?;
    let mut timeline = Timeline::new(format);
    let mut steps = Vec::new();
    let mut block = vec![0; BLOCK];
    loop {
        match transcript.read(&mut block) {
            Ok(0) => break,
            Ok(count) => timeline.feed(&block[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        steps.extend(timeline.drain());
    }
    let outcome = timeline.finish(&mut steps);
    Ok((steps, outcome, transcript.failure()))
}
