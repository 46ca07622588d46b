//! `acpcheck formats`: lists the transcript formats, and how to get a transcript in each.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use super::{arguments::Completable, console::Console, exit_status::ExitStatus};
use crate::{
    protocol::schema::nearest,
    report::{TextStyle, wrapped},
    transcript::{self, FORMATS, Format, Read},
};

/// List the formats of transcripts, and how to get one.
///
/// acpcheck recognizes the format of a transcript by its contents, also in files that are compressed
/// with gzip or Zstandard. If it does not recognize a format, name it: `--input-format NAME`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show only this format.
    #[arg(
        value_name = "NAME",
        value_parser = Completable { parse, names },
        hide_possible_values = true,
    )]
    name: Option<&'static Format>,
}

/// Reads the name of a transcript format. The error suggests the nearest name.
pub(super) fn parse(name: &str) -> Result<&'static Format, String> {
    transcript::find(name).ok_or_else(|| match nearest(name, names()) {
        Some(nearest) => format!("unknown format; did you mean `{nearest}`?"),
        None => "unknown format; `acpcheck formats` lists all".to_owned(),
    })
}

/// The names of all transcript formats, for shell completion.
pub(super) fn names() -> Vec<&'static str> {
    FORMATS.iter().map(|format| format.name).collect()
}

/// Runs `acpcheck formats`: prints the formats that can be read, then those that are refused.
pub(super) fn run(arguments: &Arguments, console: &Console) -> io::Result<ExitStatus> {
    let mut text = String::new();
    if let Some(format) = arguments.name {
        write(format, console.out, &mut text);
    } else {
        let is_refused = |format: &Format| matches!(format.read, Read::Refused(_));
        let readable = FORMATS.iter().filter(|format| !is_refused(format));
        for format in readable.chain(FORMATS.iter().filter(|format| is_refused(format))) {
            if !text.is_empty() {
                text.push('\n');
            }
            write(format, console.out, &mut text);
        }
    }
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitStatus::Clean)
}

fn write(format: &Format, style: TextStyle, text: &mut String) {
    let name = style.paint(format.name, owo_colors::Style::new().bold());
    let _ = writeln!(text, "{name}");
    let limits = format.limits.iter().map(|limit| format!("Note: {}", limit.what));
    let obtain = format!("To get one: {}", format.obtain);
    for paragraph in [format.about.to_owned(), obtain].into_iter().chain(limits) {
        let _ = writeln!(text, "{}", wrapped("  ", "    ", &paragraph, style.page()));
    }
}
