//! `acpcheck audit`: lists what was done, and what the client was asked and answered.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use super::{
    arguments::{checked, choice},
    bounded::Unpacking,
    console::Console,
    exit_status::ExitStatus,
    input,
    sequence::{InputFormat, Sequence},
};
use crate::{
    audit,
    check::Check,
    report::audit::{AnyWord, AuditFormat, AuditWriter},
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
    ///
    /// Letters become x, digits become 0; the command `redact` writes placeholders instead.
    #[arg(long)]
    redact: bool,

    #[command(flatten)]
    input_format: InputFormat,

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

Done: a message shows it done: an answer of the client, or a report of the
agent. The column proof says which.

No completion on record (in the column order: not_done): no message shows it
done. It failed, it was cancelled, or the recording has no start or no end of
it. It may have begun.

Unclear: the recording fits more than one answer, or lacks what decides. The
column unclear says why.

The target of a command is the title of its tool call where the recording names
no command.

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
    let Arguments { paths, format, only, redact, input_format, unpacking } = arguments;
    let mut writer = AuditWriter::new(*format, console.out).only(only.clone()).redacted(*redact);
    let mut text = String::new();
    let inputs = input::gather(paths, "<stdin>");
    let sequence = Sequence::run(inputs, paths, *unpacking, console, |sequence, input| {
        let name = input.name();
        let (check, events) = audit::watched(Check::new(&input_format.settings()));
        let write = || {
            for event in events.try_iter() {
                writer.event(&name, event, &mut text);
            }
            let written = io::stdout().write_all(text.as_bytes());
            text.clear();
            written
        };
        if let Some((reading, _)) = sequence.judge(input, check, write)? {
            sequence.finish(input, reading.failure);
        }
        Ok(())
    })?;
    if !sequence.is_empty() || sequence.is_complete() {
        writer.finish(&mut text);
    }
    io::stdout().write_all(text.as_bytes())?;
    Ok(sequence.status())
}
